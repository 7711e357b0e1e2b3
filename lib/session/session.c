#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "session/session.h"

enum perfdata_status perfdata_session_open(struct perfdata_reader *reader, const struct perfdata_session_options *options,
					   struct perfdata_session **ret, struct perfdata_error *reterr)
{
	struct perfdata_session *session = pd_calloc(1, sizeof *session);
	enum perfdata_status status = session ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (status == PERFDATA_OK) {
		session->reader = reader;
		memcpy(&session->options, options, options->size < sizeof session->options ? options->size : sizeof session->options);
		session->counts.summary.first_time = session->counts.summary.last_time = UINT64_MAX;
		status = pd_filter_init(&session->filter, &session->options.filter);
	}
	if (status != PERFDATA_OK) {
		perfdata_session_close(session);
		if (reterr)
			*reterr = (struct perfdata_error){ .status = status, .offset = PERFDATA_NO_OFFSET, .message = "out of memory" };
		return status;
	}
	*ret = session;
	return PERFDATA_OK;
}

void perfdata_session_close(struct perfdata_session *session)
{
	if (!session)
		return;
	pd_batches_free(session);
	pd_filter_release(&session->filter);
	pd_counts_release(&session->counts);
	pd_free(session);
}

const struct perfdata_reader *perfdata_session_reader(const struct perfdata_session *session) { return session->reader; }

const struct perfdata_error *perfdata_session_error(const struct perfdata_session *session) { return &session->error; }

/* Takes one record into the open batch, if it passes. */
static enum perfdata_status take_record(struct perfdata_session *session, const struct perfdata_raw *raw)
{
	enum perfdata_status status = pd_count_record(&session->counts, raw);
	if (status != PERFDATA_OK || !pd_filter_record(&session->filter, raw, NULL))
		return status;
	struct pd_batch *batch = pd_batch_open(session);
	if (!batch)
		return PERFDATA_ENOMEM;
	session->counts.summary.records_out++;
	return pd_batch_add_record(batch, raw);
}

static enum perfdata_status fail(struct perfdata_session *session, enum perfdata_status status)
{
	session->end = status;
	session->error = (struct perfdata_error){ .status = status, .offset = PERFDATA_NO_OFFSET };
	strncpy(session->error.message, perfdata_status_text(status), sizeof session->error.message - 1);
	return status;
}

static bool limit_is_reached(const struct perfdata_session *session)
{
	return session->options.limit && session->counts.summary.records_out >= session->options.limit;
}

static bool batch_is_due(const struct perfdata_session *session)
{
	const struct pd_batch *batch = session->open;
	return batch && (pd_batch_is_full(batch) || (batch->public.nr_records && !pd_reader_ready(session->reader)));
}

enum perfdata_status perfdata_session_next(struct perfdata_session *session, struct perfdata_batch **ret)
{
	while (session->end == PERFDATA_OK && !batch_is_due(session)) {
		struct perfdata_raw raw;
		enum perfdata_status status = perfdata_reader_next(session->reader, &raw);
		if (status == PERFDATA_END) {
			session->end = PERFDATA_END;
		} else if (status != PERFDATA_OK) {
			session->error = *perfdata_reader_error(session->reader);
			session->end = status;
		} else {
			status = take_record(session, &raw);
			if (status != PERFDATA_OK)
				fail(session, status);
			else if (limit_is_reached(session))
				session->end = PERFDATA_END;
		}
	}
	if (!session->open)
		return session->end;
	*ret = &session->open->public;
	session->open = NULL;
	return PERFDATA_OK;
}

const struct perfdata_summary *perfdata_session_summary(struct perfdata_session *session)
{
	/* without memory the lists stay as they were published last; the sums are right */
	(void)pd_counts_publish(session);
	return &session->counts.summary;
}
