// SPDX-License-Identifier: MIT
// The packed package, installed in an empty folder, as its user meets it: node --test web_package.mjs. RECORDING is a stream of perf
// (`perf record -o -`), FILE is a file of perf.
import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
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

test('an option that names another recording is refused', async () => {
	await assert.rejects(convert(FILE, 'flamegraph', { settings: { base: FILE } }), /--base names another recording, which this build cannot open/);
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

test('convertTo gives pieces while the recording comes, and waits for a slow sink', async () => {
	const once_recorded = readFileSync(RECORDING), bytes = Buffer.concat([once_recorded.subarray(0, 16), ...Array(300).fill(once_recorded.subarray(16))]);
	const name = 'x.pipe', wanted = (await convert(bytes, 'ndjson', { name })).text();
	let given = 0, pieces_before_end = 0, writing = 0, parts = [];
	async function* pieces() {
		for (; given < bytes.length; given += 1 << 16)
			yield bytes.subarray(given, given + (1 << 16));
	}
	const sink = new WritableStream({
		async write(part) {
			assert.equal(++writing, 1);
			pieces_before_end += given < bytes.length;
			await new Promise((later) => setTimeout(later, 1));
			parts.push(part);
			writing--;
		},
	});
	const { complete } = await convertTo(pieces(), 'ndjson', sink, { name });
	// The size of a stream is not known.
	assert.equal(Buffer.concat(parts).toString(), wanted.replace(/"file_size":\d+/, '"file_size":null'));
	assert.ok(complete);
	assert.ok(pieces_before_end > 0);
	for (const source of [FILE, new Blob([readFileSync(FILE)])]) {
		parts = [];
		await convertTo(source, 'folded', new WritableStream({ write: (part) => { parts.push(part); } }), { names: false });
		assert.equal(Buffer.concat(parts).toString(), (await convert(FILE, 'folded', { names: false })).text());
	}
});

test('convertTo ends with its sink, its source and its signal', async () => {
	const nowhere = () => new WritableStream({});
	await assert.rejects(convertTo(FILE, 'ndjson', new WritableStream({ write() { throw new Error('full'); } })), /full/);
	await assert.rejects(convertTo((async function* () { yield readFileSync(RECORDING).subarray(0, 300); throw new Error('broken'); })(), 'ndjson', nowhere()), /broken/);
	await assert.rejects(convertTo(FILE, 'parquet', nowhere()), PerfdataError);
	await assert.rejects(convertTo(FILE, 'no-such-format', nowhere()), /no-such-format/);
	const stop = new AbortController();
	const endless = (async function* () { yield readFileSync(RECORDING).subarray(0, 300); stop.abort(); await new Promise(() => {}); })();
	await assert.rejects(convertTo(endless, 'ndjson', nowhere(), { signal: stop.signal }), { name: 'AbortError' });
});

test('records come from a socket', async () => {
	let count = 0;
	const server = createServer(async (socket) => {
		for await (const record of (await open(socket)).records())
			count += 'offset' in record;
		server.close();
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	connect(server.address().port, '127.0.0.1').end(readFileSync(RECORDING));
	await once(server, 'close');
	assert.ok(count > 0);
});

test('tables are streams of Arrow', async () => {
	const recording = await open(FILE), bytes = await recording.table('samples', { columns: ['time', 'pid', 'event', 'callchain'] });
	assert.deepEqual([...bytes.subarray(0, 4), ...bytes.subarray(-8)], [255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]);
	const pushed = await open(createReadStream(FILE, { highWaterMark: 999 }), { name: FILE });
	assert.deepEqual(await pushed.table('samples', { columns: 'time,pid,event,callchain' }), await (await open(FILE, { name: FILE })).table('samples', { columns: 'time,pid,event,callchain' }));
	await assert.rejects(recording.table('no-such-table'), /no-such-table/);
	await recording.close();
});

const arrow = await import(`${process.env.MODULES}/apache-arrow/Arrow.mjs`).catch(() => null);
test('apache-arrow reads the cells of csv', { skip: !arrow && 'no npm package apache-arrow' }, async () => {
	for (const table of ['samples', 'mappings', 'stacks', 'frames']) {
		const recording = await open(FILE, { name: 'x' }), rows = arrow.tableFromIPC(await recording.table(table)).toArray();
		const [head, ...lines] = (await convert(FILE, 'csv', { name: 'x', order: 'file', settings: { table } })).text().trim().split(/\r?\n/);
		const names = head.split(','), plain = names.flatMap((name, index) => (lines.some((line) => line.includes('"')) ? [] : [[name, index]]));
		assert.equal(rows.length, lines.length, table);
		for (const [number, line] of lines.entries())
			for (const [name, index] of plain) {
				const cell = rows[number][name], said = line.split(',')[index];
				if (name in rows[number] && (cell === null || ['number', 'bigint', 'string'].includes(typeof cell)))
					assert.equal(cell === null ? '' : String(cell), said.startsWith('0x') ? String(BigInt(said)) : said, `${table} ${number} ${name}`);
			}
		await recording.close();
	}
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
