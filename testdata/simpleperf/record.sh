#!/bin/sh
# Makes the recordings of this folder again. Needs root, a C compiler, python3, and in $1 the static program simpleperf for x86_64 that Android's
# platform/system/extras has in simpleperf/scripts/bin/android/x86_64 (1.build.12284122). usage: testdata/simpleperf/record.sh SIMPLEPERF OUTPUT-FOLDER
#
# Everything runs in a mount and a UTS namespace of its own: a neutral folder (/srv/demo) and a neutral host name (testhost). The release of the
# kernel, which a static program cannot be lied to about, is replaced by one of the same length.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${3:-}" != inside ]; then
	exec unshare -m -u "$0" "$1" "$2" inside
fi
hostname testhost
mount --make-rprivate /
mkdir -p /srv
cp "$1" /tmp/simpleperf.$$
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/demo /srv/out
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
mv /tmp/simpleperf.$$ /srv/demo/simpleperf
cc -g -O1 -fno-omit-frame-pointer -pthread -ffile-prefix-map="$here/.."=. -o /srv/demo/work "$here/../work.c"
cd /srv/demo
export HOME=/srv/demo PATH=/usr/bin:/bin LC_ALL=C
record() { name=$1; shift; ./simpleperf record -o "/srv/out/$name.data" "$@"; }
events=$(ls -d /sys/kernel/tracing/events/ext4/*/ | head -80 | sed 's,.*/ext4/\(.*\)/,ext4:\1,' | paste -sd,)

record stacks -e cpu-clock -f 1000 --call-graph fp ./work threads 2 20
record zstd -e cpu-clock -f 2000 --call-graph fp -z ./work threads 2 20
record nounwind -e cpu-clock:u -f 500 -g --no-unwind -z ./work 20
record offcpu -e cpu-clock -f 1000 --call-graph fp --trace-offcpu ./work children 2 10
record counter -e cpu-clock -f 1000 --call-graph fp --add-counter page-faults,context-switches --no-inherit ./work 20
record split-z -e "$events" -z ./work children 2 2
for file in /srv/out/*.data; do
	python3 - "$file" "$(uname -r)" "$2/$(basename "$file")" <<'END'
import sys
path, release, out = sys.argv[1:]
new = ("6.18.0-demo." + "0" * len(release))[:len(release)]
with open(path, "rb") as file:
    data = file.read()
with open(out, "wb") as file:
    file.write(data.replace(release.encode(), new.encode()))
END
done
