// SPDX-License-Identifier: MIT
// For both sides of a worker, and for node: errors, bytes in memory.

export const STATUS = { OK: 0, END: 1, AGAIN: 4, CANCELLED: -8 };

/** Memory that two threads share: number and limit of bytes that the sink has not taken; whether a piece was pushed. */
export const FLOW = { unwritten: 0, pieces: 1, length: 2, room: 4 << 20 };

/** Waits until there is room, and counts `length` more bytes. Without shared memory (flow: null) it does not wait. */
export function wait_for_room(flow, length) {
	for (let waiting; flow && (waiting = Atomics.load(flow, FLOW.unwritten)) >= FLOW.room;)
		Atomics.wait(flow, FLOW.unwritten, waiting);
	if (flow)
		Atomics.add(flow, FLOW.unwritten, length);
}

/** Counts `length` bytes that the sink has taken, and wakes a thread that waits for room. */
export function note_written(flow, length) {
	if (!flow)
		return;
	Atomics.sub(flow, FLOW.unwritten, length);
	Atomics.notify(flow, FLOW.unwritten);
}

export class PerfdataError extends Error {
	constructor(status, message) {
		super(message);
		this.name = status === STATUS.CANCELLED ? 'AbortError' : 'PerfdataError';
		this.status = status;
	}
}

/** A source for bytes in memory. */
export function memorySource(bytes) {
	return {
		length: bytes.length,
		readAt(offset, room) {
			const part = bytes.subarray(offset, offset + room.length);
			room.set(part);
			return part.length;
		},
	};
}

export function bytesOf(source) {
	return source instanceof Uint8Array ? source : ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
		: source instanceof ArrayBuffer ? new Uint8Array(source) : null;
}

/** The same bytes in memory of their own. Unlike a slice of the array, that of its buffer is not zeroed first. */
export const copyOf = (bytes) => new Uint8Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));

export function concat(parts) {
	const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}

export const stopped = (message) => new PerfdataError(STATUS.CANCELLED, message);

/** Throws if the caller cancelled the conversion. */
export function check_signal(signal) {
	if (signal?.aborted)
		throw stopped('stopped on request');
}
