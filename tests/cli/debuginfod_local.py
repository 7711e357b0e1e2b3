#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names from debuginfod servers, on this machine only: one made of a few lines here, which counts who asks it, and the real one where it is
installed (package debuginfod). Nobody is asked without --debuginfod. Prints TAP; needs a compiler and objcopy."""
import http.client
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from builder import Recording, IP, TID, TIME
from program import PERFDATA
from symbols_replaced import build_id_in, offset_of, run

PROGRAM = """
static volatile unsigned long sink;
static __attribute__((noinline)) void hidden(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
int main(int argc, char **argv) { (void)argv; hidden((unsigned long)argc); return 0; }
"""
START, NEEDED = 0x400000, "hidden"


def check(title, good, *details):
    check.number += 1
    print("%s %d - %s" % ("ok" if good else "not ok", check.number, title))
    if not good:
        print("\n".join("# %s" % (detail,) for detail in details))


check.number = 0


class Case:
    def __init__(self, folder, cc):
        self.folder, self.number = folder, 0
        self.served, self.here = (os.path.join(folder, name) for name in ("served", "here"))
        for path in (self.served, self.here):
            os.mkdir(path)
        source, whole = os.path.join(folder, "program.c"), os.path.join(folder, "program")
        with open(source, "w", encoding="ascii") as out:
            out.write(PROGRAM)
        self.program, debug = os.path.join(self.here, "program"), os.path.join(self.served, "program.debug")
        for words in ([cc, "-O1", "-g", "-Wl,--build-id", "-o", whole, source], ["objcopy", "--only-keep-debug", whole, debug],
                      ["objcopy", "--strip-all", whole, self.program]):
            done = run(*words)
            if done.returncode:
                raise OSError(f"{words[0]} fails: {done.stderr.decode()[:200]}")
        shutil.copy(self.program, os.path.join(self.served, "program"))
        with open(whole, "rb") as f:
            self.build_id = build_id_in(f.read())
        self.offset = offset_of(NEEDED, whole)
        if not self.build_id or self.offset is None:
            raise OSError("the program is no ELF file of 64 bits with a build-id")

    def record(self, path):
        """A recording of the program, which stood at `path`."""
        r = Recording(big=sys.byteorder == "big")
        event = r.event("cycles", [11], period=1, sample_type=IP | TID | TIME, sample_id_all=1)
        r.comm(100, 100, "program", time=1)
        r.mmap2(100, 100, START, 0x100000, 0, path, time=2, build_id=self.build_id)
        r.sample(event, ip=START + self.offset, pid=100, tid=100, time=3)
        recording = os.path.join(self.folder, "perf.data")
        r.save(recording)
        return recording

    def names(self, path, url, *options):
        """The sample's name, with an empty cache; and the messages."""
        self.number += 1
        home = os.path.join(self.folder, f"home-{self.number}")
        os.mkdir(home)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("DEBUGINFOD", "XDG_"))}
        environment.update(HOME=home, DEBUGINFOD_URLS=url, DEBUGINFOD_CACHE_PATH=os.path.join(home, "cache"), LC_ALL="C", no_proxy="*")
        done = run(PERFDATA, "script", "-v", "-F", "ip,sym", *options, self.record(path), env=environment)
        return done.stdout.decode().split()[1:], done.stderr.decode()


def matches(title, case, url):
    """`match`: the program is nowhere here, and a server has it; nobody is asked unless that is asked for."""
    recording = case.record(os.path.join(case.here, "absent"))
    for number, (words, state, named) in enumerate(((["--file", sys.executable], "absent", False), (["--debuginfod"], "moved", True))):
        cache = os.path.join(case.folder, "match-%d-%s" % (number, title.replace(" ", "-")))
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("DEBUGINFOD", "XDG_"))}
        environment.update(HOME=cache, DEBUGINFOD_URLS=url, DEBUGINFOD_CACHE_PATH=cache, no_proxy="*")
        done = run(PERFDATA, "match", "--json", "-q", recording, *words, env=environment)
        row = json.loads(done.stdout)["rows"][0] if done.stdout else {}
        check(f"{title}: match {words[0]}", (row.get("state"), row.get("named")) == (state, named), row, done.stderr)


class Answers(http.server.BaseHTTPRequestHandler):
    """The part of the protocol that matters: GET /buildid/ID/debuginfo and …/executable."""

    def do_GET(self):
        self.server.asked.append(self.path)
        name = self.server.answers.get(self.path)
        if not name:
            self.send_error(404)
            return
        with open(name, "rb") as f:
            body = f.read()
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def small_server_cases(case):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.asked, stem = [], "/buildid/" + case.build_id.hex()
    server.answers = {stem + "/debuginfo": os.path.join(case.served, "program.debug"), stem + "/executable": os.path.join(case.served, "program")}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    absent = os.path.join(case.here, "absent")
    try:
        for path in (case.program, absent):
            found, said = case.names(path, url)
            check(f"{os.path.basename(path)}: nobody is asked unless that is asked for", found == ["[unknown]"] and not server.asked, found, server.asked)
        found, said = case.names(case.program, url, "--debuginfod")
        check("a stripped program here, its debug file there", found == [NEEDED], found, said)
        found, said = case.names(absent, url, "--debuginfod")
        check("no program here, both files there", found == [NEEDED], found, said)
        matches("a small server", case, url)
        server.answers[stem + "/debuginfo"] = server.answers[stem + "/executable"] = sys.executable
        found, said = case.names(absent, url, "--debuginfod")
        check("a server that gives another file", found == ["[unknown]"] and "its build-id differs" in said, found, said)
        server.answers.clear()
        found, said = case.names(case.program, url, "--debuginfod")
        check("a server that has nothing", found == ["[unknown]"] and "no server has it" in said, found, said)
    finally:
        server.shutdown()
        server.server_close()


def has_indexed(process, port, path):
    """Waits until the server gives the file; False if it ends, or is at a loss for long."""
    for _ in range(600):
        if process.poll() is not None:
            return False
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return True
        except OSError:
            pass
        time.sleep(0.05)
    return False


def real_server_cases(case):
    if not shutil.which("debuginfod"):
        check("the real server: it is not installed # SKIP", True)
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DEBUGINFOD")}
    process = subprocess.Popen(["debuginfod", "-F", "-d", os.path.join(case.folder, "index.sqlite"), "-p", str(port), case.served],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    try:
        stem = "/buildid/" + case.build_id.hex()
        if not all(has_indexed(process, port, stem + kind) for kind in ("/debuginfo", "/executable")):
            check("the real server: it does not start here # SKIP", True)
            return
        url = f"http://127.0.0.1:{port}"
        for title, path in (("a stripped program here", case.program), ("no program here", os.path.join(case.here, "absent"))):
            found, said = case.names(path, url, "--debuginfod")
            check("the real server: " + title, found == [NEEDED], found, said)
        matches("the real server", case, url)
    finally:
        process.terminate()
        process.wait()


def main():
    cc = next(filter(shutil.which, (os.environ.get("CC", "cc").split()[0], "gcc", "clang")), None)
    why = "no compiler or objcopy" if not cc or not shutil.which("objcopy") else None
    if b"debuginfod" not in run(PERFDATA, "--version").stdout:
        why = "built without debuginfod"
    with tempfile.TemporaryDirectory() as folder:
        try:
            case = None if why else Case(os.path.realpath(folder), cc)
        except OSError as error:
            why = str(error).replace("\n", " ")
        if why:
            print("1..0 # SKIP " + why)
            return
        small_server_cases(case)
        real_server_cases(case)
        print("1..%d" % check.number)


if __name__ == "__main__":
    main()
