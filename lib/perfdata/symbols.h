/* SPDX-License-Identifier: MIT */
/* Names of addresses: the symbol, the inlined functions and the source line of an address in a dso.
 *
 * Sources: ELF symbol tables and PLT entries, DWARF (inlined functions, source lines, unwinding), kallsyms texts,
 * vmlinux and module files, perf maps (/tmp/perf-PID.map) and jitdump files. Where several symbols have one address,
 * the name is the one that perf prints.
 *
 * Every file is hostile input: only regular files are opened, for reading only. A file is used only if its build-id is
 * that of the request, or, without a build-id, if it is identified in another way (check_identity). The option
 * use_other_build_id accepts other files, and marks results from them.
 *
 * Threads: several threads may use a perfdata_symbols object and its dsos at once. Each dso has a lock, which is held
 * while its files are loaded and while a name is read for the first time. Callbacks run while a lock is held, so they
 * must not call functions of this header.
 *
 * Lifetime: returned dsos, names and paths live until perfdata_symbols_free. */
#ifndef PERFDATA_SYMBOLS_H
#define PERFDATA_SYMBOLS_H

#include "perfdata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct perfdata_symbols;
struct perfdata_symbols_dso;

/* The kind of a dso, which decides what an address in it means. */
enum perfdata_dso_kind {
	PERFDATA_DSO_USER,      /* an ELF file; addresses are offsets in the file */
	PERFDATA_DSO_KERNEL,    /* the kernel; addresses as recorded */
	PERFDATA_DSO_MODULE,    /* a kernel module; addresses as recorded */
	PERFDATA_DSO_VDSO,      /* the vdso image; addresses are offsets in it */
	PERFDATA_DSO_PERF_MAP,  /* a file with lines "START SIZE NAME"; addresses as recorded */
	PERFDATA_DSO_JITDUMP,   /* a jitdump file; addresses as recorded, valid from a time on */
	PERFDATA_DSO_BPF,       /* a BPF program or other generated kernel code, which the recording names */
	PERFDATA_DSO_NONE,      /* no file and no names: [stack], [heap], anonymous data */
	PERFDATA_DSO_STATE,     /* a thread's state off the CPU, such as [sleeping], as the name of a frame */
};

enum perfdata_symbols_event {
	PERFDATA_SYMBOLS_TAKEN,     /* the file is used */
	PERFDATA_SYMBOLS_ABSENT,    /* there is no such file */
	PERFDATA_SYMBOLS_REFUSED,   /* the file exists but is not used; `reason` says why */
};

struct perfdata_symbols_log {
	enum perfdata_symbols_event event;
	const char *dso;     /* path of the dso as recorded */
	const char *file;    /* the file in question */
	const char *reason;  /* one phrase: the use of the file, or why it is not used */
};

/* Recordings of Android's simpleperf hold symbols and complete stacks. A session with symbols uses these symbols, and
 * finds addresses, threads and stacks as simpleperf does; a file of this host with the recorded build-id is used
 * first. */
enum perfdata_recorded_names {
	PERFDATA_RECORDED_NAMES_FOUND,    /* use recorded symbols in recordings of simpleperf */
	PERFDATA_RECORDED_NAMES_UNUSED,   /* ignore recorded symbols, as perf does */
	PERFDATA_RECORDED_NAMES_ALWAYS,   /* use recorded symbols also in recordings of perf */
};

struct perfdata_symbols_options {
	size_t size;                      /* sizeof(struct perfdata_symbols_options) of the caller */
	/* look up recorded paths and debug directories in this directory only */
	const char *symfs;
	const char *sysroot;              /* look up recorded paths in this directory first, then on this host */
	const char *kallsyms;             /* a text with the kernel's symbols */
	const char *vmlinux;              /* an ELF file with symbols of the kernel */
	const char *const *debug_dirs;    /* debug directories; NULL: /usr/lib/debug, unless no_host is set */
	size_t debug_dir_count;
	const char *build_id_dir;         /* perf's build-id cache (~/.debug); NULL: none */
	/* ask debuginfod servers for missing files with a build-id; the client library takes the servers from the
	 * environment variable DEBUGINFOD_URLS */
	bool debuginfod;
	bool no_host;                     /* use neither files of this host nor its /proc/kallsyms and vdso */
	/* use files that have another build-id or are not identified, and mark their results (other_build_id) */
	bool use_other_build_id;
	bool raw_names;                   /* leave C++ and Rust names mangled */
	/* Replaces open(2): returns a descriptor for reading, or -1 with errno (ENOENT: no such file). NULL: the
	 * library opens files itself. perfdata_bundle_files_get fits here, with the bundle as open_user. Called by any
	 * thread. */
	int (*open)(void *open_user, const char *path);
	void *open_user;
	void (*log)(void *log_user, const struct perfdata_symbols_log *entry);  /* may be NULL */
	void *log_user;
	perfdata_finding_fn *finding;     /* may be NULL */
	void *user;                       /* for `finding` */
	struct perfdata_memory *memory;   /* account for tables and indexes; borrowed. NULL: no limit */
	/* in build_id_dir, try "debug" before "elf", as bundles need; perf tries "elf" first */
	bool debug_first;
	/* files are directly in symfs, named by the last component of their recorded paths */
	bool symfs_flat;
	/* ends long work with PERFDATA_EINTR; borrowed, may be NULL */
	const struct perfdata_cancel *cancel;
	enum perfdata_recorded_names recorded_names;
	bool show_art_frames;             /* keep frames of ART's interpreter around Java code in stacks of Android */
	bool note_addresses;              /* remember looked-up addresses for perfdata_bundle_take_answers */
};

/* Copies the strings of the options. NULL or zeros: files of this host are used, names are demangled, the network is
 * not used. PERFDATA_EUSAGE: `size` is wrong, or an option is set that this version does not know. */
PERFDATA_API enum perfdata_status perfdata_symbols_new(const struct perfdata_symbols_options *options,
						       struct perfdata_symbols **ret);
PERFDATA_API void perfdata_symbols_free(struct perfdata_symbols *symbols);

/* The name of the disassembler library, such as "LLVM 19" or "capstone 5.0", which the first use loads. *ret_name is
 * borrowed until perfdata_symbols_free. PERFDATA_ABSENT: none is installed. PERFDATA_ENOMEM, PERFDATA_EREAD: it cannot
 * be loaded. */
PERFDATA_API enum perfdata_status perfdata_symbols_disassembler(struct perfdata_symbols *symbols,
								const char **ret_name);

/* Facts about a dso that the caller knows. */
struct perfdata_symbols_request {
	size_t size;                /* sizeof(struct perfdata_symbols_request) of the caller */
	enum perfdata_dso_kind kind;
	const char *path;           /* as recorded; "[kernel.kallsyms]", "[module]", "[vdso]", "/tmp/perf-PID.map" */
	const uint8_t *build_id;    /* may be NULL */
	size_t build_id_size;
	/* The kernel of this host is the recorded one, without a reboot since: perf maps, the vdso and kernel symbols
	 * of this host may be used. The caller checks this, by the build-id of the running kernel, or by release and
	 * relocation. */
	bool running;
	const char *release;        /* KERNEL, MODULE: release of the recorded kernel, to find files; may be NULL */
	const char *reference;      /* KERNEL: "_text" or "_stext"; NULL: none */
	uint64_t reference_address; /* KERNEL: recorded address of the reference symbol; 0: unknown */
	uint64_t start, end;        /* MODULE: recorded address range */
	uint32_t namespace_pid;     /* PERF_MAP: pid of the process in its pid namespace; 0: the same as outside */
	/* USER, PERF_MAP: pid of a process of this host under whose root the file is; 0: none */
	uint32_t process;
	/* A path alone does not identify a file of this host (outside of symfs and sysroot). With check_identity and
	 * without a build-id, a file or jitdump file is used only if it has this inode number and generation, is on
	 * this device, and has no ctime after unchanged_since; a perf map only if its mtime is between not_before and
	 * unchanged_since. */
	bool check_identity;
	uint64_t inode;
	/* ns since 1970; 0: any time; so are INT64_MAX for unchanged_since and INT64_MIN for not_before */
	int64_t unchanged_since, not_before;
	const char *unidentified;   /* one phrase, static storage: no file can be identified, and why; or NULL */
	/* With check_identity: the device of the file; 0, 0: not recorded. It is not compared on file systems that
	 * report other devices to stat than the kernel records (overlays, btrfs). */
	uint32_t device_major, device_minor;
	/* With check_identity: the generation of the inode, which differs where a file got the inode number of a
	 * removed one; 0: not recorded. It is not compared on file systems that do not show it. */
	uint64_t generation;
	/* USER, with a build-id: other paths where a file with this build-id was mapped; may be NULL. Copied. */
	const char *const *other_paths;
	size_t nr_other_paths;
};

/* Makes a handle for a dso; the first look-up reads its files. Two handles share nothing, so make one for each dso. The
 * strings are copied. PERFDATA_EUSAGE, PERFDATA_ENOMEM. */
PERFDATA_API enum perfdata_status perfdata_symbols_dso(struct perfdata_symbols *symbols,
						       const struct perfdata_symbols_request *request,
						       struct perfdata_symbols_dso **ret);

/* Reads a kallsyms text into a new handle, which resolves addresses of the kernel and its modules, such as those in a
 * BPF stack-trace map. PERFDATA_EREAD; PERFDATA_ABSENT: all addresses are hidden (kptr_restrict); PERFDATA_EFORMAT: the
 * text has no symbol. */
PERFDATA_API enum perfdata_status perfdata_symbols_open_kallsyms(struct perfdata_symbols *symbols, const char *path,
								  struct perfdata_symbols_dso **ret);

enum perfdata_symbol_binding { PERFDATA_BIND_LOCAL, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_WEAK };

struct perfdata_symbol {
	const char *name;      /* demangled */
	const char *raw_name;  /* as in the symbol table; the same pointer for all addresses in the symbol */
	const char *module;    /* the kernel module in a kallsyms text, without brackets; or NULL */
	uint64_t start;        /* in the same address space as `address` */
	uint64_t size;         /* of a symbol without a size: up to the next symbol */
	uint64_t offset;       /* of `address` in the symbol */
	enum perfdata_symbol_binding binding;
	uint64_t time;         /* JITDUMP: when the code was placed there, in ns; else 0 */
	bool other_build_id;   /* from a file that is not the recorded one (use_other_build_id) */
};

/* The symbol of an address. `time` (ns) matters for PERFDATA_DSO_JITDUMP only; UINT64_MAX: the newest code.
 * PERFDATA_ABSENT: the address has no symbol, or the dso no symbol file. PERFDATA_ENOMEM: after the dso is loaded, only
 * the first look-up of a symbol allocates, for its names. */
PERFDATA_API enum perfdata_status perfdata_symbols_lookup(struct perfdata_symbols_dso *dso, uint64_t address,
							  uint64_t time, struct perfdata_symbol *ret);

/* A function at an address, inlined or not, with its source position. */
struct perfdata_source_line {
	const char *function;  /* demangled; NULL: unknown */
	const char *file;      /* absolute: the compiler's path, joined with its directory; NULL: unknown */
	uint32_t line, column; /* 0: unknown */
	bool inlined;          /* inlined into the next entry; the last entry is the containing function */
	uint32_t first_line;   /* line of the function's declaration; 0: unknown */
};

/* The functions whose code is at an address: inlined functions, innermost first, then the function that contains them.
 * Positions are not looked up: `file` is NULL, `line` and `column` are 0. PERFDATA_ABSENT: no function is known. */
PERFDATA_API enum perfdata_status perfdata_symbols_calls(struct perfdata_symbols_dso *dso, uint64_t address,
							 struct perfdata_source_line *frames, size_t room,
							 size_t *ret_count);

/* The files that the names of a dso come from, for messages. */
struct perfdata_symbols_origin {
	const char *file;        /* the file with the symbol table; NULL: none */
	const char *text_file;   /* the file with the code if it is a separate file; may be NULL */
	uint64_t symbol_count;
	const uint8_t *build_id; /* of `file`; may be NULL */
	size_t build_id_size;
	bool other_build_id;     /* the file is not the one in the request */
	/* the supplementary file (dwz) of the debug information; NULL: none, or not found */
	const char *alt_file;
	const uint8_t *alt_build_id;
	size_t alt_build_id_size;
};

#define PERFDATA_BUILD_ID_MAX 64

/* Reads the build-id of an ELF file. PERFDATA_ABSENT: it has none. PERFDATA_EREAD; PERFDATA_EFORMAT: the file is not
 * ELF. */
PERFDATA_API enum perfdata_status perfdata_file_build_id(const char *path, uint8_t ret_id[PERFDATA_BUILD_ID_MAX],
							 size_t *ret_size);

#ifdef __cplusplus
}
#endif

#endif
