/* SPDX-License-Identifier: MIT */
/* The members of an output, and the functions that only the run calls, such as compression in many threads. */
#ifndef PD_OUTPUT_IMPL_H
#define PD_OUTPUT_IMPL_H

#include "codec/codec.h"
#include "perfdata/output.h"
#include "perfdata/text.h"

/* A compressed output is cut into pieces of this size, and each piece becomes a gzip member or zstd frame. So several
 * threads can compress pieces, and the bytes depend on the contents alone. */
#define PD_OUTPUT_PIECE ((size_t)1 << 20)

enum pd_output_kind { PD_OUTPUT_PATH, PD_OUTPUT_FD, PD_OUTPUT_MEMORY, PD_OUTPUT_CALLBACKS };

struct perfdata_output {
	enum pd_output_kind kind;
	bool open;
	bool force, folders;
	unsigned withheld;             /* PATH: permission bits of group and others that the file lacks */
	bool packing_chosen;           /* the caller chose the compression by perfdata_output_pack */
	enum pd_codec_kind packing;
	char *asked;                   /* PATH: the caller's path */
	struct perfdata_output_callbacks callbacks;
	void *user;

	int fd;                        /* FD, an open PATH */
	char *path;                    /* PATH: the final name of the file; NULL: a device or pipe */
	char *temporary;               /* PATH: the name of the incomplete file; NULL: it has none */
	bool named;                    /* the file has its final name; `temporary`: the replaced file */
	size_t made;                   /* size of the path to the first folder made for the file; 0: none */
	char *head, *tail;             /* paths of other outputs are HEAD NAME TAIL; NULL: made from `asked` */
	struct perfdata_text memory;   /* MEMORY */

	bool terminal;                 /* the bytes pass through pd_text_terminal */
	bool colors;                   /* color sequences of the emitter reach a terminal unescaped */
	struct perfdata_text unshown;  /* for a terminal: bytes that are not escaped yet */
	struct perfdata_text shown;    /* for a terminal: escaped bytes */

	struct perfdata_text piece;    /* bytes to be compressed */
	struct perfdata_text compressed;
	struct pd_encoder *encoder;
	uint64_t written;
	struct perfdata_error error;   /* the first failure; status 0: none */
	struct perfdata_output *others, *next_other;   /* outputs opened beside this one */
};

/* output_file.c: an output at a path. */
/* Creates a file, which pd_output_file_keep will name. If the path leads to a device or pipe, opens this instead. */
enum perfdata_status pd_output_file_open(struct perfdata_output *output, struct perfdata_error *reterr);
/* Gives the complete file its name; 0, or -1 with errno. The file that had the name is kept until
 * pd_output_file_settle removes it or pd_output_file_drop brings it back. */
int pd_output_file_keep(struct perfdata_output *output);
void pd_output_file_settle(struct perfdata_output *output);
/* Removes the new file, and brings back the file that it replaced. */
void pd_output_file_drop(struct perfdata_output *output);

/* output_folder.c */
/* Makes the missing folders of a path. 0, or -1 with errno. *ret_made: the size of the path to the first folder that
 * was made, or 0. */
int pd_output_folders_make(const char *path, size_t *ret_made);
/* Removes the folders that were made, as far as they are empty. */
void pd_output_folders_drop(const char *path, size_t made);
/* Writes ".perfdata-PID-NUMBER.tmp". */
void pd_output_temporary_name(char *at, size_t room, unsigned number);
/* Locks a temporary file that was just created; false: another program is removing it as an abandoned file. */
bool pd_output_temporary_own(int fd, const char *name);

/* output.c: for the run. */
/* Returns the bytes that the output took so far, before compression. */
uint64_t pd_output_taken(const struct perfdata_output *output);
enum pd_codec_kind pd_output_packing(const struct perfdata_output *output);
/* Compresses one piece and appends it to `out`. The encoder is made at first need; free it with pd_encoder_free. */
enum perfdata_status pd_output_pack(const struct perfdata_output *output, struct pd_encoder **encoder,
				    const void *bytes, size_t size, struct perfdata_text *out);
/* Writes a compressed piece that held `size_before` bytes. */
enum perfdata_status pd_output_write_compressed(struct perfdata_output *output, const void *bytes, size_t size,
						size_t size_before);
/* Declares that the text consists of printable characters and color sequences only, so that a terminal gets the color
 * sequences unescaped. */
void pd_output_allow_colors(struct perfdata_output *output);
/* Makes every further call fail with `why`, so that no file is kept. An earlier failure stays. */
void pd_output_give_up(struct perfdata_output *output, enum perfdata_status why);
/* Makes and opens another output, which is closed with this one. suffix: of the emitter's files, such as "csv". */
enum perfdata_status pd_output_open_other(struct perfdata_output *output, const char *name, const char *suffix,
					  struct perfdata_output **ret, struct perfdata_error *reterr);

#endif
