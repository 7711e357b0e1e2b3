/* SPDX-License-Identifier: MIT */
/* What a file and a function are called in another build: the parts of a name that compilers, linkers and file systems
 * choose anew are cut off. Each writes a NUL-terminated text of at most `size` bytes; what is longer is cut, always at
 * the same place. */
#ifndef PD_KEY_NAME_H
#define PD_KEY_NAME_H

#include <stddef.h>
#include "perfdata/symbols.h"

#define PD_KEY_NAME_MAX 4096u

/* libfoo.so.1.2.3 → libfoo.so.1, nf_tables.ko.xz → nf_tables, the kernel → [kernel]; without its folders. */
void pd_key_file(enum perfdata_dso_kind kind, const char *path, char *ret, size_t size);
/* A function as people read it: suffixes of clones, hashes of Rust, ABI names of Go, tiers of JITs. */
void pd_key_symbol(const char *name, char *ret, size_t size);
/* Functions with ; between them. */
void pd_key_stack(const char *stack, char *ret, size_t size);
/* Digits → #. */
void pd_key_comm(const char *comm, char *ret, size_t size);

#endif
