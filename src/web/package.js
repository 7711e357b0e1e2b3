// SPDX-License-Identifier: MIT
// Writes the package's description into its folder: package.json, index.d.ts (formats from the registry, records from the schema).
//     node src/web/package.js DIST
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), dist = resolve(process.argv[2]);
for (const name of ['arrow.js', 'common.js', 'engine.js', 'files.js', 'lines.js', 'node.js', 'thread.js', 'worker.js', 'client.js', 'web.js'])
	copyFileSync(join(here, name), join(dist, name));
copyFileSync(join(here, '../../LICENSE'), join(dist, 'LICENSE'));
copyFileSync(join(here, 'package.md'), join(dist, 'README.md'));
writeFileSync(join(dist, 'package.json'), '{ "type": "module" }\n');
const { formats, schema, version } = await import(pathToFileURL(join(dist, 'node.js')));

writeFileSync(join(dist, 'package.json'), JSON.stringify({
	name: 'perfdata', version, description: 'Reads and converts recordings of Linux perf', license: 'MIT', type: 'module', sideEffects: false,
	engines: { node: '>=20' }, types: './index.d.ts',
	exports: {
		'.': { types: './index.d.ts', node: './node.js', default: './web.js' },
		'./worker': './worker.js', './perfdata.wasm': './perfdata.wasm', './package.json': './package.json',
	},
}, null, '\t') + '\n');

/** A JSON Schema as a type of TypeScript. */
function typeOf(one, tabs = '') {
	if (!one || one === true)
		return 'unknown';
	if (one.$ref)
		return nameOf(one.$ref.split('/').pop());
	if (one.const !== undefined)
		return JSON.stringify(one.const);
	if (one.enum)
		return one.enum.map((value) => JSON.stringify(value)).join(' | ');
	const choices = one.oneOf ?? one.anyOf;
	if (choices)
		return choices.map((choice) => typeOf(choice, tabs)).join(' | ');
	if (Array.isArray(one.type))
		return one.type.map((type) => typeOf({ ...one, type }, tabs)).join(' | ');
	if (one.type === 'array')
		return `(${typeOf(one.items, tabs)})[]`;
	if (one.type === 'object' || one.properties) {
		const rows = Object.entries(one.properties ?? {}).map(([name, of]) => {
			const said = of.description ? `${tabs}\t/** ${of.description.replaceAll('*/', '* /')} */\n` : '';
			return `${said}${tabs}\t${JSON.stringify(name)}${one.required?.includes(name) ? '' : '?'}: ${typeOf(of, tabs + '\t')};`;
		});
		if (one.additionalProperties !== false)
			rows.push(`${tabs}\t[key: string]: unknown;`);
		return `{\n${rows.join('\n')}\n${tabs}}`;
	}
	return { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' }[one.type] ?? 'unknown';
}
const nameOf = (key) => key.split(/\W|_/).filter(Boolean).map((part) => part[0].toUpperCase() + part.slice(1)).join('') + 'Line';

const { $defs = {}, ...root } = schema;
writeFileSync(join(dist, 'index.d.ts'), readFileSync(join(here, 'index.head.d.ts'), 'utf8') + [
	`\nexport type Format = ${formats.map(({ name }) => `'${name}'`).join(' | ')};`,
	...Object.entries($defs).map(([key, one]) => `export type ${nameOf(key)} = ${typeOf(one)};`),
	`/** A line of ndjson. */\nexport type PerfRecord = ${typeOf(root)};`,
].join('\n') + '\n');
