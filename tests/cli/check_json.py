#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every line of ndjson is an object of `perfdata schema`, with unique keys and valid UTF-8; `json` holds the same objects; --jobs
changes nothing. With names and stacks the lines have more keys and else the same; each stack is written once, before its first use. For each
recording of testdata, and of every second one of $PERFDATA_CORPUS where that is set."""
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program
from program import run, strict_json

LIMIT = int(os.environ.get('CHECK_JSON_LIMIT', 4 << 20))  # bytes of a recording: larger ones take Python too long


TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}


def is_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    if name == 'number':
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problem(value, schema, path):
    """What of the value does not fit, or None. Knows the keywords that `perfdata schema` uses, and no others."""
    known = {'type', 'const', 'enum', 'minimum', 'pattern', 'items', 'properties', 'required', 'additionalProperties', 'description'}
    if set(schema) - known:
        return 'schema of %s uses %s' % (path, set(schema) - known)
    types = schema.get('type')
    if types and not any(is_type(value, t) for t in ([types] if isinstance(types, str) else types)):
        return '%s: %r is not %s' % (path, value, types)
    if 'const' in schema and value != schema['const']:
        return '%s: %r is not %r' % (path, value, schema['const'])
    if 'enum' in schema and value not in schema['enum']:
        return '%s: %r is not one of %r' % (path, value, schema['enum'])
    if 'minimum' in schema and value is not None and value < schema['minimum']:
        return '%s: %r is too small' % (path, value)
    if 'pattern' in schema and not re.search(schema['pattern'], value):
        return '%s: %r does not match %s' % (path, value, schema['pattern'])
    if isinstance(value, list) and 'items' in schema:
        for i, item in enumerate(value):
            found = problem(item, schema['items'], '%s[%d]' % (path, i))
            if found:
                return found
    if isinstance(value, dict):
        return object_problem(value, schema, path)
    return None


def object_problem(value, schema, path):
    for key in schema.get('required', []):
        if key not in value:
            return '%s has no %s' % (path, key)
    others = schema.get('additionalProperties', True)
    for key, item in value.items():
        inner = schema.get('properties', {}).get(key, others)
        if inner is False:
            return '%s.%s is not in the schema' % (path, key)
        if isinstance(inner, dict):
            found = problem(item, inner, '%s.%s' % (path, key))
            if found:
                return found
    return None


NAME_KEYS = {'comm', 'comm_hex', 'ip_at', 'addr_at', 'branch_stack_at', 'stack', 'stack_id'}


def jobs_faults(code, out, *arguments):
    """What four threads do otherwise than one did."""
    four = run('ndjson', '-q', '--jobs', '4', *arguments)
    if (four.code, four.out) == (code, out):
        return []
    return ['--jobs 4 gives other bytes: exit %d and %d bytes, with one job exit %d and %d; it says: %s' %
            (four.code, len(four.out), code, len(out), four.err.decode('utf-8', 'replace'))]


def misfits(objects, by_type):
    faults = []
    for number, value in enumerate(objects):
        fits = [problem(value, schema, value['type']) for schema in by_type[value['type']]]
        if all(fits):
            faults.append('line %d: %s' % (number + 1, fits[0]))
    return faults


def addresses(chain):
    return [entry for entry in chain if entry.startswith('0x')]


def lost_addresses(value, plain, stacks):
    """Recorded addresses that neither the sample nor its stack says."""
    if 'stack_id' not in value or 'callchain' in value:
        return []
    shown_ips = [frame['ip'] for frame in stacks[value['stack_id']]['frames']]
    recorded = addresses(plain['callchain'])
    return recorded if shown_ips[:len(recorded)] != recorded else []


def without_names(value, plain):
    """The line as it is without names: its stack is replaced by the call chain again."""
    if value['type'] != 'sample':
        return value
    bare = {key: item for key, item in value.items() if key not in NAME_KEYS}
    if 'stack_id' in value and 'callchain' in plain:
        bare['callchain'] = plain['callchain']
    return bare


def check_names(path, by_type, plain, arguments):
    """The lines with names and stacks against those without."""
    code, out, _err = run('ndjson', '-q', '--jobs', '1', *arguments, path)
    objects = [strict_json(line) for line in out.splitlines()] if out else []
    faults = misfits(objects, by_type)
    stacks = {}
    used = set()
    records = []
    for value in objects:
        if value['type'] == 'stack':
            if value['stack_id'] in stacks:
                faults.append('stack %d is written twice' % value['stack_id'])
            stacks[value['stack_id']] = value
            continue
        records.append(value)
        if 'stack_id' in value:
            if value['stack_id'] not in stacks:
                faults.append('sample at %d: stack %d is not written before it' % (value['offset'], value['stack_id']))
            used.add(value['stack_id'])
    if used != set(stacks):
        faults.append('a stack that no sample has')
    if len(records) != len(plain):
        faults.append('%d lines, and %d without names' % (len(records), len(plain)))
    for value, other in zip(records, plain):
        if without_names(value, other) != other:
            faults.append('line of %s differs' % other.get('offset'))
            break
        if lost_addresses(value, other, stacks):
            faults.append('sample at %d: its stack lacks addresses of its chain' % value['offset'])
            break
    faults += jobs_faults(code, out, *arguments, path)
    document = strict_json(run('json', '-q', *arguments, path).out)
    if [document['meta'], *document['records'], document['summary']] != objects:
        faults.append('json and ndjson differ')
    return ['%s: %s' % (' '.join(arguments), fault) for fault in faults]


def check(path, by_type):
    code, out, _err = run('ndjson', '-q', '--jobs', '1', path)
    if code == 3:
        return [] if not out else ['exit 3 with output']
    if code not in (0, 4):
        return ['exit %d' % code]
    lines = out.split(b'\n')
    if lines.pop() != b'':
        return ['the last line does not end']
    objects = [strict_json(line) for line in lines]
    faults = misfits(objects, by_type)
    if objects[0]['type'] != 'meta' or objects[-1]['type'] != 'summary':
        faults.append('meta or summary is missing')
    records = objects[1:-1]
    if len(records) != objects[-1]['records'] or len(records) != objects[-1]['records_out']:
        faults.append('%d records, but summary says %d' % (len(records), objects[-1]['records']))
    if objects[-1]['complete'] != (code == 0):
        faults.append('exit %d, but complete is %s' % (code, objects[-1]['complete']))
    faults += jobs_faults(code, out, path)
    document = strict_json(run('json', '-q', path).out)
    if [document['meta'], *document['records'], document['summary']] != objects:
        faults.append('json and ndjson differ')
    for arguments in (['--names'], ['--names', '--stacks', 'ref']):
        faults += check_names(path, by_type, objects, arguments)
    return faults


def long_stream():
    """A recording of testdata with its samples many times over: what crosses batches shows in long ones only."""
    with open(os.path.join(program.TESTDATA, 'stream-73.pipe'), 'rb') as f:
        stream = f.read()
    at = 16
    samples = b''
    last = at
    while at + 8 <= len(stream):
        kind, _, size = struct.unpack_from('<IHH', stream, at)
        if kind == 9:
            samples += stream[at:at + size]
            last = at + size
        if kind == 66:  # tracing data follows, in whole words
            size += struct.unpack_from('<I', stream, at + 8)[0] + 7 & ~7
        at += size
    return stream[:last] + samples * (1 + (1 << 20) // len(samples)) + stream[last:]


def check_spans(by_type):
    """Lines of spans, which --spans adds."""
    faults = []
    for name in ('wide', 'calls'):
        for line in run('ndjson', '-q', '--spans', '--with-run-spans', os.path.join(program.TESTDATA, 'spans', name + '.data')).out.splitlines():
            value = strict_json(line)
            faults += [fault for fault in [value['type'] in ('span', 'thread_time') and problem(value, by_type[value['type']][0], name)] if fault]
    return faults


def main():
    schema = strict_json(run('schema').out)
    by_type = {}
    for definition in schema['$defs'].values():
        by_type.setdefault(definition['properties']['type']['const'], []).append(definition)
    columns = run('schema', '--columns').out.decode('utf-8')
    keys = {key for definition in schema['$defs'].values() for key in definition['properties']}
    named = set(re.findall(r'"(\w+)":', columns))
    print('%sok 1 - every key of the schema has a column' % ('' if keys <= named else 'not '))
    if keys - named:
        print('# ' + ', '.join(sorted(keys - named)))
    number = 1
    bad = keys - named
    for path in program.some_recordings(LIMIT):
        number += 1
        faults = check(path, by_type)
        print('%sok %d - %s' % ('not ' if faults else '', number, os.path.basename(path)))
        for fault in faults[:5]:
            print('# ' + fault[:400])
        bad = bad or faults
    number += 1
    faults = check_spans(by_type)
    print('%sok %d - lines of spans' % ('not ' if faults else '', number))
    for fault in faults[:5]:
        print('# ' + fault[:400])
    bad = bad or faults
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'long.pipe')
        with open(path, 'wb') as f:
            f.write(long_stream())
        number += 1
        faults = check(path, by_type)
        print('%sok %d - samples many times over' % ('not ' if faults else '', number))
        for fault in faults[:5]:
            print('# ' + fault[:400])
        bad = bad or faults
    print('1..%d' % number)
    return 1 if bad else 0


sys.exit(main())
