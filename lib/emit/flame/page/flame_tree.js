/* Trees: arrays of func and parent, and of self and total of both sides; parents come before their children. */

/* An array that grows. */
class Growable {
	constructor(type) {
		this.type = type;
		this.values = new type(1024);
		this.nr = 0;
	}
	push(value) {
		if (this.nr === this.values.length) {
			const wider = new this.type(this.nr * 2);
			wider.set(this.values);
			this.values = wider;
		}
		this.values[this.nr++] = value;
	}
}

/* Finds or makes the child of a node with a function. */
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
	/* Adds a new node, without a look-up; child() does not find it. */
	add(parent, func) {
		if (this.nr === this.room)
			this.grow();
		this.func[this.nr] = func;
		this.parent[this.nr] = parent;
		return this.nr++;
	}
	tree() {
		return makeTree(this.nr, this.func.subarray(0, this.nr), this.parent.subarray(0, this.nr));
	}
}

function makeTree(nr, func, parent) {
	return { nr, func, parent, self: SIDES.map(() => new Float64Array(nr)), total: SIDES.map(() => new Float64Array(nr)), all: SIDES.map(() => 0) };
}

/* Computes totals from self sums, and the sum of all roots. */
function addUp(tree) {
	for (const side of SIDES) {
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

/* Calls take(side, node, value) for all rows that pass the choice. */
function eachRow(data, choice, take) {
	const allowed = nodesAllowed(data, choice.filters);
	for (const side of SIDES)
		if (rowsOf(data, choice, side))
			eachRowOf(data, choice, allowed, side, groupTest(data, choice, side), (node, value) => take(side, node, value));
}

function eachRowOf(data, choice, allowed, side, passes, take) {
	const rows = rowsOf(data, choice, side), { first, nr } = rows.groups, values = choice.unit === "s" ? rows.samples : rows.weight;
	for (let g = 0; g < nr; g++)
		if (passes(g))
			for (let i = first[g]; i < first[g + 1]; i++)
				if (!allowed || allowed[rows.node[i]])
					take(rows.node[i], values[i]);
}

/* The whole tree: nodes as in the file. */
function plainTree(data, choice) {
	const tree = makeTree(data.nodes.nr, data.nodes.func, data.nodes.parent), self = tree.self;
	eachRow(data, choice, (side, node, value) => { self[side][node] += value; });
	return addUp(tree);
}

/* A root for each thread, process, command or CPU, heaviest first: root n has function -1 - n and key roots[n]. */
function rootedTree(data, choice) {
	const grouping = GROUPINGS[choice.roots], allowed = nodesAllowed(data, choice.filters), { parent, func } = data.nodes;
	const byKey = new Map();
	for (const side of SIDES) {
		const rows = rowsOf(data, choice, side);
		if (!rows)
			continue;
		const passes = groupTest(data, choice, side), weights = groupWeights(data, choice, side);
		for (let g = 0; g < rows.groups.nr; g++) {
			if (!weights[g] || !passes(g))
				continue;
			const key = grouping.key(data, rows.groups, g);
			if (!byKey.has(key))
				byKey.set(key, { key, weight: 0, groups: SIDES.map(() => []) });
			const of = byKey.get(key);
			of.weight += side ? 0 : weights[g];
			of.groups[side].push(g);
		}
	}
	const roots = Array.from(byKey.values()).sort((a, b) => b.weight - a.weight || a.key - b.key);
	/* numbers of the nodes below the current root; 0: not made yet */
	const at = new Int32Array(data.nodes.nr), touched = [], path = [], growing = new Growing(data.nodes.nr + roots.length), own = [];
	roots.forEach((root, number) => own.push(growing.add(-1, -1 - number)));
	const entries = { node: new Growable(Int32Array), side: new Growable(Uint8Array), value: new Growable(Float64Array) };
	roots.forEach((root, number) => {
		for (const side of SIDES) {
			if (!root.groups[side].length)
				continue;
			const rows = rowsOf(data, choice, side), values = choice.unit === "s" ? rows.samples : rows.weight, { first } = rows.groups;
			for (const g of root.groups[side]) {
				for (let i = first[g]; i < first[g + 1]; i++) {
					let node = rows.node[i];
					if (allowed && !allowed[node])
						continue;
					for (; node >= 0 && !at[node]; node = parent[node])
						path.push(node);
					let above = node >= 0 ? at[node] - 1 : own[number];
					while (path.length) {
						node = path.pop();
						above = growing.add(above, func[node]);
						at[node] = above + 1;
						touched.push(node);
					}
					entries.node.push(above);
					entries.side.push(side);
					entries.value.push(values[i]);
				}
			}
		}
		for (const node of touched)
			at[node] = 0;
		touched.length = 0;
	});
	const tree = growing.tree();
	for (let i = 0; i < entries.node.nr; i++)
		tree.self[entries.side.values[i]][entries.node.values[i]] += entries.value.values[i];
	tree.roots = roots.map(root => root.key);
	return addUp(tree);
}

/* By node: 1 if it is the outermost node of its function on the path. */
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

/* The callees of functions: the trees below their outermost occurrences, merged. wanted(func) selects functions; they become roots,
 * and is(func) may map several to one. */
function calleesOf(tree, wanted, is) {
	const growing = new Growing(256), at = new Int32Array(tree.nr).fill(-1), outer = outermost(tree, wanted);
	for (let i = 0; i < tree.nr; i++) {
		if (outer[i])
			at[i] = growing.child(-1, is(tree.func[i]));
		else if (tree.parent[i] >= 0 && at[tree.parent[i]] >= 0)
			at[i] = growing.child(at[tree.parent[i]], tree.func[i]);
	}
	const callees = growing.tree();
	for (let i = 0; i < tree.nr; i++)
		for (const side of SIDES)
			if (at[i] >= 0)
				callees.self[side][at[i]] += tree.self[side][i];
	return addUp(callees);
}

/* The callers, nearest first. */
function callersOf(tree, wanted, is) {
	const growing = new Growing(256), outer = outermost(tree, wanted), values = [];
	for (let i = 0; i < tree.nr; i++) {
		if (!outer[i] || tree.total[0][i] + tree.total[1][i] === 0)
			continue;
		let at = growing.child(-1, is(tree.func[i]));
		for (let node = tree.parent[i]; node >= 0; node = tree.parent[node])
			at = growing.child(at, tree.func[node]);
		values.push(at, i);
	}
	const callers = growing.tree();
	for (let i = 0; i < values.length; i += 2)
		for (const side of SIDES)
			callers.self[side][values[i]] += tree.total[side][values[i + 1]];
	return addUp(callers);
}

/* Self and total of each function. A recursive function counts once for a stack. */
function functionSums(data, tree) {
	const nr = data.funcs.nr;
	const sums = { self: SIDES.map(() => new Float64Array(nr)), total: SIDES.map(() => new Float64Array(nr)) };
	const open = new Int32Array(nr), path = [];
	/* functions on the current path: this needs a depth-first walk, which the order of nodes is not always */
	const { firstChild, nextSibling, roots } = children(tree);
	let at = roots;
	while (at >= 0) {
		const func = tree.func[at];
		path.push(at);
		if (func >= 0) {
			const first = open[func]++ === 0;
			for (const side of SIDES) {
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

/* Lists of children, in the order of `nodes` (all nodes); without it in the order of their numbers. */
function children(tree, nodes) {
	const firstChild = new Int32Array(tree.nr).fill(-1), nextSibling = new Int32Array(tree.nr).fill(-1);
	let roots = -1;
	for (let at = tree.nr - 1; at >= 0; at--) {
		const i = nodes ? nodes[at] : at, parent = tree.parent[i];
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

/* Sorts nodes by rank, from 0 to nrRanks - 1, then by number. */
function nodesByRank(ranks, nrRanks) {
	const next = new Int32Array(nrRanks + 1), nodes = new Int32Array(ranks.length);
	for (const rank of ranks)
		next[rank + 1]++;
	for (let rank = 0; rank < nrRanks; rank++)
		next[rank + 1] += next[rank];
	for (let i = 0; i < ranks.length; i++)
		nodes[next[ranks[i]]++] = i;
	return nodes;
}

/* Sorts nodes by weight, heaviest first. (It sorts plain numbers: with a comparing function a million take a second.) */
function nodesByWeight(tree, side) {
	const weights = tree.total[side], sorted = weights.slice().sort(), ranks = new Int32Array(tree.nr);
	for (let i = 0; i < tree.nr; i++) {
		let low = 0, high = tree.nr;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (sorted[middle] > weights[i])
				high = middle;
			else
				low = middle + 1;
		}
		ranks[i] = tree.nr - low;
	}
	return nodesByRank(ranks, tree.nr);
}

/* Computes the place of each node: level by level, from left to right, x from 0 to 1. `nodes`: all nodes, in the order of siblings. */
function layOut(tree, side, nodes) {
	const { firstChild, nextSibling, roots } = children(tree, nodes);
	const total = tree.total[side], all = tree.all[side] || 1;
	const order = new Int32Array(tree.nr), x = new Float64Array(tree.nr), levels = [0];
	let nr = 0;
	const place = (first, left) => {
		for (let i = first; i >= 0; i = nextSibling[i]) {
			if (!(total[i] > 0))
				continue;
			order[nr++] = i;
			x[i] = left;
			left += total[i] / all;
		}
	};
	place(roots, 0);
	while (nr > levels[levels.length - 1]) {
		const from = levels[levels.length - 1], to = nr;
		levels.push(to);
		for (let i = from; i < to; i++)
			place(firstChild[order[i]], x[order[i]]);
	}
	return { tree, side, order: order.subarray(0, nr), x, levels, depth: levels.length - 1, all };
}
