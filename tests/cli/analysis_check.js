// SPDX-License-Identifier: MIT
// Called by analysis_check.sh: node analysis_check.js MODULES PAGE FIGURES, in a folder where the page's commands were run. FIGURES: what the answers
// should be. Without: how long each of the ten questions takes, no tests.
'use strict';
const { createRequire } = require('module');
const fs = require('fs');
const path = require('path');

const [modules, page, figures] = process.argv.slice(2);
const timed = !figures;
const { DuckDBInstance } = createRequire(path.join(modules, 'index.js'))('@duckdb/node-api');

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
  await test('ten questions', async () => same(answers.length, 10));
  const wanted = JSON.parse(fs.readFileSync(figures, 'utf8'));
  // the answers are the first 20 of these rows
  await test('1: the functions have all of the time', async () => same(wanted.functions.reduce((all, row) => all + BigInt(row[1]), 0n), total));
  await test('3: the threads have all of the time', async () => same(wanted.threads.reduce((all, row) => all + BigInt(row[4]), 0n), total));
  const plain = (value) => (typeof value === 'bigint' ? Number(value) : value);
  const near = (a, b) => a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= 1e-9 * Math.abs(b) + 0.0011);
  const agree = (got, figure) => {
    const wrong = figure.slice(0, 20).findIndex((row, i) => !got[i] || row.some((value, k) => !near(plain(got[i][k]), value)));
    if (got.length !== Math.min(figure.length, 20) || wrong >= 0)
      same(got[wrong], figure[wrong]);
    if (!figure.length)
      throw new Error('there is nothing to compare');
  };
  // rows that weigh the same may be in any order: each that is there has to be one of the figures, with its numbers
  const among = (got, figure, by) => {
    const left = new Map();
    for (const row of figure)
      left.set(JSON.stringify(row.slice(0, by)), row);
    if (got.length !== Math.min(figure.length, 20) || !figure.length)
      throw new Error(`${got.length} rows, expected ${Math.min(figure.length, 20)}`);
    for (const row of got) {
      const one = left.get(JSON.stringify(row.slice(0, by).map(plain)));
      left.delete(JSON.stringify(row.slice(0, by).map(plain)));
      if (!one || row.some((value, k) => !near(plain(value), one[k])))
        same(row, one || 'no such row');
    }
  };
  const int = (value) => (value === null ? null : Number(value));
  await test('1: functions', async () => among(answers[0].map((row) => [row.function, int(row.weight)]), wanted.functions, 1));
  await test('2: functions with what they call', async () => wanted.with_callees.length
    ? among(answers[1].map((row) => [row.symbol, row.dso, int(row.weight)]), wanted.with_callees, 2) : same(answers[1].length, 0));
  await test('3: threads', async () =>
    among(answers[2].map((row) => [row.comm, row.dso, row.build, int(row.samples), int(row.weight)]), wanted.threads, 3));
  await test('8: shares before and after', async () => {
    const figures = new Map(wanted.changes.map((row) => [row[0], row]));
    for (const row of answers[7]) {
      const [, before, after, t] = figures.get(row.fn);
      if (Math.abs(row.before_percent - before) > 0.0051 || Math.abs(row.after_percent - after) > 0.0051 || (t !== null && Math.abs(row.welch_t - t) > 0.0051))
        same([row.before_percent, row.after_percent, row.welch_t], [before, after, t]);
    }
    same(answers[7].length, Math.min(wanted.changes.length, 20));
  });
  await test('9: stacks', async () => same(answers[8].map((row) => row.line).sort(), wanted.folded.sort()));
  await test('10: names', async () =>
    among(answers[9].map((row) => [row.dso, row.no_build_id, int(row.samples), int(row.named)]), wanted.without_names, 2));
  await test('4: who waited, with lost records, missing switches, and of a process', async () =>
    agree(answers[3].map((row) => [row.comm, row.why, row.times, row.ms, row.p99_ms, row.queued_ms, row.unsure, row.not_known]), wanted.waits));
  await test('5: system calls', async () =>
    agree(answers[4].map((row) => [row.call, row.calls, row.failed, row.mean_ns, row.median_ns, row.p99_ns, row.unsure]),
      wanted.calls.map(([call, calls, failed, ...times]) => [call, calls, failed, ...times.slice(0, 3).map(Math.round), times[3]])));
  await test('6: what was lost', async () =>
    agree(answers[5].map((row) => [row.recording, row.samples, row.lost, row.percent]), wanted.losses));
  await test('9: the lines have all of the time of stacks', async () =>
    same(answers[8].reduce((all, row) => all + BigInt(row.line.slice(row.line.lastIndexOf(' ') + 1)), 0n),
      (await rows(`SELECT sum(period)::BIGINT AS n FROM profile WHERE stack_id IS NOT NULL`))[0].n));
  await test('8: both sets are there', async () => same(answers[7].every((row) => row.before_percent !== null && row.after_percent !== null), true));
  await test('the view of lines', () => each(fs.readFileSync('lines.sql', 'utf8')));
  for (const [heading, sql] of others)
    for (const one of sql.split(';\n').filter((s) => s.trim()))
      await test(`${heading}: ${one.slice(0, 60).replaceAll('\n', ' ')}…`, async () => {
        const got = await rows(one);
        same(got.length > 0, true);
        if (heading.startsWith('How far')) {
          same(got.filter((row) => row.every_nth).map((row) => row.recording), got.map((row) => row.recording).filter((name) => name.includes('sampled')));
          same(got.filter((row) => row.every_nth && row.waits).length, 0);
          same(got.reduce((all, row) => all + Number(row.unsure), 0), wanted.waits.reduce((all, row) => all + row[6], 0));
          same(got.some((row) => row.gaps > 0), true);
        }
      });
  console.log(`1..${number}`);
  process.exitCode = failed ? 1 : 0;
}

main();
