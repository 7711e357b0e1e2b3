/* SPDX-License-Identifier: MIT */
/* Packets of traces (`--aux packets`) and sampled operations of Arm SPE (`--aux samples`) as JSON lines. */
#ifndef EMIT_AUX_JSON_H
#define EMIT_AUX_JSON_H

#include "reader/trace_pieces.h"
#include "emit/values/record.h"

enum aux_lines { AUX_NO_LINES, AUX_SAMPLES, AUX_PACKETS };   /* AUX_PACKETS includes the samples */

/* The value of `--aux`; whether samples have names, as other records do. */
enum aux_lines pd_aux_lines_of(const struct perfdata_emitter_option_value *values, size_t nr_values);
bool pd_aux_lines_named(enum aux_lines lines, const struct record_world *world);
/* Configures what `--aux` needs. */
void pd_aux_lines_configure(struct perfdata_configuration *configuration);

/* How lines are written: `start` writes the text before a line, `end` is the text after it. */
struct aux_json {
	enum aux_lines lines;
	bool named;                          /* samples are separate records with names: pd_aux_json_sample */
	bool int64_string;
	const char *recording;               /* the recording in each line, if several share an output; or NULL */
	const char *file;                    /* the file in each line, if several recordings share an output; or NULL */
	const char *end;
	void (*start)(void *user, struct perfdata_text *out);
	void *user;
};

/* All lines of a piece. */
void pd_aux_json(const struct aux_json *how, const struct pd_aux_piece *piece, struct perfdata_text *out);
/* The line of a sample; with names if r->delivery is set. */
void pd_aux_json_sample(const struct aux_json *how, const struct pd_spe_row *row, struct record *r);

#endif
