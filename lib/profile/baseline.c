/* SPDX-License-Identifier: MIT */
/* Reads a baseline, which may be hostile: whatever its bytes, the result is a baseline or an error. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "profile/baseline.h"
#include "profile/profile.h"

enum { MAX_FIELDS = 20 };

struct perfdata_baseline *perfdata_baseline_new(void)
{
	struct perfdata_baseline *baseline = pd_calloc(1, sizeof *baseline);
	if (!baseline)
		return NULL;
	baseline->by = "";
	baseline->strings = pd_intern_new();
	baseline->files_known = pd_intern_new();
	baseline->keys_known = pd_intern_new();
	if (baseline->strings && baseline->files_known && baseline->keys_known)
		return baseline;
	perfdata_baseline_free(baseline);
	return NULL;
}

void perfdata_baseline_free(struct perfdata_baseline *baseline)
{
	if (!baseline)
		return;
	for (size_t i = 0; i < baseline->nr_recordings; i++) {
		for (size_t e = 0; e < baseline->recordings[i].nr_events; e++) {
			pd_free(baseline->recordings[i].events[e].sums);
			pd_free(baseline->recordings[i].events[e].edges);
		}
		pd_free(baseline->recordings[i].events);
	}
	pd_free(baseline->recordings);
	pd_free(baseline->files);
	pd_free(baseline->keys);
	pd_intern_free(baseline->strings);
	pd_intern_free(baseline->files_known);
	pd_intern_free(baseline->keys_known);
	pd_free(baseline);
}

const char *perfdata_baseline_by(const struct perfdata_baseline *baseline) { return baseline->by; }

const struct perfdata_baseline_recording *perfdata_baseline_recording(const struct perfdata_baseline *baseline,
								      size_t index)
{
	return index < baseline->nr_recordings ? &baseline->recordings[index].reported : NULL;
}

bool pd_baseline_is(const void *bytes, size_t size)
{
	const size_t magic = strlen(PD_BASELINE_MAGIC);
	return size > magic && !memcmp(bytes, PD_BASELINE_MAGIC, magic) && ((const char *)bytes)[magic] == '\n';
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

/* Maps ids of files or keys in a text to their indexes in the baseline. */
struct id_map {
	uint32_t *ids;
	size_t nr, room;
};

struct reading {
	struct perfdata_baseline *baseline;
	struct id_map files, keys;
	char *line;                      /* the bytes of the line, cut into its fields */
	size_t line_room;
	char *fields[MAX_FIELDS];
	size_t nr_fields;
	uint64_t number;                 /* number of the line, from 1 */
	bool begun;                      /* the first line was read */
	struct pd_side_recording *recording;
	struct pd_side_event *event;
	enum perfdata_status status;     /* PERFDATA_ENOMEM, or PERFDATA_EUSAGE for keys of another kind */
};

static const char *keep_text(struct reading *reading, const char *text)
{
	const uint32_t id = pd_intern_put(reading->baseline->strings, text, strlen(text));
	if (id == UINT32_MAX) {
		reading->status = PERFDATA_ENOMEM;
		return "";
	}
	return pd_intern_get(reading->baseline->strings, id, NULL);
}

/* Cuts the line into fields, in place. */
static bool split_fields(struct reading *reading, size_t size)
{
	char *to = reading->line;
	reading->nr_fields = 0;
	reading->fields[reading->nr_fields++] = to;
	for (const char *at = reading->line, *end = at + size; at < end; at++) {
		if (*at == '\t') {
			if (reading->nr_fields == MAX_FIELDS)
				return false;
			*to++ = 0;
			reading->fields[reading->nr_fields++] = to;
		} else if (*at == '\\' && at + 1 < end) {
			at++;
			*to++ = *at == 't' ? '\t' : *at == 'n' ? '\n' : *at;
		} else if (!*at) {
			return false;
		} else {
			*to++ = *at;
		}
	}
	*to = 0;
	return true;
}

static bool number_of(const char *text, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		const int letter = *text >= 'a' && *text <= 'f'   ? *text - 'a' + 10
				   : *text >= '0' && *text <= '9' ? *text - '0'
								  : 99;
		if (letter >= (int)base || value > (UINT64_MAX - (uint64_t)letter) / base)
			return false;
		value = value * base + (uint64_t)letter;
	}
	*ret = value;
	return true;
}

static bool number_field(const struct reading *reading, size_t field, uint64_t *ret)
{
	return number_of(reading->fields[field], 10, ret);
}

static bool wide_field(const struct reading *reading, size_t field, struct pd_wide *ret)
{
	const char *text = reading->fields[field];
	const size_t size = strlen(text);
	char high[20] = "0";
	if (size > 32)
		return false;
	if (size > 16) {
		memcpy(high, text, size - 16);
		high[size - 16] = 0;
		text += size - 16;
	}
	return number_of(high, 16, &ret->high) && number_of(text, 16, &ret->low);
}

static bool sums_field(const struct reading *reading, size_t field, struct pd_share_sums *ret)
{
	return number_field(reading, field, &ret->n) && number_field(reading, field + 1, &ret->w) &&
	       wide_field(reading, field + 2, &ret->q);
}

/* --- ids ---------------------------------------------------------------------------------------------------------- */

/* Maps the next id of a text; ids must be 0, 1, 2 … */
static bool map_next(struct reading *reading, struct id_map *map, size_t field, uint32_t id)
{
	uint64_t stated;
	if (!number_field(reading, field, &stated) || stated != map->nr)
		return false;
	if (id == UINT32_MAX || pd_vector_grow(&map->ids, &map->room, map->nr, sizeof *map->ids) < 0)
		reading->status = PERFDATA_ENOMEM;
	else
		map->ids[map->nr++] = id;
	return true;
}

static bool map_get(const struct reading *reading, const struct id_map *map, size_t field, uint32_t *ret)
{
	uint64_t stated;
	if (!number_field(reading, field, &stated) || stated >= map->nr)
		return false;
	*ret = map->ids[stated];
	return true;
}

static bool take_file(struct reading *reading)
{
	struct perfdata_baseline *baseline = reading->baseline;
	uint64_t kind;
	if (!number_field(reading, 2, &kind) || kind > PERFDATA_DSO_STATE)
		return false;
	const struct pd_side_file file = { .kind = (enum perfdata_dso_kind)kind,
					   .build_id = keep_text(reading, reading->fields[3]),
					   .path = keep_text(reading, reading->fields[4]) };
	/* Texts are interned, so equal texts have one address. */
	const struct { const void *build_id, *path; uint64_t kind; } same = { file.build_id, file.path, kind };
	const uint32_t id = pd_intern_put(baseline->files_known, &same, sizeof same);
	if (id == baseline->nr_files) {
		if (pd_vector_grow(&baseline->files, &baseline->files_room, baseline->nr_files, sizeof file) < 0)
			reading->status = PERFDATA_ENOMEM;
		else
			baseline->files[baseline->nr_files++] = file;
	}
	return map_next(reading, &reading->files, 1, id);
}

static bool take_key(struct reading *reading, const struct pd_side_key *key)
{
	struct perfdata_baseline *baseline = reading->baseline;
	const struct {
		const void *name;
		uint64_t file, address, has_address;
	} same = { key->name, key->file, key->address, key->has_address };
	const uint32_t id = pd_intern_put(baseline->keys_known, &same, sizeof same);
	if (id == baseline->nr_keys) {
		if (pd_vector_grow(&baseline->keys, &baseline->keys_room, baseline->nr_keys, sizeof *key) < 0)
			reading->status = PERFDATA_ENOMEM;
		else
			baseline->keys[baseline->nr_keys++] = *key;
	}
	return map_next(reading, &reading->keys, 1, id);
}

static bool take_named_key(struct reading *reading)
{
	struct pd_side_key key = { .file = PD_NO_FILE,
				   .name = keep_text(reading, reading->fields[3]),
				   .shown = keep_text(reading, reading->fields[4]),
				   .raw_name = keep_text(reading, reading->fields[5]) };
	return number_field(reading, 6, &key.clones) &&
	       (!*reading->fields[2] || map_get(reading, &reading->files, 2, &key.file)) && take_key(reading, &key);
}

static bool take_address(struct reading *reading)
{
	const char *nothing = keep_text(reading, "");
	struct pd_side_key key = { .file = PD_NO_FILE,
				   .name = nothing,
				   .shown = nothing,
				   .raw_name = nothing,
				   .has_address = true,
				   .clones = 1 };
	return (!*reading->fields[2] || map_get(reading, &reading->files, 2, &key.file)) &&
	       number_of(reading->fields[3], 16, &key.address) && take_key(reading, &key);
}

/* --- recordings --------------------------------------------------------------------------------------------------- */

static bool take_recording(struct reading *reading)
{
	struct perfdata_baseline *baseline = reading->baseline;
	struct pd_side_recording recording = { .reported = { .name = keep_text(reading, reading->fields[1]) } };
	uint64_t complete;
	if (!number_field(reading, 2, &recording.reported.duration) ||
	    !number_field(reading, 3, &recording.reported.lost_records) ||
	    !number_field(reading, 4, &recording.reported.lost_samples) || !number_field(reading, 5, &complete))
		return false;
	recording.reported.complete = complete != 0;
	recording.arch = keep_text(reading, reading->fields[6]);
	recording.cpu = keep_text(reading, reading->fields[7]);
	recording.cpus = keep_text(reading, reading->fields[8]);
	recording.release = keep_text(reading, reading->fields[9]);
	reading->recording = NULL;
	reading->event = NULL;
	if (pd_vector_grow(&baseline->recordings, &baseline->recordings_room, baseline->nr_recordings,
			   sizeof recording) < 0) {
		reading->status = PERFDATA_ENOMEM;
		return true;
	}
	reading->recording = &baseline->recordings[baseline->nr_recordings++];
	*reading->recording = recording;
	return true;
}

static bool take_event(struct reading *reading)
{
	struct pd_side_recording *recording = reading->recording;
	struct pd_side_event event = { .name = keep_text(reading, reading->fields[1]) };
	uint64_t is_time;
	if (!recording || !number_field(reading, 8, &is_time) || !sums_field(reading, 9, &event.all) ||
	    !number_field(reading, 12, &event.named) || !number_field(reading, 13, &event.kernel) ||
	    !number_field(reading, 14, &event.inlined))
		return false;
	event.is_time = is_time != 0;
	event.setup = (struct pd_side_setup){
		.config = keep_text(reading, reading->fields[2]),
		.exclude = keep_text(reading, reading->fields[3]),
		.rate = keep_text(reading, reading->fields[4]),
		.precise = keep_text(reading, reading->fields[5]),
		.weight = keep_text(reading, reading->fields[6]),
		.chains = keep_text(reading, reading->fields[7]),
	};
	recording->reported.has_inlines |= event.inlined != 0;
	reading->event = NULL;
	if (pd_vector_grow(&recording->events, &recording->events_room, recording->nr_events, sizeof event) < 0) {
		reading->status = PERFDATA_ENOMEM;
		return true;
	}
	reading->event = &recording->events[recording->nr_events++];
	*reading->event = event;
	return true;
}

static bool take_sum(struct reading *reading)
{
	struct pd_side_event *event = reading->event;
	struct pd_side_sum sum;
	if (!event || !map_get(reading, &reading->keys, 1, &sum.key) || !sums_field(reading, 2, &sum.self) ||
	    !sums_field(reading, 5, &sum.inclusive))
		return false;
	if (pd_vector_grow(&event->sums, &event->sums_room, event->nr_sums, sizeof sum) < 0)
		reading->status = PERFDATA_ENOMEM;
	else
		event->sums[event->nr_sums++] = sum;
	return true;
}

static bool take_edge(struct reading *reading)
{
	struct pd_side_event *event = reading->event;
	struct pd_side_edge edge;
	if (!event || !map_get(reading, &reading->keys, 1, &edge.caller) ||
	    !map_get(reading, &reading->keys, 2, &edge.callee) || !number_field(reading, 3, &edge.n) ||
	    !number_field(reading, 4, &edge.w))
		return false;
	if (pd_vector_grow(&event->edges, &event->edges_room, event->nr_edges, sizeof edge) < 0)
		reading->status = PERFDATA_ENOMEM;
	else
		event->edges[event->nr_edges++] = edge;
	return true;
}

/* Refuses keys of another kind, which cannot be compared. */
static bool take_by(struct reading *reading)
{
	struct perfdata_baseline *baseline = reading->baseline;
	if (!*reading->fields[1])
		return false;
	if (*baseline->by && strcmp(baseline->by, reading->fields[1]) != 0)
		reading->status = PERFDATA_EUSAGE;
	else
		baseline->by = keep_text(reading, reading->fields[1]);
	return true;
}

static bool take_line(struct reading *reading)
{
	static const struct {
		const char *word;
		size_t nr_fields;
		bool (*take)(struct reading *reading);
	} lines[] = {
		{ "sum", 8, take_sum },
		{ "edge", 5, take_edge },
		{ "key", 7, take_named_key },
		{ "address", 4, take_address },
		{ "file", 5, take_file },
		{ "event", 15, take_event },
		{ "recording", 10, take_recording },
		{ "by", 2, take_by },
	};
	if (!strcmp(reading->fields[0], PD_BASELINE_MAGIC)) {
		reading->begun = true;
		reading->files.nr = reading->keys.nr = 0;
		reading->recording = NULL;
		reading->event = NULL;
		return reading->nr_fields == 1;
	}
	for (size_t i = 0; reading->begun && i < sizeof lines / sizeof *lines; i++)
		if (!strcmp(reading->fields[0], lines[i].word))
			return reading->nr_fields == lines[i].nr_fields && lines[i].take(reading);
	return false;
}

static bool read_line(struct reading *reading, const char *bytes, size_t size)
{
	reading->number++;
	if (pd_vector_grow(&reading->line, &reading->line_room, size, 1) < 0) {
		reading->status = PERFDATA_ENOMEM;
		return true;
	}
	memcpy(reading->line, bytes, size);
	return split_fields(reading, size) && take_line(reading);
}

enum perfdata_status perfdata_baseline_add(struct perfdata_baseline *baseline, const void *bytes, size_t size,
					   struct perfdata_error *reterr)
{
	struct reading reading = { .baseline = baseline };
	const char *const start = bytes, *at = start, *const end = start + size;
	const size_t before = baseline->nr_recordings;
	bool fine = pd_baseline_is(bytes, size);
	if (!fine)
		return pd_error(reterr, PERFDATA_EFORMAT, 0, "no baseline: it does not begin with %s",
				PD_BASELINE_MAGIC);
	while (fine && reading.status == PERFDATA_OK && at < end) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		fine = line && read_line(&reading, at, (size_t)(line - at));
		at = fine ? line + 1 : at;
	}
	const size_t offset = (size_t)(at - start);
	pd_free(reading.line);
	pd_free(reading.files.ids);
	pd_free(reading.keys.ids);
	if (!fine)
		return pd_error(reterr, PERFDATA_EFORMAT, offset, "line %llu has no form of a line in a baseline",
				(unsigned long long)(memchr(start + offset, '\n', size - offset) ? reading.number
												 : reading.number + 1));
	if (reading.status == PERFDATA_EUSAGE)
		return pd_error(reterr, PERFDATA_EUSAGE, offset,
				"it was made with another --by than the rest of its side, which is by %s",
				baseline->by);
	if (reading.status != PERFDATA_OK)
		return pd_error_of_status(reterr, reading.status, offset);
	return baseline->nr_recordings > before && *baseline->by
		       ? PERFDATA_OK
		       : pd_error(reterr, PERFDATA_EFORMAT, offset, "there is no recording in it");
}
