/* SPDX-License-Identifier: MIT */
/* Inside the symbols stage: the table of one dso's symbols, the files that fill it, and which files may be used. */
#ifndef PD_SYMBOLS_H
#define PD_SYMBOLS_H

#include <stdatomic.h>
#include "base/account.h"
#include "base/arena.h"
#include "base/regular.h"
#include "base/rooted.h"
#include "base/spool.h"
#include "base/threads.h"
#include "perfdata/symbols.h"
#include "symbols/table/jitdump.h"
#include "symbols/work/symbol_work.h"

/* --- symbol_table.c: sorted symbols, which of several wins; symbol_names.c: what they are called ------------------ */

struct pd_elf;      /* symbol_elf.c: an open ELF file */

/* Longer names are cut (texts), or count as no names (other files): one sample can put a name into the output many
 * times. */
#define PD_SYMBOL_NAME_LIMIT ((size_t)1 << 14)

/* Where names are stored. The string tables of a file are in memory only while symbols are added; names that are used
 * later are read from the file again. */
enum pd_strings_number {
	PD_STRINGS_TEXT,    /* kallsyms, perf map */
	PD_STRINGS_POOL,    /* made by the library */
	PD_STRINGS_SYMTAB,
	PD_STRINGS_DYNSYM,
	PD_STRINGS_PLT,     /* names that get the suffix "@plt"; without a name, the address */
	PD_STRINGS_COUNT
};

struct pd_strings {
	char *bytes;               /* with a NUL after the bytes; NULL: not in memory */
	size_t size, room;
	const struct pd_elf *elf;  /* the file with the string table; NULL: the strings stay in memory */
	uint64_t offset;           /* of the string table in that file */
};

struct pd_symbol {
	uint64_t start, end;   /* end == start: no size */
	uint32_t name;         /* offset of the name in its strings */
	uint32_t module;       /* kallsyms: offset of the module's name; 0: none */
	uint32_t outer;        /* index of the symbol around this one, or PD_NO_SYMBOL */
	uint8_t binding;       /* enum perfdata_symbol_binding */
	uint8_t strings;       /* enum pd_strings_number */
	/* differs from the symbol before only in the name; which of the names is shown was not decided yet */
	bool tied;
};

#define PD_NO_SYMBOL UINT32_MAX

/* The names of a symbol, created when they are first used. */
struct pd_symbol_name {
	const char *raw;    /* as in the file */
	const char *shown;  /* demangled */
};
struct pd_name_block;
struct pd_overlaps;

struct pd_symbol_table {
	struct pd_symbol *items;
	size_t count, capacity;
	struct pd_strings strings[PD_STRINGS_COUNT];
	struct pd_arena bytes;    /* names in use */
	_Atomic(struct pd_name_block *) *names;   /* of symbols in use, by index; made by pd_symtab_settle */
	bool mangled;             /* names may be mangled: demangle for comparing and showing */
	struct pd_work *work;     /* what names and symbols may ask for; NULL: no limit */
	bool lacks_long;          /* symbols with names of PD_SYMBOL_NAME_LIMIT bytes and more were dropped */
	bool has_excess;          /* a name stayed mangled that would have become too long, or asked for too much */
	bool is_told;             /* that was reported */
	enum perfdata_status refused;   /* why no more symbols are added; PERFDATA_OK: memory failed */
	size_t names_held;        /* bytes of names that are charged to the account */
	uint64_t text_start[2];   /* of kernels: where _text and _stext are, whatever name is kept there; 0: nowhere */
	struct pd_overlaps *overlaps;   /* perf maps: which entry names an address of several; NULL: none overlap */
};

enum pd_symbol_fix {
	PD_FIX_NONE,      /* perf maps: unchanged */
	PD_FIX_ELF,       /* a symbol without size reaches to the next */
	PD_FIX_KALLSYMS,  /* the same, but not from the kernel into a module or from one module to the next */
};

/* Makes room for as many more symbols at once; without memory for it the table grows as they come. */
void pd_symtab_reserve(struct pd_symbol_table *table, uint64_t more);
/* Adds a symbol, whose name is at `name` in `strings`. 0, or -1. */
int pd_symtab_add(struct pd_symbol_table *table, uint64_t start, uint64_t size, enum pd_strings_number strings,
		  uint32_t name, enum perfdata_symbol_binding binding);
/* Sorts, gives ends to symbols without a size, and of the symbols that start at one address keeps the best, or all that
 * only their demangled names can distinguish. Can be called again after more symbols were added: the earlier ones then
 * take precedence. 0, or -1 without memory. */
int pd_symtab_finish(struct pd_symbol_table *table, enum pd_symbol_fix fix);
/* Only sorts, and keeps all symbols. 0, or -1 without memory. */
int pd_symtab_sort(struct pd_symbol_table *table);
/* To be called once, when all symbols were added: notes for each symbol which symbol lies around it, and frees the
 * memory that only adding needed. From then on the table is only read, except for names. 0, or -1 without memory. */
int pd_symtab_settle(struct pd_symbol_table *table);
/* Notes which symbol lies around each symbol; pd_symtab_find needs that. */
void pd_symtab_nest(struct pd_symbol_table *table);
/* The symbol of an address; the first one of several that are tied. */
struct pd_symbol *pd_symtab_find(struct pd_symbol_table *table, uint64_t address);
void pd_symtab_release(struct pd_symbol_table *table);

/* Adds a name to PD_STRINGS_POOL. 0, or -1 without memory. */
int pd_symtab_keep_name(struct pd_symbol_table *table, const char *name, size_t size, uint32_t *ret);
/* A name in strings that are in memory. */
const char *pd_symtab_raw(const struct pd_symbol_table *table, const struct pd_symbol *symbol);
/* Before the table is settled: the shown name of one symbol, and the best name of a symbol and those tied with it, in
 * `bytes`. NULL without memory. */
const char *pd_symtab_spell_one(const struct pd_symbol_table *table, const struct pd_symbol *symbol,
				struct pd_arena *bytes);
const char *pd_symtab_spell(const struct pd_symbol_table *table, const struct pd_symbol *symbol,
			    struct pd_arena *bytes);
/* Afterwards: the names of a symbol that pd_symtab_find returned. The first function needs no lock, and returns NULL if
 * nobody has used these names yet; the second needs the lock for names, and returns NULL without memory. */
const struct pd_symbol_name *pd_symtab_known_name(const struct pd_symbol_table *table, const struct pd_symbol *symbol);
const struct pd_symbol_name *pd_symtab_name(struct pd_symbol_table *table, const struct pd_symbol *symbol);
/* Reads a name of a file's string table into `bytes`; "" where the file is damaged; NULL where memory or the file
 * fails: see pd_strings_failure. */
const char *pd_strings_read(const struct pd_strings *strings, uint64_t at, struct pd_arena *bytes);
enum perfdata_status pd_strings_failure(const struct pd_strings *strings);
/* Why a name of the table cannot be had: PERFDATA_EREAD, PERFDATA_ENOMEM. */
enum perfdata_status pd_symtab_failure(const struct pd_symbol_table *table);
/* Frees string tables that can be read again. */
void pd_symtab_drop_strings(struct pd_symbol_table *table);
/* Bytes of memory that the table takes. */
size_t pd_symtab_memory(const struct pd_symbol_table *table);
/* For symbol_names.c and symbol_table.c: whether the first of two tied symbols gives the shown name. */
bool pd_symtab_is_better_name(const char *first, const char *second);
int pd_symtab_make_names(struct pd_symbol_table *table);
void pd_symtab_release_names(struct pd_symbol_table *table);

/* --- demangle.c, demangle_cxx.c, demangle_rust.c ---------------------------------------------------------------- */

/* The demangled name in `bytes`, or `name` itself; NULL: memory or the C++ runtime failed, see pd_demangle_failure.
 * *ret_excess becomes true where a C++ name stays mangled since it would become too long, or `work` (or NULL) does not
 * allow for it. */
const char *pd_demangle(struct pd_arena *bytes, const char *name, struct pd_work *work, bool *ret_excess);
/* How many parts a C++ name has at most when its references are followed: they can make a short name gigabytes long,
 * and the C++ runtime has no limit. 0: too many. */
uint64_t pd_demangle_bound(const char *name);
/* PERFDATA_OK and a malloc'ed C++ name (to be freed with free()); PERFDATA_ABSENT: it is no such name, not bounded, or
 * no C++ runtime is installed; PERFDATA_ENOMEM, PERFDATA_EREAD: it may be one. */
enum perfdata_status pd_demangle_cxx(const char *name, char **ret);
/* Why the C++ runtime could not be loaded last: PERFDATA_OK, PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_demangle_failure(void);
/* The same as an errno value; 0: it was loaded, is not installed or was not needed. */
int pd_demangle_failure_code(void);
/* Loads libdw and libdwfl; reports a failure to the symbols, unless these are NULL. PERFDATA_ABSENT: they are not
 * installed, or this build does without them. */
enum perfdata_status pd_libdw_load(struct perfdata_symbols *symbols);
/* Writes a Rust name; false if `name` is no Rust name, or does not fit. */
bool pd_demangle_rust(const char *name, char *out, size_t room);

/* --- symbol_text.c: kallsyms and perf maps; jitdump.c ------------------------------------------------------------ */

#define PD_ODD_LINE 96
/* Lines of a text that are neither empty nor what such a text is made of. */
struct pd_odd_lines {
	uint64_t count;
	uint64_t first;            /* number of the first one, from 1 */
	char text[PD_ODD_LINE];    /* its text, printable, perhaps cut */
};

/* ret_odd: of lines that are neither empty nor symbols. */
enum perfdata_status pd_kallsyms_load(struct pd_symbol_table *table, int fd, struct pd_odd_lines *ret_odd);

enum perfdata_status pd_perfmap_load(struct pd_symbol_table *table, int fd, struct pd_odd_lines *ret_odd);

/* --- symbol_overlap.c: entries of a perf map that overlap --------------------------------------------------------- */

/* To be called for a sorted table whose symbols have their number in the file as `outer`. Makes nothing where no
 * symbols overlap. 0, or -1: see pd_symtab_status. */
int pd_overlaps_make(struct pd_symbol_table *table);
/* The symbol that perf finds at the address; where perf finds none, the one of those around it that begins last. */
struct pd_symbol *pd_overlaps_find(const struct pd_symbol_table *table, uint64_t address);
/* Whether symbols of different names hold the address. */
bool pd_overlaps_differ(const struct pd_symbol_table *table, uint64_t address);
size_t pd_overlaps_memory(const struct pd_symbol_table *table);

/* --- symbol_files.c: which file is it ---------------------------------------------------------------------------- */

struct pd_build_id {
	uint8_t bytes[PERFDATA_BUILD_ID_MAX];
	size_t size;
};
/* Without room for the bytes it is empty. */
struct pd_build_id pd_build_id_of(const uint8_t *bytes, size_t size);
/* Whether two build-ids are the same up to zeros at the end: old recorders wrote 20 bytes without a length. */
bool pd_same_build_id(const struct pd_build_id *a, const struct pd_build_id *b);

struct perfdata_symbols;
/* Opens a regular file that may hold symbols: through the caller's function, if there is one, and never outside of
 * symfs and sysroot. -1 with errno. */
int pd_symbols_open(struct perfdata_symbols *symbols, const char *path, enum pd_regular kind);
/* The same where closing files of our own would not help. */
int pd_symbols_open_once(const struct perfdata_symbols *symbols, const char *path, enum pd_regular kind);
/* Reads the whole file, up to `limit` bytes, and appends a NUL; also files whose size is not stated (/proc).
 * PERFDATA_ELIMIT: it is larger. PERFDATA_ENOMEM, PERFDATA_EREAD: reading failed, with errno. */
enum perfdata_status pd_read_whole(int fd, size_t limit, char **ret /* pd_free */, size_t *ret_size);
/* The same; `work` may be NULL. Also PERFDATA_EINTR, and PERFDATA_ELIMIT where the account has no room. */
enum perfdata_status pd_read_within(struct pd_work *work, int fd, size_t limit, char **ret, size_t *ret_size);

/* --- symbol_archive.c: libraries that an archive (an APK, a ZIP file) has stored ---------------------------------- */

struct perfdata_symbols_dso;
struct pd_archive_entry {
	uint64_t offset, size;    /* of its bytes in the archive */
	const char *name;
	_Atomic(struct perfdata_symbols_dso *) dso;   /* pd_dso_of_entry; NULL: not asked for yet */
};
struct pd_archive {
	struct pd_archive_entry *entries;   /* ELF files, by offset */
	size_t nr;
};

/* ENTRY of the path ARCHIVE!/ENTRY; NULL: the path has no such form. */
const char *pd_archive_entry_name(const char *path);
bool pd_is_archive(int fd);
/* Opens a file for reading; of ARCHIVE!/ENTRY, where no such file is, the archive. -1 with errno. */
int pd_archive_open(const char *path, enum pd_regular kind);
/* Where an entry is. PERFDATA_ABSENT: no ELF file of that name is stored uncompressed. Also PERFDATA_EREAD with errno,
 * PERFDATA_ENOMEM, PERFDATA_ELIMIT, PERFDATA_EINTR. */
enum perfdata_status pd_archive_find(int fd, struct pd_work *work, const char *name, uint64_t *ret_offset,
				     uint64_t *ret_size);
/* All entries, with their names in `bytes`. PERFDATA_ABSENT: there are none. */
enum perfdata_status pd_archive_read(int fd, struct pd_work *work, struct pd_arena *bytes, struct pd_archive **ret);
/* The entry that has the byte at an offset, or NULL. */
struct pd_archive_entry *pd_archive_entry_at(const struct pd_archive *archive, uint64_t offset);
void pd_archive_free(struct pd_archive *archive);

/* --- symbol_kept.c: files that are read again; only few keep a descriptor --------------------- */

struct pd_kept_file;
struct pd_kept_files {
	struct pd_monitor *lock;
	struct pd_kept_file *newest, *oldest;     /* that have a descriptor which nobody holds */
	size_t nr_open, most;                     /* descriptors; `most` may be exceeded by those that are held */
};

/* How many descriptors files of symbols may have in this process. */
size_t pd_kept_most(void);
/* Takes over the descriptor, also where it fails; `path` is where the file is opened again, through pd_symbols_open.
 * symbols may be NULL: then the descriptor stays. */
enum perfdata_status pd_kept_new(struct perfdata_symbols *symbols, int fd, const char *path, struct pd_kept_file **ret);
/* From now on the file is what lies there: an entry of an archive. */
void pd_kept_narrow(struct pd_kept_file *file, uint64_t offset, uint64_t size);
void pd_kept_free(struct pd_kept_file *file);
uint64_t pd_kept_size(const struct pd_kept_file *file);
/* false: the file ends before, or a read failed and was reported (pd_kept_failure). */
bool pd_kept_read(struct pd_kept_file *file, uint64_t offset, void *out, size_t size);
/* What failed so far: PERFDATA_OK, PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_kept_failure(const struct pd_kept_file *file);
/* Closes what nobody holds; false: nothing was open. */
bool pd_kept_close_idle(struct perfdata_symbols *symbols);

/* symbol_spool.c: sections of debug information that were compressed and are too large for memory. */
struct pd_symbols_spool {
	struct pd_monitor *lock;
	struct pd_spool file;                     /* as large as its parts */
	size_t nr_parts;                          /* the file is there as long as it has parts */
	atomic_bool is_reported;                  /* whether the failure was reported */
};
/* A part of the file, to be written and read by one caller. What fails is reported. PERFDATA_ENOMEM: there is
 * no room; PERFDATA_EREAD. */
enum perfdata_status pd_symbols_spool_take(struct perfdata_symbols *symbols, uint64_t size, uint64_t *ret_at);
void pd_symbols_spool_give(struct perfdata_symbols *symbols, uint64_t at, uint64_t size);
enum perfdata_status pd_symbols_spool_write(struct perfdata_symbols *symbols, uint64_t at, const void *bytes,
					    size_t size);
bool pd_symbols_spool_read(struct perfdata_symbols *symbols, uint64_t at, void *out, size_t size);

/* A failure is no absence: a name that is there, and was not found since something failed, must not count as none. */
struct pd_failures {
	atomic_size_t nr;
	atomic_int worst;                         /* PERFDATA_OK, PERFDATA_EREAD, PERFDATA_ENOMEM */
	atomic_int read_errno, room_errno;        /* of the first call that failed with such a status; 0: none */
	atomic_bool library_is_reported;          /* that a library could not be loaded */
};

struct perfdata_symbols {
	struct perfdata_symbols_options options;  /* strings in `strings` */
	struct pd_arena strings;
	struct pd_monitor *lock;                  /* for the list of dsos */
	atomic_bool some_rules_are_beyond;        /* unwind_rules.c stopped reading the tables of a file */
	struct pd_monitor *unwind_lock;           /* held while a stack is unwound: protects `unwind` of all dsos */
	struct perfdata_symbols_dso *dsos;
	struct pd_monitor *kallsyms_lock;         /* for the list, and held while a text is read */
	struct pd_kallsyms *kallsyms;
	_Atomic(size_t) names_memory;             /* bytes of names of symbols, of all dsos */
	_Atomic(size_t) units_memory;             /* bytes of units of debug information, of all dsos */
	atomic_uint_fast64_t libdw_clock;         /* look-ups by libdw so far, of all dsos */
	struct pd_failures failures;              /* of all dsos */
	struct pd_kept_files kept;
	struct pd_symbols_spool spool;
	struct pd_disassembly *disassembly;       /* disassemble.h; NULL: not asked for yet */
};

/* symbol_shared.c: the symbols of a kallsyms text; it stays as long as the source of symbols. */
struct pd_kallsyms {
	struct pd_kallsyms *next;
	struct pd_monitor *lock;                  /* for names */
	struct pd_symbol_table table;
	enum perfdata_status status;              /* of reading */
	struct pd_odd_lines odd;
	_Atomic(bool) odd_is_reported;
	struct pd_work work;
	size_t accounted;
	char path[];
};
/* Reads the text, unless another dso has read the text of that path; closes `fd`. Look at the status. NULL without
 * memory. */
struct pd_kallsyms *pd_kallsyms_get(struct perfdata_symbols *symbols, const char *path, int fd);
void pd_kallsyms_free(struct perfdata_symbols *symbols);

/* How to come from a frame to its caller, by the place in the code (unwind_rules.h). */
enum pd_rule_kind {
	PD_RULE_LIBDWFL,        /* of another form, or nothing is known: libdwfl has to unwind */
	PD_RULE_NONE,           /* the file says nothing of this code */
	PD_RULE_END,            /* the outermost frame */
	PD_RULE_FRAME,          /* the caller's frame is at a register and an offset */
	PD_RULE_FRAME_OF_LEAF,  /* the same, if this is the innermost frame */
};
enum pd_rule_place { PD_RULE_SAME, PD_RULE_AT_CFA, PD_RULE_UNKNOWN };
/* Where a frame begins that is moved to a larger boundary, a register that calls keep has the former stack pointer: rbx
 * in the dynamic linker of x86. Only this one is followed beside the frame pointer. */
enum pd_rule_base { PD_RULE_FROM_SP, PD_RULE_FROM_FP, PD_RULE_FROM_KEPT };
struct pd_rule {
	enum pd_rule_kind kind;
	enum pd_rule_base base;               /* of the caller's frame */
	bool is_signed;                       /* the return address is */
	enum pd_rule_place return_address, fp, kept;
	int32_t cfa, return_address_at, fp_at, kept_at;   /* offsets */
};
struct pd_lines;    /* dwarf_lines.c */
struct pd_rules;    /* unwind_rules.c */
struct pd_asked;    /* answers.h */
struct pd_answers;
struct pd_objects;  /* symbol_object.c */

struct perfdata_symbols_dso {
	struct perfdata_symbols_dso *next;
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_request request;  /* strings in symbols->strings */
	struct pd_monitor *lock;                  /* for loading, and for `lines` */
	struct pd_monitor *names_lock;            /* for the table's names, once it is loaded */
	atomic_bool loaded;                       /* set last; status, table and jit are only read then */
	enum perfdata_status status;              /* of loading */
	enum perfdata_status failure;             /* of a file that loading needed; PERFDATA_OK: none */
	struct pd_work work;                      /* of loading its symbols, and of their names */
	struct pd_symbol_table table;             /* look at pd_dso_table */
	struct pd_kallsyms *kallsyms;             /* has the symbols; NULL: they are the dso's own */
	struct pd_jit jit;
	int64_t delta;                            /* recorded address + delta = address in the table */
	struct pd_elf *text, *debug;              /* may be the same; NULL: none */
	struct pd_elf *alt;                       /* supplementary file of the debug information; found at first need */
	struct pd_build_id alt_id;
	bool alt_tried;
	const char *recorded_folder;              /* of the recording, with kallsyms and kcore; NULL: none */
	struct pd_elf *core;                      /* kernel_core.c: KERNEL: its memory; found at first need */
	const char *core_folder;                  /* that has it */
	bool core_tried;
	struct Elf *unwind;                       /* a handle of libelf for what libdwfl needs of `text` */
	uint8_t *unwind_bytes;                    /* the bytes of that */
	bool unwind_tried;
	_Atomic(struct pd_rules *) rules;         /* unwind_rules.c; NULL: none were asked for */
	struct pd_lines *lines;                   /* NULL: no debug information */
	atomic_bool lines_tried;                  /* set after `lines` */
	struct pd_objects *objects;               /* NULL: not asked for yet, or there are none */
	bool objects_tried;
	struct pd_asked *asked;                   /* addresses that were asked; NULL: nobody collects them */
	struct pd_answers *answers;               /* in place of the file; NULL: a bundle has none */
	struct pd_archive *archive;               /* the file is one, whose libraries have the symbols; or NULL */
	struct perfdata_symbols_origin origin;
	struct pd_build_id found;
	size_t accounted;                         /* bytes of the table and of other data that stays */
	struct pd_arena bytes;                    /* paths, names of inlined functions */
};

static inline struct pd_symbol_table *pd_dso_table(struct perfdata_symbols_dso *dso)
{
	return dso->kallsyms ? &dso->kallsyms->table : &dso->table;
}

/* The account that tables and indexes draw from; NULL: none. */
static inline struct pd_account *pd_symbols_account(const struct perfdata_symbols *symbols)
{
	return symbols->options.memory ? &symbols->options.memory->account : NULL;
}

/* Whether a bundle has answers in place of the file; of a dso that was asked for something. */
bool pd_symbols_has_answers(const struct perfdata_symbols_dso *dso);
/* Whether a bundle has answers for the file, and none for this address. Loads them. */
bool pd_symbols_lack_answer(struct perfdata_symbols_dso *dso, uint64_t address);
/* Whether the symbols were loaded, or could not be. */
bool pd_symbols_is_loaded(const struct perfdata_symbols_dso *dso);
/* Takes the lock of a dso. As long as another thread has it, the calling thread loads other dsos. */
void pd_symbols_lock(struct perfdata_symbols_dso *dso);
/* Puts a copy in place of a text, unless it is NULL. 0, or -1 without memory. */
int pd_copy_text(struct pd_arena *arena, const char **text);
/* dso_new.c: makes a dso, and loads no file. `request` has all members of the struct. PERFDATA_ENOMEM. */
enum perfdata_status pd_dso_new(struct perfdata_symbols *symbols, const struct perfdata_symbols_request *request,
				struct perfdata_symbols_dso **ret);
/* Loads the symbols of a dso unless that was done: with the lock of the dso, and without. Returns dso->status. */
enum perfdata_status pd_dso_load_locked(struct perfdata_symbols_dso *dso);
enum perfdata_status pd_dso_wait_loaded(struct perfdata_symbols_dso *dso);
/* Loads a dso that nobody has loaded or is loading. false: there is none. */
bool pd_symbols_load_another(struct perfdata_symbols *symbols);
/* Of a look-up that found nothing, or not all: whether something failed since there were `before` failures. Another
 * thread's failure counts, too: the names of all are in doubt then. */
enum perfdata_status pd_symbols_judge(const struct perfdata_symbols *symbols, enum perfdata_status status,
				      size_t before);
/* The list of dsos, which only grows at its head. */
struct perfdata_symbols_dso *pd_symbols_first(struct perfdata_symbols *symbols);
/* Loads the symbols of one more dso or, where `lines` says so, opens the debug information of one whose symbols are
 * loaded. false: other threads have done or are doing all of that. What fails here fails again, and is reported, when
 * it is needed. */
bool pd_symbols_load_next(struct perfdata_symbols *symbols, bool lines);

/* How often something failed so far: then names, lines or steps may be missing that are there. Those who look them up
 * may take any failure for nothing there, and compare this number at the end. */
size_t pd_symbols_failed(const struct perfdata_symbols *symbols);
/* The worst failure: PERFDATA_OK, PERFDATA_EREAD or, where memory or descriptors ran out, PERFDATA_ENOMEM. */
enum perfdata_status pd_symbols_failure(const struct perfdata_symbols *symbols);
/* Whether names may be missing since the work was cancelled. */
bool pd_symbols_are_cancelled(const struct perfdata_symbols *symbols);
/* Why a function of the table that adds or sorts returned -1: PERFDATA_ENOMEM; PERFDATA_ELIMIT: there are too many
 * symbols, or the account has no room; PERFDATA_EINTR. */
enum perfdata_status pd_symtab_status(const struct pd_symbol_table *table);
/* Before that many symbols are looked at: whether the work was cancelled, or is too much already. */
bool pd_symtab_is_stopped(struct pd_symbol_table *table, size_t count);
/* Before that many bytes are allocated for symbols: whether the account has no room for them. */
bool pd_symtab_is_full(struct pd_symbol_table *table, uint64_t bytes);
/* What failed, for the end of a message. */
const char *pd_symbols_failure_text(const struct perfdata_symbols *symbols, char *room, size_t size);
/* Counts a failure, if the status is one. Returns the status. */
enum perfdata_status pd_symbols_note(struct perfdata_symbols *symbols, enum perfdata_status status);
/* The same for the errno value of a call on a file; reports it as a finding: see pd_status_of_errno. `symbols` may be
 * NULL. */
enum perfdata_status pd_symbols_fail(struct perfdata_symbols *symbols, const char *file, int code);
/* Reports that a call on a file failed with an errno value, and counts nothing. */
void pd_symbols_tell(struct perfdata_symbols *symbols, const char *file, int code);
/* The same for a library that could not be loaded, once. */
void pd_symbols_tell_library(struct perfdata_symbols *symbols, const char *name, int code);
/* A failure also makes loading the dso fail, whatever is found elsewhere. */
enum perfdata_status pd_dso_fail(struct perfdata_symbols_dso *dso, enum perfdata_status status);

/* Whether a perf map has several names for an address. */
bool pd_symbols_differ(struct perfdata_symbols_dso *dso, uint64_t address);
/* Makes a finding of how many addresses a perf map has several names for. */
void pd_symbols_report_overlap(const struct perfdata_symbols_dso *dso, uint64_t nr_addresses);

/* answers_load.c: sets dso->answers, where a bundle has answers for the dso. PERFDATA_OK; PERFDATA_ABSENT: there are
 * none, or the file had no symbols. With the lock of the dso. */
enum perfdata_status pd_answers_load(struct perfdata_symbols_dso *dso);
/* answers_load.c: makes a finding of how many addresses were asked that the answers in a bundle lack, once; also for
 * the libraries of an archive. */
void pd_answers_report(struct perfdata_symbols_dso *dso);
/* Reports that a file asked for more than its size explains. */
void pd_symbols_find_excess(const struct perfdata_symbols_dso *dso, const char *file, const char *what);
/* The path of the file with the debug information. */
const char *pd_symbols_debug_path(const struct perfdata_symbols_dso *dso);
void pd_symbols_log(const struct perfdata_symbols_dso *dso, enum perfdata_symbols_event event, const char *file,
		    const char *reason);
/* Makes a finding about a file of a dso. */
void pd_dso_report(const struct perfdata_symbols_dso *dso, enum perfdata_finding_code code, const char *file,
		   const char *what);

/* symbol_load.c, for answers_load.c. Opens a file that may hold symbols, or logs why it cannot. */
int pd_dso_open_logged(struct perfdata_symbols_dso *dso, const char *path, enum pd_regular kind);
/* Logs and reports why a file is not used, and forgets what was read of it. */
enum perfdata_status pd_dso_refuse(struct perfdata_symbols_dso *dso, const char *path, enum perfdata_status status);
/* The file has the symbols of the dso. */
void pd_dso_set_origin(struct perfdata_symbols_dso *dso, const char *path, const char *reason);
/* symbol_load.c: with the lock held, or before the handle is returned. pd_dso_take_kallsyms closes `fd`. */
enum perfdata_status pd_dso_load(struct perfdata_symbols_dso *dso);
enum perfdata_status pd_dso_take_kallsyms(struct perfdata_symbols_dso *dso, int fd, const char *path);
/* Whether a kernel whose symbols were read has _text or _stext at the address. */
bool pd_dso_has_text_at(struct perfdata_symbols_dso *dso, uint64_t address);
/* Opens dso->unwind, with symbols->unwind_lock held. false: there is no such file. */
bool pd_dso_open_unwind(struct perfdata_symbols_dso *dso);
/* Whether the dso has a file whose code may be in user stacks; loads the dso. */
bool pd_dso_has_text(struct perfdata_symbols_dso *dso);
/* archive_dsos.c: of a dso that is an archive, the library that has the code at an offset, and in *offset the offset in
 * that library; of any other dso, the dso itself. NULL: the archive has no library there; memory failed, which was
 * noted. Loads the dso, but no library. */
struct perfdata_symbols_dso *pd_dso_of_entry(struct perfdata_symbols_dso *dso, uint64_t *offset);
/* Of text and debug, the file with debug information; NULL: neither has any. */
struct pd_elf *pd_dso_debug_info(const struct perfdata_symbols_dso *dso);
/* The supplementary file that debug information refers to; NULL: there is no such reference, or no such file. */
struct pd_elf *pd_dso_find_alt(struct perfdata_symbols_dso *dso);
/* To be called with the lock held, for a dso that is loaded. */
void pd_dso_check_id(const struct perfdata_symbols_dso *dso, const struct pd_build_id *id);

/* Calls `take` for one place after the other where the wanted file may be, until it returns true. `path` is
 * borrowed. */
typedef bool pd_location_fn(void *user, const char *path, const char *what);
/* Places of a recorded path (symfs, sysroot, this host). */
bool pd_places_of(const struct perfdata_symbols *symbols, const char *path, const char *what, pd_location_fn *take,
		  void *user);
/* Places of separate debug information, in perf's order. `debug_link` may be NULL. */
bool pd_debug_places(const struct perfdata_symbols *symbols, const char *path, const char *debug_link,
		     const struct pd_build_id *id, pd_location_fn *take, void *user);
/* Places of the file with build-id `id` that the file at `from` calls `link`. */
bool pd_alt_places(const struct perfdata_symbols *symbols, const char *from, const char *link,
		   const struct pd_build_id *id, pd_location_fn *take, void *user);
/* Places of the file itself in build-id directories. `name` is "elf", "vmlinux" or "kallsyms". */
bool pd_cache_places(const struct perfdata_symbols *symbols, const struct pd_build_id *id, const char *name,
		     pd_location_fn *take, void *user);
/* The same where perf keeps the file of a path. */
bool pd_cache_places_of(const struct perfdata_symbols *symbols, const char *path, const struct pd_build_id *id,
			const char *name, pd_location_fn *take, void *user);
/* Places of a kernel's image. */
bool pd_vmlinux_places(const struct perfdata_symbols *symbols, const char *release, pd_location_fn *take, void *user);
/* The CRC of .gnu_debuglink over a file. false: the file cannot be read. */
bool pd_debuglink_crc(int fd, const struct perfdata_cancel *cancel, uint32_t *ret);
/* An open file from a debuginfod server, and its path in `bytes`; otherwise why there is none in `reason`:
 * PERFDATA_ABSENT; PERFDATA_ENOMEM, PERFDATA_EREAD: the client failed. Only one file includes the client's header. */
enum perfdata_status pd_debuginfod_find(const struct pd_build_id *id, bool debug, struct pd_arena *bytes,
					const char **ret_path, int *ret_fd, char *reason, size_t room);

/* --- symbol_host.c: is a file of this host the recorded one ------------------------------------------------------- */

/* --- symbol_modules.c --------------------------------------------------------------------------------------------- */

#define PD_MAX_MODULE_LIST ((size_t)16 << 20)

/* Spelling number `index` of a module's path: as recorded, then with the suffixes of compressed and uncompressed files.
 * false: no more. */
bool pd_module_packing(const char *path, size_t index, char out[PD_ROOTED_PATH]);
/* The path of modules.dep of a kernel. */
bool pd_module_list(const char *release, char out[PD_ROOTED_PATH]);
/* The path that the text of modules.dep has for a module ("[xfs]", where '-' is '_'). */
bool pd_module_listed(const char *text, const char *release, const char *name, char out[PD_ROOTED_PATH]);
/* Places of the file of a module, recorded as a path or as "[NAME]". */
bool pd_module_places(struct perfdata_symbols *symbols, const char *path, const char *release,
		      pd_location_fn *take, void *user);

#define PD_KERNEL_NOTES "/sys/kernel/notes"

struct stat;
/* Whether the path is below symfs or sysroot: then the caller vouches for the file. */
bool pd_is_given(const struct perfdata_symbols *symbols, const char *path);
/* Why an open file, whose build-id is `found`, or a perf map, is not known to be the recorded one: one phrase, or
 * NULL. */
const char *pd_unidentified(const struct perfdata_symbols_dso *dso, const struct stat *st, const char *path,
			    bool in_process, const struct pd_build_id *found);
const char *pd_map_unidentified(const struct perfdata_symbols_dso *dso, const struct stat *st, const char *path);
/* symbol_device.c: whether the file at `path`, whose stat this is, lies on another device than was recorded (0:0: not
 * recorded). */
bool pd_is_other_device(const char *path, const struct stat *st, uint32_t dev_major, uint32_t dev_minor);
/* The build-id of a module as it is loaded on this host, which runs the recorded kernel. */
bool pd_module_build_id(const struct perfdata_symbols_dso *dso, struct pd_build_id *ret);
/* Whether a module is loaded on this host where it was recorded. */
bool pd_module_is_loaded(const struct perfdata_symbols_dso *dso);
/* Whether a text like /proc/modules has a module where it was recorded. */
bool pd_modules_have(const char *text, const struct perfdata_symbols_dso *module);
/* The build-id of the kernel that runs here; size 0: unknown. A failure is reported. */
enum perfdata_status pd_running_kernel_id(struct perfdata_symbols *symbols, struct pd_build_id *ret);

/* --- symbol_elf.c: ELF files (symbols, segments, build-id); symbol_plt.c ----------------------------------------- */

struct pd_segment {
	uint64_t offset, vaddr, filesz, memsz, align;
	bool is_code;   /* may be executed */
};

/* Takes over `fd`, of the file at `path`, in any case. Decompresses compressed files. `symbols` may be NULL: then the
 * descriptor stays. PERFDATA_EFORMAT, PERFDATA_ELIMIT, PERFDATA_EUNSUP; PERFDATA_ENOMEM, PERFDATA_EREAD: it failed. */
enum perfdata_status pd_elf_open(struct perfdata_symbols *symbols, int fd, const char *path, struct pd_elf **ret);
/* Opens bytes in memory that live as long as the handle. */
enum perfdata_status pd_elf_open_memory(const void *image, size_t size, struct pd_elf **ret);
void pd_elf_close(struct pd_elf *elf);
/* What failed so far in reading the file: PERFDATA_OK, PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_elf_failure(const struct pd_elf *elf);
/* PERFDATA_ABSENT: it has none; PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_elf_build_id(const struct pd_elf *elf, struct pd_build_id *ret);
/* The address of .text less its offset in the file; 0: it has none. */
uint64_t pd_elf_text_shift(const struct pd_elf *elf);
bool pd_elf_has_symtab(const struct pd_elf *elf);
bool pd_elf_has_dynsym(const struct pd_elf *elf);
/* The size of an ELF image in memory, by its header; 0: it is no ELF image, or larger than the limit. */
size_t pd_elf_image_size(const void *image, size_t limit);
/* The ELF file that is compressed inside (.gnu_debugdata). PERFDATA_ABSENT, or another status: there is none to use;
 * PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_elf_debugdata(const struct pd_elf *elf, struct pd_work *work, struct pd_elf **ret);
/* Name and CRC of the separate debug file (.gnu_debuglink); NULL: none. */
const char *pd_elf_debug_link(const struct pd_elf *elf, uint32_t *ret_crc);
/* Path and build-id of the supplementary file (.gnu_debugaltlink); NULL: none. The path lives as long as the handle. */
const char *pd_elf_alt_link(const struct pd_elf *elf, struct pd_build_id *ret_id);
/* Whether the file itself, and not another one, has the section with the debug information. */
bool pd_elf_has_debug_info(const struct pd_elf *elf);
bool pd_elf_vaddr(const struct pd_elf *elf, uint64_t offset, uint64_t *ret);
bool pd_elf_offset(const struct pd_elf *elf, uint64_t vaddr, uint64_t *ret);
/* Reads `size` bytes at an offset of the file. false: the file ends before, or reading failed (pd_elf_failure). */
bool pd_elf_read(const struct pd_elf *elf, uint64_t offset, void *out, size_t size);

enum pd_elf_place {
	PD_ELF_OFFSET,  /* symbols at file offsets */
	PD_ELF_VADDR,   /* symbols at their values: vmlinux */
	PD_ELF_MODULE,  /* relocatable kernel module: as if .text were at 0 */
};
/* Adds the symbols of both tables of `symbols` (and PLT entries of `text`), with perf's rules. */
enum perfdata_status pd_elf_symbols(struct pd_symbol_table *table, struct pd_elf *symbols, struct pd_elf *text,
				    enum pd_elf_place place);

/* --- symbol_object.c ---------------------------------------------------------------------------------------------- */

/* Only files with a symbol table and line tables: PERFDATA_ABSENT for others. The file must outlive it. */
enum perfdata_status pd_objects_new(const struct pd_elf *elf, struct pd_objects **ret);
void pd_objects_free(struct pd_objects *objects);   /* NULL is fine */
size_t pd_objects_size(const struct pd_objects *objects);
/* The name of the source that the function at an address came from, valid as long as the objects; NULL: it is not
 * known. PERFDATA_ABSENT: there is no function. One thread at a time. */
enum perfdata_status pd_objects_find(struct pd_objects *objects, uint64_t vaddr, const char **ret);
/* Of a dso, for any thread. *ret_address, in any case: the address as perf shows it. If the file has symbols, it is an
 * address as in its symbol table, computed from the address of .text. */
enum perfdata_status pd_symbols_object(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t *ret_address,
				       const char **ret);

/* --- symbol_compressed.c: compressed files ------------------------------------------------------------------------ */

/* The content of a compressed file (gzip, zstd, xz), in *ret to be freed with pd_free; `work` may be NULL.
 * PERFDATA_ABSENT: it is not compressed; PERFDATA_ELIMIT, PERFDATA_EINTR; PERFDATA_EREAD: reading failed, with
 * errno. */
enum perfdata_status pd_unpack(struct pd_work *work, int fd, char **ret, size_t *ret_size);
/* The same for bytes in memory, which decompress to at most `limit` bytes. PERFDATA_EFORMAT, PERFDATA_ELIMIT,
 * PERFDATA_ENOMEM; PERFDATA_EUNSUP: built without the library for this compression. */
enum perfdata_status pd_unpack_bytes(struct pd_work *work, const void *compressed, size_t size, size_t limit,
				     char **ret, size_t *ret_size);

/* --- dwarf_lines.c; dwarf_libdw.c --------------------------------------------------------------------------------- */

void pd_lines_close(struct perfdata_symbols_dso *dso);
/* Opens the debug information of a loaded dso; false: that was done, or another thread holds the dso. */
bool pd_lines_load_ahead(struct perfdata_symbols_dso *dso);
/* What a look-up finds beside the functions. */
struct pd_lines_wish {
	bool positions;            /* without them no line table is read */
	bool raw_names;            /* names as linkers see them */
	uint32_t *discriminators;  /* of each position: which of the blocks of its line; NULL: not asked for */
};
/* To be called for a dso that is loaded, without its lock. */
enum perfdata_status pd_lines_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, const struct pd_lines_wish *wish,
				   struct perfdata_source_line *frames, size_t room, size_t *ret_count);
/* symbols.c: the same for an address as look-ups take it; loads the dso. */
enum perfdata_status pd_symbols_find_calls(struct perfdata_symbols_dso *dso, uint64_t address,
					   const struct pd_lines_wish *wish, struct perfdata_source_line *frames,
					   size_t room, size_t *ret_count);
/* Calls `take` for each piece of code of each function, in the order of the file, until that returns false. `name` is
 * what linkers call the function. PERFDATA_ABSENT: no debug information; PERFDATA_EUNSUP: libdw alone can read it. */
typedef bool pd_take_function(void *user, const char *name, uint64_t start, uint64_t end);
enum perfdata_status pd_lines_walk_functions(struct perfdata_symbols_dso *dso, pd_take_function *take, void *user);

struct pd_libdw;
/* `alt`: the supplementary file, or NULL. PERFDATA_ABSENT: no debug information, or the supplementary file is missing;
 * PERFDATA_EUNSUP: it is damaged, or lies in files of its own; PERFDATA_ELIMIT, PERFDATA_EINTR, PERFDATA_ENOMEM. One
 * thread at a time uses a handle. */
enum perfdata_status pd_libdw_open(const struct pd_elf *elf, const struct pd_elf *alt, struct pd_work *work,
				   struct pd_libdw **ret);
void pd_libdw_close(struct pd_libdw *libdw);
/* Whether a name stayed mangled because demangling it would exceed a limit. */
bool pd_libdw_has_excess(const struct pd_libdw *libdw);
size_t pd_libdw_size(const struct pd_libdw *libdw);   /* about how much memory it holds */
/* Texts are valid until the next look-up. */
enum perfdata_status pd_libdw_lookup(struct pd_libdw *libdw, uint64_t vaddr, const struct pd_lines_wish *wish,
				     struct perfdata_source_line *frames, size_t room, size_t *ret_count);

/* --- unwind_image.c; to be called with the lock of the dso, which is loaded ---- */

void pd_unwind_close(struct perfdata_symbols_dso *dso);

/* --- for other rooms --- */

/* Sets the build-id of a dso that became known after its handle was made, as may happen in a stream. Names that were
 * returned already stay; if they come from another file, a finding says so. */
void pd_symbols_expect(struct perfdata_symbols_dso *dso, const uint8_t *build_id, size_t size);

/* The calls that are in progress at an address, innermost first: the inlined functions, and last the function that
 * holds the code. Sets at most `room` entries; *ret_count: how many there are. PERFDATA_ABSENT: no debug
 * information there. PERFDATA_EUNSUP, PERFDATA_ENOMEM. */
/* With a time, for jitdump files: their lines are those of the code that was there then. Other dsos pass over it. */
enum perfdata_status pd_symbols_source_at(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
					  struct perfdata_source_line *frames, size_t room, size_t *ret_count);
enum perfdata_status pd_symbols_source(struct perfdata_symbols_dso *dso, uint64_t address,
							  struct perfdata_source_line *frames, size_t room,
							  size_t *ret_count);

/* The same for the address of an ELF file, with the names that linkers see, and the discriminator of each position. */
enum perfdata_status pd_symbols_blocks(struct perfdata_symbols_dso *dso, uint64_t vaddr,
				       struct perfdata_source_line *frames, uint32_t *discriminators, size_t room,
				       size_t *ret_count);
/* As pd_lines_walk_functions. */
enum perfdata_status pd_symbols_walk_functions(struct perfdata_symbols_dso *dso, pd_take_function *take, void *user);

/* Loads the dso if no look-up has done so. */
enum perfdata_status pd_symbols_origin(struct perfdata_symbols_dso *dso, struct perfdata_symbols_origin *ret);

/* The virtual address of a file offset of an ELF dso, by its program headers. PERFDATA_ABSENT: in no segment. */
enum perfdata_status pd_symbols_vaddr(struct perfdata_symbols_dso *dso, uint64_t offset,
							 uint64_t *ret_vaddr);

/* --- symbol_code.c: code bytes --- */

#define PD_MOST_CODE ((uint64_t)4 << 20)   /* of one function */
/* Values of e_machine; a compiler for i386 defines that name as a macro. */
enum { PD_MACHINE_386 = 3, PD_MACHINE_X86_64 = 62, PD_MACHINE_ARM64 = 183 };
struct pd_code_bytes {
	uint8_t *bytes;
	size_t size;
	uint64_t address;        /* of the first byte, as objdump has it; of jitdump files: where the code was */
	unsigned machine;        /* e_machine of an ELF header */
	const char *reason;      /* why there are none: static storage */
};
/* The bytes at an address of a dso (as look-ups take it), at a time for jitdump files. PERFDATA_ABSENT: there are none
 * that are the recorded ones, see the reason. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_symbols_code(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time, uint64_t size,
				     struct pd_code_bytes *ret);
void pd_code_release(struct pd_code_bytes *code);

/* --- kernel_core.c: copies of the kernel's memory --- */

/* The folder in which the recorder put kcore, kallsyms and modules. To be called before the dso of the kernel, or of a
 * module, is looked at. */
void pd_symbols_set_folder(struct perfdata_symbols_dso *dso, const char *folder);
/* The bytes at a recorded address of the kernel, or of a module of it (else NULL), by a copy of memory that is known to
 * be of the recorded boot. PERFDATA_ABSENT, PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_symbols_core_code(struct perfdata_symbols_dso *kernel,
					  const struct perfdata_symbols_dso *module, uint64_t address, uint64_t size,
					  struct pd_code_bytes *ret);

/* The build-id in ELF notes, such as the content of /sys/kernel/notes or /sys/module/NAME/notes/.note.gnu.build-id. */
enum perfdata_status pd_notes_build_id(const void *notes, size_t size,
							  enum perfdata_byte_order order,
							  uint8_t ret_id[PERFDATA_BUILD_ID_MAX], size_t *ret_size);

/* The build-id of the kernel that runs here. PERFDATA_EREAD: /sys/kernel/notes cannot be read. */
enum perfdata_status pd_running_kernel_build_id(uint8_t ret_id[PERFDATA_BUILD_ID_MAX],
								   size_t *ret_size);

/* Demangles a C++ or Rust name into a buffer of the caller and returns the buffer, or `name` itself if it is no mangled
 * name or does not fit. */
const char *pd_demangle_name(const char *name, char *buffer, size_t size);

#endif
