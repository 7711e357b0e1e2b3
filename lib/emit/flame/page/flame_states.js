/* The time of one thread: a strip of cells, each divided by the states of the thread. */

const STATES_TALL = 26;
/* From the bottom to the top of a cell. */
const STATE_COLOURS = { "running": [135, 45], "run queue": [42, 85], "preempted": [24, 80], "sleeping": [210, 60], "uninterruptible": [350, 60],
	"off-CPU": [195, 40], "idle": [215, 12], "parked": [265, 25], "stopped": [290, 45], "traced": [310, 45], "dead": [0, 0] };
let stateStrip;

function stateFill(name) {
	const [hue, saturation] = STATE_COLOURS[name] || [0, 0];
	return hsl(hue, saturation * (stateStrip.dark ? 0.8 : 1), stateStrip.dark ? 42 : 66);
}

/* The cells of the chosen thread; null: not exactly one thread is chosen, or it has no cells. */
function chosenStates() {
	return choice.only[0] === "t" ? data.states.get(+choice.only.slice(1)) || null : null;
}

/* ns since the first bin. */
function cellBegin(cell) {
	return data.meta.states.at + cell * data.meta.states.width;
}

/* The visible time: from, to. */
function seenTime() {
	const window = timeWindow(), { width } = data.meta.time;
	return { from: window.from * width, to: (window.to + 1) * width };
}

/* Time in each state within the visible cells, longest first: [name, ns]. */
function stateSums(cells) {
	const { from, to } = seenTime(), { names, width } = data.meta.states, sums = new Map();
	for (const { cell, state, time } of cells)
		if (cellBegin(cell) + width > from && cellBegin(cell) < to)
			sums.set(names[state], (sums.get(names[state]) || 0) + time);
	return Array.from(sums).sort((a, b) => b[1] - a[1]);
}

function paintCell(times, left, width) {
	const all = Math.max(data.meta.states.width, times.reduce((sum, [, time]) => sum + time, 0));
	let bottom = STATES_TALL;
	for (const [name, time] of times) {
		const tall = time / all * STATES_TALL;
		stateStrip.context.fillStyle = stateFill(name);
		stateStrip.context.fillRect(left, bottom - tall, width, tall);
		bottom -= tall;
	}
}

/* The times of each cell in the order of colours. */
function eachCell(cells, take) {
	const { names } = data.meta.states, order = Object.keys(STATE_COLOURS);
	for (let at = 0; at < cells.length;) {
		const { cell } = cells[at], times = new Map();
		for (; at < cells.length && cells[at].cell === cell; at++)
			times.set(names[cells[at].state], (times.get(names[cells[at].state]) || 0) + cells[at].time);
		take(cell, Array.from(times).sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0])));
	}
}

function showStates() {
	const box = $("states-box"), cells = data.meta.time && data.meta.states ? chosenStates() : null;
	box.hidden = !cells;
	if (!cells)
		return;
	const { from, to } = seenTime(), { width } = data.meta.states, left = stripLeft();
	stateStrip.size($("strip-scroll").clientWidth, STATES_TALL);
	stateStrip.clear();
	stateStrip.context.fillStyle = stateStrip.panel;
	stateStrip.context.fillRect(left, 0, stateStrip.width - left, STATES_TALL);
	const scale = (stateStrip.width - left) / (to - from);
	eachCell(cells, (cell, times) => {
		const begin = Math.max(cellBegin(cell), from), end = Math.min(cellBegin(cell) + width, to);
		if (begin < end)
			paintCell(times, left + (begin - from) * scale, Math.max((end - begin) * scale, 0.5));
	});
	const sums = stateSums(cells), text = $("states-text"), all = sums.reduce((sum, [, time]) => sum + time, 0);
	text.replaceChildren();
	for (const [name, time] of sums) {
		const mark = document.createElement("i"), entry = document.createElement("span");
		mark.style.background = stateFill(name);
		entry.append(mark, `${name} ${weightText(time, "ns")}, ${shareText(time, all)}`);
		text.append(entry);
	}
	text.append(cell("span", `a cell is ${weightText(width, "ns")}: what is shorter is added up in it, as a part of its height`));
	$("states").setAttribute("aria-label", "states of the thread over time: " + sums.map(([name, time]) => `${name} ${shareText(time, all)}`).join(", "));
}

function listenStates() {
	$("states").addEventListener("pointermove", e => {
		const box = $("states").getBoundingClientRect(), { from, to } = seenTime(), left = stripLeft(), cells = chosenStates();
		const at = from + (e.clientX - box.left - left) / (stateStrip.width - left) * (to - from);
		let text = "nothing is known of the thread here";
		eachCell(cells || [], (cell, times) => {
			if (at >= cellBegin(cell) && at < cellBegin(cell) + data.meta.states.width)
				text = times.map(([name, time]) => `${name} ${weightText(time, "ns")}`).join(", ");
		});
		$("states").title = `${(at / 1e9).toFixed(4)} s: ${text}`;
	});
}
