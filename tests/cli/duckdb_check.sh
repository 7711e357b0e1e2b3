#!/bin/sh
# SPDX-License-Identifier: MIT
# Loads our NDJSON and CSV in DuckDB and compares the numbers of rows with those of `perfdata info`. Prints TAP.
#
# usage: duckdb_check.sh [FILE…]     without files: the recordings of testdata/
#
# Needs node and the npm package @duckdb/node-api below $DUCKDB_MODULES (default: the build folder); it is skipped without:
#     tests/setup --validators
here=$(cd "$(dirname "$0")" && pwd)
top=${top_srcdir:-$here/..}
PERFDATA=${PERFDATA:-$top/build/perfdata}
modules=${DUCKDB_MODULES:-${top_builddir:-$top/build}/validators}
export PERFDATA

skip()
{
	echo "1..0 # SKIP $1"
	exit 0
}

command -v node > /dev/null || skip "node is not installed"
test -d "$modules/node_modules/@duckdb/node-api" || skip "no @duckdb/node-api: npm install --prefix $modules @duckdb/node-api"
modules=$(cd "$modules" && pwd)
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT INT TERM
if test $# -eq 0; then
	set -- "$top"/testdata/*.data "$top"/testdata/*.pipe "$top"/testdata/*.dir
fi
node "$here/duckdb_check.js" "$modules" "$folder" "$@"
