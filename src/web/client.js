// SPDX-License-Identifier: MIT
// The page's side of worker.js: calls become messages. Cancelling ends the worker, since C does not listen to messages while it works.
import { bytesOf, concat, PerfdataError } from './engine.js';
import { recordOptions, recordsOf } from './lines.js';

/** newWorker() starts a worker; wasm: bytes of the module, or a Promise of them. */
export function clientOf(newWorker, wasm) {
	let worker, started, numbers = 0;
	const waiting = new Map();

	function failAll(error) {
		for (const one of waiting.values())
			one.reject(error);
		waiting.clear();
		worker?.terminate();
		worker = started = undefined;
	}

	function send(message, transfer, hooks = {}) {
		const id = ++numbers;
		return new Promise((resolve, reject) => {
			waiting.set(id, { resolve, reject, ...hooks });
			worker.postMessage({ id, ...message }, transfer ?? []);
		});
	}

	function ready() {
		if (started)
			return started;
		worker = newWorker();
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
			if (data.error)
				one.reject(Object.assign(new PerfdataError(data.error.status, data.error.message), { name: data.error.name }));
			else
				one.resolve(data.result);
		});
		worker.addEventListener('error', (event) => failAll(new PerfdataError(-1, event.message || 'the worker ended')));
		return (started = Promise.resolve(wasm).then((bytes) => send({ call: 'start', wasm: bytes })));
	}

	async function plain(source) {
		if (source instanceof Blob || bytesOf(source))
			return source;
		if (typeof source?.[Symbol.asyncIterator] !== 'function' && !(source instanceof ReadableStream))
			throw new TypeError('a recording is bytes, a Blob or an async iterable of bytes');
		const parts = [];
		for await (const part of source)
			parts.push(bytesOf(part));
		return new Blob(parts);
	}

	async function run(source, format, options, onOutput) {
		const { signal, onProgress, onFinding, symbols, ...rest } = options;
		const given = await plain(source);
		signal?.throwIfAborted();
		await ready();
		const cancel = () => failAll(Object.assign(new PerfdataError(-8, 'stopped on request'), { name: 'AbortError' }));
		signal?.addEventListener('abort', cancel, { once: true });
		try {
			return await send({ call: 'convert', source: given, format, options: { ...rest, symbols: symbols && await plain(symbols) } }, [],
				{ onProgress, onFinding, onOutput });
		} finally {
			signal?.removeEventListener('abort', cancel);
		}
	}

	return {
		ready,
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
			try {
				const result = await run(source, format, options, (number, name, bytes) => {
					if (bytes)
						last = last.then(() => writer.write(bytes)).catch((error) => { failure = error; });
				});
				await last;
				if (failure)
					throw failure;
				await writer.close();
				return result;
			} catch (error) {
				await writer.abort(error);
				throw error;
			}
		},
		async open(source, options = {}) {
			await ready();
			const pushed = !(source instanceof Blob) && !bytesOf(source);
			return {
				async *records(wanted) {
					const { signal, onProgress, onFinding, symbols, ...rest } = recordOptions(wanted, options);
					const reading = numbers + 1, bytes = pushed ? source[Symbol.asyncIterator]() : null;
					let ended = !pushed;
					await send({ call: 'open', source: pushed ? null : source, options: rest });
					yield* recordsOf(async () => {
						for (;;) {
							const text = await send({ call: 'next', reading });
							if (text !== '' || ended)
								return text;
							const piece = await bytes.next();
							ended = !!piece.done;
							await send(ended ? { call: 'end', reading } : { call: 'push', reading, bytes: bytesOf(piece.value) });
						}
					}, async () => {
						await send({ call: 'close', reading });
						await bytes?.return?.();
					});
				},
				table: async (name, settings) => {
					const { files, bytes } = await this.convert(source, 'parquet', { ...options, settings: { ...settings, table: name } });
					return files[name] ?? bytes;
				},
				async close() {},
			};
		},
		close: () => failAll(new PerfdataError(-8, 'closed')),
	};
}
