#!/bin/sh
# SPDX-License-Identifier: MIT
# The ABI of a built library against a stored one.
# usage: abi_check.sh LIBRARY BASELINE-FILE HEADER-FOLDER        exit code 0: the same
#        abi_check.sh --update LIBRARY BASELINE-FILE HEADER-FOLDER    stores it
# Types are seen through debug information: a library without any fails, since everything would look the same then.
set -eu
update=
[ "$1" != --update ] || { update=yes; shift; }
library=$1 baseline=$2 headers=$3
here=$(dirname "$0")

readelf -S "$library" | grep -q '\.debug_info' || { echo "abi: $library has no debug information: build with -g" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
abidw --suppressions "$here/private.suppr" --headers-dir "$headers" --drop-private-types --no-show-locs --no-comp-dir-path --no-corpus-path --out-file "$work/new.abi" "$library"
grep -q '<class-decl' "$work/new.abi" || { echo "abi: no type of a public header was found in $library" >&2; exit 1; }
if [ -n "$update" ]; then
	xz -9 -c "$work/new.abi" >"$baseline"
	exit 0
fi
xz -dc "$baseline" >"$work/old.abi"
code=0
abidiff --suppressions "$here/appended.suppr" "$work/old.abi" "$work/new.abi" || code=$?
[ "$code" = 0 ] || echo "abi: it differs from $baseline; what is meant to: make abi-update" >&2
exit "$code"
