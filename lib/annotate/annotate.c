/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "annotate/annotate.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/search.h"
#include "session/session.h"
#include "symbols/disassemble/disassemble.h"
#include "symbols/symbols.h"

enum { MAX_CALLS = 64 };

struct decoder {
	struct pd_disassembler *disassembler;
	enum perfdata_status status;
	bool tried;
};

struct pd_annotator {
	const struct perfdata_session *session;
	size_t nr_events;
	struct decoder decoders[PD_CODE_COUNT];
	struct pd_program_lines *program_lines;   /* NULL until a BPF program is annotated */
	struct pd_arena arena;               /* of the function at hand */
	struct pd_annotate_row *rows;
	size_t nr_rows, rows_room;
};

/* The state while rows of a function are made. */
struct annotation_filler {
	struct pd_annotator *annotator;
	uint32_t frame;
	bool is_program;                     /* a BPF program */
	struct perfdata_symbols_dso *symbols;
	uint64_t in_session;                 /* start of the function, as an address of frames */
	uint64_t shift;                      /* row's address - address of frames */
	uint64_t in_file;                    /* address in the file - address of frames */
	uint64_t time;                       /* time of the code in a jitdump file */
	const struct pd_annotate_hit *hits;
	size_t nr_hits, next_hit;
	struct pd_annotation *annotation;
	/* inlined functions of the last row, which the next row often shares */
	const char *const *inlined;
	uint32_t nr_inlined;
};

enum perfdata_status pd_annotator_new(const struct perfdata_session *session, size_t nr_events,
				      struct pd_annotator **ret)
{
	struct pd_annotator *annotator = pd_calloc(1, sizeof *annotator);
	if (!annotator)
		return PERFDATA_ENOMEM;
	annotator->session = session;
	annotator->nr_events = nr_events;
	*ret = annotator;
	return PERFDATA_OK;
}

void pd_annotator_free(struct pd_annotator *annotator)
{
	if (!annotator)
		return;
	for (size_t i = 0; i < PD_CODE_COUNT; i++)
		pd_disassembler_free(annotator->decoders[i].disassembler);
	pd_program_lines_free(annotator->program_lines);
	pd_arena_release(&annotator->arena);
	pd_free(annotator->rows);
	pd_free(annotator);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static size_t sums_size(const struct pd_annotator *annotator) { return 2 * annotator->nr_events * sizeof(uint64_t); }

/* Sets the line of a BPF program and its text. False: no memory. */
static bool add_program_line(struct annotation_filler *filler, struct pd_annotate_row *row)
{
	struct pd_annotator *annotator = filler->annotator;
	struct perfdata_source_line line;
	const char *text;
	if (!annotator->program_lines &&
	    pd_program_lines_new(annotator->session, &annotator->program_lines) != PERFDATA_OK)
		return false;
	if (pd_find_program_line(annotator->program_lines, annotator->session, filler->frame,
				 row->address - filler->shift, &line, &text)) {
		row->source = line.file;
		row->line = line.line;
		row->line_text = *text ? text : NULL;
	}
	return true;
}

/* Sets the row's line and its inlined functions. False: no memory. */
static bool add_source(struct annotation_filler *filler, struct pd_annotate_row *row)
{
	if (filler->is_program)
		return add_program_line(filler, row);
	struct perfdata_source_line calls[MAX_CALLS];
	struct pd_arena *arena = &filler->annotator->arena;
	const char *names[MAX_CALLS];
	size_t nr = 0;
	uint32_t inlined = 0;
	/* addresses of frames in recordings of simpleperf differ from those of the file */
	const uint64_t address = row->address - filler->shift + filler->in_file;
	if (!filler->symbols ||
	    pd_symbols_source_at(filler->symbols, address, filler->time, calls, MAX_CALLS, &nr) != PERFDATA_OK || !nr)
		return true;
	nr = nr < MAX_CALLS ? nr : MAX_CALLS;
	row->line = calls[0].line;
	if (calls[0].file && !(row->source = pd_arena_copy(arena, calls[0].file, strlen(calls[0].file))))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (calls[i].inlined)
			names[inlined++] = calls[i].function ? calls[i].function : "[unknown]";
	bool same = inlined == filler->nr_inlined;
	for (uint32_t i = 0; same && i < inlined; i++)
		same = !strcmp(names[i], filler->inlined[i]);
	if (!same) {
		const char **copy = pd_arena_alloc(arena, (inlined + 1) * sizeof *copy);
		for (uint32_t i = 0; copy && i < inlined; i++)
			if (!(copy[i] = pd_arena_copy(arena, names[i], strlen(names[i]))))
				return false;
		if (!copy)
			return false;
		filler->inlined = copy;
		filler->nr_inlined = inlined;
	}
	row->inlined = filler->inlined;
	row->nr_inlined = inlined;
	return true;
}

static struct pd_annotate_row *add_row(struct annotation_filler *filler, uint64_t address)
{
	struct pd_annotator *annotator = filler->annotator;
	uint64_t *sums = pd_arena_calloc(&annotator->arena, 1, sums_size(annotator) + 1);
	if (!sums || pd_vector_grow(&annotator->rows, &annotator->rows_room, annotator->nr_rows,
				    sizeof *annotator->rows) < 0)
		return NULL;
	struct pd_annotate_row *row = &annotator->rows[annotator->nr_rows++];
	*row = (struct pd_annotate_row){ .address = address,
					 .offset = address - filler->annotation->start,
					 .target = PERFDATA_NONE,
					 .block = PERFDATA_NONE,
					 .sums = sums };
	return add_source(filler, row) ? row : NULL;
}

static void add_sums(struct annotation_filler *filler, struct pd_annotate_row *row, const struct pd_annotate_hit *hit)
{
	/* rows declare their sums const for callers */
	uint64_t *sums = (uint64_t *)(uintptr_t)row->sums;
	for (size_t i = 0; i < 2 * filler->annotator->nr_events; i++)
		sums[i] += hit->sums[i];
}

/* Adds rows for the hits below an address, where no instruction begins. False: no memory. */
static bool add_hits_below(struct annotation_filler *filler, uint64_t address)
{
	while (filler->next_hit < filler->nr_hits && filler->hits[filler->next_hit].address + filler->shift < address) {
		const struct pd_annotate_hit *hit = &filler->hits[filler->next_hit++];
		struct pd_annotate_row *row = add_row(filler, hit->address + filler->shift);
		if (!row)
			return false;
		add_sums(filler, row, hit);
	}
	return true;
}

/* Sets the function that a call enters, or a jump out of the function. False: no memory. */
static bool add_callee(struct annotation_filler *filler, struct pd_annotate_row *row, uint64_t target)
{
	struct perfdata_symbol symbol;
	const enum perfdata_status status =
		pd_session_target(filler->annotator->session, filler->frame, target - filler->shift, &symbol);
	/* an unreadable file makes the session's names fail */
	if (status != PERFDATA_OK)
		return status != PERFDATA_ENOMEM;
	row->callee = pd_arena_copy(&filler->annotator->arena, symbol.name, strlen(symbol.name));
	row->callee_offset = symbol.offset;
	return row->callee;
}

static bool add_instruction(struct annotation_filler *filler, const struct pd_instruction *instruction)
{
	struct pd_annotate_row *row = add_hits_below(filler, instruction->address)
					      ? add_row(filler, instruction->address)
					      : NULL;
	if (!row)
		return false;
	row->text = pd_arena_copy(&filler->annotator->arena, instruction->text, strlen(instruction->text));
	row->size = (uint32_t)instruction->size;
	row->flow = (enum pd_annotate_flow)instruction->flow;
	/* an offset in the function until set_targets replaces it by a row */
	const uint64_t target = instruction->target - filler->annotation->start;
	const bool jumps = instruction->flow == PD_FLOW_JUMP || instruction->flow == PD_FLOW_CONDITION;
	const bool is_inside = jumps && target < filler->annotation->size;
	if (is_inside && instruction->has_target && target < PERFDATA_NONE)
		row->target = (uint32_t)target;
	if (!is_inside && instruction->has_target && !add_callee(filler, row, instruction->target))
		return false;
	while (filler->next_hit < filler->nr_hits &&
	       filler->hits[filler->next_hit].address + filler->shift == instruction->address)
		add_sums(filler, row, &filler->hits[filler->next_hit++]);
	return row->text;
}

/* --- instructions ------------------------------------------------------------------------------------------------- */

static struct decoder *decoder_of(struct pd_annotator *annotator, enum pd_code_kind kind)
{
	struct decoder *decoder = &annotator->decoders[kind];
	if (!decoder->tried)
		decoder->status = pd_disassembler_new(pd_session_names(annotator->session), kind,
						      &decoder->disassembler);
	decoder->tried = true;
	return decoder;
}

static enum perfdata_status add_instructions(struct annotation_filler *filler, struct pd_disassembler *disassembler,
					     const struct pd_code_bytes *code)
{
	struct pd_instruction instruction;
	const bool fixed = code->machine != 3 && code->machine != 62;   /* not x86: all have four bytes */
	for (size_t at = 0; at < code->size;) {
		const enum perfdata_status status = pd_disassemble(disassembler, code->bytes + at, code->size - at,
								   code->address + at, &instruction);
		if (status == PERFDATA_EUNSUP) {
			filler->annotation->no_code = "the library that decodes instructions does not know all of this "
						      "function: the rest has addresses alone";
			break;
		}
		if (status != PERFDATA_OK && status != PERFDATA_ABSENT)
			return status;
		if (status == PERFDATA_ABSENT)
			instruction = (struct pd_instruction){ .address = code->address + at,
							       .size = fixed ? 4 : 1,
							       .text = "(bad)" };
		if (!add_instruction(filler, &instruction))
			return PERFDATA_ENOMEM;
		at += instruction.size ? instruction.size : 1;
	}
	return PERFDATA_OK;
}

static enum perfdata_status decode_function(struct annotation_filler *filler, const struct pd_code_bytes *code)
{
	enum pd_code_kind kind;
	struct pd_annotation *annotation = filler->annotation;
	if (!pd_code_kind_of(code->machine, &kind)) {
		annotation->no_code = "instructions of this processor are not decoded";
		return PERFDATA_OK;
	}
	const struct decoder *decoder = decoder_of(filler->annotator, kind);
	if (decoder->status == PERFDATA_ABSENT || decoder->status == PERFDATA_EUNSUP) {
		annotation->no_code = "no library that decodes instructions is installed (LLVM, or capstone 5)";
		return PERFDATA_OK;
	}
	if (decoder->status != PERFDATA_OK)
		return decoder->status;
	annotation->decoder = pd_disassembler_name(decoder->disassembler);
	return add_instructions(filler, decoder->disassembler, code);
}

/* Replaces targets by row numbers, and numbers the basic blocks. */
static void set_targets(struct pd_annotator *annotator, struct pd_annotation *annotation)
{
	struct pd_annotate_row *rows = annotator->rows;
	const size_t nr = annotator->nr_rows;
	for (size_t i = 0; i < nr; i++) {
		if (rows[i].target == PERFDATA_NONE)
			continue;
		size_t low;
		PD_COUNT_BEFORE(low, nr, at, rows[at].offset < rows[i].target);
		const bool found = low < nr && rows[low].offset == rows[i].target && rows[low].text;
		rows[i].target = found ? (uint32_t)low : PERFDATA_NONE;
		if (found)
			rows[low].is_target = true;
	}
	bool begins = true;
	for (size_t i = 0; i < nr; i++) {
		if (!rows[i].text)
			continue;
		if (begins || rows[i].is_target)
			annotation->nr_blocks++;
		rows[i].block = annotation->nr_blocks - 1;
		begins = rows[i].flow == PD_ANNOTATE_JUMP || rows[i].flow == PD_ANNOTATE_CONDITION ||
			 rows[i].flow == PD_ANNOTATE_RETURN;
	}
}

/* --- a function --------------------------------------------------------------------------------------------------- */

static bool describe_frame(struct annotation_filler *filler, uint32_t frame)
{
	const struct perfdata_session *session = filler->annotator->session;
	struct pd_annotation *annotation = filler->annotation;
	const struct perfdata_frame *at = perfdata_session_frame(session, frame);
	const struct perfdata_dso *dso = at ? perfdata_session_dso(session, at->dso) : NULL;
	struct perfdata_symbol symbol;
	uint64_t address;
	filler->frame = frame;
	filler->is_program = dso && dso->kind == PERFDATA_DSO_BPF;
	filler->symbols = pd_session_symbols(session, frame, &address);
	filler->in_file = at ? address - at->address : 0;
	filler->time = at ? at->time : 0;
	annotation->file = dso ? dso->name : "[unknown]";
	annotation->name = pd_session_nameless_text(session, frame);
	filler->in_session = filler->nr_hits ? filler->hits[0].address : 0;
	if (perfdata_session_symbol(session, frame, UINT64_MAX, &symbol) == PERFDATA_OK) {
		annotation->name = pd_arena_copy(&filler->annotator->arena, symbol.name, strlen(symbol.name));
		filler->in_session = symbol.start;
		annotation->size = symbol.size;
		/* addresses after the end of the symbol count for the function too */
		for (size_t i = 0; i < filler->nr_hits; i++)
			if (filler->hits[i].address >= symbol.start &&
			    filler->hits[i].address - symbol.start >= annotation->size)
				annotation->size = filler->hits[i].address - symbol.start + 1;
	}
	annotation->start = filler->in_session;
	return annotation->name;
}

static enum perfdata_status make_rows(struct annotation_filler *filler, uint32_t frame)
{
	struct pd_annotation *annotation = filler->annotation;
	struct pd_code_bytes code = { .reason = "nothing is known of the file" };
	enum perfdata_status status = PERFDATA_ABSENT;
	if (annotation->size)
		status = pd_session_code(filler->annotator->session, frame, filler->in_session, annotation->size,
					 &code);
	else
		code.reason = "the function is not known";
	if (status == PERFDATA_ABSENT) {
		annotation->no_code = code.reason;
		status = PERFDATA_OK;
	} else if (status == PERFDATA_OK) {
		filler->shift = code.address - filler->in_session;
		annotation->start = code.address;
		status = decode_function(filler, &code);
	}
	pd_code_release(&code);
	return status == PERFDATA_OK && !add_hits_below(filler, UINT64_MAX) ? PERFDATA_ENOMEM : status;
}

enum perfdata_status pd_annotate(struct pd_annotator *annotator, uint32_t frame, const struct pd_annotate_hit *hits,
				 size_t nr_hits, struct pd_annotation *ret)
{
	struct annotation_filler filler = {
		.annotator = annotator, .hits = hits, .nr_hits = nr_hits, .annotation = ret
	};
	*ret = (struct pd_annotation){ 0 };
	pd_arena_reset(&annotator->arena);
	annotator->nr_rows = 0;
	uint64_t *sums = pd_arena_calloc(&annotator->arena, 1, sums_size(annotator) + 1);
	if (!sums || !describe_frame(&filler, frame))
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < nr_hits; i++)
		for (size_t k = 0; k < 2 * annotator->nr_events; k++)
			sums[k] += hits[i].sums[k];
	const enum perfdata_status status = make_rows(&filler, frame);
	set_targets(annotator, ret);
	ret->rows = annotator->rows;
	ret->nr_rows = annotator->nr_rows;
	ret->sums = sums;
	return status;
}

/* --- inlined functions -------------------------------------------------------------------------------------------- */

bool pd_annotate_has_inlined(const struct pd_annotator *annotator, uint32_t frame, const struct pd_annotate_hit *hits,
			     size_t nr_hits, pd_matches_name *matches, void *user)
{
	const struct perfdata_frame *at = perfdata_session_frame(annotator->session, frame);
	struct perfdata_source_line calls[MAX_CALLS];
	uint64_t address;
	struct perfdata_symbols_dso *symbols = pd_session_symbols(annotator->session, frame, &address);
	for (size_t i = 0; at && symbols && i < nr_hits; i++) {
		size_t nr = 0;
		if (pd_symbols_source(symbols, hits[i].address - at->address + address, calls, MAX_CALLS, &nr) !=
		    PERFDATA_OK)
			continue;
		for (size_t k = 0; k < nr && k < MAX_CALLS; k++)
			if (calls[k].inlined && calls[k].function && matches(user, calls[k].function))
				return true;
	}
	return false;
}

/* Returns the row's inlined function whose name matches; NULL: none. */
static const char *inlined_at(const struct pd_annotate_row *row, pd_matches_name *matches, void *user)
{
	for (uint32_t i = 0; i < row->nr_inlined; i++)
		if (matches(user, row->inlined[i]))
			return row->inlined[i];
	return NULL;
}

enum perfdata_status pd_annotate_keep_inlined(struct pd_annotator *annotator, struct pd_annotation *annotation,
					      pd_matches_name *matches, void *user)
{
	struct pd_annotate_row *rows = annotator->rows;
	uint32_t *kept = pd_arena_alloc(&annotator->arena, (annotator->nr_rows + 1) * sizeof *kept);
	uint64_t *sums = pd_arena_calloc(&annotator->arena, 1, sums_size(annotator) + 1);
	uint32_t nr = 0;
	if (!kept || !sums)
		return PERFDATA_ENOMEM;
	for (size_t i = 0; i < annotator->nr_rows; i++) {
		const char *name = inlined_at(&rows[i], matches, user);
		kept[i] = name ? nr : PERFDATA_NONE;
		if (!name)
			continue;
		if (!annotation->inlined)
			annotation->inlined = name;
		for (size_t k = 0; k < 2 * annotator->nr_events; k++)
			sums[k] += rows[i].sums[k];
		rows[nr++] = rows[i];
	}
	for (uint32_t i = 0; i < nr; i++)
		if (rows[i].target != PERFDATA_NONE)
			rows[i].target = kept[rows[i].target];
	annotator->nr_rows = nr;
	annotation->nr_rows = nr;
	annotation->sums = sums;
	return PERFDATA_OK;
}
