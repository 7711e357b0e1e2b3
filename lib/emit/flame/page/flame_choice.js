/* Which samples are shown: by time, by who ran, by the functions in their stacks. */

/* Ways to group samples: each has a key for a row, and a name for a key. */
const GROUPINGS = {
	c: { one: "command", many: "commands", key: (data, groups, g) => commandOf(data, groups.comm[g]), name: commandName },
	p: { one: "process", many: "processes", key: (data, groups, g) => data.threads.pid[groups.thread[g]], name: processName },
	t: { one: "thread", many: "threads", key: (data, groups, g) => groups.thread[g], name: threadName },
	u: { one: "CPU", many: "CPUs", key: (data, groups, g) => groups.cpu[g] - 1, name: (data, key) => key < 0 ? "CPU unknown" : `CPU ${key}` },
};

/* Threads without a recorded name are called :TID; they are one command. */
const NO_COMMAND = -1;

function commandOf(data, comm) {
	if (!data.commands)
		data.commands = new Map();
	if (!data.commands.has(comm))
		data.commands.set(comm, /^(:-?\d+)?$/.test(data.names[comm]) ? NO_COMMAND : comm);
	return data.commands.get(comm);
}

function commandName(data, key) {
	return key === NO_COMMAND ? "(names not recorded)" : data.names[key];
}

function threadName(data, thread) {
	const { pid, tid, comm } = data.threads;
	return `${data.names[comm[thread]]} (${pid[thread]}/${tid[thread]})`;
}

/* The name of a process is that of its first thread in the data. */
function processName(data, pid) {
	if (!data.processes) {
		data.processes = new Map();
		for (let i = 0; i < data.threads.nr; i++)
			if (!data.processes.has(data.threads.pid[i]) || data.threads.tid[i] === data.threads.pid[i])
				data.processes.set(data.threads.pid[i], i);
	}
	const thread = data.processes.get(pid);
	return `${thread === undefined ? "?" : data.names[data.threads.comm[thread]]} (process ${pid})`;
}

/* "p123" → its grouping and key; null: invalid. */
function parseOnly(text) {
	return /^[cptu]-?\d+$/.test(text) ? { grouping: GROUPINGS[text[0]], key: +text.slice(1) } : null;
}

/* Sides of trees: 0 is the recording, 1 its base, 2 another event of the recording beside the chosen one. */
const SIDES = [0, 1, 2];

/* The rows of a side; null: none. */
function rowsOf(data, choice, side) {
	if (side < 2)
		return data.rows[choice.event][side];
	const beside = besideOf(data, choice);
	return beside < 0 ? null : data.rows[beside][0];
}

/* The event shown beside the chosen one, such as time off the CPU; -1: none. */
function besideOf(data, choice) {
	const event = data.meta.events[choice.event];
	if (event.wall)
		return event.beside;
	return choice.beside in data.rows && choice.beside !== choice.event ? choice.beside : -1;
}

/* Groups of rows that pass the choice. */
function groupTest(data, choice, side) {
	const only = parseOnly(choice.only), groups = rowsOf(data, choice, side).groups;
	/* times of a base are independent of the recording's */
	const first = side === 1 ? 0 : choice.first, last = side === 1 ? Infinity : choice.last;
	return g => groups.bin[g] >= first && groups.bin[g] <= last && (!only || only.grouping.key(data, groups, g) === only.key);
}

/* --- filters on stacks ------------------------------------------------------------------------------------------------------- */

/* A filter is text: + (only these) or - (without these), then = (the whole name), ~ (a part of it) or / (a regular expression),
 * then the text to look for. Line feeds separate filters; a stack has to pass all of them. */
function parseFilters(text) {
	return text.split("\n").filter(part => /^[+-][=~/]./s.test(part)).map(part => ({ text: part, keeps: part[0] === "+", how: part[1], what: part.slice(2) }));
}

function filterText(filter) {
	const what = filter.how === "=" ? filter.what : filter.how === "/" ? `/${filter.what}/` : `“${filter.what}”`;
	return (filter.keeps ? "only with " : "without ") + (what.length > 80 ? what.slice(0, 79) + "…" : what);
}

/* Makes a test of function names. Throws if a regular expression is invalid. */
function nameTest(how, what) {
	if (how === "=")
		return name => name === what;
	if (how === "/") {
		const expression = new RegExp(what, "i");
		return name => expression.test(name);
	}
	const wanted = what.toLowerCase();
	return name => name.toLowerCase().includes(wanted);
}

/* By function: 1 if its name passes. */
function functionsNamed(data, test) {
	const known = new Int8Array(data.names.length).fill(-1), found = new Uint8Array(data.funcs.nr);
	for (let i = 0; i < data.funcs.nr; i++) {
		const name = data.funcs.name[i];
		if (known[name] < 0)
			known[name] = test(data.names[name]) ? 1 : 0;
		found[i] = known[name];
	}
	return found;
}

/* By node: 1 if its stack passes all filters; null: all pass. */
function nodesAllowed(data, filters) {
	const parsed = parseFilters(filters);
	if (!parsed.length)
		return null;
	if (data.allowed && data.allowed.filters === filters)
		return data.allowed.nodes;
	const { nr, parent, func } = data.nodes, allowed = new Uint8Array(nr).fill(1);
	for (const filter of parsed) {
		let named;
		try {
			named = functionsNamed(data, nameTest(filter.how, filter.what));
		} catch (error) {
			continue;
		}
		const inside = new Uint8Array(nr);
		for (let i = 0; i < nr; i++) {
			inside[i] = named[func[i]] || (parent[i] >= 0 && inside[parent[i]]) ? 1 : 0;
			if (!inside[i] === filter.keeps)
				allowed[i] = 0;
		}
	}
	data.allowed = { filters, nodes: allowed };
	return allowed;
}

/* --- sums by group ------------------------------------------------------------------------------------------------------------- */

/* The weight of each group of rows, from stacks that pass the filters. */
function groupWeights(data, choice, side) {
	const rows = rowsOf(data, choice, side), values = choice.unit === "s" ? rows.samples : rows.weight;
	const allowed = nodesAllowed(data, choice.filters), name = `${choice.unit}\n${choice.filters}`;
	if (rows.weighed && rows.weighed.name === name)
		return rows.weighed.sums;
	const { first, nr } = rows.groups, sums = new Float64Array(nr);
	for (let g = 0; g < nr; g++)
		for (let i = first[g]; i < first[g + 1]; i++)
			if (!allowed || allowed[rows.node[i]])
				sums[g] += values[i];
	rows.weighed = { name, sums };
	return sums;
}

/* [key, weight] of a grouping, heaviest first. */
function sumsBy(data, choice, grouping) {
	const { groups } = data.rows[choice.event][0], weights = groupWeights(data, choice, 0), passes = groupTest(data, choice, 0), sums = new Map();
	for (let g = 0; g < groups.nr; g++) {
		if (!weights[g] || !passes(g))
			continue;
		const key = grouping.key(data, groups, g);
		sums.set(key, (sums.get(key) || 0) + weights[g]);
	}
	return Array.from(sums).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}
