/* SPDX-License-Identifier: MIT */
/* perfdata buildids: the files of a recording, their build-ids, the sources of the build-ids, and the number of samples
 * in each file. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "answers.h"
#include "commands.h"
#include "file_rows.h"
#include "frame_hits.h"
#include "grow.h"

/* A file in the answer. */
struct mapped {
	const char *filename;
	const char *sort_name;
	struct perfdata_bytes build_id;
	enum perfdata_dso_kind kind;
	unsigned sources;        /* bits of enum perfdata_build_id_source */
	int32_t pid;             /* -1: none */
	uint64_t maps, samples;
	bool has_false_id;       /* the kernel marked device and inode as a build-id */
	bool in_chain;
	bool of_guest;           /* of a guest, by the header's table */
};

struct hits {
	const struct perfdata_session *session;
	struct mapped *list;     /* by dso id; then files of the header's table without a map */
	size_t nr, room;
	struct frame_hits by_frame;
	uint64_t outside;        /* samples in no file */
	bool asked;              /* an event has the attr bit build_id: the recorder asked for build-ids */
	bool has_table;
	bool failed;
};

static struct mapped *mapped_at(struct hits *hits, size_t index)
{
	if (!grow_list(&hits->list, &hits->room, index, sizeof *hits->list)) {
		hits->failed = true;
		return NULL;
	}
	if (index >= hits->nr)
		hits->nr = index + 1;
	return &hits->list[index];
}

static struct mapped *mapped_of_frame(struct hits *hits, uint32_t frame)
{
	const struct perfdata_frame *place = frame == PERFDATA_NONE ? NULL
								    : perfdata_session_frame(hits->session, frame);
	return place && place->dso != PERFDATA_NONE ? mapped_at(hits, place->dso) : NULL;
}

static void take_frames(struct hits *hits)
{
	const struct frame_hits *by_frame = &hits->by_frame;
	hits->outside = by_frame->outside;
	hits->failed |= by_frame->failed;
	for (uint32_t frame = 0; frame < by_frame->room; frame++) {
		struct mapped *mapped = by_frame->at[frame] ? mapped_of_frame(hits, frame) : NULL;
		if (mapped)
			mapped->samples += by_frame->at[frame];
		else
			hits->outside += by_frame->at[frame];
	}
}

static void take_batch(void *user, const struct perfdata_batch *batch)
{
	struct hits *hits = user;
	hits->session = batch->session;
	frame_hits_take(&hits->by_frame, batch);
}

static void take_dsos(struct hits *hits, const struct perfdata_session *session, bool as_perf)
{
	const uint32_t nr = perfdata_session_nr_dsos(session);
	for (uint32_t id = 0; id < nr && !hits->failed; id++) {
		const struct perfdata_dso *dso = perfdata_session_dso(session, id);
		struct mapped *mapped = mapped_at(hits, id);
		enum perfdata_build_id_source source = 0;
		if (!mapped)
			return;
		mapped->filename = dso->long_name;
		mapped->kind = dso->kind;
		mapped->pid = dso->pid;
		mapped->build_id = perfdata_session_build_id(session, id, &source);
		if (as_perf && !mapped->build_id.size)
			mapped->build_id = perfdata_session_false_build_id(session, id);
		mapped->sources = mapped->build_id.size ? (unsigned)source : 0;
		mapped->has_false_id = perfdata_session_false_build_id(session, id).size > 0;
		mapped->maps = perfdata_session_nr_maps(session, id);
		mapped->in_chain = perfdata_session_in_chain(session, id);
	}
}

static bool same_bytes(struct perfdata_bytes a, struct perfdata_bytes b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static bool is_of_guest(const struct perfdata_node *misc)
{
	const uint64_t cpumode = misc ? misc->v.u & PERFDATA_CPUMODE_MASK : 0;
	return cpumode == PERFDATA_CPUMODE_GUEST_KERNEL || cpumode == PERFDATA_CPUMODE_GUEST_USER;
}

/* Adds the header's build-id table, which also names files without a map. */
static void take_table(struct hits *hits, const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_BUILD_ID);
	const struct perfdata_node *root = section && section->feature ? perfdata_feature_root(section->feature) : NULL;
	const struct perfdata_node *node = root && root->child ? root->child->child : NULL;
	const size_t nr_dsos = hits->nr;
	const bool pipe = perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE;
	for (; node && !hits->failed; node = node->next) {
		const struct perfdata_node *filename = perfdata_node_get(node, "filename");
		const struct perfdata_node *build_id = perfdata_node_get(node, "build_id");
		const bool of_guest = is_of_guest(perfdata_node_get(node, "misc"));
		bool known = !filename || !build_id || !filename->v.bytes.size;
		for (size_t i = 0; i < nr_dsos && !known; i++) {
			struct mapped *mapped = &hits->list[i];
			known = strlen(mapped->filename) == filename->v.bytes.size &&
				!memcmp(mapped->filename, filename->v.bytes.data, filename->v.bytes.size) &&
				same_bytes(mapped->build_id, build_id->v.bytes);
			if (known)
				mapped->of_guest = of_guest;
			if (known)
				mapped->sources |= pipe ? PERFDATA_BUILD_ID_RECORD : PERFDATA_BUILD_ID_HEADER;
		}
		struct mapped *mapped = known ? NULL : mapped_at(hits, hits->nr);
		if (!mapped)
			continue;
		const struct perfdata_node *pid = perfdata_node_get(node, "pid");
		mapped->filename = strndup((const char *)filename->v.bytes.data, filename->v.bytes.size);
		mapped->build_id = build_id->v.bytes;
		mapped->of_guest = of_guest;
		mapped->sources = pipe ? PERFDATA_BUILD_ID_RECORD : PERFDATA_BUILD_ID_HEADER;
		mapped->pid = pid ? (int32_t)pid->v.u : -1;
		hits->failed |= !mapped->filename;
	}
}

static int compare_hits(const void *left, const void *right)
{
	const struct mapped *a = left, *b = right;
	const int names = strcmp(a->sort_name, b->sort_name);
	if (names || a->build_id.size != b->build_id.size)
		return names ? names : (a->build_id.size > b->build_id.size) - (a->build_id.size < b->build_id.size);
	const int ids = a->build_id.size ? memcmp(a->build_id.data, b->build_id.data, a->build_id.size) : 0;
	return ids ? ids : (a->pid > b->pid) - (a->pid < b->pid);
}

/* Sorts by samples, most first; then by name. */
static int compare_samples(const void *left, const void *right)
{
	const struct mapped *a = left, *b = right;
	return a->samples != b->samples ? (a->samples < b->samples ? 1 : -1) : compare_hits(left, right);
}

/* Joins dsos that are one file for the user, for example with and without an inode. The list has to be sorted. */
static void join_equals(struct hits *hits)
{
	size_t kept = 0;
	for (size_t i = 0; i < hits->nr; i++) {
		struct mapped *last = kept ? &hits->list[kept - 1] : NULL;
		if (!last || compare_hits(last, &hits->list[i]) != 0) {
			hits->list[kept++] = hits->list[i];
			continue;
		}
		last->sources |= hits->list[i].sources;
		last->maps += hits->list[i].maps;
		last->samples += hits->list[i].samples;
		last->in_chain |= hits->list[i].in_chain;
	}
	hits->nr = kept;
}

/* --- the answers -------------------------------------------------------------------------------------------------- */

static const struct { unsigned source; const char *name;
} sources[] = {
	{ PERFDATA_BUILD_ID_MMAP2, "mmap2" },
	{ PERFDATA_BUILD_ID_RECORD, "record" },
	{ PERFDATA_BUILD_ID_HEADER, "header" },
};
#define NR_SOURCES (sizeof sources / sizeof *sources)

static bool begins_with(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static bool ends_with(const char *text, const char *with)
{
	const size_t size = strlen(text), tail = strlen(with);
	return size >= tail && !strcmp(text + size - tail, with);
}

/* Returns why a file has no build-id, as far as the recording says; NULL for a file with a build-id. */
static const char *why_none(const struct hits *hits, const struct mapped *mapped)
{
	const char *name = mapped->filename;
	if (mapped->build_id.size)
		return NULL;
	if (mapped->has_false_id)
		return "the kernel marked device and inode as a build-id (W119)";
	switch (mapped->kind) {
	case PERFDATA_DSO_VDSO: return "the kernel records none for the vdso";
	case PERFDATA_DSO_PERF_MAP:
	case PERFDATA_DSO_JITDUMP: return "code of a JIT compiler";
	case PERFDATA_DSO_BPF: return "a BPF program has a tag instead";
	case PERFDATA_DSO_KERNEL:
	case PERFDATA_DSO_MODULE: return hits->has_table ? "not in the header's table" : "the recording has no table";
	case PERFDATA_DSO_USER:
	case PERFDATA_DSO_STATE:
	case PERFDATA_DSO_NONE: break;
	}
	if (begins_with(name, "//anon") || begins_with(name, "[anon"))
		return "anonymous memory, or code that was moved to huge pages";
	if (mapped->kind == PERFDATA_DSO_NONE || *name == '[')
		return "memory, no file";
	if (begins_with(name, "/memfd:") || begins_with(name, "/dev/") || begins_with(name, "/SYSV") ||
	    begins_with(name, "anon_inode:"))
		return "not a file of a file system";
	if (ends_with(name, " (deleted)"))
		return "it was deleted before the recorder read it";
	if (hits->asked)
		return "the kernel found none: no ELF file, no build-id in it, or not in memory";
	return hits->has_table ? "not in the header's table"
			       : "perf recorded without build-ids, and without a table of them";
}

static void note_recorder(struct hits *hits, const struct perfdata_reader *reader)
{
	hits->has_table = perfdata_reader_feature(reader, PERFDATA_FEATURE_BUILD_ID) != NULL;
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		hits->asked |= perfdata_reader_event(reader, i)->attr->flags >> PERFDATA_ATTR_BUILD_ID & 1;
}

/* Shows files that have a build-id or were hit; with -v all files, with --with-hits only files with samples. */
static bool is_shown(const struct mapped *mapped, const struct options *options)
{
	const bool hit = mapped->samples || mapped->in_chain;
	if (options->with_hits)
		return mapped->samples != 0;
	return mapped->build_id.size || hit || options->style.verbose;
}

static void show_text(const struct options *options, struct input *input, const struct hits *hits)
{
	struct perfdata_text out;
	uint64_t hidden = 0;
	perfdata_text_init(&out);
	perfdata_text_printf(&out, "%-40s %-20s %-8s %8s %10s  %s\n", "BUILD-ID", "SOURCE", "KIND", "MAPPINGS",
			     "SAMPLES", "FILE");
	for (size_t i = 0; i < hits->nr; i++) {
		const struct mapped *mapped = &hits->list[i];
		char from[32] = "";
		if (!is_shown(mapped, options)) {
			hidden++;
			continue;
		}
		for (size_t s = 0; s < NR_SOURCES; s++)
			if (mapped->sources & sources[s].source)
				snprintf(from + strlen(from), sizeof from - strlen(from), "%s%s", *from ? "," : "",
					 sources[s].name);
		perfdata_text_bytes_hex(&out, mapped->build_id.data, mapped->build_id.size);
		if (!mapped->build_id.size)
			perfdata_text_char(&out, '-');
		const size_t width = mapped->build_id.size ? 2 * mapped->build_id.size : 1;
		perfdata_text_fill(&out, ' ', width < 40 ? 40 - width : 0);
		perfdata_text_printf(&out, " %-20s %-8s %8" PRIu64 " %10" PRIu64 "  ", *from ? from : "-",
				     file_kind_name(mapped->kind), mapped->maps, mapped->samples);
		answer_text(&out, mapped->filename);
		if (mapped->pid > 0)
			perfdata_text_printf(&out, " (pid %" PRId32 ")", mapped->pid);
		if (why_none(hits, mapped))
			perfdata_text_printf(&out, " (%s)", why_none(hits, mapped));
		perfdata_text_char(&out, '\n');
	}
	if (hidden && !options->with_hits)
		perfdata_text_printf(&out, "%" PRIu64 " more without build-id and samples (-v shows them)\n", hidden);
	perfdata_text_printf(&out, "%" PRIu64 " samples, %" PRIu64 " of them in no file\n", hits->by_frame.samples,
			     hits->outside);
	answer_flush(input, &out);
}

static json_object *hex_string(struct input *input, struct perfdata_bytes bytes)
{
	struct perfdata_text hex;
	if (!bytes.size)
		return NULL;
	perfdata_text_init(&hex);
	perfdata_text_bytes_hex(&hex, bytes.data, bytes.size);
	json_object *string = perfdata_text_failed(&hex) ? NULL : json_new_text(hex.data, hex.size);
	if (!string)
		input_ended(input, PERFDATA_ENOMEM, NULL);
	perfdata_text_release(&hex);
	return string;
}

static void show_json(const struct options *options, struct input *input, const struct hits *hits)
{
	json_object *document = json_new_object(), *files = json_new_array();
	json_add(document, "file", answer_json_text(input, input->file));
	json_add(document, "files", files);
	for (size_t i = 0; i < hits->nr; i++) {
		const struct mapped *mapped = &hits->list[i];
		if (!is_shown(mapped, options))
			continue;
		json_object *object = json_new_object(), *from = json_new_array();
		json_append(files, object);
		json_add(object, "build_id", hex_string(input, mapped->build_id));
		json_add(object, "filename", answer_json_text(input, mapped->filename));
		for (size_t s = 0; s < NR_SOURCES; s++)
			if (mapped->sources & sources[s].source)
				json_append(from, json_new_string(sources[s].name));
		json_add(object, "sources", from);
		json_add(object, "kind", json_new_string(file_kind_name(mapped->kind)));
		if (mapped->pid > 0)
			json_add(object, "pid", json_new_integer(mapped->pid));
		json_add(object, "mappings", json_new_number(mapped->maps));
		json_add(object, "samples", json_new_number(mapped->samples));
		if (why_none(hits, mapped))
			json_add(object, "no_build_id", json_new_string(why_none(hits, mapped)));
	}
	json_add(document, "samples", json_new_number(hits->by_frame.samples));
	json_add(document, "samples_outside", json_new_number(hits->outside));
	json_add(document, "complete",
			       json_new_boolean(perfdata_reader_complete(input->reader) &&
						       !input->messages.errors && !input->error.status));
	answer_print(input, document, options->files.nr > 1);
}

/* Cells need no escapes: paths are printed as printable characters, without tabs and newlines. */
static void show_tsv(const struct options *options, struct input *input, const struct hits *hits)
{
	struct perfdata_text out;
	perfdata_text_init(&out);
	perfdata_text_literal(&out, "build_id\tsource\tkind\tmappings\tsamples\tpath\tpid\tnote\n");
	for (size_t i = 0; i < hits->nr; i++) {
		const struct mapped *mapped = &hits->list[i];
		const char *comma = "", *why = why_none(hits, mapped);
		if (!is_shown(mapped, options))
			continue;
		perfdata_text_bytes_hex(&out, mapped->build_id.data, mapped->build_id.size);
		perfdata_text_char(&out, '\t');
		for (size_t s = 0; s < NR_SOURCES; s++) {
			if (!(mapped->sources & sources[s].source))
				continue;
			perfdata_text_printf(&out, "%s%s", comma, sources[s].name);
			comma = ",";
		}
		perfdata_text_printf(&out, "\t%s\t%" PRIu64 "\t%" PRIu64 "\t", file_kind_name(mapped->kind),
				     mapped->maps, mapped->samples);
		answer_text(&out, mapped->filename);
		if (mapped->pid > 0)
			perfdata_text_printf(&out, "\t%" PRId32 "\t%s\n", mapped->pid, why ? why : "");
		else
			perfdata_text_printf(&out, "\t\t%s\n", why ? why : "");
	}
	answer_flush(input, &out);
}

/* Whether `perf buildid-list` would list the files that were hit (-H, pipes, no table), not the header's table. */
static bool perf_lists_hits(const struct options *options, const struct input *input)
{
	const bool pipe = perfdata_reader_header(input->reader)->container == PERFDATA_CONTAINER_PIPE;
	return options->with_hits || pipe || !perfdata_reader_feature(input->reader, PERFDATA_FEATURE_BUILD_ID);
}

static void perf_line(struct perfdata_text *out, const struct mapped *mapped)
{
	const size_t width = 2 * mapped->build_id.size;
	perfdata_text_bytes_hex(out, mapped->build_id.data, mapped->build_id.size);
	perfdata_text_fill(out, ' ', width < 40 ? 41 - width : 1);
	perfdata_text_string(out, mapped->filename);
	perfdata_text_char(out, '\n');
}

static void show_perf(const struct options *options, struct input *input, const struct hits *hits)
{
	const bool by_hits = perf_lists_hits(options, input);
	struct perfdata_text out;
	perfdata_text_init(&out);
	/* first host, then guests: perf lists the files of guests last */
	for (size_t i = 0; i < 2 * hits->nr; i++) {
		const struct mapped *mapped = &hits->list[i % hits->nr];
		if (!by_hits && mapped->of_guest != (i >= hits->nr))
			continue;
		if (by_hits ? i < hits->nr && (mapped->samples || mapped->in_chain)
			    : mapped->sources & PERFDATA_BUILD_ID_HEADER)
			perf_line(&out, mapped);
	}
	answer_flush(input, &out);
}

/* Sorts by name. perf copies the vdso to a temporary file and sorts by the name of that file. */
static void sort_hits(struct hits *hits, bool as_perf_lists_hits)
{
	for (size_t i = 0; i < hits->nr; i++) {
		struct mapped *mapped = &hits->list[i];
		const bool vdso = as_perf_lists_hits && mapped->kind == PERFDATA_DSO_VDSO;
		mapped->sort_name = vdso ? "/tmp/perf-vdso.so-" : mapped->filename;
	}
	if (hits->nr)
		qsort(hits->list, hits->nr, sizeof *hits->list, compare_hits);
	join_equals(hits);
}

static void answer_input(const struct options *options, struct input *input)
{
	const bool chains = options->perf || options->with_hits;
	const struct perfdata_session_options session_options = {
		.size = sizeof session_options,
		.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_FRAMES |
			 (chains ? (uint32_t)PERFDATA_NEED_CHAIN_DSOS : 0),
		.merge_deferred = chains,
		.no_stack_copies = true,
	};
	struct hits hits = { 0 };
	struct perfdata_session *session = input_walk(input, &session_options, take_batch, &hits);
	if (!session) {
		frame_hits_release(&hits.by_frame);
		return;
	}
	hits.session = session;
	take_dsos(&hits, session, options->perf);
	take_frames(&hits);
	const size_t nr_dsos = hits.nr;
	take_table(&hits, input->reader);
	/* frees these later: sorting mixes names from take_table with names of the session */
	const size_t nr_names = hits.nr - nr_dsos;
	char **names = calloc(nr_names + 1, sizeof *names);
	for (size_t i = 0; i < nr_names; i++) {
		char *name = (char *)hits.list[nr_dsos + i].filename;
		if (names)
			names[i] = name;
		else
			free(name);
	}
	if (hits.failed || !names) {
		input_ended(input, PERFDATA_ENOMEM, NULL);
	} else {
		sort_hits(&hits, options->perf && perf_lists_hits(options, input));
		note_recorder(&hits, input->reader);
		if (!options->perf && options->sort && !strcmp(options->sort, "samples") && hits.nr)
			qsort(hits.list, hits.nr, sizeof *hits.list, compare_samples);
		input_judge(input, options);
		if (options->json)
			show_json(options, input, &hits);
		else if (options->perf)
			show_perf(options, input, &hits);
		else if (options->tsv)
			show_tsv(options, input, &hits);
		else
			show_text(options, input, &hits);
	}
	for (size_t i = 0; names && i < nr_names; i++)
		free(names[i]);
	free(names);
	free(hits.list);
	frame_hits_release(&hits.by_frame);
	perfdata_session_close(session);
}

enum exit_code command_buildids(struct options *options)
{
	return answer_each(options, PERFDATA_ORDER_TIME, answer_input);
}
