"use strict";
/* What the file holds: names once, functions, a tree of nodes, and rows that say how much lies on which node. */

/* Numbers of 7 bits a byte, lowest first. */
class Numbers {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}
	next() {
		const bytes = this.bytes;
		let byte = bytes[this.at++];
		if (byte < 128)
			return byte;
		let value = byte & 127, scale = 128;
		do {
			byte = bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte >= 128);
		return value;
	}
	part(size) {
		this.at += size;
		return this.bytes.subarray(this.at - size, this.at);
	}
}

async function inflate(base64) {
	if (typeof DecompressionStream === "undefined")
		throw new Error("this browser is too old to unpack the page's data (it has no DecompressionStream)");
	const text = atob(base64), packed = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++)
		packed[i] = text.charCodeAt(i);
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* C0 and C1 controls and those that turn the direction of text are shown as what they are. */
function visible(text) {
	return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function readNodes(numbers, nr) {
	const data = { nr, parent: new Int32Array(nr), func: new Int32Array(nr) };
	for (let i = 0; i < nr; i++)
		data.parent[i] = i - numbers.next();
	for (let i = 0; i < nr; i++)
		data.func[i] = numbers.next();
	return data;
}

/* Rows of one side (0: the recording, 1: its base) of one event. */
function readRows(numbers) {
	const nr = numbers.next();
	const rows = { nr, thread: new Int32Array(nr), node: new Int32Array(nr), bin: new Int32Array(nr), samples: new Float64Array(nr),
		weight: new Float64Array(nr) };
	let at = 0;
	while (at < nr) {
		const thread = numbers.next(), bin = numbers.next();
		let node = 0;
		for (let left = numbers.next(); left > 0; left--, at++) {
			rows.thread[at] = thread;
			rows.bin[at] = bin;
			rows.node[at] = node += numbers.next();
			rows.samples[at] = numbers.next();
			rows.weight[at] = numbers.next();
		}
	}
	return rows;
}

function decode(bytes) {
	const numbers = new Numbers(bytes), utf8 = new TextDecoder();
	const meta = JSON.parse(utf8.decode(numbers.part(numbers.next())));
	const names = utf8.decode(numbers.part(numbers.next())).split("\0").map(visible);
	const nrFuncs = numbers.next();
	const funcs = { nr: nrFuncs, name: new Int32Array(nrFuncs), file: new Int32Array(nrFuncs), kind: new Uint8Array(nrFuncs),
		source: new Int32Array(nrFuncs), line: new Int32Array(nrFuncs) };
	for (const column of [funcs.name, funcs.file, funcs.kind, funcs.source, funcs.line])
		for (let i = 0; i < nrFuncs; i++)
			column[i] = numbers.next();
	const nodes = readNodes(numbers, numbers.next());
	const rows = meta.events.map(() => [readRows(numbers), meta.base === null ? null : readRows(numbers)]);
	return { meta, names, funcs, nodes, rows };
}
