// SPDX-License-Identifier: MIT
// The package in pages: workers convert and read.
import { clientOf } from './client.js';

export { PerfdataError } from './common.js';
const wasm = fetch(new URL('./perfdata.wasm', import.meta.url)).then((answer) => answer.arrayBuffer());
const client = clientOf(() => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }), wasm);
const { version, formats, findings, schema } = await client.ready();
export { findings, formats, schema, version };
export const convert = (...given) => client.convert(...given);
export const convertTo = (...given) => client.convertTo(...given);
export const open = (...given) => client.open(...given);
