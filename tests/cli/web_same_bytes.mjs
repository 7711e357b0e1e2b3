// SPDX-License-Identifier: MIT
// Each format of the module of WebAssembly against the program: the same bytes, output by output. Recordings: arguments, or testdata.
//     PERFDATA=build/perfdata node tests/cli/web_same_bytes.mjs [--bundle FILE] [RECORDING...]
// Recordings that the program refuses have to be refused, too.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const top = process.env.top_srcdir ?? join(dirname(fileURLToPath(import.meta.url)), '../..');
const dist = join(top, 'build-wasm/dist/node.js'), program = resolve(process.env.PERFDATA ?? join(top, 'build/perfdata'));
if (!existsSync(dist)) {
	console.log('1..0 # SKIP the module of WebAssembly was not built: make wasm');
	process.exit(0);
}
const { convert, formats } = await import(dist);
let given = process.argv.slice(2), bundle;
if (given[0] === '--bundle')
	[, bundle, ...given] = given;
const recordings = given.length ? given : readdirSync(join(top, 'testdata')).filter((name) => /\.(data|pipe)$/.test(name)).sort().map((name) => join(top, 'testdata', name));
const folder = mkdtempSync(join(tmpdir(), 'perfdata-web-'));
let count = 0, differ = 0, conversions = 0;
// libzstd's decoder of machines with 32 bits sees this damage, that of 64 bits decodes garbage.
const other_library = /bad-zstd-frame/;
// The program loads one, where it is installed; the module loads no libraries.
const without_disassembler = new Set(['annotate']);

/** The bytes of each file below a folder, by the name of its folder; not the index, which a program writes. */
function filesOf(path) {
	return Object.fromEntries(readdirSync(path, { recursive: true }).filter((name) => !name.startsWith('.') && statSync(join(path, name)).isFile())
		.map((name) => [name.split('/')[0], readFileSync(join(path, name))]));
}

for (const given of recordings) {
	// The module knows no time of a file: a copy has the same.
	const name = basename(given), recording = join(folder, name);
	copyFileSync(given, recording);
	utimesSync(recording, 0, 0);
	const wrong = [];
	for (const format of formats) {
		// Names are the format's default, or its option; counts has none.
		const optional = format.options.some((option) => option.name === 'names'), named = bundle && (format.names || optional);
		if (named && without_disassembler.has(format.name))
			continue;
		const names = named ? ['--symbols', 'yes', '--symbols-from', bundle, ...(optional ? ['--names'] : [])] : ['--symbols', 'no'];
		const several = format.files;
		const base = join(folder, 'out');
		rmSync(base, { recursive: true, force: true });
		const args = [format.name, '-q', '-j', '1', ...names, ...(several ? ['-o', base] : []), name];
		const native = spawnSync(program, args, { cwd: folder, maxBuffer: 1 << 30 });
		const files = several && existsSync(base) ? filesOf(base) : {};
		let ours = null, message = '';
		try {
			ours = await convert(recording, format.name, { names: !!named, symbols: named ? bundle : undefined, settings: named && optional ? { names: true } : {}, name });
		} catch (error) {
			message = error.message;
		}
		conversions++;
		const refused = ![0, 4].includes(native.status);
		if (other_library.test(recording))
			continue;
		if (refused !== !ours)
			wrong.push(`${format.name}: exit ${native.status}, here ${ours ? 'bytes' : message}`);
		else if (ours && !several && !native.stdout.equals(ours.bytes))
			wrong.push(`${format.name}: ${native.stdout.length} bytes, here ${ours.bytes.length}`);
		else if (ours && several)
			for (const table of new Set([...Object.keys(files), ...Object.keys(ours.files)])) {
				const there = files[table], here = ours.files[table];
				if (!there || !here || !there.equals(here))
					wrong.push(`${format.name}: ${table}: ${there?.length} bytes, here ${here?.length}`);
			}
	}
	differ += wrong.length;
	console.log(`${wrong.length ? 'not ok' : 'ok'} ${++count} - ${recording.replace(/.*\//, '')}${wrong.map((line) => '\n# ' + line).join('')}`);
}
rmSync(folder, { recursive: true, force: true });
console.log(`1..${count}\n# ${conversions} conversions, ${differ} differ`);
process.exit(differ ? 1 : 0);
