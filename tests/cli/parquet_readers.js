// SPDX-License-Identifier: MIT
// Called by parquet_readers.sh: node parquet_readers.js MODULES FOLDER FILE…
'use strict';
const { spawnSync } = require('child_process');
const { createRequire } = require('module');
const { pathToFileURL } = require('url');
const fs = require('fs');
const path = require('path');

const [modules, folder, ...files] = process.argv.slice(2);
const from = createRequire(path.join(modules, 'index.js'));
const { DuckDBInstance } = from('@duckdb/node-api');
const arrow = from('apache-arrow');
const wasm = from('parquet-wasm');
const PERFDATA = process.env.PERFDATA;
let connection, hyparquet, compressors;

// null for what is no recording. Damaged ones are converted too: exit code 4.
function perfdata(...args) {
  const done = spawnSync(PERFDATA, args, { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  if (done.status === 3)
    return null;
  if (done.status !== 0 && done.status !== 4)
    throw new Error(`perfdata ${args.join(' ')}: exit ${done.status}: ${done.stderr}`);
  return done.stdout.toString();
}

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
const column = (name) => `"${name.replaceAll('"', '""')}"`;

// --- what a reader gives, as plain values: BigInt, string, boolean, array, null -------------------------------------------

function plain(value) {
  if (value === null || value === undefined)
    return null;
  if (typeof value === 'number')
    return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint' || typeof value === 'string' || typeof value === 'boolean')
    return value;
  if (value instanceof Uint8Array)
    return Buffer.from(value).toString('hex');
  if (value.bytes instanceof Uint8Array)                              // DuckDB's BLOB
    return Buffer.from(value.bytes).toString('hex');
  if (value.items)                                                    // DuckDB's list
    return value.items.map(plain);
  if (ArrayBuffer.isView(value) || Array.isArray(value))
    return Array.from(value, plain);
  if (typeof value.toArray === 'function')                            // Arrow's list
    return Array.from(value, plain);
  return canonical(value);                                            // JSON that was parsed
}

function canonical(value) {
  if (Array.isArray(value))
    return `[${value.map(canonical).join(',')}]`;
  if (value && typeof value === 'object')
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

async function byDuckDB(file) {
  const reader = await connection.runAndReadAll(`FROM read_parquet(${quoted(file)}, filename = false)`);
  const names = reader.columnNames();
  return reader.getRows().map((row) => Object.fromEntries(row.map((value, i) => [names[i], plain(value)])));
}

async function byHyparquet(file) {
  const bytes = fs.readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const rows = await hyparquet.parquetReadObjects({ file: buffer, compressors, utf8: true });
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

async function byWasm(file) {
  const table = arrow.tableFromIPC(wasm.readParquet(new Uint8Array(fs.readFileSync(file))).intoIPCStream());
  const names = table.schema.fields.map((field) => field.name);
  const columns = names.map((name, i) => table.getChildAt(i));
  return Array.from({ length: table.numRows }, (_, row) => Object.fromEntries(names.map((name, i) => [name, plain(columns[i].get(row))])));
}

const readers = { DuckDB: byDuckDB, hyparquet: byHyparquet, 'parquet-wasm': byWasm };

async function schemaOf(file) {
  const rows = await connection.runAndReadAll(`DESCRIBE FROM ${quoted(file)}`);
  return new Map(rows.getRows().map(([name, type]) => [name, type]));
}

// --- what NDJSON says -------------------------------------------------------------------------------------------------------

const tables = {
  samples: ['sample'],
  mappings: ['mmap', 'mmap2'],
  threads: ['comm', 'fork', 'exit'],
  lost: ['lost', 'lost_samples', 'throttle', 'unthrottle'],
  callchain: ['sample', 'callchain_deferred'],
};
const MARKERS = new Map([['PERF_CONTEXT_HV', -32n], ['PERF_CONTEXT_KERNEL', -128n], ['PERF_CONTEXT_USER', -512n], ['PERF_CONTEXT_GUEST', -2048n],
  ['PERF_CONTEXT_GUEST_KERNEL', -2176n], ['PERF_CONTEXT_GUEST_USER', -2560n], ['PERF_CONTEXT_USER_DEFERRED', -640n]]);

function find(line, name) {
  if (name in line)
    return line[name];
  const dot = name.indexOf('.');
  const outer = dot < 0 ? undefined : line[name.slice(0, dot)];
  return outer && typeof outer === 'object' ? find(outer, name.slice(dot + 1)) : undefined;
}

function whole(value) {
  if (MARKERS.has(value))
    return BigInt.asUintN(64, MARKERS.get(value));
  return BigInt(value);
}

function expected(value, type) {
  if (value === undefined || value === null)
    return null;
  switch (type) {
  case 'UBIGINT': return whole(value);
  case 'BIGINT': return BigInt.asIntN(64, whole(value));
  case 'INTEGER': return BigInt.asIntN(32, whole(value));
  case 'BOOLEAN': return value;
  case 'DOUBLE': return plain(value);
  case 'UBIGINT[]': return value.map(whole);
  case 'BIGINT[]': return value.map((v) => BigInt.asIntN(64, whole(v)));
  case 'VARCHAR[]': return value;
  case 'JSON': return canonical(value);
  default: return value;
  }
}

const asText = (value) => JSON.stringify(value, (key, v) => (typeof v === 'bigint' ? `${v}n` : v));

// --- comparing ----------------------------------------------------------------------------------------------------------------

function compare(title, rows, lines, schema, fields) {
  if (rows.length !== lines.length)
    throw new Error(`${title}: ${rows.length} rows, expected ${lines.length}`);
  for (let i = 0; i < rows.length; i++) {
    for (const [name, type] of schema) {
      if (name === 'recording' || name === 'frame_id')
        continue;
      let value = fields && fields.has(name) ? (lines[i].fields || {})[name.replace(/^fields\./, '')] : find(lines[i], name);
      let got = rows[i][name] === undefined ? null : rows[i][name];
      if (type === 'JSON' && typeof got === 'string' && got !== null)
        got = /^[{["\d]/.test(got) ? canonical(JSON.parse(got)) : got;
      value = expected(value, type);
      if (asText(got) !== asText(value))
        throw new Error(`${title}, row ${i}, ${name} ${type}: ${asText(got)}, expected ${asText(value)}`);
    }
  }
}

// Bounds that are wrong make readers pass over rows.
async function filters(title, file, rows, schema) {
  for (const [name, type] of schema) {
    if (!/^(U?BIGINT|INTEGER|VARCHAR)$/.test(type))
      continue;
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    const literal = (value) => (type === 'VARCHAR' ? quoted(value) : `CAST('${value}' AS ${type})`);
    const bytes = (a, b) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
    const sorted = values.slice().sort(type === 'VARCHAR' ? bytes : (a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const least = sorted[0], most = sorted[sorted.length - 1];
    const count = async (condition) =>
      (await connection.runAndReadAll(`SELECT count(*) FROM ${quoted(file)} WHERE ${column(name)} ${condition}`)).getRows()[0][0];
    const check = async (condition, wanted) => {
      const got = await count(condition);
      if (Number(got) !== wanted)
        throw new Error(`${title}: WHERE ${name} ${condition}: ${got} rows, expected ${wanted}`);
    };
    await check('IS NULL', rows.length - values.length);
    if (!values.length)
      continue;
    for (const value of [least, most, sorted[values.length >> 1]])
      await check(`= ${literal(value)}`, values.filter((v) => v === value).length);
    await check(`> ${literal(most)}`, 0);
    await check(`< ${literal(least)}`, 0);
    await check(`>= ${literal(least)}`, values.length);
    if (type === 'UBIGINT')
      await check(`>= CAST('9223372036854775808' AS UBIGINT)`, values.filter((v) => v >= 1n << 63n).length);
  }
}

async function checkTable(title, file, lines, fields) {
  const schema = await schemaOf(file);
  for (const [reader, read] of Object.entries(readers)) {
    const rows = await read(file);
    compare(`${title} by ${reader}`, rows, lines, schema, fields);
    if (reader === 'DuckDB')
      await filters(title, file, rows, schema);
  }
}

// --- traces -----------------------------------------------------------------------------------------------------------------

const PLACE = ['type', 'offset', 'file', 'trace', 'cpu', 'buffer_tid', 'aux_offset', 'size', 'padding', 'packet', 'time'];

// `time` of HiSilicon's packets is a field of theirs.
function packetRow(line) {
  const own = line.trace === 'hisi_ptt' ? PLACE.filter((name) => name !== 'time') : PLACE;
  const fields = Object.fromEntries(Object.entries(line).filter(([name]) => !own.includes(name)));
  return { ...line, padding: line.padding || 0, time: own === PLACE ? line.time : null, fields };
}

function sampleRow(line) {
  const row = { ...line };
  for (const name of ['pc', 'target'])
    for (const part of ['dso', 'symbol', 'symbol_offset'])
      row[`${name}_${part}`] = line[`${name}_at`] ? line[`${name}_at`][part] : undefined;
  return row;
}

// Both tables, where the recording has a trace: beside `text` and `payload`, which NDJSON has no words for.
async function checkTraces(file, output, base) {
  const lines = (...words) => perfdata('ndjson', '-q', '--symbols', 'no', '--names', '--aux', 'packets', ...words, file).split('\n').filter(Boolean)
    .map((line) => JSON.parse(line));
  const traces = { aux_packets: lines().filter((line) => line.type === 'aux_packet').map(packetRow),
    spe_samples: lines('--int64', 'string').filter((line) => line.type === 'spe_sample').map(sampleRow) };
  if (!traces.aux_packets.length)
    return;
  perfdata('parquet', '-q', '--symbols', 'no', '--table', 'aux_packets,spe_samples', file, '-o', output);
  for (const [table, wanted] of Object.entries(traces)) {
    const schema = await schemaOf(path.join(output, table, base));
    schema.delete('text');
    schema.delete('payload');
    for (const [reader, read] of Object.entries(readers))
      compare(`${table} by ${reader}`, await read(path.join(output, table, base)), wanted, schema, null);
  }
}

// --- parts of records -------------------------------------------------------------------------------------------------------

const keys = (line, index) => ({ file: line.file, offset: line.offset, inner: line.inner, index });
const BITS = ['mispred', 'predicted', 'in_tx', 'abort'];

function branchRows(line) {
  const { entries = [], counters = [] } = line.branch_stack || {};
  return entries.map((entry, i) => ({ ...keys(line, i), ...entry, counter: counters[i],
    ...Object.fromEntries(BITS.map((name) => [name, entry.branch_flags[name] || false])),
    cycles: entry.branch_flags.cycles || 0, type: entry.branch_flags.type || 'UNKNOWN' }));
}

const registerRows = (line) => ['user', 'intr'].flatMap((set) =>
  Object.entries((line[`${set}_regs`] || {}).regs || {}).map(([register, value], i) => ({ ...keys(line, i), set, register, value })));

const readRows = (line) => ((line.read || {}).values || []).map((value, i) => ({ ...keys(line, i), ...value }));

async function checkParts(file, output, base, all) {
  const parts = { branches: ['sample', branchRows], regs: ['sample', registerRows], read_values: ['sample,read', readRows] };
  perfdata('parquet', '-q', '--symbols', 'no', '--table', Object.keys(parts).join(','), file, '-o', output);
  for (const [table, [types, rowsOf]] of Object.entries(parts))
    await checkTable(table, path.join(output, table, base), all.filter((line) => types.split(',').includes(line.type)).flatMap(rowsOf), null);
}

async function checkFile(file, number) {
  const output = path.join(folder, String(number));
  fs.mkdirSync(output);
  const text = perfdata('ndjson', '-q', '--symbols', 'no', '--names', '--stacks', 'ref', '--int64', 'string', file);
  if (text === null)
    return;
  const all = text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  // NDJSON leaves out a chain that the stack says; here it is asked for
  const chains = perfdata('ndjson', '-q', '-e', 'type,offset,inner,file,time,callchain', '--int64', 'string', file).split('\n').filter(Boolean).map((line) => JSON.parse(line));
  perfdata('parquet', '-q', '--symbols', 'no', file, '-o', output);
  perfdata('parquet', '-q', '--symbols', 'no', '--table', 'callchain', file, '-o', output);
  const base = `${path.basename(file.replace(/\/$/, ''))}.parquet`;
  await checkTraces(file, output, base);
  await checkParts(file, output, base, all);
  for (const [table, types] of Object.entries(tables)) {
    const lines = (table === 'callchain' ? chains : all).filter((line) => types.includes(line.type));
    await checkTable(table, path.join(output, table, base), lines, null);
  }
  for (const table of fs.readdirSync(output).filter((name) => name.startsWith('event.'))) {
    const lines = all.filter((line) => line.type === 'sample' && line.event && `event.${line.event.replace(/[:/]/g, '.')}` === table);
    const schema = await schemaOf(path.join(output, table, base));
    const heads = new Set(['recording', 'offset', 'inner', 'file', 'time', 'pid', 'tid', 'cpu', 'comm', 'stack_id', 'late', 'after_gap', 'problem']);
    await checkTable(table, path.join(output, table, base), lines, new Set([...schema.keys()].filter((name) => !heads.has(name))));
  }
  const steps = all.filter((line) => line.type === 'stack').flatMap((line) => line.frames.map((frame, depth) => ({ ...frame, stack_id: line.stack_id, depth,
    unmapped_ip: frame.frame_id === undefined ? frame.ip : null,
    origin: frame.origin || 'recorded' })));
  const stacks = path.join(output, 'stacks', base);
  for (const [reader, read] of Object.entries(readers)) {
    const rows = (await read(stacks)).sort((a, b) => Number(a.stack_id - b.stack_id) || Number(a.depth - b.depth));
    const schema = await schemaOf(stacks);
    schema.delete('frame_id');
    compare(`stacks by ${reader}`, rows, steps.sort((a, b) => a.stack_id - b.stack_id || a.depth - b.depth), schema, null);
  }
  await checkKeys(output, base, all);
}

// Every id that one table has is in the other, and the rest of the tables can be read.
async function checkKeys(output, base, all) {
  const table = (name) => quoted(path.join(output, name, base));
  const one = async (sql) => Number((await connection.runAndReadAll(sql)).getRows()[0][0]);
  const none = async (title, sql) => {
    if (await one(sql))
      throw new Error(`${title}: ${await one(sql)} rows`);
  };
  await none('stacks of samples', `SELECT count(*) FROM ${table('samples')} s ANTI JOIN ${table('stacks')} t USING (recording, stack_id) WHERE s.stack_id IS NOT NULL`);
  for (const of of ['samples', 'stacks'])
    await none(`frames of ${of}`, `SELECT count(*) FROM ${table(of)} s ANTI JOIN ${table('frames')} t USING (recording, frame_id) WHERE s.frame_id IS NOT NULL`);
  await none('files of frames', `SELECT count(*) FROM ${table('frames')} s ANTI JOIN ${table('build_ids')} t USING (recording, dso_id) WHERE s.dso_id IS NOT NULL`);
  const summary = all[all.length - 1], meta = all[0];
  const same = async (title, sql, wanted) => {
    const got = await one(sql);
    if (got !== Number(wanted))
      throw new Error(`${title}: ${got}, expected ${wanted}`);
  };
  await same('recordings.records', `SELECT records FROM ${table('recordings')}`, summary.records);
  await same('recordings.complete', `SELECT complete::int FROM ${table('recordings')}`, summary.complete);
  await same('rows of events', `SELECT count(*) FROM ${table('events')}`, meta.events.length + (summary.new_events || []).length);
  await same('rows of findings', `SELECT count(*) FROM ${table('findings')}`, (summary.findings || []).length);
  for (const name of ['recordings', 'events', 'features', 'findings', 'cpu', 'build_ids', 'frames'])
    for (const [reader, read] of Object.entries(readers))
      await same(`${name} by ${reader}`, `SELECT count(*) FROM ${table(name)}`, (await read(path.join(output, name, base))).length);
}

async function main() {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  hyparquet = await import(pathToFileURL(from.resolve('hyparquet')).href);
  ({ compressors } = await import(pathToFileURL(from.resolve('hyparquet-compressors')).href));
  let number = 0, failed = 0;
  for (const file of files) {
    number++;
    try {
      await checkFile(file, number);
      console.log(`ok ${number} - ${path.basename(file)}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${number} - ${path.basename(file)}\n# ${String(error.stack || error.message).replaceAll('\n', '\n# ').slice(0, 1500)}`);
    }
  }
  console.log(`1..${number}`);
  process.exitCode = failed ? 1 : 0;
}

main();
