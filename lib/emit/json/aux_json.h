/* SPDX-License-Identifier: MIT */
/* Packets of traces as JSON lines: `--aux packets`, and the operations that Arm SPE sampled: `--aux samples`. */
#ifndef EMIT_AUX_JSON_H
#define EMIT_AUX_JSON_H

#include "emit/json/spell.h"
#include "auxtrace/aux_pieces.h"

enum aux_lines { AUX_NO_LINES, AUX_SAMPLES, AUX_PACKETS };   /* AUX_PACKETS: operations, too */

/* How lines are written: `start` writes what stands in front of each line, `end` stands behind it. */
struct aux_json {
	enum aux_lines lines;
	bool int64_string;
	const char *recording;               /* shown in each line, where several share an output; or NULL */
	const char *file;                    /* names the recording, where several share an output; or NULL */
	const char *end;
	void (*start)(void *user, struct perfdata_text *out);
	void *user;
};

/* All lines of a piece. */
void pd_aux_json(const struct aux_json *how, const struct pd_aux_piece *piece, struct perfdata_text *out);

#endif
