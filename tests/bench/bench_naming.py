#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What symbols cost, alone: naming 100 addresses of a program with 100 MB of debug information, with what is inlined there and
the source positions, against addr2line and llvm-symbolizer, which get the same addresses at once. The program is built here, once.

A cell is the median of several runs, one tool after the other in turn. All that is compared has to agree on the function at most addresses.

usage: bench_naming.py --names PROGRAM [--work FOLDER] [--only TEXT] [--rounds N]
"""
import argparse
import os
import shlex
import shutil
import statistics
import struct
import subprocess
import sys
import time

PARTS, RECORDS, MEMBERS, FUNCTIONS, ADDRESSES = 14, 2500, 60, 600, 100
SOURCE_LIST = 'naming-parts'


def write_part(path, part):
    """Types that nobody uses make most of the debug information, as in real programs; the functions have something inlined."""
    kinds = ['int', 'long', 'char', 'double']
    with open(path, 'w', encoding='ascii') as out:
        out.write('namespace part_%d {\n' % part)
        for record in range(RECORDS):
            out.write('struct record_%d {\n' % record)
            for member in range(MEMBERS):
                out.write('  %s member_%d_of_record_%d_in_part_%d;\n' % (kinds[member % 4], member, record, part))
            out.write('};\n')
        for f in range(FUNCTIONS):
            out.write('template<class T> static inline T inner_%d(T x) { T y = x * %d; return y + (y >> %d); }\n' % (f, 7 * f + 1, f % 7 + 1))
            out.write('__attribute__((noinline)) int outer_%d(record_%d *r, int n) {\n' % (f, f))
            out.write('  int s = 0;\n  for (int i = 0; i < n; i++)\n')
            out.write('    s += inner_%d(i) ^ inner_%d<long>(s + r->member_0_of_record_%d_in_part_%d);\n  return s;\n}\n' % (f, f // 2, f, part))
        out.write('}\nint all_%d(int n) {\n  int s = 0;\n' % part)
        for f in range(FUNCTIONS):
            out.write('  part_%d::record_%d r%d{}; s += part_%d::outer_%d(&r%d, n);\n' % (part, f, f, part, f, f))
        out.write('  return s;\n}\n')


def build(work):
    """The program, built if it is not there yet."""
    program = os.path.join(work, 'naming-program')
    if os.path.exists(program):
        return program
    compiler = shlex.split(os.environ.get('CXX') or 'c++')
    if not shutil.which(compiler[0]):
        return None
    print('building a program with 100 MB of debug information', file=sys.stderr, flush=True)
    folder = os.path.join(work, SOURCE_LIST)
    os.makedirs(folder, exist_ok=True)
    objects = []
    for part in range(PARTS):
        source, target = os.path.join(folder, 'part_%d.cc' % part), os.path.join(folder, 'part_%d.o' % part)
        write_part(source, part)
        subprocess.run([*compiler, '-O1', '-g', '-fno-eliminate-unused-debug-types', '-c', source, '-o', target], check=True)
        objects.append(target)
    main = os.path.join(folder, 'main.cc')
    with open(main, 'w', encoding='ascii') as out:
        out.write(''.join('int all_%d(int);\n' % part for part in range(PARTS)))
        out.write('int main(int argc, char **) { return %s; }\n' % ' + '.join('all_%d(argc)' % part for part in range(PARTS)))
    subprocess.run([*compiler, '-g', main, *objects, '-o', program + '.half'], check=True)
    os.rename(program + '.half', program)
    shutil.rmtree(folder)
    return program


def sections(program):
    """(name, offset, size) of each section of a 64-bit ELF file of this machine's byte order."""
    with open(program, 'rb') as file:
        data = file.read(64)
        table, entry, count, names = struct.unpack_from('=Q', data, 40)[0], *struct.unpack_from('=HHH', data, 58)
        file.seek(table)
        headers = [struct.unpack_from('=IIQQQQ', file.read(entry)) for _ in range(count)]
        file.seek(headers[names][4])
        texts = file.read(headers[names][5])
    return [(texts[h[0]:texts.index(b'\0', h[0])].decode(), h[4], h[5]) for h in headers]


def unwrapped(program):
    """The program itself, and where its library is: libtool's wrapper is a script that takes longer than it."""
    folder, name = os.path.split(os.path.abspath(program))
    top = os.path.dirname(os.path.dirname(folder))
    inner = os.path.join(folder, '.libs', name)
    paths = [os.path.join(top, '.libs'), os.environ.get('LD_LIBRARY_PATH')]
    os.environ['LD_LIBRARY_PATH'] = ':'.join(filter(None, paths))
    return inner if os.path.exists(inner) else program


def measure(command, text):
    """(seconds, seconds of CPU, peak MiB, output)"""
    begin = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        process.stdin.write(text)
        process.stdin.close()
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit('exit code %d: %s' % (process.returncode, shlex.join(command)))
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


def outermost(output, separator):
    """Of each address, the name of the function that holds the code: the last one of its calls, without parameters."""
    names = []
    for block in output.split(separator)[1:]:
        lines = [line for line in block.split('\n')[1:] if line]
        names.append(lines[-2].split('(')[0].split('<')[0] if len(lines) > 1 else '')
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--names', required=True, help='bench_names')
    parser.add_argument('--work', default='bench-recordings')
    parser.add_argument('--only', default='')
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_known_args()[0]
    if options.only and 'naming' not in options.only.split(','):
        return
    work = os.path.abspath(options.work)
    os.makedirs(work, exist_ok=True)
    program = build(work)
    if not program:
        print('naming: no C++ compiler here, row left out', file=sys.stderr)
        return
    found = {name: (offset, size) for name, offset, size in sections(program)}
    debug = sum(size for name, (_, size) in found.items() if name.startswith('.debug_'))
    offset, size = found['.text']
    ours = [unwrapped(options.names), program, hex(offset + 64), hex(offset + size), str(ADDRESSES)]
    addresses = [line.split('\t')[0] for line in measure(ours, '')[3].splitlines()]
    text = '\n'.join(addresses) + '\n'
    tools = {'perfdata': ours, 'addr2line -f -i': ['addr2line', '-a', '-f', '-i', '-C', '-e', program],
             'llvm-symbolizer': ['llvm-symbolizer', '--addresses', '--inlines', '--obj=' + program]}
    tools = {name: command for name, command in tools.items() if name == 'perfdata' or shutil.which(command[0])}
    results = {name: [] for name in tools}
    for _ in range(options.rounds):
        for name, command in tools.items():
            results[name].append(measure(command, '' if name == 'perfdata' else text))
    mine = [line.split('\t')[1].split('(')[0].split('<')[0] for line in results['perfdata'][0][3].splitlines()]
    print('naming %d addresses, %.0f MB of debug information' % (len(addresses), debug / 1e6))
    print('| tool            |  wall s |   CPU s |  MiB | ratio | same function |')
    print('|-----------------|--------:|--------:|-----:|------:|--------------:|')
    base = statistics.median(r[0] for r in results['perfdata'])
    for name, runs in results.items():
        wall, cpu = (statistics.median(r[i] for r in runs) for i in (0, 1))
        names = mine if name == 'perfdata' else outermost(runs[0][3], '0x')
        same = sum(a == b for a, b in zip(mine, names))
        print('| %-15s | %7.4f | %7.4f | %4.0f | %4.1fx | %13d |' % (name, wall, cpu, max(r[2] for r in runs), wall / base, same))


if __name__ == '__main__':
    main()
