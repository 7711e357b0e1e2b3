/* Instructions and lines of functions; doc/viewers.md describes their form. */

let annotations;                /* undefined: not read yet; null: the page has none */

async function readAnnotations() {
	if (annotations !== undefined)
		return;
	annotations = null;
	if (!$("annotations"))
		return;
	annotations = new Map();
	const document = JSON.parse(new TextDecoder().decode(await inflate($("annotations").textContent.trim())));
	for (const one of document.functions)
		annotations.set(`${visible(one.symbol || "")}\n${visible(one.dso || "")}`, one);
}

async function annotate(func) {
	if (func < 0)
		return;
	await readAnnotations();
	const found = annotations && annotations.get(`${nameOf(func)}\n${fileOf(func)}`);
	if (!found) {
		$("selected").textContent = annotations ? `${nameOf(func)}: only the heaviest functions have their instructions here; more with --annotate N`
			: "the page has no instructions: perfdata flamegraph --annotate N puts those of the N heaviest functions into it";
		return;
	}
	showAnnotation(found);
	$("annotate").showModal();
	$("annotate-rows").focus();
	const hottest = $("annotate-rows").querySelector("tr.hottest");
	if (hottest)
		hottest.scrollIntoView({ block: "center" });
}

function annotatedText(value, event) {
	return choice.unit === "s" ? countText(value) : weightText(value, data.meta.events[event].unit);
}

/* Samples or weight of an event; events that the page itself makes have none. */
function annotatedSum(sums, event) {
	return sums && sums[event] ? sums[event][choice.unit === "s" ? 0 : 1] : 0;
}

function aimAt(address, lines) {
	const row = lines.get(address);
	if (!row)
		return;
	for (const other of $("annotate-rows").querySelectorAll("tr.aimed"))
		other.classList.remove("aimed");
	row.classList.add("aimed");
	row.scrollIntoView({ block: "center" });
}

/* The counts of an instruction from branch stacks, as `annotate` prints them. */
function branchText(row) {
	const said = [];
	if (row.loop)
		said.push(`loop, ${countText(row.loop)} times back`);
	if (row.flow === "condition" && (row.taken || row.runs))
		said.push(`taken ${countText(row.taken)}, not ${countText(row.not_taken)}`);
	else if (row.taken)
		said.push(`taken ${countText(row.taken)}`);
	if (row.cycles)
		said.push(`${(row.cycles / row.cycles_runs).toPrecision(3)} cycles`);
	return said.join("; ");
}

function showAnnotation(one) {
	/* instructions have only time on the CPU */
	const shown = event().wall ? [data.meta.events.findIndex(e => !e.off && e.unit === "ns")] : [choice.event], other = besideOf(data, choice);
	if (other >= 0 && !event().wall)
		shown.push(other);
	const all = annotatedSum(one.sums, shown[0]) || 1, blocks = new Map(), lines = new Map(), aims = new Set(one.rows.map(row => row.target).filter(Boolean));
	for (const row of one.rows)
		blocks.set(row.block, (blocks.get(row.block) || 0) + annotatedSum(row.sums, shown[0]));
	const heaviest = Math.max(...blocks.values()), most = Math.max(...one.rows.map(row => annotatedSum(row.sums, shown[0])), 1);
	$("annotate-name").textContent = visible(one.symbol || "");
	$("annotate-facts").textContent = [visible(one.dso || ""), ...shown.map(at => `${eventName(data.meta.events[at])}: ${annotatedText(annotatedSum(one.sums, at), at)}`),
		one.no_code ? "no instructions: " + visible(one.no_code) : visible(one.decoder || "")].filter(Boolean).join(" · ") + " · of the whole recording";
	const table = document.createElement("table"), head = document.createElement("tr"), body = document.createElement("tbody");
	const counted = one.rows.some(row => row.runs !== undefined), lined = one.rows.some(row => row.source), hasInlined = one.rows.some(row => row.inlined);
	const columns = ["share", ...shown.map(at => eventName(data.meta.events[at])), ...(counted ? ["runs"] : []), "offset", "instruction", "goes to", ...(counted ? ["branches"] : []),
		...(lined ? ["line"] : []), ...(hasInlined ? ["inlined"] : [])];
	const texts = ["instruction", "goes to", "branches", "line", "inlined"];
	/* a narrow window has room for shares only */
	head.append(...columns.map((text, at) => cell("th", text, texts.includes(text) ? "name" : at > 0 && at <= shown.length ? "amount" : "")));
	let line = "", block;
	for (const row of one.rows) {
		const place = row.source ? `${visible(row.source)}:${row.line}` : "", value = annotatedSum(row.sums, shown[0]), made = document.createElement("tr");
		if (row.source_text && place !== line) {
			const source = document.createElement("tr"), text = cell("td", `${row.line}  ${visible(row.source_text).replace(/\\u0009/g, "\t")}`);
			text.colSpan = columns.length;
			source.className = "source";
			source.append(text);
			body.append(source);
		}
		line = place || line;
		made.classList.toggle("begins", row.block !== block);
		made.classList.toggle("hottest", heaviest > 0 && row.block !== undefined ? blocks.get(row.block) === heaviest : value === most && value > 0);
		block = row.block;
		const share = cell("td", value ? shareText(value, all) : "");
		share.style.background = value ? loadFill(value / most) : "";
		if (value)
			share.style.color = strip.text;
		made.append(share, ...shown.map(at => cell("td", annotatedSum(row.sums, at) ? annotatedText(annotatedSum(row.sums, at), at) : "", "amount")),
			...(counted ? [cell("td", row.runs ? countText(row.runs) : "")] : []), cell("td", `${aims.has(row.address) ? "→ " : ""}+${row.offset.toString(16)}`), cell("td", visible(row.text || row.address), "text"));
		const goes = cell("td", "", "text callee");
		if (row.target !== undefined) {
			const target = one.rows.find(other => other.address === row.target), down = target && target.offset > row.offset;
			goes.append(target ? button(`${down ? "↓" : "↑"} +${target.offset.toString(16)}`, () => aimAt(row.target, lines)) : visible(row.target));
		} else if (row.callee) {
			goes.title = visible(row.callee) + (row.callee_offset ? `+${row.callee_offset.toString(16)}` : "");
			goes.append(goes.title);
		}
		const short = cell("td", place.slice(place.lastIndexOf("/") + 1), "text");
		short.title = place;
		made.append(goes, ...(counted ? [cell("td", branchText(row), "text")] : []), ...(lined ? [short] : []), ...(hasInlined ? [cell("td", (row.inlined || []).map(call => visible(typeof call === "string" ? call : call.symbol || call.name || "")).join(" ← "), "text")] : []));
		lines.set(row.address, made);
		body.append(made);
	}
	const top = document.createElement("thead");
	top.append(head);
	table.append(top, body);
	$("annotate-rows").replaceChildren(table);
}
