#!/usr/bin/env python3
# SPDX-License-Identifier: CC0-1.0
"""perfdata: its NDJSON is nearly what the cases say. What has a name has its number beside it as NAME_raw; registers are named.

PERFDATA names the program; default: perfdata."""
import json
import os
import subprocess
import sys

ABOUT = {"reader": "perfdata"}


def plain(value):
    if isinstance(value, dict):
        found = {key: plain(part) for key, part in value.items()}
        if isinstance(found.get("regs"), dict):
            found["regs"] = list(found["regs"].values())
        return found
    return [plain(part) for part in value] if isinstance(value, list) else value


def read(path):
    """What it says of a recording, and its exit code."""
    done = subprocess.run([os.environ.get("PERFDATA", "perfdata"), "ndjson", "-q", "--order", "file", "--symbols", "no", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    lines = [plain(json.loads(line)) for line in done.stdout.splitlines()]
    return [line for line in lines if line["type"] != "summary"], done.returncode


if __name__ == "__main__":
    if sys.argv[1] == "--about":
        print(json.dumps(ABOUT))
        sys.exit(0)
    found, code = read(sys.argv[1])
    for line in found:
        print(json.dumps(line))
    sys.exit(code)
