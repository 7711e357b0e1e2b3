/* SPDX-License-Identifier: MIT */
/* Where bytes go: a path, a descriptor, memory, or functions of the caller; compressed or not.
 *
 * Making an output opens nothing: perfdata_output_open does, which perfdata_convert calls, so all errors come from
 * there. A file gets its name when it is whole: until perfdata_output_close it has no name, or (on file systems that do
 * not support O_TMPFILE) a temporary name, ".perfdata-PID-N.tmp", and its writer holds a lock (flock) on it.
 *
 * A terminal, as a path or a descriptor, never gets control sequences, or characters that hide or reverse the text
 * beside them: their bytes are written as \xNN. Files, pipes and functions get the bytes as they are. */
#ifndef PERFDATA_OUTPUT_H
#define PERFDATA_OUTPUT_H

#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_output;

enum perfdata_output_flag {
	PERFDATA_OUTPUT_FORCE = 1,      /* replace a file that exists */
	/* make the missing folders of its path; they are removed again if no file is kept in them */
	PERFDATA_OUTPUT_FOLDERS = 2,
};
/* A further flag: group and others get no more rights than a file of this mode gives them, whatever the umask is and
 * whatever file the output replaces. */
#define PERFDATA_OUTPUT_LIKE(mode) ((~(unsigned)(mode) & 077u) << 8)
enum perfdata_packing { PERFDATA_PACKING_NONE, PERFDATA_PACKING_GZIP, PERFDATA_PACKING_ZSTD };

/* Functions of the caller. The thread of the run that writes at that time calls them, never two threads at once. A
 * result other than 0 is an errno value: the output fails with PERFDATA_EWRITE. Filled as options are: opening the
 * output fails with PERFDATA_EUSAGE if members are wrong. */
struct perfdata_output_callbacks {
	size_t size;
	int (*write)(void *user, const void *bytes, size_t size);
	/* Optional: opens another output beside this one, for emitters with several; *ret_user is the `user` of these
	 * functions for the new output. */
	int (*open)(void *user, const char *name, void **ret_user);
	/* Optional: called once, also where nothing was written; keep: the output is complete, as far as the input
	 * was. */
	int (*close)(void *user, bool keep);
};

/* Each returns NULL only without memory. Arguments are copied, except descriptors. A path is compressed by the suffix
 * .gz or .zst. A path with the suffix .xz fails with PERFDATA_EUNSUP when it is opened, since the library cannot
 * write xz. */
PERFDATA_API struct perfdata_output *perfdata_output_path(const char *path, unsigned flags);
PERFDATA_API struct perfdata_output *perfdata_output_fd(int fd);   /* not closed */
PERFDATA_API struct perfdata_output *perfdata_output_memory(void);
PERFDATA_API struct perfdata_output *perfdata_output_callbacks(const struct perfdata_output_callbacks *callbacks,
							       void *user);
/* Sets the compression, whatever suffix the name has. */
PERFDATA_API void perfdata_output_pack(struct perfdata_output *output, enum perfdata_packing packing);

/* For a path, before it is opened: the output NAME beside it goes to `head` NAME `tail` ("DIR/", "/x.csv") instead of a
 * path made from the output's own ("DIR/x.NAME.csv"). A slash in NAME becomes '_'. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_output_beside(struct perfdata_output *output, const char *head,
							 const char *tail);
/* Calls `each` with the path of every file that this output and the outputs beside it write: from opening until
 * perfdata_output_close. */
PERFDATA_API void perfdata_output_each_path(const struct perfdata_output *output,
					    void (*each)(void *user, const char *path), void *user);
/* Removes the temporary files that killed programs left in a folder: those whose lock no process holds. Returns how
 * many there were. */
PERFDATA_API unsigned perfdata_output_clean(const char *folder);

/* Whether the library can write what the path asks for, such as a compression by suffix. Opens nothing; reterr may be
 * NULL. */
PERFDATA_API enum perfdata_status perfdata_output_check_path(const char *path, struct perfdata_error *reterr);

/* Opens the output unless it is open. PERFDATA_EWRITE, PERFDATA_EUSAGE (the file exists; os_error is EEXIST),
 * PERFDATA_EUNSUP, PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_output_open(struct perfdata_output *output, struct perfdata_error *reterr);
/* Writes to an open output. After a failure, all further calls fail with the first error. */
PERFDATA_API enum perfdata_status perfdata_output_write(struct perfdata_output *output, const void *bytes, size_t size);
/* Writes bytes that are held back for compression. */
PERFDATA_API enum perfdata_status perfdata_output_flush(struct perfdata_output *output);
/* For a memory output: the bytes that were written. Valid until the output is closed. */
PERFDATA_API struct perfdata_bytes perfdata_output_bytes(const struct perfdata_output *output);
/* Ends compression; with `keep` the file gets its name, without it the file is dropped. Frees the output and the
 * outputs that were opened beside it. NULL is fine. PERFDATA_EWRITE sets reterr; PERFDATA_EINTR, too: a conversion to
 * a file was cancelled, and what there is of the file cannot be kept. */
PERFDATA_API enum perfdata_status perfdata_output_close(struct perfdata_output *output, bool keep,
							struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
