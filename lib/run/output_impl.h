/* SPDX-License-Identifier: MIT */
/* The inside of an output, and the functions that only the run calls: compression by many threads. */
#ifndef PD_OUTPUT_IMPL_H
#define PD_OUTPUT_IMPL_H

#include "codec/codec.h"
#include "perfdata/output.h"
#include "perfdata/text.h"

/* A compressed output is cut into pieces of this size, each a gzip member or zstd frame of its own: so several threads
 * can compress them, and the bytes depend on nothing but the contents. */
#define PD_OUTPUT_PIECE ((size_t)1 << 20)

enum pd_output_kind { PD_OUTPUT_PATH, PD_OUTPUT_FD, PD_OUTPUT_MEMORY, PD_OUTPUT_CALLBACKS };

struct perfdata_output {
	enum pd_output_kind kind;
	bool open;
	bool force, folders;
	unsigned withheld;             /* PATH: rights of group and others that the file does not get */
	bool packing_chosen;           /* the caller chose the compression by perfdata_output_pack */
	enum pd_codec_kind packing;
	char *asked;                   /* PATH: the caller's path */
	struct perfdata_output_callbacks callbacks;
	void *user;

	int fd;                        /* FD, an open PATH */
	char *path;                    /* where the file goes at the end, or NULL */
	char *temporary;               /* its name until then; NULL: it has no name */
	bool named;                    /* it has its name; `temporary`: the file that it replaced, or NULL */
	size_t made;                   /* the folders from this size of the path on were made for the file; 0: none */
	char *head, *tail;             /* of the paths of other outputs; NULL: those are beside this one */
	struct perfdata_text memory;   /* MEMORY */

	bool terminal;                 /* gets what pd_text_terminal makes of the bytes */
	bool colors;                   /* the text is colored by its emitter */
	struct perfdata_text unshown;  /* for a terminal: input bytes */
	struct perfdata_text shown;    /* for a terminal: output bytes */

	struct perfdata_text piece;    /* not compressed yet */
	struct perfdata_text compressed;
	struct pd_encoder *encoder;
	uint64_t written;
	struct perfdata_error error;   /* status is not 0 after a failure; the first one stays */
	struct perfdata_output *others, *next_other;   /* opened beside it */
};

/* output_file.c: an output at a path. */
/* Opens a file that gets its name at the end, or, if the path leads to something other than a regular file, that. */
enum perfdata_status pd_output_file_open(struct perfdata_output *output, struct perfdata_error *reterr);
/* Gives the file its name; 0, or -1 with errno. Until pd_output_file_settle, pd_output_file_drop can bring back the
 * file that it replaced. */
int pd_output_file_keep(struct perfdata_output *output);
void pd_output_file_settle(struct perfdata_output *output);
/* Removes the file if it is not kept, and brings back the file that it replaced. */
void pd_output_file_drop(struct perfdata_output *output);

/* output_folder.c */
/* Makes the missing folders of a path. 0, or -1 with errno. *ret_made: the size of the path to the first folder that
 * was made, or 0. */
int pd_output_folders_make(const char *path, size_t *ret_made);
/* Removes the folders that were made, as far as they are empty. */
void pd_output_folders_drop(const char *path, size_t made);
/* ".perfdata-PID-N.tmp" */
void pd_output_temporary_name(char *at, size_t room, unsigned number);
/* Locks a temporary file after creating it; false: another program took it for an abandoned file. */
bool pd_output_temporary_own(int fd, const char *name);

/* output.c: for the run. */
/* Bytes that the output took so far, before compression. */
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
/* Lets every further call fail, and the output is not kept. An earlier failure stays. */
void pd_output_give_up(struct perfdata_output *output, enum perfdata_status why);
/* Makes and opens another output beside this one, which is closed with this one. `suffix`: of the emitter's files. */
enum perfdata_status pd_output_open_other(struct perfdata_output *output, const char *name, const char *suffix,
					  struct perfdata_output **ret, struct perfdata_error *reterr);

#endif
