// SPDX-License-Identifier: MIT
// A dedicated worker that converts for a page: Blobs are read by slices, which only workers can do without waiting.
// Messages in: { call: 'start', wasm }, { id, call: 'convert', source, format, options }, { id, call: 'open' | 'next' | 'push' | 'end' | 'close' }.
// Messages out: { id, result }, { id, error: { name, message, status } }, { id, progress: [done, total] }, { id, finding }, { id, output, name | bytes }.
import { bytesOf, memorySource, start } from './engine.js';

let engine;
const readings = new Map();

function sourceOf(source) {
	if (!(source instanceof Blob))
		return memorySource(bytesOf(source));
	const reader = new FileReaderSync();
	// A piece is larger than what C asks for: reading in a worker costs a millisecond whatever the size is.
	const piece = 4 << 20;
	let kept = new Uint8Array(0), from = 0;
	return {
		name: source.name,
		length: source.size,
		readAt(offset, room) {
			let done = 0;
			while (done < room.length && offset + done < source.size) {
				const at = offset + done;
				if (at < from || at >= from + kept.length) {
					from = at;
					kept = new Uint8Array(reader.readAsArrayBuffer(source.slice(at, at + piece)));
				}
				const part = kept.subarray(at - from, at - from + room.length - done);
				room.set(part, done);
				done += part.length;
			}
			return done;
		},
	};
}

const calls = {
	async start({ wasm }) {
		engine = await start(wasm);
		return { version: engine.version, formats: engine.formats, findings: engine.findings(), schema: engine.schema() };
	},
	convert({ id, source, format, options }) {
		let outputs = 1, told = 0;
		const symbols = options.symbols instanceof Blob ? new Uint8Array(new FileReaderSync().readAsArrayBuffer(options.symbols)) : options.symbols;
		const result = engine.convert(sourceOf(source), format, {
			...options, symbols,
			onFinding: (finding) => postMessage({ id, finding }),
			onProgress(done, total) {
				if (Date.now() - told > 50)
					postMessage({ id, progress: [done, total] });
				told = Date.now() - told > 50 ? Date.now() : told;
			},
		}, {
			open(name) { postMessage({ id, output: outputs, name }); return outputs++; },
			write: (output, bytes) => postMessage({ id, output, bytes }, [bytes.buffer]),
		});
		return { ...result, heap: engine.heapSize() };
	},
	open({ id, source, options }) {
		readings.set(id, engine.records(source && sourceOf(source), options));
	},
	next: ({ reading }) => readings.get(reading).next(),
	push: ({ reading, bytes }) => readings.get(reading).push(bytes),
	end: ({ reading }) => { readings.get(reading).end(); },
	close({ reading }) {
		readings.get(reading)?.close();
		readings.delete(reading);
	},
};

addEventListener('message', async ({ data }) => {
	try {
		postMessage({ id: data.id, result: await calls[data.call](data) });
	} catch (error) {
		postMessage({ id: data.id, error: { name: error.name, message: error.message, status: error.status } });
	}
});
