// SPDX-License-Identifier: MIT
// The package in node. convert runs in the calling thread, convertTo in another thread (thread.js), which waits for the sink.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import { bytesOf, check_signal, concat, copyOf, FLOW, memorySource, note_written, PerfdataError, stopped } from './common.js';
import { start } from './engine.js';
import { pathSource } from './files.js';
import { recordOptions, recordsOf, tableOf, tableOptions } from './lines.js';

export { PerfdataError };
const wasm = readFileSync(new URL('./perfdata.wasm', import.meta.url));
let shared;
const engineOf = () => (shared ??= start(wasm));
const first = await engineOf();
export const formats = first.formats;
export const version = first.version;
export const findings = first.findings();
export const schema = first.schema();

/** A source that can be read at offsets, and a function that closes it. */
async function open_source(source) {
	if (typeof source === 'string' || source instanceof URL)
		return pathSource(source);
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
	const sink = { open: (name) => outputs.push({ name, parts: [] }) - 1, write: (number, bytes) => outputs[number].parts.push(copyOf(bytes)) };
	const result = await run(source, format, options, sink);
	const bytes = concat(outputs[0].parts);
	return {
		...result, bytes, text: () => new TextDecoder().decode(bytes),
		files: Object.fromEntries(outputs.slice(1).map((output) => [output.name, concat(output.parts)])),
	};
}

/** The source for a thread: a path, bytes, or null, so that the thread asks for pieces. */
async function sourceForThread(source) {
	if (typeof source === 'string')
		return source;
	if (source instanceof URL)
		return fileURLToPath(source);
	const bytes = bytesOf(source) ?? (typeof source?.arrayBuffer === 'function' ? new Uint8Array(await source.arrayBuffer()) : null);
	if (!bytes && typeof source?.[Symbol.asyncIterator] !== 'function')
		throw new TypeError('a recording is bytes, a Blob, a path or an async iterable of bytes');
	return bytes;
}

/** Converts in a thread while pieces are written to the sink. At most FLOW.room bytes wait for a slow sink. */
export async function convertTo(source, format, sink, options = {}) {
	const { signal, onProgress, onFinding, symbols, ...rest } = options;
	const writer = sink.getWriter(), flow = new Int32Array(new SharedArrayBuffer(4 * FLOW.length)), { port1, port2 } = new MessageChannel();
	let thread, iterator, written = Promise.resolve(), cancel, is_answered = false;
	try {
		check_signal(signal);
		const given = await sourceForThread(source);
		iterator = given === null ? source[Symbol.asyncIterator]() : null;
		const result = await new Promise((resolve, reject) => {
			cancel = () => reject(stopped('stopped on request'));
			signal?.addEventListener('abort', cancel, { once: true });
			const push = async () => {
				const { done, value } = await iterator.next();
				port1.postMessage(done ? null : Uint8Array.from(bytesOf(value)));
				Atomics.store(flow, FLOW.pieces, 1);
				Atomics.notify(flow, FLOW.pieces);
			};
			const write = async (bytes) => {
				const { length } = bytes;
				await writer.write(bytes);
				note_written(flow, length);
			};
			whole(symbols).then((bundle) => {
				thread = new Worker(new URL('./thread.js', import.meta.url), { workerData: { wasm, source: given, format, options: { ...rest, symbols: bundle }, flow, pieces: port2 }, transferList: [port2] });
				thread.on('error', reject);
				thread.on('exit', () => { if (!is_answered) reject(new PerfdataError(-1, 'the thread ended')); });
				thread.on('message', (message) => {
					if (message.bytes)
						(written = written.then(() => write(message.bytes))).catch(reject);
					else if (message.wants)
						push().catch(reject);
					else if (message.finding)
						onFinding?.(message.finding);
					else if (message.progress)
						onProgress?.(...message.progress);
					else if (message.error)
						reject(Object.assign(new PerfdataError(message.error.status, message.error.message), { name: message.error.name }));
					else {
						is_answered = true;
						written.then(() => resolve(message.result), reject);
					}
				});
			}).catch(reject);
		});
		await writer.close();
		return result;
	} catch (error) {
		await writer.abort(error).catch(() => {});
		throw error;
	} finally {
		signal?.removeEventListener('abort', cancel);
		await thread?.terminate();
		port1.close();
		// not awaited: a generator that waits for a piece ends only after this piece
		Promise.resolve(iterator?.return?.()).catch(() => {});
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
		return {
			records: (wanted) => pushedRecords(engine, source, recordOptions(wanted, options)),
			async table(name, wanted) { return pushedTable(engine, source, { ...tableOptions(name, wanted, options), symbols: await whole(options.symbols) }); },
			async close() {},
		};
	const opened = await open_source(source);
	return {
		records(wanted) {
			const reading = engine.records(opened, recordOptions(wanted, options));
			return recordsOf(async () => reading.next(), async () => reading.close());
		},
		async table(name, wanted) {
			const reading = engine.records(opened, { ...tableOptions(name, wanted, options), symbols: await whole(options.symbols) });
			return tableOf(async () => reading.nextRows(), async () => reading.close());
		},
		async close() { opened.close(); },
	};
}

/** next() returns what is ready; if is_waiting(it), nothing is, and a piece is pushed. */
function pulled(reading, source, next, is_waiting) {
	const bytes = source[Symbol.asyncIterator]();
	let ended = false;
	return [async () => {
		for (;;) {
			const found = next();
			if (!is_waiting(found) || ended)
				return found;
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
	}];
}

function pushedRecords(engine, source, options) {
	const reading = engine.records(null, options);
	return recordsOf(...pulled(reading, source, () => reading.next(), (text) => text === ''));
}

function pushedTable(engine, source, options) {
	const reading = engine.records(null, options);
	return tableOf(...pulled(reading, source, () => reading.nextRows(), (pieces) => pieces?.length === 0));
}
