#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What more processors would bring: the share of each stage of a conversion, and the speed with many threads that follows from it.

Records perfdata with one thread (perf record, stacks of registers and memory), and names the stacks with perfdata. Stages that
depend on the order of the records run in one thread each, beside the others: they limit the speed, as does what happens before
the first record and after the last. Needs a perf that can record.

usage: bench_stages.py --perfdata PROGRAM [--perf COMMAND] [--work FOLDER] [--only TEXT] [--results FILE]
"""
import argparse
import collections
import importlib.machinery
import importlib.util
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
loader = importlib.machinery.SourceFileLoader('run', os.path.join(HERE, 'run'))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader('run', loader))
loader.exec_module(run)

PROCESSORS = [2, 4, 8, 16, 64]
LEAST_SAMPLES, MOST_RUNS = 1500, 8
# The first entry with a function of the stack decides. Stages but `any` and `alone` are of one thread each.
STAGES = [
    # what any thread does, while records are read and at the end
    ('any', {'pd_unwind_stack', 'add_key', 'sort_alone', 'format_piece', 'pack_next', 'encode_last', 'encode_lane_piece',
             'encode_lane_piece.isra.0', 'encode_row_group'}),
    ('names', {'pd_session_finish_names', 'pd_symbols_load_next', 'pd_dso_load_locked'}),   # a thread loads them beside the others
    ('bytes', {'pd_window_fill', 'pd_window_pass', 'pd_unpack_fill', 'pd_input_next_chunk'}),
    ('records', {'pd_reader_next_run', 'pd_reader_next_now', 'pd_stream_next', 'pd_order_next'}),
    ('follow', {'perfdata_session_next', 'pull_batch', 'fill_slots', 'pd_run_fill'}),
    ('merge', {'pd_run_write'}),
]
IN_TURN = ['bytes', 'records', 'follow', 'merge', 'names']


def stage_of(functions):
    # symbols that a formatting thread needs first are loaded by the thread that loads names
    if 'pd_dso_load_locked' in functions:
        return 'names'
    found = next((name for name, of_stage in STAGES if of_stage & functions), None)
    return found or ('any' if 'work_until_done' in functions else 'alone')   # the rest of the loop formats batches


def shares(bench, command):
    """Shares of the stages in the time of a command."""
    counts = collections.Counter()
    data = os.path.join(bench.work, 'stages.data')
    for _ in range(MOST_RUNS):
        subprocess.run(bench.perf + ['record', '-q', '-e', 'cpu-clock', '-F', '4000', '-m', '8M', '--call-graph', 'dwarf,16384', '-o', data, '--', *command],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=bench.environment, check=True)
        lines = subprocess.run([bench.perfdata, 'folded', '-q', '--no-inline', data], stdout=subprocess.PIPE, env=bench.environment, check=True).stdout
        for line in lines.decode(errors='replace').splitlines():
            stack, weight = line.rsplit(' ', 1)
            counts[stage_of(set(stack.split(';')))] += int(weight)
        if sum(counts.values()) >= LEAST_SAMPLES:
            break
    os.unlink(data)
    return {stage: count / sum(counts.values()) for stage, count in counts.items()}


def speed(of_stage, processors):
    """How often faster than one thread: every stage in turn has a thread, and all threads do the rest."""
    alone = of_stage.get('alone', 0)
    return 1 / (alone + max([(1 - alone) / processors] + [of_stage.get(stage, 0) for stage in IN_TURN]))


def known_ratios(path):
    """Ratios to perf with one thread in a table of results: by work and input."""
    ratios = {}
    for line in open(path) if path else []:
        cells = [cell.strip() for cell in line.split('|')[1:-1]]
        if len(cells) == len(run.HEAD) and cells[2] == 'null' and cells[7].endswith('x'):
            ratios[cells[0], cells[1]] = float(cells[7][:-1])
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--perfdata', required=True)
    parser.add_argument('--perf', default='perf', help='command that runs a perf that can record')
    parser.add_argument('--work', default='bench-recordings', help='folder of the recordings, made by make bench')
    parser.add_argument('--only', default='', help='only rows whose work, input or "work input" is in this comma-separated list')
    parser.add_argument('--results', default='', help='a page with results of make bench: ratios to perf instead of to one thread')
    options = parser.parse_args()
    bench = run.Bench(options)
    only = options.only.split(',') if options.only else []
    ratios = known_ratios(options.results)
    print('| work | input | %s | alone | 1 thread | %s |' % (' | '.join(IN_TURN), ' | '.join(map(str, PROCESSORS))))
    print('| --- | --- |' + ' ---: |' * (len(IN_TURN) + 2 + len(PROCESSORS)))
    for work_name, name, output in run.ROWS:
        work = run.WORKS[work_name]
        path = os.path.join(bench.work, name + '.data')
        if work_name not in run.THREADED or work.ours[0] == run.WALK or output != 'null' or not os.path.exists(path):
            continue
        if only and not {work_name, name, work_name + ' ' + name} & set(only):
            continue
        of_stage = shares(bench, run.commands(bench, work, path, output, 1)[1])
        ratio = ratios.get((work_name, name))
        speeds = ['%.1fx' % (ratio * times) if ratio else '(%.1f)' % times for times in [1] + [speed(of_stage, n) for n in PROCESSORS]]
        cells = ['%.0f %%' % (100 * of_stage.get(stage, 0)) for stage in [*IN_TURN, 'alone']] + speeds
        print('| %s | %s | %s |' % (work_name, name, ' | '.join(cells)), flush=True)
    subprocess.run(['rm', '-rf', bench.folder, bench.sink])
    return 0


if __name__ == '__main__':
    sys.exit(main())
