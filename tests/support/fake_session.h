/* SPDX-License-Identifier: MIT */
/* A made-up session that replaces the library's in tests of the run: the functions that the run calls, and an emitter
 * that can fail in each of its functions. Both count in static variables, so each test program has one of each. */
#ifndef FAKE_SESSION_H
#define FAKE_SESSION_H

#include <stdatomic.h>
#include <stdlib.h>
#include "perfdata/emit.h"
#include "reader/reader.h"
#include "unit.h"

/* --- a session of `nr_batches` batches; batch n holds one record of type types(n) --------------------------------- */

struct perfdata_session {
	uint64_t nr_batches, next;
	uint64_t first_kernel;              /* batches before this one contain only user records */
	enum perfdata_status ends_with;
	struct perfdata_error error;
	struct perfdata_header header;
	struct perfdata_summary summary;
	atomic_long alive;
	bool trimmed;                       /* pd_session_trim was called */
	struct perfdata_cancel *cancel;
	uint64_t stop_at;
	struct pd_listener listener;
	bool reports_findings;                         /* one finding before each batch, and one after the last */
};
static struct perfdata_session *fake;

/* session.h cannot be included: it has another struct perfdata_session. */
struct pd_listener pd_session_listen(struct perfdata_session *session, struct pd_listener listener);
struct pd_listener pd_session_listen(struct perfdata_session *session, struct pd_listener listener)
{
	const struct pd_listener before = session->listener;
	session->listener = listener;
	return before;
}
void pd_session_finish_names(const struct perfdata_session *session);
void pd_session_finish_names(const struct perfdata_session *session) { (void)session; }
void pd_session_trim(struct perfdata_session *session);
void pd_session_trim(struct perfdata_session *session)
{
	session->trimmed = true;
}
const char *pd_names_failure_text(enum perfdata_status status);
const char *pd_names_failure_text(enum perfdata_status status)
{
	(void)status;
	return "";
}
void pd_session_report_lacking(const struct perfdata_session *session);
void pd_session_report_lacking(const struct perfdata_session *session) { (void)session; }
enum perfdata_status pd_session_names_failure(const struct perfdata_session *session);
enum perfdata_status pd_session_names_failure(const struct perfdata_session *session)
{
	(void)session;
	return PERFDATA_OK;
}
bool pd_memory_is_low(struct perfdata_session *session);
bool pd_memory_is_low(struct perfdata_session *session)
{
	(void)session;
	return false;
}
bool pd_session_expect_helpers(struct perfdata_session *session);
bool pd_session_expect_helpers(struct perfdata_session *session)
{
	(void)session;
	return false;
}
bool pd_session_awaits_names(const struct perfdata_session *session);
bool pd_session_awaits_names(const struct perfdata_session *session)
{
	(void)session;
	return false;
}
void pd_session_let_help(struct perfdata_session *session, void (*wake)(void *user), void *user);
void pd_session_let_help(struct perfdata_session *session, void (*wake)(void *user), void *user)
{
	(void)session;
	(void)wake;
	(void)user;
}
bool pd_session_needs_help(const struct perfdata_session *session);
bool pd_session_needs_help(const struct perfdata_session *session)
{
	(void)session;
	return false;
}
bool pd_session_help(struct perfdata_session *session);
bool pd_session_help(struct perfdata_session *session)
{
	(void)session;
	return false;
}
bool pd_session_makes_samples(const struct perfdata_session *session);
bool pd_session_makes_samples(const struct perfdata_session *session)
{
	(void)session;
	return false;
}

static void report_reading(const struct perfdata_session *session)
{
	const struct perfdata_finding finding = { .severity = PERFDATA_SEVERITY_NOTE,
						  .code = PERFDATA_FINDING_RECORD_UNKNOWN,
						  .file = "made up",
						  .record = session->next,
						  .message = "read" };
	if (session->reports_findings)
		session->listener.on_finding(session->listener.user, &finding);
}

enum perfdata_status perfdata_session_next(struct perfdata_session *session, struct perfdata_batch **ret)
{
	if (session->cancel && session->next == session->stop_at)
		perfdata_cancel_now(session->cancel);
	report_reading(session);
	if (session->next == session->nr_batches)
		return session->ends_with;
	struct {
		struct perfdata_batch batch;
		struct perfdata_raw raw;
	} *made = calloc(1, sizeof *made);
	made->batch.number = session->next;
	made->batch.session = session;
	made->batch.records = &made->raw;
	made->batch.nr_records = 1;
	made->raw.type = session->next < session->first_kernel ? PERFDATA_RECORD_ATTR : PERFDATA_RECORD_SAMPLE;
	session->next++;
	session->alive++;
	*ret = &made->batch;
	return PERFDATA_OK;
}
static bool records_are_damaged;
/* Reports a finding for each batch, as the emitter below does. */
void perfdata_batch_check(const struct perfdata_batch *batch, perfdata_finding_fn *on_finding, void *user)
{
	char message[32];
	snprintf(message, sizeof message, "%llu", (unsigned long long)batch->number);
	const struct perfdata_finding finding = {
		.severity = PERFDATA_SEVERITY_ERROR,
		.code = PERFDATA_FINDING_RECORD_SHORT,
		.file = "made up",
		.record = batch->number,
		.message = message,
	};
	if (records_are_damaged)
		on_finding(user, &finding);
}

void perfdata_batch_release(struct perfdata_batch *batch)
{
	fake->alive--;
	free(batch);
}
const struct perfdata_error *perfdata_session_error(const struct perfdata_session *session) { return &session->error; }
const struct perfdata_reader *pd_session_reader(const struct perfdata_session *session);
const struct perfdata_reader *pd_session_reader(const struct perfdata_session *session)
{
	return (const void *)session;
}
const struct perfdata_header *perfdata_reader_header(const struct perfdata_reader *reader)
{
	return &((const struct perfdata_session *)(const void *)reader)->header;
}
void pd_session_drop_stacks(struct perfdata_session *session);
void pd_session_drop_stacks(struct perfdata_session *session) { (void)session; }
const struct perfdata_summary *perfdata_session_summary(struct perfdata_session *session) { return &session->summary; }

/* --- an emitter that can fail anywhere ---------------------------------------------------------------------------- */

#define NEVER UINT64_MAX
static struct {
	enum perfdata_status begin;
	uint64_t scan_at, format_at, merge_at;
	enum perfdata_status end;
	uint64_t line_bytes;
	bool findings;
} plan;
static struct {
	uint64_t begun_after;               /* batches pulled before begin */
	enum perfdata_status end_status;
	bool end_complete, end_trimmed;
	int begins, ends, releases;
	atomic_long values, parts;
	uint64_t scanned, merged;
	bool out_of_order;
} seen;

struct small { uint64_t number; };
static struct small *small_new(uint64_t number, atomic_long *count)
{
	struct small *small = malloc(sizeof *small);
	small->number = number;
	++*count;
	return small;
}
static void free_value(void *value)
{
	seen.values--;
	free(value);
}
static void free_part(void *part)
{
	seen.parts--;
	free(part);
}
static perfdata_finding_fn *on_finding;
static void *on_finding_user;

static enum perfdata_status begin(const struct perfdata_emit_context *context, void **ret_state,
				  struct perfdata_text *out)
{
	seen.begins++;
	seen.begun_after = fake->next;
	on_finding = context->on_finding;
	on_finding_user = context->user;
	if (plan.begin)
		return plan.begin;
	*ret_state = &seen;
	perfdata_text_literal(out, "begin\n");
	return PERFDATA_OK;
}
static enum perfdata_status scan(void *state, const struct perfdata_batch *batch, void **ret_value)
{
	(void)state;
	if (batch->number != seen.scanned++)
		seen.out_of_order = true;
	if (batch->number == plan.scan_at)
		return PERFDATA_ENOMEM;
	*ret_value = small_new(batch->number * 3, &seen.values);
	return PERFDATA_OK;
}
static enum perfdata_status format(const void *state, const struct perfdata_batch *batch, void *value,
				   struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	(void)state;
	if (!scratch->cache) {
		scratch->cache = malloc(8);
		scratch->free_cache = free;
	}
	if (batch->number == plan.format_at)
		return PERFDATA_ELIMIT;
	const struct small *small = value;
	perfdata_text_printf(out, "%llu %llu ", (unsigned long long)batch->number, (unsigned long long)small->number);
	for (uint64_t i = 0; i < plan.line_bytes; i++)
		perfdata_text_char(out, (char)('a' + (batch->number * 7 + i * i) % 26));
	perfdata_text_char(out, '\n');
	*ret_part = small_new(batch->number, &seen.parts);
	return PERFDATA_OK;
}
static enum perfdata_status merge(void *state, void *part, struct perfdata_text *out)
{
	(void)state;
	const uint64_t number = ((struct small *)part)->number;
	free_part(part);
	if (number != seen.merged++)
		seen.out_of_order = true;
	if (number == plan.merge_at)
		return PERFDATA_ENOMEM;
	if (plan.findings) {
		char message[32];
		snprintf(message, sizeof message, "%llu", (unsigned long long)number);
		const struct perfdata_finding finding = { .severity = number == 5 ? PERFDATA_SEVERITY_ERROR
										  : PERFDATA_SEVERITY_NOTE,
							  .code = PERFDATA_FINDING_RECORD_UNKNOWN,
							  .record = number,
							  .message = message };
		on_finding(on_finding_user, &finding);
	}
	perfdata_text_literal(out, "merged\n");
	return PERFDATA_OK;
}
static enum perfdata_status end(void *state, const struct perfdata_emit_end *what, struct perfdata_text *out)
{
	(void)state;
	seen.ends++;
	seen.end_trimmed = fake->trimmed && !fake->alive;
	seen.end_status = what->status;
	seen.end_complete = what->complete;
	if (plan.end)
		return plan.end;
	perfdata_text_printf(out, "end %d\n", what->complete);
	return PERFDATA_OK;
}
static void release(void *state)
{
	(void)state;
	seen.releases++;
}
static const struct perfdata_emitter emitter = {
	.abi = PERFDATA_EMITTER_ABI,
	.size = sizeof(struct perfdata_emitter),
	.name = "test",
	.help = "",
	.begin = begin,
	.scan = scan,
	.format = format,
	.merge = merge,
	.end = end,
	.free_value = free_value,
	.free_part = free_part,
	.release = release,
};

#endif
