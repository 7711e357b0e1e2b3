/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/compilers/bolt_addresses.h"
#include "base/memory.h"
#include "branches/bolt_names.h"
#include "perfdata/reader.h"
#include "session/session.h"
#include "text/spelling.h"

struct writing {
	const struct pd_bolt_names *names;   /* NULL: write addresses */
	uint64_t base;                       /* subtracted from addresses */
	bool *events;                        /* by event: has a sample in the program */
	uint32_t nr_events;
	/* adds up the counts of several events at one address */
	uint64_t address, count;
};

static void look_at_event(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	const struct writing *writing = user;
	(void)out;
	if (sum->tag < writing->nr_events)
		writing->events[sum->tag] = true;
}

/* BOLT escapes blanks in names with a backslash. */
static void put_name(const char *name, size_t length, struct perfdata_text *out)
{
	for (size_t i = 0; i < length; i++) {
		if (name[i] == ' ' || name[i] == '\\')
			perfdata_text_char(out, '\\');
		perfdata_text_char(out, name[i]);
	}
}

static void put_last(struct writing *writing, struct perfdata_text *out)
{
	struct pd_bolt_place place;
	if (!writing->count || (writing->names && !pd_bolt_names_find(writing->names, writing->address, &place)))
		return;
	if (writing->names) {
		perfdata_text_literal(out, "1 ");
		put_name(place.function, place.length, out);
		if (place.suffix)
			perfdata_text_string(out, place.suffix);
		if (place.number) {
			perfdata_text_char(out, '/');
			perfdata_text_u64(out, place.number);
		}
		perfdata_text_char(out, ' ');
		pd_text_hex(out, place.offset);
	} else {
		perfdata_text_literal(out, "S ");
		pd_text_hex(out, writing->address - writing->base);
	}
	perfdata_text_char(out, ' ');
	perfdata_text_u64(out, writing->count);
	perfdata_text_char(out, '\n');
	writing->count = 0;
}

static void write_address(void *user, const struct pd_branch_sum *sum, struct perfdata_text *out)
{
	struct writing *writing = user;
	if (writing->address != sum->from)
		put_last(writing, out);
	writing->address = sum->from;
	writing->count += sum->count;
}

static void put_events(const struct perfdata_reader *reader, const struct writing *writing, struct perfdata_text *out)
{
	if (writing->names)
		perfdata_text_literal(out, "no_lbr");
	for (uint32_t i = 0; i < writing->nr_events; i++) {
		if (!writing->events[i])
			continue;
		perfdata_text_string(out, writing->names ? " " : "E ");
		perfdata_text_string(out, perfdata_reader_event(reader, i)->name);
		perfdata_text_string(out, writing->names ? ":" : ":\n");
	}
	if (writing->names)
		perfdata_text_char(out, '\n');
}

enum perfdata_status pd_bolt_write_addresses(struct branch_gather *gather, const struct pd_code_file *file, bool fdata,
					     struct perfdata_text *out)
{
	struct pd_bolt_names *names = NULL;
	struct writing writing = {
		.base = file->is_fixed ? 0 : file->load_base,
		.nr_events = (uint32_t)perfdata_reader_nr_events(gather->reader),
	};
	writing.events = pd_calloc(writing.nr_events ? writing.nr_events : 1, sizeof *writing.events);
	enum perfdata_status status = writing.events ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (!status && fdata)
		status = pd_bolt_names_new(file, gather->session->account, &names);
	writing.names = names;
	if (!status)
		status = pd_branch_gather_write(gather, PD_SUM_ADDRESS, look_at_event, &writing, out);
	if (!status) {
		put_events(gather->reader, &writing, out);
		status = pd_branch_gather_write(gather, PD_SUM_ADDRESS, write_address, &writing, out);
		put_last(&writing, out);
	}
	pd_bolt_names_free(names);
	pd_free(writing.events);
	return status ? status : perfdata_text_failed(out) ? PERFDATA_ENOMEM : PERFDATA_OK;
}
