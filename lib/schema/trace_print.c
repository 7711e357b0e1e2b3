/* SPDX-License-Identifier: MIT */
/* Formats an event: runs its program over raw data. */
#include "base/checked.h"
#include "base/cursor.h"
#include "schema/trace_program.h"
#include "schema/trace.h"

static int limited_width(int64_t value)
{
	return value > PD_TRACE_WIDTH_LIMIT ? PD_TRACE_WIDTH_LIMIT : value < 0 ? -1 : (int)value;
}

static void spell_literal(struct perfdata_text *out, const struct pd_trace_piece *piece)
{
	char *at = perfdata_text_reserve(out, piece->size + PD_TRACE_COPY);

	if (!at)
		return;
	memcpy(at, piece->text, PD_TRACE_COPY);
	if (piece->size > PD_TRACE_COPY)
		memcpy(at + PD_TRACE_COPY, piece->text + PD_TRACE_COPY, piece->size - PD_TRACE_COPY);
	perfdata_text_commit(out, at + piece->size);
}

static uint64_t number_of(struct pd_trace_run *run, const struct pd_trace_piece *piece)
{
	const struct pd_trace_word *word = &piece->word;

	if (word->size && pd_range_ok(word->offset, word->size, run->raw.size))
		return pd_trace_integer(run->raw.data + word->offset, word->size, run->swap) & word->mask;
	return pd_trace_eval(run, piece->arg);
}

void pd_trace_run_piece(struct pd_trace_run *run, const struct pd_trace_piece *piece)
{
	const struct pd_trace_spec *spec = &piece->spec;
	struct pd_trace_spec starred;
	int64_t star = 0;

	if (piece->star) {
		star = (int32_t)pd_trace_eval(run, piece->star);
		starred = *spec;
		if (spec->star_width)
			starred.width = star < 0 ? 0 : limited_width(star);
		if (spec->star_precision) {
			starred.has_precision = star >= 0;
			starred.precision = limited_width(star);
		}
		spec = &starred;
	}
	switch (piece->kind) {
	case PD_PIECE_LITERAL:
		spell_literal(run->out, piece);
		break;
	case PD_PIECE_NUMBER:
		if (spec->literal)
			perfdata_text_append(run->out, piece->text, piece->size);
		else
			pd_trace_spell_number(run->out, spec, number_of(run, piece));
		break;
	case PD_PIECE_STRING:
		if (spec->literal)
			perfdata_text_append(run->out, piece->text, piece->size);
		else
			pd_trace_spell_string(run, spec, piece->arg);
		break;
	default:
		pd_trace_spell_address(run, piece, star);
	}
}

/* Prints fields as perf does if it cannot run the event's print format. */
static enum perfdata_status print_fields(const struct perfdata_trace_event *event, struct perfdata_bytes raw,
					 enum perfdata_byte_order order, struct perfdata_text *out)
{
	enum perfdata_status status = PERFDATA_OK;

	perfdata_text_literal(out, "[FAILED TO PARSE]");
	for (size_t i = event->nr_common; i < event->nr_fields; i++) {
		perfdata_text_char(out, ' ');
		perfdata_text_string(out, event->fields[i].name);
		perfdata_text_char(out, '=');
		if (pd_trace_print_field(event, &event->fields[i], raw, order, false, out) != PERFDATA_OK)
			status = PERFDATA_DAMAGED;
	}
	return status;
}

enum perfdata_status pd_trace_print(const struct perfdata_trace_event *event, struct perfdata_bytes raw,
				    const struct perfdata_trace_context *context, struct perfdata_text *out)
{
	if (!event->program)
		return print_fields(event, raw, context->order, out);

	struct pd_trace_run run = {
		.raw = raw,
		.context = context,
		.out = out,
		.swap = pd_order_is_foreign(context->order),
		.long_size = event->long_size,
	};
	const size_t start = out->size;
	for (size_t i = 0; i < event->program->nr_pieces; i++) {
		const struct pd_trace_piece *piece = &event->program->pieces[i];
		if (piece->kind == PD_PIECE_LITERAL)
			spell_literal(out, piece);
		else if (piece->kind == PD_PIECE_NUMBER && piece->spec.form)
			pd_trace_spell_quick(out, &piece->spec, number_of(&run, piece));
		else
			pd_trace_run_piece(&run, piece);
		if (out->size - start > PD_TRACE_TEXT_LIMIT(raw.size)) {
			out->size = start + PD_TRACE_TEXT_LIMIT(raw.size);
			return PERFDATA_DAMAGED;
		}
	}
	return run.damaged ? PERFDATA_DAMAGED : PERFDATA_OK;
}
