#!/bin/sh
# SPDX-License-Identifier: MIT
# The module of WebAssembly against the program (all of testdata with PERFDATA_ALL=1), its size, and the packed package in an empty
# folder, also in Chromium (tests/setup --validators). Prints TAP. Needs node, and what `make wasm` and `make npm-pack` make; it is skipped without.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "${top_srcdir:-$here/../..}" && pwd)
PERFDATA=$(realpath "${PERFDATA:-$top/build/perfdata}")
export PERFDATA
skip()
{
	echo "1..0 # SKIP $1"
	exit 0
}
command -v node > /dev/null || skip "node is not installed"
packed=$(ls "$top"/build-wasm/perfdata-*.tgz 2> /dev/null | tail -n 1)
test -n "$packed" || skip "no package in build-wasm: make npm-pack (tests/setup --with-wasm)"
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT INT TERM

set -- "$top/testdata/callgraph-73.data" "$top/testdata/bad-callchain-count.data" "$top/testdata/zstd-73.data" "$top/testdata/trace-73.data"
test -z "$PERFDATA_ALL" || set --
if node "$here/web_same_bytes.mjs" "$@" > "$folder/bytes.log" 2>&1; then echo "ok 1 - bytes of every format"; else echo "not ok 1 - bytes of every format"; fi
sed 's/^/# /' "$folder/bytes.log" | grep -v '^# ok'
if python3 "$top/tests/support/recording_of_names.py" "$folder" > "$folder/names.log" 2>&1 && node "$here/web_same_bytes.mjs" --bundle "$folder/names.tar" "$folder/names.data" >> "$folder/names.log" 2>&1
then echo "ok 2 - bytes with names from a bundle"; else echo "not ok 2 - bytes with names from a bundle"; sed 's/^/# /' "$folder/names.log"; fi
FILE=$top/testdata/callgraph-73.data
RECORDING=$(ls "$top"/testdata/*.pipe | grep -v bad- | head -n 1)
MODULES=${PERFDATA_VALIDATORS:-$top/build/validators}/node_modules
CHROMIUM=$(command -v chromium)
export FILE RECORDING MODULES CHROMIUM
mkdir "$folder/empty" && cd "$folder/empty" && echo '{"type":"module"}' > package.json &&
	npm install --offline --no-audit --no-fund --loglevel=error "$packed" > install.log 2>&1 && cp "$here/web_package.mjs" . &&
	node --test web_package.mjs > test.log 2>&1
if test $? -eq 0; then echo "ok 3 - the package in an empty folder"; else echo "not ok 3 - the package in an empty folder"; cat install.log test.log | sed 's/^/# /'; fi
if node -e 'require(process.argv[1])' "$MODULES/puppeteer-core" 2> /dev/null && test -n "$CHROMIUM"; then
	cp "$here/web_chromium.mjs" .
	if node web_chromium.mjs > chromium.log 2>&1; then echo "ok 4 - the package in Chromium"; else echo "not ok 4 - the package in Chromium"; sed 's/^/# /' chromium.log; fi
else
	echo "ok 4 - the package in Chromium # SKIP no chromium, or no npm package puppeteer-core"
fi
# What a page loads: below 1.2 MB, and below 500 KB as servers pack it for browsers (brotli).
if node -e 'const file = require("fs").readFileSync(process.argv[1]), packed = require("zlib").brotliCompressSync(file).length;
	console.log(`${file.length} bytes, ${packed} by brotli`);
	process.exit(file.length < 1200000 && packed < 500000 ? 0 : 1)' "$top/build-wasm/dist/perfdata.wasm" > "$folder/size.log" 2>&1
then echo "ok 5 - size of the module"; else echo "not ok 5 - size of the module"; fi
sed 's/^/# /' "$folder/size.log"
echo 1..5
