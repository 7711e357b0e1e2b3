#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example of libperfdata.3 reads the same samples as the program."""
import os
import subprocess

FILE = os.path.join(os.environ["top_srcdir"], "testdata", "trace-73.data")


def lines(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=120)
    return done.returncode, done.stdout.decode().splitlines()


def main():
    code, rows = lines(os.environ["PERFDATA"], "csv", "--type", "sample", "-e", "time,ip", "--order", "file", FILE)
    expected = [row.replace(",", " ") for row in rows[1:]]
    code, found = lines(os.environ.get("PERFDATA_EXAMPLE_READER") or os.path.join(os.environ["top_builddir"], "tests", "example_reader"), FILE)
    print("%s - the reader gives the samples that csv gives" % ("ok" if code == 0 and found and sorted(found) == sorted(expected)
                                                                else "not ok"))
    print("1..1")


if __name__ == "__main__":
    main()
