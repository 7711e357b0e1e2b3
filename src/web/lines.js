// SPDX-License-Identifier: MIT
// Makes an async iterable of records from pieces of JSON lines, and a single array from pieces of an Arrow stream.
import { concat } from './common.js';

/** pull() → a Promise of lines, '' (nothing yet) or null (the end); close() is called once, also if the caller leaves early. */
export async function* recordsOf(pull, close) {
	try {
		for (let text; (text = await pull()) !== null;)
			for (const line of text.split('\n'))
				if (line)
					yield JSON.parse(line);
	} finally {
		await close();
	}
}

/** Settings of ndjson: types of records, and fields. */
export function recordOptions(wanted = {}, options = {}) {
	const settings = { ...options.settings };
	if (wanted.fields)
		settings.fields = [].concat(wanted.fields).join(',');
	return { ...options, settings, order: wanted.order ?? options.order ?? 'file' };
}

/** A whole table as bytes; pull() → a Promise of pieces of bytes, [] (nothing yet) or null (the end). */
export async function tableOf(pull, close) {
	const all = [];
	try {
		for (let pieces; (pieces = await pull()) !== null;)
			all.push(...pieces);
	} finally {
		await close();
	}
	return concat(all);
}

export const tableOptions = (table, wanted = {}, options = {}) => (
	{ ...options, settings: {}, table, columns: wanted.columns && [].concat(wanted.columns).join(','), lines: wanted.lines, order: wanted.order ?? options.order ?? 'file' });
