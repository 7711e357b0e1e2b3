// SPDX-License-Identifier: MIT
// A dedicated worker that converts for a page. It reads slices of Blobs, which only workers can do synchronously.
// Messages in: { id, call: 'start', wasm }, { id, call: 'convert', source, format, options, flow }, { id, call: 'open', source, options },
// { id, call: 'push', bytes }, { id, call: 'next' | 'rows' | 'end' | 'close' }. A worker has one reading at a time.
// Messages out: { id, result }, { id, error: { name, message, status } }, { id, progress: [done, total] }, { id, finding }, { id, output, name | bytes }.
import { bytesOf, copyOf, memorySource, wait_for_room } from './common.js';
import { start } from './engine.js';

let engine, reading, answered;   // answered: the current message

function sourceOf(source) {
	if (!(source instanceof Blob))
		return memorySource(bytesOf(source));
	const reader = new FileReaderSync();
	// reads larger pieces than C asks for: each read takes a millisecond, whatever its size
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

const say = (message, transfer = []) => postMessage({ id: answered, ...message }, transfer);

/** Functions that C calls while it works: they send messages. */
function hooks() {
	let said = 0;
	return {
		onFinding: (finding) => say({ finding }),
		onProgress(done, total) {
			const now = Date.now();
			if (now - said > 50) {
				said = now;
				say({ progress: [done, total] });
			}
		},
	};
}

const bundleOf = (symbols) => (symbols instanceof Blob ? new Uint8Array(new FileReaderSync().readAsArrayBuffer(symbols)) : symbols);

const calls = {
	async start({ wasm }) {
		engine = await start(wasm);
		return { version: engine.version, formats: engine.formats, findings: engine.findings(), schema: engine.schema() };
	},
	convert({ source, format, options, flow }) {
		let outputs = 1;
		const result = engine.convert(sourceOf(source), format, { ...options, symbols: bundleOf(options.symbols), ...hooks() }, {
			open(name) { say({ output: outputs, name }); return outputs++; },
			write(output, written) {
				const bytes = copyOf(written);
				wait_for_room(flow, bytes.length);
				say({ output, bytes }, [bytes.buffer]);
			},
		});
		return { ...result, heap: engine.heapSize() };
	},
	open({ source, options }) {
		reading?.close();
		reading = engine.records(source && sourceOf(source), { ...options, symbols: bundleOf(options.symbols), ...hooks() });
	},
	next: () => reading.next(),
	rows: () => reading.nextRows(),
	push: ({ bytes }) => { reading.push(bytes); },
	end: () => { reading.end(); },
	close() {
		reading?.close();
		reading = null;
	},
};

addEventListener('message', async ({ data }) => {
	answered = data.id;
	try {
		say({ result: await calls[data.call](data) });
	} catch (error) {
		say({ error: { name: error.name, message: error.message, status: error.status } });
	}
});
