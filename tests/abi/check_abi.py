#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stored ABI against the library, and that the check sees what it is there for: a member planted in a struct, a removed function,
a library without debug information. Prints TAP; skips where libabigail is missing, and where no ABI is stored for this machine."""
import lzma
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.environ.get("top_srcdir") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("top_builddir") or os.path.join(TOP, "build")
LIBRARY = os.path.join(BUILD, ".libs", "libperfdata.so")
MACHINES = {3: "i386", 62: "x86_64"}


def machine():
    """Of the library, which may be built for another than the kernel's."""
    try:
        with open(LIBRARY, "rb") as data:
            head = data.read(20)
        return MACHINES.get(int.from_bytes(head[18:20], sys.byteorder), platform.machine())
    except OSError:
        return platform.machine()


BASELINE = os.path.join(TOP, "tests", "abi", "libperfdata-%s.abi.xz" % machine())
CHECK = os.path.join(TOP, "tests", "abi", "abi_check.sh")
CASES = ("the library has the stored ABI", "a member planted in a struct is seen", "a removed function is seen",
         "a library without debug information is refused", "a member at the end of options is none", "what is private is not stored")


def check(library, baseline):
    done = subprocess.run([CHECK, library, baseline, os.path.join(TOP, "lib", "perfdata")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def store(text, folder):
    path = os.path.join(folder, "planted.abi.xz")
    with lzma.open(path, "wb") as out:
        out.write(text.encode())
    return path


def skip_reason():
    if not shutil.which("abidiff") or not shutil.which("abidw"):
        return "no abidiff: it comes with abigail-tools"
    if not os.path.exists(LIBRARY):
        return "no shared library was built"
    if not os.path.exists(BASELINE):
        return "no ABI is stored for %s" % machine()
    symbols = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], stdout=subprocess.PIPE).stdout.decode()
    if "__asan_init" in symbols or "__tsan_init" in symbols:
        return "sanitizers change the library"
    with open(os.path.join(BUILD, "config.h"), encoding="utf-8") as f:
        build = f.read()
    missing = [name for name in ("zlib", "zstd", "lzma", "elfutils", "debuginfod") if "#define HAVE_%s 1" % name.upper() not in build]
    return "built without " + ", ".join(missing) if missing else None


def results():
    code, said = check(LIBRARY, BASELINE)
    yield code == 0, said
    with tempfile.TemporaryDirectory() as folder:
        with lzma.open(BASELINE, "rb") as f:
            stored = f.read().decode()
        # as if os_error had been planted in a struct whose layout never changes
        planted, nr = re.subn(r"(<class-decl name='perfdata_error' (?:(?!</class-decl>).)*?)<data-member [^>]*>\s*<var-decl name='os_error'.*?</data-member>",
                              r"\1", stored, flags=re.S)
        code, said = check(LIBRARY, store(planted, folder))
        yield nr >= 1 and code != 0, "%d places; exit code %d" % (nr, code)
        more = stored.replace("name='perfdata_version' ", "name='perfdata_version_of_old' ").replace("elf-symbol-id='perfdata_version'", "elf-symbol-id='perfdata_version_of_old'")
        code, said = check(LIBRARY, store(more, folder))
        yield more != stored and code != 0, "exit code %d" % code
        bare = os.path.join(folder, "libperfdata.so")
        subprocess.run(["objcopy", "--strip-debug", os.path.realpath(LIBRARY), bare], check=True)
        code, said = check(bare, BASELINE)
        yield code == 1 and "no debug information" in said, "exit code %d: %s" % (code, said)
        # as if the last member of options had been appended since
        less, nr = re.subn(r"(<class-decl name='perfdata_table_options' size-in-bits=')(\d+)('(?:(?!</class-decl>).)*)<data-member (?:(?!<data-member).)*?</data-member>(\s*</class-decl>)",
                           lambda match: match[1] + str(int(match[2]) - 64) + match[3] + match[4], stored, flags=re.S)
        code, said = check(LIBRARY, store(less, folder))
        yield nr >= 1 and code == 0, "%d places; exit code %d: %s" % (nr, code, said)
        private = {match[1] for match in re.finditer(r"<class-decl name='(pd_\w+|perfdata_(?:session|reader|symbols|match))'(?![^>]*is-declaration-only)", stored)}
        yield not private, ", ".join(sorted(private))


def main():
    reason = skip_reason()
    if reason:
        print("1..0 # SKIP " + reason)
        return
    for number, (title, (good, said)) in enumerate(zip(CASES, results()), 1):
        print("%s %d - %s" % ("ok" if good else "not ok", number, title))
        if not good:
            print("\n".join("# " + line for line in said.splitlines()[:60]))
    print("1..%d" % len(CASES))


if __name__ == "__main__":
    main()
