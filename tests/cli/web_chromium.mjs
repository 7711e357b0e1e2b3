// SPDX-License-Identifier: MIT
// The installed package as a page's module, in Chromium: node web_chromium.mjs, in the folder where it is installed. FILE, RECORDING as in
// web_package.mjs; MODULES has puppeteer-core. What the page gets is compared with what node gets.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { convert, formats } from 'perfdata';

const { FILE, RECORDING, MODULES, CHROMIUM } = process.env;
const puppeteer = createRequire(join(MODULES, 'x.js'))('puppeteer-core');
const TYPES = { js: 'text/javascript', wasm: 'application/wasm', html: 'text/html' };
const served = { '/': '<!DOCTYPE html><script type="importmap">{"imports":{"perfdata":"/node_modules/perfdata/web.js"}}</script>', '/file': readFileSync(FILE), '/stream': readFileSync(RECORDING) };
const server = createServer(({ url }, answer) => {
	try {
		const bytes = served[url] ?? readFileSync(join('.', normalize(url)));
		answer.writeHead(200, { 'content-type': TYPES[url.split('.').pop()] ?? (url === '/' ? TYPES.html : 'application/octet-stream') }).end(bytes);
	} catch {
		answer.writeHead(404).end();
	}
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

/** Runs in the page. */
async function use_package() {
	const { convert, convertTo, findings, formats, open, PerfdataError, schema } = await import('perfdata');
	const [file, stream] = await Promise.all(['/file', '/stream'].map(async (url) => (await fetch(url)).blob())), name = 'x.data', said = {};
	const countOf = async (recording, wanted) => {
		let count = 0;
		for await (const record of recording.records(wanted))
			count += 'offset' in record;
		return count;
	};
	said.formats = formats.map((format) => format.name);
	said.described = findings.length > 10 && !!schema.$schema;
	said.folded = (await convert(file, 'folded', { name, names: false })).text();
	const all = await Promise.all([file, await file.arrayBuffer(), new Uint8Array(await file.arrayBuffer()), file.stream()].map((source) => convert(source, 'ndjson', { name })));
	said.same = all.every((one) => one.text() === all[0].text() && one.complete);
	said.ndjson = all[0].text();
	const parts = [];
	await convertTo(file, 'ndjson', new WritableStream({ write: (part) => { parts.push(part); } }), { name });
	said.written = await new Blob(parts).text() === said.ndjson;
	/* readings and a conversion at the same time */
	const recording = await open(file), streamed = await open(stream.stream());
	const counts = await Promise.all([countOf(recording), countOf(recording, { order: 'time' }), countOf(streamed), countOf(recording), convert(file, 'folded', { names: false }).then(({ text }) => text() === said.folded)]);
	said.counts = counts;
	let seen = 0;
	for await (const record of recording.records({ fields: 'type,time' }))
		if (++seen === 3)
			break;
	said.left = seen;
	said.table = [...(await recording.table('samples')).subarray(0, 4)].join();
	said.files = Object.keys((await convert(file, 'parquet')).files);
	/* failures, and life after them */
	const failureOf = (promise) => promise.then(() => 'none', (error) => `${error instanceof PerfdataError} ${error.name}`);
	const later = new AbortController();
	const pending = Promise.all([failureOf(convert(file, 'ndjson', { signal: later.signal })), convert(file, 'folded', { names: false })]);
	later.abort();
	const [stopped, survivor] = await pending;
	said.failures = [stopped, survivor.text() === said.folded, await failureOf(convert(new Uint8Array(100), 'json')), await failureOf(convert(file, 'no-such-format')),
		await failureOf(convert(file, 'ndjson', { settings: { 'no-such-option': '1' } })), await failureOf(countOf(await open(new Uint8Array(100))))];
	said.after = (await convert(file, 'folded', { names: false })).text() === said.folded;
	return said;
}

const browser = await puppeteer.launch({ executablePath: CHROMIUM, headless: true, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'] });
try {
	const page = await browser.newPage();
	await page.goto(`http://127.0.0.1:${server.address().port}/`);
	const said = await page.evaluate(use_package);
	const ndjson = (await convert(FILE, 'ndjson', { name: 'x.data' })).text();
	const records = ndjson.split('\n').filter(Boolean).filter((line) => 'offset' in JSON.parse(line)).length;
	assert.deepEqual(said.formats, formats.map(({ name }) => name));
	assert.ok(said.described && said.same && said.written);
	assert.equal(said.ndjson, ndjson);
	assert.equal(said.folded, (await convert(FILE, 'folded', { name: 'x.data', names: false })).text());
	assert.deepEqual([said.counts[0], said.counts[1], said.counts[3], said.counts[4]], [records, records, records, true]);
	assert.ok(records > 0);
	assert.ok(said.counts[2] > 0);
	assert.equal(said.left, 3);
	assert.equal(said.table, '255,255,255,255');
	assert.deepEqual(said.files, Object.keys((await convert(FILE, 'parquet')).files));
	assert.deepEqual(said.failures, ['true AbortError', true, 'true PerfdataError', 'true PerfdataError', 'true PerfdataError', 'true PerfdataError']);
	assert.ok(said.after);
} finally {
	await browser.close();
	server.close();
}
