#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""perf report -D: where each record is, how long it is and of which type. perf gives records in the order of time, so lines are sorted by offset; in a
stream it counts from the end of the header.

PERF names the program; default: perf."""
import json
import os
import re
import subprocess
import sys

NAMES = dict(enumerate("mmap lost comm exit throttle unthrottle fork read sample mmap2 aux itrace_start lost_samples switch switch_cpu_wide namespaces "
                       "ksymbol bpf_event cgroup text_poke aux_output_hw_id callchain_deferred".split(), 1))
NAMES.update(enumerate("attr event_type tracing_data build_id finished_round id_index auxtrace_info auxtrace auxtrace_error thread_map cpu_map stat_config "
                       "stat stat_round event_update time_conv feature compressed finished_init compressed2 bpf_metadata schedstat_cpu "
                       "schedstat_domain".split(), 64))
STREAM_HEADER = 16

if sys.argv[1] == "--about":
    print(json.dumps({"reader": "perf", "keys": ["offset", "size", "type"]}))
    sys.exit(0)
path = sys.argv[1]
done = subprocess.run([os.environ.get("PERF", "perf"), "report", "-f", "-D", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
found = {}
for line in done.stdout.decode("utf-8", "replace").splitlines():
    match = re.match(r"(0x[0-9a-f]+|0)@.* \[(0x[0-9a-f]+)\]: event: (\d+)$", line)
    if match:
        offset = int(match[1], 16) + (STREAM_HEADER if path.endswith(".pipe") else 0)
        found[offset] = {"type": NAMES.get(int(match[3]), "unknown"), "offset": offset, "size": int(match[2], 16)}
for offset in sorted(found):
    print(json.dumps(found[offset]))
sys.exit(done.returncode)
