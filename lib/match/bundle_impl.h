/* SPDX-License-Identifier: MIT */
/* What the files of bundles share: tar entries, and cutting of ELF files. */
#ifndef PD_BUNDLE_IMPL_H
#define PD_BUNDLE_IMPL_H

#include "perfdata/bundle.h"

#define PD_TAR_BLOCK 512u
#define PD_BUNDLE_MANIFEST "perfdata-bundle.json"

/* Whether a directory with a file of this name is sure to contain it: a relative name, without "." and "..". */
bool pd_is_safe_name(const char *name);

/* --- tar_header.c: POSIX ustar, with pax headers for long names and large sizes ----------------------------------- */

enum pd_tar_type { PD_TAR_FILE = '0', PD_TAR_LINK = '2', PD_TAR_DIRECTORY = '5' };

struct pd_tar_entry {
	enum pd_tar_type type;
	const char *name, *target;   /* target: of a link */
	uint64_t size;
};
/* Writes the headers of an entry. */
enum perfdata_status pd_tar_write_header(const struct pd_tar_entry *entry, perfdata_bundle_write_fn *write, void *user);
/* Writes zeros that fill the last block of `size` bytes of content. */
enum perfdata_status pd_tar_write_padding(uint64_t size, perfdata_bundle_write_fn *write, void *user);
enum perfdata_status pd_tar_write_end(perfdata_bundle_write_fn *write, void *user);

/* Fields of a header. Names that fill their fields are not NUL-terminated. pd_tar_parse: false for a wrong checksum. */
struct pd_tar_header {
	char type;
	char name[257], target[101];
	uint64_t size;
};
bool pd_tar_parse(const uint8_t block[PD_TAR_BLOCK], struct pd_tar_header *ret);

/* --- elf_cut.c ---------------------------------------------------------------------------------------------------- */

struct pd_elf_wish {
	enum perfdata_bundle_level level;
	bool tables;                 /* keep the tables for unwinding; used for PERFDATA_BUNDLE_ANSWERS */
};
/* Removes from an ELF file what the level leaves out. Allocated sections keep their offsets; other sections move to the
 * end. A file that is no ELF file, or has no sections, is unchanged. Takes over `image`; pd_free frees *ret. */
enum perfdata_status pd_elf_cut(char *image, size_t size, const struct pd_elf_wish *wish, char **ret, size_t *ret_size);

#endif
