/* SPDX-License-Identifier: MIT */
/* The files to which addresses belong, their build-ids, and the sources of their names. */
#ifndef PD_NAMING_H
#define PD_NAMING_H

#include <stdatomic.h>
#include "base/arena.h"
#include "perfdata/session.h"
#include "perfdata/symbols.h"
#include "session/naming/inside.h"

struct pd_state;

/* --- naming/dsos.c --- */
/* Kinds of files in recordings of simpleperf, by the code that they hold: they decide which frames are shown. */
enum pd_code {
	PD_CODE_NATIVE, PD_CODE_DEX, PD_CODE_JIT,
	PD_CODE_ART,                       /* libart.so: the interpreter and the bridges to it */
	PD_CODE_LIBC,                      /* libc.so: where threads begin */
};
struct pd_dso {
	struct perfdata_dso public;
	/* maj:min, inode, generation, which distinguish files of one name; zeros if unknown */
	uint64_t id_words[3];
	struct perfdata_symbols_dso *symbols;  /* NULL: nothing to look up */
	atomic_bool symbols_known;             /* `symbols` has its final value */
	bool of_guest;                     /* a guest's file: its path means nothing on this host */
	/* PERF_MAP: its jitdump file, for names that the perf map lacks; used only for frames with a time */
	struct perfdata_symbols_dso *jitdump;
	uint64_t start, end;               /* addresses of the first mapping */
	uint8_t build_id[20];
	uint8_t build_id_size;             /* written once, after the bytes */
	uint8_t false_build_id[20];        /* bytes that perf takes for a build-id, though they are none */
	uint8_t false_build_id_size;
	enum perfdata_build_id_source source;
	/* with a build-id: the last dso before this one whose build-id has the same hash; or PERFDATA_NONE */
	uint32_t same_id;
	int32_t first_pid;                 /* the process that mapped it first; 0: none */
	bool injected;                     /* perf inject made the file, and each record that maps it */
	uint64_t first_time;               /* time of the first record that mentions it; 0: unknown */
	/* another mapped file has the same path: an entry in a table of build-ids may mean either */
	bool has_namesake;
	uint32_t next_of_path;             /* another dso with the path of a file; 0: none */
	uint64_t nr_maps;
	uint64_t nr_ambiguous;             /* PERF_MAP: addresses with several names; set at the end */
	bool ambiguity_is_reported;        /* nr_ambiguous was reported */
	bool in_chain;                     /* see perfdata_session_in_chain */
	struct pd_inside_file *inside;     /* its names and symbols in the recording, or NULL */
	enum pd_code code;
	/* of an ELF file without a recorded offset: the file offset of its first mapping */
	uint64_t inside_pgoff;
};
/* The generation of a file's inode, which differs where a file got the number of a removed one; 0: unknown. perf inject
 * writes 1 for each file that it makes of JIT code. */
static inline uint64_t pd_recorded_generation(const uint64_t id_words[3])
{
	const uint64_t made_up = 1, recorded = id_words[2];
	return recorded > made_up ? recorded : 0;
}
struct pd_table_id {
	const char *filename;
	int32_t pid;
	unsigned cpumode;
	uint8_t build_id[20];
	uint8_t build_id_size;
	enum perfdata_build_id_source source;
};
/* The session cuts names of files and threads to this many bytes, the kernel's limit for a path: one recorded name can
 * appear in the output many times. The delivered record keeps the whole name. */
#define PD_NAME_LIMIT ((size_t)4095)

struct pd_dso_key {
	enum perfdata_dso_kind kind;
	const char *filename;
	size_t filename_size;
	const uint64_t *id_words;          /* 3 words; NULL: zeros */
	int32_t pid;
	bool guest;                        /* the file is a guest's */
};
/* The dso of a key, created if it is new; PERFDATA_NONE without memory. */
uint32_t pd_dso_get(struct pd_state *state, const struct pd_dso_key *key);
/* Sets the build-id of a dso that has none. 0 or -1. */
int pd_dso_set_build_id(struct pd_state *state, struct pd_dso *dso, struct perfdata_bytes build_id,
			enum perfdata_build_id_source source);
/* Other paths that were mapped so far with the build-id of a dso. Returns their number. */
size_t pd_dso_other_paths(const struct pd_state *state, const struct pd_dso *dso, const char **paths, size_t room);
/* Whether the table of build-ids has an entry for a file so far. */
bool pd_table_id_has(const struct pd_state *state, const char *filename);
/* Adds an entry of the header's table or a BUILD_ID record. 0 or -1. */
int pd_table_id_add(struct pd_state *state, struct perfdata_bytes filename, struct perfdata_bytes build_id, int32_t pid,
		    unsigned cpumode, enum perfdata_build_id_source source);

/* --- naming/inside_names.c: names that the recording holds ------------------------------------------------------- */
/* Joins a new dso to the names and symbols that the recording holds for it. 0 or -1. */
int pd_inside_join(struct pd_state *state, struct pd_dso *dso);
/* As pd_inside_join, for the kernel after a record brought its symbols: other threads may use the dso already. */
void pd_inside_join_kernel(struct pd_state *state, struct pd_dso *kernel);
/* The recording's own symbol that has an address of a dso, or NULL. Any thread, once the dso has a frame. */
const struct pd_inside_symbol *pd_inside_symbol_of(const struct pd_dso *dso, uint64_t address);
/* As pd_inside_symbol_of, with names. PERFDATA_ABSENT; PERFDATA_ENOMEM. */
enum perfdata_status pd_inside_look_up(const struct pd_state *state, const struct pd_dso *dso, uint64_t address,
				       struct perfdata_symbol *ret);
/* Converts a frame's address to an offset in the file, for look-ups in files of this host. */
uint64_t pd_inside_file_address(const struct pd_dso *dso, uint64_t address);

/* --- naming/dso_names.c --- */
void pd_dso_find_symbols(struct pd_state *state, struct pd_dso *dso);
struct pd_jitdump;
void pd_identify_jitdump(const struct pd_state *state, const struct pd_jitdump *jitdump,
			 struct perfdata_symbols_request *request);

/* --- naming/host_time.c --- */
/* Bounds, in ns since 1970, of the time when a record was made, if it was made on this host, and the time itself if
 * perf's clock ran as this host's. INT64_MIN, INT64_MAX; likely INT64_MAX: nothing is known. */
struct pd_host_time {
	int64_t first, last, likely;
};
struct pd_host_time pd_host_time(const struct pd_state *state, uint64_t time);
int64_t pd_host_boot_time(void);

/* --- naming/replaced.c --- */
/* For a dso of this host: one phrase if its path led to another file than the mapped one when the recording ended. The
 * build-id in a table, which perf reads by the path then, is that of the other file. NULL: nothing shows this. */
const char *pd_dso_table_is_wrong(const struct pd_state *state, const struct pd_dso *dso);

/* --- naming/jit_names.c: jitdump files, for JIT code that no perf map names --- */
struct pd_jitdump {
	uint64_t device, inode;    /* id of the file; device: major << 32 | minor; 0: unknown */
	uint64_t generation;       /* see pd_recorded_generation */
	const char *filename;      /* as recorded */
	uint32_t namespace_pid;    /* the pid in the name of the file: the process's pid inside its pid namespace */
};
/* Called when a process has mapped a file; notes a jitdump file. 0 or -1. */
int pd_jitdump_mapped(struct pd_state *state, int32_t pid, const char *filename, size_t size,
		      const uint64_t *id_words);
/* Opens the jitdump file of a PERF_MAP dso once the process of the dso has mapped one. */
bool pd_dso_find_jitdump(struct pd_state *state, struct pd_dso *dso);
const struct pd_jitdump *pd_jitdump_of(const struct pd_state *state, int32_t pid);   /* or NULL */
/* The time from which the code at an address of a PERF_MAP dso was there; 0: no jitdump file names the code, or the
 * perf map has exactly one name for it. *ret_timed: set if the answer may differ at another time. */
uint64_t pd_jit_time(struct pd_state *state, struct pd_dso *dso, uint64_t address, bool *ret_timed);
/* Reports finding 805 for each loaded perf map that has several names for addresses of the recording, once for each
 * map. Call it when all frames are known, and again when names were looked up. */
void pd_jit_report_overlaps(struct pd_state *state);

/* --- naming/host_process.c: processes of the recording that still run here --- */
struct pd_host_process {
	bool runs;                 /* it still runs here, and nothing shows that it is another process */
	/* it is, or was, in another mount namespace: its paths may lead to other files */
	bool other_files;
	uint32_t inner_pid;        /* its pid in its own namespace; 0: unknown */
};
/* Takes a NAMESPACES record. 0 or -1. */
int pd_namespaces_take(struct pd_state *state, const struct perfdata_namespaces *record);
/* Call it only if this host was recorded. */
struct pd_host_process pd_host_process(const struct pd_state *state, int32_t pid);

#endif
