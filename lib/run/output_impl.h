/* SPDX-License-Identifier: MIT */
/* The inside of an output, and what the run needs of it beyond the public functions: compression by many threads. */
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
	bool packing_chosen;           /* by perfdata_output_pack */
	enum pd_codec_kind packing;
	char *asked;                   /* PATH: as given */
	struct perfdata_output_callbacks callbacks;
	void *user;

	int fd;                        /* FD, an open PATH */
	bool seekable;                 /* a regular file, whose first byte of ours stands at `base` */
	uint64_t base;
	char *path;                    /* where the file goes at the end, or NULL */
	char *temporary;               /* its name until then, or NULL: it has none */
	bool named;                    /* it has its name; `temporary` is what stood there before, or NULL */
	size_t made;                   /* the folders from this size of the path on were made for it; 0: none */
	char *head, *tail;             /* of the paths of others; NULL: they are beside it */
	struct perfdata_text memory;   /* MEMORY */

	struct perfdata_text piece;    /* not compressed yet */
	struct perfdata_text compressed;
	struct pd_encoder *encoder;
	uint64_t written;
	struct perfdata_error error;   /* status is not 0 after the first failure, which stays */
	struct perfdata_output *others, *next_other;   /* opened beside it */
};

/* output_file.c: an output at a path. */
/* Opens a file that gets its name at the end, or what stands at the path already, if that is no regular file. */
enum perfdata_status pd_output_file_open(struct perfdata_output *output, struct perfdata_error *reterr);
/* Gives the file its name; 0, or -1 with errno. What stood there can be brought back, until it is settled. */
int pd_output_file_keep(struct perfdata_output *output);
void pd_output_file_settle(struct perfdata_output *output);
/* What is left of it goes, and what stood there comes back. */
void pd_output_file_drop(struct perfdata_output *output);

/* output_folder.c */
/* Makes the folders of a path that are missing. 0, or -1 with errno. *ret_made: the size of the path to the first one
 * that was made, or 0. */
int pd_output_folders_make(const char *path, size_t *ret_made);
/* Takes back those that are empty. */
void pd_output_folders_drop(const char *path, size_t made);
/* ".perfdata-PID-N.tmp" */
void pd_output_temporary_name(char *at, size_t room, unsigned number);
/* Locks a file that was made under such a name; false: somebody else took it for one that was left. */
bool pd_output_temporary_own(int fd, const char *name);

/* output.c: for the run. */
/* Bytes that it was given so far, before packing. */
uint64_t pd_output_taken(const struct perfdata_output *output);
enum pd_codec_kind pd_output_packing(const struct perfdata_output *output);
/* Compresses one piece, behind what is in `out`. The encoder is made at first need; free it with pd_encoder_free. */
enum perfdata_status pd_output_pack(const struct perfdata_output *output, struct pd_encoder **encoder,
				    const void *bytes, size_t size, struct perfdata_text *out);
/* Writes a compressed piece that held `size_before` bytes. */
enum perfdata_status pd_output_write_compressed(struct perfdata_output *output, const void *bytes, size_t size,
						size_t size_before);
/* Whether bytes that were written can be changed. */
bool pd_output_can_patch(const struct perfdata_output *output);
/* Writes over bytes that were written. */
enum perfdata_status pd_output_patch(struct perfdata_output *output, uint64_t offset, const void *bytes, size_t size);
/* Makes another output beside it, closed with it, and opens that. `suffix` is that of the emitter's files. */
enum perfdata_status pd_output_open_other(struct perfdata_output *output, const char *name, const char *suffix,
					  struct perfdata_output **ret, struct perfdata_error *reterr);

#endif
