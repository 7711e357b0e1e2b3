// SPDX-License-Identifier: MIT
// A thread of node that runs one conversion for convertTo. Calls of C are synchronous, so this thread waits: for room if the sink is slow,
// and for pieces of the recording if they are pushed. Started with workerData { wasm, source, format, options, flow, pieces }.
// Messages out: { bytes }, { wants: true } (a piece; it comes by the port `pieces`), { finding }, { progress }, { result }, { error }.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { copyOf, FLOW, memorySource, PerfdataError, wait_for_room } from './common.js';
import { start } from './engine.js';
import { pathSource } from './files.js';

const { wasm, source, format, options, flow, pieces } = workerData;

/** A source for pushed bytes: length is -1, offsets are ignored. */
function pushedSource() {
	let piece = new Uint8Array(0), ended = false;
	return {
		length: -1,
		readAt(offset, room) {
			while (!piece.length && !ended) {
				parentPort.postMessage({ wants: true });
				Atomics.wait(flow, FLOW.pieces, 0);
				Atomics.store(flow, FLOW.pieces, 0);
				const { message } = receiveMessageOnPort(pieces);
				ended = message === null;
				piece = message ?? piece;
			}
			if (ended)
				return 0;
			const part = piece.subarray(0, room.length);
			room.set(part);
			piece = piece.subarray(part.length);
			return part.length;
		},
	};
}

try {
	const engine = await start(wasm);
	const opened = source === null ? pushedSource() : typeof source === 'string' ? pathSource(source) : memorySource(source);
	const result = engine.convert(opened, format, {
		...options,
		onFinding: (finding) => parentPort.postMessage({ finding }),
		onProgress: (done, total) => parentPort.postMessage({ progress: [done, total] }),
	}, {
		open() { throw new PerfdataError(-4, 'this format has several outputs: use convert'); },
		write(number, written) {
			const bytes = copyOf(written);
			wait_for_room(flow, bytes.length);
			parentPort.postMessage({ bytes }, [bytes.buffer]);
		},
	});
	opened.close?.();
	parentPort.postMessage({ result });
} catch ({ name, message, status }) {
	parentPort.postMessage({ error: { name, message, status } });
}
