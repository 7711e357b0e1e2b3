#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each table of csv: every row has the header's columns, records are neither lost nor added, values are those of ndjson, and --jobs
changes nothing. Names and stacks are those of ndjson, and the tables of stacks and frames join with them. For each recording of testdata,
and of every second one of $PERFDATA_CORPUS where that is set. One table in three is written by four threads too. With PERFDATA_ALL=1 all."""
import csv
import functools
import io
import json
import os
import re
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

LIMIT = int(os.environ.get('CHECK_CSV_LIMIT', 1 << 18))  # bytes of a recording: larger ones take Python too long
csv.field_size_limit(1 << 30)


def lookup(record, name):
    """The value that a column shows, by its dotted name; None where it is absent."""
    if name in record:
        return record[name]
    head, _, rest = name.partition('.')
    inner = record.get(head)
    return lookup(inner, rest) if rest and isinstance(inner, dict) else None


def cell(value):
    """How csv spells a value of ndjson."""
    if value is None:
        return ''
    if value is True or value is False:
        return 'true' if value else 'false'
    if isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
        return ';'.join(cell(item) for item in value)
    return str(value) if not isinstance(value, (dict, list)) else value


def same(text, value):
    expected = cell(value)
    if isinstance(expected, str):
        return text == expected or isinstance(value, float)
    return json.loads(text) == expected


KEYS = ("recording", "comm", "stack_id")    # samples and events have them also where ndjson is not asked for names
AT_THE_END = ("recordings", "events", "build_ids", "cpu", "features", "findings")    # their rows are made by one thread


def check_table(path, table, records, faults, *options):
    """The rows with the header in front, or none of them."""
    code, out, _err = run('csv', '-q', '--jobs', '1', *options, '--table', table, path)
    text = out.decode('utf-8')
    if code not in (0, 4) or (text and not text.endswith('\r\n')):
        faults.append('%s: exit %d' % (table, code))
        return []
    header, *rows = list(csv.reader(io.StringIO(text, newline='')))
    if len(set(header)) != len(header):
        faults.append('%s: a column twice' % table)
    if any(len(row) != len(header) for row in rows):
        faults.append('%s: rows of another width' % table)
    in_turn = program.ALL or zlib.crc32((os.path.basename(path) + table).encode()) % 3 == 0
    four = run('csv', '-q', '--jobs', '4', *options, '--table', table, path) if in_turn and table not in AT_THE_END else None
    if four and (four.code, four.out) != (code, out):
        faults.append('%s: --jobs 4 gives other bytes: exit %d and %d bytes, with one job exit %d and %d; it says: %s' %
                      (table, four.code, len(four.out), code, len(out), four.err.decode('utf-8', 'replace')))
    if records is None:
        return [header, *rows]
    if len(rows) != len(records):
        faults.append('%s: %d rows for %d records' % (table, len(rows), len(records)))
    for row, record in zip(rows, records):
        for name, text in zip(header, row):
            if not same(text, lookup(record, name)) and (name not in KEYS or name in record):
                faults.append('%s at %s: %s is %r in csv, %r in ndjson' % (table, record['offset'], name, text[:99], lookup(record, name)))
                return [header, *rows]
    return [header, *rows]


def check_stacks(path, faults):
    """The stacks that the two tables join to are those of ndjson."""
    lines = [json.loads(line) for line in run('ndjson', '-q', '--names', '--stacks', 'ref', path).out.decode('utf-8').splitlines()]
    samples = [value for value in lines if value['type'] == 'sample']
    check_table(path, 'samples', samples, faults, '--names', '--stacks', 'ref')
    for event in sorted({value['event'] for value in samples if 'fields' in value}):
        check_table(path, 'event:' + event, [v for v in samples if v.get('event') == event], faults, '--stacks', 'ref')
    tables = {}
    for table in ('stacks', 'frames'):
        header, *rows = check_table(path, table, None, faults) or [[]]
        tables[table] = [dict(zip(header, row)) for row in rows]
    frames = {row['frame_id']: {key: value for key, value in row.items() if key not in ('recording', 'dso_id')} for row in tables['frames']}
    joined = {}
    for row in tables['stacks']:
        steps = joined.setdefault(int(row['stack_id']), [])
        if int(row['depth']) != len(steps):
            faults.append('stacks: depth %s is step %d' % (row['depth'], len(steps)))
        step = dict(frames[row['frame_id']]) if row['frame_id'] else {}
        if row['unmapped_ip'] != ('' if row['frame_id'] else row['ip']):
            faults.append('stacks: unmapped_ip %s of %s' % (row['unmapped_ip'], row))
        step.update(ip=row['ip'], origin='' if row['origin'] == 'recorded' else row['origin'])
        steps.append({key: value for key, value in step.items() if value != ''})
    stated = {value['stack_id']: [{key: str(int(item, 16) if key in ('ip', 'address') else item) for key, item in frame.items()} for frame in value['frames']]
            for value in lines if value['type'] == 'stack'}
    if joined != stated:
        faults.append('stacks: the tables join to other stacks than those of ndjson')


@functools.lru_cache(maxsize=None)
def described_columns(table, bulky=False):
    rows = list(csv.DictReader(run('schema', '--columns', '--table', table).out.decode().splitlines(), delimiter='\t', quoting=csv.QUOTE_NONE))
    return [row['column'] for row in rows
            if (bulky or 'only with --columns' not in row['meaning'].lower()) and 'Not in CSV' not in row['meaning']]


DESCRIBED = {table: described_columns(table) for table in
             ('recordings', 'events', 'mappings', 'build_ids', 'threads', 'lost', 'cpu', 'features', 'findings')}


# they have no column `recording`
PARTS = {table: described_columns(table)[1:] for table in ('branches', 'regs')}


def check_described(path, by_type, faults):
    """The tables that Parquet has too: their columns do not depend on the recording."""
    rows = {}
    for table, columns in DESCRIBED.items():
        header, *rows[table] = check_table(path, table, None, faults) or [[]]
        if header != columns:
            faults.append('%s: columns %s, described are %s' % (table, header, columns))
    for table, kinds in (('mappings', ('mmap', 'mmap2')), ('threads', ('comm', 'fork', 'exit')),
                         ('lost', ('lost', 'lost_samples', 'throttle', 'unthrottle'))):
        wanted = sum(len(by_type.get(kind, [])) for kind in kinds)
        if len(rows[table]) != wanted:
            faults.append('%s: %d rows for %d records' % (table, len(rows[table]), wanted))
    if len(rows['recordings']) != 1:
        faults.append('recordings: %d rows' % len(rows['recordings']))


def check_described_records(kind, header, faults):
    """Samples and records of one type have the described columns, those that Parquet leaves out too."""
    wanted = described_columns('samples' if kind == 'sample' else kind, True)
    if header and header != (wanted if kind == 'sample' else wanted[1:]):
        faults.append('%s: columns %s, described are %s' % (kind, header, wanted))


def check_event_columns(path, table, header, faults):
    """Columns for a tracepoint's fields replace the column `fields`; --columns also takes their names in Parquet."""
    samples = [name for name in described_columns('samples', True) if name != 'fields']
    fields = [name[len('fields.'):] for name in header if name.startswith('fields.')]
    if [name for name in header if not name.startswith('fields.')] != samples:
        faults.append('%s: other columns of samples: %s' % (table, header))
    short = [name for name in fields if name not in ('offset', 'inner', 'file', 'time', 'pid', 'tid', 'cpu', 'comm', 'stack_id')]
    if not short:
        return
    found = [run('csv', '-q', '--table', table, '--columns', ','.join(prefix + name for name in short), path).out for prefix in ('', 'fields.')]
    heads, rows = zip(*(out.partition(b'\r\n')[::2] for out in found))
    if [head.decode().split(',') for head in heads] != [short, ['fields.' + name for name in short]] or rows[0] != rows[1]:
        faults.append('%s: --columns %s: %s' % (table, short, heads))


def table_of(done):
    return list(csv.reader(io.StringIO(done.out.decode('utf-8'), newline='')))


def check_dropped(path, table, faults, whole=None):
    """--drop-empty leaves out the columns that no row has a value in, also of a pipe, and no others."""
    whole = whole or table_of(run('csv', '-q', '--table', table, path))
    kept = [i for i in range(len(whole[0])) if any(row[i] for row in whole[1:])] or range(len(whole[0]))
    wanted = [[row[i] for i in kept] for row in whole]
    if table_of(run('csv', '-q', '--jobs', '4', '--drop-empty', '--table', table, path)) != wanted:
        faults.append('%s: --drop-empty leaves other columns than %s' % (table, wanted[0]))
    if os.path.isdir(path):
        return
    piped = table_of(run('csv', '-q', '--drop-empty', '--table', table, '-', stdin=path))
    # what only a file can be read as has no rows there
    if piped and len(piped) == len(wanted) and piped[0] != wanted[0]:
        faults.append('%s: --drop-empty of a pipe leaves %s' % (table, piped[0]))


def check_dropped_rows():
    """Rows that take more than one block of the temporary file; a table without rows; one column; two recordings."""
    faults = []
    path = os.path.join(program.TESTDATA, 'killed-73.data')
    with tempfile.TemporaryDirectory() as folder:
        merged = os.path.join(folder, 'merged.data')
        run('rewrite', '-q', '-o', merged, *[path] * 24)
        rows = table_of(run('csv', '-q', '--table', 'samples', merged))
        if len(rows) * len(rows[0]) < 1 << 20:    # commas alone are more than a block
            faults.append('only %d rows' % len(rows))
        check_dropped(merged, 'samples', faults, rows)
    check_dropped(path, 'lost', faults)
    check_dropped(path, 'threads', faults)
    check_dropped(os.path.join(program.TESTDATA, 'callgraph-73.data'), 'samples', faults)
    check_dropped(os.path.join(program.TESTDATA, 'trace-73.data'), 'frames', faults)
    one = run('csv', '-q', '--drop-empty', '--columns', 'late,problem', path)
    if one.out.splitlines()[:2] != [b'late,problem', b',']:
        faults.append('no column has a value: %s' % one.out[:50])
    two = run('csv', '-q', '--drop-empty', path, path.replace('73', '61'))
    if two.code != 2 or two.out or b'-o DIR/' not in two.err:
        faults.append('of two recordings: exit %d, %s' % (two.code, two.err))
    return faults


def check_all(path, faults):
    """--table all: each described table, and messages that count rows."""
    with tempfile.TemporaryDirectory() as folder:
        done = run('csv', '--symbols', 'no', '--table', 'all', '-o', folder + '/', path)
        stated = {table: int(nr) for nr, table in re.findall(r'note: (?:damaged: )?(\d+) rows written to .*\.([a-z_0-9]+)\.csv$',
                                                           done.err.decode('utf-8', 'replace'), re.M)}
        written = {name.split('.')[-2]: name for name in os.listdir(folder) if name.endswith('.csv')}
        for table in set(stated) & set(written):
            with open(os.path.join(folder, written[table]), newline='', encoding='utf-8') as file:
                rows = sum(1 for _ in csv.reader(file)) - 1
            if stated[table] != rows:
                faults.append('%s: a message says %d rows, there are %d' % (table, stated[table], rows))
        missing = (set(DESCRIBED) | {'stacks', 'frames'}) - set(stated)
        if missing:
            faults.append('--table all leaves out %s' % sorted(missing))


def check(path, described):
    code, out, _err = run('ndjson', '-q', path)
    if code not in (0, 4):
        return [] if code == 3 else ['exit %d' % code]
    by_type = {}
    for line in out.decode('utf-8').splitlines()[1:-1] if b'\n' in out else []:
        record = json.loads(line)
        by_type.setdefault(record['type'], []).append(record)
    faults = []
    for kind, records in by_type.items():
        if kind not in DESCRIBED:
            rows = check_table(path, 'samples' if kind == 'sample' else kind, records, faults)
            if rows and kind != 'unknown':
                check_described_records(kind, rows[0], faults)
    samples = by_type.get('sample', [])
    for table, count in (('callchain', None), ('branches', sum(len(r.get('branch_stack', {}).get('entries', [])) for r in samples)),
                         ('regs', sum(len(r.get(k, {}).get('regs', {})) for r in samples for k in ('user_regs', 'intr_regs')))):
        rows = check_table(path, table, None, faults)
        if count is not None and rows and len(rows) - 1 != count:
            faults.append('%s: %d rows for %d parts' % (table, len(rows) - 1, count))
        if rows and table in PARTS and rows[0] != PARTS[table]:
            faults.append('%s: columns %s, described are %s' % (table, rows[0], PARTS[table]))
    for table in ('aux_packets', 'spe_samples') if 'auxtrace' in by_type else ():
        check_table(path, table, None, faults)
    for event in sorted({r['event'] for r in samples if 'fields' in r}):
        chosen = [r for r in samples if r.get('event') == event]
        rows = check_table(path, 'event:' + event, chosen, faults)
        if rows and described and event == samples[0]['event']:
            check_event_columns(path, 'event:' + event, rows[0], faults)
    if samples:
        check_stacks(path, faults)
    if described:
        check_described(path, by_type, faults)
        check_all(path, faults)
    return faults


def main():
    number = bad = 0
    for path in program.some_recordings(LIMIT):
        number += 1
        # nine tables, three runs each: some recordings are enough
        faults = check(path, program.ALL or number % (16 if program.CORPUS else 3) == 0)
        bad += bool(faults)
        print('%sok %d - %s' % ('not ' if faults else '', number, os.path.basename(path)))
        for fault in faults[:5]:
            print('# ' + fault[:400])
    if not number:
        print('1..0 # SKIP no recordings')
        return 77
    faults = []
    check_all(os.path.join(program.TESTDATA, 'perf', 'kernel-records.data'), faults)
    bad += bool(faults)
    print('%sok %d - tables of a record of every type%s' % ('not ' if faults else '', number + 1, ''.join('\n# ' + fault[:400] for fault in faults)))
    faults = check_dropped_rows()
    bad += bool(faults)
    print('%sok %d - --drop-empty%s' % ('not ' if faults else '', number + 2, ''.join('\n# ' + fault[:400] for fault in faults)))
    print('1..%d' % (number + 2))
    return 1 if bad else 0


sys.exit(main())
