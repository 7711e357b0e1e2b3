/* SPDX-License-Identifier: MIT */
/* Where bytes go: a path, a descriptor, memory, or functions of the caller; compressed or not.
 *
 * The functions that make an output open nothing: perfdata_output_open opens it (perfdata_convert calls this) and
 * returns all errors. perfdata_output_close gives a file its name. Until then the file has no name or, on file systems
 * without O_TMPFILE, a temporary name ".perfdata-PID-N.tmp"; its writer holds a lock (flock) on it.
 *
 * Output to a terminal never contains control sequences, or characters that hide or reverse the text beside them: their
 * bytes are written as \xNN. Files, pipes and functions receive the bytes unchanged. */
#ifndef PERFDATA_OUTPUT_H
#define PERFDATA_OUTPUT_H

#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_output;

enum perfdata_output_flag {
	PERFDATA_OUTPUT_FORCE = 1,      /* replace an existing file */
	/* create the missing folders of the path; they are removed again if no file is kept in them */
	PERFDATA_OUTPUT_FOLDERS = 2,
};
/* A further flag: limits the rights of group and others to those in `mode`, whatever the umask and the rights of a
 * replaced file are. */
#define PERFDATA_OUTPUT_LIKE(mode) ((~(unsigned)(mode) & 077u) << 8)
enum perfdata_packing { PERFDATA_PACKING_NONE, PERFDATA_PACKING_GZIP, PERFDATA_PACKING_ZSTD };

/* Functions of the caller, called by the thread that writes, one call at a time. A result other than 0 is an errno
 * value: the output fails with PERFDATA_EWRITE. If members are wrong, opening the output fails with PERFDATA_EUSAGE. */
struct perfdata_output_callbacks {
	size_t size;
	int (*write)(void *user, const void *bytes, size_t size);
	/* Optional, for emitters with several outputs: opens another output named `name`; *ret_user is the `user` of
	 * its calls. */
	int (*open)(void *user, const char *name, void **ret_user);
	/* Optional: called once, even if nothing was written. keep: the output is complete, as far as the input was. */
	int (*close)(void *user, bool keep);
};

/* Each returns NULL only without memory. Arguments except descriptors are copied. The suffix .gz or .zst of a path
 * chooses the compression. The library cannot write xz: opening a path with the suffix .xz fails with
 * PERFDATA_EUNSUP. */
PERFDATA_API struct perfdata_output *perfdata_output_path(const char *path, unsigned flags);
PERFDATA_API struct perfdata_output *perfdata_output_fd(int fd);   /* not closed */
PERFDATA_API struct perfdata_output *perfdata_output_memory(void);
PERFDATA_API struct perfdata_output *perfdata_output_callbacks(const struct perfdata_output_callbacks *callbacks,
							       void *user);
/* Chooses the compression, whatever the suffix is. */
PERFDATA_API void perfdata_output_pack(struct perfdata_output *output, enum perfdata_packing packing);

/* To be called before the output is opened. Further outputs NAME go to the path `head` NAME `tail` ("DIR/", "/x.csv")
 * instead of a path made from the first output's ("DIR/x.NAME.csv"). A slash in NAME becomes '_'. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_output_beside(struct perfdata_output *output, const char *head,
							 const char *tail);
/* Calls `each` with the path of every file that this output and its further outputs write, while they are open. */
PERFDATA_API void perfdata_output_each_path(const struct perfdata_output *output,
					    void (*each)(void *user, const char *path), void *user);
/* Removes temporary files of killed programs from a folder: files whose lock no process holds. Returns their number. */
PERFDATA_API unsigned perfdata_output_clean(const char *folder);

/* Checks without opening it that the library can write the path: the suffix may ask for a compression that was not
 * built in. reterr may be NULL. */
PERFDATA_API enum perfdata_status perfdata_output_check_path(const char *path, struct perfdata_error *reterr);

/* Opens the output unless it is open. PERFDATA_EWRITE; PERFDATA_EUSAGE with os_error EEXIST: the file exists;
 * PERFDATA_EUNSUP, PERFDATA_ENOMEM. PERFDATA_EINTR: a signal came while a pipe waited for its reader. */
PERFDATA_API enum perfdata_status perfdata_output_open(struct perfdata_output *output, struct perfdata_error *reterr);
/* Writes to an open output. After a failure, all further calls fail with the first error. */
PERFDATA_API enum perfdata_status perfdata_output_write(struct perfdata_output *output, const void *bytes, size_t size);
/* Writes the bytes that compression holds back. */
PERFDATA_API enum perfdata_status perfdata_output_flush(struct perfdata_output *output);
/* The written bytes of a memory output. Borrowed until the output is closed. */
PERFDATA_API struct perfdata_bytes perfdata_output_bytes(const struct perfdata_output *output);
/* Finishes the compression. With `keep` the file gets its name, otherwise the file is dropped. Frees this output and
 * its further outputs; NULL is fine. PERFDATA_EWRITE, and PERFDATA_EINTR if a conversion to a file was cancelled and
 * the file cannot be kept, set reterr. */
PERFDATA_API enum perfdata_status perfdata_output_close(struct perfdata_output *output, bool keep,
							struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
