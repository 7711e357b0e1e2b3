/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "grow.h"
#include "outcome.h"

#define FINDINGS_SHOWN 10

void outcome_release(struct outcome *outcome)
{
	perfdata_text_release(&outcome->findings);
	perfdata_text_release(&outcome->first_error);
	for (size_t i = 0; i < outcome->nr_outputs; i++)
		free(outcome->outputs[i]);
	free(outcome->outputs);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void add_file(const struct stat *status, uint64_t *bytes, uint64_t *changed)
{
	const uint64_t ns = (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;
	*bytes += (uint64_t)status->st_size;
	*changed = *changed > ns ? *changed : ns;
}

bool outcome_measure(const char *path, uint64_t *ret_bytes, uint64_t *ret_changed)
{
	struct stat status;
	*ret_bytes = *ret_changed = 0;
	if (stat(path, &status))
		return false;
	DIR *folder = S_ISDIR(status.st_mode) ? opendir(path) : NULL;
	if (!folder)
		add_file(&status, ret_bytes, ret_changed);
	for (const struct dirent *entry; folder && (entry = readdir(folder));)
		if (!fstatat(dirfd(folder), entry->d_name, &status, 0) && S_ISREG(status.st_mode))
			add_file(&status, ret_bytes, ret_changed);
	if (folder)
		closedir(folder);
	return true;
}

/* --- what is known ------------------------------------------------------------------------------------------------ */

void outcome_add_output(void *user, const char *path)
{
	struct outcome *outcome = user;
	char *copy = strdup(path);
	if (copy && grow_list(&outcome->outputs, &outcome->room_outputs, outcome->nr_outputs, sizeof copy)) {
		outcome->outputs[outcome->nr_outputs++] = copy;
		return;
	}
	free(copy);
	outcome->starved = true;
}

bool outcome_is_whole(const struct outcome *outcome)
{
	return !outcome->starved && !perfdata_text_failed(&outcome->findings) &&
	       !perfdata_text_failed(&outcome->first_error);
}

static void take_failure(struct outcome *outcome, const struct input *input)
{
	const struct perfdata_finding failure = input_failure(input);
	if (input->error.status)
		perfdata_text_finding(&outcome->first_error, &failure, false);
}

void outcome_take(struct outcome *outcome, const struct input *input)
{
	const struct messages *messages = &input->messages;
	size_t nr;
	const struct perfdata_finding *kept = perfdata_finding_list_get(messages->kept, &nr, NULL);
	outcome->code = input->code;
	outcome->errors = messages->errors;
	outcome->warnings = messages->warnings;
	outcome->findings_total = messages->total;
	take_failure(outcome, input);
	for (size_t i = 0; i < nr; i++) {
		if (i && i < FINDINGS_SHOWN)
			perfdata_text_char(&outcome->findings, ',');
		if (i < FINDINGS_SHOWN)
			perfdata_text_finding(&outcome->findings, &kept[i], false);
		if (kept[i].severity == PERFDATA_SEVERITY_ERROR && !outcome->first_error.size)
			perfdata_text_finding(&outcome->first_error, &kept[i], false);
	}
}

void outcome_count(struct outcome *outcome, const struct perfdata_summary *summary)
{
	if (!summary)
		return;
	outcome->records = summary->records;
	outcome->lost_samples = summary->lost_samples;
	for (size_t i = 0; i < summary->nr_events; i++)
		outcome->samples += perfdata_summary_event(summary, i)->samples;
}

const char *outcome_status(const struct outcome *outcome)
{
	if (outcome->skipped)
		return "skipped";
	switch (outcome->code) {
	case EXIT_FINE: return "done";
	case EXIT_ANSWER_NO:
	case EXIT_DAMAGED: return "damaged";
	case EXIT_INTERRUPTED: return "interrupted";
	default: return "failed";
	}
}

/* --- spelling ----------------------------------------------------------------------------------------------------- */

static void text_member(struct perfdata_text *out, const char *key, const char *value)
{
	perfdata_text_printf(out, ",\"%s\":", key);
	perfdata_text_json_string(out, value, strlen(value));
}

static void spell_outputs(struct perfdata_text *out, const struct outcome *outcome)
{
	perfdata_text_literal(out, ",\"outputs\":[");
	for (size_t i = 0; i < outcome->nr_outputs; i++) {
		perfdata_text_string(out, i ? "," : "");
		perfdata_text_json_string(out, outcome->outputs[i], strlen(outcome->outputs[i]));
	}
	perfdata_text_char(out, ']');
}

void outcome_spell(struct perfdata_text *out, const struct outcome *outcome)
{
	perfdata_text_printf(out, "{\"level\":\"summary\",\"type\":\"input\",\"index\":%zu", outcome->index);
	text_member(out, "input", outcome->file);
	text_member(out, "recording", outcome->recording);
	if (outcome->table)
		text_member(out, "table", outcome->table);
	spell_outputs(out, outcome);
	perfdata_text_printf(out,
			     ",\"status\":\"%s\",\"exit_code\":%d,\"records\":%" PRIu64 ",\"samples\":%" PRIu64
			     ",\"lost_samples\":%" PRIu64 ",\"records_out\":%" PRIu64 ",\"bytes_in\":%" PRIu64
			     ",\"bytes_out\":%" PRIu64 ",\"seconds\":%" PRIu64 ".%06" PRIu64,
			     outcome_status(outcome), (int)outcome->code, outcome->records, outcome->samples,
			     outcome->lost_samples, outcome->written, outcome->bytes_in, outcome->bytes_out,
			     outcome->ns / 1000000000, outcome->ns / 1000 % 1000000);
	perfdata_text_printf(
		out, ",\"errors\":%" PRIu64 ",\"warnings\":%" PRIu64 ",\"findings_total\":%" PRIu64 ",\"findings\":[",
		outcome->errors, outcome->warnings, outcome->findings_total);
	perfdata_text_append(out, outcome->findings.data, outcome->findings.size);
	perfdata_text_literal(out, "],\"first_error\":");
	if (outcome->first_error.size)
		perfdata_text_append(out, outcome->first_error.data, outcome->first_error.size);
	else
		perfdata_text_literal(out, "null");
	perfdata_text_literal(out, "}\n");
}
