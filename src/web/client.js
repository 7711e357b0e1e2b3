// SPDX-License-Identifier: MIT
// The page's side of worker.js: calls become messages. Cancelling ends the worker, which receives no messages while C works.
import { bytesOf, check_signal, concat, FLOW, note_written, PerfdataError, stopped } from './common.js';
import { recordOptions, recordsOf, tableOf, tableOptions } from './lines.js';

/** A worker whose answers are Promises. */
function connectionOf(worker, wasm) {
	const waiting = new Map();
	let numbers = 0, failure = null;

	function end(error) {
		failure ??= error;
		worker.terminate();
		for (const one of waiting.values())
			one.reject(failure);
		waiting.clear();
	}

	function send(message, hooks = {}) {
		if (failure)
			return Promise.reject(failure);
		const id = ++numbers;
		return new Promise((resolve, reject) => {
			waiting.set(id, { resolve, reject, ...hooks });
			worker.postMessage({ id, ...message });
		});
	}

	worker.addEventListener('message', ({ data }) => {
		const one = waiting.get(data.id);
		if (!one)
			return;
		if (data.progress)
			return one.onProgress?.(data.progress[0], data.progress[1]);
		if (data.finding)
			return one.onFinding?.(data.finding);
		if (data.output !== undefined)
			return one.onOutput?.(data.output, data.name, data.bytes);
		waiting.delete(data.id);
		if (!data.error)
			return one.resolve(data.result);
		const { name, message, status } = data.error;
		one.reject(Object.assign(new PerfdataError(status, message), { name }));
		// after a trap the module's memory is unusable
		if (name === 'RuntimeError' || name === 'RangeError')
			end(new PerfdataError(-1, message));
	});
	worker.addEventListener('error', (event) => end(new PerfdataError(-1, event.message || 'the worker ended')));
	const started = Promise.resolve(wasm).then((bytes) => send({ call: 'start', wasm: bytes }));
	started.catch(end);
	return { send, end, started, ended: () => failure !== null };
}

async function plain(source) {
	if (source instanceof Blob || bytesOf(source))
		return source;
	if (typeof source?.[Symbol.asyncIterator] !== 'function')
		throw new TypeError('a recording is bytes, a Blob or an async iterable of bytes');
	const parts = [];
	for await (const part of source)
		parts.push(bytesOf(part));
	return new Blob(parts);
}

/** newWorker() starts a worker; wasm: bytes of the module, or a Promise of them. */
export function clientOf(newWorker, wasm) {
	let converting = null, turn = Promise.resolve();
	const reading = new Set();

	/** The worker for conversions, one after the other; each reading of records has another worker. */
	const converter = () => (converting = converting && !converting.ended() ? converting : connectionOf(newWorker(), wasm));

	async function convert_in_turn(message, signal, hooks) {
		check_signal(signal);
		const connection = converter();
		const cancel = () => connection.end(stopped('stopped on request'));
		signal?.addEventListener('abort', cancel, { once: true });
		try {
			await connection.started;
			return await connection.send(message, hooks);
		} finally {
			signal?.removeEventListener('abort', cancel);
		}
	}

	async function run(source, format, options, onOutput, flow) {
		const { signal, onProgress, onFinding, symbols, ...rest } = options;
		check_signal(signal);
		const message = { call: 'convert', format, flow, source: await plain(source), options: { ...rest, symbols: symbols && await plain(symbols) } };
		const result = turn.then(() => convert_in_turn(message, signal, { onProgress, onFinding, onOutput }));
		turn = result.catch(() => {});
		return result;
	}

	/** Reads in a new worker. `use` receives pull() and close() for the answers to `call`; is_waiting(answer): there is nothing yet. */
	async function* read(source, options, call, is_waiting, use) {
		const { signal, onProgress, onFinding, symbols, ...rest } = options;
		const pushed = !(source instanceof Blob) && !bytesOf(source), bytes = pushed ? source[Symbol.asyncIterator]() : null;
		const connection = connectionOf(newWorker(), wasm), hooks = { onProgress, onFinding };
		const cancel = () => connection.end(stopped('stopped on request'));
		let ended = !pushed;
		reading.add(connection);
		signal?.addEventListener('abort', cancel, { once: true });
		try {
			check_signal(signal);
			await connection.started;
			const bundle = rest.table && symbols && await plain(symbols);
			await connection.send({ call: 'open', source: pushed ? null : source, options: { ...rest, symbols: bundle } }, hooks);
			yield* use(async () => {
				for (;;) {
					const found = await connection.send({ call }, hooks);
					if (!is_waiting(found) || ended)
						return found;
					const piece = await bytes.next();
					ended = !!piece.done;
					await connection.send(ended ? { call: 'end' } : { call: 'push', bytes: bytesOf(piece.value) }, hooks);
				}
			}, async () => { await bytes?.return?.(); });
		} finally {
			signal?.removeEventListener('abort', cancel);
			reading.delete(connection);
			connection.end(stopped('closed'));
		}
	}

	const readRecords = (source, options) => read(source, options, 'next', (text) => text === '', recordsOf);

	async function readTable(source, options) {
		const whole = async function* (...way) { yield await tableOf(...way); };
		for await (const bytes of read(source, options, 'rows', (pieces) => pieces?.length === 0, whole))
			return bytes;
	}

	const client = {
		ready: () => converter().started,
		async convert(source, format, options = {}) {
			const outputs = [{ name: '', parts: [] }];
			const result = await run(source, format, options, (number, name, bytes) => {
				outputs[number] ??= { name, parts: [] };
				if (bytes)
					outputs[number].parts.push(bytes);
			});
			const bytes = concat(outputs[0].parts);
			return {
				...result, bytes, text: () => new TextDecoder().decode(bytes),
				files: Object.fromEntries(outputs.slice(1).map((output) => [output.name, concat(output.parts)])),
			};
		},
		async convertTo(source, format, sink, options = {}) {
			const writer = sink.getWriter();
			let failure = null, last = Promise.resolve();
			// only isolated pages have shared memory, which the worker needs to wait
			const flow = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4 * FLOW.length)) : null;
			const write = async (bytes) => {
				const { length } = bytes;
				try {
					await writer.write(bytes);
				} catch (error) {
					failure ??= error;
				}
				note_written(flow, length);
			};
			try {
				const result = await run(source, format, options, (number, name, bytes) => {
					if (number)
						failure ??= new PerfdataError(-4, 'this format has several outputs: use convert');
					else if (bytes)
						last = last.then(() => write(bytes));
				}, flow);
				await last;
				if (failure)
					throw failure;
				await writer.close();
				return result;
			} catch (error) {
				await writer.abort(error).catch(() => {});
				throw error;
			}
		},
		async open(source, options = {}) {
			await client.ready();
			return {
				records: (wanted) => readRecords(source, recordOptions(wanted, options)),
				table: (name, wanted) => readTable(source, tableOptions(name, wanted, options)),
				async close() {},
			};
		},
		/** Ends all workers; a later call starts them again. */
		close() {
			converting?.end(stopped('closed'));
			for (const connection of reading)
				connection.end(stopped('closed'));
		},
	};
	return client;
}
