#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/examples/fleet_dask.py: a scheduler and two workers on this machine, of which one is killed in the middle. The dataset is that of one process. Prints TAP.
Skipped without Debian's python3-distributed, which tests/setup --validators installs."""
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program

PYTHON = "/usr/bin/python3"
COPIES = 12
tap = program.Tap()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def files_of(folder):
    return {os.path.relpath(path, folder): open(path, "rb").read() for path in glob.glob(folder + "/**/*.parquet", recursive=True)}


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def listens(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def run(folder, started):
    recordings = os.path.join(folder, "recordings")
    paths = []
    for i in range(COPIES):
        for name in ("callgraph-73.data", "trace-73.data", "bad-cut.data"):
            path = os.path.join(recordings, "host-%02d" % i, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy(os.path.join(program.TESTDATA, name), path)
            paths.append(path)
    names = os.path.join(folder, "list")
    with open(names, "w", encoding="utf-8") as f:
        f.write("".join(path + "\n" for path in paths))
    one, many, summary = (os.path.join(folder, name) for name in ("one", "many", "summary"))
    alone = program.run("parquet", "-q", "--damaged-ok", "--relative-to", recordings, "-o", one + "/", *paths)
    tap.report("one process", alone.code and alone.err)
    port = free_port()
    environment = dict(os.environ, PERFDATA=program.PERFDATA, HOME=folder)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "cwd": folder, "start_new_session": True}
    started.append(subprocess.Popen(["dask-scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"], **quiet))
    if not wait_for(lambda: listens(port)):
        tap.report("the scheduler", "it does not listen")
        return
    address = "tcp://127.0.0.1:%d" % port
    for _ in range(2):
        started.append(subprocess.Popen(["dask-worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"], **quiet))
    client = subprocess.Popen([PYTHON, os.path.join(program.TOP, "doc", "examples", "fleet_dask.py"), address, names, many, summary],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, cwd=folder)
    started.append(client)
    begun = wait_for(lambda: len(glob.glob(many + "/recordings/**/*.parquet", recursive=True)) >= 4)
    os.killpg(started[2].pid, signal.SIGKILL)
    in_the_middle = len(glob.glob(many + "/recordings/**/*.parquet", recursive=True))
    error = client.communicate(timeout=240)[1]
    tap.report("a worker was killed in the middle", not begun or in_the_middle >= len(paths) and in_the_middle)
    tap.report("all are converted", client.returncode and (client.returncode, error))
    with open(summary, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    tap.report("a line of each recording, in the order of the list", [line["input"] for line in lines] != paths and lines[:3])
    a, b = files_of(one), files_of(many)
    tap.report("the same files", sorted(set(a) ^ set(b)))
    tap.report("the same bytes", [name for name in a if a[name] != b.get(name)])
    left = [path for path in glob.glob(many + "/**/.*", recursive=True) if path.endswith(".tmp")]
    tap.report("nothing else is left", left)


def main():
    if not shutil.which("dask-scheduler") or subprocess.run([PYTHON, "-c", "import dask.distributed"], stderr=subprocess.DEVNULL).returncode:
        print("1..0 # SKIP no dask.distributed: tests/setup --validators")
        return False
    started = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(folder, started)
        finally:
            for process in started:
                if process.poll() is None:
                    process.kill()
                process.wait()
    return tap.end()


sys.exit(main())
