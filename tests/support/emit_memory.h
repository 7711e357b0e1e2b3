/* SPDX-License-Identifier: MIT */
/* Runs an emitter over a recording in memory, and returns its output, to be freed. */
#ifndef TESTS_EMIT_MEMORY_H
#define TESTS_EMIT_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/emit.h"
#include "run/run.h"
#include "opening.h"

struct emitted {
	enum perfdata_status opened;   /* status of opening the reader; after a failure, the other members are unset */
	enum perfdata_status status;   /* status of the run */
	bool complete;
	uint64_t records;
	char *data;
	size_t size;
};

static inline void emit_read_back(const struct perfdata_output *output, struct emitted *ret)
{
	const struct perfdata_bytes bytes = output ? perfdata_output_bytes(output) : (struct perfdata_bytes){ NULL, 0 };
	ret->data = malloc(bytes.size + 1);
	if (!ret->data)
		return;
	if (bytes.size)
		memcpy(ret->data, bytes.data, bytes.size);
	ret->size = bytes.size;
}

/* Joins all outputs of an emitter in one memory output. */
static inline int emit_write(void *user, const void *bytes, size_t size)
{
	return perfdata_output_write(user, bytes, size) == PERFDATA_OK ? 0 : 12;
}
static inline int emit_open(void *user, const char *name, void **ret_user)
{
	(void)name;
	*ret_user = user;
	return 0;
}
static inline struct perfdata_output *emit_several(struct perfdata_output *memory)
{
	static const struct perfdata_output_callbacks callbacks = { .size = sizeof callbacks,
								    .write = emit_write,
								    .open = emit_open };
	return memory && perfdata_output_open(memory, NULL) == PERFDATA_OK
		       ? perfdata_output_callbacks(&callbacks, memory)
		       : NULL;
}

struct emit_how {
	unsigned jobs;
	const struct perfdata_emitter_option_value *options;
	size_t nr_options;
	struct perfdata_symbols *symbols;   /* NULL: no names */
};

static inline uint32_t emit_needs_for(const struct perfdata_emitter *emitter, const struct emit_how *emit)
{
	struct perfdata_configuration configuration;
	const enum perfdata_status status = pd_emitter_configure(emitter, emit->options, emit->nr_options,
								       PERFDATA_DEFAULT, &configuration, NULL);
	return status == PERFDATA_OK ? configuration.needs : emitter->needs;
}

static inline uint32_t emit_needs(const struct perfdata_emitter *emitter)
{
	return emit_needs_for(emitter, &(const struct emit_how){ .jobs = 1 });
}

/* Runs the emitter; free ret->data, whatever the status. */
static inline void emit_memory_with(const struct perfdata_emitter *emitter, const void *bytes, size_t size,
				    const struct emit_how *emit, struct emitted *ret)
{
	const struct perfdata_reader_options how = {
		.size = sizeof how, .order = PERFDATA_ORDER_TIME, .max_ratio = 1000, .max_spool = 64 << 20
	};
	const struct perfdata_session_options options = { .size = sizeof options,
							  .needs = emit_needs_for(emitter, emit),
							  .symbols = emit->symbols };
	const struct perfdata_run_options run = { .size = sizeof run, .jobs = emit->jobs };
	struct perfdata_output *output = perfdata_output_memory(), *several = NULL;
	if (emitter->flags & PERFDATA_EMITTER_ONLY_NAMED)
		several = emit_several(output);
	const struct perfdata_target target = {
		.size = sizeof target,
		.emitter = emitter,
		.options = emit->options,
		.nr_options = emit->nr_options,
		.output = several ? several : output,
	};
	struct perfdata_session *session;
	struct perfdata_reader *reader;

	memset(ret, 0, sizeof *ret);
	ret->opened = open_memory(bytes, size, "recording", &how, &reader, NULL);
	if (ret->opened != PERFDATA_OK) {
		perfdata_output_close(several, false, NULL);
		perfdata_output_close(output, false, NULL);
		return;
	}
	ret->status = perfdata_session_open(reader, &options, &session, NULL);
	if (ret->status == PERFDATA_OK) {
		ret->status = output ? pd_run_emitters(session, &(const struct perfdata_target *){ &target }, 1, &run,
						    NULL, NULL)
				     : PERFDATA_ENOMEM;
		const struct perfdata_summary *summary = perfdata_session_summary(session);
		ret->complete = summary->complete;
		ret->records = summary->records;
		emit_read_back(output, ret);
		perfdata_session_close(session);
	}
	perfdata_output_close(several, true, NULL);
	perfdata_output_close(output, true, NULL);
	perfdata_reader_close(reader);
}

/* Runs the emitter with its default options. */
static inline void emit_memory(const struct perfdata_emitter *emitter, const void *bytes, size_t size, unsigned jobs,
			       struct emitted *ret)
{
	emit_memory_with(emitter, bytes, size, &(const struct emit_how){ .jobs = jobs }, ret);
}

#endif
