#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example of an emitter outside the tree, built beside the tests, is loaded by --emitter and says what ndjson says."""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run

BUILD = os.environ.get('top_builddir', '.')
OBJECT = os.path.join(BUILD, 'tests', '.libs', 'example_emitter.so')


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
    other = os.path.join(BUILD, '.libs', 'libperfdata.so')
    done = run('convert', '--emitter', other if os.path.exists(other) else program.PERFDATA, 'x')
    cases.append(('an object without an emitter is wrong use', done.code == 2 and b'perfdata_emitter' in done.err))
    print('1..%d' % len(cases))
    for number, (name, good) in enumerate(cases, 1):
        print('%sok %d - %s' % ('' if good else 'not ', number, name))
    return 0 if all(good for _, good in cases) else 1


sys.exit(main())
