#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the commands of doc/analysis.md as they stand there, with the recordings of testdata/ in place of what perf would
# record, and its SQL in DuckDB over what they made. Prints TAP.
# What the answers should be is computed by tests/support/analysis_figures.py; tests/support/scheduler_recording.py makes recordings
# with switches, system calls and losses.
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
mkdir recordings bin
# some of those recordings are damaged: 4
cat > bin/perfdata <<'EOF'
#!/bin/sh
"$PERFDATA" "$@"
code=$?
test $code -eq 4 || exit $code
EOF
# `perf record … -o NAME`: a recording of that kind, and what else there is
cat > bin/perf <<'EOF'
#!/bin/sh
while test $# -gt 0 && test "$1" != -o; do shift; done
case $2 in
*/before-1.data) cp "$TESTDATA/callgraph-61.data" "$2" ;;
*/before-2.data) cp "$TESTDATA/zstd-61.data" "$2" ;;
*/after-1.data) cp "$TESTDATA/callgraph-73.data" "$2" ;;
*/after-2.data) cp "$TESTDATA/zstd-73.data" "$2" ;;
*/waits.data) cp "$TESTDATA/trace-73.data" "$2" ;;
*) exit 1 ;;
esac
EOF
chmod +x bin/perf bin/perfdata
for file in dwarf-61 group-61 killed-61 registers-61 stat-61 trace-61; do
	cp "$top/testdata/$file.data" "recordings/before-$file.data"
done
for file in dwarf-73 group-73 killed-73 registers-73 stat-73; do
	cp "$top/testdata/$file.data" "recordings/after-$file.data"
done
python3 "$top/tests/support/scheduler_recording.py" recordings || exit 99
awk '/^```/ { shell = $0 == "```sh"; next } shell' "$top/doc/analysis.md" > commands
if ! PATH=$folder/bin:$PATH PERFDATA=$PERFDATA TESTDATA=$top/testdata sh -e commands 2> messages; then
	sed 's/^/# /' messages
	echo "1..0 # the commands of the page failed"
	exit 1
fi
PERFDATA=$PERFDATA python3 "$top/tests/support/analysis_figures.py" recordings/*.data > figures.json || exit 99
node "$here/analysis_check.js" "$modules" "$top/doc/analysis.md" figures.json
