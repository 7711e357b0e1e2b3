/* SPDX-License-Identifier: MIT */
/* lib/session: whose record is it, and where is an address. */
#include "config.h"
#include <unistd.h>
#include "alloc_fail_pieces.h"
#include "base/hash.h"
#include "session/session.h"
#include "session/state.h"
#include "symbols/symbols.h"
#include "session_recording.h"

#define USER PERFDATA_CPUMODE_USER
#define KERNEL PERFDATA_CPUMODE_KERNEL

static struct walk walk;

/* --- threads --- */

static void test_threads(void)
{
	stream_begin();
	stream_plain_event();
	stream_sample(USER, 0x1000, 7, 7);                                /* 0: nobody said a name */
	stream_comm(0, 7, 7, "parent");
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/parent");
	stream_sample(USER, 0x1010, 7, 7);                                /* 1 */
	stream_task(PERFDATA_RECORD_FORK, 7, 8, 7, 7);                    /* a thread */
	stream_sample(USER, 0x1010, 7, 8);                                /* 2 */
	stream_comm(0, 7, 8, "worker");
	stream_sample(USER, 0x1010, 7, 8);                                /* 3 */
	stream_sample(USER, 0x1010, 7, 7);                                /* 4: not renamed by its thread */
	stream_mmap(USER, 7, 0x5000, 0x1000, 0x3000, "/lib/late");
	stream_sample(USER, 0x5010, 7, 8);                                /* 5: threads share maps */
	stream_task(PERFDATA_RECORD_FORK, 9, 9, 7, 8);                    /* a process, forked by the thread */
	stream_sample(USER, 0x5010, 9, 9);                                /* 6 */
	stream_mmap(USER, 9, 0x5000, 0x1000, 0, "/lib/child");
	stream_sample(USER, 0x5010, 9, 9);                                /* 7 */
	stream_sample(USER, 0x5010, 7, 7);                                /* 8: the parent keeps its own */
	stream_comm(PERFDATA_MISC_COMM_EXEC, 9, 9, "new");
	stream_sample(USER, 0x1010, 9, 9);                                /* 9: the old program is gone */
	stream_task(PERFDATA_RECORD_EXIT, 9, 9, 7, 7);
	stream_sample(USER, 0x1010, 9, 9);                                /* 10: nobody has that number now */
	stream_sample(KERNEL, 0xffffffff81000000, 0, 0);                  /* 11 */
	walk_all(&walk);
	CHECK_EQ(walk.end, PERFDATA_END);
	CHECK_STR(comm_at(&walk, 0), ":7");
	CHECK_STR(ip_at(&walk, 0), "none");
	CHECK_STR(comm_at(&walk, 1), "parent");
	CHECK_STR(ip_at(&walk, 1), "/bin/parent+0x10");
	CHECK_STR(comm_at(&walk, 2), "parent");
	CHECK_STR(comm_at(&walk, 3), "worker");
	CHECK_STR(comm_at(&walk, 4), "parent");
	CHECK_STR(ip_at(&walk, 5), "/lib/late+0x3010");
	CHECK_STR(comm_at(&walk, 6), "worker");
	CHECK_STR(ip_at(&walk, 6), "/lib/late+0x3010");
	CHECK_STR(ip_at(&walk, 7), "/lib/child+0x10");
	CHECK_STR(ip_at(&walk, 8), "/lib/late+0x3010");
	CHECK_STR(comm_at(&walk, 9), "new");
	CHECK_STR(ip_at(&walk, 9), "none");
	CHECK_STR(comm_at(&walk, 10), "new");
	CHECK_STR(perfdata_session_comm(walk.session, sample_at(&walk, 10)->delivery.script_comm), ":9");
	CHECK_EQ(sample_at(&walk, 10)->delivery.thread, sample_at(&walk, 9)->delivery.thread);
	CHECK_STR(comm_at(&walk, 11), "swapper");
	CHECK(sample_at(&walk, 3)->delivery.pid == 7 && sample_at(&walk, 3)->delivery.tid == 8);
	CHECK(sample_at(&walk, 12) == NULL);
	/* the EXIT still belongs to the one that ends */
	for (size_t i = 0; i < walk.nr; i++)
		if (walk.emitted[i].type == PERFDATA_RECORD_EXIT)
			CHECK_STR(perfdata_session_comm(walk.session, walk.emitted[i].delivery.comm), "new");
	walk_close(&walk);
}

/* --- maps --- */

static void test_overlaps(void)
{
	stream_begin();
	stream_plain_event();
	stream_mmap(USER, 7, 0x1000, 0x4000, 0x10000, "/a");
	stream_mmap(USER, 7, 0x2000, 0x1000, 0, "/b");
	stream_sample(USER, 0x1fff, 7, 7);
	stream_sample(USER, 0x2000, 7, 7);
	stream_sample(USER, 0x3000, 7, 7);
	stream_sample(USER, 0x5000, 7, 7);
	stream_mmap(USER, 7, 0x800, 0x5000, 0, "/all");
	stream_sample(USER, 0x2000, 7, 7);
	stream_mmap(USER, 7, UINT64_MAX - 0xfff, 0x2000, 0, "/end");      /* wraps around */
	stream_sample(USER, UINT64_MAX - 1, 7, 7);
	stream_mmap(USER, 7, 0x9000, 0, 0, "/empty");
	stream_sample(USER, 0x9000, 7, 7);
	walk_all(&walk);
	CHECK_STR(ip_at(&walk, 0), "/a+0x10fff");
	CHECK_STR(ip_at(&walk, 1), "/b+0x0");
	CHECK_STR(ip_at(&walk, 2), "/a+0x12000");
	CHECK_STR(ip_at(&walk, 3), "none");
	CHECK_STR(ip_at(&walk, 4), "/all+0x1800");
	CHECK_STR(ip_at(&walk, 5), "/end+0xffe");
	CHECK_STR(ip_at(&walk, 6), "none");
	walk_close(&walk);
}

static void test_kinds(void)
{
	stream_begin();
	stream_plain_event();
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "//anon");
	stream_mmap(USER, 7, 0x2000, 0x1000, 0, "[heap]");
	stream_mmap(USER | PERFDATA_MISC_MMAP_DATA, 7, 0x3000, 0x1000, 0, "[stack]");
	stream_mmap(USER, 7, 0x4000, 0x1000, 0x4000, "[vdso]");
	stream_mmap(USER, 7, 0x5000, 0x1000, 0, "/tmp/x (deleted)");
	for (uint64_t ip = 0x1010; ip < 0x6000; ip += 0x1000)
		stream_sample(USER, ip, 7, 7);
	walk_all(&walk);
	CHECK_STR(ip_at(&walk, 0), "/tmp/perf-7.map+0x1010");
	CHECK_STR(ip_at(&walk, 1), "/tmp/perf-7.map+0x2010");
	CHECK_STR(ip_at(&walk, 2), "[stack]+0x3010");
	CHECK_STR(ip_at(&walk, 3), "[vdso]+0x10");
	CHECK_STR(ip_at(&walk, 4), "/tmp/x (deleted)+0x10");
	walk_close(&walk);
}

static void test_kernel(void)
{
	const uint64_t text = 0xffffffff81000000, module = 0xffffffffa0000000;
	stream_begin();
	stream_plain_event();
	stream_mmap(KERNEL, -1, text, 0x40000000 - 0x1000000, text, "[kernel.kallsyms]_text");
	stream_mmap(KERNEL, -1, module, 0x2000, 0, "/lib/modules/6.1/kernel/fs/a-b.ko.xz");
	stream_sample(KERNEL, text + 0x123, 7, 7);
	stream_sample(KERNEL, module + 8, 7, 7);
	stream_ksymbol(module + 0x1000, 0x100, 0, "bpf_prog_1");
	stream_sample(KERNEL, module + 0x1008, 7, 7);
	stream_sample(KERNEL, module + 0x1100, 7, 7);
	stream_ksymbol(module + 0x1000, 0x100, 1, "bpf_prog_1");
	stream_sample(KERNEL, module + 0x1008, 7, 7);
	stream_ksymbol(text, 0x100, 1, "not_there");                      /* must not take the kernel away */
	stream_sample(KERNEL, text + 0x123, 7, 7);
	stream_sample(USER, text + 0x123, 7, 7);
	stream_sample(PERFDATA_CPUMODE_HYPERVISOR, text + 0x123, 7, 7);
	walk_all(&walk);
	CHECK_STR(ip_at(&walk, 0), "[kernel.kallsyms]+0xffffffff81000123");
	CHECK_STR(ip_at(&walk, 1), "[a_b]+0xffffffffa0000008");
	CHECK_STR(ip_at(&walk, 2), "bpf_prog_1+0x8");
	CHECK_STR(ip_at(&walk, 3), "[a_b]+0xffffffffa0001100");
	CHECK_STR(ip_at(&walk, 4), "[a_b]+0xffffffffa0001008");         /* what it covered is seen again */
	CHECK_STR(ip_at(&walk, 5), "[kernel.kallsyms]+0xffffffff81000123");
	CHECK_STR(ip_at(&walk, 6), "none");
	CHECK_STR(ip_at(&walk, 7), "none");
	struct perfdata_symbol symbol;
	CHECK_EQ(perfdata_session_symbol(walk.session, sample_at(&walk, 2)->delivery.ip, 0, &symbol), PERFDATA_OK);
	CHECK_STR(symbol.name, "bpf_prog_1");
	CHECK_EQ(symbol.offset, 8);
	CHECK_EQ(perfdata_session_symbol(walk.session, sample_at(&walk, 0)->delivery.ip, 0, &symbol), PERFDATA_ABSENT);
	walk_close(&walk);
}

/* Maps against arrays that say for each address whose it is, and whose it was before the last exec. */
enum { SPACE = 512, SETS = 4 };
struct model {
	uint32_t owner[SPACE], former[SPACE];   /* UINT32_MAX: nobody's */
	uint64_t offset[SPACE];
};

static unsigned count_differences(const struct model *model, const struct pd_maps *maps, size_t from)
{
	unsigned wrong = 0;
	for (size_t i = from; i < SPACE; i += 7) {
		const struct pd_map *found = pd_maps_find(maps, i), *former = pd_maps_find_before_exec(maps, i);
		wrong += found ? found->dso != model->owner[i] || pd_map_address(found, i) != model->offset[i]
			       : model->owner[i] != UINT32_MAX;
		wrong += (former ? former->dso : UINT32_MAX) != model->former[i];
		size_t next = i;
		while (next < SPACE && model->owner[next] == UINT32_MAX)
			next++;
		found = pd_maps_next(maps, i);
		/* the rest of a map that reaches beyond the model may lie there alone */
		if (found && found->start >= SPACE)
			found = NULL;
		wrong += found ? next == SPACE || found->dso != model->owner[next] ||
					 (next > i && found->start != next)
			       : next < SPACE;
	}
	return wrong;
}

/* Takes away the map that begins there, if one does. What it had covered stays uncovered. */
static void remove_from_model(struct model *model, size_t from)
{
	const uint32_t owner = model->owner[from];
	if (from && model->owner[from - 1] == owner)
		return;
	for (size_t i = from; i < SPACE && model->owner[i] == owner; i++)
		model->owner[i] = UINT32_MAX;
}

static void test_maps_model(void)
{
	static struct model models[SETS];
	struct pd_map_store store = { 0 };
	struct pd_maps sets[SETS];
	unsigned wrong = 0;
	memset(models, 0xff, sizeof models);
	for (size_t i = 0; i < SETS; i++) {
		sets[i] = (struct pd_maps){ 0 };
		pd_maps_exec(&store, &sets[i]);
	}
	for (uint32_t n = 0; n < 4000; n++) {
		const uint64_t random = pd_hash_u64(n, 5);
		const size_t at = random % SETS, from = random >> 8 & (SPACE - 1), size = 1 + (random >> 20 & 63);
		struct model *model = &models[at];
		const uint64_t generation = sets[at].generation;
		if (n % 50 == 49) {
			const size_t to = (at + 1) % SETS;
			pd_maps_copy(&store, &sets[to], &sets[at]);
			models[to] = *model;
			memset(models[to].former, 0xff, sizeof models[to].former);
			continue;
		}
		if (n % 211 == 210) {
			pd_maps_exec(&store, &sets[at]);
			memcpy(model->former, model->owner, sizeof model->former);
			memset(model->owner, 0xff, sizeof model->owner);
		} else if (n % 3 == 2) {
			wrong += pd_maps_remove(&store, &sets[at], from) < 0;
			remove_from_model(model, from);
		} else {
			const struct pd_map map = {
				.start = from, .end = from + size, .pgoff = random >> 40, .dso = n
			};
			wrong += pd_maps_insert(&store, &sets[at], &map) < 0;
			for (size_t i = from; i < from + size && i < SPACE; i++) {
				model->owner[i] = n;
				model->offset[i] = i - from + map.pgoff;
			}
		}
		wrong += sets[at].generation == generation;
		wrong += count_differences(model, &sets[at], n % 7);
	}
	CHECK_EQ(wrong, 0);
	pd_arena_release(&store.arena);
}

/* The dso of each address and the address in it; UINT32_MAX: none. */
static void look_at_maps(const struct pd_maps *maps, struct model *ret)
{
	for (size_t i = 0; i < SPACE; i++) {
		const struct pd_map *map = pd_maps_find(maps, i);
		ret->owner[i] = map ? map->dso : UINT32_MAX;
		ret->offset[i] = map ? pd_map_address(map, i) : 0;
	}
}

/* What a set of maps says about its changes: which addresses they concern, and whether an address that had a map has
 * another one. Two dsos and few offsets make many maps that only repeat what is mapped there. */
static void test_maps_changes(void)
{
	static struct model before, after;
	struct pd_map_store store = { 0 };
	struct pd_maps maps = { 0 };
	unsigned wrong = 0, nr_kept = 0;
	pd_maps_exec(&store, &maps);
	for (uint32_t n = 0; n < 4000; n++) {
		const uint64_t random = pd_hash_u64(n, 6), since = maps.generation, replaced = maps.replaced;
		const size_t from = random >> 8 & (SPACE - 1), size = 1 + (random >> 20 & 63);
		const struct pd_map map = {
			.start = from, .end = from + size, .pgoff = from + (random >> 30 & 7 ? 0 : 64),
			.dso = random >> 40 & 15 ? 1 : 2, .identity = !(random >> 50 & 15),
		};
		uint64_t low, high;
		look_at_maps(&maps, &before);
		if (n % 101 == 100)
			pd_maps_exec(&store, &maps);
		else
			wrong += (n % 5 ? pd_maps_insert(&store, &maps, &map)
					: pd_maps_remove(&store, &maps, from)) < 0;
		look_at_maps(&maps, &after);
		/* whoever asks seldom gets the changes since then at once, and others' questions hide none of them */
		if (n % 3)
			pd_maps_check(&maps, n % 2 ? since : since - 1, &low, &high);
		for (size_t i = 0; i < SPACE; i++) {
			const bool is_same = before.owner[i] == after.owner[i] && before.offset[i] == after.offset[i];
			wrong += n % 3 && !is_same && (i < low || i >= high);
			wrong += maps.replaced == replaced && !is_same && before.owner[i] != UINT32_MAX;
		}
		nr_kept += maps.replaced == replaced;
	}
	CHECK_EQ(wrong, 0);
	CHECK(nr_kept > 400);
	pd_arena_release(&store.arena);
}

/* Work that grew with the square of their number would not come to an end here. */
static void test_many_maps(void)
{
	struct pd_map_store store = { 0 };
	struct pd_maps maps = { 0 }, copy = { 0 };
	const uint32_t nr = 100000;
	unsigned wrong = 0;
	pd_maps_exec(&store, &maps);
	for (uint32_t i = 0; i < nr; i++) {
		const struct pd_map map = { .start = 16ull * i, .end = 16ull * i + 1000000, .dso = i };
		wrong += pd_maps_insert(&store, &maps, &map) < 0;
		if (i % 10 == 0)
			pd_maps_copy(&store, &copy, &maps);
	}
	for (uint32_t i = 0; i < nr; i++)
		wrong += pd_maps_find(&maps, 16ull * i + 15)->dso != i;
	CHECK_EQ(wrong, 0);
	CHECK_EQ(pd_maps_find(&maps, 16ull * nr + 100)->dso, nr - 1);
	CHECK(pd_maps_find(&maps, 16ull * (nr - 1) + 1000000) == NULL);
	pd_arena_release(&store.arena);
}

/* --- chains --- */

static char *kallsyms_file(void)
{
	static char path[] = "/tmp/perfdata-unit-session-XXXXXX";
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000100 t inner\nffffffff81000200 T outer\n"
				   "ffffffffa0000000 t helper\t[mod]\n";
	const int fd = mkstemp(path);
	CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
	close(fd);
	return path;
}

static void check_resolved(uint32_t stack)
{
	struct perfdata_symbols *symbols = NULL;
	struct perfdata_symbols_dso *kallsyms = NULL;
	struct perfdata_symbol named;
	struct perfdata_step steps[8];
	char *path = kallsyms_file();
	size_t nr = 0;
	CHECK_EQ(perfdata_symbols_new(NULL, &symbols), PERFDATA_OK);
	CHECK_EQ(perfdata_symbols_open_kallsyms(symbols, path, &kallsyms), PERFDATA_OK);
	CHECK_EQ(perfdata_session_stack(walk.session, stack, steps, 8, &nr), PERFDATA_OK);
	CHECK_EQ(nr, 4);
	CHECK_EQ(perfdata_symbols_lookup(kallsyms, steps[0].ip, UINT64_MAX, &named), PERFDATA_OK);
	CHECK_STR(named.name, "inner");
	CHECK_EQ(named.offset, 0x10);
	CHECK_EQ(perfdata_symbols_lookup(kallsyms, steps[1].ip, UINT64_MAX, &named), PERFDATA_OK);
	CHECK_STR(named.name, "outer");
	CHECK_EQ(perfdata_symbols_lookup(kallsyms, steps[2].ip, UINT64_MAX, &named), PERFDATA_ABSENT);
	/* what one has of a BPF map of stacks: addresses alone */
	CHECK_EQ(perfdata_symbols_lookup(kallsyms, 0xffffffffa0000004, UINT64_MAX, &named), PERFDATA_OK);
	CHECK_STR(named.name, "helper");
	CHECK_STR(named.module, "mod");
	CHECK_EQ(perfdata_symbols_lookup(kallsyms, 0, UINT64_MAX, &named), PERFDATA_ABSENT);
	perfdata_symbols_free(symbols);
	unlink(path);
}

static void test_stacks(void)
{
	uint64_t deep[300];
	for (size_t i = 0; i < 300; i++)
		deep[i] = 0x1000 + i;
	deep[0] = PERFDATA_CONTEXT_USER;
	stream_begin();
	stream_event(&(struct stream_event){ .id = 10, .more = PERFDATA_SAMPLE_CALLCHAIN });
	stream_mmap(KERNEL, -1, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	for (int i = 0; i < 2; i++)
		chain_sample(STEPS(PERFDATA_CONTEXT_KERNEL, 0xffffffff81000110, 0xffffffff81000210,
				   PERFDATA_CONTEXT_USER, 0x1010, 0x1020),
			     7);
	chain_sample(deep, 300, 7);
	chain_sample(STEPS(PERFDATA_CONTEXT_USER, 0x1010, (uint64_t)-3000, 0x1020), 7);   /* no such marker */
	chain_sample(NULL, 0, 7);
	chain_sample(STEPS(PERFDATA_CONTEXT_USER), 7);
	/* a kernel address is none of the user's */
	chain_sample(STEPS(PERFDATA_CONTEXT_USER, 0x1010, 0xffffffff81000110), 7);
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/b");
	chain_sample(STEPS(PERFDATA_CONTEXT_KERNEL, 0xffffffff81000110, 0xffffffff81000210, PERFDATA_CONTEXT_USER,
			   0x1010, 0x1020),
		     7);
	walk_all(&walk);
	check_steps(&walk, 0, STEPS(0xffffffff81000110, 0xffffffff81000210, 0x1010, 0x1020));
	CHECK_EQ(sample_at(&walk, 0)->delivery.stack, sample_at(&walk, 1)->delivery.stack);
	check_steps(&walk, 2, deep + 1, 299);
	check_steps(&walk, 3, NULL, 0);
	check_steps(&walk, 4, NULL, 0);
	check_steps(&walk, 5, NULL, 0);
	check_steps(&walk, 6, STEPS(0x1010, 0xffffffff81000110));
	CHECK(sample_at(&walk, 7)->delivery.stack != sample_at(&walk, 0)->delivery.stack);

	const uint32_t stack = sample_at(&walk, 0)->delivery.stack;
	struct perfdata_step steps[8];
	size_t nr, all = 0;
	CHECK_EQ(perfdata_session_stack(walk.session, stack, steps, 8, &nr), PERFDATA_OK);
	CHECK_EQ(steps[1].cpumode, KERNEL);
	CHECK_EQ(steps[2].cpumode, USER);
	CHECK_STR(frame_text(&walk, steps[1].frame), "[kernel.kallsyms]+0xffffffff81000210");
	CHECK_STR(frame_text(&walk, steps[2].frame), "/bin/a+0x10");
	check_steps(&walk, 7, STEPS(0xffffffff81000110, 0xffffffff81000210, 0x1010, 0x1020));
	while (perfdata_session_stack(walk.session, (uint32_t)all, steps, 8, &nr) == PERFDATA_OK)
		all++;
	CHECK_EQ(all, perfdata_session_nr_stacks(walk.session));
	CHECK_EQ(all, 4);
	CHECK_EQ(perfdata_session_stack(walk.session, PERFDATA_NONE, steps, 8, &nr), PERFDATA_ABSENT);
	CHECK(perfdata_session_frame(walk.session, PERFDATA_NONE) == NULL);
	check_resolved(stack);
	/* after the end the session keeps nothing for chains that might come */
	struct perfdata_batch *batch;
	CHECK_EQ(perfdata_session_next(walk.session, &batch), PERFDATA_END);
	CHECK_EQ(walk.session->account->by_use[PD_USE_CACHES], 0);
	walk_close(&walk);
}

static void branch(uint64_t from, uint64_t to)
{
	recording_u64(&stream, from);
	recording_u64(&stream, to);
	recording_u64(&stream, 0);
}

static void lbr_sample(const uint64_t *ips, size_t nr, uint64_t branches)
{
	const size_t start = stream_sample_begin(USER, 10, 0x1fff, 7, 7);
	stream_chain(ips, nr);
	recording_u64(&stream, branches);
	for (uint64_t i = 0; i < branches; i++)
		branch(0x1100 + i, 0x1200 + i);
	stream_sample_end(start);
}

static void test_lbr(void)
{
	stream_begin();
	stream_event(&(struct stream_event){ .id = 10, .more = PERFDATA_SAMPLE_CALLCHAIN | PERFDATA_SAMPLE_BRANCH_STACK,
					     .branch_type = 1 << 11 | 1 });
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	lbr_sample(STEPS(PERFDATA_CONTEXT_KERNEL, 0xffffffff81000110, PERFDATA_CONTEXT_USER, 0x1001, 0x1002), 3);
	lbr_sample(STEPS(PERFDATA_CONTEXT_USER, 0x1001, 0x1002), 2);
	lbr_sample(STEPS(PERFDATA_CONTEXT_KERNEL, 0xffffffff81000110), 2);   /* no user part to replace */
	lbr_sample(STEPS(PERFDATA_CONTEXT_USER, 0x1001), 0);
	walk_all(&walk);
	check_steps(&walk, 0, STEPS(0xffffffff81000110, 0x1fff, 0x1100, 0x1101, 0x1102));
	check_steps(&walk, 1, STEPS(0x1fff, 0x1100, 0x1101));
	check_steps(&walk, 2, STEPS(0xffffffff81000110));
	check_steps(&walk, 3, STEPS(0x1fff));
	struct perfdata_step steps[8];
	size_t nr;
	CHECK_EQ(perfdata_session_stack(walk.session, sample_at(&walk, 0)->delivery.stack, steps, 8, &nr), PERFDATA_OK);
	CHECK_EQ(steps[0].origin, PERFDATA_STEP_RECORDED);
	CHECK_EQ(steps[1].origin, PERFDATA_STEP_BRANCH);
	CHECK_EQ(steps[1].cpumode, USER);
	CHECK_STR(frame_text(&walk, sample_at(&walk, 0)->branches[0]), "/bin/a+0x100");
	CHECK_STR(frame_text(&walk, sample_at(&walk, 0)->branches[3]), "/bin/a+0x201");
	walk_close(&walk);
}

static void deferred_record(uint64_t cookie, int32_t tid, const uint64_t *ips, size_t nr)
{
	const size_t start = recording_begin(&stream, PERFDATA_RECORD_CALLCHAIN_DEFERRED, 0);
	recording_u64(&stream, cookie);
	stream_chain(ips, nr);
	stream_trailer(start, 7, tid);
}

static void test_deferred(void)
{
	const uint64_t kernel = 0xffffffff81000110;
	stream_begin();
	stream_event(&(struct stream_event){
		.id = 10, .more = PERFDATA_SAMPLE_CALLCHAIN, .flags = 1ull << PERFDATA_ATTR_DEFER_CALLCHAIN });
	chain_sample(STEPS(PERFDATA_CONTEXT_KERNEL, kernel, PERFDATA_CONTEXT_USER_DEFERRED, 111), 7);
	chain_sample(STEPS(PERFDATA_CONTEXT_KERNEL, kernel + 1, PERFDATA_CONTEXT_USER_DEFERRED, 111), 7);
	chain_sample(STEPS(PERFDATA_CONTEXT_KERNEL, kernel + 2, PERFDATA_CONTEXT_USER_DEFERRED, 222), 8);
	deferred_record(111, 7, STEPS(PERFDATA_CONTEXT_USER, 0x1010, 0x1020));
	chain_sample(STEPS(PERFDATA_CONTEXT_KERNEL, kernel + 3, PERFDATA_CONTEXT_USER_DEFERRED, 333), 7);
	deferred_record(444, 7, STEPS(PERFDATA_CONTEXT_USER, 0x1030));
	walk_all(&walk);
	/* three silent ones where the samples stood, then those joined by the first record, then the rest */
	size_t silent = 0, joined = 0;
	for (size_t i = 0; sample_at(&walk, i); i++) {
		silent += sample_at(&walk, i)->delivery.flags & PERFDATA_DELIVERY_SILENT ? 1 : 0;
		joined += sample_at(&walk, i)->deferred;
	}
	CHECK_EQ(silent, 4);
	CHECK_EQ(joined, 2);
	check_steps(&walk, 3, STEPS(kernel, 0x1010, 0x1020));
	check_steps(&walk, 4, STEPS(kernel + 1, 0x1010, 0x1020));
	check_steps(&walk, 6, STEPS(kernel + 3, 333));
	check_steps(&walk, 7, STEPS(kernel + 2, 222));
	CHECK(sample_at(&walk, 6)->delivery.flags & PERFDATA_DELIVERY_CHAIN_LOST);
	CHECK(!(sample_at(&walk, 3)->delivery.flags & PERFDATA_DELIVERY_CHAIN_LOST));
	CHECK(!(sample_at(&walk, 7)->delivery.flags & PERFDATA_DELIVERY_CHAIN_LOST));
	CHECK(sample_at(&walk, 8) == NULL);
	walk_close(&walk);

	walk_open(&walk, &(struct perfdata_session_options){ .size = sizeof(struct perfdata_session_options),
							     .needs = ALL_NEEDS });
	check_steps(&walk, 0, STEPS(kernel, 111));
	CHECK(sample_at(&walk, 4) == NULL);
	walk_close(&walk);
}

/* --- code that comes and goes --- */

static void jit_load(struct recording *r, uint64_t time, uint64_t address, uint64_t size, const char *name)
{
	recording_u32(r, 0);
	recording_u32(r, (uint32_t)(16 + 40 + strlen(name) + 1 + size));
	recording_u64(r, time);
	recording_u32(r, 7);
	recording_u32(r, 7);
	recording_u64(r, address);
	recording_u64(r, address);
	recording_u64(r, size);
	recording_u64(r, 0);
	recording_chars(r, name, strlen(name) + 1);
	recording_chars(r, "", (size_t)size);
}

static void write_jitdump(const char *path)
{
	struct recording r;
	recording_init(&r, false);
	const uint32_t header[] = { 0x4a695444, 1, 40, 62, 0, 7, 0, 0, 0, 0 };
	for (size_t i = 0; i < sizeof header / sizeof *header; i++)
		recording_u32(&r, header[i]);
	jit_load(&r, 1003, 0x1000, 0x100, "first");
	jit_load(&r, 1005, 0x1000, 0x100, "second");
	FILE *f = fopen(path, "wb");
	CHECK(f && fwrite(r.data, 1, r.size, f) == r.size && fclose(f) == 0);
	recording_release(&r);
}

static const char *symbol_at(size_t n)
{
	static struct perfdata_symbol symbol;
	const enum perfdata_status status = perfdata_session_symbol(walk.session, sample_at(&walk, n)->delivery.ip,
								    UINT64_MAX, &symbol);
	return status == PERFDATA_OK ? symbol.name : "none";
}

static void test_jit(void)
{
	char folder[] = "/tmp/perfdata-unit-jit-XXXXXX", path[64];
	struct perfdata_session_options options = { .size = sizeof options, .needs = ALL_NEEDS };
	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/jit-7.dump", folder);
	write_jitdump(path);
	stream_begin();
	stream_event(&(struct stream_event){ .id = 10, .more = PERFDATA_SAMPLE_CALLCHAIN });
	stream_mmap(USER, 7, 0x9000, 0x1000, 0, path);                    /* at 1000 */
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "//anon");
	for (int i = 0; i < 5; i++)                                       /* at 1002 to 1006 */
		chain_sample(STEPS(0x1010, 0x1010), 7);
	/* MMAP has no inode number that identifies the file */
	struct perfdata_symbols_options symbols;
	perfdata_options_init(&symbols, sizeof symbols);
	symbols.symfs = "/";
	CHECK_EQ(perfdata_symbols_new(&symbols, &options.symbols), PERFDATA_OK);
	walk_open(&walk, &options);
	CHECK_STR(symbol_at(0), "none");
	CHECK_STR(symbol_at(1), "first");
	CHECK_STR(symbol_at(2), "first");
	CHECK_STR(symbol_at(3), "second");
	CHECK_STR(symbol_at(4), "second");
	CHECK_EQ(sample_at(&walk, 1)->delivery.stack, sample_at(&walk, 2)->delivery.stack);
	CHECK(sample_at(&walk, 2)->delivery.stack != sample_at(&walk, 3)->delivery.stack);
	CHECK_STR(ip_at(&walk, 3), "/tmp/perf-7.map+0x1010");
	walk_close(&walk);
	perfdata_symbols_free(options.symbols);
	unlink(path);
	rmdir(folder);
}

/* --- without memory --- */

static void work_without_memory(void)
{
	walk_all(&walk);
	if (alloc_fail_countdown < 0 && walk.end != PERFDATA_ENOMEM && walk.end != PERFDATA_END)
		FAIL("neither done nor out of memory");
	walk_close(&walk);
}

static void test_no_memory(void)
{
	stream_begin();
	stream_event(&(struct stream_event){
		.id = 10, .more = PERFDATA_SAMPLE_CALLCHAIN, .flags = 1ull << PERFDATA_ATTR_DEFER_CALLCHAIN });
	stream_comm(0, 7, 7, "main");
	stream_mmap(USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	stream_task(PERFDATA_RECORD_FORK, 9, 9, 7, 7);
	chain_sample(STEPS(PERFDATA_CONTEXT_USER, 0x1010, 0x1020), 7);
	chain_sample(STEPS(PERFDATA_CONTEXT_KERNEL, 0x1010, PERFDATA_CONTEXT_USER_DEFERRED, 111), 7);
	deferred_record(111, 7, STEPS(PERFDATA_CONTEXT_USER, 0x1010));
	int n = 0;
	while (alloc_fail_run(n, work_without_memory))
		n++;
	CHECK(n > 10);
	walk_all(&walk);
	CHECK_EQ(walk.end, PERFDATA_END);
	walk_close(&walk);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "threads: names, fork, exec, exit", test_threads },
		{ "maps: the new one wins, the rest is cut", test_overlaps },
		{ "maps: anonymous, JIT, vdso, deleted", test_kinds },
		{ "maps: kernel, modules, BPF programs", test_kernel },
		{ "areas: against a model, with copies", test_maps_model },
		{ "areas: which addresses a change concerns", test_maps_changes },
		{ "areas: very many that overlap", test_many_maps },
		{ "stacks: ids, markers, limits, a source of the caller's choice", test_stacks },
		{ "stacks: branches of calls", test_lbr },
		{ "stacks: deferred chains", test_deferred },
		{ "names: code of a JIT compiler, by time", test_jit },
		{ "without memory", test_no_memory },
	};
	const int result = unit_main(cases, sizeof cases / sizeof *cases);
	recording_release(&stream);
	return result;
}
