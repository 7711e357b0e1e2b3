/* SPDX-License-Identifier: MIT */
/* Makes samples of operations that Arm SPE sampled, as perf does. */
#include "config.h"
#include "auxtrace/spe_sample.h"

enum { OTHER = 0, MEMORY = 1, BRANCH = 2 };

/* Bits of `events`. */
enum {
	L1D_ACCESS = 1 << 2,
	L1D_REFILL = 1 << 3,
	TLB_ACCESS = 1 << 4,
	TLB_REFILL = 1 << 5,
	NOT_TAKEN = 1 << 6,
	MISPREDICTED = 1 << 7,
	LLC_ACCESS = 1 << 8,
	LLC_REFILL = 1 << 9,
	REMOTE_ACCESS = 1 << 10,
	TRANSACTION = 1 << 16,
	L2D_ACCESS = 1 << 19,
	L2D_MISS = 1 << 20,
	HITM = 1 << 21,
	LFB = 1 << 22,
	SNOOPED = 1 << 23,
};

static const struct { const char *name; uint32_t wish, bit; } made[PD_SPE_EVENTS_MADE] = {
	[PD_SPE_L1D_MISS] = { "l1d-miss", PERFDATA_TRACE_L1D, L1D_REFILL },
	[PD_SPE_L1D_ACCESS] = { "l1d-access", PERFDATA_TRACE_L1D, L1D_ACCESS },
	[PD_SPE_LLC_MISS] = { "llc-miss", PERFDATA_TRACE_LLC, LLC_REFILL },
	[PD_SPE_LLC_ACCESS] = { "llc-access", PERFDATA_TRACE_LLC, LLC_ACCESS },
	[PD_SPE_TLB_MISS] = { "tlb-miss", PERFDATA_TRACE_TLB, TLB_REFILL },
	[PD_SPE_TLB_ACCESS] = { "tlb-access", PERFDATA_TRACE_TLB, TLB_ACCESS },
	[PD_SPE_BRANCH] = { "branch", PERFDATA_TRACE_BRANCHES, 0 },
	[PD_SPE_REMOTE] = { "remote-access", PERFDATA_TRACE_REMOTE, REMOTE_ACCESS },
	[PD_SPE_MEMORY] = { "memory", PERFDATA_TRACE_MEMORY, 0 },
	[PD_SPE_INSTRUCTIONS] = { "instructions", PERFDATA_TRACE_INSTRUCTIONS, 0 },
	[PD_SPE_OPERATIONS] = { "spe_sample", PERFDATA_TRACE_OPERATIONS, 0 },
};

const char *pd_spe_event_name(enum pd_spe_event event) { return made[event].name; }
uint32_t pd_spe_event_wish(enum pd_spe_event event) { return made[event].wish; }

static bool is_of(const struct pd_spe_record *record, unsigned op_class)
{
	return record->present & PD_SPE_OPERATION && record->op_class == op_class;
}

/* perf also takes vector operations, calls and returns for memory operations, since it reads their bits as those of
 * memory operations. */
static bool is_memory(const struct pd_spe_record *record)
{
	const uint64_t op = record->operation;
	if (is_of(record, BRANCH))
		return (op >> 3 & 3) == 1 || (op >> 3 & 3) == 2;
	if (is_of(record, OTHER))
		return (op & 0x89) == 0x08 || (op & 0x89) == 0x88 || ((op & 0xf8) == 0 && op & 4);
	return is_of(record, MEMORY);
}

bool pd_spe_event_is(enum pd_spe_event event, const struct pd_spe_record *record)
{
	switch (event) {
	case PD_SPE_BRANCH:
		return is_of(record, BRANCH);
	case PD_SPE_MEMORY:
		return is_memory(record);
	case PD_SPE_INSTRUCTIONS:
	case PD_SPE_OPERATIONS:
		return true;
	default:
		return record->events & made[event].bit;
	}
}

/* --- the place of the data --- */

enum level { NO_LEVEL, L1, L2, L3, FILL_BUFFER, RAM, PEER_CACHE, REMOTE_CACHE, REMOTE_RAM, IO, LEVELS };
enum snoop { SNOOP_UNKNOWN = 1, SNOOP_NONE = 2, SNOOP_HIT = 4, SNOOP_HITM = 16 };

struct source {
	uint8_t level, snoop;                /* snoop 0: unknown */
	bool peer, remote, miss;
};

/* Known codes of DATA SOURCE. */
struct source_row { uint8_t code; struct source source; };
static const struct source_row neoverse[] = {
	{ 0x0, { .level = L1, .snoop = SNOOP_NONE } }, { 0x8, { .level = L2, .snoop = SNOOP_NONE } },
	{ 0x9, { .level = L2, .peer = true } },        { 0xa, { .level = L3, .peer = true } },
	{ 0xb, { .level = L3, .snoop = SNOOP_HIT } },  { 0xc, { .level = L3, .peer = true } },
	{ 0xd, { .peer = true, .remote = true } },     { 0xe, { .level = RAM, .snoop = SNOOP_NONE } },
};
static const struct source_row ampere[] = {
	{ 0x0, { .level = L2, .peer = true } },        { 0x3, { .level = L3, .snoop = SNOOP_HIT } },
	{ 0x5, { .peer = true, .remote = true } },     { 0x7, { .level = RAM, .snoop = SNOOP_NONE } },
	{ 0x8, { .level = L1, .snoop = SNOOP_NONE } }, { 0x9, { .level = L2, .snoop = SNOOP_NONE } },
};
static const struct source_row hisilicon[] = {
	{ 0x0, { .level = L2, .peer = true } },
	{ 0x1, { .level = L2, .snoop = SNOOP_HITM, .peer = true } },
	{ 0x2, { .level = L3, .snoop = SNOOP_HIT } },
	{ 0x3, { .level = L3, .snoop = SNOOP_HITM } },
	{ 0x4, { .level = PEER_CACHE, .peer = true } },
	{ 0x5, { .level = PEER_CACHE, .snoop = SNOOP_HITM, .peer = true } },
	{ 0x6, { .level = REMOTE_CACHE, .peer = true, .remote = true } },
	{ 0x7, { .level = REMOTE_CACHE, .snoop = SNOOP_HITM, .peer = true, .remote = true } },
	{ 0x8, { .level = RAM, .snoop = SNOOP_NONE } },
	{ 0x9, { .level = REMOTE_RAM, .remote = true } },
	{ 0xd, { .level = IO, .snoop = SNOOP_NONE } },
	{ 0x10, { .level = L2, .snoop = SNOOP_NONE } },
	{ 0x11, { .level = L2, .snoop = SNOOP_HITM } },
	{ 0x12, { .level = L1, .snoop = SNOOP_NONE } },
};

/* Arm's own cores that use the codes of Neoverse, by the part number in MIDR. */
static const uint16_t neoverse_parts[] = {
	0xd0c, 0xd40, 0xd44, 0xd49, 0xd4b, 0xd4c, 0xd4d, 0xd4e, 0xd4f, 0xd81, 0xd82, 0xd84, 0xd85, 0xd87, 0xd89,
};

#define ROWS(list) (*ret_nr = sizeof(list) / sizeof *(list), (list))
static const struct source_row *rows_of(uint64_t midr, unsigned *ret_nr)
{
	enum { ARM = 0x41, HISILICON = 0x48, NVIDIA = 0x4e, AMPERE = 0xc0 };
	const uint64_t implementer = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;
	for (unsigned i = 0; implementer == ARM && i < sizeof neoverse_parts / sizeof *neoverse_parts; i++)
		if (part == neoverse_parts[i])
			return ROWS(neoverse);
	if (implementer == NVIDIA && part == 0x010)
		return ROWS(neoverse);
	if (implementer == AMPERE && part == 0xac4)
		return ROWS(ampere);
	if (implementer == HISILICON && part == 0xd06)
		return ROWS(hisilicon);
	return NULL;
}

/* Returns the place of a load by its events: the nearest level that hit, else the farthest level that missed. */
static struct source load_by_events(uint64_t events)
{
	if (events & L1D_ACCESS && !(events & L1D_REFILL))
		return (struct source){ .level = L1 };
	if (events & LFB)
		return (struct source){ .level = FILL_BUFFER };
	if (events & L2D_ACCESS && !(events & L2D_MISS))
		return (struct source){ .level = L2 };
	if (events & LLC_ACCESS && !(events & LLC_REFILL))
		return (struct source){ .level = L3 };
	return (struct source){ .level = events & LLC_REFILL   ? L3
					 : events & L2D_MISS   ? L2
					 : events & L1D_REFILL ? L1
							       : NO_LEVEL,
				.miss = true };
}

/* Returns the place of a store by its events: the farthest level that it reached. */
static struct source store_by_events(uint64_t events)
{
	if (events & (LLC_ACCESS | LLC_REFILL))
		return (struct source){ .level = L3, .miss = events & LLC_REFILL };
	if (events & (L2D_ACCESS | L2D_MISS))
		return (struct source){ .level = L2, .miss = events & L2D_MISS };
	return (struct source){ .level = events & (L1D_ACCESS | L1D_REFILL) ? L1 : NO_LEVEL,
				.miss = events & L1D_REFILL };
}

static struct source source_of(const struct pd_spe_record *record, uint64_t midr)
{
	unsigned nr = 0;
	const struct source_row *rows = rows_of(midr, &nr);
	const bool is_store = is_of(record, MEMORY) && record->operation & 1;
	/* perf ignores the events of stores on processors with known codes; on AmpereOne, only if the code is known */
	const struct source unsaid = { .snoop = SNOOP_UNKNOWN };
	for (unsigned i = 0; i < nr; i++)
		if (rows[i].code == record->source)
			return is_store ? unsaid : rows[i].source;
	if (is_store && rows && rows != ampere)
		return unsaid;
	if (is_store)
		return store_by_events(record->events);
	return is_of(record, MEMORY) ? load_by_events(record->events) : (struct source){ 0 };
}

uint64_t pd_spe_data_src(const struct pd_spe_record *record, uint64_t midr)
{
	enum { HIT = 2, MISS = 4, UNKNOWN = 1, WALKER = 32 };
	/* the older field of data_src has a bit for each level, the newer field has a number */
	static const struct { uint16_t bit, number;
	} levels[LEVELS] = {
		[L1] = { 8, 1 },
		[FILL_BUFFER] = { 16, 12 },
		[L2] = { 32, 2 },
		[L3] = { 64, 3 },
		[RAM] = { 128, 13 },
		[PEER_CACHE] = { 1024, 3 },
		[REMOTE_CACHE] = { 2048, 11 },
		[REMOTE_RAM] = { 256, 13 },
		[IO] = { 4096, 10 },
	};
	if (!is_memory(record))
		return 0;
	struct source source = source_of(record, midr);
	if (!source.snoop && record->events & SNOOPED)
		source.snoop = record->events & HITM ? SNOOP_HITM : SNOOP_HIT;
	const uint64_t op = !is_of(record, MEMORY) ? 1 : record->operation & 1 ? 4 : 2;
	const uint64_t hit = source.level == REMOTE_CACHE ? 0 : source.miss ? MISS : HIT;
	const uint64_t level = source.level ? levels[source.level].bit | hit : UNKNOWN;
	const uint64_t number = source.level ? levels[source.level].number : 15;
	const uint64_t remote = source.remote || record->events & REMOTE_ACCESS;
	const uint64_t tlb = record->events & TLB_REFILL   ? WALKER | MISS
			     : record->events & TLB_ACCESS ? WALKER | HIT
							   : 0;
	return op | level << 5 | (uint64_t)(source.snoop ? source.snoop : SNOOP_UNKNOWN) << 19 | tlb << 26 |
	       number << 33 | remote << 37 | (uint64_t)(source.peer ? 2 : 0) << 38;
}

/* --- branches --- */

static uint64_t branch_type(uint64_t op)
{
	enum {
		NO_TYPE = 0,
		CONDITIONAL = 1,
		UNCONDITIONAL = 2,
		CALL = 4,
		RETURN = 6,
		CONDITIONAL_CALL = 9,
		CONDITIONAL_RETURN = 10
	};
	const bool conditional = op & 1, indirect = op & 2;
	const unsigned kind = op >> 3 & 3;
	if (kind == 1)
		return conditional ? CONDITIONAL_CALL : CALL;
	/* perf takes any other indirect branch for a return */
	if (kind == 2 || indirect)
		return conditional ? CONDITIONAL_RETURN : RETURN;
	return conditional ? CONDITIONAL : kind == 3 ? UNCONDITIONAL : NO_TYPE;
}

unsigned pd_spe_branches(const struct pd_spe_record *record, uint64_t words[3 * PD_SPE_BRANCHES])
{
	const uint64_t prediction = record->events & MISPREDICTED ? 1 : 2,
		       not_taken = record->events & NOT_TAKEN ? 1 : 0;
	const uint64_t in_transaction = record->events & TRANSACTION ? 4 : 0;
	unsigned nr = 0;
	if (is_of(record, BRANCH)) {
		words[nr++] = record->pc;
		words[nr++] = record->target;
		words[nr++] = prediction | in_transaction | (uint64_t)record->total << 4 |
			      branch_type(record->operation) << 20 | not_taken << 33;
	}
	if (record->previous) {
		words[nr++] = 0;
		words[nr++] = record->previous;
		words[nr++] = 0;
	}
	return nr / 3;
}
