/* The page: what is chosen and shown, keys and mouse. */

const $ = id => document.getElementById(id);
const choice = { event: 0, unit: "w", view: "flame", heavy: false, roots: "", only: "", colour: "k", side: 0, func: "", search: "", regex: false,
	filters: "", lanes: "", beside: -1, first: 0, last: Infinity, from: 0, to: Infinity, zoom: -1, dark: null };
let data, painter, strip, tree, sums, parts = [], zoomed = -1, selected = null, matching = null, sort = { key: "self", down: true };
let hashShown = "", frame = 0;

/* --- names of what is shown ------------------------------------------------------------------------------------------- */

function nameOf(func) {
	return func < 0 ? GROUPINGS[choice.roots].name(data, tree.roots[-1 - func]) : data.names[data.funcs.name[func]];
}

function kindOf(func) {
	return func < 0 ? KIND_THREAD : data.funcs.kind[func];
}

function fileOf(func) {
	return func < 0 ? "" : data.names[data.funcs.file[func]];
}

function sourceOf(func) {
	if (func < 0 || !data.funcs.source[func])
		return "";
	const line = data.funcs.line[func];
	return data.names[data.funcs.source[func]] + (line ? ":" + line : "");
}

function event() {
	return data.meta.events[choice.event];
}

/* The name of an event on the page. */
function eventName(event) {
	return event.wall ? "wall: on and off the CPU" : event.off ? `off the CPU (${visible(event.name)})` : visible(event.name);
}

function amountText(value) {
	return choice.unit === "s" ? countText(value) + (value === 1 ? " sample" : " samples") : weightText(value, event().unit);
}

/* The text about the event beside: "instructions: 5.1 M, 0.92 for each of cycles". */
function besideText(value, of) {
	const other = data.meta.events[besideOf(data, choice)], text = choice.unit === "s" ? countText(value) : weightText(value, other.unit);
	return event().wall ? `off the CPU ${text}, ${shareText(value, of)}` : `${eventName(other)}: ${text}, ${ratioText(value, of)}`;
}

function ratioText(value, of) {
	const other = data.meta.events[besideOf(data, choice)];
	if (!of)
		return "no ratio";
	if (choice.unit !== "s" && event().unit === "ns" && other.unit !== "ns")
		return `${(value / of * 1e6).toPrecision(3)} for each ms of ${eventName(event())}`;
	return `${(value / of).toPrecision(3)} for each of ${eventName(event())}`;
}

/* The change that diff found for a function in the chosen event; undefined: none. */
function changeOf(func) {
	return data.changes && data.changes[choice.event] ? data.changes[choice.event].get(func) : undefined;
}

/* --- trees of the choice ------------------------------------------------------------------------------------------------ */

/* All nodes, in the order of siblings: by weight or by name. */
function orderOf(tree, side) {
	return choice.heavy ? nodesByWeight(tree, side) : nodesByName(tree);
}

/* Ranks of names, computed once. */
function nodesByName(of) {
	if (!data.rank) {
		const ranks = Array.from(data.names.keys()).sort((a, b) => data.names[a] < data.names[b] ? -1 : data.names[a] > data.names[b] ? 1 : 0);
		data.rank = new Int32Array(data.names.length);
		ranks.forEach((name, at) => { data.rank[name] = at; });
	}
	/* roots for who ran come first, heaviest first, in the order of their numbers */
	const nrRoots = choice.roots ? tree.roots.length : 0, { rank } = data, { name } = data.funcs;
	const ranks = new Int32Array(of.nr).map((_, i) => of.func[i] < 0 ? -1 - of.func[i] : nrRoots + rank[name[of.func[i]]]);
	return nodesByRank(ranks, nrRoots + data.names.length);
}

function part(tree, up) {
	return { layout: layOut(tree, choice.side, orderOf(tree, choice.side)), up };
}

function build() {
	tree = choice.roots ? rootedTree(data, choice) : plainTree(data, choice);
	sums = null;
	if (choice.side && !tree.all[1])
		choice.side = 0;
	arrange();
}

/* What the chart shows. Rows count from the top. */
function arrange() {
	selected = null;
	/* a ratio needs two events: links and menus may choose one event twice */
	if (choice.colour === "r" && (besideOf(data, choice) < 0 || event().wall))
		choice.colour = startOf("colour");
	const wanted = choice.view === "sandwich" ? sandwichFunctions() : null;
	if (wanted) {
		const test = func => func >= 0 && wanted.found[func] === 1, is = func => wanted.one < 0 ? func : wanted.one;
		const callers = part(callersOf(tree, test, is), true), callees = part(calleesOf(tree, test, is), false);
		callers.row = callers.layout.depth;
		callees.row = callers.layout.depth;
		callees.skip = 1;
		parts = [callers, callees];
	} else {
		const only = part(tree, choice.view === "flame");
		only.row = only.up ? only.layout.depth : 0;
		parts = [only];
	}
	zoomed = choice.zoom >= 0 && choice.zoom < parts[0].layout.tree.nr && parts.length === 1 ? choice.zoom : -1;
	search();
	showAll();
	scrollHome();
}

/* The functions in the middle of the sandwich: those with the chosen name, in any file, inlined or not; otherwise the found ones.
 * They are shown as one function, `one`; if that is -1, each separately. null: none. */
function sandwichFunctions() {
	if (choice.func !== "") {
		const found = functionsNamed(data, name => name === choice.func), one = found.indexOf(1);
		return one < 0 ? null : { found, one };
	}
	const test = matcher();
	return test ? { found: functionsNamed(data, test), one: -1 } : null;
}

function rowsOfChart() {
	let rows = 0;
	for (const part of parts)
		rows = Math.max(rows, part.up ? part.row : part.row + part.layout.depth - (part.skip || 0));
	return rows;
}

function rowOf(part, level) {
	return part.up ? part.row - 1 - level : part.row + level - (part.skip || 0);
}

function levelOf(part, row) {
	const level = Math.floor(part.up ? part.row - row : row - part.row + (part.skip || 0));
	return level >= (part.skip || 0) && level < part.layout.depth ? level : -1;
}

function windowOf(layout) {
	if (zoomed < 0)
		return { from: 0, to: 1 };
	const from = layout.x[zoomed];
	return { from, to: from + Math.max(layout.tree.total[choice.side][zoomed] / layout.all, 1e-15) };
}

/* Height of the chart below the visible part. It is kept when the chart's size changes, so that a legend does not hide the roots. */
let below = 0;

function scrolled() {
	const box = $("scroller");
	below = Math.max(0, box.scrollHeight - box.clientHeight - box.scrollTop);
	repaint();
}

function scrollHome() {
	const box = $("scroller");
	box.scrollTop = choice.view === "flame" ? box.scrollHeight : 0;
	if (parts.length > 1)
		box.scrollTop = Math.max(0, parts[0].row * ROW - box.clientHeight / 2);
	scrolled();
}

/* --- drawing ---------------------------------------------------------------------------------------------------------------- */

function fillOf(layout, node) {
	const func = layout.tree.func[node], total = layout.tree.total;
	if (choice.colour === "d") {
		/* only changes beyond noise have a colour */
		const change = changeOf(func), share = total[0][node] / (tree.all[0] || 1), base = total[1][node] / (tree.all[1] || 1);
		return change && BEYOND_NOISE.includes(change.all) ? painter.differenceFill(share, base) : painter.differenceFill(0, 0);
	}
	const off = event().off ? 1 : event().wall ? total[2][node] / (total[0][node] || 1) : 0;
	if (choice.colour === "k" && off >= 0.5)
		return painter.offFill(off, nameOf(func));
	if (choice.colour === "r")
		return painter.ratioFill(total[2][node] / total[0][node] / (tree.all[2] / tree.all[0]));
	const key = func * 2 + (choice.colour === "f" ? 1 : 0);
	let fill = painter.fills.get(key);
	if (fill === undefined) {
		fill = choice.colour === "f" && func >= 0 ? painter.fileFill(fileOf(func), nameOf(func)) : painter.kindFill(kindOf(func), nameOf(func));
		painter.fills.set(key, fill);
	}
	return fill;
}

function paintPart(part, top, bottom) {
	const { layout } = part, window = windowOf(layout), ancestors = new Set();
	let hidden = 0;
	for (let node = zoomed >= 0 ? layout.tree.parent[zoomed] : -1; node >= 0; node = layout.tree.parent[node])
		ancestors.add(node);
	for (let level = part.skip || 0; level < layout.depth; level++) {
		const y = rowOf(part, level) * ROW - top;
		if (y + ROW < 0 || y > bottom - top)
			continue;
		hidden += eachSeen(layout, level, window, painter.width, (node, x, width) => {
			const left = Math.max(x, 0), size = Math.min(x + width, painter.width) - left, func = layout.tree.func[node];
			const match = matching && func >= 0 && matching[func];
			if (match && matchedBoxes.length < 4 * MATCHED_KEPT)
				matchedBoxes.push(left, y, left + size, y + ROW);
			painter.box(left, y, size, fillOf(layout, node), { dim: ancestors.has(node), match,
				selected: selected && selected.part === part && selected.node === node });
			painter.label(nameOf(func), left, y, size);
		});
	}
	return hidden;
}

/* Boxes of found functions on the canvas (left, top, right, bottom), which the tip does not cover. */
const MATCHED_KEPT = 5000;
let matchedBoxes = [];

function paint() {
	frame = 0;
	matchedBoxes = [];
	const box = $("scroller"), top = box.scrollTop;
	painter.clear();
	let hidden = 0;
	for (const part of parts)
		hidden += paintPart(part, top, top + painter.height);
	if (!tree.all[choice.side]) {
		painter.label("nothing was sampled here", 4, 4, painter.width);
	}
	$("notes").textContent = hidden ? `${countText(hidden)} ${hidden === 1 ? "box here is" : "boxes here are"} narrower than a pixel` : "";
	window.perfdata.frames++;
}

function repaint() {
	if (!frame)
		frame = requestAnimationFrame(paint);
}

function resize() {
	const box = $("scroller");
	if (!box.hidden) {
		painter.size(box.clientWidth, box.clientHeight);
		/* a flame graph lower than the viewport is at its bottom */
		if (parts.length === 1 && parts[0].up)
			parts[0].row = Math.max(parts[0].layout.depth, box.clientHeight / ROW);
		/* the canvas has the viewport's size and stays at its top, inside an element as high as all rows */
		$("tall").style.height = Math.max(rowsOfChart() * ROW, box.clientHeight) + "px";
		if (choice.view === "flame")
			box.scrollTop = box.scrollHeight - box.clientHeight - below;
		painter.context.font = painter.font;
		repaint();
	}
	showTime();
}

/* --- search ------------------------------------------------------------------------------------------------------------------------ */

/* A test for found functions: plain text, ignoring case, or a regular expression; null: no search text, or an invalid expression. */
function matcher() {
	try {
		return choice.search ? nameTest(choice.regex ? "/" : "~", choice.search) : null;
	} catch (error) {
		return null;
	}
}

function search() {
	const box = $("matched");
	matching = null;
	box.classList.remove("bad");
	box.textContent = "";
	window.perfdata.matched = null;
	const matches = matcher();
	for (const name of ["only-these", "without-these"])
		$(name).disabled = !matches;
	if (!matches) {
		if (choice.search) {
			box.classList.add("bad");
			box.textContent = "not a regular expression";
		}
		return;
	}
	matching = functionsNamed(data, matches);
	const outer = outermost(tree, func => func >= 0 && matching[func]);
	let sum = 0;
	for (let i = 0; i < tree.nr; i++)
		if (outer[i])
			sum += tree.total[choice.side][i];
	window.perfdata.matched = sum;
	box.textContent = `${shareText(sum, tree.all[choice.side])} matched`;
	box.title = amountText(sum);
}

function nextMatch(step) {
	if (!matching)
		return;
	const part = parts[0], order = part.layout.order;
	let at = selected && selected.part === part ? order.indexOf(selected.node) : step > 0 ? -1 : 0;
	for (let i = 0; i < order.length; i++) {
		at = (at + step + order.length) % order.length;
		const func = part.layout.tree.func[order[at]];
		if (func >= 0 && matching[func]) {
			select(part, order[at]);
			return;
		}
	}
}

/* --- selection --------------------------------------------------------------------------------------------------------------------- */

function levelOfNode(part, node) {
	let level = -1;
	for (; node >= 0; node = part.layout.tree.parent[node])
		level++;
	return level;
}

function select(part, node) {
	selected = { part, node };
	const box = $("scroller"), y = rowOf(part, levelOfNode(part, node)) * ROW;
	if (y < box.scrollTop)
		box.scrollTop = y;
	else if (y + ROW > box.scrollTop + box.clientHeight)
		box.scrollTop = y + ROW - box.clientHeight;
	$("selected").textContent = describe(part, node).join(" · ");
	repaint();
}

function move(key) {
	const part = selected ? selected.part : parts[0], layout = part.layout;
	if (!selected) {
		if (layout.order.length)
			select(part, zoomed >= 0 ? zoomed : layout.order[0]);
		return;
	}
	const node = selected.node, level = levelOfNode(part, node), at = firstBehind(layout, level, layout.x[node], 0);
	const deeper = part.up ? "ArrowUp" : "ArrowDown", higher = part.up ? "ArrowDown" : "ArrowUp";
	if (key === higher && layout.tree.parent[node] >= 0) {
		select(part, layout.tree.parent[node]);
	} else if (key === deeper && level + 1 < layout.depth) {
		const child = layout.order[firstBehind(layout, level + 1, layout.x[node], 0)];
		if (child !== undefined && layout.tree.parent[child] === node)
			select(part, child);
	} else if (key === "ArrowLeft" && at > layout.levels[level]) {
		select(part, layout.order[at - 1]);
	} else if (key === "ArrowRight" && at + 1 < layout.levels[level + 1]) {
		select(part, layout.order[at + 1]);
	}
}

function describe(part, node) {
	const t = part.layout.tree, func = t.func[node], side = choice.side, lines = [nameOf(func)];
	const kind = KINDS[kindOf(func)].name, place = [fileOf(func), sourceOf(func)].filter(Boolean).join(", ");
	lines.push(place ? `${kind}: ${place}` : kind);
	lines.push(`total ${amountText(t.total[side][node])}, ${shareText(t.total[side][node], tree.all[side])} of all`
		+ (zoomed >= 0 ? `, ${shareText(t.total[side][node], t.total[side][zoomed])} of the zoom` : ""));
	if (!part.up || parts.length === 1)
		lines.push(`self ${amountText(t.self[side][node])}, ${shareText(t.self[side][node], tree.all[side])}`);
	const other = besideOf(data, choice);
	if (other >= 0)
		lines.push(besideText(t.total[2][node], t.total[side][node]));
	if (data.meta.base !== null) {
		const share = t.total[0][node] / (tree.all[0] || 1), base = t.total[1][node] / (tree.all[1] || 1);
		lines.push(`share ${shareText(share, 1)}, in the base ${shareText(base, 1)}: ${signedShareText(share - base)}`);
		const change = changeOf(func);
		if (change)
			lines.push(`the function as diff has it: ${change.all} ${signedShareText(change.allDelta)}, by itself ${change.own} ${signedShareText(change.ownDelta)}`);
	}
	return lines;
}

function hit(e) {
	const box = $("scroller"), rect = painter.canvas.getBoundingClientRect();
	const x = e.clientX - rect.left, row = (e.clientY - rect.top + box.scrollTop) / ROW;
	if (x < 0 || x >= painter.width)
		return null;
	for (const part of parts) {
		const level = levelOf(part, row), window = windowOf(part.layout);
		const node = level < 0 ? -1 : nodeAt(part.layout, level, window.from + x / painter.width * (window.to - window.from));
		if (node >= 0)
			return { part, node };
	}
	return null;
}

function zoom(part, node) {
	if (parts.length > 1) {
		const func = part.layout.tree.func[node];
		if (func >= 0)
			sandwich(nameOf(func));
		return;
	}
	choice.zoom = part.layout.tree.parent[node] < 0 && part.layout.tree.total[choice.side][node] === tree.all[choice.side] ? -1 : node;
	zoomed = choice.zoom;
	repaint();
	toHash();
}

function sandwich(name) {
	choice.view = "sandwich";
	choice.func = name;
	choice.zoom = -1;
	arrange();
	toHash();
}

/* Parts of the state that reset changes and the tree or its layout depends on. */
function arrangementText() {
	return [choice.view, choice.func, choice.filters, choice.only, choice.first, choice.last, choice.from, choice.to].join("\n");
}

function reset() {
	const before = arrangementText();
	choice.zoom = zoomed = -1;
	choice.search = $("search").value = "";
	if (choice.view === "sandwich" || choice.view === "table")
		choice.view = "flame";
	choice.func = choice.filters = choice.only = "";
	choice.first = choice.from = 0;
	choice.last = choice.to = Infinity;
	if (arrangementText() === before) {
		selected = null;
		search();
		showAll();
		scrollHome();
	} else {
		build();
	}
	toHash();
}

/* --- tooltip ------------------------------------------------------------------------------------------------------------------------ */

function showTip(e, found) {
	const tip = $("tip");
	tip.hidden = !found;
	if (!found) {
		$("selected").textContent = selected ? describe(selected.part, selected.node).join(" · ") : "";
		return;
	}
	const lines = describe(found.part, found.node), name = document.createElement("b");
	name.textContent = lines[0].length > 600 ? lines[0].slice(0, 600) + "…" : lines[0];
	tip.replaceChildren(name, "\n" + lines.slice(1).join("\n"));
	const box = tip.getBoundingClientRect(), place = tipPlace(e, box);
	tip.style.visibility = place ? "visible" : "hidden";
	tip.style.left = (place ? place.left : 4) + "px";
	tip.style.top = (place ? place.top : 4) + "px";
	if (!place)
		$("selected").textContent = lines.join(" · ");
}

/* A place where the tip covers neither the pointed box, nor found boxes, nor the search field; null: none. */
function tipPlace(e, box) {
	const chart = painter.canvas.getBoundingClientRect(), search = $("search").getBoundingClientRect();
	const covers = (left, top) => {
		const right = left + box.width, bottom = top + box.height;
		if (left < search.right && right > search.left && top < search.bottom && bottom > search.top)
			return true;
		if (left <= e.clientX && right >= e.clientX && top <= e.clientY && bottom >= e.clientY)
			return true;
		for (let i = 0; i < matchedBoxes.length; i += 4)
			if (left < matchedBoxes[i + 2] + chart.left && right > matchedBoxes[i] + chart.left && top < matchedBoxes[i + 3] + chart.top
				&& bottom > matchedBoxes[i + 1] + chart.top)
				return true;
		return false;
	};
	const right = e.clientX + 12, left = e.clientX - box.width - 12, under = e.clientY + 18, over = e.clientY - box.height - 10;
	const far = innerWidth - box.width - 4, low = innerHeight - box.height - 4;
	const within = (value, most) => Math.max(4, Math.min(value, most));
	for (const [x, y] of [[right, under], [right, over], [left, under], [left, over], [4, under], [far, under], [4, over], [far, over], [far, 4], [4, 4], [far, low],
		[4, low]]) {
		const place = { left: within(x, far), top: within(y, low) };
		if (!covers(place.left, place.top))
			return place;
	}
	return null;
}
