// SPDX-License-Identifier: MIT
// The C module as an object, for node, workers and pages. Its calls are synchronous, so a source is
// { length, readAt(offset, bytes) → number of bytes read }.
import core from './core.js';
import { arrowWriter } from './arrow.js';
import { bytesOf, PerfdataError, STATUS } from './common.js';

const ORDER = { time: 1, file: 2 };
const NAMES = { yes: 1, no: 2 };

/** The findings of a conversion, and the caller's function for them. */
function listener(options) {
	const heard = { findings: [] };
	return {
		heard,
		finding(severity, code, json) {
			const finding = JSON.parse(json);
			if (heard.findings.length < 1000)
				heard.findings.push(finding);
			options.onFinding?.(finding);
		},
		progress(done, total) {
			options.onProgress?.(done, total < 0 ? undefined : total);
			return options.signal?.aborted || options.cancelled?.() ? 1 : 0;
		},
	};
}

export async function start(wasmBinary) {
	const module = await core({ wasmBinary, calls: null, locateFile: (name) => name });
	const text = (at) => module.UTF8ToString(at);
	let bundles = 0;

	const reading = (source) => (offset, at, room) => {
		try {
			return source.readAt(offset, module.HEAPU8.subarray(at, at + room));
		} catch {
			return -1;
		}
	};

	/** Pairs of texts in the heap, which `free` frees. */
	function settingsIn(settings) {
		const pairs = Object.entries(settings ?? {}).filter(([, value]) => value !== false && value != null);
		const bytes = new TextEncoder().encode(pairs.map(([name, value]) => `${name}\0${value === true ? '' : value}\0`).join('') + '\0');
		const at = module._malloc(bytes.length);
		module.HEAPU8.set(bytes, at);
		return { at, count: pairs.length, free: () => module._free(at) };
	}

	function textIn(string) {
		if (string == null)
			return 0;
		const size = module.lengthBytesUTF8(string) + 1, at = module._malloc(size);
		module.stringToUTF8(string, at, size);
		return at;
	}

	/** Copies the bundle, if given, to the module's file system. */
	function bundleIn(symbols) {
		if (!symbols)
			return null;
		const path = `/bundle-${bundles++}`;
		module.FS.writeFile(path, bytesOf(symbols));
		return path;
	}

	const engine = {
		version: text(module._web_version()),
		formats: JSON.parse(text(module._web_formats())),
		findings: () => JSON.parse(text(module._web_findings())),
		schema: () => JSON.parse(text(module._web_schema())),
		heapSize: () => module.HEAPU8.length,

		/** sink: { open(name) → number of a further output, write(number, bytes) }; output 0 is open. The bytes are the module's: a sink that keeps them copies them. */
		convert(source, format, options, sink) {
			const { heard, ...hooks } = listener(options);
			const settings = settingsIn(options.settings), name = textIn(format);
			let failure = null;
			const bundle = bundleIn(options.symbols);
			const path = textIn(bundle), called = textIn(options.name ?? source.name ?? 'recording');
			module.calls = {
				...hooks,
				readAt: reading(source),
				open: (name) => sink.open(name),
				write(output, at, size) {
					try {
						sink.write(output, module.HEAPU8.subarray(at, at + size));
						return 0;
					} catch (error) {
						failure = error;
						return 5;
					}
				},
			};
			try {
				const names = options.names ?? (options.symbols ? true : undefined);
				const status = module._web_convert(name, settings.at, settings.count, called, source.length, path,
					names === undefined ? 0 : names ? NAMES.yes : NAMES.no, ORDER[options.order] ?? 0, options.limit ?? 0);
				if (failure)
					throw failure;
				if (status !== STATUS.OK)
					throw new PerfdataError(status, text(module._web_message()));
				return { findings: heard.findings, complete: !!module._web_complete(), written: module._web_written() };
			} finally {
				module.calls = null;
				settings.free();
				module._free(name);
				module._free(path);
				module._free(called);
				if (bundle)
					module.FS.unlink(bundle);
			}
		},

		/** Reads records, or with options.table rows of this table. source null: bytes are pushed. next() → lines of JSON, '' (push more) or null (the end). */
		records(source, options = {}) {
			const { heard, ...hooks } = listener(options);
			const settings = settingsIn(options.settings), bundle = bundleIn(options.table && options.symbols);
			const calls = { ...hooks, readAt: source ? reading(source) : undefined };
			const within = (call) => {
				module.calls = calls;
				try {
					return call();
				} finally {
					module.calls = null;
				}
			};
			const called = textIn(options.name ?? source?.name ?? 'recording');
			let feed = within(() => module._web_feed_new(settings.at, settings.count, ORDER[options.order] ?? ORDER.file, called, source ? source.length : -1));
			settings.free();
			module._free(called);
			const check = (status) => {
				if (status < 0)
					throw new PerfdataError(status, text(module._web_message()));
				return status;
			};
			if (!feed)
				throw new PerfdataError(-4, text(module._web_message()));
			if (options.table) {
				const given = [textIn(options.table), textIn(options.columns), textIn(bundle)];
				check(module._web_feed_table(feed, given[0], given[1], options.lines ? 1 : 0, given[2]));
				given.forEach((at) => module._free(at));
			}
			const writer = arrowWriter(() => module.HEAPU8);
			let began = false, ended = false;
			const beginning = () => {
				const parts = began ? [] : [writer.schema(module._web_feed_schema(feed))];
				began = true;
				return parts;
			};
			return {
				findings: heard.findings,
				push(bytes) {
					const at = module._malloc(bytes.length || 1);
					module.HEAPU8.set(bytes, at);
					try {
						check(within(() => module._web_feed_bytes(feed, at, bytes.length)));
					} finally {
						module._free(at);
					}
				},
				end: () => check(within(() => module._web_feed_end(feed))),
				next() {
					const status = check(within(() => module._web_feed_next(feed)));
					if (status !== STATUS.OK)
						return status === STATUS.END ? null : '';
					const at = module._web_feed_text(feed);
					return new TextDecoder().decode(module.HEAPU8.subarray(at, at + module._web_feed_size(feed)));
				},
				/** Bytes of an Arrow stream, [] (push more) or null (after its end). */
				nextRows() {
					const status = ended ? STATUS.END : check(within(() => module._web_feed_rows(feed)));
					if (status === STATUS.AGAIN || ended)
						return ended ? null : [];
					if (status === STATUS.OK)
						return [...beginning(), writer.batch(module._web_feed_array(feed))];
					ended = true;
					return [...beginning(), writer.end()];
				},
				close() {
					if (feed)
						within(() => module._web_feed_free(feed));
					feed = 0;
					if (bundle)
						module.FS.unlink(bundle);
				},
			};
		},
	};
	return engine;
}
