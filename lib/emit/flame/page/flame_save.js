/* Saves or prints the view as a picture of the whole chart, with names as text nodes. */

const SVG = "http://www.w3.org/2000/svg", PICTURE_MARGIN = 10, PICTURE_HEAD = 44;

function svgElement(name, attributes, text) {
	const made = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(attributes))
		made.setAttribute(key, String(value));
	if (text !== undefined)
		made.textContent = text;
	return made;
}

/* Characters that XML forbids are written as escapes. */
function xmlText(text) {
	return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]|[\ud800-\udfff]/gu, c => c.codePointAt(0) > 0xffff ? c : "\ufffd");
}

function svgBox(part, node, x, y, width, letter) {
	const func = part.layout.tree.func[node], name = xmlText(nameOf(func)), group = svgElement("g", {});
	const match = matching && func >= 0 && matching[func];
	group.append(svgElement("title", {}, xmlText(describe(part, node).join("\n"))),
		svgElement("rect", { x: x.toFixed(2), y, width: Math.max(width - (width > 3 ? 1 : 0), 0.5).toFixed(2), height: ROW - 1,
			fill: match ? "#ff8ee0" : fillOf(part.layout, node) }));
	const room = Math.floor((width - 6) / letter);
	if (room >= LETTER_MIN)
		group.append(svgElement("text", { x: (x + 3).toFixed(2), y: y + ROW - 5 }, name.length > room ? name.slice(0, room - 1) + "…" : name));
	return group;
}

/* With light colours. */
function viewAsSvg(width) {
	const dark = painter.dark, letter = 6.7, chart = width - 2 * PICTURE_MARGIN;
	painter.dark = false;
	painter.fills.clear();
	let rows = 0, up = 0;
	const boxes = svgElement("g", { "font-family": "'DejaVu Sans Mono',monospace", "font-size": 11 });
	for (const part of parts)
		rows = Math.max(rows, part.up ? part.layout.depth : part.layout.depth - (part.skip || 0));
	for (const part of parts)
		if (part.up)
			up = part.layout.depth;
	for (const part of parts) {
		for (let level = part.skip || 0; level < part.layout.depth; level++) {
			const row = part.up ? up - 1 - level : up + level - (part.skip || 0);
			eachSeen(part.layout, level, windowOf(part.layout), chart, (node, x, size) => {
				const left = Math.max(x, 0);
				boxes.append(svgBox(part, node, PICTURE_MARGIN + left, PICTURE_HEAD + row * ROW, Math.min(x + size, chart) - left, letter));
			});
		}
	}
	painter.dark = dark;
	painter.fills.clear();
	const last = parts[parts.length - 1], below = last.up ? 0 : last.layout.depth - (last.skip || 0), height = PICTURE_HEAD + (up + below) * ROW + PICTURE_MARGIN;
	const svg = svgElement("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "'DejaVu Sans',sans-serif", "font-size": 12 });
	svg.append(svgElement("rect", { width, height, fill: "#fff" }), svgElement("text", { x: PICTURE_MARGIN, y: 16, "font-weight": 600 }, xmlText(document.title)),
		svgElement("text", { x: PICTURE_MARGIN, y: 34 }, xmlText(viewText())), boxes);
	return svg;
}

/* Describes the view in a line. */
function viewText() {
	const said = [event().name, $("scope").textContent];
	if (choice.only)
		said.push($("only").textContent);
	said.push(...parseFilters(choice.filters).map(filterText));
	if (choice.first > 0 || choice.last !== Infinity)
		said.push($("range-text").textContent);
	return said.map(visible).join("; ");
}

function saveSvg() {
	if (choice.view === "table")
		return;
	const text = new XMLSerializer().serializeToString(viewAsSvg(Math.max(600, painter.width)));
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
	link.download = "flamegraph.svg";
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function listenPrint() {
	window.addEventListener("beforeprint", () => {
		if (choice.view !== "table")
			$("print").replaceChildren(viewAsSvg(1000));
	});
	window.addEventListener("afterprint", () => $("print").replaceChildren());
}
