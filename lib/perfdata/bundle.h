/* SPDX-License-Identifier: MIT */
/* Symbol bundles: archives of the files that name a recording's addresses, for machines without these files.
 *
 * A bundle is a tar archive, compressed or not, or the directory into which an archive was unpacked:
 *
 *   perfdata-bundle.json                          the first entry: its recordings, its files, missing files
 *   PATH/ID/elf, PATH/ID/debug                    a file with a build-id, and its separate debug information
 *   [kernel.kallsyms]/ID/kallsyms, [vdso]/ID/vdso
 *   PATH/ID/answers, root/PATH.answers            names and lines of recorded addresses (level answers)
 *   .build-id/ab/REST          → ../../PATH/ID    where perf (--buildid-dir) looks
 *   .build-id/ab/REST.debug    → ../../PATH/ID/…  where gdb and elfutils look
 *   root/PATH                                     a file that was identified without a build-id
 *
 * The same files give the same bytes: entries have no times and owners, and are sorted by the bytes of their names.
 *
 * The archive is hostile input. Its reader skips names that are not plain relative paths, links that lead out of the
 * bundle, and entries other than files, links and directories, and limits sizes. */
#ifndef PERFDATA_BUNDLE_H
#define PERFDATA_BUNDLE_H

#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- writing ------------------------------------------------------------------------------------------------------ */

enum perfdata_bundle_level {
	PERFDATA_BUNDLE_FULL,     /* whole files */
	PERFDATA_BUNDLE_UNWIND,   /* files without debug information: symbols, code and unwind tables */
	PERFDATA_BUNDLE_NAMES,    /* symbols only; ELF files keep their offsets */
	PERFDATA_BUNDLE_ANSWERS,  /* names and lines of the recorded addresses; of ELF files only headers and notes */
};
enum perfdata_bundle_role {
	PERFDATA_BUNDLE_ELF,
	PERFDATA_BUNDLE_DEBUG,
	PERFDATA_BUNDLE_KALLSYMS,
	PERFDATA_BUNDLE_VDSO,     /* an image of a vdso; `file` NULL: the vdso of this host's kernel */
	PERFDATA_BUNDLE_OTHER,    /* copied unchanged: a perf map, a jitdump file, any file without a build-id */
	PERFDATA_BUNDLE_ANSWERED, /* the answers for a file: see perfdata_bundle_take_answers; `file` is not used */
};
struct perfdata_bundle_file {
	enum perfdata_bundle_role role;
	const char *path;                  /* as recorded */
	struct perfdata_bytes build_id;    /* empty: the file goes to root/PATH */
	const char *file;                  /* path of the file on this host; ARCHIVE!/ENTRY: a library in an APK */
};

#define PERFDATA_SHA256_SIZE 32
/* The SHA-256 and the size (bytes) of a regular file. A bundle identifies its recordings by them. `cancel` may be NULL.
 * PERFDATA_EREAD with errno: the file is not regular, or cannot be read. PERFDATA_EINTR, PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_file_sha256(const char *path, const struct perfdata_cancel *cancel,
						       uint8_t ret[PERFDATA_SHA256_SIZE], uint64_t *ret_size);

struct perfdata_bundle;
struct perfdata_bundle_limits {
	uint64_t file, total;              /* limits in bytes, of each file and of all files; 0: no limit */
	/* ends planning and writing with PERFDATA_EINTR; borrowed until the bundle is freed; may be NULL */
	const struct perfdata_cancel *cancel;
};
/* limits: NULL means no limits. PERFDATA_EUSAGE: an unknown level. PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_bundle_new(enum perfdata_bundle_level level,
						      const struct perfdata_bundle_limits *limits,
						      struct perfdata_bundle **ret);
PERFDATA_API void perfdata_bundle_free(struct perfdata_bundle *bundle);
struct perfdata_symbols;
/* Adds the answers for all addresses that were looked up through `symbols`, which needs the option note_addresses. Call
 * it once for each recording. Then plan a file with role PERFDATA_BUNDLE_ANSWERED to include its answers. If libdwfl
 * unwound stacks, ELF files that are added later keep their unwind tables. PERFDATA_EUSAGE: another recording of this
 * kernel has a different reference symbol. Other errors as perfdata_symbols_lookup. */
PERFDATA_API enum perfdata_status perfdata_bundle_take_answers(struct perfdata_bundle *bundle,
							       struct perfdata_symbols *symbols);
/* The name of the library with this index in the archive with this recorded path; NULL: no such library, or the path is
 * that of no archive. Plan each library of an archive as PERFDATA_BUNDLE_ANSWERED and as PERFDATA_BUNDLE_ELF, with
 * `path` and `file` of the archive followed by "!/" and the name. The name is borrowed until the bundle is freed. */
PERFDATA_API const char *perfdata_bundle_library(const struct perfdata_bundle *bundle, const char *path,
						   size_t index);
/* An entry of the archive, as planned for a file. */
struct perfdata_bundle_planned {
	const char *name;                  /* borrowed until the bundle is freed */
	uint64_t size;
	uint8_t sha256[PERFDATA_SHA256_SIZE];   /* SHA-256 of the entry's bytes */
	uint32_t parts;                    /* enum perfdata_match_part: the kinds of information in the entry */
};
/* Plans a file. Planning a file twice has no effect. PERFDATA_ABSENT: the file does not exist any more, or permission
 * is denied; PERFDATA_EREAD; PERFDATA_EFORMAT: the role needs an ELF file with the requested build-id, and the file is
 * none; PERFDATA_ELIMIT: the file would exceed a limit; PERFDATA_EUSAGE: the request has no build-id, and its path is
 * empty or leads out of the bundle; PERFDATA_EINTR; PERFDATA_ENOMEM. After an error the bundle stays usable and *ret is
 * unchanged. */
PERFDATA_API enum perfdata_status perfdata_bundle_add(struct perfdata_bundle *bundle,
						      const struct perfdata_bundle_file *file,
						      struct perfdata_bundle_planned *ret);
typedef enum perfdata_status perfdata_bundle_write_fn(void *user, const void *bytes, size_t size);
/* Writes the archive, uncompressed, with `manifest` as its first file. PERFDATA_EREAD: a file changed after it was
 * planned; PERFDATA_EINTR; errors that `write` returns. */
PERFDATA_API enum perfdata_status perfdata_bundle_write(struct perfdata_bundle *bundle, const void *manifest,
							size_t size, perfdata_bundle_write_fn *write, void *user,
							struct perfdata_error *reterr);

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct perfdata_bundle_files;
struct perfdata_bundle_files_options {
	size_t size;                       /* sizeof(struct perfdata_bundle_files_options) of the caller */
	const char *tmpdir;                /* folder of the unlinked files with decompressed data; NULL: /tmp */
	uint64_t max_bytes;                /* limit of the decompressed size; 0: 16 GiB */
	uint32_t max_ratio;                /* limit of decompressed : compressed bytes; 0: no limit */
};
/* Opens an archive (tar, or tar compressed with gzip, zstd or xz), or a directory. PERFDATA_EREAD; PERFDATA_EFORMAT:
 * neither of these; PERFDATA_ELIMIT; PERFDATA_EUNSUP; PERFDATA_ENOMEM. */
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
