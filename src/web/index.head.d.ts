// SPDX-License-Identifier: MIT
/** Bytes, a File or Blob, a path (node only), or an async iterable of pieces. */
export type Source = Uint8Array | ArrayBuffer | Blob | string | URL | AsyncIterable<Uint8Array>;

export interface Finding {
	severity: 'note' | 'warning' | 'error';
	code: number;
	name: string;
	file?: string;
	/** decimal text, since it may exceed 2^53 */
	offset?: string;
	record?: string;
	message: string;
}

export interface Options {
	/** a bundle from the host with the files: perfdata bundle FILE -o symbols.tar.zst */
	symbols?: Source;
	/** whether names are looked up; default: the format decides */
	names?: boolean;
	/** options of the format, as on the command line, without the dashes */
	settings?: Record<string, string | boolean | undefined>;
	order?: 'time' | 'file';
	/** stop after this many records */
	limit?: number;
	/** the recording's name in outputs */
	name?: string;
	signal?: AbortSignal;
	onProgress?(done: number, total?: number): void;
	onFinding?(finding: Finding): void;
}

export interface Result {
	/** the first 1000 */
	findings: Finding[];
	/** all was read, without damage */
	complete: boolean;
	/** number of records, or of rows of tables */
	written: number;
}

export interface Converted extends Result {
	bytes: Uint8Array;
	text(): string;
	/** for formats with several outputs, such as the tables of parquet */
	files: Record<string, Uint8Array>;
}

export interface FormatInfo {
	name: Format;
	help: string;
	mime: string;
	suffix: string;
	/** looks up names by default */
	names: boolean;
	/** writes several outputs */
	files: boolean;
	/** flag: the option has no value, true sets it */
	options: { name: string; help: string; flag: boolean }[];
}

export interface RecordsWanted {
	/** only these members of each record */
	fields?: string | string[];
	/** default: the order of the file */
	order?: 'time' | 'file';
}

export interface TableWanted {
	/** only these columns, in this order; default: Parquet's */
	columns?: string | string[];
	/** add source lines and inlined functions of frames; needs `symbols` */
	lines?: boolean;
	/** default: the order of the file */
	order?: 'time' | 'file';
}

export interface Recording {
	records(wanted?: RecordsWanted): AsyncIterableIterator<PerfRecord>;
	/** a table ('samples', 'stacks', 'event:sched:sched_switch', …) as an Arrow IPC stream, for tableFromIPC of apache-arrow and others; a
	 * recording that is an async iterable can be read only once, by this function or by records */
	table(name: string, wanted?: TableWanted): Promise<Uint8Array>;
	close(): Promise<void>;
}

/** status: enum perfdata_status of libperfdata; -8 for AbortError */
export class PerfdataError extends Error {
	status: number;
}

export const version: string;
export const formats: readonly FormatInfo[];
export const findings: readonly { code: number; name: string; meaning: string; advice: string }[];
/** JSON Schema of records */
export const schema: object;
export function convert(source: Source, format: Format, options?: Options): Promise<Converted>;
/** Writes pieces when they are ready, and waits for a slow sink (in pages only if crossOriginIsolated). */
export function convertTo(source: Source, format: Format, sink: WritableStream<Uint8Array>, options?: Options): Promise<Result>;
export function open(source: Source, options?: Options): Promise<Recording>;
