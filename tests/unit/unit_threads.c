/* SPDX-License-Identifier: MIT */
/* lib/session: tasks whose numbers mean several, as a pid namespace has them. */
#include "config.h"
#include "session/session.h"
#include "session_recording.h"

#define USER PERFDATA_CPUMODE_USER
#define KERNEL PERFDATA_CPUMODE_KERNEL

static struct walk walk;

/* A recorder inside a pid namespace gets 0 as the pid of every task outside of it, in the FORK and EXIT of each. The
 * names and maps are those that perf 7.3 prints. */
static void test_tasks_outside(void)
{
	stream_begin();
	stream_plain_event();
	stream_sample(KERNEL, 0xffffffff81000000, 0, 0);                  /* 0: the idle task */
	stream_comm(0, 0, 0, "outside");
	stream_mmap(USER, 0, 0x1000, 0x1000, 0, "/bin/outside");
	stream_sample(USER, 0x1010, 0, 0);                                /* 1 */
	stream_task(PERFDATA_RECORD_FORK, 0, 0, 0, 0);
	stream_sample(USER, 0x1010, 0, 0);                                /* 2: the name stays, the maps go */
	stream_mmap(USER, 0, 0x1000, 0x1000, 0, "/bin/second");
	stream_sample(USER, 0x1010, 0, 0);                                /* 3 */
	stream_task(PERFDATA_RECORD_EXIT, 0, 0, 0, 0);
	stream_sample(USER, 0x1010, 0, 0);                                /* 4: neither */
	stream_mmap(USER, 0, 0x1000, 0x1000, 0, "/bin/third");
	stream_sample(USER, 0x1010, 0, 0);                                /* 5 */
	stream_task(PERFDATA_RECORD_FORK, 0, 0, 0, 0);
	stream_sample(USER, 0x1010, 0, 0);                                /* 6 */
	stream_comm(0, 7, 7, "inside");
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/inside");
	stream_task(PERFDATA_RECORD_FORK, 7, 7, 7, 7);
	stream_sample(USER, 0x1010, 7, 7);                                /* 7: any number */
	stream_task(PERFDATA_RECORD_FORK, 8, 8, 0, 0);
	stream_sample(USER, 0x1010, 8, 8);                                /* 8: of one without a name */
	stream_comm(PERFDATA_MISC_COMM_EXEC, 0, 0, "other");
	stream_sample(USER, 0x1010, 0, 0);                                /* 9: no map yet */
	stream_mmap(USER, 0, 0x1000, 0x1000, 0, "/bin/fourth");
	stream_comm(PERFDATA_MISC_COMM_EXEC, 0, 0, "another");
	stream_sample(USER, 0x1010, 0, 0);                                /* 10: one task began another program */
	stream_comm(PERFDATA_MISC_COMM_EXEC, 7, 7, "begun");
	stream_sample(USER, 0x1010, 7, 7);                                /* 11 */
	walk_all(&walk);
	CHECK_EQ(walk.end, PERFDATA_END);
	static const struct {
		const char *comm, *place;
	} want[] = {
		{ "swapper", "none" }, { "outside", "/bin/outside+0x10" }, { "outside", "none" },
		{ "outside", "/bin/second+0x10" }, { ":0", "none" }, { ":0", "/bin/third+0x10" }, { ":0", "none" },
		{ "inside", "none" }, { ":8", "none" },
		{ "other", "none" }, { "another", "/bin/fourth+0x10" }, { "begun", "none" },
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		CHECK_STR(comm_at(&walk, i), want[i].comm);
		CHECK_STR(ip_at(&walk, i), want[i].place);
	}
	walk_close(&walk);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "threads: tasks outside of a pid namespace", test_tasks_outside },
	};
	const int result = unit_main(cases, sizeof cases / sizeof *cases);
	recording_release(&stream);
	return result;
}
