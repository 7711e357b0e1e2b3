/* SPDX-License-Identifier: MIT */
/* Files and symbols that a recording holds itself: the sections FILE and FILE2 of Android's simpleperf. */
#ifndef PD_INSIDE_H
#define PD_INSIDE_H

#include "base/account.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/threads.h"
#include "perfdata/session.h"
#include "perfdata/symbols.h"

/* Types of files, with their recorded values. */
enum pd_inside_type {
	PD_INSIDE_KERNEL, PD_INSIDE_MODULE, PD_INSIDE_ELF, PD_INSIDE_DEX, PD_INSIDE_SYMBOL_MAP, PD_INSIDE_UNKNOWN,
};

struct pd_inside_symbol {
	uint64_t address;
	uint32_t length;
	uint32_t name, name_size;          /* place of its name in the section */
};
struct pd_inside_name {
	const char *raw, *shown;
};
struct pd_inside_file {
	struct perfdata_bytes path;
	enum pd_inside_type type;
	bool is_message;                   /* an entry of FILE2 */
	bool swap;
	bool has_offset;                   /* ELF, module: `offset` was recorded */
	uint64_t min_vaddr, offset;
	const uint8_t *section;            /* the bytes of the section: names point there */
	struct perfdata_bytes symbols;     /* the bytes of the entry that hold its symbols */
	uint32_t nr_recorded;
	/* by address, of several at one address only the last; made when the first frame lies in the file */
	struct pd_inside_symbol *items;
	uint32_t count;
	bool is_made;
	_Atomic(const struct pd_inside_name *) *names;
};

struct pd_inside {
	struct pd_inside_file *files;
	uint32_t nr_files;
	size_t room;
	struct pd_inside_file *kernel;     /* from a KERNEL_SYMBOL record, or NULL */
	char *kernel_text;
	struct pd_hash_map by_path;        /* hash of a path → index */
	struct pd_hash_map by_pid;         /* pid → index of its symbol map */
	struct pd_hash_map dex_names;      /* hash of a name → index of the file << 32 | index of the symbol */
	bool dex_names_made;
	struct pd_monitor *lock;           /* guards `bytes` and `accounted` */
	struct pd_arena bytes;             /* names in use */
	struct pd_account *account;
	size_t accounted;
	bool raw_names;
	bool show_art;                     /* show the frames of ART's interpreter */
	enum perfdata_status failure;      /* of demangling a name; guarded by `lock` */
};

/* Charges the account; other threads may look up names meanwhile. */
static inline void pd_inside_take(struct pd_inside *inside, size_t size)
{
	pd_account_take(inside->account, PD_USE_SYMBOLS, size);
	pd_monitor_enter(inside->lock);
	inside->accounted += size;
	pd_monitor_leave(inside->lock);
}

struct perfdata_reader;
/* Whether simpleperf wrote the recording, as far as its sections and its command line say. */
bool pd_inside_is_simpleperf(const struct perfdata_reader *reader);
/* Reads which files the recording holds, possibly none. NULL without memory. */
struct pd_inside *pd_inside_new(const struct perfdata_reader *reader, struct pd_account *account);
void pd_inside_free(struct pd_inside *inside);   /* NULL is fine */
/* The file of that path, or NULL. */
struct pd_inside_file *pd_inside_find(const struct pd_inside *inside, const char *path, size_t size);
/* The symbol map of a process, or NULL. */
struct pd_inside_file *pd_inside_map_of(const struct pd_inside *inside, int32_t pid);
/* Takes the text of a KERNEL_SYMBOL record, unless the kernel has symbols already. 0, or -1 without memory. */
int pd_inside_take_kernel(struct pd_inside *inside, struct perfdata_bytes text);
/* Makes the table of a file's symbols; in the session's thread. 0, or -1 without memory. */
int pd_inside_open(struct pd_inside *inside, struct pd_inside_file *file);
/* The symbol whose range has the address, or NULL. The file must be open; any thread. */
const struct pd_inside_symbol *pd_inside_symbol_at(const struct pd_inside_file *file, uint64_t address);
/* The names of a symbol; NULL: see inside->failure. Any thread. */
const struct pd_inside_name *pd_inside_name(struct pd_inside *inside, struct pd_inside_file *file,
					    const struct pd_inside_symbol *symbol);
static inline struct perfdata_bytes pd_inside_raw(const struct pd_inside_file *file,
						  const struct pd_inside_symbol *symbol)
{
	return (struct perfdata_bytes){ file->section + symbol->name, symbol->name_size };
}
/* The symbol of this name in a dex file, the first by path. false: none. In the session's thread; *ret_status: set
 * after a failure. */
bool pd_inside_dex_symbol(struct pd_inside *inside, struct perfdata_bytes name, struct pd_inside_file **ret_file,
			  const struct pd_inside_symbol **ret, enum perfdata_status *ret_status);

#endif
