/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "base/memory.h"
#include "profile/profile_read.h"
#include "session/session.h"

struct pd_profile_read {
	struct perfdata_reader *reader;
	struct perfdata_session *session;
	struct pd_profile *profile;
};

struct perfdata_session *pd_profile_read_session(struct pd_profile_read *read) { return read->session; }
struct pd_profile *pd_profile_read_profile(struct pd_profile_read *read) { return read->profile; }

void pd_profile_read_free(struct pd_profile_read *read)
{
	if (!read)
		return;
	pd_profile_free(read->profile);
	perfdata_session_close(read->session);
	perfdata_reader_close(read->reader);
	pd_free(read);
}

static enum perfdata_status add_batches(struct pd_profile_read *read)
{
	struct perfdata_batch *batch;
	enum perfdata_status status;
	while ((status = perfdata_session_next(read->session, &batch)) == PERFDATA_OK) {
		struct pd_profile_part *part;
		status = pd_profile_collect(read->profile, batch, &part);
		if (status == PERFDATA_OK)
			status = pd_profile_add(read->profile, part);
		perfdata_batch_release(batch);
		if (status != PERFDATA_OK)
			return status;
	}
	/* In a damaged recording, the samples before the damage count. */
	const bool is_end = status == PERFDATA_END || status == PERFDATA_DAMAGED || status == PERFDATA_EREAD;
	return is_end ? pd_profile_finish(read->profile) : status;
}

enum perfdata_status pd_profile_read_path(const char *path, const struct perfdata_session *like,
					  const struct perfdata_reader_options *reader,
					  const struct pd_profile_options *wanted, struct pd_profile_read **ret,
					  struct perfdata_error *reterr)
{
	struct pd_profile_read *read = pd_calloc(1, sizeof *read);
	if (!read)
		return PERFDATA_ENOMEM;
	struct perfdata_reader_options how = *reader;
	how.order = PERFDATA_ORDER_TIME;
	enum perfdata_status status = perfdata_reader_open_path(path, &how, &read->reader, reterr);
	if (status == PERFDATA_OK) {
		struct perfdata_session_options own = like->options;
		struct perfdata_filter filter = *like->options.filter;
		filter.time_first = filter.time_last = 0;   /* the range applies to times of the run's recording */
		own.filter = &filter;
		status = perfdata_session_open(read->reader, &own, &read->session, reterr);
	}
	if (status == PERFDATA_OK)
		status = pd_profile_new(read->session, wanted, &read->profile);
	if (status == PERFDATA_OK)
		status = add_batches(read);
	if (status != PERFDATA_OK) {
		pd_profile_read_free(read);
		return status;
	}
	*ret = read;
	return PERFDATA_OK;
}
