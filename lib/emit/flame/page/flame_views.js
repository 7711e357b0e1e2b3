/* The table of functions, the controls, the address of a view, and the start. */

const TABLE_ROWS = 500;

/* --- the table ------------------------------------------------------------------------------------------------------------------------ */

function columns() {
	const all = tree.all[choice.side] || 1, side = choice.side;
	const list = [
		{ key: "self", label: "self", value: f => sums.self[side][f], text: v => amountText(v) },
		{ key: "self%", label: "self %", value: f => sums.self[side][f], text: v => shareText(v, all) },
		{ key: "total", label: "total", value: f => sums.total[side][f], text: v => amountText(v) },
		{ key: "total%", label: "total %", value: f => sums.total[side][f], text: v => shareText(v, all) },
	];
	const other = besideOf(data, choice);
	if (other >= 0 && !event().wall) {
		const name = eventName(data.meta.events[other]), { unit } = data.meta.events[other];
		list.push({ key: "beside", label: `self, ${name}`, value: f => sums.self[2][f], text: v => choice.unit === "s" ? countText(v) : weightText(v, unit) },
			{ key: "ratio", label: "× average", text: v => v ? v.toPrecision(3) + " ×" : "",
				value: f => sums.self[0][f] ? sums.self[2][f] / sums.self[0][f] / (tree.all[2] / tree.all[0]) : 0 });
	} else if (other >= 0) {
		list.push({ key: "beside", label: "off the CPU", value: f => sums.total[2][f], text: v => amountText(v) });
	}
	if (data.meta.base !== null)
		list.push({ key: "change", label: "change of self", text: v => signedShareText(v),
			value: f => sums.self[0][f] / (tree.all[0] || 1) - sums.self[1][f] / (tree.all[1] || 1) },
		{ key: "delta", label: "change of total", text: v => signedShareText(v),
			value: f => sums.total[0][f] / (tree.all[0] || 1) - sums.total[1][f] / (tree.all[1] || 1) },
		/* changes beyond noise first, then by size */
		{ key: "verdict", label: "diff says", text: (v, f) => verdictText(f), value: verdictRank });
	return list;
}

function verdictText(func) {
	const change = changeOf(func);
	if (!change)
		return "";
	return change.own === change.all ? change.own : `${change.own} by itself, ${change.all} with callees`;
}

/* Orders changes: self and total beyond noise, one of them, none; then the larger one. */
function verdictRank(func) {
	const change = changeOf(func);
	if (!change)
		return 0;
	const beyond = BEYOND_NOISE.includes(change.own) ? 2 : BEYOND_NOISE.includes(change.all) ? 1 : 0;
	return beyond * 10 + Math.abs(beyond === 1 ? change.allDelta : change.ownDelta);
}

function cell(tag, content, className) {
	const made = document.createElement(tag);
	if (className)
		made.className = className;
	made.append(content);
	return made;
}

function button(text, act) {
	const made = document.createElement("button");
	made.textContent = text;
	made.addEventListener("click", act);
	return made;
}

/* As the style sheet has it. */
function isNarrow() {
	return matchMedia("(max-width: 560px)").matches;
}

function showTable() {
	sums = sums || functionSums(data, tree);
	const list = columns(), by = list.find(c => c.key === sort.key) || list[0], rows = [];
	for (let f = 0; f < data.funcs.nr; f++)
		if ((sums.total[0][f] || sums.total[1][f]) && (!matching || matching[f]))
			rows.push(f);
	const size = by.key === "change" || by.key === "delta" ? Math.abs : v => v, sign = sort.down ? -1 : 1;
	rows.sort((a, b) => sign * (size(by.value(a)) - size(by.value(b))) || a - b);
	const table = document.createElement("table"), head = document.createElement("tr"), body = document.createElement("tbody");
	for (const column of list)
		head.append(cell("th", button(column.label + (column === by ? (sort.down ? " ▾" : " ▴") : ""), () => {
			sort = { key: column.key, down: column.key === sort.key ? !sort.down : true };
			showTable();
		})));
	/* on a narrow window the names are seen first, and stay while the rest scrolls */
	const put = (row, name, rest) => isNarrow() ? row.prepend(name) : row.append(name, rest);
	put(head, cell("th", "function", "name"), cell("th", "file", "file"));
	for (const f of rows.slice(0, TABLE_ROWS)) {
		const row = document.createElement("tr");
		for (const column of list)
			row.append(cell("td", column.text(column.value(f), f)));
		const name = cell("td", button(nameOf(f), () => sandwich(nameOf(f))), "name");
		name.title = nameOf(f).slice(0, 2000) + (kindOf(f) ? ` (${KINDS[kindOf(f)].name})` : "");
		row.addEventListener("dblclick", () => annotate(f));
		const file = cell("td", fileOf(f), "file");
		file.title = fileOf(f).slice(0, 2000);
		put(row, name, file);
		body.append(row);
	}
	const caption = cell("caption", rows.length > TABLE_ROWS ? `${countText(rows.length - TABLE_ROWS)} more functions are not shown; search finds them` : "");
	const top = document.createElement("thead");
	top.append(head);
	table.append(caption, top, body);
	$("table-box").replaceChildren(table);
}

/* --- around the chart ----------------------------------------------------------------------------------------------------------------- */

function showLegend() {
	const box = $("legend"), used = new Set();
	box.replaceChildren();
	const add = (fill, text) => {
		const mark = document.createElement("i"), entry = document.createElement("span");
		mark.style.background = fill;
		entry.append(mark, text);
		box.append(entry);
	};
	if (choice.colour === "d") {
		add(painter.differenceFill(0.2, 0), "more than in the base");
		add(painter.differenceFill(0, 0.2), "less");
		add(painter.differenceFill(0, 0), "no change beyond noise");
		return;
	}
	if (choice.colour === "r") {
		const name = eventName(data.meta.events[besideOf(data, choice)]);
		add(painter.ratioFill(4), `four times as many ${name} as on average`);
		add(painter.ratioFill(1), "as on average");
		add(painter.ratioFill(0.25), "a quarter");
		add(painter.ratioFill(0), "none");
		return;
	}
	if (choice.colour === "f") {
		box.append("one colour for each file");
		return;
	}
	for (let i = 0; i < data.funcs.nr && used.size < KINDS.length; i++)
		used.add(data.funcs.kind[i]);
	if (choice.roots)
		used.add(KIND_THREAD);
	if (event().off || event().wall)
		used.add(KIND_OFF);
	for (const kind of Array.from(used).sort((a, b) => a - b))
		add(painter.kindFill(kind, ""), KINDS[kind].name);
}

function showAll() {
	const isTable = choice.view === "table", lone = choice.view === "sandwich" && parts.length === 1;
	$("scroller").hidden = isTable;
	$("table-box").hidden = !isTable;
	/* these controls affect only the chart's boxes */
	$("legend").hidden = $("notes").hidden = isTable;
	for (const view of ["flame", "icicle", "sandwich", "table"])
		$("v-" + view).setAttribute("aria-pressed", String(choice.view === view));
	$("heavy").setAttribute("aria-pressed", String(choice.heavy));
	$("regex").setAttribute("aria-pressed", String(choice.regex));
	for (const name of ["event", "unit", "roots", "lanes", "colour", "side"])
		$(name).value = String(choice[name]);
	const beside = besideOf(data, choice);
	for (const other of $("beside").options)
		other.hidden = other.value === String(choice.event);
	$("beside").value = String(beside);
	$("beside-box").hidden = data.meta.events.length < 2 || event().wall === true;
	$("colour").querySelector('[value="r"]').hidden = beside < 0 || event().wall === true;
	$("search").value = choice.search;
	const side = choice.side, scope = [amountText(tree.all[side])];
	if (choice.view === "sandwich" && !lone)
		scope.push(`callers above and callees below ${(choice.func || "what is searched for").slice(0, 200)}`);
	$("scope").textContent = scope.join("; ") + (lone ? "; select or search for a function to see its callers and callees" : "");
	showWho();
	showFilters();
	$("selected").textContent = "";
	if (isTable)
		showTable();
	showLegend();
	resize();
	window.perfdata.total = tree.all[side];
	window.perfdata.nodes = tree.nr;
	if (beside >= 0)
		scope.push(besideText(tree.all[2], tree.all[side]));
	$("scope").textContent = scope.join("; ") + (lone ? "; select or search for a function to see its callers and callees" : "");
	window.perfdata.event = event().name;
	window.perfdata.beside = tree.all[2];
}

function option(value, text) {
	const made = document.createElement("option");
	made.value = value;
	made.textContent = text;
	return made;
}

function setTheme(dark) {
	choice.dark = dark;
	document.documentElement.classList.toggle("dark", dark);
	$("theme").textContent = dark ? "light" : "dark";
	for (const one of [painter, strip, stateStrip])
		one.theme(dark);
}

function change(name, value) {
	choice[name] = value;
	if (name === "beside")
		choice.colour = value >= 0 ? "r" : startOf("colour");
	if (["event", "unit", "roots", "only", "filters", "beside"].includes(name)) {
		choice.zoom = -1;
		build();
	} else {
		if (name === "side" || name === "heavy")
			choice.zoom = name === "side" ? -1 : choice.zoom;
		arrange();
	}
	toHash();
}

function changeView(view) {
	if (view === "sandwich" && selected && selected.part.layout.tree.func[selected.node] >= 0)
		choice.func = nameOf(selected.part.layout.tree.func[selected.node]);
	else if (view === "sandwich" && choice.func === "" && zoomed >= 0 && tree.func[zoomed] >= 0)
		choice.func = nameOf(tree.func[zoomed]);
	if (view === "sandwich" || choice.view === "sandwich")
		choice.zoom = -1;
	change("view", view);
}

/* --- the address of a view -------------------------------------------------------------------------------------------------------------- */

const DEFAULTS = { event: 0, unit: "w", view: "flame", heavy: false, roots: "", only: "", colour: "k", side: 0, func: "", search: "", regex: false,
	filters: "", lanes: "", beside: -1, first: 0, last: Infinity, from: 0, to: Infinity, zoom: -1 };

function toHash() {
	const fields = [];
	for (const name of Object.keys(DEFAULTS))
		if (choice[name] !== startOf(name))
			fields.push(`${name}=${encodeURIComponent(choice[name])}`);
	hashShown = fields.length ? "#" + fields.join("&") : "";
	if (location.hash !== hashShown)
		location.hash = hashShown || "#";
}

/* In recordings of many processes, a root for each command is shown at first: this adds few boxes, and names say what ran. */
const MANY_PROCESSES = 8;

function startOf(name) {
	if (name === "colour" && data.meta.base !== null)
		return "d";
	if (name === "event" && data.meta.start)
		return data.meta.start;
	if (name === "roots" && data.meta.base === null)
		return new Set(data.threads.pid).size > MANY_PROCESSES ? "c" : "";
	return DEFAULTS[name];
}

/* Reads a view's address; ignores invalid parts. */
function fromHash() {
	const given = new Map();
	for (const field of location.hash.slice(1).split("&")) {
		const at = field.indexOf("=");
		if (at <= 0)
			continue;
		try {
			given.set(field.slice(0, at), decodeURIComponent(field.slice(at + 1)));
		} catch (error) {
			/* not an address of this page */
		}
	}
	for (const name of Object.keys(DEFAULTS)) {
		const start = startOf(name), text = given.get(name);
		if (text === undefined)
			choice[name] = start;
		else if (typeof start === "number")
			choice[name] = text === "Infinity" ? Infinity : Number.isInteger(+text) ? +text : start;
		else
			choice[name] = typeof start === "boolean" ? text === "true" : text;
	}
	const among = (name, values) => { if (!values.includes(choice[name])) choice[name] = startOf(name); };
	among("unit", ["w", "s"]);
	among("view", ["flame", "icicle", "sandwich", "table"]);
	among("roots", ["", ...Object.keys(GROUPINGS)]);
	among("lanes", ["", ...Object.keys(GROUPINGS)]);
	if (!(choice.event in data.rows))
		choice.event = startOf("event");
	const colours = ["k", "f"];
	if (data.meta.base !== null)
		colours.push("d");
	if (besideOf(data, choice) >= 0 && !event().wall)
		colours.push("r");
	among("colour", colours);
	among("side", data.meta.base !== null ? [0, 1] : [0]);
	const only = parseOnly(choice.only);
	if (!only || (choice.only[0] === "t" && !(only.key >= 0 && only.key < data.threads.nr)) || (choice.only[0] === "c" && only.key !== NO_COMMAND && !(only.key in data.names)))
		choice.only = "";
	choice.filters = parseFilters(choice.filters).map(filter => filter.text).join("\n");
}

/* --- keys and mouse ---------------------------------------------------------------------------------------------------------------------- */

const KEYS = [
	["arrow keys", "move the selection; Enter zooms"], ["Esc, 0", "reset"], ["/, Ctrl-F", "search"], ["n, N", "next and previous match"],
	["o, x", "only stacks with, without what is searched for (else: the selected function)"], ["i", "flame or icicle"],
	["h", "left heavy or by name"], ["s", "callers and callees of the selected function, else of what is searched for"], ["t", "table of functions"],
	["w", "choose a thread, process, command or CPU"], ["r", "next kind of roots"], ["l", "next kind of lanes over time"],
	["+, -", "zoom into the range of time, out of it; in the strip arrow keys move the range, with Shift they change its length"],
	["c", "copy the name of the selected function"], ["C", "copy its stack"], ["d", "dark or light"], ["S", "save the view as SVG"],
	["a, double click", "instructions and lines of a function, if the page has them"], ["click", "zoom; Shift-click: callers and callees"], ["back of the browser", "the view before"],
];

function showKeys() {
	const box = $("keys"), table = document.createElement("table");
	for (const [keys, what] of KEYS) {
		const row = document.createElement("tr");
		row.append(cell("th", keys), cell("td", what));
		table.append(row);
	}
	box.replaceChildren(table, button("close", () => box.close()));
	box.showModal();
}

function copy(stack) {
	if (!selected)
		return;
	const t = selected.part.layout.tree, names = [];
	for (let node = selected.node; node >= 0; node = stack ? t.parent[node] : -1)
		names.push(nameOf(t.func[node]));
	navigator.clipboard.writeText(names.join("\n")).then(() => { $("selected").textContent = "copied"; }, () => { $("selected").textContent = names.join("\n"); });
}

function onKey(e) {
	if ($("keys").open || $("who").open || $("annotate").open || e.altKey || e.metaKey)
		return;
	if (e.ctrlKey ? e.key === "f" : e.key === "/" && e.target !== $("search")) {
		e.preventDefault();
		$("search").focus();
		$("search").select();
		return;
	}
	if (e.key === "Escape") {
		$("search").blur();
		reset();
		return;
	}
	if (e.ctrlKey || e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement)
		return;
	const inChart = choice.view !== "table";
	const acts = {
		0: reset, n: () => nextMatch(1), N: () => nextMatch(-1), i: () => changeView(choice.view === "flame" ? "icicle" : "flame"),
		h: () => change("heavy", !choice.heavy), s: () => changeView("sandwich"), t: () => changeView(choice.view === "table" ? "flame" : "table"),
		d: () => { setTheme(!choice.dark); showAll(); }, "?": showKeys, c: () => copy(false), C: () => copy(true),
		o: () => filterByChoice("+"), x: () => filterByChoice("-"), w: openWho, r: () => nextValue("roots"), l: () => nextValue("lanes"),
		"+": () => zoomTime(1), "-": () => zoomTime(-1), S: saveSvg,
		a: () => { if (selected) annotate(selected.part.layout.tree.func[selected.node]); },
	};
	if (acts[e.key]) {
		e.preventDefault();
		acts[e.key]();
	} else if (e.target === $("strip") && stripKey(e)) {
		e.preventDefault();
	} else if (inChart && e.key.startsWith("Arrow")) {
		e.preventDefault();
		move(e.key);
	} else if (inChart && e.key === "Enter" && selected && !(e.target instanceof HTMLButtonElement)) {
		zoom(selected.part, selected.node);
	}
}

function nextValue(name) {
	const options = Array.from($(name).options, option => option.value);
	change(name, options[(options.indexOf(choice[name]) + 1) % options.length]);
}

function listen() {
	const canvas = painter.canvas, box = $("scroller");
	canvas.addEventListener("mousemove", e => showTip(e, hit(e)));
	canvas.addEventListener("mouseleave", e => showTip(e, null));
	canvas.addEventListener("click", e => {
		const found = hit(e);
		if (!found)
			return;
		if (e.shiftKey && found.part.layout.tree.func[found.node] >= 0) {
			sandwich(nameOf(found.part.layout.tree.func[found.node]));
			return;
		}
		select(found.part, found.node);
		zoom(found.part, found.node);
	});
	canvas.addEventListener("dblclick", e => {
		const found = hit(e);
		if (found)
			annotate(found.part.layout.tree.func[found.node]);
	});
	$("annotate-close").addEventListener("click", () => $("annotate").close());
	box.addEventListener("scroll", () => { $("tip").hidden = true; scrolled(); });
	for (const name of ["unit", "roots", "lanes", "colour"])
		$(name).addEventListener("change", e => change(name, e.target.value));
	for (const name of ["event", "side", "beside"])
		$(name).addEventListener("change", e => change(name, +e.target.value));
	for (const view of ["flame", "icicle", "sandwich", "table"])
		$("v-" + view).addEventListener("click", () => changeView(view));
	$("heavy").addEventListener("click", () => change("heavy", !choice.heavy));
	$("regex").addEventListener("click", () => { choice.regex = !choice.regex; search(); showAll(); toHash(); });
	$("search").addEventListener("input", e => { choice.search = e.target.value; if (choice.view === "sandwich" && choice.func === "") arrange(); search(); if (choice.view === "table") showTable(); repaint(); });
	$("search").addEventListener("change", toHash);
	$("reset").addEventListener("click", reset);
	$("theme").addEventListener("click", () => { setTheme(!choice.dark); showAll(); });
	$("help").addEventListener("click", showKeys);
	$("only").addEventListener("click", openWho);
	$("only-these").addEventListener("click", () => addFilter("+", choice.regex ? "/" : "~", choice.search));
	$("without-these").addEventListener("click", () => addFilter("-", choice.regex ? "/" : "~", choice.search));
	$("svg").addEventListener("click", saveSvg);
	listenWho();
	listenPrint();
	document.addEventListener("keydown", onKey);
	window.addEventListener("resize", resize);
	new ResizeObserver(resize).observe($("scroller"));
	window.addEventListener("hashchange", () => {
		if (location.hash === hashShown || (location.hash === "" && hashShown === ""))
			return;
		hashShown = location.hash;
		fromHash();
		build();
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", e => { setTheme(e.matches); showAll(); });
	if (data.meta.time)
		listenTime();
}

/* --- start ------------------------------------------------------------------------------------------------------------------------------- */

function describePage() {
	const { meta } = data, warnings = meta.warnings.map(visible);
	document.title = visible(meta.title) + (meta.base === null ? "" : " against " + visible(meta.base));
	$("title").textContent = document.title;
	$("facts").textContent = meta.facts.map(([name, text]) => `${visible(name)}: ${visible(text)}`).join(" · ");
	$("warnings").textContent = warnings.join("\n");
	meta.events.forEach((e, at) => $("event").append(option(String(at), `${eventName(e)} (${countText(e.samples)} ${e.off ? "intervals" : e.wall ? "samples and intervals" : "samples"})`)));
	$("beside").append(option("-1", "nothing"));
	meta.events.forEach((e, at) => { if (!e.wall) $("beside").append(option(String(at), eventName(e))); });
	$("sides").hidden = meta.base === null;
	if (meta.base === null)
		$("colour").querySelector('[value="d"]').remove();
	else
		sort = { key: "verdict", down: true };
	$("strip-box").hidden = !meta.time;
}

/* Read-only state for tests and consoles. */
function publish() {
	const find = name => {
		const found = [];
		sums = sums || functionSums(data, tree);
		for (let f = 0; f < data.funcs.nr; f++)
			if (nameOf(f) === name)
				found.push({ name, file: fileOf(f), self: sums.self[choice.side][f], total: sums.total[choice.side][f] });
		return found;
	};
	const functions = () => {
		sums = sums || functionSums(data, tree);
		const list = [];
		for (let f = 0; f < data.funcs.nr; f++)
			if (sums.total[choice.side][f])
				list.push([nameOf(f), fileOf(f), sums.self[choice.side][f], sums.total[choice.side][f], kindOf(f)]);
		return list;
	};
	const boxOf = name => {
		for (const part of parts)
			for (let level = part.skip || 0; level < part.layout.depth; level++)
				for (let at = part.layout.levels[level]; at < part.layout.levels[level + 1]; at++) {
					const node = part.layout.order[at], window = windowOf(part.layout);
					if (nameOf(part.layout.tree.func[node]) !== name)
						continue;
					const rect = painter.canvas.getBoundingClientRect(), scale = painter.width / (window.to - window.from);
					return { x: rect.left + (part.layout.x[node] - window.from) * scale,
						y: rect.top + rowOf(part, level) * ROW - $("scroller").scrollTop, width: part.layout.tree.total[choice.side][node] / part.layout.all * scale,
						height: ROW };
				}
		return null;
	};
	const rootNames = () => choice.roots ? tree.roots.map((_key, at) => [nameOf(-1 - at), tree.total[choice.side][at]]) : [];
	const states = () => chosenStates() && Object.fromEntries(stateSums(chosenStates()));
	const lanes = () => timeLanes.map(lane => [lane.name, lane.sum]);
	const matched = () => {
		const rect = painter.canvas.getBoundingClientRect(), boxes = [];
		for (let i = 0; i < matchedBoxes.length; i += 4)
			boxes.push(matchedBoxes.slice(i, i + 4).map((value, at) => value + (at % 2 ? rect.top : rect.left)));
		return boxes;
	};
	return { total: 0, nodes: 0, frames: 0, matched: null, event: "", find, functions, boxOf, rootNames, lanes, states, matchedBoxes: matched, ready: false };
}

async function start() {
	try {
		data = decode(await inflate($("data").textContent.trim()));
	} catch (error) {
		$("warnings").textContent = "This page's data cannot be read: " + error.message;
		return;
	}
	window.perfdata = publish();
	painter = new Painter($("chart"));
	strip = new Painter($("strip"));
	stateStrip = new Painter($("states"));
	describePage();
	if (!data.meta.events.length) {
		$("warnings").textContent += "\nThe recording has no samples.";
		$("controls").hidden = true;
		$("strip-box").hidden = true;
		setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
		window.perfdata.ready = true;
		return;
	}
	setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
	fromHash();
	hashShown = location.hash;
	listen();
	build();
	window.perfdata.ready = true;
}

start();
