/* SPDX-License-Identifier: MIT */
/* Tables of symbols: of ELF files and perf maps, and the smaller ones of kallsyms. */
#ifndef PD_SYMBOL_TABLE_H
#define PD_SYMBOL_TABLE_H

#include "base/arena.h"
#include "perfdata/symbols.h"
#include "symbols/work/symbol_work.h"

struct pd_elf;      /* symbol_elf.c: an open ELF file */

/* --- symbol_table.c: sorts symbols, and chooses one of several; symbol_names.c: their names ----------------------- */

/* Longer names are cut (in texts), or count as absent (in other files), since a sample can write a name many times. */
#define PD_SYMBOL_NAME_LIMIT ((size_t)1 << 14)

/* The places of names. A file's string tables are in memory only while symbols are added; later, names are read from
 * the file again. */
enum pd_strings_number {
	PD_STRINGS_TEXT,    /* perf map */
	PD_STRINGS_POOL,    /* names that the library makes */
	PD_STRINGS_SYMTAB,
	PD_STRINGS_DYNSYM,
	PD_STRINGS_PLT,     /* names without their suffix "@plt"; or the address if there is no name */
	PD_STRINGS_COUNT
};

struct pd_strings {
	char *bytes;               /* a NUL follows the bytes; NULL: not in memory */
	size_t size, room;
	const struct pd_elf *elf;  /* file with the string table; NULL: the strings stay in memory */
	uint64_t offset;           /* file offset of the string table */
};

struct pd_symbol {
	uint64_t start, end;   /* end == start: unknown size */
	uint32_t name;         /* offset of the name in its strings */
	uint32_t outer;        /* index of the symbol that contains this one, or PD_NO_SYMBOL */
	uint8_t binding;       /* value of enum perfdata_symbol_binding */
	uint8_t strings;       /* value of enum pd_strings_number */
	/* differs from the previous symbol only by its name; the shown name is not yet chosen */
	bool tied;
	bool is_label;         /* has no type, as hand-written code often has none */
	bool is_sized;         /* the file states its size */
};

#define PD_NO_SYMBOL UINT32_MAX
#define PD_MOST_SYMBOLS ((size_t)64 << 20)   /* limit of symbols in a file; no real file has more */

/* The names of a symbol, made at their first use. */
struct pd_symbol_name {
	const char *raw;    /* name as in the file */
	const char *shown;  /* demangled */
};
struct pd_name_block;
struct pd_overlaps;

struct pd_symbol_table {
	struct pd_symbol *items;
	size_t count, capacity;
	struct pd_strings strings[PD_STRINGS_COUNT];
	struct pd_arena bytes;    /* memory of used names */
	_Atomic(struct pd_name_block *) *names; /* indexed by symbol, set for used symbols; made by pd_symtab_settle */
	bool mangled;             /* names may be mangled, so they are demangled before they are compared or shown */
	struct pd_work *work;     /* limits the work for symbols and names; NULL: no limit */
	bool lacks_long;          /* symbols with names of PD_SYMBOL_NAME_LIMIT bytes or more were dropped */
	bool excess_is_reported;  /* names that are too long, or need too much work, were reported */
	enum perfdata_status refused;   /* set if a limit was reached, or the work was cancelled; else PERFDATA_OK */
	size_t names_held;        /* bytes of names that the account was charged for */
	uint64_t text_start[2];   /* kernels: addresses of _text and _stext, even if other names are kept; 0: none */
	struct pd_overlaps *overlaps;   /* overlapping entries of a perf map; NULL: none */
};

/* Makes room for this many further symbols at once. Without memory, the table grows as they are added. */
void pd_symtab_reserve(struct pd_symbol_table *table, uint64_t more);
/* Adds a symbol whose name is at offset `name` of `strings`. 0, or -1: see pd_symtab_status. */
int pd_symtab_add(struct pd_symbol_table *table, uint64_t start, uint64_t size, enum pd_strings_number strings,
		  uint32_t name, enum perfdata_symbol_binding binding);
/* Sorts, sets the ends of symbols of unknown size, and keeps the best of the symbols that start at one address, or all
 * best ones if they differ only by demangled names. Call it again after adding more symbols: earlier symbols then take
 * precedence. 0, or -1: see pd_symtab_status. */
int pd_symtab_finish(struct pd_symbol_table *table);
/* Sorts, and keeps all symbols. 0, or -1: see pd_symtab_status. */
int pd_symtab_sort(struct pd_symbol_table *table);
/* Call it once, after all symbols were added. Notes for each symbol the symbol around it, and frees memory that was
 * needed only for adding. From then on only names are added to the table. 0, or -1: see pd_symtab_status. */
int pd_symtab_settle(struct pd_symbol_table *table);
/* Notes for each symbol the symbol around it, for pd_symtab_find. */
void pd_symtab_nest(struct pd_symbol_table *table);
/* Returns the symbol at an address, the first one if several are tied. */
struct pd_symbol *pd_symtab_find(struct pd_symbol_table *table, uint64_t address);
void pd_symtab_release(struct pd_symbol_table *table);

/* Adds a name to PD_STRINGS_POOL. 0, or -1: no memory. */
int pd_symtab_keep_name(struct pd_symbol_table *table, const char *name, size_t size, uint32_t *ret);
/* Returns a name whose strings are in memory. */
const char *pd_symtab_raw(const struct pd_symbol_table *table, const struct pd_symbol *symbol);
/* For a table that is not settled: return, in memory of `bytes`, the shown name of a symbol, or the best name of a
 * symbol and the symbols tied with it. NULL without memory. */
const char *pd_symtab_spell_one(const struct pd_symbol_table *table, const struct pd_symbol *symbol,
				struct pd_arena *bytes);
const char *pd_symtab_spell(const struct pd_symbol_table *table, const struct pd_symbol *symbol,
			    struct pd_arena *bytes);
/* For a settled table, names of a symbol from pd_symtab_find. NULL: nobody kept them. Needs no lock. */
const struct pd_symbol_name *pd_symtab_known_name(const struct pd_symbol_table *table, const struct pd_symbol *symbol);
/* Makes the names of a symbol of a settled table, in memory of `bytes` or of the table. Sets *ret_excess as pd_demangle
 * does. False: see pd_symtab_failure. Needs no lock: threads demangle at the same time. */
bool pd_symtab_spell_names(const struct pd_symbol_table *table, const struct pd_symbol *symbol, struct pd_arena *bytes,
			   struct pd_symbol_name *ret, bool *ret_excess);
/* Keeps a copy of such names in the table, and returns it; NULL without memory. Needs the lock of names. */
const struct pd_symbol_name *pd_symtab_keep_names(struct pd_symbol_table *table, const struct pd_symbol *symbol,
						  const struct pd_symbol_name *names);
/* Reads a name from a string table into memory of `bytes`; "": the file is damaged; NULL: see pd_strings_failure. */
const char *pd_strings_read(const struct pd_strings *strings, uint64_t at, struct pd_arena *bytes);
enum perfdata_status pd_strings_failure(const struct pd_strings *strings);
/* Returns why a name could not be read: PERFDATA_EREAD, PERFDATA_ENOMEM. */
enum perfdata_status pd_symtab_failure(const struct pd_symbol_table *table);
/* Frees string tables that can be read again. */
void pd_symtab_drop_strings(struct pd_symbol_table *table);
/* Returns the table's memory in bytes. */
size_t pd_symtab_memory(const struct pd_symbol_table *table);
/* Returns the end of a symbol of unknown size that no other follows. */
uint64_t pd_end_of_last(uint64_t address);
/* For other files of this folder: whether the shown name of two symbols at one address is `first`. */
bool pd_symtab_is_better_name(const char *first, const char *second);
int pd_symtab_make_names(struct pd_symbol_table *table);
void pd_symtab_release_names(struct pd_symbol_table *table);

/* --- symbol_limits.c --------------------------------------------------------------------------------------------- */

/* Returns why a function of the table returned -1: PERFDATA_ENOMEM; PERFDATA_ELIMIT: too many symbols, or no room in
 * the account; PERFDATA_EINTR. */
enum perfdata_status pd_symtab_status(const struct pd_symbol_table *table);
/* Counts work on `count` symbols. PERFDATA_ELIMIT, PERFDATA_EINTR. work NULL: no limit. */
enum perfdata_status pd_symbol_work(struct pd_work *work, size_t count);
/* Call it before work on `count` symbols: whether the work was cancelled, or has reached its limit. */
bool pd_symtab_is_stopped(struct pd_symbol_table *table, size_t count);
/* Call it before `bytes` are allocated for symbols: whether the account has no room for them. */
bool pd_symtab_is_full(struct pd_symbol_table *table, uint64_t bytes);

/* --- symbol_sort.c ------------------------------------------------------------------------------------------------ */

struct pd_address_key {
	uint32_t low, high;   /* halves of the address */
	uint32_t index;       /* the caller's */
};

static inline uint64_t pd_key_address(const struct pd_address_key *key)
{
	return (uint64_t)key->high << 32 | key->low;
}

/* Sorts keys by address, stably. The array has room for `count` more keys; *ret: the sorted keys, in one of its halves.
 * PERFDATA_ELIMIT, PERFDATA_EINTR. */
enum perfdata_status pd_sort_keys(struct pd_address_key *keys, size_t count, struct pd_work *work,
				  struct pd_address_key **ret);

/* --- kallsyms.c, perf_map.c --------------------------------------------------------------------------------------- */

#define PD_MOST_SYMBOL_TEXT ((size_t)1 << 30)
#define PD_ODD_LINE 96
/* Lines of a text that are neither empty nor valid entries. */
struct pd_odd_lines {
	uint64_t count;
	uint64_t first;            /* number of the first such line, from 1 */
	char text[PD_ODD_LINE];    /* the line in printable characters, maybe cut */
};

struct pd_kallsyms_table {
	char *text;
	size_t size;
	struct pd_address_key *symbols;   /* sorted; see kallsyms.c */
	size_t count, capacity;
	size_t nr_ascending;              /* symbols before the first one out of order; 0: all are in order */
	struct pd_work *work;             /* limits reading the text; NULL: no limit */
	uint64_t text_start[2];           /* addresses of _text and _stext, even if other names are kept; 0: none */
};

/* Reads the symbols of a kallsyms text into an empty table. ret_odd: lines that are neither empty nor symbols. */
enum perfdata_status pd_kallsyms_load(struct pd_kallsyms_table *table, int fd, struct pd_odd_lines *ret_odd);
/* Finds the symbol at an address. Its name stays valid as long as the table. */
bool pd_kallsyms_find(const struct pd_kallsyms_table *table, uint64_t address, struct perfdata_symbol *ret);
size_t pd_kallsyms_memory(const struct pd_kallsyms_table *table);
void pd_kallsyms_release(struct pd_kallsyms_table *table);
/* Sets ret[0] to the address of _text and ret[1] to that of _stext (0: none), and reads no farther than to both: the
 * kernel takes as long to write a whole kallsyms as perfdata takes for a short recording. PERFDATA_EREAD with errno. */
enum perfdata_status pd_kallsyms_text_start(int fd, const struct perfdata_cancel *cancel, uint64_t ret[2]);

enum perfdata_status pd_perfmap_load(struct pd_symbol_table *table, int fd, struct pd_odd_lines *ret_odd);

/* --- symbol_overlap.c: entries of a perf map that overlap --------------------------------------------------------- */

/* Call it for a sorted table in which `outer` is the symbol's index in the file. Makes nothing if no symbols overlap.
 * 0, or -1: see pd_symtab_status. */
int pd_overlaps_make(struct pd_symbol_table *table);
/* Returns the symbol that perf finds at the address; if perf finds none, the symbol with the highest start of all that
 * contain the address. */
struct pd_symbol *pd_overlaps_find(const struct pd_symbol_table *table, uint64_t address);
/* Whether symbols with different names contain the address. */
bool pd_overlaps_differ(const struct pd_symbol_table *table, uint64_t address);
size_t pd_overlaps_memory(const struct pd_symbol_table *table);

#endif
