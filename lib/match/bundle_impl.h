/* SPDX-License-Identifier: MIT */
/* Inside the bundle: tar entries and the levels of ELF files. */
#ifndef PD_BUNDLE_IMPL_H
#define PD_BUNDLE_IMPL_H

#include "perfdata/bundle.h"

#define PD_TAR_BLOCK 512u
#define PD_BUNDLE_MANIFEST "perfdata-bundle.json"

/* A name that leads nowhere but below the place where it is used: relative, of plain parts. */
bool pd_is_safe_name(const char *name);

/* --- tar_header.c: POSIX ustar, with pax headers for what does not fit -------------------------------------------- */

enum pd_tar_type { PD_TAR_FILE = '0', PD_TAR_LINK = '2', PD_TAR_DIRECTORY = '5' };

struct pd_tar_entry {
	enum pd_tar_type type;
	const char *name, *target;   /* target of a link */
	uint64_t size;
};
/* Writes the header, or headers, of an entry. */
enum perfdata_status pd_tar_write_header(const struct pd_tar_entry *entry, perfdata_bundle_write_fn *write, void *user);
/* Fills the last block of `size` bytes of content. */
enum perfdata_status pd_tar_write_padding(uint64_t size, perfdata_bundle_write_fn *write, void *user);
enum perfdata_status pd_tar_write_end(perfdata_bundle_write_fn *write, void *user);

/* A header's fields; false: its checksum is wrong. Names are not NUL-terminated where they fill their fields. */
struct pd_tar_header {
	char type;
	char name[257], target[101];
	uint64_t size;
};
bool pd_tar_parse(const uint8_t block[PD_TAR_BLOCK], struct pd_tar_header *ret);

/* --- elf_cut.c ---------------------------------------------------------------------------------------------------- */

struct pd_elf_wish {
	enum perfdata_bundle_level level;
	bool tables;                 /* with level answers: keep the tables for unwinding */
};
/* An ELF file without what the level leaves out: allocated sections stay at their offsets, others move together. What
 * is no ELF file, or has no sections, stays as it is. `image` is taken over; *ret is to be freed with pd_free. */
enum perfdata_status pd_elf_cut(char *image, size_t size, const struct pd_elf_wish *wish, char **ret, size_t *ret_size);

#endif
