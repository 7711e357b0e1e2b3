#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings to one dataset of Parquet by the workers of a Dask cluster.

    dask-scheduler --host 127.0.0.1 --port 8786 &            # newer: dask scheduler
    dask-worker tcp://127.0.0.1:8786 --nthreads 1 &          # newer: dask worker; on each host
    fleet_dask.py tcp://127.0.0.1:8786 LIST DIR SUMMARY      # LIST: a path a line

A task is one recording of the list. If a worker dies, the scheduler gives its tasks to other workers, also tasks that it had finished; --resume skips
complete recordings. File names depend only on the recordings' paths, so any worker may convert any recording. Each task returns its line of the summary;
SUMMARY gets these lines in the order of the list. The exit code is 0 if all recordings could be read, damaged ones included."""
import json
import os
import subprocess
import sys

from dask.distributed import Client, as_completed

PERFDATA = os.environ.get("PERFDATA", "perfdata")
DONE = ("done", "damaged", "skipped")


def convert(path, output, base):
    """Converts one recording; its line of the summary. Runs in a worker: raises where another worker may do better."""
    done = subprocess.run([PERFDATA, "parquet", "-q", "--resume", "--damaged-ok", "--relative-to", base, "--summary", "-", "-o", output + "/", path],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    lines = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("{")]
    lines = [line for line in lines if "input" in line]
    if done.returncode in (5, 6) or done.returncode < 0 or done.returncode > 128:
        raise RuntimeError("%s: exit code %d: %s" % (path, done.returncode, done.stderr.decode("utf-8", "replace")))
    return lines[0] if lines else {"input": path, "status": "failed", "exit_code": done.returncode,
                                   "first_error": done.stderr.decode("utf-8", "replace")}


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: fleet_dask.py SCHEDULER LIST DIR SUMMARY")
    scheduler, names, output, summary = sys.argv[1:]
    with open(names, encoding="utf-8") as f:
        paths = [os.path.abspath(line.rstrip("\n")) for line in f if line.strip()]
    if not paths:
        sys.exit("%s names no recordings" % names)
    base = os.path.commonpath([os.path.dirname(path) for path in paths])
    output = os.path.abspath(output)
    os.makedirs(output, exist_ok=True)
    lines = {}
    with Client(scheduler) as client:
        tasks = {client.submit(convert, path, output, base, pure=False, retries=3): path for path in paths}
        for task, result in as_completed(tasks, with_results=True, raise_errors=False):
            path = tasks[task]
            lines[path] = result if isinstance(result, dict) else {"input": path, "status": "failed", "exit_code": None, "first_error": str(result)}
    with open(summary, "w", encoding="utf-8") as f:
        for path in paths:
            f.write(json.dumps(lines[path]) + "\n")
    failed = [path for path in paths if lines[path]["status"] not in DONE]
    print("%d recordings: %d converted, %d failed" % (len(paths), len(paths) - len(failed), len(failed)), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
