/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include "profile/baseline.h"
#include "text/spelling.h"

static void write_field(struct perfdata_text *out, const char *text)
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

static void write_number(struct perfdata_text *out, uint64_t value)
{
	perfdata_text_char(out, '\t');
	perfdata_text_u64(out, value);
}

static void end_line(struct perfdata_text *out) { perfdata_text_char(out, '\n'); }

static void put_sums(struct perfdata_text *out, const struct pd_share_sums *sums)
{
	char digits[33];
	write_number(out, sums->n);
	write_number(out, sums->w);
	perfdata_text_char(out, '\t');
	char *end = sums->q.high ? pd_hex_width_to(pd_hex_to(digits, sums->q.high), sums->q.low, 16)
				 : pd_hex_to(digits, sums->q.low);
	perfdata_text_append(out, digits, (size_t)(end - digits));
}

void pd_baseline_head(struct perfdata_text *out, const char *by)
{
	perfdata_text_literal(out, PD_BASELINE_MAGIC "\nby");
	write_field(out, by);
	end_line(out);
}

void pd_baseline_file(struct perfdata_text *out, uint32_t id, const struct pd_side_file *file)
{
	perfdata_text_literal(out, "file");
	write_number(out, id);
	write_number(out, file->kind);
	write_field(out, file->build_id);
	write_field(out, file->path);
	end_line(out);
}

void pd_baseline_key(struct perfdata_text *out, uint32_t id, const struct pd_side_key *key)
{
	perfdata_text_string(out, key->has_address ? "address" : "key");
	write_number(out, id);
	perfdata_text_char(out, '\t');
	if (key->file != PD_NO_FILE)
		perfdata_text_u64(out, key->file);
	if (key->has_address) {
		perfdata_text_char(out, '\t');
		pd_text_hex(out, key->address);
	} else {
		write_field(out, key->name);
		write_field(out, key->shown);
		write_field(out, key->raw_name);
		write_number(out, key->clones);
	}
	end_line(out);
}

void pd_baseline_recording(struct perfdata_text *out, const struct pd_side_recording *recording)
{
	const struct perfdata_baseline_recording *reported = &recording->reported;
	perfdata_text_literal(out, "recording");
	write_field(out, reported->name);
	write_number(out, reported->duration);
	write_number(out, reported->lost_records);
	write_number(out, reported->lost_samples);
	write_number(out, reported->complete);
	write_field(out, recording->arch);
	write_field(out, recording->cpu);
	write_field(out, recording->cpus);
	write_field(out, recording->release);
	end_line(out);
}

void pd_baseline_event(struct perfdata_text *out, const struct pd_side_event *event)
{
	const struct pd_side_setup *setup = &event->setup;
	const char *const texts[] = { event->name,    setup->config, setup->exclude, setup->rate,
				      setup->precise, setup->weight, setup->chains };
	perfdata_text_literal(out, "event");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		write_field(out, texts[i]);
	write_number(out, event->is_time);
	put_sums(out, &event->all);
	write_number(out, event->named);
	write_number(out, event->kernel);
	write_number(out, event->inlined);
	end_line(out);
}

void pd_baseline_sum(struct perfdata_text *out, const struct pd_side_sum *sum)
{
	perfdata_text_literal(out, "sum");
	write_number(out, sum->key);
	put_sums(out, &sum->self);
	put_sums(out, &sum->inclusive);
	end_line(out);
}

void pd_baseline_edge(struct perfdata_text *out, const struct pd_side_edge *edge)
{
	perfdata_text_literal(out, "edge");
	write_number(out, edge->caller);
	write_number(out, edge->callee);
	write_number(out, edge->n);
	write_number(out, edge->w);
	end_line(out);
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
