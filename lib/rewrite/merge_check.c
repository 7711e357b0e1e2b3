/* SPDX-License-Identifier: MIT */
/* Checks whether recordings can be merged: they must be of the same host, boot and clock, and each sample must have a
 * time. Reports to the user why it refuses a merge, or what it assumes. */
#include "config.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/error.h"
#include "schema/feature.h"
#include "schema/schema.h"
#include "reader/reader.h"
#include "write/writing.h"
#include "rewrite/merge.h"

#define NS 1000000000ull
#define MOST_DRIFT (60 * NS)         /* largest difference of wall clocks: the user may set the clock during one boot */
#define FIRST_OWN_TYPE 6u            /* first dynamic PMU type; each boot numbers these types anew */

/* --- facts about an input --------------------------------------------------------------------------------------- */

void pd_merge_note_kernel(struct pd_merge_kernel *kernel, const struct perfdata_reader *reader,
			  const struct perfdata_raw *raw)
{
	static const char name[] = "[kernel.kallsyms]";
	struct perfdata_record record;

	if (kernel->is_known || (raw->type != PERFDATA_RECORD_MMAP && raw->type != PERFDATA_RECORD_MMAP2) ||
	    (raw->misc & PERFDATA_CPUMODE_MASK) != PERFDATA_CPUMODE_KERNEL ||
	    perfdata_raw_decode(reader, raw, &record) != PERFDATA_OK)
		return;
	const bool is_second = raw->type == PERFDATA_RECORD_MMAP2;
	const struct perfdata_bytes file = is_second ? record.u.mmap2.filename : record.u.mmap.filename;
	if (file.size < strlen(name) || memcmp(file.data, name, strlen(name)) != 0)
		return;
	kernel->is_known = true;
	kernel->addr = is_second ? record.u.mmap2.addr : record.u.mmap.addr;
	const struct perfdata_bytes build_id = is_second ? record.u.mmap2.build_id : (struct perfdata_bytes){ NULL, 0 };
	if (build_id.size > sizeof kernel->build_id)
		return;
	kernel->build_id_size = build_id.size;
	if (build_id.size)
		memcpy(kernel->build_id, build_id.data, build_id.size);
}

static uint64_t number_of(const struct pd_merge_input *input, uint32_t id, const char *name)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(input->known, id);
	const struct perfdata_node *node = section && section->feature
						   ? perfdata_node_get(perfdata_feature_root(section->feature), name)
						   : NULL;
	return node ? node->v.u : 0;
}

/* --- reasons to refuse ------------------------------------------------------------------------------------------- */

static enum perfdata_status refuse_merge(struct perfdata_rewriter *rewriter, const char *format, ...)
	PERFDATA_PRINTF(2, 3);
static enum perfdata_status refuse_merge(struct perfdata_rewriter *rewriter, const char *format, ...)
{
	char reason[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	return pd_rewrite_failed(rewriter, PERFDATA_EUNSUP, reason);
}

static enum perfdata_status check_alone(struct perfdata_rewriter *rewriter, const struct pd_merge_input *input)
{
	const size_t nr = perfdata_reader_nr_events(input->known);

	if (!nr)
		return refuse_merge(rewriter, "%s says of no event what it is", pd_merge_name(input));
	if (perfdata_reader_feature(input->known, PERFDATA_FEATURE_STAT))
		return refuse_merge(rewriter, "%s holds counts of perf stat, which have no time that would order them",
				    pd_merge_name(input));
	for (size_t i = 0; i < nr; i++) {
		const struct perfdata_event *event = perfdata_reader_event(input->known, i);
		if (!(event->attr->sample_type & PERFDATA_SAMPLE_TIME))
			return refuse_merge(rewriter,
					    "samples of %s in %s have no times: nothing says which came first",
					    event->name, pd_merge_name(input));
	}
	return PERFDATA_OK;
}

const char *pd_merge_text(const struct pd_merge_input *input, uint32_t id)
{
	const char *text = perfdata_reader_feature_text(input->known, id);
	const bool unknown = text && id == PERFDATA_FEATURE_HOSTNAME && !strcmp(text, PD_HOSTNAME_UNKNOWN);
	return unknown ? NULL : text;
}

static enum perfdata_status check_text(struct perfdata_rewriter *rewriter, const struct pd_merge_input *a,
				       const struct pd_merge_input *b, uint32_t id, const char *what)
{
	const char *x = pd_merge_text(a, id), *y = pd_merge_text(b, id);

	if (!x || !y || !strcmp(x, y))
		return PERFDATA_OK;
	return refuse_merge(rewriter,
			    "%s is of %s %.60s, %s of %.60s: processes and addresses of one are not those of the other",
			    pd_merge_name(a), what, x, pd_merge_name(b), y);
}

static enum perfdata_status check_kernel(struct perfdata_rewriter *rewriter, const struct pd_merge_input *a,
					 const struct pd_merge_input *b)
{
	const struct pd_merge_kernel *x = &a->kernel, *y = &b->kernel;

	if (!x->is_known || !y->is_known)
		return PERFDATA_OK;
	if (x->addr != y->addr)
		return refuse_merge(rewriter,
				    "the kernel was at 0x%" PRIx64 " in %s, at 0x%" PRIx64
				    " in %s: they are of different boots",
				    x->addr, pd_merge_name(a), y->addr, pd_merge_name(b));
	if (x->build_id_size && x->build_id_size == y->build_id_size &&
	    memcmp(x->build_id, y->build_id, x->build_id_size) != 0)
		return refuse_merge(rewriter, "%s and %s have kernels of different build-ids", pd_merge_name(a),
				    pd_merge_name(b));
	return PERFDATA_OK;
}

static const char *name_of_pmu(const struct pd_merge_input *input, uint64_t type, size_t *ret_size)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(input->known,
										 PERFDATA_FEATURE_PMU_MAPPINGS);
	const struct perfdata_node *list = section && section->feature
						   ? perfdata_node_get(perfdata_feature_root(section->feature),
								       "pmu_mappings")
						   : NULL;

	for (const struct perfdata_node *pmu = list ? list->child : NULL; pmu; pmu = pmu->next) {
		const struct perfdata_node *number = perfdata_node_get(pmu, "type"),
					   *name = perfdata_node_get(pmu, "name");
		if (number && name && number->v.u == type) {
			*ret_size = name->v.bytes.size;
			return (const char *)name->v.bytes.data;
		}
	}
	return NULL;
}

/* The kernel numbers PMUs in the order in which drivers register them, so a number may mean another PMU after a
 * boot. */
static enum perfdata_status check_pmus(struct perfdata_rewriter *rewriter, const struct pd_merge_input *a,
				       const struct pd_merge_input *b)
{
	for (size_t i = 0; i < perfdata_reader_nr_events(b->known); i++) {
		const uint32_t type = perfdata_reader_event(b->known, i)->attr->type;
		size_t x_size, y_size;
		const char *x = type < FIRST_OWN_TYPE ? NULL : name_of_pmu(a, type, &x_size),
			   *y = x ? name_of_pmu(b, type, &y_size) : NULL;
		if (x && y && (x_size != y_size || memcmp(x, y, x_size) != 0))
			return refuse_merge(rewriter, "PMU %u is %.*s in %s, %.*s in %s", type, (int)x_size, x,
					    pd_merge_name(a), (int)y_size, y, pd_merge_name(b));
	}
	return PERFDATA_OK;
}

/* --- clocks ------------------------------------------------------------------------------------------------------ */

/* Returns the clock of the events, which perf sets for the whole recording. -1: the kernel's default clock. */
static int clock_of(const struct pd_merge_input *input)
{
	const struct perfdata_attr *attr = perfdata_reader_event(input->known, 0)->attr;
	return perfdata_attr_has(attr, PERFDATA_ATTR_USE_CLOCKID) ? attr->clockid : -1;
}

static bool has_wall_clock(const struct pd_merge_input *input)
{
	return perfdata_reader_feature(input->known, PERFDATA_FEATURE_CLOCK_DATA) &&
	       number_of(input, PERFDATA_FEATURE_CLOCK_DATA, "wall_clock");
}

/* Returns the wall clock minus the recording's clock, ns. */
static uint64_t wall_offset(const struct pd_merge_input *input)
{
	return number_of(input, PERFDATA_FEATURE_CLOCK_DATA, "wall_clock") -
	       number_of(input, PERFDATA_FEATURE_CLOCK_DATA, "clockid_time");
}

static enum perfdata_status check_clocks(struct perfdata_rewriter *rewriter, const struct pd_merge_input *a,
					 const struct pd_merge_input *b)
{
	const int x = clock_of(a), y = clock_of(b);

	if (x != y)
		return refuse_merge(rewriter, "%s has times of clock %d, %s of clock %d (-1 is the kernel's own)",
				    pd_merge_name(a), x, pd_merge_name(b), y);
	if (!has_wall_clock(a) || !has_wall_clock(b)) {
		pd_rewrite_tell(rewriter,
				"%s and %s have times of clock %d%s; nothing says how it stood to the wall clock: one "
				"boot is assumed",
				pd_merge_name(a), pd_merge_name(b), x, x < 0 ? " (the kernel's own)" : "");
		return PERFDATA_OK;
	}
	const int64_t apart = (int64_t)(wall_offset(b) - wall_offset(a));
	const uint64_t distance = apart < 0 ? 0 - (uint64_t)apart : (uint64_t)apart;
	if (distance > MOST_DRIFT)
		return refuse_merge(rewriter,
			      "the clocks of %s and %s are %" PRIu64 ".%09" PRIu64
			      " s apart, by the wall clock: they are of different boots",
			      pd_merge_name(a), pd_merge_name(b), (uint64_t)(distance / NS), (uint64_t)(distance % NS));
	pd_rewrite_tell(rewriter, "%s and %s have times of clock %d, %" PRIu64 " ns apart by the wall clock: one boot",
			pd_merge_name(a), pd_merge_name(b), x, distance);
	return PERFDATA_OK;
}

/* --- the whole check ---------------------------------------------------------------------------------------------- */

static enum perfdata_status check_pair(struct perfdata_rewriter *rewriter, const struct pd_merge_input *a,
				       const struct pd_merge_input *b)
{
	static const struct { uint32_t id; const char *what;
	} texts[] = {
		{ PERFDATA_FEATURE_HOSTNAME, "host" },
		{ PERFDATA_FEATURE_ARCH, "architecture" },
		{ PERFDATA_FEATURE_OSRELEASE, "kernel" },
	};
	enum perfdata_status status = PERFDATA_OK;

	if (perfdata_reader_header(a->known)->order != perfdata_reader_header(b->known)->order)
		return refuse_merge(rewriter, "%s and %s have different byte orders: they are of different hosts",
				    pd_merge_name(a), pd_merge_name(b));
	for (size_t i = 0; i < sizeof texts / sizeof *texts && status == PERFDATA_OK; i++)
		status = check_text(rewriter, a, b, texts[i].id, texts[i].what);
	if (status == PERFDATA_OK)
		status = check_kernel(rewriter, a, b);
	if (status == PERFDATA_OK)
		status = check_pmus(rewriter, a, b);
	/* compares each clock only with the first input's, so that each input gets at most one message */
	return status == PERFDATA_OK && a == rewriter->merge->inputs ? check_clocks(rewriter, a, b) : status;
}

enum perfdata_status pd_merge_check(struct perfdata_rewriter *rewriter)
{
	const struct pd_merge *merge = rewriter->merge;
	enum perfdata_status status = PERFDATA_OK;

	for (size_t i = 0; i < merge->nr_inputs && status == PERFDATA_OK; i++)
		status = check_alone(rewriter, &merge->inputs[i]);
	for (size_t i = 0; i < merge->nr_inputs; i++)
		for (size_t k = i + 1; k < merge->nr_inputs && status == PERFDATA_OK; k++)
			status = check_pair(rewriter, &merge->inputs[i], &merge->inputs[k]);
	for (size_t i = 0; i < merge->nr_inputs && status == PERFDATA_OK; i++)
		if (!pd_merge_text(&merge->inputs[i], PERFDATA_FEATURE_HOSTNAME))
			pd_rewrite_tell(rewriter, "%s does not name its host: that of the others is assumed",
					pd_merge_name(&merge->inputs[i]));
	return status;
}
