/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "broken_rows.h"
#include "file_rows.h"
#include "frame_hits.h"
#include "grow.h"

const char *file_kind_name(enum perfdata_dso_kind kind)
{
	switch (kind) {
	case PERFDATA_DSO_USER: return "user";
	case PERFDATA_DSO_KERNEL: return "kernel";
	case PERFDATA_DSO_MODULE: return "module";
	case PERFDATA_DSO_VDSO: return "vdso";
	case PERFDATA_DSO_PERF_MAP: return "perf-map";
	case PERFDATA_DSO_JITDUMP: return "jitdump";
	case PERFDATA_DSO_BPF: return "bpf";
	case PERFDATA_DSO_STATE: return "state";
	case PERFDATA_DSO_NONE: return "memory";
	}
	return "";
}

const char *file_source_name(size_t index, unsigned *ret_bit)
{
	static const struct { unsigned source; const char *name;
	} sources[] = {
		{ PERFDATA_BUILD_ID_MMAP2, "mmap2" },
		{ PERFDATA_BUILD_ID_RECORD, "record" },
		{ PERFDATA_BUILD_ID_HEADER, "header" },
	};
	if (index >= sizeof sources / sizeof *sources)
		return NULL;
	*ret_bit = sources[index].source;
	return sources[index].name;
}

bool file_row_is_hit(const struct file_row *row) { return row->samples || row->hits; }

struct perfdata_bytes file_row_id(const struct file_row *row)
{
	return (struct perfdata_bytes){ row->build_id, row->build_id_size };
}

struct perfdata_match_wanted file_row_wanted(const struct file_row *row)
{
	return (struct perfdata_match_wanted){
		.kind = row->kind,
		.paths = (const char *const *)row->paths,
		.nr_paths = row->nr_paths,
		.build_id = row->unidentified ? (struct perfdata_bytes){ NULL, 0 } : file_row_id(row),
		.release = row->release,
		.host = row->host,
		.inode = row->inode,
		.device_major = row->device_major,
		.device_minor = row->device_minor,
		.unchanged_since = row->unchanged_since,
	};
}

/* --- counting ----------------------------------------------------------------------------------------------------- */

/* Counts of one dso of one recording. */
struct tally {
	uint64_t samples, sum_of_periods, hits;
	uint64_t last_sample;              /* number of the last sample counted in hits: once per sample */
};

struct process_start {
	int32_t pid;
	uint64_t time;
};

struct counting {
	struct file_rows *rows;
	const struct perfdata_config *config;   /* to decode records without an event */
	struct perfdata_record *record;    /* buffer for decoded records */
	struct process_start *starts;      /* FORK records of processes, in their order */
	size_t nr_starts, starts_room;
	struct tally *tallies;             /* by dso id */
	struct frame_hits by_frame;        /* if names are counted */
	struct name_hits *names;           /* by dso id, after the last batch; or NULL */
	size_t room;
	uint64_t nr_samples;
	struct perfdata_broken_stacks *broken;   /* or NULL */
	bool failed;
};

static struct tally *tally_of(struct counting *counting, const struct perfdata_session *session, uint32_t frame)
{
	const struct perfdata_frame *place = frame == PERFDATA_NONE ? NULL : perfdata_session_frame(session, frame);
	if (!place || place->dso == PERFDATA_NONE)
		return NULL;
	if (!grow_list(&counting->tallies, &counting->room, place->dso, sizeof *counting->tallies)) {
		counting->failed = true;
		return NULL;
	}
	return &counting->tallies[place->dso];
}

static void pass_through(struct tally *tally, uint64_t number)
{
	if (!tally || tally->last_sample == number)
		return;
	tally->last_sample = number;
	tally->hits++;
}

static void count_stack(struct counting *counting, const struct perfdata_batch *batch,
			const struct perfdata_delivery *delivery)
{
	size_t nr;
	const struct perfdata_step *steps = perfdata_batch_stack(batch, delivery, &nr);
	for (size_t i = 0; i < nr; i++)
		pass_through(tally_of(counting, batch->session, steps[i].frame), counting->nr_samples);
}

static void note_event(struct file_rows *rows, const struct perfdata_event *event)
{
	if (!event || rows->event == event || !rows->weighs_periods)
		return;
	const char *name = event->name ? event->name : "";
	/* each recording has its own event objects: events with equal names are equal */
	if (!rows->event_name) {
		rows->event_name = strdup(name);
		rows->failed |= !rows->event_name;
	} else if (strcmp(rows->event_name, name) != 0) {
		rows->weighs_periods = false;
	}
	rows->event = event;
}

static void note_start(struct counting *counting, const struct perfdata_delivery *delivery)
{
	const struct perfdata_bytes bytes = perfdata_raw_bytes(delivery->record);
	const struct perfdata_config *config = delivery->event ? delivery->event->config : counting->config;
	if (perfdata_decode(config, bytes.data, bytes.size, counting->record) != PERFDATA_OK)
		return;
	const struct perfdata_task *task = &counting->record->u.task;
	if (task->pid != task->tid)
		return;
	if (grow_list(&counting->starts, &counting->starts_room, counting->nr_starts, sizeof *counting->starts))
		counting->starts[counting->nr_starts++] = (struct process_start){ task->pid, task->time };
	else
		counting->failed = true;
}

static void take_batch(void *user, const struct perfdata_batch *batch)
{
	struct counting *counting = user;
	if (counting->rows->counts_names)
		frame_hits_take(&counting->by_frame, batch);
	if (counting->broken)
		counting->failed |= perfdata_broken_stacks_take(counting->broken, batch) != PERFDATA_OK;
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = perfdata_batch_delivery(batch, i);
		const uint32_t type = perfdata_raw_type(delivery->record);
		if (type == PERFDATA_RECORD_FORK)
			note_start(counting, delivery);
		if (type != PERFDATA_RECORD_SAMPLE)
			continue;
		note_event(counting->rows, delivery->event);
		struct tally *tally = tally_of(counting, batch->session, delivery->ip);
		if (tally && !(delivery->flags & PERFDATA_DELIVERY_SILENT))
			tally->sum_of_periods += delivery->period;
		if (!(delivery->flags & PERFDATA_DELIVERY_FIRST))
			continue;
		counting->nr_samples++;
		counting->rows->samples++;
		if (tally)
			tally->samples++;
		else
			counting->rows->samples_outside++;
		pass_through(tally, counting->nr_samples);
		count_stack(counting, batch, delivery);
	}
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static char *copy_text(struct file_rows *rows, const char *text)
{
	char *copy = text ? strdup(text) : NULL;
	rows->failed |= text && !copy;
	return copy;
}

static bool has_path(const struct file_row *row, const char *path)
{
	for (size_t i = 0; i < row->nr_paths; i++)
		if (!strcmp(row->paths[i], path))
			return true;
	return false;
}

static void add_path(struct file_rows *rows, struct file_row *row, const char *path)
{
	if (has_path(row, path))
		return;
	char *copy = strdup(path);
	if (!copy || !grow_list(&row->paths, &row->room_paths, row->nr_paths, sizeof copy)) {
		rows->failed = true;
		free(copy);
		return;
	}
	size_t at = row->nr_paths++;
	for (; at && strcmp(row->paths[at - 1], copy) > 0; at--)
		row->paths[at] = row->paths[at - 1];
	row->paths[at] = copy;
}

/* The members that distinguish rows. */
struct row_key {
	enum perfdata_dso_kind kind;
	const char *path;
	struct perfdata_bytes build_id;
	uint64_t inode;
	uint32_t device_major, device_minor;
	const char *unidentified;
};

static bool is_row(const struct file_row *row, const struct row_key *key)
{
	if (row->kind != key->kind || row->build_id_size != key->build_id.size ||
	    !row->unidentified != !key->unidentified)
		return false;
	if (row->build_id_size)
		return !memcmp(row->build_id, key->build_id.data, row->build_id_size);
	return row->inode == key->inode && row->device_major == key->device_major &&
	       row->device_minor == key->device_minor && has_path(row, key->path);
}

/* Copies a build-id. Returns its size; 0 if it is too long. */
static size_t copy_id(uint8_t out[PERFDATA_BUILD_ID_MAX], const uint8_t *id, size_t size)
{
	if (!id || size > PERFDATA_BUILD_ID_MAX)
		return 0;
	memcpy(out, id, size);
	return size;
}

static struct file_row *row_of(struct file_rows *rows, const struct row_key *key)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (is_row(&rows->items[i], key))
			return &rows->items[i];
	if (!grow_list(&rows->items, &rows->room, rows->nr, sizeof *rows->items)) {
		rows->failed = true;
		return NULL;
	}
	struct file_row *row = &rows->items[rows->nr++];
	*row = (struct file_row){ .kind = key->kind, .inode = key->inode, .device_major = key->device_major,
				  .device_minor = key->device_minor, .unchanged_since = INT64_MAX, .pid = -1,
				  .start_time = UINT64_MAX, .unidentified = key->unidentified };
	row->build_id_size = copy_id(row->build_id, key->build_id.data, key->build_id.size);
	return row;
}

/* Notes that looking for files failed, so that files with names may be missing. */
static void note_failure(struct file_rows *rows, enum perfdata_status status)
{
	if (status == PERFDATA_ENOMEM || (status == PERFDATA_EREAD && !rows->failure))
		rows->failure = status;
}

static void take_origin(struct file_rows *rows, const struct perfdata_session *session, uint32_t id,
			struct file_row *row)
{
	struct perfdata_symbols_origin origin;
	const char *jitdump;
	enum perfdata_status status = row->jitdump ? PERFDATA_ABSENT
						   : perfdata_session_jitdump(session, id, &jitdump, &origin);
	if (status == PERFDATA_OK) {
		row->jitdump = copy_text(rows, jitdump);
		row->jitdump_file = copy_text(rows, origin.file);
	}
	note_failure(rows, status);
	if (row->symbol_file || row->text_file)
		return;
	status = perfdata_session_origin(session, id, &origin);
	note_failure(rows, status);
	if (status)
		return;
	row->symbol_file = copy_text(rows, origin.file);
	row->text_file = copy_text(rows, origin.text_file);
	row->found_id_size = copy_id(row->found_id, origin.build_id, origin.build_id_size);
	row->alt_file = copy_text(rows, origin.alt_file);
	row->alt_id_size = copy_id(row->alt_id, origin.alt_build_id, origin.alt_build_id_size);
}

/* Returns the mtime of the recording in ns since 1970: a file that changed later may not be the recorded one. INT64_MAX
 * for stdin, pipes and directories. */
static int64_t file_time(const struct input *input)
{
	struct stat st;
	if (!strcmp(input->file, "-") || stat(input->file, &st) || !S_ISREG(st.st_mode))
		return INT64_MAX;
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* Sets the pid from "…/perf-PID.map" or "…/jit-PID.dump", and the start time of the process, as pids are reused. */
static void take_process(struct file_row *row, const char *path, const struct counting *counting)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int pid;
	if (row->pid >= 0 || (sscanf(name, "perf-%d.map", &pid) != 1 && sscanf(name, "jit-%d.dump", &pid) != 1))
		return;
	row->pid = pid;
	for (size_t i = 0; i < counting->nr_starts; i++)
		if (counting->starts[i].pid == pid)
			row->start_time = counting->starts[i].time;
}

static bool has_symbols(const struct file_rows *rows) { return rows->counts_names || rows->with_origins; }

/* Returns why the session refuses the file of a hit dso, or NULL. */
static const char *why_unidentified(const struct counting *counting, const struct perfdata_session *session,
				    uint32_t id)
{
	const char *reason = NULL;
	const bool has_hits = id < counting->room && counting->tallies[id].hits;
	if (has_hits && has_symbols(counting->rows) && perfdata_session_dso(session, id)->kind == PERFDATA_DSO_USER)
		note_failure(counting->rows, perfdata_session_unidentified(session, id, &reason));
	return reason;
}

static void take_dso(const struct counting *counting, const struct input *input, const struct perfdata_session *session,
		     uint32_t id)
{
	struct file_rows *rows = counting->rows;
	const struct tally *tally = id < counting->room ? &counting->tallies[id] : NULL;
	const struct perfdata_dso *dso = perfdata_session_dso(session, id);
	enum perfdata_build_id_source source = 0;
	const struct row_key key = {
		.kind = dso->kind, .path = dso->long_name, .build_id = perfdata_session_build_id(session, id, &source),
		.inode = perfdata_session_inode(session, id), .device_major = dso->device_major,
		.device_minor = dso->device_minor, .unidentified = why_unidentified(counting, session, id),
	};
	struct file_row *row = row_of(rows, &key);
	if (!row)
		return;
	add_path(rows, row, dso->long_name);
	if (key.build_id.size)
		row->sources |= (unsigned)source;
	row->maps += perfdata_session_nr_maps(session, id);
	row->has_namesake |= perfdata_session_has_namesake(session, id);
	if (!row->release)
		row->release = copy_text(rows, perfdata_reader_feature_text(input->reader, PERFDATA_FEATURE_OSRELEASE));
	if (!row->host)
		row->host = copy_text(rows, perfdata_reader_feature_text(input->reader, PERFDATA_FEATURE_HOSTNAME));
	const int64_t since = file_time(input);
	row->unchanged_since = since < row->unchanged_since ? since : row->unchanged_since;
	if (rows->with_origins && ((tally && tally->hits) || rows->all_origins))
		take_origin(rows, session, id, row);
	if (row->jitdump || dso->kind == PERFDATA_DSO_PERF_MAP || dso->kind == PERFDATA_DSO_JITDUMP)
		take_process(row, row->jitdump ? row->jitdump : dso->long_name, counting);
	if (tally) {
		row->samples += tally->samples;
		row->sum_of_periods += tally->sum_of_periods;
		row->hits += tally->hits;
	}
	if (counting->names)
		row->named += counting->names[id].named;
}

static bool same_bytes(struct perfdata_bytes a, struct perfdata_bytes b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* Compares an entry of the header's build-id table with the rows of its path: the same build-id adds a source to the
 * row, another build-id marks a conflict. */
static void take_table_row(struct file_rows *rows, const char *path, struct perfdata_bytes build_id, unsigned source)
{
	bool known = false;
	for (size_t i = 0; i < rows->nr; i++)
		if (has_path(&rows->items[i], path) && same_bytes(file_row_id(&rows->items[i]), build_id)) {
			rows->items[i].sources |= source;
			known = true;
		}
	for (size_t i = 0; i < rows->nr && !known && build_id.size; i++)
		if (has_path(&rows->items[i], path) && rows->items[i].build_id_size)
			rows->items[i].has_conflict = true;
}

static void take_table(struct file_rows *rows, const struct perfdata_reader *reader)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, PERFDATA_FEATURE_BUILD_ID);
	const struct perfdata_node *root = section && section->feature ? perfdata_feature_root(section->feature) : NULL;
	const struct perfdata_node *node = root && root->child ? root->child->child : NULL;
	const bool pipe = perfdata_reader_header(reader)->container == PERFDATA_CONTAINER_PIPE;
	for (; node && !rows->failed; node = node->next) {
		const struct perfdata_node *filename = perfdata_node_get(node, "filename");
		const struct perfdata_node *build_id = perfdata_node_get(node, "build_id");
		if (!filename || !build_id || !filename->v.bytes.size)
			continue;
		char *path = strndup((const char *)filename->v.bytes.data, filename->v.bytes.size);
		rows->failed |= !path;
		if (path)
			take_table_row(rows, path, build_id->v.bytes,
				       pipe ? PERFDATA_BUILD_ID_RECORD : PERFDATA_BUILD_ID_HEADER);
		free(path);
	}
}

static void take_broken(struct file_rows *rows, struct input *input, struct perfdata_broken_stacks *broken)
{
	json_object *list = broken_rows_json(input, broken);
	broken_rows_text(&rows->broken, broken, "");
	rows->failed |= perfdata_text_failed(&rows->broken);
	if (!rows->broken_list)
		rows->broken_list = json_new_array();
	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		json_append(rows->broken_list, json_object_get(json_object_array_get_idx(list, i)));
	json_object_put(list);
}

static const struct perfdata_error *names_error(enum perfdata_status status, struct perfdata_error *ret)
{
	*ret = (struct perfdata_error){ .status = status, .offset = PERFDATA_NO_OFFSET };
	snprintf(ret->message, sizeof ret->message, "names are missing: %s",
		 status == PERFDATA_ENOMEM ? "out of memory or descriptors" : "a file with symbols cannot be read");
	return ret;
}

bool file_rows_read(struct file_rows *rows, struct input *input, struct perfdata_symbols *symbols)
{
	const struct perfdata_session_options options = {
		.size = sizeof options,
		.needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_FRAMES | PERFDATA_NEED_STACKS |
			 (rows->counts_broken ? PERFDATA_NEED_CUT_STACKS : 0u),
		.merge_deferred = true, .symbols = symbols, .no_host = !symbols,
		.no_stack_copies = true,
	};
	struct counting counting = { .rows = rows, .config = perfdata_reader_config(input->reader),
				     .record = perfdata_record_new() };
	if (!rows->nr && !rows->event_name)
		rows->weighs_periods = true;
	rows->event = NULL;
	counting.failed = !counting.record ||
			  (rows->counts_broken && perfdata_broken_stacks_new(&counting.broken) != PERFDATA_OK);
	struct perfdata_session *session = !counting.failed ? input_walk(input, &options, take_batch, &counting) : NULL;
	if (session) {
		const uint32_t nr = perfdata_session_nr_dsos(session);
		struct perfdata_error error;
		if (rows->counts_names)
			note_failure(rows, frame_hits_names(&counting.by_frame, session, &counting.names));
		for (uint32_t id = 0; id < nr && !rows->failed; id++)
			take_dso(&counting, input, session, id);
		take_table(rows, input->reader);
		if (counting.broken)
			take_broken(rows, input, counting.broken);
		perfdata_session_close(session);
		if (rows->failure)
			input_ended(input, rows->failure, names_error(rows->failure, &error));
		rows->failure = PERFDATA_OK;
	}
	frame_hits_release(&counting.by_frame);
	free(counting.names);
	free(counting.tallies);
	free(counting.starts);
	perfdata_broken_stacks_free(counting.broken);
	perfdata_record_free(counting.record);
	if (rows->failed || counting.failed) {
		rows->failed = true;
		input_ended(input, PERFDATA_ENOMEM, NULL);
	}
	return session && !rows->failed;
}

static int compare_rows(const void *left, const void *right)
{
	const struct file_row *a = left, *b = right;
	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	const int paths = strcmp(a->paths[0], b->paths[0]);
	if (paths)
		return paths;
	if (a->build_id_size != b->build_id_size)
		return a->build_id_size < b->build_id_size ? -1 : 1;
	const int ids = memcmp(a->build_id, b->build_id, a->build_id_size);
	if (ids)
		return ids;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	const uint64_t on_a = (uint64_t)a->device_major << 32 | a->device_minor;
	const uint64_t on_b = (uint64_t)b->device_major << 32 | b->device_minor;
	return (on_a > on_b) - (on_a < on_b);
}

void file_rows_finish(struct file_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		rows->items[i].weight = rows->weighs_periods ? rows->items[i].sum_of_periods : rows->items[i].samples;
	if (rows->nr && !rows->failed)
		qsort(rows->items, rows->nr, sizeof *rows->items, compare_rows);
}

void file_rows_release(struct file_rows *rows)
{
	perfdata_text_release(&rows->broken);
	json_object_put(rows->broken_list);
	for (size_t i = 0; i < rows->nr; i++) {
		for (size_t p = 0; p < rows->items[i].nr_paths; p++)
			free(rows->items[i].paths[p]);
		free(rows->items[i].paths);
		free(rows->items[i].text_file);
		free(rows->items[i].symbol_file);
		free(rows->items[i].alt_file);
		free(rows->items[i].jitdump);
		free(rows->items[i].jitdump_file);
		free(rows->items[i].release);
		free(rows->items[i].host);
	}
	free(rows->items);
	free(rows->event_name);
	*rows = (struct file_rows){ 0 };
}
