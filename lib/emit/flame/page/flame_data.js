"use strict";
/* The data of the file: names, functions, a tree of nodes, and rows with the weights of nodes. */

/* Decodes numbers with 7 bits in each byte, lowest first. */
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

/* C0 and C1 controls, and characters that change the direction of text, are shown as escapes. */
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

function readColumn(numbers, column) {
	for (let i = 0; i < column.length; i++)
		column[i] = numbers.next();
	return column;
}

/* Rows of an event on one side (0: the recording, 1: its base). Rows of a group have equal thread, name, CPU (0: unknown, else its
 * number + 1) and bin of time; group g has the rows first[g] to first[g + 1] - 1. */
function readRows(numbers) {
	const nrGroups = numbers.next(), nr = numbers.next();
	const groups = { nr: nrGroups, first: new Int32Array(nrGroups + 1) };
	for (const name of ["thread", "comm", "cpu", "bin"])
		groups[name] = readColumn(numbers, new Int32Array(nrGroups));
	for (let g = 0; g < nrGroups; g++)
		groups.first[g + 1] = groups.first[g] + numbers.next();
	const rows = { nr, groups, node: new Int32Array(nr) };
	for (let g = 0; g < nrGroups; g++) {
		let node = 0;
		for (let i = groups.first[g]; i < groups.first[g + 1]; i++)
			rows.node[i] = node += numbers.next();
	}
	rows.samples = readColumn(numbers, new Float64Array(nr));
	rows.weight = readColumn(numbers, new Float64Array(nr));
	return rows;
}

/* -1 means unknown. */
function readThreads(numbers) {
	const nr = numbers.next(), threads = { nr };
	for (const name of ["pid", "tid", "comm"])
		threads[name] = readColumn(numbers, new Int32Array(nr));
	for (let i = 0; i < nr; i++) {
		threads.pid[i]--;
		threads.tid[i]--;
	}
	return threads;
}

/* Changes that diff found: for each event a map from functions to changes, without "noise", "same" and so on. */
function readChanges(given, meta) {
	return meta.events.map(event => new Map((given[event.name] || []).map(([func, own, ownDelta, all, allDelta, p]) =>
		[func, { own, ownDelta, all, allDelta, p }])));
}

const BEYOND_NOISE = ["regressed", "improved", "moved", "allowed"];

/* Joins the rows of two events. */
function joinRows(a, b) {
	const joined = { nr: a.nr + b.nr, groups: { nr: a.groups.nr + b.groups.nr, first: new Int32Array(a.groups.nr + b.groups.nr + 1) } };
	joined.groups.first.set(a.groups.first);
	joined.groups.first.set(b.groups.first.map(first => first + a.nr), a.groups.nr);
	for (const name of ["thread", "comm", "cpu", "bin"]) {
		joined.groups[name] = new Int32Array(joined.groups.nr);
		joined.groups[name].set(a.groups[name]);
		joined.groups[name].set(b.groups[name], a.groups.nr);
	}
	for (const name of ["node", "samples", "weight"]) {
		joined[name] = new a[name].constructor(joined.nr);
		joined[name].set(a[name]);
		joined[name].set(b[name], a.nr);
	}
	return joined;
}

/* The rows whose nodes pass a test. */
function chooseRows(rows, test) {
	const { groups } = rows, chosen = { nr: 0, groups: { ...groups, first: new Int32Array(groups.nr + 1) }, node: [], samples: [], weight: [] };
	for (let g = 0; g < groups.nr; g++) {
		for (let i = groups.first[g]; i < groups.first[g + 1]; i++)
			if (test(rows.node[i]))
				for (const name of ["node", "samples", "weight"])
					chosen[name].push(rows[name][i]);
		chosen.groups.first[g + 1] = chosen.node.length;
	}
	chosen.nr = chosen.node.length;
	chosen.node = Int32Array.from(chosen.node);
	for (const name of ["samples", "weight"])
		chosen[name] = Float64Array.from(chosen[name]);
	return chosen;
}

function sumOf(column) {
	return column.reduce((sum, value) => sum + value, 0);
}

function addEvent(meta, rows, event, its) {
	meta.events.push({ ...event, samples: sumOf(its.samples), weight: sumOf(its.weight) });
	rows.push([its, null]);
	return meta.events.length - 1;
}

/* Moves intervals between switches, which are among the samples of an event and end with the thread's state, to new events: time off
 * the CPU and, if no clock was sampled, time on the CPU. Other samples of the event stay. */
function takeWaits(meta, rows, nodes, funcs, names) {
	const at = meta.events.findIndex(event => event.waits);
	if (at < 0)
		return;
	const all = rows[at][0], { name } = meta.events[at], isState = node => funcs.kind[nodes.func[node]] === KIND_OFF;
	const isRunning = node => isState(node) && names[funcs.name[nodes.func[node]]] === "[running]";
	const own = chooseRows(all, node => !isState(node)), off = chooseRows(all, node => isState(node) && !isRunning(node)), on = chooseRows(all, isRunning);
	meta.events[at] = { ...meta.events[at], samples: sumOf(own.samples), weight: sumOf(own.weight) };
	rows[at] = [own, null];
	const beside = addEvent(meta, rows, { name, unit: "ns", off: true }, off);
	if (on.nr)
		addEvent(meta, rows, { name: `wall: ${name}`, unit: "ns", wall: true, beside }, joinRows(on, off));
	/* context switches are the first event only if a clock was sampled too */
	if (at === 0 && meta.events[at].unit !== "ns")
		meta.start = beside;
}

/* Adds an event for time on and off the CPU together, if both were recorded. */
function addWall(meta, rows) {
	const off = meta.events.findIndex(event => event.off), on = meta.events.findIndex(event => !event.off && event.unit === "ns" && !event.wall);
	if (off < 0 || on < 0 || meta.events[off].unit !== "ns" || meta.events.some(event => event.wall))
		return;
	const of = [meta.events[on], meta.events[off]];
	meta.events.push({ name: `wall: ${of[0].name} and ${of[1].name}`, unit: "ns", wall: true, beside: off, samples: of[0].samples + of[1].samples,
		weight: of[0].weight + of[1].weight });
	rows.push([0, 1].map(side => rows[on][side] && joinRows(rows[on][side], rows[off][side])));
}

/* The time of threads in states: for each thread its cells in order of time, with state and duration. */
function readStates(numbers) {
	const byThread = new Map();
	let thread = 0, cell = 0;
	for (let left = numbers.next(); left > 0; left--) {
		const step = numbers.next();
		thread += step;
		cell = (step ? 0 : cell) + numbers.next();
		const state = numbers.next(), time = numbers.next();
		if (!byThread.has(thread))
			byThread.set(thread, []);
		byThread.get(thread).push({ cell, state, time });
	}
	return byThread;
}

function decode(bytes) {
	const numbers = new Numbers(bytes), utf8 = new TextDecoder();
	const meta = JSON.parse(utf8.decode(numbers.part(numbers.next())));
	const names = utf8.decode(numbers.part(numbers.next())).split("\0").map(visible);
	const nrFuncs = numbers.next();
	const funcs = { nr: nrFuncs, name: new Int32Array(nrFuncs), file: new Int32Array(nrFuncs), kind: new Uint8Array(nrFuncs),
		source: new Int32Array(nrFuncs), line: new Int32Array(nrFuncs) };
	for (const column of [funcs.name, funcs.file, funcs.kind, funcs.source, funcs.line])
		readColumn(numbers, column);
	const threads = readThreads(numbers);
	const nodes = readNodes(numbers, numbers.next());
	const rows = meta.events.map(() => [readRows(numbers), meta.base === null ? null : readRows(numbers)]);
	const changes = meta.base === null ? null : readChanges(JSON.parse(utf8.decode(numbers.part(numbers.next()))), meta);
	const states = meta.states ? readStates(numbers) : new Map();
	takeWaits(meta, rows, nodes, funcs, names);
	addWall(meta, rows);
	return { meta, names, funcs, threads, nodes, rows, changes, states };
}
