// SPDX-License-Identifier: MIT
/** Bytes, a file of a page, a path (in node), or pieces as they come. */
export type Source = Uint8Array | ArrayBuffer | Blob | string | URL | AsyncIterable<Uint8Array>;

export interface Finding {
	severity: 'note' | 'warning' | 'error';
	code: number;
	name: string;
	file?: string;
	/** decimal, since it may be beyond 2^53 */
	offset?: string;
	record?: string;
	message: string;
}

export interface Options {
	/** a bundle, made where the files are: perfdata bundle FILE -o symbols.tar.zst */
	symbols?: Source;
	/** whether names are looked up; by default as the format asks */
	names?: boolean;
	/** options of the format, as on the command line, without the dashes */
	settings?: Record<string, string | boolean | undefined>;
	order?: 'time' | 'file';
	/** stop after so many records */
	limit?: number;
	/** the recording's name in outputs */
	name?: string;
	signal?: AbortSignal;
	onProgress?(done: number, total?: number): void;
	onFinding?(finding: Finding): void;
}

export interface Result {
	/** the first thousand */
	findings: Finding[];
	/** nothing was damaged, and all was read */
	complete: boolean;
	/** records, or rows of tables */
	written: number;
}

export interface Converted extends Result {
	bytes: Uint8Array;
	text(): string;
	/** outputs of formats that write several, such as the tables of parquet */
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
	/** the order of the file by default */
	order?: 'time' | 'file';
}

export interface TableWanted {
	/** only these columns, in this order; by default those of Parquet */
	columns?: string | string[];
	/** source lines and inlined functions of frames, which need the option symbols */
	lines?: boolean;
	/** the order of the file by default */
	order?: 'time' | 'file';
}

export interface Recording {
	records(wanted?: RecordsWanted): AsyncIterableIterator<PerfRecord>;
	/** a table ('samples', 'stacks', 'event:sched:sched_switch', …) as an Arrow IPC stream, for tableFromIPC of apache-arrow and others; a
	 * recording that is an async iterable can be read only once, by this or by records */
	table(name: string, wanted?: TableWanted): Promise<Uint8Array>;
	close(): Promise<void>;
}

/** status: of libperfdata's enum perfdata_status; AbortError has -8 */
export class PerfdataError extends Error {
	status: number;
}

export const version: string;
export const formats: readonly FormatInfo[];
export const findings: readonly { code: number; name: string; meaning: string; advice: string }[];
/** JSON Schema of records */
export const schema: object;
export function convert(source: Source, format: Format, options?: Options): Promise<Converted>;
/** Writes pieces as they come, and waits while the sink does not take them (in pages: if they are crossOriginIsolated). */
export function convertTo(source: Source, format: Format, sink: WritableStream<Uint8Array>, options?: Options): Promise<Result>;
export function open(source: Source, options?: Options): Promise<Recording>;
