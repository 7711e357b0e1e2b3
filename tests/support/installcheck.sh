#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds and runs the programs of doc/examples/ against an installed library, found by pkg-config alone: shared and static, as C and as C++.
# usage: installcheck.sh SOURCE-FOLDER PKG-CONFIG-FOLDER LIBRARY-FOLDER PERFDATA      prints a line for each; exit code 1 if one fails
set -eu
top=$1 library=$3 perfdata=$4
export PKG_CONFIG_PATH="$2${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
cc=${CC:-cc} cxx=${CXX:-c++}
recording=$top/testdata/callgraph-73.data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

report() {
	if [ "$1" = 0 ]; then echo "ok: $2"; else echo "FAILED: $2"; failed=1; fi
}

# run NAME HOW: what the example prints for a recording is the same, however it was built
run() {
	case $1 in
	convert)
		"$2" ndjson "$recording" >"$work/out" || return 1
		[ -x "$perfdata" ] || return 0   # the library alone was installed
		LD_LIBRARY_PATH=$library "$perfdata" ndjson --symbols no "$recording" >"$work/expected" && cmp -s "$work/out" "$work/expected"
		;;
	ring-buffer)   # 3: the kernel refuses
		"$2" >"$work/out" 2>"$work/words" || { [ $? = 3 ] && sed 's/^/skipped: /' "$work/words"; } ;;
	*) "$2" "$recording" >"$work/out" && [ -s "$work/out" ] ;;
	esac
}

for source in "$top"/doc/examples/*.c; do
	name=$(basename "$source" .c)
	flags=$(pkg-config --cflags libperfdata)
	if grep -q 'perfdata_emitter' "$source" && ! grep -q '^int main' "$source"; then
		[ -x "$perfdata" ] || { echo "skipped: $name: there is no program that could load it"; continue; }
		code=0
		$cc -Wall -Wextra -fPIC -shared $flags -o "$work/$name.so" "$source" $(pkg-config --libs libperfdata) &&
			LD_LIBRARY_PATH=$library "$perfdata" convert --emitter "$work/$name.so" "$recording" >"$work/out" || code=$?
		report $code "$name, loaded as an emitter"
		continue
	fi
	code=0
	$cc -Wall -Wextra $flags -o "$work/shared" "$source" $(pkg-config --libs libperfdata) &&
		LD_LIBRARY_PATH=$library run "$name" "$work/shared" || code=$?
	report $code "$name, shared"
	if [ -f "$library/libperfdata.a" ]; then
		code=0
		# the library alone is linked statically: its own needs follow from pkg-config --static
		libs=$(pkg-config --static --libs libperfdata | sed "s# -lperfdata# $library/libperfdata.a#; s#^-lperfdata#$library/libperfdata.a#")
		$cc $flags -o "$work/static" "$source" $libs && run "$name" "$work/static" || code=$?
		report $code "$name, static"
	fi
done
# each_header LANGUAGE COMPILER: whoever includes one header alone needs nothing before it
each_header() {
	code=0
	for header in "$(pkg-config --variable=includedir libperfdata)"/perfdata/*.h; do
		printf '#include <perfdata/%s>\n' "$(basename "$header")" >"$work/header.$1"
		$2 -Wall -Wextra -Wpedantic -fsyntax-only $(pkg-config --cflags libperfdata) "$work/header.$1" || code=1
	done
	report $code "each header alone as $1"
}

each_header c "$cc -std=c11"
if command -v "$cxx" >/dev/null; then
	printf '#include <perfdata.h>\nint main() { return perfdata_version_number() == PERFDATA_VERSION_NUMBER ? 0 : 1; }\n' >"$work/version.cc"
	code=0
	$cxx -Wall -Wextra -Wpedantic $(pkg-config --cflags libperfdata) -o "$work/version" "$work/version.cc" $(pkg-config --libs libperfdata) &&
		LD_LIBRARY_PATH=$library "$work/version" || code=$?
	report $code "all headers as C++"
	each_header cc "$cxx -std=c++11"
fi
exit $failed
