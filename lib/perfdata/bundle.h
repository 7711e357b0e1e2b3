/* SPDX-License-Identifier: MIT */
/* Symbol bundles: the files that name a recording's addresses, in one archive, for machines that do not have these
 * files.
 *
 * A bundle is a tar archive, compressed or not, or the directory into which an archive was unpacked:
 *
 *   perfdata-bundle.json                          what it is of, and what is missing; first
 *   PATH/ID/elf, PATH/ID/debug                    a file with a build-id, and its separate debug information
 *   [kernel.kallsyms]/ID/kallsyms, [vdso]/ID/vdso
 *   PATH/ID/answers, root/PATH.answers            what a file says of the addresses of recordings (level answers)
 *   .build-id/ab/REST          → ../../PATH/ID    where perf (--buildid-dir) looks
 *   .build-id/ab/REST.debug    → ../../PATH/ID/…  where gdb and elfutils look
 *   root/PATH                                     what was identified without a build-id, where it was recorded
 *
 * The same files give the same bytes: no times, no owners, entries in byte order.
 *
 * Reading trusts nothing: it skips names that are not plain relative paths, links that lead out of the bundle, and
 * entries other than files, links and directories; sizes are limited. */
#ifndef PERFDATA_BUNDLE_H
#define PERFDATA_BUNDLE_H

#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- writing ------------------------------------------------------------------------------------------------------ */

enum perfdata_bundle_level {
	PERFDATA_BUNDLE_FULL,     /* files as they are */
	PERFDATA_BUNDLE_UNWIND,   /* without debug information: symbols, code and unwind tables */
	PERFDATA_BUNDLE_NAMES,    /* symbols only; ELF files keep their offsets */
	PERFDATA_BUNDLE_ANSWERS,  /* what the files say of the recorded addresses; of ELF files headers and notes */
};
enum perfdata_bundle_role {
	PERFDATA_BUNDLE_ELF,
	PERFDATA_BUNDLE_DEBUG,
	PERFDATA_BUNDLE_KALLSYMS,
	PERFDATA_BUNDLE_VDSO,     /* an image of a vdso; without a file: of this host's kernel */
	PERFDATA_BUNDLE_OTHER,    /* taken as it is: a perf map, a jitdump file, any file without a build-id */
	PERFDATA_BUNDLE_ANSWERED, /* the answers for a file; see perfdata_bundle_take_answers. Needs no file */
};
struct perfdata_bundle_file {
	enum perfdata_bundle_role role;
	const char *path;                  /* as recorded */
	struct perfdata_bytes build_id;    /* empty: the file goes to root/PATH */
	const char *file;                  /* path of the file on this host; ARCHIVE!/ENTRY: a library in an APK */
};

#define PERFDATA_SHA256_SIZE 32
/* The SHA-256 of a regular file, and its size in bytes: by these a bundle names the recordings that it is made for.
 * PERFDATA_EREAD with errno: no regular file, or it cannot be read. PERFDATA_EINTR: `cancel`, which may be NULL.
 * PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_file_sha256(const char *path, const struct perfdata_cancel *cancel,
						       uint8_t ret[PERFDATA_SHA256_SIZE], uint64_t *ret_size);

struct perfdata_bundle;
struct perfdata_bundle_limits {
	uint64_t file, total;              /* bytes of one file, and of all; 0: no limit */
	/* ends planning and writing with PERFDATA_EINTR; borrowed until the bundle is freed; may be NULL */
	const struct perfdata_cancel *cancel;
};
/* limits: NULL means no limits. PERFDATA_EUSAGE: an unknown level. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_bundle_new(enum perfdata_bundle_level level,
						      const struct perfdata_bundle_limits *limits,
						      struct perfdata_bundle **ret);
PERFDATA_API void perfdata_bundle_free(struct perfdata_bundle *bundle);
struct perfdata_symbols;
/* Adds what the files of `symbols` say of the addresses that were looked up through it, with
 * perfdata_symbols_options.note_addresses. To be called for each recording; role PERFDATA_BUNDLE_ANSWERED then plans
 * the answers for one file. Unwinding by libdwfl needs the tables of the files: then the ELF files that are added later
 * keep their tables. PERFDATA_EUSAGE: a kernel was recorded with another reference symbol than before. Else as
 * look-ups. */
PERFDATA_API enum perfdata_status perfdata_bundle_take_answers(struct perfdata_bundle *bundle,
							       struct perfdata_symbols *symbols);
/* Answers for an archive are those for its libraries, each of which is planned by a call of its own, as
 * PERFDATA_BUNDLE_ANSWERED and as PERFDATA_BUNDLE_ELF. The name of the index-th library of the archive with this
 * recorded path; NULL after the last, and for a path that is no archive's. `path` and `file` of a library are those of
 * its archive, followed by "!/" and the name. The name lives as long as the bundle. */
PERFDATA_API const char *perfdata_bundle_library(const struct perfdata_bundle *bundle, const char *path,
						   size_t index);
/* An entry of the archive, as planned for a file. */
struct perfdata_bundle_planned {
	const char *name;                  /* lives as long as the bundle */
	uint64_t size;
	uint8_t sha256[PERFDATA_SHA256_SIZE];   /* of the entry's bytes */
	uint32_t parts;                    /* enum perfdata_match_part: the information that the entry's bytes hold */
};
/* Plans a file; planning it again does no harm. PERFDATA_ABSENT: the file does not exist any more, or may not be read;
 * PERFDATA_EREAD; PERFDATA_EFORMAT: the file has to be an ELF file with the requested build-id, and is not;
 * PERFDATA_ELIMIT: it would exceed a limit; PERFDATA_EUSAGE: the request has no build-id, and the recorded path is
 * empty or leads out of the bundle; PERFDATA_EINTR; PERFDATA_ENOMEM. After any of these the bundle stays usable and
 * *ret is unchanged. */
PERFDATA_API enum perfdata_status perfdata_bundle_add(struct perfdata_bundle *bundle,
						      const struct perfdata_bundle_file *file,
						      struct perfdata_bundle_planned *ret);
typedef enum perfdata_status perfdata_bundle_write_fn(void *user, const void *bytes, size_t size);
/* Writes the archive, not compressed, with `manifest` as its first file. Errors of `write`; PERFDATA_EREAD: a file
 * changed since it was planned; PERFDATA_EINTR. */
PERFDATA_API enum perfdata_status perfdata_bundle_write(struct perfdata_bundle *bundle, const void *manifest,
							size_t size, perfdata_bundle_write_fn *write, void *user,
							struct perfdata_error *reterr);

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct perfdata_bundle_files;
struct perfdata_bundle_files_options {
	size_t size;                       /* sizeof(struct perfdata_bundle_files_options) of the caller */
	const char *tmpdir;                /* for decompressed files, which have no name; NULL: /tmp */
	uint64_t max_bytes;                /* limit of all decompressed bytes; 0: 16 GiB */
	uint32_t max_ratio;                /* limit of decompressed : compressed bytes; 0: no limit */
};
/* Opens an archive (tar, or tar packed with gzip, zstd or xz), or a directory. PERFDATA_EREAD; PERFDATA_EFORMAT: no
 * such archive; PERFDATA_ELIMIT; PERFDATA_EUNSUP; PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_bundle_files_open(const char *path,
							     const struct perfdata_bundle_files_options *options,
							     struct perfdata_bundle_files **ret,
							     struct perfdata_error *reterr);
PERFDATA_API void perfdata_bundle_files_close(struct perfdata_bundle_files *files);
/* Opens "PATH/NAME", where PATH is the path of the bundle, for perfdata_symbols_options.open: returns a descriptor for
 * reading, which the caller closes, or -1 with errno. Any thread. */
PERFDATA_API int perfdata_bundle_files_get(void *files, const char *path);

#ifdef __cplusplus
}
#endif

#endif
