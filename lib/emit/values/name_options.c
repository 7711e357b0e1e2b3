/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/values/name_options.h"
#include "emit/values/locations.h"

static uint32_t head_bit(enum pd_record_head head) { return UINT32_C(1) << head; }

static bool stacks_by_id(const struct perfdata_emitter_option_value *options, size_t nr)
{
	const char *stacks = perfdata_option_text(options, nr, "stacks");
	return stacks && !strcmp(stacks, "ref");
}

/* Whether options for symbols imply names in the output: not if another option says where names go. */
static bool names_are_implied(const struct perfdata_emitter_option_value *options, size_t nr,
			      enum perfdata_tristate wish)
{
	static const char *const others[] = { "names", "lines", "stacks", "fields", "columns", "table" };
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < sizeof others / sizeof *others; k++)
			if (!strcmp(options[i].option->name, others[k]))
				return false;
	return wish == PERFDATA_YES;
}

void pd_name_options_read(struct record_world *world, const struct perfdata_emitter_option_value *options, size_t nr,
			  enum perfdata_tristate wish)
{
	const bool lines = perfdata_option_flag(options, nr, "lines", false);
	const bool names = lines || perfdata_option_flag(options, nr, "names", names_are_implied(options, nr, wish));
	world->stacks_by_id = stacks_by_id(options, nr);
	world->locations = LOCATION_NAMES | (lines ? LOCATION_LINES : 0);
	if (names)
		world->heads = head_bit(HEAD_COMM) | head_bit(HEAD_IP_AT) | head_bit(HEAD_ADDR_AT) |
			       head_bit(HEAD_BRANCH_STACK_AT);
	if (world->stacks_by_id)
		world->heads |= head_bit(HEAD_STACK_ID);
	else if (names || perfdata_option_text(options, nr, "stacks"))
		world->heads |= head_bit(HEAD_STACK);
}

static uint32_t needs_of_head(enum pd_record_head head)
{
	switch (head) {
	case HEAD_COMM: return PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS;
	case HEAD_IP_AT:
	case HEAD_ADDR_AT:
	case HEAD_BRANCH_STACK_AT:
		return NEEDS_OF_STACKS & ~(uint32_t)PERFDATA_NEED_STACKS;
	case HEAD_STACK: return NEEDS_OF_STACKS;
	case HEAD_STACK_ID: return NEEDS_OF_STACKS | PERFDATA_NEED_STACK_IDS;
	default: return 0;
	}
}

/* Needs of a field of -e; its name ends at a comma or dot. */
static uint32_t needs_of_field(const char *name)
{
	const size_t size = strcspn(name, ",.");
	for (unsigned i = 0; i < HEAD_COUNT; i++) {
		const char *head = pd_record_head_info(i)->name;
		if (strlen(head) == size && !memcmp(head, name, size))
			return needs_of_head(i);
	}
	return 0;
}

const char *pd_name_options_fields(const struct perfdata_emitter_option_value *options, size_t nr)
{
	const char *fields = perfdata_option_text(options, nr, "fields");
	return fields ? fields : perfdata_option_text(options, nr, "columns");
}

uint32_t pd_name_options_needs(const struct perfdata_emitter_option_value *options, size_t nr,
			       enum perfdata_tristate wish)
{
	struct record_world world = { 0 };
	pd_name_options_read(&world, options, nr, wish);
	uint32_t needs = world.heads ? NEEDS_OF_STACKS : 0;
	if (world.stacks_by_id)
		needs |= PERFDATA_NEED_STACK_IDS;
	for (const char *name = pd_name_options_fields(options, nr); name; name = strchr(name, ',')) {
		name += *name == ',';
		needs |= needs_of_field(name);
	}
	return PERFDATA_NEED_RECORDS | needs;
}
