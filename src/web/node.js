// SPDX-License-Identifier: MIT
// The package in node. A conversion runs in the thread that asks for it; use node:worker_threads for long ones.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { bytesOf, check_signal, concat, memorySource, PerfdataError } from './common.js';
import { start } from './engine.js';
import { recordOptions, recordsOf } from './lines.js';

export { PerfdataError };
const wasm = readFileSync(new URL('./perfdata.wasm', import.meta.url));
let shared;
const engineOf = () => (shared ??= start(wasm));
const first = await engineOf();
export const formats = first.formats;
export const version = first.version;
export const findings = first.findings();
export const schema = first.schema();

/** What can be read at offsets, and how it is closed. */
async function open_source(source) {
	if (typeof source === 'string' || source instanceof URL) {
		const fd = openSync(source);
		return { name: String(source), length: fstatSync(fd).size, readAt: (offset, room) => readSync(fd, room, 0, room.length, offset), close: () => closeSync(fd) };
	}
	let bytes = bytesOf(source);
	if (!bytes && typeof source?.arrayBuffer === 'function')
		bytes = new Uint8Array(await source.arrayBuffer());
	if (!bytes && typeof source?.[Symbol.asyncIterator] === 'function') {
		const parts = [];
		for await (const part of source)
			parts.push(bytesOf(part));
		bytes = concat(parts);
	}
	if (!bytes)
		throw new TypeError('a recording is bytes, a Blob, a path or an async iterable of bytes');
	return { ...memorySource(bytes), close() {} };
}

async function whole(source) {
	if (!source)
		return source;
	if (typeof source === 'string' || source instanceof URL)
		return readFileSync(source);
	return bytesOf(source) ?? new Uint8Array(await source.arrayBuffer());
}

export async function convert(source, format, options = {}) {
	const outputs = [{ name: '', parts: [] }];
	const sink = { open: (name) => outputs.push({ name, parts: [] }) - 1, write: (number, bytes) => outputs[number].parts.push(bytes) };
	const result = await run(source, format, options, sink);
	const bytes = concat(outputs[0].parts);
	return {
		...result, bytes, text: () => new TextDecoder().decode(bytes),
		files: Object.fromEntries(outputs.slice(1).map((output) => [output.name, concat(output.parts)])),
	};
}

/** A conversion is one call of C, which cannot wait for the sink: all pieces stay in memory until it is complete. */
export async function convertTo(source, format, sink, options = {}) {
	const writer = sink.getWriter();
	const parts = [];
	try {
		const result = await run(source, format, options, {
			open() { throw new PerfdataError(-4, 'this format has several outputs: use convert'); },
			write: (number, bytes) => parts.push(bytes),
		});
		for (const part of parts)
			await writer.write(part);
		await writer.close();
		return result;
	} catch (error) {
		await writer.abort(error);
		throw error;
	}
}

async function run(source, format, options, sink) {
	const opened = await open_source(source);
	try {
		check_signal(options.signal);
		const engine = await engineOf();
		return engine.convert(opened, format, { ...options, symbols: await whole(options.symbols) }, sink);
	} finally {
		opened.close();
	}
}

export async function open(source, options = {}) {
	const engine = await engineOf();
	const pushed = typeof source?.[Symbol.asyncIterator] === 'function' && !bytesOf(source);
	if (pushed)
		return { records: (wanted) => pushedRecords(engine, source, recordOptions(wanted, options)), async close() {} };
	const opened = await open_source(source);
	return {
		records(wanted) {
			const reading = engine.records(opened, recordOptions(wanted, options));
			return recordsOf(async () => reading.next(), async () => reading.close());
		},
		async table(name, settings) {
			const { files, bytes } = await convert(source, 'parquet', { ...options, settings: { ...settings, table: name } });
			return files[name] ?? bytes;
		},
		async close() { opened.close(); },
	};
}

function pushedRecords(engine, source, options) {
	const reading = engine.records(null, options), bytes = source[Symbol.asyncIterator]();
	let ended = false;
	return recordsOf(async () => {
		for (;;) {
			const text = reading.next();
			if (text !== '' || ended)
				return text;
			const piece = await bytes.next();
			ended = !!piece.done;
			if (ended)
				reading.end();
			else
				reading.push(bytesOf(piece.value));
		}
	}, async () => {
		reading.close();
		await bytes.return?.();
	});
}
