// SPDX-License-Identifier: MIT
// Called by analysis_check.sh: node analysis_check.js MODULES PAGE, in a folder where the page's commands were run. With a third word: how long
// each of the ten questions takes, no tests.
'use strict';
const { createRequire } = require('module');
const fs = require('fs');
const path = require('path');

const [modules, page, timed] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(path.join(modules, 'index.js'))('@duckdb/node-api');

// Two threads on one CPU, and system calls, of which the answers are known: testdata/ has no such recording.
const MADE = [
  ['event.sched.sched_switch', `SELECT * FROM (VALUES
    ('made', 1000, 1, 'a', 1, 2, 'b'), ('made', 5000, 2, 'b', 0, 1, 'a'), ('made', 6000, 1, 'a', 1, 2, 'b'), ('made', 9000, 2, 'b', 1, 0, 'swapper'))
    t(recording, time, prev_pid, prev_comm, prev_state, next_pid, next_comm)`],
  ['event.raw_syscalls.sys_enter', `SELECT * FROM (VALUES ('made', 1, 'a', 100, 0), ('made', 1, 'a', 300, 0), ('made', 2, 'b', 150, 1)) t(recording, tid, comm, time, id)`],
  ['event.raw_syscalls.sys_exit', `SELECT * FROM (VALUES ('made', 1, 'a', 140, 0), ('made', 1, 'a', 360, 0), ('made', 2, 'b', 950, 1)) t(recording, tid, comm, time, id)`],
];

async function main() {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = async (sql) => (await connection.runAndReadAll(sql)).getRowObjects();
  let number = 0, failed = 0;
  const test = async (title, body) => {
    number++;
    try {
      await body();
      console.log(`ok ${number} - ${title}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${number} - ${title}\n# ${String(error.message).replaceAll('\n', '\n# ').slice(0, 1500)}`);
    }
  };
  const same = (got, wanted) => {
    const text = (value) => JSON.stringify(value, (key, v) => (typeof v === 'bigint' ? Number(v) : v));
    if (text(got) !== text(wanted))
      throw new Error(`${text(got)}, expected ${text(wanted)}`);
  };
  for (const [table, sql] of MADE) {
    const folder = path.join('tables', table);
    if (fs.existsSync(folder))
      continue;
    fs.mkdirSync(folder);
    await connection.run(`COPY (${sql}) TO '${path.join(folder, 'made.parquet')}' (FORMAT parquet)`);
  }
  const text = fs.readFileSync(page, 'utf8');
  const each = async (sql) => { for (const one of sql.split(';\n').filter((s) => s.trim())) await connection.run(one); };
  const answers = [], others = [];
  let title = 'views';
  for (const [, heading, sql] of text.matchAll(/^## ([^\n]*)$|^```sql\n(.*?)^```$/gms)) {
    if (heading) {
      title = heading;
      continue;
    }
    const from = Date.now();
    if (title === 'views')
      await test(title, () => each(sql));
    else if (!/^\d/.test(title))
      timed || others.push([title, sql]);
    else if (timed)
      console.log(`${title}: ${(answers.push(await rows(sql)), Date.now() - from)} ms, ${answers[answers.length - 1].length} rows`);
    else
      await test(title, async () => { answers.push(await rows(sql)); });
  }
  if (timed)
    return;
  const total = (await rows(`SELECT sum(period)::BIGINT AS n FROM profile`))[0].n;
  const sum = (list, key) => list.reduce((all, row) => all + BigInt(row[key]), 0n);
  await test('ten questions', async () => same(answers.length, 10));
  await test('1: the functions have all of the time', async () => same(sum(answers[0], 'weight'), total));
  await test('3: the threads have all of the time', async () => same(sum(answers[2], 'weight'), total));
  await test('4: who waited', async () => same(answers[3].map((row) => [row.comm, row.why, row.times, row.ms]),
    [['a', 'waiting', 1, 0.004], ['b', 'preempted', 1, 0.001]]));
  await test('5: system calls', async () => same(answers[4].map((row) => [row.id, row.calls, row.mean_ns]), [[1, 1, 800], [0, 2, 50]]));
  await test('6: each recording is there', async () => same(answers[5].length, (await rows('FROM recordings LIMIT 20')).length));
  await test('9: the lines have all of the time of stacks', async () =>
    same(answers[8].reduce((all, row) => all + BigInt(row.line.slice(row.line.lastIndexOf(' ') + 1)), 0n),
      (await rows(`SELECT sum(period)::BIGINT AS n FROM profile WHERE stack_id IS NOT NULL`))[0].n));
  await test('8: both sets are there', async () => same(answers[7].every((row) => row.before_percent !== null && row.after_percent !== null), true));
  await test('the view of lines', () => each(fs.readFileSync('lines.sql', 'utf8')));
  for (const [heading, sql] of others)
    for (const one of sql.split(';\n').filter((s) => s.trim()))
      await test(`${heading}: ${one.slice(0, 60).replaceAll('\n', ' ')}…`, async () => same((await rows(one)).length > 0, true));
  console.log(`1..${number}`);
  process.exitCode = failed ? 1 : 0;
}

main();
