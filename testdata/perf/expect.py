#!/usr/bin/env python3
"""Makes MANIFEST.tsv and expected/ again: the recordings of tests/support/builder_cases.py and what perf prints for them.

usage (as root): unshare -m python3 expect.py ROOT      where ROOT/usr/bin/perf is perf 7.3 and ROOT/usr/lib its libraries

perf runs in a bare root: itself, its libraries, an empty /tmp, /proc without symbols, no /sys. So nothing of the host is in the texts but
what perf takes for the machine it runs on (x86_64). All files have the modification time 1700000000.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BARE = "/run/perf-expect"
SCRIPT = ["-f", "--no-itrace", "--symfs", "/e"]
SHOW = [f"--show-{what}-events" for what in "task mmap switch namespace cgroup lost bpf text-poke round".split()]
KINDS = {
    "dump": ["script", "-D", *SCRIPT],
    "script": ["script", *SCRIPT],
    "events": ["script", *SCRIPT, "--ns", *SHOW],
    "json": ["data", "convert", "-f", "--to-json", "/out/json"],
    "header": ["script", "-f", "--header-only", "-I"],
    "evlist": ["evlist", "-f", "-v"],
    "buildid": ["buildid-list", "-f"],
    "stats": ["report", "-f", "--stats", "--stdio", "--symfs", "/e"],
    "dumpaux": ["script", "-D", "-f", "--symfs", "/e"],
    "itrace": ["script", "-f", "--itrace=i1ibfmtaMl", "-F", "+addr,+data_src,+weight,+brstack,+phys_addr", "--symfs", "/e"],
    "report": ["report", "-D", "-f", "--no-itrace", "--stdio", "--symfs", "/e"],
}
# Beside the dump, which has the lines of script in it, only what tells something of its own is kept.
KEPT = {
    "attrs.data": "header evlist", "be-attrs.data": "evlist", "sections.data": "header json", "branches.data": "header",
    "kernel-records.data": "events stats report", "kernel-records.pipe": "events evlist", "user-records.data": "events evlist stats report",
    "cpumodes.data": "events json", "guests.data": "events json", "every-field.data": "json evlist buildid", "text-cases.data": "json buildid", "deferred.data": "json buildid report",
    "false-build-ids.data": "buildid events", "groups.pipe": "report evlist", "guest-kernel.data": "buildid", "guest-user.data": "buildid", "schedstat-only.data": "script events header stats report", "event-types.pipe": "stats", "be-event-types.pipe": "stats",
    "read-samples.data": "json stats report", "read-inherit.data": "json stats", "stat.pipe": "script evlist report", "bpf-output.data": "json", "unknown-records.data": "stats",
}
ENVIRONMENT = {"HOME": "/nonexistent", "LC_ALL": "C", "TZ": "UTC", "PAGER": "cat", "PERF_CONFIG": "/dev/null", "PATH": "/nonexistent"}


def mount(*args):
    subprocess.run(["mount", *args], check=True)


def make_root(root):
    os.makedirs(BARE, exist_ok=True)
    mount("-t", "tmpfs", "none", BARE)
    machine = os.uname().machine
    libraries = f"usr/lib/{machine}-linux-gnu"
    for folder in ("usr/bin", libraries, "usr/lib64", "proc", "c", "e", "dev", "out", "tmp"):
        os.makedirs(f"{BARE}/{folder}")
    mount("--bind", f"{root}/{libraries}", f"{BARE}/{libraries}")
    for name in ("usr/bin/perf", "dev/null", "empty"):
        open(f"{BARE}/{name}", "w").close()
    mount("--bind", f"{root}/usr/bin/perf", f"{BARE}/usr/bin/perf")
    mount("--bind", "/dev/null", f"{BARE}/dev/null")
    os.symlink("usr/lib", f"{BARE}/lib")
    os.symlink("usr/lib64", f"{BARE}/lib64")
    for loader in os.listdir(f"{root}/{libraries}"):
        if loader.startswith("ld-linux"):
            os.symlink(f"../lib/{machine}-linux-gnu/{loader}", f"{BARE}/usr/lib64/{loader}")
    mount("-t", "proc", "proc", f"{BARE}/proc")
    for name in ("kallsyms", "modules", "kcore"):
        if os.path.exists(f"{BARE}/proc/{name}"):
            mount("--bind", f"{BARE}/empty", f"{BARE}/proc/{name}")
    mount("--bind", HERE, f"{BARE}/c")


def enter():
    os.chroot(BARE)
    os.chdir("/c")


def run(kind, name):
    """(exit code, or sigN, and the text)"""
    document = f"{BARE}/out/json"
    if os.path.exists(document):
        os.unlink(document)
    done = subprocess.run(["/usr/bin/perf", *KINDS[kind], "-i", name], preexec_fn=enter, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True)
    text = done.stdout
    if kind == "json":
        text = b""
        if os.path.exists(document):
            with open(document, "rb") as file:
                text = file.read()
    # what perf report says for those who asked for no dump
    text = re.sub(rb"\A(WARNING: .*\n)?# To display the perf.data header info, .*\n#\n", rb"\1", text)
    return f"sig{-done.returncode}" if done.returncode < 0 else str(done.returncode), re.sub(rb"/tmp/perf-vdso\.so-\w{6}", b"[vdso]", text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cases = subprocess.run([sys.executable, f"{HERE}/../../tests/support/builder_cases.py", HERE], capture_output=True, check=True, text=True)
    make_root(sys.argv[1])
    for name in os.listdir(f"{HERE}/expected"):
        os.unlink(f"{HERE}/expected/{name}")
    rows = ["file\tsha256\tsize\tkind\tperf73_exit\texpected\tnote"]
    for line in cases.stdout.splitlines():
        name, checksum, size, note = line.split("\t")
        os.utime(f"{HERE}/{name}", (1700000000, 1700000000))
        is_made = name.startswith("trace-spe-operations")      # samples are made of it
        kept = ["itrace"] if is_made else ["dumpaux"] if name.startswith("trace-") else ["dump", *KEPT.get(name, "").split()]
        exits, listed = {}, []
        for kind in KINDS:
            if kind == "itrace" and not is_made:
                continue
            exits[kind], text = run(kind, name)
            if kind not in kept or exits[kind] != "0":
                listed.append(f"{kind}(not kept)")
                continue
            listed.append(kind)
            with open(f"{HERE}/expected/{name}.{kind}", "wb") as out:
                out.write(text)
        codes = set(exits.values())
        cell = codes.pop() if len(codes) == 1 else ",".join(f"{kind}={code}" for kind, code in exits.items())
        rows.append("\t".join([name, checksum, size, "byte-swapped" if name.startswith("be-") else "built", cell, ",".join(listed), note]))
    with open(f"{HERE}/MANIFEST.tsv", "w", encoding="utf-8") as out:
        out.write("\n".join(rows) + "\n")


main()
