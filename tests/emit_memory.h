/* Runs an emitter over a recording in memory and gives its output, to be freed. */
#ifndef TESTS_EMIT_MEMORY_H
#define TESTS_EMIT_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "perfdata_emit.h"

struct emitted {
	enum perfdata_status opened;   /* the reader's answer; nothing below if it refused */
	enum perfdata_status status;   /* of the run */
	bool complete;
	uint64_t records;
	char *data;
	size_t size;
};

static inline void emit_read_back(int fd, struct emitted *ret)
{
	struct stat stat;
	if (fstat(fd, &stat) < 0)
		return;
	ret->data = malloc((size_t)stat.st_size + 1);
	if (ret->data && pread(fd, ret->data, (size_t)stat.st_size, 0) == stat.st_size)
		ret->size = (size_t)stat.st_size;
}

static inline uint32_t emit_needs(const struct perfdata_emitter *emitter)
{
	const uint32_t needs = emitter->needs_for ? emitter->needs_for(NULL, 0) : 0;
	return needs ? needs : emitter->needs;
}

/* ret->data is to be freed, whatever the status. */
static inline void emit_memory(const struct perfdata_emitter *emitter, const void *bytes, size_t size, unsigned jobs, struct emitted *ret)
{
	const struct perfdata_reader_options how = { .size = sizeof how, .order = PERFDATA_ORDER_TIME, .max_ratio = 1000, .max_spool = 64 << 20 };
	const struct perfdata_session_options options = { .size = sizeof options, .needs = emit_needs(emitter) };
	const struct perfdata_run_options run = { .size = sizeof run, .jobs = jobs };
	struct perfdata_session *session;
	struct perfdata_reader *reader;
	struct perfdata_sink *sink;

	memset(ret, 0, sizeof *ret);
	ret->opened = perfdata_reader_open_memory(bytes, size, "recording", &how, &reader, NULL);
	if (ret->opened != PERFDATA_OK)
		return;
	const int fd = memfd_create("output", MFD_CLOEXEC);
	ret->status = perfdata_session_open(reader, &options, &session, NULL);
	if (ret->status == PERFDATA_OK) {
		ret->status = perfdata_sink_open_fd(fd, &sink, NULL);
		if (ret->status == PERFDATA_OK) {
			ret->status = perfdata_run(session, emitter, sink, &run, NULL);
			perfdata_sink_close(sink, true, NULL);
		}
		const struct perfdata_summary *summary = perfdata_session_summary(session);
		ret->complete = summary->complete;
		ret->records = summary->records;
		emit_read_back(fd, ret);
		perfdata_session_close(session);
	}
	close(fd);
	perfdata_reader_close(reader);
}

#endif
