/* Draws only visible rows, and only boxes of at least a pixel. */

const ROW = 18, LETTER_MIN = 3;
const KINDS = [
	{ name: "user", hue: 46, saturation: 85 }, { name: "kernel", hue: 14, saturation: 80 }, { name: "inlined", hue: 84, saturation: 55 },
	{ name: "inlined, kernel", hue: 330, saturation: 55 }, { name: "JIT", hue: 155, saturation: 55 }, { name: "no name", hue: 0, saturation: 0 },
	{ name: "guest", hue: 275, saturation: 55 }, { name: "who ran", hue: 215, saturation: 40 }, { name: "off the CPU", hue: 195, saturation: 60 },
	{ name: "left out", hue: 0, saturation: 0 }, { name: "not in this bundle", hue: 0, saturation: 0 },
];
const KIND_THREAD = 7, KIND_OFF = 8;

function hash(text) {
	let value = 2166136261;
	for (let i = 0; i < text.length; i++)
		value = Math.imul(value ^ text.charCodeAt(i), 16777619);
	return value >>> 0;
}

function hsl(hue, saturation, light) {
	return `hsl(${hue} ${saturation}% ${light}%)`;
}

class Painter {
	constructor(canvas) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d");
		this.fills = new Map();
	}

	/* Resizes the canvas to the viewport, in device pixels. */
	size(width, height) {
		const ratio = window.devicePixelRatio || 1;
		this.width = width;
		this.height = height;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = width + "px";
		this.canvas.style.height = height + "px";
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
	}

	theme(dark) {
		this.dark = dark;
		this.fills.clear();
		const style = getComputedStyle(document.documentElement);
		this.back = style.getPropertyValue("--back").trim();
		this.panel = style.getPropertyValue("--panel").trim();
		this.text = dark ? "#f4f4f6" : "#16161a";
		this.font = '12px ui-monospace, "DejaVu Sans Mono", monospace';
		this.context.font = this.font;
		this.letter = this.context.measureText("mmmmmmmmmm").width / 10;
	}

	light(variation) {
		return this.dark ? 27 + variation % 8 : 72 + variation % 9;
	}

	kindFill(kind, name) {
		const variation = hash(name), row = KINDS[kind] || KINDS[0];
		const saturation = this.dark ? row.saturation * 0.62 : row.saturation;
		return hsl(row.hue + (row.saturation ? variation % 13 - 6 : 0), saturation, this.light(variation >>> 8));
	}

	fileFill(file, name) {
		return hsl(hash(file) % 360, this.dark ? 38 : 62, this.light(hash(name)));
	}

	/* Red for more, blue for less, by the difference of shares; 0 is neutral. */
	differenceFill(share, base) {
		const growth = share - base, strength = Math.min(1, Math.sqrt(Math.abs(growth)) * 2.2);
		if (Math.abs(growth) < 1e-9)
			return hsl(0, 0, this.dark ? 34 : 86);
		return hsl(growth > 0 ? 8 : 218, 75, this.dark ? 34 - 6 * (1 - strength) : 90 - 28 * strength);
	}

	/* Red for more than the average ratio, blue for less; the colour is deepest at a factor of four. */
	ratioFill(ratio) {
		if (!(ratio > 0) || !isFinite(ratio))
			return hsl(0, 0, this.dark ? 24 : 95);
		const strength = Math.min(1, Math.abs(Math.log2(ratio)) / 2);
		return strength < 0.03 ? hsl(0, 0, this.dark ? 34 : 86) : hsl(ratio > 1 ? 8 : 218, 30 + 50 * strength, this.dark ? 34 - 6 * (1 - strength) : 92 - 30 * strength);
	}

	/* Nodes with time off the CPU, all or in part. */
	offFill(part, name) {
		return hsl(195, (this.dark ? 38 : 62) * part, this.light(hash(name) >>> 8));
	}

	clear() {
		this.context.fillStyle = this.back;
		this.context.fillRect(0, 0, this.width, this.height);
		this.context.font = this.font;
		this.context.textBaseline = "middle";
	}

	label(text, x, y, width) {
		const room = Math.floor((width - 6) / this.letter);
		if (room < LETTER_MIN)
			return;
		if (text.length > room)
			text = text.slice(0, room - 1) + "…";
		this.context.fillStyle = this.text;
		this.context.save();
		this.context.beginPath();
		this.context.rect(x, y, width - 1, ROW);
		this.context.clip();
		this.context.fillText(text, x + 3, y + ROW / 2);
		this.context.restore();
	}

	box(x, y, width, fill, options) {
		const context = this.context;
		context.globalAlpha = options.dim ? 0.45 : 1;
		context.fillStyle = options.match ? (this.dark ? "#a02b8a" : "#ff8ee0") : fill;
		context.fillRect(x, y, Math.max(width - (width > 3 ? 1 : 0), 0.5), ROW - 1);
		context.globalAlpha = 1;
		if (options.selected) {
			context.strokeStyle = this.dark ? "#fff" : "#000";
			context.lineWidth = 2;
			context.strokeRect(x + 1, y + 1, Math.max(width - 3, 1), ROW - 3);
		}
	}
}

/* The first place of a level, from `low` on, whose node ends right of x. It is usually near, so steps double until they pass it. */
function firstBehind(layout, level, x, low) {
	const { order, levels, x: left, tree, side, all } = layout, total = tree.total[side], end = levels[level + 1];
	const isBehind = at => left[order[at]] + total[order[at]] / all > x;
	low = Math.max(low, levels[level]);
	let high = low;
	for (let step = 1; high < end && !isBehind(high); step *= 2) {
		low = high + 1;
		high += step;
	}
	high = Math.min(high, end);
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (isBehind(middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Calls draw(node, x, width) for the visible nodes of a level; of nodes below a pixel one is drawn for each pixel. */
function eachSeen(layout, level, window, width, draw) {
	const { order, levels, x, tree, side, all } = layout, total = tree.total[side], scale = width / (window.to - window.from);
	let at = firstBehind(layout, level, window.from, 0), hidden = 0;
	while (at < levels[level + 1]) {
		const node = order[at];
		if (x[node] >= window.to)
			break;
		const left = (x[node] - window.from) * scale, size = total[node] / all * scale;
		draw(node, left, size);
		if (size >= 1) {
			at++;
			continue;
		}
		const next = firstBehind(layout, level, window.from + (Math.floor(left) + 1) / scale, at + 1);
		hidden += next - at - 1;
		at = next;
	}
	return hidden;
}

/* The node of a level at x; -1: none. */
function nodeAt(layout, level, x) {
	if (level < 0 || level >= layout.depth)
		return -1;
	const at = firstBehind(layout, level, x, 0);
	if (at >= layout.levels[level + 1])
		return -1;
	const node = layout.order[at];
	return layout.x[node] <= x ? node : -1;
}
