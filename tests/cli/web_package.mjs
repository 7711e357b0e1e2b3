// SPDX-License-Identifier: MIT
// The packed package, installed in an empty folder, as its user meets it: node --test web_package.mjs. RECORDING is a stream of perf
// (`perf record -o -`), FILE is a file of perf.
import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { convert, convertTo, findings, formats, open, PerfdataError, schema } from 'perfdata';

const { FILE, RECORDING } = process.env;

test('converts a path, bytes and a Blob to the same bytes', async () => {
	const name = 'x.data', bytes = readFileSync(FILE);
	const { text, complete, written } = await convert(FILE, 'ndjson', { name });
	assert.ok(complete && written > 0);
	for (const source of [bytes, new Blob([bytes]), createReadStream(FILE)])
		assert.equal((await convert(source, 'ndjson', { name })).text(), text());
	const parts = [];
	await convertTo(bytes, 'ndjson', new WritableStream({ write: (part) => { parts.push(part); } }), { name });
	assert.equal(Buffer.concat(parts).toString(), text());
});

test('records of a file are those of ndjson', async () => {
	const lines = (await convert(FILE, 'ndjson', { order: 'file' })).text().split('\n').filter(Boolean).map((line) => JSON.parse(line));
	const wanted = lines.filter((line) => 'offset' in line).map(({ type, offset }) => [type, offset]);
	const recording = await open(FILE), got = [];
	for await (const record of recording.records())
		if ('offset' in record)
			got.push([record.type, record.offset]);
	await recording.close();
	assert.deepEqual(got, wanted);
	assert.ok(got.length > 0);
});

test('records of a stream come before its end', async () => {
	const bytes = readFileSync(RECORDING);
	let given = 0, before_end = 0, all = 0;
	async function* pieces() {
		for (; given < bytes.length; given += 512)
			yield bytes.subarray(given, given + 512);
	}
	for await (const record of (await open(pieces())).records()) {
		all += record.type !== undefined;
		before_end += given < bytes.length;
	}
	assert.ok(before_end > 0 && all > 0, `${before_end} of ${all}`);
});

test('tables are Parquet', async () => {
	const recording = await open(FILE);
	assert.equal(Buffer.from((await recording.table('samples')).subarray(0, 4)).toString(), 'PAR1');
	await recording.close();
});

test('fails with messages, and goes on', async () => {
	await assert.rejects(convert(new Uint8Array(100), 'json'), PerfdataError);
	await assert.rejects(convert(FILE, 'no-such-format'), /no-such-format/);
	await assert.rejects(convert(FILE, 'ndjson', { settings: { 'no-such-option': '1' } }), /no-such-option/);
	await assert.rejects(convert(FILE, 'ndjson', { symbols: new Uint8Array(1000) }), PerfdataError);
	await assert.rejects(convert(FILE, 'ndjson', { signal: AbortSignal.abort() }), { name: 'AbortError' });
	const cut = readFileSync(FILE).subarray(0, -1000);
	const damaged = await convert(cut, 'folded', { names: false });
	assert.ok(damaged.findings.length > 0 && !damaged.complete);
	assert.ok(findings.some(({ code }) => code === damaged.findings[0].code));
	assert.ok((await convert(FILE, 'folded', { names: false })).complete);
});

test('works in a worker', async () => {
	const worker = new Worker(`import('perfdata').then(async ({ convert }) => {
		const { workerData, parentPort } = await import('node:worker_threads');
		parentPort.postMessage((await convert(workerData, 'folded', { names: false })).text());
	})`, { eval: true, workerData: FILE });
	const [text] = await once(worker, 'message');
	assert.equal(text, (await convert(FILE, 'folded', { names: false })).text());
});

test('says what there is', () => {
	assert.ok(formats.some(({ name, files }) => name === 'parquet' && files));
	assert.ok(schema.$schema);
});
