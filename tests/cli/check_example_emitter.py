#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of emitters outside the tree, built beside the tests, are loaded by --emitter and say what ndjson says."""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

BUILD = os.environ.get('top_builddir', '.')
OBJECT = os.path.join(BUILD, 'tests', '.libs', 'example_emitter.so')
MAPPED = os.path.join(BUILD, 'tests', '.libs', 'example_mapped.so')


def expected(path, minimum):
    lines, last, cpus = ['time\tgap\tcpu'], None, {}
    objects = [json.loads(line) for line in run('ndjson', '-q', path).out.splitlines()]
    for record in objects:
        if record['type'] != 'sample' or record.get('time') is None:
            continue
        gap = 0 if last is None or record['time'] < last else record['time'] - last
        last = record['time']
        cpu = record.get('cpu')
        if cpu is not None:
            cpus[cpu] = cpus.get(cpu, 0) + 1
        if gap >= minimum:
            lines.append('%d\t%d\t%s' % (last, gap, '' if cpu is None else cpu))
    lines += ['# cpu %d: %d samples' % item for item in sorted(cpus.items())]
    end = '' if objects[-1]['complete'] else ', incomplete'
    return '\n'.join(lines + ['# records: %d%s' % (objects[-1]['records'], end)]) + '\n'


def mapped(path, functions):
    """{(build-id, file, function): [samples, mappings, bytes]}, without files of which nothing is known."""
    found = {}
    options = ['--symbols', 'yes'] if functions else ['--names']
    for line in run('ndjson', '-q', *options, path).out.splitlines():
        record = json.loads(line)
        if record['type'] == 'mmap2':
            row = found.setdefault((record.get('build_id', ''), record['filename'], ''), [0, 0, 0])
            row[1] += 1
            row[2] += record['len']
        elif record['type'] == 'sample' and (record.get('ip_at') or {}).get('dso'):
            place = record['ip_at']
            function = (place.get('symbol') or '[unknown]') if functions else ''
            found.setdefault((place.get('build_id', ''), place['dso'], function), [0, 0, 0])[0] += 1
    return found


def mapped_rows(text):
    lines = [line.split('\t') for line in text.splitlines()]
    return {(build_id, name, function): [int(number) for number in numbers] for *numbers, build_id, name, function in lines[1:]}


def main():
    if not os.path.exists(OBJECT):
        print('1..0 # SKIP the example is not built as a shared object')
        return 77
    cases = []
    # Damage inside records is met only by who decodes them, which the example does not.
    whole = [path for path in sorted(glob.glob(os.path.join(program.TESTDATA, '*.data'))) if '/bad-' not in path]
    for path in whole:
        for jobs, minimum in (('1', 0), ('3', 100000)):
            done = run('convert', '-q', '--emitter', OBJECT, '--jobs', jobs, '--minimum', str(minimum), path)
            name = '%s with %s jobs' % (os.path.basename(path), jobs)
            cases.append((name, done.code in (0, 4) and done.out.decode() == expected(path, minimum)))
    # The kernel's map and its dso have different names, and so have files of guests and JITs: files alone are compared.
    for name in ('callgraph-73.data', 'callgraph-61.data', 'stream-73.pipe', 'dwarf-73.data'):
        path = os.path.join(program.TESTDATA, name)
        for functions in (False, True) if os.path.exists(path) else ():
            done = run('convert', '-q', '--emitter', MAPPED, '--jobs', '3', *(['--functions'] if functions else []), path)
            files = lambda rows: {key: row for key, row in rows.items() if key[1].startswith('/')}
            cases.append(('%s: mapped files%s' % (name, ', by function' if functions else ''),
                          done.code == 0 and files(mapped_rows(done.out.decode())) == files(mapped(path, functions))))
    rows = run('convert', '-q', '--emitter', MAPPED, '--rows', whole[0]).out.decode().splitlines()
    wanted = [json.loads(line) for line in run('ndjson', '-q', '--type', 'mmap2', whole[0]).out.splitlines()[1:-1]]
    shown = [dict(word.split('=') for word in row.split()[1:]) for row in rows if row.startswith('mmap2 ')]
    cases.append(('rows of records', bool(shown) and [(int(row['pid']), row['addr'], int(row['len'])) for row in shown]
                  == [(record['pid'], record['addr'], record['len']) for record in wanted]))
    other = os.path.join(BUILD, '.libs', 'libperfdata.so')
    done = run('convert', '--emitter', other if os.path.exists(other) else program.PERFDATA, 'x')
    cases.append(('an object without an emitter is wrong use', done.code == 2 and b'perfdata_emitter' in done.err))
    print('1..%d' % len(cases))
    for number, (name, good) in enumerate(cases, 1):
        print('%sok %d - %s' % ('' if good else 'not ', number, name))
    return 0 if all(good for _, good in cases) else 1


sys.exit(main())
