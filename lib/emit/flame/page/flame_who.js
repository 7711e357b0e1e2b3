/* The list for choosing a thread, process, command or CPU, and the filters on stacks. */

/* --- the list ---------------------------------------------------------------------------------------------------------------- */

/* The list contains all entries; rows are made while it is scrolled. */
const WHO_ROWS = 200;
let whoRows = [];

function showWho() {
	const only = parseOnly(choice.only), box = $("only");
	box.classList.toggle("chosen", only !== null);
	if (only) {
		box.textContent = "only " + only.grouping.name(data, only.key);
		return;
	}
	const threads = sumsBy(data, { ...choice, only: "" }, GROUPINGS.t).length;
	box.textContent = threads === 1 ? "one thread" : `all of ${countText(threads)} threads`;
}

function openWho() {
	const kind = choice.only[0] || choice.roots || "t";
	$("who-kind").value = kind;
	$("who-search").value = "";
	$("who").showModal();
	listWho();
	$("who-search").focus();
}

function listWho() {
	const kind = $("who-kind").value, grouping = GROUPINGS[kind], wanted = $("who-search").value.toLowerCase();
	const sums = sumsBy(data, { ...choice, only: "" }, grouping), all = sums.reduce((sum, [, weight]) => sum + weight, 0);
	whoRows = [];
	for (const [key, weight] of sums) {
		const name = grouping.name(data, key);
		if (!wanted || name.toLowerCase().includes(wanted))
			whoRows.push({ value: kind + key, name, weight, all });
	}
	$("who-count").textContent = `${countText(whoRows.length)} of ${countText(sums.length)} ${grouping.many}, heaviest first`;
	$("who-list").replaceChildren();
	$("who-list").scrollTop = 0;
	moreWho();
}

function moreWho() {
	const list = $("who-list");
	for (const row of whoRows.slice(list.children.length, list.children.length + WHO_ROWS)) {
		const made = button("", () => {
			$("who").close();
			change("only", row.value);
		});
		made.setAttribute("role", "option");
		made.setAttribute("aria-selected", String(row.value === choice.only));
		made.append(cell("span", row.name, "name"), cell("span", `${amountText(row.weight)} · ${shareText(row.weight, row.all)}`, "number"));
		made.title = row.name;
		list.append(made);
	}
}

function whoKey(e) {
	const list = $("who-list"), at = Array.from(list.children).indexOf(document.activeElement);
	if (e.key === "ArrowDown" || e.key === "ArrowUp") {
		e.preventDefault();
		if (at + 1 === list.children.length)
			moreWho();
		const next = at + (e.key === "ArrowDown" ? 1 : -1);
		(list.children[next] || $("who-search")).focus();
	} else if (e.key === "Enter" && e.target === $("who-search") && list.children.length) {
		e.preventDefault();
		list.children[0].click();
	}
}

function listenWho() {
	$("who-kind").addEventListener("change", listWho);
	$("who-search").addEventListener("input", listWho);
	$("who-all").addEventListener("click", () => { $("who").close(); change("only", ""); });
	$("who-close").addEventListener("click", () => $("who").close());
	$("who").addEventListener("keydown", whoKey);
	$("who-list").addEventListener("scroll", e => {
		if (e.target.scrollTop + e.target.clientHeight > e.target.scrollHeight - 400)
			moreWho();
	});
}

/* --- filters on stacks ----------------------------------------------------------------------------------------------------------- */

function addFilter(sign, how, what) {
	if (what === "")
		return;
	const text = sign + how + what.replace(/\n/g, " "), filters = choice.filters ? choice.filters.split("\n") : [];
	if (!filters.includes(text))
		filters.push(text);
	change("filters", filters.join("\n"));
}

/* The searched text, or the selected function. */
function filterByChoice(sign) {
	if (matcher())
		addFilter(sign, choice.regex ? "/" : "~", choice.search);
	else if (selected && selected.part.layout.tree.func[selected.node] >= 0)
		addFilter(sign, "=", nameOf(selected.part.layout.tree.func[selected.node]));
}

function showFilters() {
	const filters = parseFilters(choice.filters);
	$("filters").replaceChildren(...filters.map(filter => {
		const made = button(filterText(filter) + " ×", () => change("filters", filters.filter(other => other !== filter).map(other => other.text).join("\n")));
		made.title = "take this filter away";
		return made;
	}));
}
