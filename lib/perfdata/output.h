/* SPDX-License-Identifier: MIT */
/* Where bytes go: a path, a descriptor, memory, or functions of the caller; packed or not.
 *
 * Making an output opens nothing: that happens in perfdata_output_open, which perfdata_run and perfdata_convert call,
 * so errors have one place. A file has its name only when it is whole: until perfdata_output_close it has none at all,
 * or (where the file system knows no files without one) a temporary one, ".perfdata-PID-N.tmp", whose lock (flock) its
 * writer holds. */
#ifndef PERFDATA_OUTPUT_H
#define PERFDATA_OUTPUT_H

#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_output;

enum perfdata_output_flag {
	PERFDATA_OUTPUT_FORCE = 1,      /* replace a file that exists */
	/* make the folders of its path that are missing; they are taken back where nothing is kept */
	PERFDATA_OUTPUT_FOLDERS = 2,
};
enum perfdata_packing { PERFDATA_PACKING_NONE, PERFDATA_PACKING_GZIP, PERFDATA_PACKING_ZSTD };

/* Functions of the caller, called in the thread … of the run that writes at that time, never two at once. A result that
 * is not 0 is an errno: PERFDATA_EWRITE. */
/* filled as options are: what is wrong with them is PERFDATA_EUSAGE when the output is opened */
struct perfdata_output_callbacks {
	size_t size;
	int (*write)(void *user, const void *bytes, size_t size);
	/* Optional: writes over what was written. */
	int (*write_at)(void *user, uint64_t offset, const void *bytes, size_t size);
	/* Optional: another output beside this one, for emitters with several; *ret_user is for these same
	 * functions. */
	int (*open)(void *user, const char *name, void **ret_user);
	/* Optional: once, also where nothing was written; keep: it is whole, as far as the input was. */
	int (*close)(void *user, bool keep);
};

/* Each is NULL only without memory. What they are given is copied, but for descriptors. */
/* Packed by the suffix .gz or .zst; what ends in .xz is PERFDATA_EUNSUP when it is opened, since it would be written
 * decompressed. */
PERFDATA_API struct perfdata_output *perfdata_output_path(const char *path, unsigned flags);
PERFDATA_API struct perfdata_output *perfdata_output_fd(int fd);   /* not closed */
PERFDATA_API struct perfdata_output *perfdata_output_memory(void);
PERFDATA_API struct perfdata_output *perfdata_output_callbacks(const struct perfdata_output_callbacks *callbacks,
							       void *user);
/* Whatever the name says. */
PERFDATA_API void perfdata_output_pack(struct perfdata_output *output, enum perfdata_packing packing);

/* Of a path, before it is opened: the output NAME beside it goes to `head` NAME `tail` ("DIR/", "/x.csv"), where it
 * would go to a path made of its own ("DIR/x.NAME.csv"). A slash in NAME becomes '_'. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_output_beside(struct perfdata_output *output, const char *head,
							 const char *tail);
/* Calls `each` with the path of every file that this output and those beside it write: once they are open, until
 * perfdata_output_close. */
PERFDATA_API void perfdata_output_each_path(const struct perfdata_output *output,
					    void (*each)(void *user, const char *path), void *user);
/* Removes the temporary files that programs which were killed left in a folder: those whose lock nobody holds. How many
 * there were. */
PERFDATA_API unsigned perfdata_output_clean(const char *folder);

/* Whether a path asks for nothing that cannot be done. Opens nothing; reterr may be NULL. */
PERFDATA_API enum perfdata_status perfdata_output_check_path(const char *path, struct perfdata_error *reterr);

/* Opens it if it is not open. PERFDATA_EWRITE, PERFDATA_EUSAGE (the file exists; os_error is EEXIST), PERFDATA_EUNSUP,
 * PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_output_open(struct perfdata_output *output, struct perfdata_error *reterr);
/* Of an open output. The first failure stays. */
PERFDATA_API enum perfdata_status perfdata_output_write(struct perfdata_output *output, const void *bytes, size_t size);
/* Writes what is held back for packing. */
PERFDATA_API enum perfdata_status perfdata_output_flush(struct perfdata_output *output);
/* Bytes before packing. */
PERFDATA_API uint64_t perfdata_output_written(const struct perfdata_output *output);
/* Of a memory output: what was written, until the output is closed. */
PERFDATA_API struct perfdata_bytes perfdata_output_bytes(const struct perfdata_output *output);
/* Ends packing; with `keep` the file gets its name, without there is none. Frees the output and those that were opened
 * beside it. NULL is fine. PERFDATA_EWRITE sets reterr. */
PERFDATA_API enum perfdata_status perfdata_output_close(struct perfdata_output *output, bool keep,
							struct perfdata_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
