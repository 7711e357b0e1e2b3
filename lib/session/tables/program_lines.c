/* SPDX-License-Identifier: MIT */
/* Finds the source line at an address of a BPF program. BPF_PROG_INFO and BPF_BTF have the lines and their texts. All
 * lines are sorted once, so that each look-up is a binary search, however many programs and lines there are. */
#include "config.h"
#include <stdlib.h>
#include "base/memory.h"
#include "base/search.h"
#include "reader/reader.h"
#include "schema/feature.h"
#include "session/session.h"
#include "session/state.h"

struct program_line {
	uint64_t address;
	uint64_t index;              /* index in the lines of its program */
	size_t program;
};

struct pd_program_lines {
	struct pd_bpf_lines *programs;
	size_t nr_programs, programs_room;
	struct program_line *lines;  /* sorted by address */
	size_t nr_lines, lines_room;
};

static int compare_lines(const void *left, const void *right)
{
	const struct program_line *a = left, *b = right;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->program != b->program ? (a->program > b->program) - (a->program < b->program)
					: (a->index > b->index) - (a->index < b->index);
}

/* Adds the lines of a program. False without memory. */
static bool add_program(struct pd_program_lines *all, const struct pd_bpf_lines *program)
{
	if (pd_vector_grow(&all->programs, &all->programs_room, all->nr_programs, sizeof *all->programs) < 0)
		return false;
	all->programs[all->nr_programs] = *program;
	for (uint64_t i = 0; i < program->nr; i++) {
		if (pd_vector_grow(&all->lines, &all->lines_room, all->nr_lines, sizeof *all->lines) < 0)
			return false;
		all->lines[all->nr_lines++] = (struct program_line){ .address = pd_bpf_line_address(program, i),
								     .index = i,
								     .program = all->nr_programs };
	}
	all->nr_programs++;
	return true;
}

static const struct perfdata_feature *feature_of(const struct perfdata_reader *reader, uint32_t id)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, id);
	return section ? section->feature : NULL;
}

enum perfdata_status pd_program_lines_new(const struct perfdata_session *session, struct pd_program_lines **ret)
{
	const struct perfdata_reader *reader = session->state->reader;
	const struct perfdata_feature *info = feature_of(reader, PERFDATA_FEATURE_BPF_PROG_INFO),
				      *btf = feature_of(reader, PERFDATA_FEATURE_BPF_BTF);
	const struct perfdata_node *programs =
		info ? perfdata_node_get(perfdata_feature_root(info), "bpf_prog_info") : NULL;
	struct pd_program_lines *all = pd_calloc(1, sizeof *all);
	struct pd_bpf_lines lines;
	bool ok = all;
	for (const struct perfdata_node *program = programs ? programs->child : NULL; program && ok;
	     program = program->next)
		ok = !pd_bpf_lines_of(program, btf, &lines) || add_program(all, &lines);
	if (!ok) {
		pd_program_lines_free(all);
		return PERFDATA_ENOMEM;
	}
	if (all->nr_lines)
		qsort(all->lines, all->nr_lines, sizeof *all->lines, compare_lines);
	*ret = all;
	return PERFDATA_OK;
}

void pd_program_lines_free(struct pd_program_lines *all)
{
	if (!all)
		return;
	pd_free(all->programs);
	pd_free(all->lines);
	pd_free(all);
}

bool pd_find_program_line(const struct pd_program_lines *all, const struct perfdata_session *session, uint32_t frame,
			  uint64_t address, struct perfdata_source_line *ret, const char **ret_text)
{
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct pd_dso *dso = at && at->dso != PERFDATA_NONE ? pd_dso_at(session->state, at->dso) : NULL;
	if (!dso || dso->public.kind != PERFDATA_DSO_BPF || address >= dso->end - dso->start)
		return false;
	struct pd_bpf_line found;
	size_t after;
	PD_COUNT_BEFORE(after, all->nr_lines, i, all->lines[i].address <= dso->start + address);
	const struct program_line *line = after ? &all->lines[after - 1] : NULL;
	if (!line || line->address < dso->start ||
	    !pd_bpf_line_at(&all->programs[line->program], line->index, &found))
		return false;
	*ret = (struct perfdata_source_line){ .file = found.file, .line = found.line };
	*ret_text = found.text;
	return true;
}
