/* SPDX-License-Identifier: MIT */
/* Makes names of files and functions that stay the same in another build: without the parts that compilers, linkers and
 * file systems may choose differently. Each function writes a NUL-terminated text of at most `size` bytes, and cuts a
 * longer text always at the same place. */
#ifndef PD_KEY_NAME_H
#define PD_KEY_NAME_H

#include <stddef.h>
#include "perfdata/symbols.h"

#define PD_KEY_NAME_MAX 4096u

/* Writes a name without folders: libfoo.so.1.2.3 → libfoo.so.1, nf_tables.ko.xz → nf_tables, the kernel → [kernel]. */
void pd_key_file(enum perfdata_dso_kind kind, const char *path, char *ret, size_t size);
/* Writes a demangled name without suffixes of clones, hashes of Rust, ABI names of Go and tiers of JITs. */
void pd_key_symbol(const char *name, char *ret, size_t size);
/* Writes the name of a thread with # for each number. */
void pd_key_comm(const char *comm, char *ret, size_t size);

/* Whether a text is "OLD=NEW". */
bool pd_key_is_rule(const char *rule);
/* Returns the name that the user's rules "OLD=NEW" give to a name of the side before; without such a rule, `name`. */
const char *pd_key_renamed(const char *name, const char *const *rules, size_t nr);
/* As pd_key_renamed, for the key of a file; rules may contain paths. Returns `name`, a part of a rule, or `ret`. */
const char *pd_key_file_renamed(enum perfdata_dso_kind kind, const char *name, const char *const *rules, size_t nr,
				char ret[PD_KEY_NAME_MAX]);

#endif
