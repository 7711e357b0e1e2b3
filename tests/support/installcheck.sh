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
		[ -x "$perfdata" ] || { "$2" ndjson "$recording" >"$work/out"; return; }   # the library alone was installed
		for format in $(LD_LIBRARY_PATH=$library "$perfdata" help formats | cut -d ' ' -f 1); do
			made=yes expected=yes   # a format of several files has none on stdout
			"$2" "$format" "$recording" >"$work/out" 2>"$work/words" || made=no
			LD_LIBRARY_PATH=$library "$perfdata" "$format" --symbols no "$recording" >"$work/expected" 2>>"$work/words" || expected=no
			[ $made = $expected ] && cmp "$work/out" "$work/expected" || { cat "$work/words"; return 1; }
		done
		;;
	ring-buffer)   # 3: the kernel refuses
		"$2" >"$work/out" 2>"$work/words" || { [ $? = 3 ] && sed 's/^/skipped: /' "$work/words"; } ;;
	feed)   # the recording comes over a socket
		command -v python3 >/dev/null || { echo "skipped: feed: there is no python3 that could send"; return 0; }
		rm -f "$work/socket"
		"$2" "$work/socket" >"$work/out" &
		python3 -c 'import socket, sys, time
for _ in range(1000):
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.01)
connection.sendall(open(sys.argv[2], "rb").read())' "$work/socket" "$recording" || { kill $!; return 1; }
		wait $! && [ -s "$work/out" ] ;;
	*) "$2" "$recording" >"$work/out" && [ -s "$work/out" ] ;;
	esac
}

# The examples are C that is C++20 too.
as_cxx="$cxx -x c++ -std=c++20 -Wall -Wextra -Wno-missing-field-initializers"
languages=c
printf 'int main() { return 0; }\n' >"$work/try.cc"
! $as_cxx -fsyntax-only "$work/try.cc" 2>/dev/null || languages="c c++"

# build_and_run NAME SOURCE LANGUAGE: with the shared library, and with the static one if there is one
build_and_run() {
	compiler="$cc -Wall -Wextra"
	[ "$3" = c ] || compiler=$as_cxx
	flags=$(pkg-config --cflags libperfdata)
	code=0
	$compiler $flags -o "$work/shared" "$2" -x none $(pkg-config --libs libperfdata) &&
		LD_LIBRARY_PATH=$library run "$1" "$work/shared" || code=$?
	report $code "$1 as $3, shared"
	[ -f "$library/libperfdata.a" ] || return 0
	code=0
	# the library alone is linked statically: its own needs follow from pkg-config --static
	libs=$(pkg-config --static --libs libperfdata | sed "s# -lperfdata# $library/libperfdata.a#; s#^-lperfdata#$library/libperfdata.a#")
	$compiler $flags -o "$work/static" "$2" -x none $libs && run "$1" "$work/static" || code=$?
	report $code "$1 as $3, static"
}

# load NAME SOURCE LANGUAGE: an emitter outside the tree
load() {
	[ -x "$perfdata" ] || { echo "skipped: $1: there is no program that could load it"; return 0; }
	compiler="$cc -Wall -Wextra"
	[ "$3" = c ] || compiler=$as_cxx
	code=0
	$compiler -fPIC -shared $(pkg-config --cflags libperfdata) -o "$work/$1.so" "$2" -x none $(pkg-config --libs libperfdata) &&
		LD_LIBRARY_PATH=$library "$perfdata" convert --emitter "$work/$1.so" "$recording" >"$work/out" || code=$?
	report $code "$1 as $3, loaded as an emitter"
}

for source in "$top"/doc/examples/*.c; do
	name=$(basename "$source" .c)
	use=build_and_run
	if grep -q 'perfdata_emitter' "$source" && ! grep -q '^int main' "$source"; then
		use=load
	fi
	for language in $languages; do
		$use "$name" "$source" "$language"
	done
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
	printf '#include <perfdata.h>\nint main() { return *perfdata_version() ? 0 : 1; }\n' >"$work/version.cc"
	code=0
	$cxx -Wall -Wextra -Wpedantic $(pkg-config --cflags libperfdata) -o "$work/version" "$work/version.cc" $(pkg-config --libs libperfdata) &&
		LD_LIBRARY_PATH=$library "$work/version" || code=$?
	report $code "all headers as C++"
	each_header cc "$cxx -std=c++11"
fi
exit $failed
