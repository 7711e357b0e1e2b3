/* Time: an overview strip, lanes of who ran, selecting a range of time, and zooming. */

const STRIP = 34, LANE = 14, LANES_MOST = 40;
let timeLanes = [];

/* Weights by bin and lane; laneOf(g) is the lane of a group of rows. */
function fillLanes(lanes, passes, laneOf) {
	const { groups } = data.rows[choice.event][0], weights = groupWeights(data, choice, 0);
	for (const lane of lanes)
		lane.bins = new Float64Array(data.meta.time.bins);
	for (let g = 0; g < groups.nr; g++)
		if (weights[g] && passes(g))
			laneOf(g).bins[groups.bin[g]] += weights[g];
	return lanes;
}

/* The busiest lanes, and one lane for all others. */
function lanesOf(kind) {
	const grouping = GROUPINGS[kind], { groups } = data.rows[choice.event][0], all = { ...choice, first: 0, last: Infinity };
	const sums = sumsBy(data, all, grouping), most = kind === "u" ? sums.length : LANES_MOST, others = sums.slice(most);
	const lanes = sums.slice(0, most).map(([key, sum]) => ({ key, sum, name: grouping.name(data, key) })), byKey = new Map(lanes.map(lane => [lane.key, lane]));
	const rest = { key: null, sum: others.reduce((sum, [, weight]) => sum + weight, 0), name: `${countText(others.length)} other ${grouping.many}` };
	if (kind === "u")
		lanes.sort((a, b) => a.key - b.key);
	if (others.length)
		lanes.push(rest);
	return fillLanes(lanes, groupTest(data, all, 0), g => byKey.get(grouping.key(data, groups, g)) || rest);
}

/* The visible bins. */
function timeWindow() {
	const nr = data.meta.time.bins, from = Math.max(0, Math.min(choice.from, nr - 1)), to = Math.min(Math.max(choice.to, from), nr - 1);
	return { from, to, nr: to - from + 1 };
}

function stripLeft() {
	return choice.lanes ? Math.min(170, strip.width * 0.3) : 0;
}

function loadFill(share) {
	return hsl(40 - 32 * share, strip.dark ? 70 : 85, strip.dark ? 24 + 30 * share : 88 - 40 * share);
}

function paintBins(bins, top, height, most, flat) {
	const { context } = strip, window = timeWindow(), left = stripLeft(), step = (strip.width - left) / window.nr;
	for (let bin = window.from; bin <= window.to; bin++) {
		const share = Math.min(1, bins[bin] / most);
		if (!share)
			continue;
		context.globalAlpha = bin >= choice.first && bin <= choice.last ? 1 : 0.3;
		context.fillStyle = loadFill(share);
		const tall = flat ? height - 1 : 6 + (height - 6) * share;
		context.fillRect(left + (bin - window.from) * step, top + height - tall - (flat ? 1 : 0), Math.max(step - (step > 3 ? 0.5 : 0), 0.5), tall);
	}
	context.globalAlpha = 1;
}

/* The weight of a full bin: a clock cannot count more time for a CPU or thread than the bin has. */
function fullBin(lanes) {
	const most = Math.max(1e-9, ...lanes.map(lane => Math.max(...lane.bins)));
	return choice.unit === "w" && event().unit === "ns" && (choice.lanes === "u" || choice.lanes === "t") ? Math.max(data.meta.time.width, most * 0.5) : most;
}

function showTime() {
	const box = $("strip-box");
	if (box.hidden)
		return;
	const passes = groupTest(data, { ...choice, first: 0, last: Infinity }, 0), all = {};
	fillLanes([all], passes, () => all);
	timeLanes = choice.lanes ? lanesOf(choice.lanes) : [];
	strip.size($("strip-scroll").clientWidth, STRIP + timeLanes.length * LANE);
	strip.clear();
	const window = timeWindow();
	paintBins(all.bins, 0, STRIP, Math.max(1e-9, ...all.bins.slice(window.from, window.to + 1)), false);
	const full = fullBin(timeLanes), left = stripLeft();
	timeLanes.forEach((lane, at) => {
		const top = STRIP + at * LANE;
		strip.label(lane.name, 0, top - (ROW - LANE) / 2, left - 4);
		strip.context.fillStyle = strip.panel;
		strip.context.fillRect(left, top, strip.width - left, LANE - 1);
		paintBins(lane.bins, top, LANE, full, true);
	});
	showStates();
	showRange();
}

function secondsText(bin) {
	return (data.meta.time.width * bin / 1e9).toFixed(data.meta.time.width * data.meta.time.bins < 2e9 ? 4 : 2);
}

function showRange() {
	const { bins } = data.meta.time, all = choice.first === 0 && choice.last === Infinity, last = Math.min(choice.last, bins - 1), window = timeWindow();
	const shown = window.nr < bins ? `; shown: ${secondsText(window.from)} s to ${secondsText(window.to + 1)} s` : "";
	const text = (all ? `${secondsText(bins)} s; drag to pick a range` : `${secondsText(choice.first)} s to ${secondsText(last + 1)} s`) + shown;
	$("range-text").textContent = text + (event().off || event().wall ? "; an interval off the CPU counts where it ends" : "");
	$("range-all").hidden = all && !shown;
	$("range-in").disabled = all || (choice.first === window.from && last === window.to);
	$("range-out").disabled = !shown;
	$("strip").setAttribute("aria-valuemax", String(bins));
	$("strip").setAttribute("aria-valuenow", String(choice.first));
	$("strip").setAttribute("aria-valuetext", text);
}

/* 1: the selected range fills the view; -1: the view becomes three times as long. */
function zoomTime(step) {
	if (!data.meta.time)
		return;
	const { bins } = data.meta.time, window = timeWindow();
	if (step > 0 && (choice.first > 0 || choice.last !== Infinity)) {
		choice.from = choice.first;
		choice.to = Math.min(choice.last, bins - 1);
	} else if (step < 0) {
		choice.from = Math.max(0, window.from - window.nr);
		choice.to = window.to + window.nr;
	}
	if (choice.to >= bins - 1)
		choice.to = Infinity;
	showTime();
	toHash();
}

function pickTime(first, last) {
	choice.first = first;
	choice.last = last >= data.meta.time.bins - 1 ? Infinity : last;
	choice.zoom = -1;
	build();
	toHash();
}

/* Arrow keys move the range, with Shift its end; Home and End go to the ends. False: another key. */
function stripKey(e) {
	const { bins } = data.meta.time, window = timeWindow(), all = choice.first === 0 && choice.last === Infinity;
	let first = all ? window.from : choice.first, last = all ? window.from : Math.min(choice.last, bins - 1);
	const step = Math.max(1, Math.round(window.nr / 100)) * (e.key === "ArrowLeft" ? -1 : 1);
	if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
		if (e.shiftKey)
			last = Math.max(first, Math.min(bins - 1, last + step));
		else if (first + step >= 0 && last + step < bins)
			[first, last] = [first + step, last + step];
	} else if (e.key === "Home" || e.key === "End") {
		const length = last - first;
		first = e.key === "Home" ? 0 : bins - 1 - length;
		last = first + length;
	} else {
		return false;
	}
	pickTime(first, last);
	return true;
}

function listenTime() {
	listenStates();
	const canvas = $("strip");
	const placeOf = e => {
		const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, left = stripLeft(), window = timeWindow();
		const lane = timeLanes[Math.floor((e.clientY - box.top - STRIP) / LANE)];
		const bin = window.from + Math.floor((x - left) / (strip.width - left) * window.nr);
		return { lane, label: x < left, bin: Math.max(window.from, Math.min(window.to, bin)) };
	};
	let from = -1;
	canvas.addEventListener("pointerdown", e => {
		const place = placeOf(e);
		if (place.label) {
			if (place.lane && place.lane.key !== null)
				change("only", choice.only ? "" : choice.lanes + place.lane.key);
			return;
		}
		from = place.bin;
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener("pointermove", e => {
		const place = placeOf(e);
		canvas.title = place.lane ? `${place.lane.name}: ${amountText(place.lane.bins[place.bin])} at ${secondsText(place.bin)} s; ${amountText(place.lane.sum)} in all` : "";
		if (from < 0)
			return;
		choice.first = Math.min(from, place.bin);
		choice.last = Math.max(from, place.bin);
		showTime();
	});
	canvas.addEventListener("pointerup", e => {
		if (from < 0)
			return;
		const to = placeOf(e).bin;
		pickTime(Math.min(from, to), Math.max(from, to));
		from = -1;
	});
	$("range-in").addEventListener("click", () => zoomTime(1));
	$("range-out").addEventListener("click", () => zoomTime(-1));
	$("range-all").addEventListener("click", () => {
		choice.from = 0;
		choice.to = Infinity;
		pickTime(0, Infinity);
	});
}
