// Called by duckdb_check.sh: node duckdb_check.js MODULES FOLDER FILE…
'use strict';
const { spawnSync } = require('child_process');
const { createRequire } = require('module');
const fs = require('fs');
const path = require('path');

const [modules, folder, ...files] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(path.join(modules, 'index.js'))('@duckdb/node-api');
const PERFDATA = process.env.PERFDATA;

// What it wrote; null for what is no recording. Damaged ones are converted too: exit code 4.
function perfdata(args, output) {
  const stdout = output ? fs.openSync(output, 'w') : 'pipe';
  const done = spawnSync(PERFDATA, args, { stdio: ['ignore', stdout, 'pipe'], maxBuffer: 1 << 28 });
  if (output)
    fs.closeSync(stdout);
  if (done.status === 3)
    return null;
  if (done.status !== 0 && done.status !== 4)
    throw new Error(`perfdata ${args.join(' ')}: exit ${done.status}: ${done.stderr}`);
  return done.stdout && done.stdout.toString();
}

const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

async function rows(connection, sql) {
  return (await connection.runAndReadAll(sql)).getRows();
}

function same(title, got, wanted) {
  if (String(got) !== String(wanted))
    throw new Error(`${title}: ${got}, expected ${wanted}`);
}

// The rows of `summary.types` in DuckDB's order.
function wantedTypes(summary) {
  const types = new Map();
  for (const [name, count] of Object.entries(summary.types)) {
    const key = name.startsWith('unknown_') ? 'unknown' : name;
    types.set(key, (types.get(key) || 0) + count);
  }
  return [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${name}=${count}`).join(' ');
}

async function checkLines(connection, source, summary) {
  const records = `FROM ${source} WHERE type NOT IN ('meta', 'summary')`;
  same('records', (await rows(connection, `SELECT count(*) ${records}`))[0][0], summary.records);
  const types = await rows(connection, `SELECT type, count(*) ${records} GROUP BY type ORDER BY type`);
  same('records by type', types.map(([type, count]) => `${type}=${count}`).join(' '), wantedTypes(summary));
  if (summary.types.sample && summary.last_time !== null)
    same('time of the last sample', (await rows(connection, `SELECT max(time) ${records} AND type = 'sample' AND time < 18446744073709551615`))[0][0], summary.last_time);
}

async function checkFile(connection, file, columns) {
  const text = perfdata(['info', '--json', file]);
  if (text === null)
    return 0;
  const summary = JSON.parse(text).summary;
  // JavaScript's numbers are too small for it.
  summary.last_time = (/"last_time":(\d+)/.exec(text) || [null, null])[1];
  const name = path.join(folder, path.basename(file));
  perfdata(['ndjson', '-q', '--symbols', 'no', file], `${name}.ndjson`);
  perfdata(['csv', '-q', '--symbols', 'no', file], `${name}.csv`);
  await checkLines(connection, `read_json(${quoted(`${name}.ndjson`)}, format='newline_delimited', columns=${columns})`, summary);
  await checkLines(connection, `read_json_auto(${quoted(`${name}.ndjson`)}, maximum_object_size=33554432)`, summary);
  const samples = await rows(connection, `SELECT count(*) FROM read_csv(${quoted(`${name}.csv`)}, header=true)`);
  same('rows of the CSV of samples', samples[0][0], summary.types.sample || 0);
  return summary.records;
}

async function main() {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const columns = perfdata(['schema', '--columns']).trim();
  let number = 0, failed = 0, records = 0;
  const test = async (title, body) => {
    number++;
    try {
      await body();
      console.log(`ok ${number} - ${title}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${number} - ${title}\n# ${String(error.message).replaceAll('\n', '\n# ').slice(0, 2000)}`);
    }
  };
  for (const file of files)
    await test(path.basename(file), async () => { records += await checkFile(connection, file, columns); });
  await test('all recordings as one table', async () => {
    const all = `read_json(${quoted(path.join(folder, '*.ndjson'))}, format='newline_delimited', columns=${columns})`;
    same('records', (await rows(connection, `SELECT count(*) FROM ${all} WHERE type NOT IN ('meta', 'summary')`))[0][0], records);
  });
  console.log(`1..${number}`);
  process.exitCode = failed ? 1 : 0;
}

main();
