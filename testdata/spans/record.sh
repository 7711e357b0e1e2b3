#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the recordings of this folder again. Needs root, a C compiler, Python, in $1 the root file system of a machine that has perf 7.3,
# and perfdata as $2. usage: testdata/spans/record.sh ROOT-OF-PERF-7.3 PERFDATA
#
# Everything runs in a neutral folder under a neutral host name, as ../record.sh has it. Of what was recorded of all processes, names other
# than those of waits.c and the kernel are replaced.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${3:-}" != inside ]; then
	exec unshare -m -u "$0" "$1" "$2" inside
fi
hostname testhost
mount --make-rprivate /
mkdir -p /srv
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir /srv/demo /srv/perf73
mount --bind "$1" /srv/perf73
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
: >/srv/empty
mount --bind /srv/empty /sys/kernel/tracing/saved_cmdlines
mount --bind /srv/empty /sys/kernel/tracing/printk_formats
cc -g -O1 -fno-omit-frame-pointer -pthread -ffile-prefix-map="$here"=. -o /srv/demo/waits "$here/waits.c"
cd /srv/demo
lib=/srv/perf73/usr/lib/x86_64-linux-gnu
record() {
	env -i HOME=/srv/demo PATH=/usr/bin:/bin LC_ALL=C PERF_CONFIG=/dev/null "$lib"/ld-linux-x86-64.so.2 --library-path "$lib" \
		--argv0 perf /srv/perf73/usr/bin/perf record -q "$@"
}
# Of all processes: the events, and which threads there were.
program=$2
all() {
	name=$1
	shift
	record --synth=no -o all-$name.data -a -c 1 "$@" ./waits >$name.txt
	"$program" rewrite -q --type sample,comm,fork,exit,lost all-$name.data -o $name.data
}
record -o process.data -g -c 1 -e sched:sched_switch --switch-events ./waits >process.txt
record -o outs.data -c 1 -e sched:sched_switch ./waits >outs.txt
record -o clock.data -g -c 500000 -e cpu-clock --switch-events ./waits >clock.txt
record -o sampled.data -F 999 -e cpu-clock -e sched:sched_switch ./waits >sampled.txt
record -o calls.data -c 1 -e raw_syscalls:sys_enter,raw_syscalls:sys_exit ./waits >calls.txt
all wide -e sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new
all softirq -e irq:softirq_entry,irq:softirq_exit
for name in process outs clock sampled calls wide softirq; do
	python3 "$here/hide_names.py" "$program" $name.data
	cat $name.data >"$here/$name.data"
	cat $name.txt >"$here/$name.txt"
done
