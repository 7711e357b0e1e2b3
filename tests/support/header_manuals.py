#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual pages of the public headers, perfdata_NAME.3: one for each header, with every function and what its comment says. The comment in
the header is the source, the page its other form, which is made when it is needed and not stored.

usage: header_manuals.py                     TAP: each header makes a page that names each function; no page is stored
       header_manuals.py --update [FOLDER]   writes the pages (to doc/man)"""
import glob
import os
import re
import subprocess
import sys

TOP = os.environ.get("top_srcdir") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(TOP, "doc", "man")
SEE_ALSO = ["libperfdata", "perfdata_base", "perfdata_reader", "perfdata_session", "perfdata_emit"]
TITLES = {
    "base": "version, status, errors, findings and options", "schema": "what records, samples, attrs and feature sections mean",
    "feature": "sections of a recording's header", "compare": "what became slower between recordings", "table": "a table of a recording as an Arrow stream",
    "trace": "formats of tracepoints", "reader": "open a recording and read its records", "session": "who and where: threads, maps, stacks, batches",
    "symbols": "names of addresses", "text": "append buffers and spelling", "emit": "emitters, outputs and the run that joins them",
    "perf": "what perf prints about a recording", "describe": "what outputs can hold", "convert": "convert a recording in one call", "top": "the functions that take most of a recording",
    "write": "write recordings", "rewrite": "rewrite and repair recordings",
    "match": "whether files fit a recording", "bundle": "take along the files that name a recording", "input": "where recordings come from",
    "output": "where conversions go", "registry": "the emitters that there are",
}
# A comment with the declarations that follow it directly, or declarations without a comment of their own.
BLOCK = r"(?:(?:enum|struct|typedef|static inline|PERFDATA_API|#define)\b(?:[^\n]*\{\n(?:(?!\})[^\n]*\n)*\}[^\n]*\n|(?:(?!^$|^/\*)[^\n])*\n(?:[ \t]+[^\n]*\n)*))"
PIECE = re.compile(r"^/\*(?P<comment>(?:[^*]|\*(?!/))*)\*/\n(?P<code>%s+)|^(?P<bare>%s+)" % (BLOCK, BLOCK), re.M)


def plain(comment):
    """The comment's text: paragraphs of one line each; indented lines stay as they are."""
    lines = [re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment.strip().split("\n")]
    lines[0] = re.sub(r"^-+ .* -+$", lambda match: match[0].strip("- "), lines[0].strip())
    return lines


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def paragraphs(lines):
    out = []
    for line in lines:
        if not line:
            out.append(".PP")
        elif line.startswith(("  ", "\t")):
            out += [".br", roff(line.strip())]
        else:
            out.append(roff(line))
    return out


def declarations(code):
    """The text of a manual for a piece of code: prototypes, and structs with their members."""
    text = re.sub(r"\bPERFDATA_API\s+", "", code)
    return [re.sub(r"\t", "    ", line.rstrip()) for line in text.rstrip("\n").split("\n")]


def page(path):
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    head = re.match(r"\s*(?:/\* SPDX[^\n]*\n)?/\*((?:[^*]|\*(?!/))*)\*/", text)
    body = text[head.end():]
    out = ['.\\" Made by tests/support/header_manuals.py --update from lib/perfdata/%s.h.' % name,
           '.TH perfdata_%s 3 "" "libperfdata" "Library functions"' % name,
           ".SH NAME", "perfdata_%s \\- %s" % (name, roff(TITLES.get(name, "a part of libperfdata"))),
           ".SH SYNOPSIS", ".B #include <perfdata/%s.h>" % name, ".SH DESCRIPTION"]
    out += paragraphs(plain(head[1]))
    out.append(".SH DECLARATIONS")
    for match in PIECE.finditer(body):
        code = match["code"] or match["bare"]
        if re.match(r"(#define PERFDATA_\w+_H$|extern \"C\")", code):
            continue
        out += [".PP", ".nf", *(roff(line) for line in declarations(code)), ".fi"]
        if match["comment"]:
            out += [".RS 4", *paragraphs(plain(match["comment"])), ".RE"]
    out += [".SH SEE ALSO", ",\n".join(".BR %s (3)" % other for other in SEE_ALSO if other != "perfdata_" + name).replace(",\n", " ,\n")]
    return name, "\n".join(out) + "\n", set(re.findall(r"PERFDATA_API[^;]*?\b(perfdata_\w+)\s*\(", re.sub(r"/\*.*?\*/", "", text, flags=re.S)))


def write(pages, folder):
    os.makedirs(folder, exist_ok=True)
    for name, text, _functions in pages:
        with open(os.path.join(folder, "perfdata_%s.3" % name), "w", encoding="utf-8") as f:
            f.write(text)


def stored():
    """The pages that git keeps, or None where this is no clone."""
    if not os.path.exists(os.path.join(TOP, ".git")):
        return None
    return subprocess.run(["git", "-C", TOP, "ls-files", "doc/man"], stdout=subprocess.PIPE, check=True).stdout.decode().split()


def check(pages):
    """Yields what each test says, and its faults."""
    for name, text, functions in pages:
        faults = ["%s is missing" % function for function in sorted(functions) if not re.search(r"\b%s\b" % function, text)]
        faults += [] if name in TITLES else ["TITLES has no title for it"]
        faults += ["a request that man does not know: %s" % line for line in text.split("\n")
                   if line.startswith((".", "'")) and not re.match(r'\.(\\"|TH|SH|PP|nf|fi|RS|RE|br|B|BR)( |$)', line)]
        yield "%s makes a page that names each function" % name, faults
    yield "no page is stored: make man makes them", ["%s: git rm --cached removes it" % path for path in stored() or []]


def main():
    pages = [page(path) for path in sorted(glob.glob(os.path.join(TOP, "lib", "perfdata", "*.h")))]
    if sys.argv[1:2] == ["--update"]:
        write(pages, sys.argv[2] if len(sys.argv) > 2 else os.path.join(TOP, "doc", "man"))
        return
    results = list(check(pages))
    print("1..%d" % len(results))
    for number, (title, faults) in enumerate(results, 1):
        print("%s %d - %s" % ("not ok" if faults else "ok", number, title))
        for fault in faults:
            print("# " + fault)


if __name__ == "__main__":
    main()
