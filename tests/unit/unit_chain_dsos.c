/* SPDX-License-Identifier: MIT */
/* Which dsos chains go through is reported without stacks; it must be what the stacks say. */
#include "config.h"
#include "session_recording.h"

#define USER PERFDATA_CPUMODE_USER
#define KERNEL PERFDATA_CPUMODE_KERNEL
#define FILES 40u
#define SAMPLES 3000u
#define KERNEL_TEXT 0xffffffff81000000u

static struct walk walk;

static void sample(const uint64_t *ips, size_t nr, int32_t pid)
{
	const size_t start = stream_sample_begin(USER, 10, nr > 1 ? ips[1] : 0, pid, pid);
	stream_chain(ips, nr);
	stream_sample_end(start);
}

#define SAMPLE(pid, ...) sample((const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, pid)

static bool in_chain(const char *name)
{
	const uint32_t nr = perfdata_session_nr_dsos(walk.session);
	for (uint32_t dso = 0; dso < nr; dso++)
		if (!strcmp(perfdata_session_dso(walk.session, dso)->filename, name))
			return perfdata_session_in_chain(walk.session, dso);
	return false;
}

static void walk_with(uint32_t needs, bool merge)
{
	const struct perfdata_session_options options = { .size = sizeof options,
							  .needs = needs,
							  .merge_deferred = merge };
	walk_open(&walk, &options);
	CHECK_EQ(walk.end, PERFDATA_END);
}

/* With and without stacks the same dsos are marked, and they are those of the stacks' frames. */
static void check_same(bool merge)
{
	static bool marked[1024], of_stacks[1024];
	walk_with(PERFDATA_NEED_CHAIN_DSOS, merge);
	const uint32_t nr = perfdata_session_nr_dsos(walk.session);
	CHECK(nr > 0 && nr <= 1024);
	CHECK_EQ(perfdata_session_nr_stacks(walk.session), 0);
	for (size_t i = 0; i < walk.nr; i++) {
		CHECK_EQ(walk.emitted[i].delivery.stack, PERFDATA_NONE);
		CHECK_EQ(walk.emitted[i].delivery.nr_steps, 0);
	}
	for (uint32_t dso = 0; dso < nr; dso++)
		marked[dso] = perfdata_session_in_chain(walk.session, dso);
	walk_close(&walk);

	walk_with(ALL_NEEDS | PERFDATA_NEED_CHAIN_DSOS, merge);
	CHECK_EQ(perfdata_session_nr_dsos(walk.session), nr);
	memset(of_stacks, 0, sizeof of_stacks);
	for (uint32_t stack = 0; stack < perfdata_session_nr_stacks(walk.session); stack++) {
		static struct perfdata_step steps[4096];
		size_t nr_steps = 0;
		CHECK_EQ(perfdata_session_stack(walk.session, stack, steps, 4096, &nr_steps), PERFDATA_OK);
		for (size_t i = 0; i < nr_steps; i++) {
			const struct perfdata_frame *frame = perfdata_session_frame(walk.session, steps[i].frame);
			if (frame && frame->dso != PERFDATA_NONE)
				of_stacks[frame->dso] = true;
		}
	}
	for (uint32_t dso = 0; dso < nr; dso++) {
		CHECK_EQ(marked[dso], of_stacks[dso]);
		CHECK_EQ(perfdata_session_in_chain(walk.session, dso), of_stacks[dso]);
	}
	walk_close(&walk);
}

static uint32_t random_state;
static uint32_t some(uint32_t below)
{
	random_state = random_state * 1103515245u + 12345u;
	return (random_state >> 8) % below;
}

/* Chains of three processes, whose maps change in between, so that one address means other files later. */
static void test_random(void)
{
	random_state = 1;
	stream_begin();
	stream_event(&(struct stream_event){ .id = 10, .more = PERFDATA_SAMPLE_CALLCHAIN });
	stream_mmap(KERNEL, -1, KERNEL_TEXT, 0x100000, KERNEL_TEXT, "[kernel.kallsyms]_text");
	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint64_t ips[140];
		size_t nr = 0;
		const int32_t pid = 7 + (int32_t)some(3);
		if (some(40) == 0) {
			char name[16];
			snprintf(name, sizeof name, "/bin/%u", some(FILES));
			stream_mmap(USER, pid, 0x10000ull * (1 + some(8)), 0x1000 * (1 + some(16)), 0, name);
		}
		if (some(3) == 0) {
			ips[nr++] = PERFDATA_CONTEXT_KERNEL;
			ips[nr++] = KERNEL_TEXT + some(64);
		}
		ips[nr++] = PERFDATA_CONTEXT_USER;
		for (uint32_t left = some(50) == 0 ? 130 : some(9); left; left--)
			ips[nr++] = 0x1000 * (16 + some(120));
		if (some(100) == 0)
			ips[nr++] = (uint64_t)-3000;   /* no such marker */
		sample(ips, nr, pid);
	}
	check_same(true);
}

static void test_edges(void)
{
	uint64_t deep[200];
	stream_begin();
	stream_event(&(struct stream_event){
		.id = 10, .more = PERFDATA_SAMPLE_CALLCHAIN, .flags = 1ull << PERFDATA_ATTR_DEFER_CALLCHAIN });
	stream_mmap(KERNEL, -1, KERNEL_TEXT, 0x1000, KERNEL_TEXT, "[kernel.kallsyms]_text");
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	stream_mmap(USER, 7, 0x2000, 0x1000, 0, "/bin/broken");
	stream_mmap(USER, 7, 0x3000, 0x1000, 0, "/bin/deep");
	stream_mmap(USER, 7, 0x4000, 0x1000, 0, "/bin/data");
	stream_mmap(USER, 7, 0x5000, 0x1000, 0, "/bin/deferred");
	stream_mmap(USER, 7, 0x6000, 0x1000, 0, "/bin/later");
	SAMPLE(7, PERFDATA_CONTEXT_USER, 0x1010, 0x1020);
	SAMPLE(7, PERFDATA_CONTEXT_USER, 0x1010, 0x2010, (uint64_t)-3000, 0x2020);
	for (size_t i = 0; i < 200; i++)
		deep[i] = i < 128 ? 0x1000 + i : 0x3000 + i;
	deep[0] = PERFDATA_CONTEXT_USER;
	sample(deep, 200, 7);
	/* a user address is none of the kernel's, nor one of a mode without maps */
	SAMPLE(7, PERFDATA_CONTEXT_KERNEL, 0x4010);
	SAMPLE(7, PERFDATA_CONTEXT_HV, 0x4010);
	SAMPLE(7, PERFDATA_CONTEXT_USER, 0x1010, PERFDATA_CONTEXT_USER_DEFERRED, 111);
	SAMPLE(7, PERFDATA_CONTEXT_USER, 0x1010, 0x9010);
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_CALLCHAIN_DEFERRED, 0);
	recording_u64(&stream, 111);
	stream_chain((const uint64_t[]){ PERFDATA_CONTEXT_USER, 0x5010 }, 2);
	stream_trailer(start, 7, 7);
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/b");
	SAMPLE(7, PERFDATA_CONTEXT_KERNEL, KERNEL_TEXT + 8, PERFDATA_CONTEXT_USER, 0x1010);
	walk_with(PERFDATA_NEED_CHAIN_DSOS, true);
	CHECK(in_chain("/bin/a"));
	CHECK(in_chain("/bin/b"));
	CHECK(in_chain("/bin/deferred"));
	CHECK(in_chain("[kernel.kallsyms]"));
	CHECK(!in_chain("/bin/broken"));
	CHECK(in_chain("/bin/deep"));
	CHECK(!in_chain("/bin/data"));
	CHECK(!in_chain("/bin/later"));
	walk_close(&walk);
	check_same(true);
	check_same(false);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "marks: broken, deep, deferred chains, modes, maps that change", test_edges },
		{ "marks: the dsos of all stacks", test_random },
	};
	const int result = unit_main(cases, sizeof cases / sizeof *cases);
	recording_release(&stream);
	return result;
}
