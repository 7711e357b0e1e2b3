/* Trees to look at: each is arrays of func, parent, and of self and total for both sides, parents before their children. */

/* Finds or makes the child of a node that has a function. */
class Growing {
	constructor(room) {
		this.nr = 0;
		this.room = Math.max(room, 16);
		this.func = new Int32Array(this.room);
		this.parent = new Int32Array(this.room);
		this.slots = new Int32Array(64);
	}
	grow() {
		this.room *= 2;
		for (const name of ["func", "parent"]) {
			const wider = new Int32Array(this.room);
			wider.set(this[name]);
			this[name] = wider;
		}
	}
	slot(parent, func) {
		const mask = this.slots.length - 1;
		let at = (Math.imul(parent + 1, 0x9e3779b1) ^ Math.imul(func + 0x7f4a7c15, 0x85ebca6b));
		at = (at ^ at >>> 15) & mask;
		for (; this.slots[at]; at = (at + 1) & mask) {
			const node = this.slots[at] - 1;
			if (this.parent[node] === parent && this.func[node] === func)
				break;
		}
		return at;
	}
	child(parent, func) {
		let at = this.slot(parent, func);
		if (this.slots[at])
			return this.slots[at] - 1;
		if (this.nr * 2 >= this.slots.length) {
			this.slots = new Int32Array(this.slots.length * 4);
			for (let i = 0; i < this.nr; i++)
				this.slots[this.slot(this.parent[i], this.func[i])] = i + 1;
			at = this.slot(parent, func);
		}
		if (this.nr === this.room)
			this.grow();
		this.func[this.nr] = func;
		this.parent[this.nr] = parent;
		this.slots[at] = this.nr + 1;
		return this.nr++;
	}
	tree() {
		return makeTree(this.nr, this.func.subarray(0, this.nr), this.parent.subarray(0, this.nr));
	}
}

function makeTree(nr, func, parent) {
	return { nr, func, parent, self: [new Float64Array(nr), new Float64Array(nr)], total: [new Float64Array(nr), new Float64Array(nr)], all: [0, 0] };
}

/* self → total, and the sum of the roots. */
function addUp(tree) {
	for (const side of [0, 1]) {
		const total = tree.total[side];
		total.set(tree.self[side]);
		tree.all[side] = 0;
		for (let i = tree.nr - 1; i >= 0; i--) {
			if (tree.parent[i] >= 0)
				total[tree.parent[i]] += total[i];
			else
				tree.all[side] += total[i];
		}
	}
	return tree;
}

/* What the choice lets through: calls take(side, row, value). */
function eachRow(data, choice, take) {
	const unit = choice.unit === "s" ? "samples" : "weight";
	for (const side of [0, 1]) {
		const rows = data.rows[choice.event][side];
		if (!rows)
			continue;
		const values = rows[unit];
		/* a base has a time of its own */
		const first = side ? 0 : choice.first, last = side ? Infinity : choice.last;
		for (let i = 0; i < rows.nr; i++)
			if (rows.bin[i] >= first && rows.bin[i] <= last && passes(data, choice, rows.thread[i]))
				take(side, rows, i, values[i]);
	}
}

function passes(data, choice, thread) {
	if (choice.only === "")
		return true;
	const value = +choice.only.slice(1);
	return choice.only[0] === "p" ? data.meta.threads[thread].pid === value : thread === value;
}

/* All threads together: the nodes as they are in the file. */
function plainTree(data, choice) {
	const tree = makeTree(data.nodes.nr, data.nodes.func, data.nodes.parent);
	eachRow(data, choice, (side, rows, i, value) => { tree.self[side][rows.node[i]] += value; });
	return addUp(tree);
}

/* A root for each thread or process: roots have functions below zero. */
function rootedTree(data, choice) {
	const growing = new Growing(data.nodes.nr), threads = data.meta.threads;
	const found = new Map(), values = [[], []];
	const groups = new Map();
	const groupOf = thread => {
		const key = choice.roots === "p" ? threads[thread].pid : thread;
		if (!groups.has(key))
			groups.set(key, thread);
		return groups.get(key);
	};
	const place = (group, node) => {
		const path = [];
		let at;
		for (; node >= 0; node = data.nodes.parent[node]) {
			at = found.get(group * data.nodes.nr + node);
			if (at !== undefined)
				break;
			path.push(node);
		}
		if (node < 0)
			at = growing.child(-1, -1 - group);
		while (path.length) {
			node = path.pop();
			at = growing.child(at, data.nodes.func[node]);
			found.set(group * data.nodes.nr + node, at);
		}
		return at;
	};
	eachRow(data, choice, (side, rows, i, value) => {
		values[side].push(place(groupOf(rows.thread[i]), rows.node[i]), value);
	});
	const tree = growing.tree();
	for (const side of [0, 1])
		for (let i = 0; i < values[side].length; i += 2)
			tree.self[side][values[side][i]] += values[side][i + 1];
	return addUp(tree);
}

/* 1 where the node is the outermost one of a function on its path. */
function outermost(tree, wanted) {
	const inside = new Uint8Array(tree.nr), outer = new Uint8Array(tree.nr);
	for (let i = 0; i < tree.nr; i++) {
		const above = tree.parent[i] >= 0 && inside[tree.parent[i]];
		const hit = wanted(tree.func[i]);
		inside[i] = above || hit ? 1 : 0;
		outer[i] = hit && !above ? 1 : 0;
	}
	return outer;
}

/* What a function calls: its outermost occurrences laid over each other. */
function calleesOf(tree, func) {
	const growing = new Growing(256), at = new Int32Array(tree.nr).fill(-1), outer = outermost(tree, f => f === func);
	for (let i = 0; i < tree.nr; i++) {
		if (outer[i])
			at[i] = growing.child(-1, func);
		else if (tree.parent[i] >= 0 && at[tree.parent[i]] >= 0)
			at[i] = growing.child(at[tree.parent[i]], tree.func[i]);
	}
	const callees = growing.tree();
	for (let i = 0; i < tree.nr; i++)
		for (const side of [0, 1])
			if (at[i] >= 0)
				callees.self[side][at[i]] += tree.self[side][i];
	return addUp(callees);
}

/* Who calls a function, nearest first. */
function callersOf(tree, func) {
	const growing = new Growing(256), outer = outermost(tree, f => f === func), values = [];
	for (let i = 0; i < tree.nr; i++) {
		if (!outer[i] || tree.total[0][i] + tree.total[1][i] === 0)
			continue;
		let at = -1;
		for (let node = i; node >= 0; node = tree.parent[node])
			at = growing.child(at, tree.func[node]);
		values.push(at, i);
	}
	const callers = growing.tree();
	for (let i = 0; i < values.length; i += 2)
		for (const side of [0, 1])
			callers.self[side][values[i]] += tree.total[side][values[i + 1]];
	return addUp(callers);
}

/* Self and total of each function; a function counts once for a stack, however often it is on it. */
function functionSums(data, tree) {
	const nr = data.funcs.nr;
	const sums = { self: [new Float64Array(nr), new Float64Array(nr)], total: [new Float64Array(nr), new Float64Array(nr)] };
	const open = new Int32Array(nr), path = [];
	/* the path of open functions: walks depth first, which the order of nodes is not always */
	const { firstChild, nextSibling, roots } = children(tree);
	let at = roots;
	while (at >= 0) {
		const func = tree.func[at];
		path.push(at);
		if (func >= 0) {
			const first = open[func]++ === 0;
			for (const side of [0, 1]) {
				sums.self[side][func] += tree.self[side][at];
				if (first)
					sums.total[side][func] += tree.total[side][at];
			}
		}
		if (firstChild[at] >= 0) {
			at = firstChild[at];
			continue;
		}
		while (path.length) {
			const left = path.pop();
			if (tree.func[left] >= 0)
				open[tree.func[left]]--;
			at = nextSibling[left];
			if (at >= 0)
				break;
		}
	}
	return sums;
}

function children(tree) {
	const firstChild = new Int32Array(tree.nr).fill(-1), nextSibling = new Int32Array(tree.nr).fill(-1);
	let roots = -1;
	for (let i = tree.nr - 1; i >= 0; i--) {
		const parent = tree.parent[i];
		if (parent < 0) {
			nextSibling[i] = roots;
			roots = i;
		} else {
			nextSibling[i] = firstChild[parent];
			firstChild[parent] = i;
		}
	}
	return { firstChild, nextSibling, roots };
}

/* Where each node stands: levels one after the other, each from left to right; x from 0 to 1. */
function layOut(tree, side, compare) {
	const { firstChild, nextSibling, roots } = children(tree);
	const total = tree.total[side], all = tree.all[side] || 1;
	const order = new Int32Array(tree.nr), x = new Float64Array(tree.nr), levels = [0];
	let nr = 0;
	const place = (first, left) => {
		const from = nr;
		for (let i = first; i >= 0; i = nextSibling[i])
			if (total[i] > 0)
				order[nr++] = i;
		if (nr - from > 1)
			order.subarray(from, nr).sort(compare);
		for (let i = from; i < nr; i++) {
			x[order[i]] = left;
			left += total[order[i]] / all;
		}
	};
	place(roots, 0);
	while (nr > levels[levels.length - 1]) {
		const from = levels[levels.length - 1], to = nr;
		levels.push(to);
		for (let i = from; i < to; i++)
			if (firstChild[order[i]] >= 0)
				place(firstChild[order[i]], x[order[i]]);
	}
	return { tree, side, order: order.subarray(0, nr), x, levels, depth: levels.length - 1, all };
}
