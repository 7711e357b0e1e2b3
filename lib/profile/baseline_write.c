/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include "profile/baseline.h"
#include "text/spelling.h"

static void field(struct perfdata_text *out, const char *text)
{
	perfdata_text_char(out, '\t');
	for (; *text; text++) {
		if (*text == '\t')
			perfdata_text_literal(out, "\\t");
		else if (*text == '\n')
			perfdata_text_literal(out, "\\n");
		else if (*text == '\\')
			perfdata_text_literal(out, "\\\\");
		else
			perfdata_text_char(out, *text);
	}
}

static void number(struct perfdata_text *out, uint64_t value)
{
	perfdata_text_char(out, '\t');
	perfdata_text_u64(out, value);
}

static void line(struct perfdata_text *out) { perfdata_text_char(out, '\n'); }

static void put_sums(struct perfdata_text *out, const struct pd_share_sums *sums)
{
	char digits[33];
	number(out, sums->n);
	number(out, sums->w);
	perfdata_text_char(out, '\t');
	char *end = sums->q.high ? pd_hex_width_to(pd_hex_to(digits, sums->q.high), sums->q.low, 16)
				 : pd_hex_to(digits, sums->q.low);
	perfdata_text_append(out, digits, (size_t)(end - digits));
}

void pd_baseline_head(struct perfdata_text *out, const char *by)
{
	perfdata_text_literal(out, PD_BASELINE_MAGIC "\nby");
	field(out, by);
	line(out);
}

void pd_baseline_file(struct perfdata_text *out, uint32_t id, const struct pd_side_file *file)
{
	perfdata_text_literal(out, "file");
	number(out, id);
	number(out, file->kind);
	field(out, file->build_id);
	field(out, file->path);
	line(out);
}

void pd_baseline_key(struct perfdata_text *out, uint32_t id, const struct pd_side_key *key)
{
	perfdata_text_string(out, key->has_address ? "address" : "key");
	number(out, id);
	perfdata_text_char(out, '\t');
	if (key->file != PD_NO_FILE)
		perfdata_text_u64(out, key->file);
	if (key->has_address) {
		perfdata_text_char(out, '\t');
		pd_text_hex(out, key->address);
	} else {
		field(out, key->name);
		field(out, key->shown);
		field(out, key->raw_name);
		number(out, key->clones);
	}
	line(out);
}

void pd_baseline_recording(struct perfdata_text *out, const struct pd_side_recording *recording)
{
	const struct perfdata_baseline_recording *reported = &recording->reported;
	perfdata_text_literal(out, "recording");
	field(out, reported->name);
	number(out, reported->duration);
	number(out, reported->lost_records);
	number(out, reported->lost_samples);
	number(out, reported->complete);
	field(out, recording->arch);
	field(out, recording->cpu);
	field(out, recording->cpus);
	field(out, recording->release);
	line(out);
}

void pd_baseline_event(struct perfdata_text *out, const struct pd_side_event *event)
{
	const struct pd_side_setup *setup = &event->setup;
	const char *const texts[] = { event->name,    setup->config, setup->exclude, setup->rate,
				      setup->precise, setup->weight, setup->chains };
	perfdata_text_literal(out, "event");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		field(out, texts[i]);
	number(out, event->is_time);
	put_sums(out, &event->all);
	number(out, event->named);
	number(out, event->kernel);
	number(out, event->inlined);
	line(out);
}

void pd_baseline_sum(struct perfdata_text *out, const struct pd_side_sum *sum)
{
	perfdata_text_literal(out, "sum");
	number(out, sum->key);
	put_sums(out, &sum->self);
	put_sums(out, &sum->inclusive);
	line(out);
}

void pd_baseline_edge(struct perfdata_text *out, const struct pd_side_edge *edge)
{
	perfdata_text_literal(out, "edge");
	number(out, edge->caller);
	number(out, edge->callee);
	number(out, edge->n);
	number(out, edge->w);
	line(out);
}

void perfdata_baseline_write(const struct perfdata_baseline *baseline, struct perfdata_text *out)
{
	pd_baseline_head(out, baseline->by);
	for (size_t i = 0; i < baseline->nr_files; i++)
		pd_baseline_file(out, (uint32_t)i, &baseline->files[i]);
	for (size_t i = 0; i < baseline->nr_keys; i++)
		pd_baseline_key(out, (uint32_t)i, &baseline->keys[i]);
	for (size_t i = 0; i < baseline->nr_recordings; i++) {
		const struct pd_side_recording *recording = &baseline->recordings[i];
		pd_baseline_recording(out, recording);
		for (size_t e = 0; e < recording->nr_events; e++) {
			const struct pd_side_event *event = &recording->events[e];
			pd_baseline_event(out, event);
			for (size_t s = 0; s < event->nr_sums; s++)
				pd_baseline_sum(out, &event->sums[s]);
			for (size_t s = 0; s < event->nr_edges; s++)
				pd_baseline_edge(out, &event->edges[s]);
		}
	}
}
