#!/bin/sh
# Makes the recordings of this folder again. Needs root, a C compiler, perf 6.1 as /usr/bin/perf, and in $1 a folder with the root file
# system of a machine that has perf 7.3. usage: testdata/record.sh ROOT-OF-PERF-7.3
#
# Everything runs in a mount and a UTS namespace of its own: a neutral folder (/srv/demo), a neutral host name (testhost), and an empty
# list of saved command names, so that no recording carries a name or path of the machine it was made on.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${2:-}" != inside ]; then
	exec unshare -m -u "$0" "$1" inside
fi
hostname testhost
mount --make-rprivate /
mkdir -p /srv
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/demo /srv/perf73 /srv/out
mount --bind "$1" /srv/perf73
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
: >/srv/empty
mount --bind /srv/empty /sys/kernel/tracing/saved_cmdlines
cc -g -O1 -fno-omit-frame-pointer -pthread -ffile-prefix-map="$here"=. -o /srv/demo/work "$here/work.c"
cd /srv/demo
lib=/srv/perf73/usr/lib/x86_64-linux-gnu
export HOME=/srv/demo PATH=/usr/bin:/bin LC_ALL=C PERF_CONFIG=/dev/null
unset PERF_EXEC_PATH

# A release of nobody's kernel for perf, and for perf only: the preloaded object takes itself out of the environment.
cat >/srv/release.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
__attribute__((constructor)) static void hide(void) { unsetenv("LD_PRELOAD"); }
int uname(struct utsname *name)
{
	const int result = (int)syscall(SYS_uname, name);
	strcpy(name->release, "6.18.0-demo");
	return result;
}
END
cc -shared -fPIC -o /srv/release.so /srv/release.c
environment="HOME=$HOME PATH=$PATH PERF_CONFIG=/dev/null LD_PRELOAD=/srv/release.so"
exec_61() { exec env -i $environment /usr/bin/perf "$@" 2>/dev/null; }
exec_73() {
	exec env -i $environment "$lib"/ld-linux-x86-64.so.2 --library-path "$lib" --argv0 perf /srv/perf73/usr/bin/perf "$@" 2>/dev/null
}
perf61() { (exec_61 "$@") || :; }
perf73() { (exec_73 "$@") || :; }
out=/srv/out
trace='sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit,sched:sched_stat_runtime,signal:signal_generate,task:task_newtask'
kinds='cpu-clock/freq=500/,page-faults/period=1/,sched:sched_switch,raw_syscalls:sys_enter,raw_syscalls:sys_exit'

for version in 61 73; do
	perf=perf$version
	$perf record -e cpu-clock -F 2000 -g -o $out/callgraph-$version.data ./work children 2 15
	$perf record -e "$trace" -o $out/trace-$version.data ./work children 3 5
	$perf record -e cpu-clock -F 500 --call-graph dwarf,1024 -o $out/dwarf-$version.data ./work 40
	$perf record -e cpu-clock -F 2000 -o - ./work threads 2 15 >$out/stream-$version.pipe
	$perf record -e "$trace" -o - ./work children 2 5 >$out/stream-trace-$version.pipe
	$perf record -e cpu-clock -F 4000 -g -z -o $out/zstd-$version.data ./work children 2 20
	$perf record -e '{cpu-clock,page-faults}:S' -c 1000000 -o $out/group-$version.data ./work children 2 10
	$perf record -e cpu-clock -F 1000 -d --phys-data --user-regs=ip,sp,bp --intr-regs=ip,flags --weight --data-page-size --code-page-size \
		-o $out/registers-$version.data ./work 20
	$perf record -e cpu-clock -e page-faults -F 2000 --threads -o $out/threads-$version.dir ./work threads 3 15
	$perf stat record -e cpu-clock,page-faults -I 20 -o $out/stat-$version.data ./work 50
	$perf record -e "$kinds" -g -o $out/kinds-$version.data ./work children 2 10
	# killed in the middle: the header is never finished
	(echo "$(exec sh -c 'echo $PPID')" >/srv/victim
	 exec_$version record -e cpu-clock -F 1000 -m 8 -o $out/killed-$version.data ./work 1500) &
	sleep 1
	kill -KILL "$(cat /srv/victim)"
	wait || :
done
chmod -R go+rX $out
cp -r $out/. "$here/"
