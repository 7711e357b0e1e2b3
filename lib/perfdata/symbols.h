/* SPDX-License-Identifier: MIT */
/* Names of addresses: what is (dso, address) called?
 *
 * Sources: ELF symbol tables and PLT entries, DWARF (inlined functions, source lines, unwinding), kallsyms texts,
 * vmlinux and module files, perf maps (/tmp/perf-PID.map) and jitdump files. Perf's rules decide which of several
 * symbols at one address is shown, so that the names are the same.
 *
 * Every file is hostile input: only regular files are opened, for reading only. A file is never used if its build-id
 * differs from the one in the request, or if it has to be identified and is another file (unless an option allows that;
 * the result is then marked).
 *
 * Threads: a perfdata_symbols object and its dsos may be used by several threads at once. Each dso has a lock of its
 * own, held while its files are loaded and while a name is read for the first time. Callbacks run with that lock held:
 * they must not call functions of this header. An unwinder is used by one thread at a time; of one perfdata_symbols
 * object, one stack is unwound at a time.
 *
 * Lifetime: dsos, names and paths handed out live until perfdata_symbols_free. */
#ifndef PERFDATA_SYMBOLS_H
#define PERFDATA_SYMBOLS_H

#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_symbols;
struct perfdata_symbols_dso;

/* What a dso is, and so what an address inside it means. */
enum perfdata_dso_kind {
	PERFDATA_DSO_USER,      /* an ELF file; addresses are offsets in the file */
	PERFDATA_DSO_KERNEL,    /* the kernel; addresses as recorded */
	PERFDATA_DSO_MODULE,    /* a kernel module; addresses as recorded */
	PERFDATA_DSO_VDSO,      /* the vdso image; addresses are offsets in it */
	PERFDATA_DSO_PERF_MAP,  /* a text of "START SIZE NAME" lines; addresses as recorded */
	PERFDATA_DSO_JITDUMP,   /* a jitdump file; addresses as recorded, and valid from a time on */
	PERFDATA_DSO_BPF,       /* a BPF program or other generated kernel code; its name came with the recording */
	PERFDATA_DSO_NONE,      /* no file and no names: [stack], [heap], anonymous data */
	PERFDATA_DSO_STATE,     /* no code: what a thread did off the CPU, [sleeping]; the name is the function's */
};

enum perfdata_symbols_event {
	PERFDATA_SYMBOLS_TAKEN,     /* the file is used */
	PERFDATA_SYMBOLS_ABSENT,    /* there is no such file */
	PERFDATA_SYMBOLS_REFUSED,   /* the file is there and not used; `reason` says why */
};

struct perfdata_symbols_log {
	enum perfdata_symbols_event event;
	const char *dso;     /* path of the dso as recorded */
	const char *file;    /* the file in question */
	const char *reason;  /* one phrase: what the file is used for, or why it was not used */
};

/* Recordings of Android's simpleperf hold names and finished stacks. A session with symbols takes these names, and
 * resolves addresses, threads and stacks as simpleperf does; files at hand add names if they have the recorded
 * build-id. */
enum perfdata_recorded_names {
	PERFDATA_RECORDED_NAMES_FOUND,    /* in recordings of simpleperf */
	PERFDATA_RECORDED_NAMES_UNUSED,   /* never, as in perf */
	PERFDATA_RECORDED_NAMES_ALWAYS,   /* also in recordings of perf */
};

struct perfdata_symbols_options {
	size_t size;                      /* sizeof(struct perfdata_symbols_options) of the caller */
	/* recorded paths and debug directories are looked up below this directory, and only there */
	const char *symfs;
	const char *sysroot;              /* like symfs, but files missing there are looked for on this host */
	const char *kallsyms;             /* a text with the kernel's symbols */
	const char *vmlinux;              /* … or an ELF file with them */
	const char *const *debug_dirs;    /* debug directories; none: /usr/lib/debug, if this host may be used */
	size_t debug_dir_count;
	const char *build_id_dir;         /* perf's build-id cache (~/.debug); NULL: none */
	/* ask debuginfod servers for files that have a build-id and are missing here; the client library takes the
	 * servers from DEBUGINFOD_URLS */
	bool debuginfod;
	bool no_host;                     /* do not look at files of this host, /proc/kallsyms and the vdso */
	/* use files whose build-id differs, or that are not identified, and mark what comes from them */
	bool use_other_build_id;
	bool raw_names;                   /* leave C++ and Rust names mangled */
	/* Opens a file in place of open(2): returns a descriptor for reading, or -1 with errno (ENOENT: no such file).
	 * NULL: the library opens files itself. perfdata_bundle_files_get can be used here, with the bundle as
	 * open_user. Called from any thread. */
	int (*open)(void *open_user, const char *path);
	void *open_user;
	void (*log)(void *log_user, const struct perfdata_symbols_log *entry);  /* may be NULL */
	void *log_user;
	perfdata_finding_fn *finding;     /* may be NULL */
	void *user;                       /* for `finding` */
	struct perfdata_memory *memory;   /* the account that tables and indexes draw from; borrowed. NULL: no limit */
	/* below build_id_dir, look at "debug" before "elf": a bundle has a "debug" where names were taken from it. perf
	 * looks at "elf" first */
	bool debug_first;
	bool symfs_flat;                  /* files are in symfs itself, named by the last component of their paths */
	/* once cancelled, work that takes long ends with PERFDATA_EINTR; borrowed, may be NULL */
	const struct perfdata_cancel *cancel;
	enum perfdata_recorded_names recorded_names;
	bool show_art_frames;             /* keep the interpreter's frames around Java code in stacks of Android */
	bool note_addresses;              /* for perfdata_bundle_take_answers: remember which addresses are looked up */
};

/* The strings of the options are copied. NULL, or zeros: this host may be used, names are demangled, no network.
 * PERFDATA_EUSAGE: no version of the library has this `size`, or an option is set that this version does not know. */
PERFDATA_API enum perfdata_status perfdata_symbols_new(const struct perfdata_symbols_options *options,
						       struct perfdata_symbols **ret);
PERFDATA_API void perfdata_symbols_free(struct perfdata_symbols *symbols);

/* The library that decodes instructions ("LLVM 19", "capstone 5.0"), which is loaded when this is first asked, or an
 * instruction is first looked at. *ret_name lives as long as `symbols`. PERFDATA_ABSENT: none is installed.
 * PERFDATA_ENOMEM, PERFDATA_EREAD: it could not be loaded. */
PERFDATA_API enum perfdata_status perfdata_symbols_disassembler(struct perfdata_symbols *symbols,
								const char **ret_name);

/* The caller's knowledge of a dso. */
struct perfdata_symbols_request {
	size_t size;                /* sizeof(struct perfdata_symbols_request) of the caller */
	enum perfdata_dso_kind kind;
	const char *path;           /* as recorded; "[kernel.kallsyms]", "[module]", "[vdso]", "/tmp/perf-PID.map" */
	const uint8_t *build_id;    /* may be NULL */
	size_t build_id_size;
	/* The recording was made on the kernel that runs here now: otherwise perf maps, the vdso and the kernel's
	 * symbols of this host are not used. The caller has checked the build-id of the running kernel, or
	 * release and relocation. */
	bool running;
	const char *release;        /* KERNEL, MODULE: release of the recorded kernel, to find its files; may be NULL */
	const char *reference;      /* KERNEL: "_text" or "_stext"; NULL: none */
	uint64_t reference_address; /* KERNEL: address of the reference symbol when recorded; 0: unknown */
	uint64_t start, end;        /* MODULE: where it was loaded */
	uint32_t namespace_pid;     /* PERF_MAP: pid of the process inside its pid namespace; 0: the same */
	/* USER, PERF_MAP: a process that runs here and has the file under its own root; 0: none */
	uint32_t process;
	/* Without a build-id, a path alone does not identify a file of this host (a file outside of symfs and sysroot).
	 * With check_identity, a file or a jitdump file is used only if it is the file that was mapped: if it has this
	 * inode number, is on this device, and was not changed (ctime) after unchanged_since; a perf map only if it was
	 * written (mtime) between not_before and unchanged_since. */
	bool check_identity;
	uint64_t inode;
	/* ns since 1970; 0: any time, as INT64_MAX for the first and INT64_MIN for the second */
	int64_t unchanged_since, not_before;
	const char *unidentified;   /* why no file can be identified (one phrase, static storage); or NULL */
	/* With check_identity: the device of the file. It is not compared on file systems that report other devices
	 * than the kernel records (overlays, btrfs). 0, 0: not recorded. */
	uint32_t device_major, device_minor;
};

/* A handle for a dso. No file is touched before the first look-up. One handle per dso: nothing is shared between two
 * handles for the same file. The strings are copied. PERFDATA_EUSAGE, PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_symbols_dso(struct perfdata_symbols *symbols,
						       const struct perfdata_symbols_request *request,
						       struct perfdata_symbols_dso **ret);

/* A handle for the symbols of a kallsyms text, read at once: resolves addresses of the kernel and of its modules, such
 * as the addresses in a BPF stack-trace map. PERFDATA_EREAD; PERFDATA_ABSENT: all addresses are hidden (kptr_restrict);
 * PERFDATA_EFORMAT: the text has no symbol. */
PERFDATA_API enum perfdata_status perfdata_symbols_open_kallsyms(struct perfdata_symbols *symbols, const char *path,
								  struct perfdata_symbols_dso **ret);

enum perfdata_symbol_binding { PERFDATA_BIND_LOCAL, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_WEAK };

struct perfdata_symbol {
	const char *name;      /* demangled */
	const char *raw_name;  /* as in the symbol table; the same pointer for every address inside the symbol */
	const char *module;    /* the kernel module that a kallsyms text names, without brackets; or NULL */
	uint64_t start;        /* in the same address space as the `address` that was looked up */
	uint64_t size;         /* a symbol without a size reaches to the next symbol */
	uint64_t offset;       /* of the address inside the symbol */
	enum perfdata_symbol_binding binding;
	uint64_t time;         /* JITDUMP: since when the code is there, ns; else 0 */
	bool other_build_id;   /* comes from a file that is not the recorded one (use_other_build_id) */
};

/* The symbol of an address. `time` (ns) matters for PERFDATA_DSO_JITDUMP only; UINT64_MAX is the newest.
 * PERFDATA_ABSENT: no symbol there, or no symbol source. PERFDATA_ENOMEM.
 * After the dso was loaded, nothing is allocated except a symbol's names at their first use. */
PERFDATA_API enum perfdata_status perfdata_symbols_lookup(struct perfdata_symbols_dso *dso, uint64_t address,
							  uint64_t time, struct perfdata_symbol *ret);

/* One function of the inlined calls at an address, with its source position. */
struct perfdata_source_line {
	const char *function;  /* demangled; NULL: unknown */
	const char *file;      /* as the compiler wrote it, made absolute with its directory; NULL: unknown */
	uint32_t line, column; /* 0: unknown */
	bool inlined;          /* inlined into the next entry; the last entry is the function that holds the code */
	uint32_t first_line;   /* where the function is declared; 0: unknown */
};

/* The same without positions: `file` stays NULL, `line` and `column` 0. No line table is read for it, which is most of
 * the time of the first look-up in a unit. PERFDATA_ABSENT also where only a position is known. */
PERFDATA_API enum perfdata_status perfdata_symbols_calls(struct perfdata_symbols_dso *dso, uint64_t address,
							 struct perfdata_source_line *frames, size_t room,
							 size_t *ret_count);

/* The source of a dso's names, for messages. */
struct perfdata_symbols_origin {
	const char *file;        /* the file with the symbol table; NULL: there is none */
	const char *text_file;   /* the file with the code, if it is another file; may be NULL */
	uint64_t symbol_count;
	const uint8_t *build_id; /* of the file; may be NULL */
	size_t build_id_size;
	bool other_build_id;     /* the file is not the one in the request */
	/* the supplementary file (dwz) of its debug information; NULL: it has none, or the file was not found */
	const char *alt_file;
	const uint8_t *alt_build_id;
	size_t alt_build_id_size;
};

#define PERFDATA_BUILD_ID_MAX 64

/* The build-id of an ELF file. PERFDATA_ABSENT: it has none. PERFDATA_EREAD, PERFDATA_EFORMAT: no ELF file. */
PERFDATA_API enum perfdata_status perfdata_file_build_id(const char *path, uint8_t ret_id[PERFDATA_BUILD_ID_MAX],
							 size_t *ret_size);

#ifdef __cplusplus
}
#endif

#endif
