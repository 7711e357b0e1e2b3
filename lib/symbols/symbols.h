/* SPDX-License-Identifier: MIT */
/* What the rooms of lib/symbols share: the source of symbols, its dsos, and the files that they are made of. */
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
#include "symbols/table/symbol_table.h"
#include "symbols/work/symbol_work.h"

/* --- demangle.c, demangle_bound.c, demangle_cxx.c, demangle_rust.c, demangle_managed.c --------------------------- */

/* Returns the demangled name in memory of `bytes`, or `name`. NULL: memory or the C++ runtime failed, see
 * pd_demangle_failure. Sets *ret_excess if a C++ name stays mangled since it would be too long, or need more than
 * `work` (may be NULL) allows. */
const char *pd_demangle(struct pd_arena *bytes, const char *name, struct pd_work *work, bool *ret_excess);
/* Returns the most parts of a demangled C++ name; 0: too many. References can make a short name gigabytes long, and the
 * C++ runtime has no limit. */
uint64_t pd_demangle_bound(const char *name);
/* Returns the most bytes of a demangled C++ name; 0: too many, or unknown. */
uint64_t pd_demangle_bound_bytes(const char *name);
/* Returns a C++ name, to be freed with free(). PERFDATA_ABSENT: not a mangled name, or no C++ runtime is installed.
 * PERFDATA_ELIMIT: the name would be too long, or need more than `work` (may be NULL) allows. PERFDATA_ENOMEM,
 * PERFDATA_EREAD: demangling failed. */
enum perfdata_status pd_demangle_cxx(const char *name, struct pd_work *work, char **ret);
/* Returns why the C++ runtime could not be loaded: PERFDATA_OK (no failure), PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_demangle_failure(void);
/* Returns the errno value of that failure; 0: no failure. */
int pd_demangle_failure_code(void);
/* Loads libdw and libdwfl; reports a failure to `symbols` (may be NULL). PERFDATA_ABSENT: not installed, or not used by
 * this build. */
enum perfdata_status pd_libdw_load(struct perfdata_symbols *symbols);
/* Writes a demangled Rust name; false: `name` is not a Rust name, or the result does not fit. */
bool pd_demangle_rust(const char *name, char *out, size_t room);
/* The same for names of OCaml, and for methods of Java, which are shown without the type of their result. */
bool pd_demangle_ocaml(const char *name, char *out, size_t room);
bool pd_demangle_java(const char *name, char *out, size_t room);

/* --- symbol_files.c: opens and reads files ------------------------------------------------------------------------ */

struct pd_build_id {
	uint8_t bytes[PERFDATA_BUILD_ID_MAX];
	size_t size;
};
/* Returns an empty build-id if the bytes do not fit. */
struct pd_build_id pd_build_id_of(const uint8_t *bytes, size_t size);
/* Whether build-ids are equal except for zeros at the end: old recorders wrote 20 bytes without a length. */
bool pd_same_build_id(const struct pd_build_id *a, const struct pd_build_id *b);

struct perfdata_symbols;
/* Opens a regular file that may have symbols: through the caller's function, if there is one, and never outside of
 * symfs and sysroot. -1 with errno. */
int pd_symbols_open(struct perfdata_symbols *symbols, const char *path, enum pd_regular kind);
/* As pd_symbols_open, but does not close other symbol files if descriptors run out. */
int pd_symbols_open_once(const struct perfdata_symbols *symbols, const char *path, enum pd_regular kind);
/* Reads the whole file, at most `limit` bytes, and appends a NUL; works in /proc, where files have no size.
 * PERFDATA_ELIMIT: it is larger. PERFDATA_ENOMEM, PERFDATA_EREAD: failed, with errno. */
enum perfdata_status pd_read_whole(int fd, size_t limit, char **ret /* free with pd_free */, size_t *ret_size);
/* As pd_read_whole, within the limits of `work` (may be NULL). PERFDATA_EINTR; PERFDATA_ELIMIT also if the account has
 * no room. */
enum perfdata_status pd_read_within(struct pd_work *work, int fd, size_t limit, char **ret, size_t *ret_size);

/* --- symbol_archive.c: libraries in archives (an APK, a ZIP file) ------------------------------------------------- */

struct perfdata_symbols_dso;
struct pd_archive_entry {
	uint64_t offset, size;    /* place of the library in the archive */
	const char *name;
	_Atomic(struct perfdata_symbols_dso *) dso;   /* made by pd_dso_of_entry; NULL: not yet needed */
};
struct pd_archive {
	struct pd_archive_entry *entries;   /* ELF files, sorted by offset */
	size_t nr;
};

/* Returns ENTRY of a path ARCHIVE!/ENTRY; NULL: the path has another form. */
const char *pd_archive_entry_name(const char *path);
bool pd_is_archive(int fd);
/* Opens a file for reading; if no file has the path and it is ARCHIVE!/ENTRY, the archive. -1 with errno. */
int pd_archive_open(const char *path, enum pd_regular kind);
/* Finds an entry. PERFDATA_ABSENT: the archive has no uncompressed ELF file of this name. PERFDATA_EREAD with errno,
 * PERFDATA_ENOMEM, PERFDATA_ELIMIT, PERFDATA_EINTR. */
enum perfdata_status pd_archive_find(int fd, struct pd_work *work, const char *name, uint64_t *ret_offset,
				     uint64_t *ret_size);
/* Reads all entries, with names in memory of `bytes`. PERFDATA_ABSENT: there are none. */
enum perfdata_status pd_archive_read(int fd, struct pd_work *work, struct pd_arena *bytes, struct pd_archive **ret);
/* Returns the entry that contains the byte at an offset, or NULL. */
struct pd_archive_entry *pd_archive_entry_at(const struct pd_archive *archive, uint64_t offset);
void pd_archive_free(struct pd_archive *archive);

/* --- symbol_kept.c: files that are read from time to time; only few keep a descriptor ----------------------------- */

struct pd_kept_file;
struct pd_kept_files {
	struct pd_monitor *lock;
	struct pd_kept_file *newest, *oldest;     /* list of files whose descriptor is unused */
	size_t nr_open, most;                     /* open descriptors; descriptors in use may exceed `most` */
};

/* Returns the number of descriptors that symbol files may have in this process. */
size_t pd_kept_most(void);
/* Takes over the descriptor, also on failure. The file can be opened again at `path` through pd_symbols_open. symbols
 * NULL: the descriptor is never closed. */
enum perfdata_status pd_kept_new(struct perfdata_symbols *symbols, int fd, const char *path, struct pd_kept_file **ret);
/* Restricts the file to a range: an entry of an archive. */
void pd_kept_narrow(struct pd_kept_file *file, uint64_t offset, uint64_t size);
void pd_kept_free(struct pd_kept_file *file);
uint64_t pd_kept_size(const struct pd_kept_file *file);
/* Reads bytes; false: the file ends before, or a read failed and was reported (pd_kept_failure). */
bool pd_kept_read(struct pd_kept_file *file, uint64_t offset, void *out, size_t size);
/* Returns the failure so far: PERFDATA_OK, PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_kept_failure(const struct pd_kept_file *file);
/* Closes unused descriptors; false: there were none. */
bool pd_kept_close_idle(struct perfdata_symbols *symbols);

/* A temporary file for decompressed sections of debug information that do not fit into memory (symbol_spool.c). */
struct pd_symbols_spool {
	struct pd_monitor *lock;
	struct pd_spool file;                     /* as large as its parts together */
	size_t nr_parts;                          /* the file exists as long as it has parts */
	atomic_bool is_reported;                  /* whether the failure was reported */
};
/* Reserves a part of the file for one caller. Reports failures. PERFDATA_ENOMEM: no disk space; PERFDATA_EREAD. */
enum perfdata_status pd_symbols_spool_take(struct perfdata_symbols *symbols, uint64_t size, uint64_t *ret_at);
void pd_symbols_spool_give(struct perfdata_symbols *symbols, uint64_t at, uint64_t size);
enum perfdata_status pd_symbols_spool_write(struct perfdata_symbols *symbols, uint64_t at, const void *bytes,
					    size_t size);
bool pd_symbols_spool_read(struct perfdata_symbols *symbols, uint64_t at, void *out, size_t size);

/* Failures of look-ups. A failure is not absence: a name that exists must not count as absent because a call failed. */
struct pd_failures {
	atomic_size_t nr;
	atomic_int worst;                         /* value of PERFDATA_OK, PERFDATA_EREAD or PERFDATA_ENOMEM */
	atomic_int read_errno, room_errno;        /* errno of the first failed call with such a status; 0: none */
	atomic_bool library_is_reported;          /* it was reported that a library could not be loaded */
};

struct perfdata_symbols {
	struct perfdata_symbols_options options;  /* its strings are in `strings` */
	struct pd_arena strings;
	struct pd_monitor *lock;                  /* protects the list of dsos */
	atomic_bool some_rules_are_beyond;        /* unwind_rules.c reached the limit of a file's tables */
	struct pd_monitor *unwind_lock;           /* held while a stack is unwound; protects `unwind` of all dsos */
	struct perfdata_symbols_dso *dsos;
	struct pd_monitor *kallsyms_lock;         /* protects the list; held while a text is read */
	struct pd_kallsyms *kallsyms;
	_Atomic(size_t) names_memory;             /* bytes of symbol names of all dsos */
	_Atomic(size_t) units_memory;             /* bytes of open units of debug information of all dsos */
	atomic_uint_fast64_t libdw_clock;         /* number of look-ups by libdw in all dsos */
	struct pd_failures failures;              /* failures in all dsos */
	struct pd_kept_files kept;
	struct pd_symbols_spool spool;
	struct pd_disassembly *disassembly;       /* disassembler libraries; NULL: not yet needed */
};

/* The symbols of a kallsyms text, kept as long as the source of symbols (symbol_shared.c). */
struct pd_kallsyms {
	struct pd_kallsyms *next;
	struct pd_kallsyms_table table;
	enum perfdata_status status;              /* result of reading the text */
	struct pd_odd_lines odd;
	_Atomic(bool) odd_is_reported;
	struct pd_work work;
	size_t accounted;
	char path[];
};
/* Reads the text, unless another dso has read the text at this path; closes `fd`. Check its status. NULL: no memory. */
struct pd_kallsyms *pd_kallsyms_get(struct perfdata_symbols *symbols, const char *path, int fd);
void pd_kallsyms_free(struct perfdata_symbols *symbols);

/* How to find the caller's frame from an address of code (unwind_rules.h). */
enum pd_rule_kind {
	PD_RULE_LIBDWFL,        /* no rule, or one of another form: libdwfl must unwind */
	PD_RULE_NONE,           /* the file has no rule for this code */
	PD_RULE_END,            /* outermost frame */
	PD_RULE_FRAME,          /* the caller's frame is at an offset from a register */
	PD_RULE_FRAME_OF_LEAF,  /* as PD_RULE_FRAME, but only for the innermost frame */
	PD_RULE_FRAME_OF_EXIDX, /* as PD_RULE_FRAME, by the exception index of 32-bit ARM, unknown to libdwfl */
};
/* PD_RULE_IN_REGISTER: only of a return address, whose offset is then the number of the register. vfork needs it. */
enum pd_rule_place { PD_RULE_SAME, PD_RULE_AT_CFA, PD_RULE_UNKNOWN, PD_RULE_IN_REGISTER };
/* The register from which the caller's frame is computed: stack pointer, frame pointer, or a callee-saved register. A
 * function that aligns its stack keeps the old stack pointer in a callee-saved register, and the reader follows
 * only rbx, which the dynamic linker of x86 uses; or it saves the CFA in its frame (PD_RULE_SAVED_AT_FP). */
enum pd_rule_base { PD_RULE_FROM_SP, PD_RULE_FROM_FP, PD_RULE_FROM_KEPT, PD_RULE_SAVED_AT_FP };
/* Two words, so that threads can share a table of rules without a lock. */
struct pd_rule {
	enum pd_rule_kind kind : 3;
	enum pd_rule_base base : 2;           /* register from which the caller's frame is computed */
	bool is_signed : 1;                   /* the return address is signed */
	enum pd_rule_place return_address : 2, fp : 2, kept : 2;
	bool is_common : 1;                   /* known rules: of the form that nearly all frames have */
	/* offsets in bytes: cfa from `base`, others from the CFA, or fp and kept from fp (PD_RULE_SAVED_AT_FP) */
	int16_t return_address_at;
	int32_t cfa, fp_at, kept_at;
};
_Static_assert(sizeof(struct pd_rule) == 16, "a rule has two words");
struct pd_lines;    /* dwarf_lines.c */
struct pd_rules;    /* unwind_rules.c */
struct pd_asked;    /* answers.h */
struct pd_answers;
struct pd_objects;  /* symbol_object.c */

struct perfdata_symbols_dso {
	struct perfdata_symbols_dso *next;
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_request request;  /* its strings are in symbols->strings */
	struct pd_monitor *lock;                  /* held while the dso is loaded; protects `lines` */
	struct pd_monitor *names_lock;            /* protects the table's names after loading */
	atomic_bool loaded;                       /* set last; status, table and jit are valid only if it is set */
	atomic_bool files_known;                  /* set after text, debug and archive, which then do not change */
	enum perfdata_status status;              /* result of loading */
	enum perfdata_status failure;             /* failure of a file that loading needed; PERFDATA_OK: none */
	struct pd_work work;                      /* limits loading the symbols, and their names */
	struct pd_symbol_table table;
	struct pd_kallsyms *kallsyms;             /* has the symbols; NULL: `table` has them */
	struct pd_jit jit;
	int64_t delta;                            /* recorded address + delta = address in the table */
	struct pd_elf *text, *debug;              /* files with code, and with debug information; may be equal */
	struct pd_elf *alt;   /* supplementary file of the debug information; opened at first need */
	struct pd_build_id alt_id;
	bool alt_tried;
	const char *recorded_folder;              /* directory of the recording with kallsyms and kcore; NULL: none */
	struct pd_elf *core;   /* memory of the kernel, if this is the kernel (kernel_core.c); opened at first need */
	const char *core_folder;                  /* directory with `core` */
	bool core_tried;
	struct Elf *unwind;                       /* handle of libelf for the parts of `text` that libdwfl needs */
	uint8_t *unwind_bytes;                    /* bytes of these parts */
	bool unwind_tried;
	_Atomic(struct pd_rules *) rules;         /* rules of unwind_rules.c; NULL: not yet needed */
	struct pd_lines *lines;                   /* NULL: no debug information */
	atomic_bool lines_tried;                  /* set after `lines` */
	struct pd_objects *objects;               /* NULL: not yet needed, or none */
	bool objects_tried;
	struct pd_asked *asked;                   /* looked-up addresses; NULL: they are not collected */
	struct pd_answers *answers;               /* answers of a bundle; NULL: none */
	struct pd_archive *archive;   /* set if the file is an archive, whose libraries have the symbols; else NULL */
	struct perfdata_symbols_origin origin;
	const char *unidentified;                 /* why a file was refused without a build-id; NULL: none was */
	const char *doubt;                        /* why the build-id may be of another file; NULL: no reason */
	struct pd_build_id found;
	size_t accounted;   /* bytes of the table and other permanent data that the account was charged for */
	struct pd_arena bytes;                    /* memory of paths and names of inlined functions */
};

/* Returns the account that is charged for tables and indexes; NULL: none. */
static inline struct pd_account *pd_symbols_account(const struct perfdata_symbols *symbols)
{
	return symbols->options.memory ? &symbols->options.memory->account : NULL;
}

/* Whether answers of a bundle replace the file; for a dso with look-ups. */
bool pd_symbols_has_answers(const struct perfdata_symbols_dso *dso);
/* Whether a bundle has answers for the file but none for this address. Loads the answers. */
bool pd_symbols_lack_answer(struct perfdata_symbols_dso *dso, uint64_t address);
/* Whether the search for the files of a dso is finished, maybe without success. Its symbols may not be loaded yet. */
bool pd_dso_knows_files(const struct perfdata_symbols_dso *dso);
/* Searches the files of a dso unless they are known, with its lock. */
void pd_dso_wait_files(struct perfdata_symbols_dso *dso);
/* Whether loading the symbols is finished, maybe without success. */
bool pd_symbols_is_loaded(const struct perfdata_symbols_dso *dso);
/* The same of all dsos. */
bool pd_symbols_are_loaded(struct perfdata_symbols *symbols);
/* Takes the lock of a dso. While another thread holds it, the calling thread loads other dsos. */
void pd_symbols_lock(struct perfdata_symbols_dso *dso);
/* Replaces a text by a copy unless it is NULL. 0, or -1 without memory. */
int pd_copy_text(struct pd_arena *arena, const char **text);
/* Makes a dso, and loads no file (dso_new.c). `request` has all members of this version. PERFDATA_ENOMEM. */
enum perfdata_status pd_dso_new(struct perfdata_symbols *symbols, const struct perfdata_symbols_request *request,
				struct perfdata_symbols_dso **ret);
/* Load the symbols of a dso unless it is loaded; the first function needs the lock of the dso, the second takes it.
 * Return dso->status. */
enum perfdata_status pd_dso_load_locked(struct perfdata_symbols_dso *dso);
enum perfdata_status pd_dso_wait_loaded(struct perfdata_symbols_dso *dso);
/* Loads a dso that no thread has loaded or is loading; false: there is none. */
bool pd_symbols_load_another(struct perfdata_symbols *symbols);
/* Returns the status for a look-up that found nothing, or not all: a failure if there are now more than `before`.
 * Failures of other threads count too, since then all names are in doubt. */
enum perfdata_status pd_symbols_judge(const struct perfdata_symbols *symbols, enum perfdata_status status,
				      size_t before);
/* Returns the head of the list of dsos. New dsos become the head. */
struct perfdata_symbols_dso *pd_symbols_first(struct perfdata_symbols *symbols);
/* Loads the symbols of one more dso; or, if `lines`, opens the debug information of a dso with loaded symbols. False:
 * other threads have done or are doing all of it. A failure here is not reported, since it is repeated when the file is
 * needed. */
bool pd_symbols_load_next(struct perfdata_symbols *symbols, bool lines);

/* Returns the number of failures, each of which may have cost names, lines or steps. A caller may treat a failed
 * look-up as an empty one, and compare this number at the end. */
size_t pd_symbols_failed(const struct perfdata_symbols *symbols);
/* Returns the worst failure: PERFDATA_OK, PERFDATA_EREAD or, if memory or descriptors ran out, PERFDATA_ENOMEM. */
enum perfdata_status pd_symbols_failure(const struct perfdata_symbols *symbols);
/* Whether names may be missing because the work was cancelled. */
bool pd_symbols_are_cancelled(const struct perfdata_symbols *symbols);
/* Returns the description of the failure, for the end of a message. */
const char *pd_symbols_failure_text(const struct perfdata_symbols *symbols, char *room, size_t size);
/* Counts the status if it is a failure; returns it. */
enum perfdata_status pd_symbols_note(struct perfdata_symbols *symbols, enum perfdata_status status);
/* Counts and reports the failure of a call on a file with errno value `code`: see pd_status_of_errno. symbols may be
 * NULL. */
enum perfdata_status pd_symbols_fail(struct perfdata_symbols *symbols, const char *file, int code);
/* Reports the failure of a call on a file with errno value `code`, without counting it. */
void pd_symbols_tell(struct perfdata_symbols *symbols, const char *file, int code);
/* Reports once that a library could not be loaded. */
void pd_symbols_tell_library(struct perfdata_symbols *symbols, const char *name, int code);
/* Counts a failure, and makes loading the dso fail even if another file has the symbols. */
enum perfdata_status pd_dso_fail(struct perfdata_symbols_dso *dso, enum perfdata_status status);

/* Whether a perf map has different names for an address. */
bool pd_symbols_differ(struct perfdata_symbols_dso *dso, uint64_t address);
/* Reports the number of addresses for which a perf map has different names. */
void pd_symbols_report_overlap(const struct perfdata_symbols_dso *dso, uint64_t nr_addresses);

/* Sets dso->answers if a bundle has answers for the dso (answers_load.c). PERFDATA_ABSENT: none, or the file had no
 * symbols. Call it with the lock of the dso. */
enum perfdata_status pd_answers_load(struct perfdata_symbols_dso *dso);
/* Reports once the number of looked-up addresses that the answers of a bundle lack, for an archive also those in its
 * libraries (answers_load.c). */
void pd_answers_report(struct perfdata_symbols_dso *dso);
/* Reports that a file needs more work or memory than its size justifies. */
void pd_symbols_find_excess(const struct perfdata_symbols_dso *dso, const char *file, const char *what);
/* Returns the path of the file with debug information. */
const char *pd_symbols_debug_path(const struct perfdata_symbols_dso *dso);
void pd_symbols_log(const struct perfdata_symbols_dso *dso, enum perfdata_symbols_event event, const char *file,
		    const char *reason);
/* Reports a finding about a file of a dso. */
void pd_dso_report(const struct perfdata_symbols_dso *dso, enum perfdata_finding_code code, const char *file,
		   const char *what);

/* Logs and reports why a file is not used, and drops what was read from it. */
enum perfdata_status pd_dso_refuse(struct perfdata_symbols_dso *dso, const char *path, enum perfdata_status status);
/* Functions of symbol_load.c: call them with the lock of the dso, or before the dso is returned. pd_dso_take_kallsyms
 * closes `fd`. */
enum perfdata_status pd_dso_load(struct perfdata_symbols_dso *dso);
/* Finds the files of a program or library, from which pd_dso_load then loads the symbols. */
void pd_dso_find_files(struct perfdata_symbols_dso *dso);
enum perfdata_status pd_dso_take_kallsyms(struct perfdata_symbols_dso *dso, int fd, const char *path);
/* Whether the kernel of a kallsyms text has _text or _stext at the address. A failure is reported. */
bool pd_kallsyms_has_text_at(struct perfdata_symbols *symbols, const char *path, uint64_t address);
/* Opens dso->unwind; call it with symbols->unwind_lock. False: there is no such file. */
bool pd_dso_open_unwind(struct perfdata_symbols_dso *dso);
/* Returns whether the dso has a file whose code may be in user stacks. Unwinding needs no symbols, so it does not wait
 * for them. */
bool pd_dso_has_text(struct perfdata_symbols_dso *dso);
/* Loads the dso. If it is an archive, returns the dso of the library with the code at *offset, which becomes the offset
 * in the library; else returns the dso. NULL: the archive has no library there, or no memory, which was noted. Does not
 * load the library. (archive_dsos.c) */
struct perfdata_symbols_dso *pd_dso_of_entry(struct perfdata_symbols_dso *dso, uint64_t *offset);
/* Returns text or debug, whichever has debug information; NULL: neither. */
struct pd_elf *pd_dso_debug_info(const struct perfdata_symbols_dso *dso);
/* Returns the supplementary file of the debug information; NULL: there is none, or it was not found.
 * (symbol_search.c) */
struct pd_elf *pd_dso_find_alt(struct perfdata_symbols_dso *dso);
/* Reports if the file of a loaded dso has another build-id than `id`. Call it with the lock of the dso. */
void pd_dso_check_id(const struct perfdata_symbols_dso *dso, const struct pd_build_id *id);
/* Reports if a loaded dso has names by its build-id alone: its file is not the mapped one by inode number and time.
 * Call it with the lock of the dso. */
void pd_dso_check_namesake(struct perfdata_symbols_dso *dso);

/* Receives a path where the wanted file may be; returns true to stop. `path` is borrowed. */
typedef bool pd_location_fn(void *user, const char *path, const char *what);
/* Offers the places of a recorded path (symfs, sysroot, this machine). */
bool pd_places_of(const struct perfdata_symbols *symbols, const char *path, const char *what, pd_location_fn *take,
		  void *user);
/* Offers the places of separate debug information, in perf's order. debug_link may be NULL. */
bool pd_debug_places(const struct perfdata_symbols *symbols, const char *path, const char *debug_link,
		     const struct pd_build_id *id, pd_location_fn *take, void *user);
/* Offers the places of the file with build-id `id` that the file at `from` names `link`. */
bool pd_alt_places(const struct perfdata_symbols *symbols, const char *from, const char *link,
		   const struct pd_build_id *id, pd_location_fn *take, void *user);
/* Offers the places of the file itself in build-id directories. name: "elf", "vmlinux" or "kallsyms". */
bool pd_cache_places(const struct perfdata_symbols *symbols, const struct pd_build_id *id, const char *name,
		     pd_location_fn *take, void *user);
/* Offers the places where perf's cache has the file of this path. */
bool pd_cache_places_of(const struct perfdata_symbols *symbols, const char *path, const struct pd_build_id *id,
			const char *name, pd_location_fn *take, void *user);
/* Offers the places of a kernel's image. */
bool pd_vmlinux_places(const struct perfdata_symbols *symbols, const char *release, pd_location_fn *take, void *user);
/* Computes the CRC of .gnu_debuglink over a file; false: the file cannot be read. */
bool pd_debuglink_crc(int fd, const struct perfdata_cancel *cancel, uint32_t *ret);
/* Requests a file from a debuginfod server. PERFDATA_OK: *ret_fd is an open descriptor, *ret_path the path in memory of
 * `bytes`. Else `reason` says why. PERFDATA_ABSENT: no server has the file. PERFDATA_ENOMEM, PERFDATA_EREAD: the client
 * failed. Only debuginfod.c includes the client's header. */
enum perfdata_status pd_debuginfod_find(const struct pd_build_id *id, bool debug, struct pd_arena *bytes,
					const char **ret_path, int *ret_fd, char *reason, size_t room);

/* --- symbol_modules.c --------------------------------------------------------------------------------------------- */

#define PD_MAX_MODULE_LIST ((size_t)16 << 20)

/* Writes variant number `index` of a module's path: as recorded, then uncompressed and with each suffix of compressed
 * files. False: no more. */
bool pd_module_packing(const char *path, size_t index, char out[PD_ROOTED_PATH]);
/* Writes the path of a kernel's modules.dep. */
bool pd_module_list(const char *release, char out[PD_ROOTED_PATH]);
/* Writes the path that modules.dep has for a module ("[xfs]", with '_' for '-'). */
bool pd_module_listed(const char *text, const char *release, const char *name, char out[PD_ROOTED_PATH]);
/* Offers the places of the file of a module, recorded as a path or as "[NAME]". */
bool pd_module_places(struct perfdata_symbols *symbols, const char *path, const char *release,
		      pd_location_fn *take, void *user);

/* --- symbol_host.c: whether a file of this machine is the recorded one -------------------------------------------- */

#define PD_KERNEL_NOTES "/sys/kernel/notes"

struct stat;
/* Whether the path is below symfs or sysroot, for which the caller vouches. */
bool pd_is_given(const struct perfdata_symbols *symbols, const char *path);
/* Returns a phrase: why an open file or a perf map may not be the recorded one; NULL: it is. found: the build-id of the
 * file. */
const char *pd_unidentified(const struct perfdata_symbols_dso *dso, const struct stat *st, const char *path,
			    bool in_process, const struct pd_build_id *found);
const char *pd_map_unidentified(const struct perfdata_symbols_dso *dso, const struct stat *st, const char *path);
/* Whether the file at `path` with this stat is on another device than recorded (0:0: not recorded).
 * (symbol_device.c) */
bool pd_is_other_device(const char *path, const struct stat *st, uint32_t dev_major, uint32_t dev_minor);
/* Reads the build-id of a loaded module. This machine must run the recorded kernel. */
bool pd_module_build_id(const struct perfdata_symbols_dso *dso, struct pd_build_id *ret);
/* Whether a module is loaded on this machine at its recorded address. */
bool pd_module_is_loaded(const struct perfdata_symbols_dso *dso);
/* Whether a text in the form of /proc/modules has a module at its recorded address. */
bool pd_modules_have(const char *text, const struct perfdata_symbols_dso *module);
/* Reads the build-id of the running kernel; size 0: unknown. Reports a failure. */
enum perfdata_status pd_running_kernel_id(struct perfdata_symbols *symbols, struct pd_build_id *ret);

/* --- symbol_elf.c: ELF files (symbols, segments, build-id); symbol_plt.c ----------------------------------------- */

struct pd_segment {
	uint64_t offset, vaddr, filesz, memsz, align;
	bool is_code;   /* its flags allow execution */
};

/* Opens the file at `path`; takes over `fd`, also on failure. Decompresses compressed files. symbols NULL: the
 * descriptor is never closed. PERFDATA_EFORMAT, PERFDATA_ELIMIT, PERFDATA_EUNSUP; PERFDATA_ENOMEM, PERFDATA_EREAD:
 * failed. */
enum perfdata_status pd_elf_open(struct perfdata_symbols *symbols, int fd, const char *path, struct pd_elf **ret);
/* Opens an image in memory, which must outlive the handle. */
enum perfdata_status pd_elf_open_memory(const void *image, size_t size, struct pd_elf **ret);
void pd_elf_close(struct pd_elf *elf);
/* Returns the failure so far of reading the file: PERFDATA_OK, PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_elf_failure(const struct pd_elf *elf);
/* Reads the build-id. PERFDATA_ABSENT: the file has none. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_elf_build_id(const struct pd_elf *elf, struct pd_build_id *ret);
/* Returns the address of .text minus its file offset; 0: no .text. */
uint64_t pd_elf_text_shift(const struct pd_elf *elf);
bool pd_elf_has_symtab(const struct pd_elf *elf);
bool pd_elf_has_dynsym(const struct pd_elf *elf);
/* Returns the size of an ELF image in memory, from its header; 0: not an ELF image, or larger than the limit. */
size_t pd_elf_image_size(const void *image, size_t limit);
/* Opens the compressed ELF file in .gnu_debugdata. PERFDATA_ENOMEM, PERFDATA_EREAD: failed. Another status, such as
 * PERFDATA_ABSENT: .gnu_debugdata is missing or unusable. */
enum perfdata_status pd_elf_debugdata(const struct pd_elf *elf, struct pd_work *work, struct pd_elf **ret);
/* Returns name and CRC of the separate debug file (.gnu_debuglink); NULL: none. */
const char *pd_elf_debug_link(const struct pd_elf *elf, uint32_t *ret_crc);
/* Returns path and build-id of the supplementary file (.gnu_debugaltlink); NULL: none. Valid as long as the handle. */
const char *pd_elf_alt_link(const struct pd_elf *elf, struct pd_build_id *ret_id);
/* Whether this file has the section with the debug information. */
bool pd_elf_has_debug_info(const struct pd_elf *elf);
bool pd_elf_vaddr(const struct pd_elf *elf, uint64_t offset, uint64_t *ret);
bool pd_elf_offset(const struct pd_elf *elf, uint64_t vaddr, uint64_t *ret);
/* Reads `size` bytes at a file offset. False: the file ends before, or the read failed (pd_elf_failure). */
bool pd_elf_read(const struct pd_elf *elf, uint64_t offset, void *out, size_t size);

enum pd_elf_place {
	PD_ELF_OFFSET,  /* symbols have file offsets */
	PD_ELF_VADDR,   /* symbols have their values, as in vmlinux */
	PD_ELF_MODULE,  /* relocatable kernel module: symbols count from .text */
};
/* Adds the symbols of both symbol tables of `symbols`, and PLT entries of `text`, by perf's rules. */
enum perfdata_status pd_elf_symbols(struct pd_symbol_table *table, struct pd_elf *symbols, struct pd_elf *text,
				    enum pd_elf_place place);

/* --- symbol_object.c ---------------------------------------------------------------------------------------------- */

/* Makes the index. PERFDATA_ABSENT: the file has no symbol table or no line table. The file must outlive the index. */
enum perfdata_status pd_objects_new(const struct pd_elf *elf, struct pd_objects **ret);
void pd_objects_free(struct pd_objects *objects);   /* ignores NULL */
size_t pd_objects_size(const struct pd_objects *objects);
/* Returns the name of the source with the function at an address, valid as long as the objects; NULL: unknown.
 * PERFDATA_ABSENT: no function. One thread at a time. */
enum perfdata_status pd_objects_find(struct pd_objects *objects, uint64_t vaddr, const char **ret);
/* Calls pd_objects_find for a dso, in any thread. *ret_address is always set to the address that perf shows: if the
 * file has symbols, an address of its symbol table, computed from .text. */
enum perfdata_status pd_symbols_object(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t *ret_address,
				       const char **ret);

/* --- symbol_compressed.c: compressed files ------------------------------------------------------------------------ */

/* Decompresses a file (gzip, zstd, xz) within the limits of `work` (may be NULL); free *ret with pd_free.
 * PERFDATA_ABSENT: not compressed. PERFDATA_ELIMIT, PERFDATA_EINTR. PERFDATA_EREAD: failed, with errno. */
enum perfdata_status pd_unpack(struct pd_work *work, int fd, char **ret, size_t *ret_size);
/* Decompresses bytes in memory to at most `limit` bytes. PERFDATA_EFORMAT, PERFDATA_ELIMIT, PERFDATA_ENOMEM.
 * PERFDATA_EUNSUP: built without the library for this compression. */
enum perfdata_status pd_unpack_bytes(struct pd_work *work, const void *compressed, size_t size, size_t limit,
				     char **ret, size_t *ret_size);

/* --- dwarf_lines.c; dwarf_libdw.c --------------------------------------------------------------------------------- */

void pd_lines_close(struct perfdata_symbols_dso *dso);
/* Opens the debug information of a loaded dso; false: it was opened before, or another thread holds the dso. */
bool pd_lines_load_ahead(struct perfdata_symbols_dso *dso);
/* What a look-up returns besides functions. */
struct pd_lines_wish {
	bool positions;            /* source positions; without them no line table is read */
	bool raw_names;            /* linkage names */
	uint32_t *discriminators;  /* discriminators of the positions; NULL: not requested */
};
/* Finds the calls at an address. Call it for a loaded dso, without its lock. */
enum perfdata_status pd_lines_find(struct perfdata_symbols_dso *dso, uint64_t vaddr, const struct pd_lines_wish *wish,
				   struct perfdata_source_line *frames, size_t room, size_t *ret_count);
/* As pd_lines_find for an address in the form of look-ups; loads the dso (symbols.c). */
enum perfdata_status pd_symbols_find_calls(struct perfdata_symbols_dso *dso, uint64_t address,
					   const struct pd_lines_wish *wish, struct perfdata_source_line *frames,
					   size_t room, size_t *ret_count);
/* Calls `take` for each range of each function, in the order of the file, until `take` returns false. name: linkage
 * name. PERFDATA_ABSENT: no debug information. PERFDATA_EUNSUP: only libdw can read it. */
typedef bool pd_take_function(void *user, const char *name, uint64_t start, uint64_t end);
enum perfdata_status pd_lines_walk_functions(struct perfdata_symbols_dso *dso, pd_take_function *take, void *user);

struct pd_libdw;
/* Opens debug information in libdw. alt: supplementary file; NULL: none. PERFDATA_ABSENT: no debug information, or no
 * supplementary file. PERFDATA_EUNSUP: it is damaged, or in separate files. PERFDATA_ELIMIT, PERFDATA_EINTR,
 * PERFDATA_ENOMEM. One thread at a time may use a handle. */
enum perfdata_status pd_libdw_open(const struct pd_elf *elf, const struct pd_elf *alt, struct pd_work *work,
				   struct pd_libdw **ret);
void pd_libdw_close(struct pd_libdw *libdw);
/* Whether a name stayed mangled because demangling it would exceed a limit. */
bool pd_libdw_has_excess(const struct pd_libdw *libdw);
size_t pd_libdw_size(const struct pd_libdw *libdw);   /* estimate of its memory in bytes */
/* As pd_lines_find, by libdw. Texts are valid until the next look-up. */
enum perfdata_status pd_libdw_lookup(struct pd_libdw *libdw, uint64_t vaddr, const struct pd_lines_wish *wish,
				     struct perfdata_source_line *frames, size_t room, size_t *ret_count);

/* --- unwind_image.c: call these for a loaded dso, with its lock --------------------------------------------------- */

void pd_unwind_close(struct perfdata_symbols_dso *dso);

/* --- for other folders -------------------------------------------------------------------------------------------- */

/* Sets the build-id of a dso, if the build-id becomes known after the dso was made, as may happen in a stream. Names
 * that were already returned stay; if they come from another file, a finding reports this. */
void pd_symbols_expect(struct perfdata_symbols_dso *dso, const uint8_t *build_id, size_t size);
/* Call it if another file was mapped under the path of a dso whose build-id is known by this path. Names that were
 * already returned stay; a finding reports them, unless something else shows that they are of the mapped file. */
void pd_symbols_doubt(struct perfdata_symbols_dso *dso);

/* Finds the calls in progress at an address, innermost first: the inlined functions, then the function that contains
 * the code. Sets at most `room` entries; *ret_count is the number of calls. PERFDATA_ABSENT: no debug information
 * there. PERFDATA_EUNSUP, PERFDATA_ENOMEM. */
/* time: selects the code of a jitdump file, which may have had other code at the address before; other dsos ignore
 * it. */
enum perfdata_status pd_symbols_source_at(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
					  struct perfdata_source_line *frames, size_t room, size_t *ret_count);
enum perfdata_status pd_symbols_source(struct perfdata_symbols_dso *dso, uint64_t address,
							  struct perfdata_source_line *frames, size_t room,
							  size_t *ret_count);

/* As pd_symbols_source_at for an address of an ELF file, with linkage names, and the discriminator of each position. */
enum perfdata_status pd_symbols_blocks(struct perfdata_symbols_dso *dso, uint64_t vaddr,
				       struct perfdata_source_line *frames, uint32_t *discriminators, size_t room,
				       size_t *ret_count);
/* See pd_lines_walk_functions. */
enum perfdata_status pd_symbols_walk_functions(struct perfdata_symbols_dso *dso, pd_take_function *take, void *user);

/* Returns why the file at the dso's path is not known to be the recorded one (finding 804), or may not be it
 * (816); NULL: another file is used, or nothing is there. Searches the files if they are not known. */
const char *pd_symbols_unidentified(struct perfdata_symbols_dso *dso);
/* Loads the dso if no look-up has loaded it. */
enum perfdata_status pd_symbols_origin(struct perfdata_symbols_dso *dso, struct perfdata_symbols_origin *ret);

/* Converts a file offset of an ELF dso to a virtual address by its program headers. PERFDATA_ABSENT: in no segment. */
enum perfdata_status pd_symbols_vaddr(struct perfdata_symbols_dso *dso, uint64_t offset,
							 uint64_t *ret_vaddr);

/* --- symbol_code.c: code bytes --- */

#define PD_MOST_CODE ((uint64_t)4 << 20)   /* limit of one function in bytes */
/* Values of e_machine. Compilers for i386 define `i386` as a macro, so it cannot be a name here. */
enum { PD_MACHINE_386 = 3, PD_MACHINE_X86_64 = 62, PD_MACHINE_ARM64 = 183 };
struct pd_code_bytes {
	uint8_t *bytes;
	size_t size;
	uint64_t address; /* address of the first byte, as objdump prints it; jitdump files: where the code was */
	unsigned machine;        /* e_machine of the ELF header */
	const char *reason;      /* why there is no code, in static storage */
};
/* Reads the bytes at an address in the form of look-ups, and at a time for jitdump files. PERFDATA_ABSENT: no bytes are
 * known to be the recorded ones, see `reason`. PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_symbols_code(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time, uint64_t size,
				     struct pd_code_bytes *ret);
void pd_code_release(struct pd_code_bytes *code);

/* --- kernel_core.c: copies of the kernel's memory --- */

/* Sets the directory where the recorder put kcore, kallsyms and modules. Call it before a look-up in the kernel or a
 * module. */
void pd_symbols_set_folder(struct perfdata_symbols_dso *dso, const char *folder);
/* Reads the bytes at a recorded address of the kernel, or of `module` if it is not NULL, from a copy of memory that is
 * from the recorded boot. PERFDATA_ABSENT, PERFDATA_ENOMEM, PERFDATA_EREAD. */
enum perfdata_status pd_symbols_core_code(struct perfdata_symbols_dso *kernel,
					  const struct perfdata_symbols_dso *module, uint64_t address, uint64_t size,
					  struct pd_code_bytes *ret);

/* Finds the build-id in ELF notes, such as /sys/kernel/notes or /sys/module/NAME/notes/.note.gnu.build-id. */
enum perfdata_status pd_notes_build_id(const void *notes, size_t size,
							  enum perfdata_byte_order order,
							  uint8_t ret_id[PERFDATA_BUILD_ID_MAX], size_t *ret_size);

/* Reads the build-id of the running kernel. PERFDATA_EREAD: /sys/kernel/notes cannot be read. */
enum perfdata_status pd_running_kernel_build_id(uint8_t ret_id[PERFDATA_BUILD_ID_MAX],
								   size_t *ret_size);

#endif
