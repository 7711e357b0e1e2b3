#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads our Parquet with DuckDB, hyparquet and parquet-wasm, and compares each value with NDJSON. Prints TAP.
#
# usage: parquet_readers.sh [FILE…]     without files: the recordings of testdata/
#
# Needs node and the npm packages that tests/setup --validators installs; it is skipped without.
here=$(cd "$(dirname "$0")" && pwd)
top=${top_srcdir:-$here/../..}
PERFDATA=${PERFDATA:-$top/build/perfdata}
modules=${PERFDATA_VALIDATORS:-${top_builddir:-$top/build}/validators}
export PERFDATA

skip()
{
	echo "1..0 # SKIP $1"
	exit 0
}

command -v node > /dev/null || skip "node is not installed"
for package in @duckdb/node-api hyparquet hyparquet-compressors parquet-wasm apache-arrow; do
	test -d "$modules/node_modules/$package" || skip "no $package in $modules: tests/setup --validators"
done
modules=$(cd "$modules" && pwd)
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT INT TERM
if test $# -eq 0; then
	# branches, registers and counter values of all kinds
	mkdir "$folder/made"
	python3 "$top/tests/support/builder_cases.py" "$folder/made" branches.data branch-counters.data every-field.data be-every-field.data \
		lbr-callstack.data read-samples.data read-records.data groups.pipe registers-aarch64.data > "$folder/made.txt" || exit 99
	set -- "$folder"/made/* "$top"/testdata/*.data "$top"/testdata/*.pipe "$top"/testdata/*.dir "$top"/testdata/perf/trace-*
fi
node "$here/parquet_readers.js" "$modules" "$folder" "$@"
