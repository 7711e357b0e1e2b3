/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/values/locations.h"
#include <string.h>
#include "session/session.h"

static const struct location_info parts[LOCATION_COUNT] = {
	[LOCATION_DSO] = { "dso", "The file (or other mapping) that contains the address.", VALUE_TEXT },
	[LOCATION_BUILD_ID] = { "build_id", "Build-id of the file, if recorded.", VALUE_BYTES },
	[LOCATION_ADDRESS] = { "address",
			       "The address in it: an offset in files; the recorded address in the kernel, its modules "
			       "and JIT areas.",
			       VALUE_HEX64 },
	[LOCATION_SYMBOL] = { "symbol", "Symbol at the address (--symbols yes; for BPF programs always).",
			      VALUE_TEXT },
	[LOCATION_SYMBOL_OFFSET] = { "symbol_offset", "Offset of the address in the symbol.",
				     VALUE_U64 },
	[LOCATION_FILE] = { "file", "Source file (--lines).", VALUE_TEXT },
	[LOCATION_LINE] = { "line",
			    "Line in the source file (--lines). The address of a caller is a return address, whose "
			    "line may be the one after the call.",
			    VALUE_U64 },
	[LOCATION_INLINED] = { "inlined",
			       "Inlined functions at the address, innermost first, each with its source position; the "
			       "last entry is the function that contains the code (--lines).",
			       VALUE_LIST_PARTS },
};

const struct location_info *pd_location_part_info(enum location_part part) { return &parts[part]; }

enum location_part pd_location_part_named(const char *name)
{
	enum location_part part = 0;
	while (part < LOCATION_COUNT && strcmp(parts[part].name, name))
		part++;
	return part;
}

const char *pd_location_origin_name(unsigned origin)
{
	switch ((enum perfdata_step_origin)origin) {
	case PERFDATA_STEP_RECORDED: break;
	case PERFDATA_STEP_BRANCH: return "branch";
	case PERFDATA_STEP_UNWOUND: return "unwound";
	}
	return "recorded";
}

/* --- looking up --------------------------------------------------------------------------------------------------- */

static void set_text(struct location *place, enum location_part part, const char *text)
{
	if (!text)
		return;
	place->present |= LOCATION_BIT(part);
	place->text[part] = (struct perfdata_bytes){ (const uint8_t *)text, strlen(text) };
}

static void set_number(struct location *place, enum location_part part, uint64_t number)
{
	place->present |= LOCATION_BIT(part);
	place->number[part] = number;
}

static void load_symbol(const struct emitted_names *world, uint32_t frame, struct location *ret)
{
	struct perfdata_symbol symbol;
	if (perfdata_session_symbol(world->session, frame, UINT64_MAX, &symbol) != PERFDATA_OK)
		return;
	set_text(ret, LOCATION_SYMBOL, symbol.name);
	set_number(ret, LOCATION_SYMBOL_OFFSET, symbol.offset);
}

/* The innermost inlined function, calls[0], has the source position of the address. */
static void load_lines(const struct emitted_names *world, uint32_t frame, struct location *ret)
{
	size_t nr;
	if (pd_session_source(world->session, frame, ret->calls, LOCATION_MAX_CALLS, &nr) != PERFDATA_OK || !nr)
		return;
	ret->nr_calls = nr < LOCATION_MAX_CALLS ? nr : LOCATION_MAX_CALLS;
	set_text(ret, LOCATION_FILE, ret->calls[0].file);
	if (ret->calls[0].file && ret->calls[0].line)
		set_number(ret, LOCATION_LINE, ret->calls[0].line);
	if (nr > 1)
		ret->present |= LOCATION_BIT(LOCATION_INLINED);
}

void pd_location_load(const struct emitted_names *world, uint32_t frame, unsigned wanted, struct location *ret)
{
	memset(ret, 0, offsetof(struct location, calls));
	const struct perfdata_frame *at = frame == PERFDATA_NONE ? NULL : perfdata_session_frame(world->session, frame);
	if (!at || at->dso == PERFDATA_NONE)
		return;
	set_text(ret, LOCATION_DSO, perfdata_session_dso(world->session, at->dso)->name);
	set_number(ret, LOCATION_ADDRESS, at->address);
	if (pd_emitted_build_id(world, at->dso, &ret->text[LOCATION_BUILD_ID]))
		ret->present |= LOCATION_BIT(LOCATION_BUILD_ID);
	if (wanted & (LOCATION_BIT(LOCATION_SYMBOL) | LOCATION_BIT(LOCATION_SYMBOL_OFFSET)))
		load_symbol(world, frame, ret);
	if (wanted & LOCATION_LINES)
		load_lines(world, frame, ret);
	ret->present &= wanted;
}
