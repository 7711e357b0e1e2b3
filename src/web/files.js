// SPDX-License-Identifier: MIT
// Sources for files, in node and its threads.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** A source for the bytes of a file. */
export function pathSource(path) {
	const fd = openSync(path);
	return { name: String(path), length: fstatSync(fd).size, readAt: (offset, room) => readSync(fd, room, 0, room.length, offset), close: () => closeSync(fd) };
}
