#!/bin/sh
# Makes the recordings of this folder again. Needs root, a C compiler, a JDK 17, python3, and in $1 the static program simpleperf for x86_64 that Android's
# platform/system/extras has in simpleperf/scripts/bin/android/x86_64 (1.build.12284122). usage: testdata/simpleperf/record.sh SIMPLEPERF OUTPUT-FOLDER
#
# Everything runs in a mount and a UTS namespace of its own: a neutral folder (/srv/demo) and a neutral host name (testhost). The release of the
# kernel, which a static program cannot be lied to about, is replaced by one of the same length. That of all processors lists no process from outside
# (a PID namespace); paths of programs that began meanwhile are replaced by as many x.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${3:-}" != inside ]; then
	[ -d /data ] || trap 'rmdir /data' EXIT
	mkdir -p /data
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare -m -u -p -f --mount-proc "$0" "$1" "$2" inside
	exit
fi
hostname testhost
mount --make-rprivate /
mkdir -p /srv
cp "$1" /tmp/simpleperf.$$
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/demo /srv/out
mount -t tmpfs tmpfs /data
mkdir -p /data/local/tmp
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
mv /tmp/simpleperf.$$ /srv/demo/simpleperf
cc -g -O1 -fno-omit-frame-pointer -pthread -ffile-prefix-map="$here/.."=. -o /srv/demo/work "$here/../work.c"
for part in "-DSTART -fasynchronous-unwind-tables" "-fno-asynchronous-unwind-tables"; do
	cc -O1 -fno-pie -fomit-frame-pointer -fno-stack-protector $part -c -o "/srv/out/${part%% *}.o" "$here/tableless.c"
done
cc -nostdlib -static -no-pie -Wl,--build-id -Wl,--eh-frame-hdr -o /srv/demo/tableless /srv/out/*.o
javac -g:none -d /srv/demo "$here/Work.java"
cd /srv/demo
# Where simpleperf looks for the maps of JITs, and where the JVM writes its own.
mount --bind /data/local/tmp /tmp
export HOME=/srv/demo PATH=/usr/bin:/bin LC_ALL=C
# An empty environment: stacks that are recorded hold it.
record() { name=$1; shift; env -i HOME="$HOME" PATH="$PATH" ./simpleperf record -o "/srv/out/$name.data" "$@"; }
events=$(ls -d /sys/kernel/tracing/events/ext4/*/ | head -80 | sed 's,.*/ext4/\(.*\)/,ext4:\1,' | paste -sd,)

record stacks -e cpu-clock -f 1000 --call-graph fp ./work threads 2 20
record zstd -e cpu-clock -f 2000 --call-graph fp -z ./work threads 2 20
record nounwind -e cpu-clock:u -f 500 -g --no-unwind -z ./work 20
record offcpu -e cpu-clock -f 1000 --call-graph fp --trace-offcpu ./work children 2 10
record counter -e cpu-clock -f 1000 --call-graph fp --add-counter page-faults,context-switches --no-inherit ./work 20
record split-z -e "$events" -z ./work children 2 2
record failed -e cpu-clock:u -f 500 -g --keep-failed-unwinding-debug-info ./tableless
record java -e cpu-clock -f 400 --call-graph fp java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer \
	-XX:+UseSerialGC -XX:-UsePerfData -XX:TieredStopAtLevel=1 -cp . Work 250
# Other programs may fill it; the smallest of some is kept.
for try in 1 2 3 4 5 6 7 8; do
	record system-$try -a -e cpu-clock -f 500 --call-graph fp ./work threads 2 10
done
mv "$(ls -S /srv/out/system-*.data | tail -1)" /srv/out/system.data
rm -f /srv/out/system-*
umount /tmp
for file in /srv/out/*.data; do
	python3 - "$file" "$(uname -r)" "$2/$(basename "$file")" <<'END'
import re, sys
path, release, out = sys.argv[1:]
known = re.compile(rb"/(srv/(demo|out)|usr/(bin|lib|libexec)|lib64|data/local/tmp|dev|proc|etc)/")
new = ("6.18.0-demo." + "0" * len(release))[:len(release)]
with open(path, "rb") as file:
    data = file.read()
with open(out, "wb") as file:
    data = data.replace(release.encode(), new.encode())
    file.write(re.sub(rb"/[!-~]{7,}", lambda found: found[0] if known.match(found[0]) else b"/" + b"x" * (len(found[0]) - 1), data)
               if path.endswith("system.data") else data)
END
done
