/* SPDX-License-Identifier: MIT */
/* The HTML page: style, body and script are constant; the compressed data of the recording is between them. All texts
 * of the recording are inside this data, which is base64, so that no name can become markup. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/port.h"
#include "base/sha256.h"
#include "codec/codec.h"
#include "emit/values/varint.h"
#include "emit/flame/flame_page.h"
#include "emit/flame/flamegraph.h"
#include "emit/stacks/stack_head.h"
#include "emit/stacks/stack_pack.h"
#include "emit/stacks/stack_text.h"
#include "session/session.h"
#include "text/json_quoted.h"

/* --- facts about the recording, as JSON --------------------------------------------------------------------------- */

static void write_note(void *user, const char *line)
{
	struct perfdata_text *out = user;
	if (out->size && out->data[out->size - 1] != '[')
		perfdata_text_char(out, ',');
	pd_json_text(out, line);
}

static void put_facts(struct perfdata_text *out, const struct perfdata_reader *reader)
{
	struct perfdata_text command;
	perfdata_text_init(&command);
	pd_stack_head_command(reader, &command);
	bool first = true;
	perfdata_text_literal(out, ",\"facts\":[");
	if (command.size) {
		perfdata_text_literal(out, "[\"command\",");
		perfdata_text_json_string(out, command.data, command.size);
		perfdata_text_char(out, ']');
		first = false;
	}
	out->failed |= perfdata_text_failed(&command);
	perfdata_text_release(&command);
	for (const struct stack_fact *fact = pd_stack_facts; fact->name; fact++) {
		const char *text = perfdata_reader_feature_text(reader, fact->feature);
		if (!text)
			continue;
		perfdata_text_string(out, first ? "[" : ",[");
		pd_json_text(out, fact->name);
		perfdata_text_char(out, ',');
		pd_json_text(out, text);
		perfdata_text_char(out, ']');
		first = false;
	}
	perfdata_text_char(out, ']');
}

/* Whether the event has deliveries for time off the CPU, which the page shows as a separate event. */
static bool has_waits_beside(const struct perfdata_session *session, const struct perfdata_event *event)
{
	const struct perfdata_event *waits = pd_session_off_event(session);
	return pd_session_off_cpu(session) == PERFDATA_OFF_CPU_BESIDE && waits && waits->index == event->index;
}

static void put_events(struct perfdata_text *out, const struct flamegraph *graph)
{
	const struct flame_run *run = graph->recording;
	bool first = true;
	perfdata_text_literal(out, ",\"events\":[");
	for (uint32_t i = 0; i < pd_profile_nr_events(run->profile); i++) {
		if (!pd_profile_event(run->profile, i))
			continue;
		const struct pd_profile_sums sums = pd_flame_data_event(graph->data, i);
		const struct perfdata_event *event = perfdata_reader_event(run->reader, i);
		perfdata_text_string(out, first ? "{\"name\":" : ",{\"name\":");
		pd_json_text(out, event->name);
		perfdata_text_printf(out, ",\"unit\":\"%s\",%s%s\"samples\":%" PRIu64 ",\"weight\":%" PRIu64 "}",
				     pd_stack_event_is_time(event) ? "ns" : "",
				     event->is_time_off ? "\"off\":true," : "",
				     has_waits_beside(run->session, event) ? "\"waits\":true," : "", sums.samples,
				     sums.weight);
		first = false;
	}
	perfdata_text_char(out, ']');
}

/* The strips of threads; the cells follow after all rows. */
static void put_states(struct perfdata_text *out, const struct flamegraph *graph, size_t nr_cells)
{
	if (!nr_cells)
		return;
	const int64_t at = (int64_t)(pd_flame_states_begin(graph->states) - pd_flame_data_begin(graph->data));
	perfdata_text_printf(out, ",\"states\":{\"width\":%" PRIu64 ",\"at\":%" PRId64 ",\"names\":[",
			     pd_flame_states_width(graph->states), at);
	for (unsigned i = 0; i < PD_SPAN_STATES; i++)
		perfdata_text_printf(out, "%s\"%s\"", i ? "," : "", pd_span_state_name((enum pd_span_state)i));
	perfdata_text_literal(out, "]}");
}

static void put_left_out(struct perfdata_text *out, const struct flame_data *data)
{
	struct perfdata_text line;
	uint64_t below;
	const size_t nr = pd_flame_data_left_out(data, &below);
	if (!nr)
		return;
	perfdata_text_init(&line);
	perfdata_text_printf(&line,
			     "Boxes of fewer than %" PRIu64 " samples are joined to one for each caller, [smaller "
							    "ones]",
			     below);
	perfdata_text_append(&line, "", 1);
	if (!perfdata_text_failed(&line))
		write_note(out, line.data);
	out->failed |= perfdata_text_failed(&line);
	perfdata_text_release(&line);
}

/* The last `parts` components of a path. */
static const char *end_of_path(const char *path, unsigned parts)
{
	const char *at = path + strlen(path);
	while (at > path && (at[-1] != '/' || --parts))
		at--;
	return at;
}

/* Appends the names of runs. */
static void spell_runs(struct perfdata_text *names, const struct flame_run *runs, size_t nr, unsigned parts)
{
	for (size_t i = 0; i < nr; i++) {
		perfdata_text_string(names, i ? ", " : "");
		perfdata_text_string(names, end_of_path(perfdata_reader_header(runs[i].reader)->name, parts));
	}
}

/* The names of both sides, with their folders if the names are equal. */
static void put_runs(struct perfdata_text *out, const struct flamegraph *graph)
{
	struct perfdata_text own, base;
	perfdata_text_init(&own);
	perfdata_text_init(&base);
	for (unsigned parts = 1; parts <= 2; parts++) {
		perfdata_text_clear(&own);
		perfdata_text_clear(&base);
		spell_runs(&own, graph->recording, graph->nr_runs, parts);
		spell_runs(&base, graph->bases, graph->nr_bases, parts);
		if (own.size != base.size || (own.size && memcmp(own.data, base.data, own.size) != 0))
			break;
	}
	perfdata_text_literal(out, "{\"title\":");
	perfdata_text_json_string(out, own.data, own.size);
	perfdata_text_literal(out, ",\"base\":");
	if (graph->nr_bases)
		perfdata_text_json_string(out, base.data, base.size);
	else
		perfdata_text_literal(out, "null");
	out->failed |= perfdata_text_failed(&own) || perfdata_text_failed(&base);
	perfdata_text_release(&own);
	perfdata_text_release(&base);
}

static void put_without_strip(struct perfdata_text *out, const struct flamegraph *graph)
{
	const size_t nr = graph->states ? pd_flame_states_left_out(graph->states) : 0;
	char line[96];
	if (!nr)
		return;
	snprintf(line, sizeof line, "%zu threads have no strip of states, since there are too many threads", nr);
	write_note(out, line);
}

static void put_meta(struct perfdata_text *out, const struct flamegraph *graph, size_t nr_cells)
{
	uint64_t width;
	const uint32_t bins = pd_flame_data_bins(graph->data, &width);
	put_runs(out, graph);
	put_facts(out, graph->recording->reader);
	put_events(out, graph);
	perfdata_text_literal(out, ",\"time\":");
	if (bins)
		perfdata_text_printf(out, "{\"bins\":%" PRIu32 ",\"width\":%" PRIu64 "}", bins, width);
	else
		perfdata_text_literal(out, "null");
	put_states(out, graph, nr_cells);
	perfdata_text_literal(out, ",\"warnings\":[");
	pd_stack_head_warnings(graph->end, write_note, out);
	put_left_out(out, graph->data);
	put_without_strip(out, graph);
	for (size_t i = 0; i < graph->nr_unmatched; i++)
		write_note(out, graph->unmatched[i]);
	perfdata_text_literal(out, "]}");
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

/* The page has columns for groups of rows (thread, name, CPU, bin and number of rows), then columns for rows. */
enum { GROUP_COLUMNS = 5, ROW_COLUMNS = 3 };

struct columns {
	struct stack_pack pack;
	struct perfdata_text text;   /* text that is not compressed yet */
	struct perfdata_text groups[GROUP_COLUMNS], rows[ROW_COLUMNS];
	uint64_t nr_groups, nr_rows;
};

static void flush_columns(struct columns *columns)
{
	pd_stack_pack_write(&columns->pack, columns->text.data, columns->text.size);
	columns->pack.failed |= perfdata_text_failed(&columns->text);
	perfdata_text_clear(&columns->text);
}

static void put_number(struct columns *columns, uint64_t value)
{
	pd_text_varint(&columns->text, value);
	if (columns->text.size > 65536)
		flush_columns(columns);
}

static void put_sized(struct columns *columns, const struct perfdata_text *text)
{
	put_number(columns, text->size);
	flush_columns(columns);
	pd_stack_pack_write(&columns->pack, text->data, text->size);
	columns->pack.failed |= perfdata_text_failed(text);
}

static void put_names(struct columns *columns, const struct stack_labels *labels)
{
	struct perfdata_text names;
	perfdata_text_init(&names);
	for (uint32_t i = 0; i < pd_stack_labels_nr_strings(labels); i++) {
		if (i)
			perfdata_text_char(&names, '\0');
		perfdata_text_string(&names, pd_stack_labels_string(labels, i));
	}
	put_sized(columns, &names);
	perfdata_text_release(&names);
}

static void put_labels(struct columns *columns, const struct stack_labels *labels)
{
	const uint32_t nr = pd_stack_labels_nr(labels);
	put_number(columns, nr);
	for (unsigned column = 0; column < 5; column++) {
		for (uint32_t i = 0; i < nr; i++) {
			const struct stack_label *label = pd_stack_labels_get(labels, i);
			const uint32_t values[] = { label->name, label->file, (uint32_t)label->kind, label->source,
						    label->line };
			put_number(columns, values[column]);
		}
	}
}

static void put_tree(struct columns *columns, struct stack_tree *tree)
{
	put_number(columns, tree->nr);
	for (uint32_t i = 0; i < tree->nr; i++) {
		const uint32_t parent = pd_stack_tree_parent(tree, i);
		put_number(columns, parent == STACK_NO_NODE ? i + 1 : i - parent);
	}
	for (uint32_t i = 0; i < tree->nr; i++)
		put_number(columns, pd_stack_tree_label(tree, i));
}

static void put_threads(struct columns *columns, const struct flame_data *data)
{
	size_t nr;
	const struct flame_thread *threads = pd_flame_data_threads(data, &nr);
	put_number(columns, nr);
	for (unsigned column = 0; column < 3; column++) {
		for (size_t i = 0; i < nr; i++) {
			/* 0 means unknown (-1) */
			const uint32_t values[] = { (uint32_t)threads[i].pid + 1, (uint32_t)threads[i].tid + 1,
						    pd_flame_data_thread_comm(data, i) };
			put_number(columns, values[column]);
		}
	}
}

static void take_rows(void *user, const struct flame_row *rows, size_t nr)
{
	struct columns *columns = user;
	const uint64_t group[GROUP_COLUMNS] = { rows[0].thread, rows[0].comm,
						rows[0].cpu == PERFDATA_NONE ? 0 : rows[0].cpu + UINT64_C(1),
						rows[0].bin, nr };
	uint32_t node = 0;
	for (unsigned column = 0; column < GROUP_COLUMNS; column++)
		pd_text_varint(&columns->groups[column], group[column]);
	for (size_t i = 0; i < nr; i++) {
		pd_text_varint(&columns->rows[0], rows[i].node - node);
		pd_text_varint(&columns->rows[1], rows[i].samples);
		pd_text_varint(&columns->rows[2], rows[i].weight);
		node = rows[i].node;
	}
	columns->nr_groups++;
	columns->nr_rows += nr;
}

static void pack_column(struct columns *columns, struct perfdata_text *text)
{
	pd_stack_pack_write(&columns->pack, text->data, text->size);
	columns->pack.failed |= perfdata_text_failed(text);
	perfdata_text_clear(text);
}

static enum perfdata_status put_rows(struct columns *columns, struct flamegraph *graph, unsigned side, uint32_t event)
{
	columns->nr_groups = columns->nr_rows = 0;
	const enum perfdata_status status = pd_flame_data_rows(graph->data, side, event, take_rows, columns);
	put_number(columns, columns->nr_groups);
	put_number(columns, columns->nr_rows);
	flush_columns(columns);
	for (unsigned column = 0; column < GROUP_COLUMNS; column++)
		pack_column(columns, &columns->groups[column]);
	for (unsigned column = 0; column < ROW_COLUMNS; column++)
		pack_column(columns, &columns->rows[column]);
	return status;
}

static uint32_t thread_in_page(void *user, uint32_t thread)
{
	return pd_flame_data_thread_of(user, thread);
}

/* A cell is stored as the differences of thread, cell and state to the cell before, and its time. Each thread begins at
 * cell 0. */
static void put_cells(struct columns *columns, const struct flame_state_cell *cells, size_t nr)
{
	uint32_t thread = 0, cell = 0;
	put_number(columns, nr);
	for (size_t i = 0; i < nr; i++) {
		put_number(columns, cells[i].thread - thread);
		cell = cells[i].thread != thread ? 0 : cell;
		put_number(columns, cells[i].cell - cell);
		put_number(columns, (uint64_t)cells[i].state);
		put_number(columns, cells[i].time);
		thread = cells[i].thread;
		cell = cells[i].cell;
	}
}

static enum perfdata_status put_columns(struct columns *columns, struct flamegraph *graph)
{
	enum perfdata_status status = PERFDATA_OK;
	struct perfdata_text meta;
	size_t nr_cells = 0;
	const struct flame_state_cell *cells =
		graph->states ? pd_flame_states_cells(graph->states, thread_in_page, graph->data, &nr_cells) : NULL;
	if (graph->states && !cells)
		return PERFDATA_ENOMEM;
	perfdata_text_init(&meta);
	put_meta(&meta, graph, nr_cells);
	put_sized(columns, &meta);
	perfdata_text_release(&meta);
	put_names(columns, pd_flame_data_labels(graph->data));
	put_labels(columns, pd_flame_data_labels(graph->data));
	put_threads(columns, graph->data);
	put_tree(columns, pd_flame_data_tree(graph->data));
	const struct pd_profile *profile = graph->recording->profile;
	for (uint32_t i = 0; i < pd_profile_nr_events(profile) && status == PERFDATA_OK; i++) {
		if (!pd_profile_event(profile, i))
			continue;
		status = put_rows(columns, graph, 0, i);
		if (status == PERFDATA_OK && graph->nr_bases)
			status = put_rows(columns, graph, 1, i);
	}
	if (PD_OPENS_OTHER_RECORDINGS && status == PERFDATA_OK && graph->nr_bases) {
		struct perfdata_text changes;
		perfdata_text_init(&changes);
		status = pd_flamegraph_changes(graph, &changes);
		put_sized(columns, &changes);
		perfdata_text_release(&changes);
	}
	if (status == PERFDATA_OK && nr_cells)
		put_cells(columns, cells, nr_cells);
	return status;
}

static enum perfdata_status put_data(struct flamegraph *graph, struct perfdata_text *out)
{
	struct columns columns = { .nr_rows = 0 };
	perfdata_text_init(&columns.text);
	for (unsigned column = 0; column < GROUP_COLUMNS; column++)
		perfdata_text_init(&columns.groups[column]);
	for (unsigned column = 0; column < ROW_COLUMNS; column++)
		perfdata_text_init(&columns.rows[column]);
	enum perfdata_status status = PERFDATA_ENOMEM;
	if (pd_stack_pack_begin(&columns.pack, out, true, 1)) {
		status = put_columns(&columns, graph);
		flush_columns(&columns);
		if (!pd_stack_pack_end(&columns.pack) && status == PERFDATA_OK)
			status = PERFDATA_ENOMEM;
	}
	perfdata_text_release(&columns.text);
	for (unsigned column = 0; column < GROUP_COLUMNS; column++)
		perfdata_text_release(&columns.groups[column]);
	for (unsigned column = 0; column < ROW_COLUMNS; column++)
		perfdata_text_release(&columns.rows[column]);
	return status;
}

/* The annotated functions, compressed like the data: see doc/viewers.md. */
static enum perfdata_status put_annotations(const struct flamegraph *graph, struct perfdata_text *out)
{
	struct stack_pack pack;
	struct perfdata_text document;
	perfdata_text_init(&document);
	enum perfdata_status status = pd_flamegraph_annotate(graph, &document);
	if (status == PERFDATA_OK && !pd_stack_pack_begin(&pack, out, true, 1)) {
		status = PERFDATA_ENOMEM;
	} else if (status == PERFDATA_OK) {
		pd_stack_pack_write(&pack, document.data, document.size);
		if (!pd_stack_pack_end(&pack))
			status = PERFDATA_ENOMEM;
	}
	perfdata_text_release(&document);
	return status;
}

static bool unpack_files(uint8_t *out, size_t size)
{
	struct pd_decoder *decoder = pd_decoder_new(PD_CODEC_GZIP);
	size_t in_used = 0, out_used = 0;
	enum perfdata_status status = decoder ? PERFDATA_OK : PERFDATA_ENOMEM;
	while (!status && out_used < size)
		status = pd_decoder_run(decoder, pd_flame_page, pd_flame_page_stored, &in_used, out, size, &out_used);
	pd_decoder_free(decoder);
	return out_used == size;
}

/* Style, body and script, one after the other. False without memory. */
static bool load_files(struct perfdata_text *out)
{
	const size_t size = pd_flame_page_css + pd_flame_page_body + pd_flame_page_script;
	char *at = perfdata_text_reserve(out, size);
	if (!at)
		return false;
	if (pd_flame_page_stored == size)
		memcpy(at, pd_flame_page, size);
	else if (!unpack_files((uint8_t *)at, size))
		return false;
	perfdata_text_commit(out, at + size);
	return true;
}

static enum perfdata_status put_page(struct flamegraph *graph, const char *css, struct perfdata_text *out)
{
	const char *body = css + pd_flame_page_css, *script = body + pd_flame_page_body;
	uint8_t digest[PD_SHA256_SIZE];
	pd_sha256(script, pd_flame_page_script, digest);
	perfdata_text_literal(
		out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-");
	pd_stack_text_base64(out, digest, sizeof digest);
	perfdata_text_literal(out,
			      "'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
			      "<link rel=\"icon\" href=\"data:,\"><title>flame graph</title>\n<style>\n");
	perfdata_text_append(out, css, pd_flame_page_css);
	perfdata_text_literal(out, "</style></head>\n");
	perfdata_text_append(out, body, pd_flame_page_body);
	perfdata_text_literal(out, "<script id=\"data\" type=\"text/plain\">");
	enum perfdata_status status = put_data(graph, out);
	if (status == PERFDATA_OK && graph->nr_annotated) {
		perfdata_text_literal(out, "</script>\n<script id=\"annotations\" type=\"text/plain\">");
		status = put_annotations(graph, out);
	}
	perfdata_text_literal(out, "</script>\n<script>");
	perfdata_text_append(out, script, pd_flame_page_script);
	perfdata_text_literal(out, "</script></body></html>\n");
	return status;
}

enum perfdata_status pd_flamegraph_page(struct flamegraph *graph, struct perfdata_text *out)
{
	struct perfdata_text files;
	perfdata_text_init(&files);
	const enum perfdata_status status = load_files(&files) ? put_page(graph, files.data, out) : PERFDATA_ENOMEM;
	perfdata_text_release(&files);
	return status;
}
