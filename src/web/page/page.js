// SPDX-License-Identifier: MIT
// The page: a worker converts the recording that the user drops. build_page.js joins this script, client.js, the worker and the
// module to one file. Text of a recording becomes text nodes only, or is shown in a frame without this page's origin.

const $ = (id) => document.getElementById(id);
const VIEWS = ['start', 'flame', 'report', 'threads', 'findings', 'convert'];
const ROWS = ['symbol', 'dso', 'comm', 'process', 'thread', 'cpu', 'event', 'line'];
const ROW_NAMES = { symbol: 'functions', dso: 'files', comm: 'commands', process: 'processes', thread: 'threads', cpu: 'CPUs', event: 'events', line: 'source lines' };
const OF_NAMES = new Set(['symbol', 'line']);   // other kinds of rows need no names
const MOST_ROWS = 1000, MOST_FINDINGS = 1000;

/** The open recording and bundle, facts about the recording, and pages for frames. */
let now = { recording: null, bundle: null };
let client, facts, abort = new AbortController(), sorted = 'self';

function element(name, properties = {}, ...children) {
	const made = Object.assign(document.createElement(name), properties);
	made.append(...children);
	return made;
}

// --- numbers ----------------------------------------------------------------------------------------------------------------------

function sizeText(bytes) {
	const units = ['bytes', 'KB', 'MB', 'GB'];
	let at = 0;
	for (; bytes >= 1000 && at < 3; at++)
		bytes /= 1000;
	return `${at ? bytes.toFixed(1) : bytes} ${units[at]}`;
}

const countText = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');
const percentText = (part, whole) => whole ? (100 * part / whole).toFixed(2) : '';

function weightText(weight, unit) {
	if (unit !== 'ns' || !weight)
		return countText(weight);
	return weight >= 1e9 ? `${(weight / 1e9).toFixed(2)} s` : weight >= 1e6 ? `${(weight / 1e6).toFixed(2)} ms` : `${(weight / 1e3).toFixed(1)} µs`;
}

// --- messages ---------------------------------------------------------------------------------------------------------------------

function showMessage(text) {
	$('message').textContent = text;
	$('message').hidden = !text;
}

function showFailure(error, doing) {
	showMessage(error.name === 'AbortError' ? `${doing}: stopped` : `${now.recording?.name ?? 'recording'}: ${doing}: ${error.message}`);
}

/** A name quoted for a shell. */
const quoted = (name) => /^[\w.,+@%:/-]+$/.test(name) && name[0] !== '-' ? name : `'${name.replaceAll("'", "'\\''")}'`;

function showUnnamed(report) {
	const samples = report.events.reduce((sum, event) => sum + event.samples, 0), nameless = report.events.reduce((sum, event) => sum + event.nameless_samples, 0);
	$('unnamed').hidden = nameless < samples / 20 || !samples;
	const share = `${percentText(nameless, samples)} % of the samples have no function name`;
	if (now.bundle)
		$('unnamed').replaceChildren(`${share}: the bundle ${now.bundle.name} does not hold the files that they are in.`);
	else
		$('unnamed').replaceChildren(`${share}: run `, element('code', { textContent: `perfdata bundle ${quoted(now.recording.name)} -o symbols.tar.zst` }),
			' where it was recorded, and drop symbols.tar.zst here.');
}

// --- work -------------------------------------------------------------------------------------------------------------------------

let working = 0;

function countWork(change) {
	working += change;
	$('work').hidden = !working;
}

/** Converts, and shows progress. null: it failed or was stopped, and the page says so. */
async function ask(doing, format, options = {}) {
	const { signal } = abort, asked = now.recording;
	countWork(1);
	$('doing').textContent = doing;
	$('progress').removeAttribute('value');
	try {
		const answer = await client.convert(asked, format, {
			...options, name: asked.name, symbols: options.names === false ? undefined : now.bundle ?? undefined, signal,
			onFinding: takeFinding,
			onProgress(done, total) {
				$('doing').textContent = doing;
				if (total)
					$('progress').value = done / total;
			},
		});
		return asked === now.recording ? answer : null;
	} catch (error) {
		if (asked === now.recording)
			showFailure(error, doing);
		return null;
	} finally {
		countWork(-1);
	}
}

function takeFinding(finding) {
	const key = JSON.stringify(finding);
	if (!now.findings || now.findings.has(key))
		return;
	if (now.findings.size < MOST_FINDINGS)
		now.findings.set(key, finding);
	now.findingsShown = false;
	$('tab-findings').textContent = `Findings (${now.findings.size}${now.findings.size === MOST_FINDINGS ? ' or more' : ''})`;
	if (!$('findings').hidden)
		requestAnimationFrame(showFindings);
}

async function reportBy(by) {
	now.reports[by] ??= ask(`report by ${by}`, 'report', { settings: { json: true, by, top: String(MOST_ROWS) }, ...(OF_NAMES.has(by) ? {} : { names: false }) })
		.then((answer) => {
			if (!answer)
				delete now.reports[by];
			return answer && JSON.parse(answer.text());
		});
	return now.reports[by];
}

// --- time of threads --------------------------------------------------------------------------------------------------------------

/** The rows of a CSV table as objects, with names from its header. */
function rowsOfCsv(text) {
	const rows = [[]];
	for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
		rows.at(-1).push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain);
		if (end === '')
			break;
		if (end !== ',')
			rows.push([]);
	}
	const names = rows.shift();
	return rows.filter((row) => row.length === names.length).map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
}

const sumOf = (rows, column) => rows.reduce((sum, row) => sum + Number(row[column]), 0);

/** Whether the recording may have waits or system calls: switches, or events that begin one. Others need no further reading. */
const hasTimes = () => (now.meta.events ?? []).some(({ name, attr }) => attr?.attr_flags?.context_switch || /^(sched:sched_switch|raw_syscalls:|syscalls:|offcpu-time)/.test(name));

async function threadTimes() {
	if (!hasTimes())
		return null;
	now.times.threads ??= ask('time of threads', 'csv', { settings: { table: 'threads_time' }, names: false }).then((answer) => answer && rowsOfCsv(answer.text()));
	return now.times.threads;
}

/** Sums of the times of all threads: pairs of name and text. */
function timeLines() {
	const rows = now.threadTimes, events = now.meta.events ?? [], lines = [];
	if (!rows)
		return !hasTimes() && now.report.events.some(({ unit }) => unit === 'ns') ? [['off-CPU', 'not recorded; perf record --switch-events records times, -e sched:sched_switch -c 1 -g also stacks']] : [];
	const waits = sumOf(rows, 'off_count'), calls = sumOf(rows, 'syscalls'), gaps = sumOf(rows, 'gaps'), seconds = (column) => weightText(sumOf(rows, column), 'ns');
	if (sumOf(rows, 'run_count'))
		lines.push(['on the CPU', `${countText(rows.length)} threads, ${seconds('run_ns')}`]);
	if (waits)
		lines.push(['off-CPU', `${countText(waits)} waits, ${seconds('off_ns')}: asleep ${seconds('sleep_ns')}, for disks and the like ${seconds('uninterruptible_ns')}, `
			+ `ready to run ${seconds('runq_ns')}${gaps ? `; ${countText(gaps)} times unknown` : ''}`]);
	else if (events.some(({ name }) => name === 'sched:sched_switch'))
		lines.push(['off-CPU', 'unknown, since sched_switch was sampled: perf record -c 1 has every switch']);
	if (calls)
		lines.push(['system calls', `${countText(calls)} calls, ${seconds('syscall_ns')}`]);
	return lines;
}

function timeTable(rows) {
	const COLUMNS = [['run_ns', 'on the CPU'], ['off_ns', 'off the CPU'], ['runq_ns', 'ready to run'], ['syscall_ns', 'in system calls']].filter(([column]) => sumOf(rows, column));
	const weigh = (row) => Number(row.run_ns) + Number(row.off_ns) + Number(row.syscall_ns), number = (text) => element('td', { className: 'number', textContent: text });
	const body = [...rows].sort((a, b) => weigh(b) - weigh(a)).slice(0, MOST_ROWS).map((row) => element('tr', {}, ...COLUMNS.map(([column]) => number(row[column] === '' ? '' : weightText(Number(row[column]), 'ns'))),
		element('td', { className: 'name', textContent: row.comm }), element('td', { className: 'file soft', textContent: `pid ${row.pid}, tid ${row.tid}` })));
	const left = rows.length > MOST_ROWS ? [element('p', { className: 'soft', textContent: `${countText(rows.length - MOST_ROWS)} more rows are not shown; Convert saves all of them` })] : [];
	return [element('table', {}, element('thead', {}, element('tr', {}, ...COLUMNS.map(([, name]) => element('th', { className: 'number', textContent: name })), element('th', { textContent: 'thread' }), element('th', {}))),
		element('tbody', {}, ...body)), ...left];
}

// --- opening ----------------------------------------------------------------------------------------------------------------------

const isBundle = (file) => /\.tar(\.\w+)?$|\.t[gxz]z$|\.tzst$/i.test(file.name);

function take(files) {
	const bundle = files.find(isBundle), recording = files.find((file) => !isBundle(file));
	if (!bundle && !recording)
		return;
	if (bundle)
		now.bundle = bundle;
	else if (recording !== now.recording)
		now.bundle = null;
	if (recording || now.recording)
		show(recording ?? now.recording, now.bundle);
	else
		$('given').textContent = `${bundle.name}; now open a recording`;
}

async function show(recording, bundle) {
	abort.abort();
	abort = new AbortController();
	for (const url of now.urls ?? [])
		URL.revokeObjectURL(url);
	now = { recording, bundle, reports: {}, findings: new Map(), urls: [], times: { given: performance.now() } };
	showMessage('');
	$('unnamed').hidden = true;
	$('tab-findings').textContent = 'Findings';
	for (const id of ['start', 'flame', 'lanes', 'rows', 'thread-rows', 'outputs', 'findings'])
		$(id).replaceChildren();
	$('given').textContent = `${recording.name}, ${sizeText(recording.size)}${bundle ? `, names from ${bundle.name}` : ''}`;
	document.title = `${recording.name} – perfdata`;
	document.querySelector('nav').hidden = false;
	select(now.wanted = 'start');
	countWork(1);
	await answerFirst(now);
	countWork(-1);
}

/** The first view: facts of the header, the picture, how many samples have names. */
async function answerFirst(mine) {
	const head = await ask('header', 'ndjson', { limit: 1, order: 'file', names: false });
	if (!head || mine !== now)
		return;
	now.meta = JSON.parse(head.text().split('\n', 1)[0]);
	showStart();
	const page = await ask('flame graph', 'flamegraph');
	if (!page || mine !== now)
		return;
	now.url = URL.createObjectURL(new Blob([page.bytes], { type: 'text/html' }));
	now.urls.push(now.url);
	showFrame($('flame'), now.url, 'flame graph');
	if (now.wanted === 'start')
		select('flame');
	const report = await reportBy('symbol');
	if (!report || mine !== now)
		return;
	now.report = report;
	showUnnamed(report);
	showStart();
	const times = await threadTimes();
	if (times && mine === now) {
		now.threadTimes = times;
		showStart();
	}
}

/** A frame without an origin: its content can access neither this page nor a network. */
function showFrame(place, url, title) {
	const frame = element('iframe', { title });
	frame.sandbox = 'allow-scripts allow-downloads';
	frame.addEventListener('load', () => { now.times.shown ??= performance.now(); });
	frame.src = url;
	place.replaceChildren(frame);
}

// --- views ------------------------------------------------------------------------------------------------------------------------

function select(view) {
	$('welcome').hidden = true;
	for (const name of VIEWS) {
		$(name).hidden = name !== view;
		$(`tab-${name}`).setAttribute('aria-selected', String(name === view));
		$(`tab-${name}`).tabIndex = name === view ? 0 : -1;
	}
	if (view === 'report')
		showReport();
	else if (view === 'threads')
		showThreads();
	else if (view === 'findings')
		showFindings();
}

function showStart() {
	const { meta, report } = now, { features = {}, header = {} } = meta, rows = [];
	const put = (name, text) => { if (text !== undefined && text !== null && text !== '') rows.push(element('tr', {}, element('th', { textContent: name }), element('td', { textContent: text }))); };
	put('recording', `${now.recording.name}: ${meta.container}, ${meta.byte_order}-endian, ${sizeText(now.recording.size)}${meta.packing === 'none' ? '' : `, packed (${meta.packing})`}`);
	const wall = features.clock_data?.wall_clock;
	if (wall)
		put('recorded', new Date(wall / 1e6).toISOString().replace(/T/, ' ').replace(/\..*/, ' UTC'));
	put('command', Array.isArray(features.cmdline) ? features.cmdline.join(' ') : undefined);
	put('host', features.hostname);
	put('kernel', features.osrelease);
	put('machine', [features.arch, features.cpudesc, features.nrcpus && `${features.nrcpus.online} CPUs`].filter(Boolean).join(', '));
	put('perf', features.version);
	if (report) {
		put('lost', report.lost_records || report.lost_samples ? `${countText(report.lost_records)} records, ${countText(report.lost_samples)} samples` : 'nothing');
		if (!report.complete)
			put('complete', 'no, it is damaged or was cut; what can be read is read: see Findings');
		if (report.last_time > report.first_time)
			put('duration', `${((report.last_time - report.first_time) / 1e9).toFixed(3)} s`);
		for (const event of report.events)
			put('event', `${event.event}: ${countText(event.samples)} samples, ${weightText(event.weight, event.unit)}`);
		const samples = report.events.reduce((sum, event) => sum + event.samples, 0);
		if (samples)
			put('names', `${percentText(samples - report.events.reduce((sum, event) => sum + event.nameless_samples, 0), samples)} % of samples`);
		for (const [name, text] of timeLines())
			put(name, text);
	} else {
		for (const event of meta.events ?? [])
			put('event', event.name);
	}
	const next = [['flame', 'the stacks as a picture'], ['report', 'where the time goes, as a table'], ['threads', 'which thread ran when'], ['convert', 'save it in another format']];
	$('start').replaceChildren(element('table', {}, element('tbody', {}, ...rows)),
		element('p', {}, ...next.flatMap(([view, what]) => [element('button', { textContent: $(`tab-${view}`).textContent, onclick: () => select(now.wanted = view) }), ` ${what}  `])));
}

function tableRows(event, by, filter) {
	const wanted = filter.toLowerCase(), stacks = event.rows.some((row) => row.total_samples !== undefined);
	const nameOf = (row) => by === 'line' && row.line ? `${row.source}:${row.line}` : String(row[by] ?? row.symbol ?? '');
	const at = (row) => by === 'line' && row.line ? row.symbol ?? '' : by === 'symbol' || by === 'line' ? row.dso ?? '' : row.pid !== undefined ? `pid ${row.pid}${row.tid !== undefined ? `, tid ${row.tid}` : ''}` : '';
	const weigh = (row) => sorted === 'total' && stacks ? row.total_weight : sorted === 'self' ? row.self_weight : 0;
	const rows = event.rows.filter((row) => !wanted || nameOf(row).toLowerCase().includes(wanted) || at(row).toLowerCase().includes(wanted))
		.sort((a, b) => sorted === 'name' ? nameOf(a).localeCompare(nameOf(b)) : weigh(b) - weigh(a));
	const head = (text, key, properties = {}) => element('th', { ...properties, ariaSort: sorted === key ? 'descending' : 'none' },
		key ? element('button', { type: 'button', textContent: text, onclick: () => { sorted = key; showReport(); } }) : text);
	const number = (text) => element('td', { className: 'number', textContent: text });
	const body = rows.map((row) => element('tr', {}, number(percentText(row.self_weight, event.weight)), ...(stacks ? [number(percentText(row.total_weight ?? 0, event.weight))] : []),
		element('td', { className: 'number samples', textContent: countText(row.self_samples) }), number(weightText(row.self_weight, event.unit)), element('td', { className: 'name', textContent: nameOf(row) }),
		element('td', { className: 'file soft', textContent: at(row) })));
	const left = event.rows_left_out ? [element('p', { className: 'soft', textContent: `${countText(event.rows_left_out)} more rows are not shown; Convert saves all of them` })] : [];
	return [element('table', {}, element('thead', {}, element('tr', {}, head('self %', 'self', { className: 'number' }), ...(stacks ? [head('total %', 'total', { className: 'number' })] : []),
		head('samples', null, { className: 'number samples' }), head('weight', null, { className: 'number' }), head('name', 'name'), head(by === 'symbol' ? 'file' : '', null, { className: 'file' }))),
	element('tbody', {}, ...body)), ...left];
}

async function showReport() {
	const by = $('by').value, report = await reportBy(by);
	if (!report || by !== $('by').value)
		return;
	const chosen = Math.min(Math.max($('event').selectedIndex, 0), report.events.length - 1);
	$('event').replaceChildren(...report.events.map((event) => element('option', { textContent: event.event })));
	$('event').selectedIndex = chosen;
	if (chosen < 0)
		$('rows').replaceChildren('no samples');
	else
		$('rows').replaceChildren(...tableRows(report.events[chosen], by, $('search').value));
}

async function showThreads() {
	const asked = now, report = await reportBy('thread'), times = await threadTimes();
	if (!report || asked !== now)
		return;
	const timed = times?.length ? [element('h3', { textContent: 'time' }), ...timeTable(times)] : [];
	$('thread-rows').replaceChildren(...timed, ...report.events.flatMap((event) => [element('h3', { textContent: `${event.event}: ${countText(event.samples)} samples` }), ...tableRows(event, 'thread', '')]));
	if (now.url && !$('lanes').firstChild)
		showFrame($('lanes'), `${now.url}#lanes=t&roots=t`, 'threads over time');
}

function showFindings() {
	if (now.findingsShown)
		return;
	now.findingsShown = true;
	const advice = new Map(facts.findings.map((row) => [row.code, row]));
	const rows = [...now.findings.values()].flatMap((finding) => {
		const { meaning = '', advice: help = '' } = advice.get(finding.code) ?? {};
		return [element('dt', { textContent: `${finding.severity} ${finding.code}${finding.offset ? `, offset 0x${BigInt(finding.offset).toString(16)}` : ''}: ${finding.message}` }),
			element('dd', { className: 'soft', textContent: [meaning, help].filter(Boolean).join(' ') })];
	});
	$('findings').replaceChildren(rows.length ? element('dl', {}, ...rows) : 'Nothing is wrong with this recording.');
}

// --- converting -------------------------------------------------------------------------------------------------------------------

const formatNow = () => facts.formats.find(({ name }) => name === $('format').value);

function showOptions() {
	const { help, options, names } = formatNow();
	$('help').textContent = help;
	const fields = options.map((option) => {
		const input = element('input', option.flag ? { type: 'checkbox' } : { type: 'text', spellcheck: false });
		input.dataset.option = option.name;
		return element('label', {}, input, element('span', {}, option.name, element('span', { className: 'about', textContent: ` ${option.help}` })));
	});
	const named = element('input', { type: 'checkbox', id: 'symbols', checked: names || !!now.bundle });
	$('options').replaceChildren(element('label', {}, named, element('span', {}, 'symbols', element('span', { className: 'about', textContent: ' names of functions, from the recording and the bundle' }))),
		element('label', {}, element('input', { type: 'text', id: 'limit', inputMode: 'numeric' }), element('span', {}, 'limit', element('span', { className: 'about', textContent: ' stop after so many records' }))), ...fields);
}

async function convertNow(event) {
	event.preventDefault();
	const { name, suffix, mime } = formatNow(), settings = {};
	for (const input of $('options').querySelectorAll('[data-option]'))
		if (input.type === 'checkbox' ? input.checked : input.value)
			settings[input.dataset.option] = input.type === 'checkbox' ? true : input.value;
	showMessage('');
	$('outputs').replaceChildren();
	const answer = await ask(name, name, { settings, names: $('symbols').checked, limit: Number($('limit').value) || 0 });
	if (!answer)
		return;
	const files = Object.entries(answer.files), base = now.recording.name.replace(/\.(data|zst|gz|xz)$/, '');
	const outputs = files.length ? files.map(([table, bytes]) => [`${base}.${table}.${suffix}`, bytes]) : [[`${base}.${suffix}`, answer.bytes]];
	$('outputs').replaceChildren(...outputs.map(([called, bytes]) => {
		const url = URL.createObjectURL(new Blob([bytes], { type: mime }));
		now.urls.push(url);
		return element('div', {}, element('a', { href: url, download: called, textContent: called }), ` ${sizeText(bytes.length)}`);
	}));
	if (outputs.length === 1)
		$('outputs').querySelector('a').click();
	else
		$('outputs').prepend(element('p', { textContent: 'Each table is a file; choose those to save:' }));
}

// --- the beginning ----------------------------------------------------------------------------------------------------------------

async function unpack(id) {
	const packed = Uint8Array.from(atob($(id).textContent.trim()), (letter) => letter.charCodeAt(0));
	return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

// Files that come before the module has started wait for it: without a listener, the browser would leave the page for a dropped file.
function listenForFiles(started) {
	const onceStarted = (work) => started.then((hasStarted) => { if (hasStarted) work(); });
	for (const id of ['recording', 'bundle'])
		$(id).addEventListener('change', () => {
			const [file] = $(id).files;
			$(id).value = '';
			if (file && id === 'bundle')
				onceStarted(() => { now.recording ? show(now.recording, file) : (now.bundle = file, $('given').textContent = `${file.name}; now open a recording`); });
			else if (file)
				onceStarted(() => show(file, now.recording ? null : now.bundle));
		});
	for (const kind of ['dragenter', 'dragover'])
		addEventListener(kind, (event) => { event.preventDefault(); document.body.classList.add('over'); });
	addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.body.classList.remove('over'); });
	addEventListener('drop', (event) => {
		event.preventDefault();
		document.body.classList.remove('over');
		const files = [...event.dataTransfer.files];
		onceStarted(() => take(files));
	});
}

function listen() {
	$('cancel').addEventListener('click', () => {
		abort.abort();
		abort = new AbortController();
	});
	for (const view of VIEWS)
		$(`tab-${view}`).addEventListener('click', () => select(now.wanted = view));
	document.querySelector('nav').addEventListener('keydown', (event) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], at = VIEWS.findIndex((view) => $(`tab-${view}`) === document.activeElement);
		if (step && at >= 0) {
			const view = VIEWS[(at + step + VIEWS.length) % VIEWS.length];
			select(now.wanted = view);
			$(`tab-${view}`).focus();
		}
	});
	$('by').replaceChildren(...ROWS.map((value) => element('option', { value, textContent: ROW_NAMES[value] })));
	for (const id of ['by', 'event'])
		$(id).addEventListener('change', showReport);
	$('search').addEventListener('input', showReport);
	$('format').replaceChildren(...facts.formats.map(({ name }) => element('option', { value: name, textContent: name })));
	$('format').addEventListener('change', showOptions);
	$('format').value = 'ndjson';
	showOptions();
	$('conversion').addEventListener('submit', convertNow);
}

async function start() {
	try {
		const worker = URL.createObjectURL(new Blob([$('worker').textContent], { type: 'text/javascript' }));
		client = clientOf(() => new Worker(worker), unpack('module'));
		facts = await client.ready();
		listen();
		window.perfdata = { ready: true, state: () => now };
		return true;
	} catch (error) {
		showMessage(`This browser cannot run the page: ${error.message}`);
		return false;
	}
}

listenForFiles(start());
