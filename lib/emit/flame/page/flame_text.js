/* Numbers as readable text. */

function scaled(value, steps, unit) {
	let step = 0;
	while (step + 1 < steps.length && Math.abs(value) >= steps[step + 1][0])
		step++;
	const shown = value / steps[step][0];
	return `${step && shown < 100 ? shown.toPrecision(3) : Math.round(shown * 10) / 10} ${steps[step][1]}${unit}`.trim();
}

function weightText(value, unit) {
	if (unit === "ns")
		return scaled(value, [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]], "");
	return scaled(value, [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"]], unit ? " " + unit : "");
}

function countText(value) {
	return value.toLocaleString("en-US");
}

function shareText(value, all) {
	const percent = all ? value / all * 100 : 0;
	return (percent >= 99.995 ? "100" : percent >= 10 ? percent.toFixed(1) : percent.toFixed(2)) + " %";
}

function signedShareText(difference) {
	return (difference > 0 ? "+" : difference < 0 ? "−" : "±") + Math.abs(difference * 100).toFixed(2) + " %";
}
