// SPDX-License-Identifier: MIT
// Writes the page as a single file with the module, its worker and the page's script, so that it works from a disk.
//     node src/web/build_page.js DIST PAGE
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url)), [dist, page] = process.argv.slice(2).map((path) => resolve(path));
const source = (name) => readFileSync(join(here, 'page', name), 'utf8');
const hashOf = (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

/** Joins modules to one script, and fails if two of them declare the same name. A plain script, since a page from a disk may not start a module worker from a blob. */
function joined(names) {
	const text = names.map((name) => readFileSync(name.includes('/') ? join(here, name) : join(dist, name), 'utf8')
		.replace(/^import .* from .*;$/gm, '').replace(/^export default .*;$/gm, '').replace(/^export (?=async |function|class|const)/gm, '')).join('\n')
		.replaceAll('import.meta.url', "''").replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
	new Script(`"use strict"; async () => {{\n${text}\n}}`);   // a block refuses names that are declared twice
	return text;
}

/** The policy must allow the script of the flame graph's page, which a frame shows: its hash is the same for all recordings. */
async function hashOfFlamegraph() {
	const { convert } = await import(pathToFileURL(join(dist, 'node.js')));
	const { text } = await convert(join(here, '../../testdata/callgraph-73.data'), 'flamegraph');
	return /script-src ('sha256-[^']+')/.exec(text())[1];
}

const script = `\n${joined(['common.js', 'lines.js', 'client.js', 'page/page.js'])}`;
const policy = `default-src 'none'; script-src ${hashOf(script)} ${await hashOfFlamegraph()} 'wasm-unsafe-eval'; worker-src blob:; frame-src blob:; `
	+ `style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
writeFileSync(page, `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="icon" href="data:,"><title>perfdata</title>
<style>
${source('page.css')}</style></head>
${source('page.html').replace(/<\/body>[^]*/, '')}<script type="text/plain" id="worker">
${joined(['common.js', 'core.js', 'arrow.js', 'engine.js', 'worker.js'])}</script>
<script type="text/plain" id="module">${gzipSync(readFileSync(join(dist, 'perfdata.wasm')), { level: 9 }).toString('base64')}</script>
<script type="module">${script}</script>
</body></html>
`);
