// SPDX-License-Identifier: MIT
// Records as an async iterable, from pieces of lines of JSON; tables as one piece, from pieces of an Arrow stream.
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

/** Settings of ndjson: the types of records and the fields that are wanted. */
export function recordOptions(wanted = {}, options = {}) {
	const settings = { ...options.settings };
	if (wanted.fields)
		settings.fields = [].concat(wanted.fields).join(',');
	return { ...options, settings, order: wanted.order ?? options.order ?? 'file' };
}

/** All of a table; pull() → a Promise of pieces of bytes, [] (nothing yet) or null (the end). */
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
