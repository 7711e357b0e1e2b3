// SPDX-License-Identifier: MIT
// Joins data segments of a module with few zeros between them. wasm-opt cuts at every ten zeros, and the places of 2500 segments hardly
// pack, as zeros do: the file grows, its packed form shrinks.
//     node src/web/merge_segments.js MODULE ZEROS
import { readFileSync, writeFileSync } from 'node:fs';

const DATA = 11, I32_CONST = 0x41, END = 0x0b;
const [path, zeros] = process.argv.slice(2);

/** A LEB128 number at an offset, and the offset after it. */
function read_leb(bytes, at, is_signed) {
	let value = 0, shift = 0, byte;
	do {
		byte = bytes[at++];
		value += (byte & 0x7f) * 2 ** shift;
		shift += 7;
	} while (byte & 0x80);
	return [is_signed && byte & 0x40 ? value - 2 ** shift : value, at];
}

function leb_of(value, is_signed) {
	const bytes = [];
	for (;;) {
		const byte = value & 0x7f;
		value = Math.floor(value / 128);
		if (value === 0 && !(is_signed && byte & 0x40))
			return Buffer.from([...bytes, byte]);
		bytes.push(byte | 0x80);
	}
}

/** The segments of a data section, in the order of their places: { at, bytes }. */
function segments_of(section) {
	const segments = [];
	let [count, offset] = read_leb(section, 0);
	for (; count > 0; count--) {
		if (section[offset] !== 0 || section[offset + 1] !== I32_CONST)
			throw new Error(`${path}: a segment without a constant place in memory`);
		const [at, end] = read_leb(section, offset + 2, true);
		const [size, start] = read_leb(section, end + 1);
		if (at < 0 || section[end] !== END)
			throw new Error(`${path}: a segment without a constant place in memory`);
		segments.push({ at, bytes: section.subarray(start, start + size) });
		offset = start + size;
	}
	return segments.sort((a, b) => a.at - b.at);
}

function merged(segments) {
	const joined = [];
	for (const { at, bytes } of segments) {
		const last = joined.at(-1), gap = last ? at - last.end : Infinity;
		if (gap <= zeros) {
			last.parts.push(Buffer.alloc(gap), bytes);
			last.end = at + bytes.length;
		} else {
			joined.push({ at, end: at + bytes.length, parts: [bytes] });
		}
	}
	return joined;
}

function section_of(segments) {
	const parts = segments.map(({ at, end, parts }) => [Buffer.from([0, I32_CONST]), leb_of(at, true), Buffer.from([END]), leb_of(end - at), ...parts]);
	return Buffer.concat([leb_of(segments.length), ...parts.flat()]);
}

const module = readFileSync(path), written = [module.subarray(0, 8)];
for (let offset = 8; offset < module.length;) {
	const [size, start] = read_leb(module, offset + 1), section = module.subarray(start, start + size);
	const content = module[offset] === DATA ? section_of(merged(segments_of(section))) : section;
	written.push(module.subarray(offset, offset + 1), leb_of(content.length), content);
	offset = start + size;
}
writeFileSync(path, Buffer.concat(written));
