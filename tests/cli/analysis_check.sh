#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the SQL of doc/analysis.md in DuckDB over tables of the recordings in testdata/. Prints TAP.
# Needs node and @duckdb/node-api as tests/setup --validators installs it; it is skipped without.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "${top_srcdir:-$here/../..}" && pwd)
PERFDATA=$(realpath "${PERFDATA:-$top/build/perfdata}")
modules=${PERFDATA_VALIDATORS:-${top_builddir:-$top/build}/validators}

skip()
{
	echo "1..0 # SKIP $1"
	exit 0
}

command -v node > /dev/null || skip "node is not installed"
test -d "$modules/node_modules/@duckdb/node-api" || skip "no @duckdb/node-api in $modules: tests/setup --validators"
modules=$(cd "$modules" && pwd)
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT INT TERM
cd "$folder" || exit 99
mkdir recordings
cp -r "$top"/testdata/*-61.data "$top"/testdata/*-73.data recordings/
"$PERFDATA" parquet -q recordings/*.data -o tables/
code=$?
if test $code -ne 0 && test $code -ne 4; then
	echo "1..0 # the tables were not made: exit code $code"
	exit 1
fi
node "$here/analysis_check.js" "$modules" "$top/doc/analysis.md"
