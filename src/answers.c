/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "perfdata/registry.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "answers.h"
#include "file_rows_json.h"
#include "perfdata/emit.h"
#include "interrupt.h"
#include "print.h"

/* --- JSON --------------------------------------------------------------------------------------------------------- */

/* Lets the ndjson emitter spell its first and last line, so that both documents have the same keys. */
json_object *answer_document(struct input *input, struct perfdata_session *session)
{
	const struct perfdata_emitter *emitter = perfdata_registry_find(NULL, "ndjson");
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	bool reads_no_stacks;
	const struct perfdata_emit_context context = {
		.size = sizeof context, .reader = input->reader, .session = session, .on_finding = messages_finding,
		.user = &input->messages, .reterr = &error, .reads_no_stacks = &reads_no_stacks,
	};
	struct perfdata_emit_end end = { .summary = perfdata_session_summary(session), .status = PERFDATA_OK };
	struct perfdata_text meta, summary;
	void *state = NULL;
	perfdata_text_init(&meta);
	perfdata_text_init(&summary);
	enum perfdata_status status = emitter->begin(&context, &state, &meta);
	end.findings = messages_kept(&input->messages, &end.nr_findings, &end.findings_total);
	end.complete = end.summary->complete && input->code == EXIT_FINE;
	if (status == PERFDATA_OK)
		status = emitter->end(state, &end, &summary);
	if (state)
		emitter->release(state);
	if (status == PERFDATA_OK && (perfdata_text_failed(&meta) || perfdata_text_failed(&summary)))
		status = PERFDATA_ENOMEM;

	json_object *document = NULL;
	if (status == PERFDATA_OK) {
		document = json_new_object();
		json_add(document, "meta", json_parse(meta.data, meta.size));
		json_add(document, "summary", json_parse(summary.data, summary.size));
	}
	if (json_has_failed()) {
		json_object_put(document);
		document = NULL;
		status = PERFDATA_ENOMEM;
	}
	input_ended(input, status, &error);
	perfdata_text_release(&meta);
	perfdata_text_release(&summary);
	return document;
}

/* Parses JSON text and releases the text. NULL after a failure, which is already reported. */
static json_object *parse_spelled(struct input *input, struct perfdata_text *spelled)
{
	json_object *object = perfdata_text_failed(spelled) ? NULL : json_parse(spelled->data, spelled->size);
	if (!object)
		input_ended(input, PERFDATA_ENOMEM, NULL);
	perfdata_text_release(spelled);
	return object;
}

json_object *answer_json_text(struct input *input, const char *text)
{
	json_object *string = json_of_path(text);
	if (!string)
		input_ended(input, PERFDATA_ENOMEM, NULL);
	return string;
}

json_object *answer_json_finding(struct input *input, const struct perfdata_finding *finding)
{
	struct perfdata_text spelled;
	perfdata_text_init(&spelled);
	perfdata_text_finding(&spelled, finding, false);
	return parse_spelled(input, &spelled);
}

void answer_print(struct input *input, json_object *document, bool several)
{
	const char *text = json_spell(document, several);
	if (!text)
		input_ended(input, PERFDATA_ENOMEM, NULL);
	else if (input->error.status != PERFDATA_ENOMEM)
		print_line(text);
	json_object_put(document);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

#define LIST_SHOWN 16
#define BYTES_SHOWN 32

void answer_text(struct perfdata_text *out, const char *text) { perfdata_text_printable(out, text, strlen(text)); }

uint64_t answer_readings(const struct perfdata_summary *summary)
{
	uint64_t readings = 0;
	for (size_t i = 0; i < summary->nr_types; i++) {
		const struct perfdata_type_count *type = perfdata_summary_type(summary, i);
		readings += type->type == PERFDATA_RECORD_STAT ? type->records : 0;
	}
	return readings;
}

void answer_seconds(struct perfdata_text *out, uint64_t ns)
{
	perfdata_text_printf(out, "%" PRIu64 ".%09" PRIu64 " s", ns / 1000000000, ns % 1000000000);
}

void answer_flush(struct input *input, struct perfdata_text *out)
{
	if (perfdata_text_failed(out))
		input_ended(input, PERFDATA_ENOMEM, NULL);
	else if (out->size)
		print_answer(out->data, out->size);
	perfdata_text_release(out);
}

static bool is_signed(enum perfdata_kind kind) { return kind == PERFDATA_KIND_S32 || kind == PERFDATA_KIND_S64; }

static bool is_scalar(const struct perfdata_node *node)
{
	return node->kind != PERFDATA_KIND_STRUCT && node->kind != PERFDATA_KIND_LIST;
}

/* The name of the node's row; NULL: none. */
static const char *name_of(const struct perfdata_node *node)
{
	return node->field ? perfdata_field_name(node->field) : NULL;
}

static const char *unit_of(const struct perfdata_field *field)
{
	static const char *const units[] = { "", " ns", " bytes", " kB", " ms", " cycles" };
	const size_t unit = perfdata_field_unit(field);
	return unit < sizeof units / sizeof *units ? units[unit] : "";
}

static void show_bytes(struct perfdata_text *out, struct perfdata_bytes bytes)
{
	perfdata_text_bytes_hex(out, bytes.data, bytes.size < BYTES_SHOWN ? bytes.size : BYTES_SHOWN);
	if (bytes.size > BYTES_SHOWN)
		perfdata_text_printf(out, "… (%zu bytes)", bytes.size);
}

static bool bit_is_set(struct perfdata_bytes bytes, size_t n) { return bytes.data[n / 8] >> n % 8 & 1; }

/* Appends the set bits as "0-23,32-199". */
static void show_bitmap(struct perfdata_text *out, struct perfdata_bytes bytes)
{
	const char *comma = "";
	for (size_t n = 0; n < bytes.size * 8; n++) {
		if (!bit_is_set(bytes, n))
			continue;
		size_t last = n;
		while (last + 1 < bytes.size * 8 && bit_is_set(bytes, last + 1))
			last++;
		perfdata_text_printf(out, last > n ? "%s%zu-%zu" : "%s%zu", comma, n, last);
		comma = ",";
		n = last;
	}
}

static void show_integer(struct perfdata_text *out, const struct perfdata_node *node,
			 const struct perfdata_field *field)
{
	const enum perfdata_show show = field ? perfdata_field_show(field) : PERFDATA_SHOW_DEC;
	const char *name = show == PERFDATA_SHOW_ENUM ? perfdata_name_of(perfdata_field_names(field), node->v.u)
						      : NULL;
	if (name)
		perfdata_text_string(out, name);
	else if (show == PERFDATA_SHOW_BOOL)
		perfdata_text_string(out, node->v.u ? "yes" : "no");
	else if (show != PERFDATA_SHOW_DEC)
		perfdata_text_printf(out, "0x%" PRIx64, node->v.u);
	else if (is_signed(node->kind))
		perfdata_text_s64(out, (int64_t)node->v.u);
	else
		perfdata_text_u64(out, node->v.u);
	if (field)
		perfdata_text_string(out, unit_of(field));
}

static void show_scalar(struct perfdata_text *out, const struct perfdata_node *node, const struct perfdata_field *field)
{
	switch (node->kind) {
	case PERFDATA_KIND_STRING:
		perfdata_text_printable(out, node->v.bytes.data, node->v.bytes.size);
		break;
	case PERFDATA_KIND_BYTES:
		show_bytes(out, node->v.bytes);
		break;
	case PERFDATA_KIND_BITMAP:
		show_bitmap(out, node->v.bytes);
		break;
	case PERFDATA_KIND_F64:
		perfdata_text_double(out, node->v.f);
		break;
	case PERFDATA_KIND_ATTR:
		perfdata_text_literal(out, "(see perfdata events)");
		break;
	default:
		show_integer(out, node, field);
	}
}

static void show_nodes(struct perfdata_text *out, const struct perfdata_node *node, unsigned depth, bool all);

/* Appends the plain values of a part on one line, and its lists and nested parts below that line. */
static void show_part(struct perfdata_text *out, const struct perfdata_node *part, unsigned depth, bool all)
{
	const char *comma = "";
	for (const struct perfdata_node *node = part->child; node; node = node->next) {
		if (!is_scalar(node))
			continue;
		perfdata_text_string(out, comma);
		if (name_of(node)) {
			perfdata_text_string(out, name_of(node));
			perfdata_text_char(out, ' ');
		}
		show_scalar(out, node, node->field);
		comma = ", ";
	}
	perfdata_text_char(out, '\n');
	for (const struct perfdata_node *node = part->child; node; node = node->next)
		if (!is_scalar(node))
			show_nodes(out, node, depth + 1, all);
}

static void show_list(struct perfdata_text *out, const struct perfdata_node *list, unsigned depth, bool all)
{
	uint64_t left = all ? UINT64_MAX : LIST_SHOWN;
	uint64_t shown = 0;
	const bool parts = list->child && !is_scalar(list->child);
	for (const struct perfdata_node *node = list->child; node && left; node = node->next, left--, shown++) {
		if (parts) {
			perfdata_text_char(out, '\n');
			perfdata_text_fill(out, ' ', 2 * (size_t)depth + 2);
			perfdata_text_literal(out, "- ");
			show_part(out, node, depth + 1, all);
			out->size--;   /* the next entry, or the end, writes the newline */
		} else {
			perfdata_text_string(out, shown ? ", " : " ");
			show_scalar(out, node, list->field);
		}
	}
	if (shown < list->v.count) {
		if (parts) {
			perfdata_text_char(out, '\n');
			perfdata_text_fill(out, ' ', 2 * (size_t)depth + 2);
		}
		perfdata_text_printf(out, "%s… %" PRIu64 " more (-v shows all)", parts ? "" : ", ",
				     list->v.count - shown);
	}
	perfdata_text_char(out, '\n');
}

/* Appends a named node as one line, or as a headline with lines below. */
static void show_nodes(struct perfdata_text *out, const struct perfdata_node *node, unsigned depth, bool all)
{
	perfdata_text_fill(out, ' ', 2 * (size_t)depth);
	perfdata_text_string(out, name_of(node) ? name_of(node) : "");
	perfdata_text_char(out, ':');
	if (node->kind == PERFDATA_KIND_LIST) {
		show_list(out, node, depth, all);
	} else if (node->kind == PERFDATA_KIND_STRUCT) {
		perfdata_text_char(out, ' ');
		show_part(out, node, depth, all);
	} else {
		perfdata_text_char(out, ' ');
		show_scalar(out, node, node->field);
		perfdata_text_char(out, '\n');
	}
}

void answer_feature(struct perfdata_text *out, const struct perfdata_feature_section *section, bool all)
{
	const struct perfdata_layout *layout = perfdata_feature_layout(section->id);
	const struct perfdata_node *root = section->feature ? perfdata_feature_root(section->feature) : NULL;
	const struct perfdata_node *only = root && root->child && !root->child->next ? root->child : NULL;
	char number[24] = "";
	if (!layout)
		snprintf(number, sizeof number, "feature %" PRIu32, section->id);
	const char *name = layout ? perfdata_layout_name(layout) : number;
	perfdata_text_literal(out, "  ");
	perfdata_text_string(out, name);
	perfdata_text_char(out, ':');
	if (!root || section->id == PERFDATA_FEATURE_TRACING_DATA) {
		perfdata_text_printf(out, " %" PRIu64 " bytes%s\n", section->size, root ? "" : ", cannot be read");
	} else if (!root->child) {
		perfdata_text_literal(out, " empty\n");
	} else if (only && only->kind == PERFDATA_KIND_LIST && !strcmp(name_of(only), name)) {
		show_list(out, only, 1, all);
	} else if (only && is_scalar(only)) {
		perfdata_text_char(out, ' ');
		show_scalar(out, only, only->field);
		perfdata_text_char(out, '\n');
	} else {
		perfdata_text_char(out, ' ');
		show_part(out, root, 1, all);
	}
}

/* --- each input --------------------------------------------------------------------------------------------------- */

void answer_headline(struct input *input, const struct options *options)
{
	struct perfdata_text text;
	if (options->files.nr < 2)
		return;
	perfdata_text_init(&text);
	perfdata_text_string(&text, input->file == options->files.values[0] ? "==> " : "\n==> ");
	answer_text(&text, input->file);
	perfdata_text_literal(&text, " <==\n");
	answer_flush(input, &text);
}

enum exit_code answer_each(struct options *options, enum perfdata_record_order order,
			   void (*answer)(const struct options *options, struct input *input))
{
	if (!inputs_find(options))
		return EXIT_USAGE;
	enum exit_code code = EXIT_FINE;
	/* with two processors, passing records between threads costs more time than reading them ahead saves */
	const unsigned ahead = INPUT_BYTES_AHEAD |
			       (order == PERFDATA_ORDER_TIME && perfdata_processors() > 2 ? INPUT_RECORDS_AHEAD : 0u);
	interrupt_catch();
	for (size_t i = 0; i < options->files.nr && !was_interrupted(); i++) {
		struct input input;
		const bool opened = input_open(&input, options, options->files.values[i], order, ahead);
		if (!options->json && !options->tsv)
			answer_headline(&input, options);
		if (opened)
			answer(options, &input);
		fflush(stdout);
		code = exit_code_join(code, input_close(&input, options));
	}
	return was_interrupted() ? exit_code_join(code, EXIT_INTERRUPTED) : code;
}
