/* SPDX-License-Identifier: MIT */
/* A session turns the records of a reader into batches: records and deliveries, with everything that a formatter needs
 * in addition to their bytes.
 *
 * A record is a unit of the file. A delivery is a unit of perf's output: a sample with READ values becomes 0…n
 * deliveries (event, period), a deferred callchain joins its sample. The session runs in one thread, in order; batches
 * may be read by any thread. Ids in deliveries index append-only tables whose entries never move and were complete when
 * the batch was published. */
#ifndef PERFDATA_SESSION_H
#define PERFDATA_SESSION_H

#include "perfdata/base.h"
#include "perfdata/reader.h"
#include "perfdata/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PERFDATA_NONE UINT32_MAX

/* What a consumer needs; the session does no more work than that. Where neither records nor deliveries are needed, the
 * session may leave out of the batches samples in which perfdata_batch_check would find nothing: they are counted all
 * the same. */
enum perfdata_needs {
	PERFDATA_NEED_RECORDS = 1,
	PERFDATA_NEED_DELIVERIES = 2,
	PERFDATA_NEED_THREADS = 4,     /* comm and thread of deliveries */
	PERFDATA_NEED_FRAMES = 8,      /* map, dso and frame of ip, addr and branches */
	PERFDATA_NEED_STACKS = 16,     /* the steps of callchains, in the batch */
	PERFDATA_NEED_STACK_IDS = 256, /* … and an id for each stack, the same for equal ones: perfdata_session_stack */
	/* the node of the sample's stack in a tree of all stacks: perfdata_delivery.node */
	PERFDATA_NEED_NODES = 512,
	/* with NODES: stacks that were unwound up to where their recorded memory ends have nodes of their own */
	PERFDATA_NEED_CUT_STACKS = 1024,
	/* payloads of AUXTRACE records: PERFDATA_RAW_PAYLOAD; each piece counts as a record, and has a delivery without
	 * further members */
	PERFDATA_NEED_PAYLOADS = 64,
	/* which dsos callchains go through, without keeping stacks: perfdata_session_in_chain */
	PERFDATA_NEED_CHAIN_DSOS = 32,
};

/* Samples made of the operations in a trace of Arm SPE, of the same events as perf makes: each operation gives a sample
 * to every event to which it belongs. */
enum perfdata_trace_samples {
	PERFDATA_TRACE_L1D = 1,             /* l1d-miss, l1d-access */
	PERFDATA_TRACE_LLC = 2,             /* llc-miss, llc-access */
	PERFDATA_TRACE_TLB = 4,             /* tlb-miss, tlb-access */
	PERFDATA_TRACE_BRANCHES = 8,        /* branch */
	PERFDATA_TRACE_REMOTE = 16,         /* remote-access */
	PERFDATA_TRACE_MEMORY = 32,         /* memory */
	PERFDATA_TRACE_INSTRUCTIONS = 64,   /* instructions: every operation */
	PERFDATA_TRACE_BRANCH_STACKS = 128, /* branch samples have a branch stack */
	/* spe_sample: every operation, whole; the raw data is for this library's formats, and may change with any
	 * release */
	PERFDATA_TRACE_OPERATIONS = 256,
};

/* What to keep. An empty list keeps everything; all conditions must hold. Process state is followed for filtered
 * records too. */
struct perfdata_filter {
	size_t size;                            /* sizeof(struct perfdata_filter) */
	uint64_t time_first, time_last;         /* ns, inclusive; time_last 0: no end. Records without a time pass */
	const int32_t *pids; size_t nr_pids;
	const int32_t *tids; size_t nr_tids;
	const uint32_t *cpus; size_t nr_cpus;   /* sorted */
	const uint32_t *types; size_t nr_types; /* record types */
	const char *const *events; size_t nr_events;   /* names */
	const char *const *comms; size_t nr_comms;     /* globs: * and ? */
	/* globs of the file, or of its last part, that a sample's ip lies in */
	const char *const *dsos; size_t nr_dsos;
	/* globs of the function in which the ip lies; needs symbols in the session's options */
	const char *const *symbols; size_t nr_symbols;
	/* as perf script's filters: times, pids, tids, comms (script_comm), files and functions choose among samples;
	 * other records pass */
	bool samples_only;
};

/* What samples weigh if the recording says when threads left the CPU and came back. Android's simpleperf with
 * --trace-offcpu also takes a sample when a thread is switched out: its weight is the time until the thread runs again.
 * Elsewhere sched_switch and SWITCH records say it; the time is the weight of the stack at the switch, whose last frame
 * becomes the thread's state ([sleeping]). */
enum perfdata_off_cpu {
	PERFDATA_OFF_CPU_RECORDED,      /* as recorded: each switch is one */
	PERFDATA_OFF_CPU_USUAL,         /* WALL in recordings of simpleperf that have such samples; else as recorded */
	PERFDATA_OFF_CPU_ON,            /* only time on the CPU */
	PERFDATA_OFF_CPU_OFF,           /* only time off the CPU */
	PERFDATA_OFF_CPU_BOTH,          /* both, each as its own event */
	/* Both in the event of a clock. Where no clock was sampled, the time on the CPU is the time between switches,
	 * and its stack is [running]. */
	PERFDATA_OFF_CPU_WALL,
	/* As recorded, with additional deliveries that have PERFDATA_DELIVERY_SPAN. Their event is that of switches
	 * or of waits, or the clock that was recorded with SWITCH records; their weight is the time off the CPU and,
	 * where no clock was sampled, the time on the CPU as [running]. */
	PERFDATA_OFF_CPU_BESIDE,
};

/* What the stacks of time off the CPU end with: a frame of PERFDATA_DSO_STATE. */
enum perfdata_wait_frame {
	PERFDATA_WAIT_STATE,            /* why the thread waits: [sleeping] */
	/* who ended the wait: [comm (pid/tid)]; [not woken]: nobody, or no record says. From then on [run queue] */
	PERFDATA_WAIT_WAKER,
	PERFDATA_WAIT_WAKEE,            /* whose wait somebody ended, in the same way */
	PERFDATA_WAIT_SYSCALL,          /* in which system call: [read]; [no system call] */
	PERFDATA_WAIT_FRAMES
};

/* Intervals that two records make. */
enum perfdata_span_kind {
	PERFDATA_SPAN_RUN,              /* a thread had a CPU */
	PERFDATA_SPAN_OFF,              /* it had none */
	PERFDATA_SPAN_RUNQ,             /* it could have run, and waited for a CPU */
	PERFDATA_SPAN_SYSCALL,
	PERFDATA_SPAN_LOCK,             /* waiting for a lock of the kernel */
	PERFDATA_SPAN_BLOCK,            /* a request of a disk */
	PERFDATA_SPAN_IRQ,
	PERFDATA_SPAN_SOFTIRQ,
	PERFDATA_SPAN_GUEST,            /* a virtual machine was left, until it ran again */
	PERFDATA_SPAN_KINDS
};
struct perfdata_session_options {
	size_t size;                            /* sizeof(struct perfdata_session_options) */
	uint32_t needs;                         /* enum perfdata_needs */
	const struct perfdata_filter *filter;   /* copied; NULL: everything is kept */
	/* stop after this many records (or deliveries, if records are not needed); 0: all */
	uint64_t limit;
	struct perfdata_symbols *symbols;       /* borrowed; NULL: no names */
	/* take no names from the kernel that runs here, even if it is the recorded one */
	bool no_host;
	bool merge_deferred;                    /* join deferred callchains (perf script); false as perf report -D */
	bool keep_exited;                       /* threads keep their names and maps after EXIT (perf report) */
	/* enum perfdata_trace_samples; 0: no samples of traces. With them, in time order all records wait until the
	 * last was read */
	uint32_t trace_samples;
	/* OFF, BOTH, WALL: PERFDATA_EUSAGE where nothing off the CPU was recorded */
	enum perfdata_off_cpu off_cpu;
	uint32_t spans;                         /* bits 1 << enum perfdata_span_kind: batches have such spans */
	/* only time off the CPU in these states weighs, and has spans: "sleeping,preempted"; NULL: all */
	const char *span_states;
	bool no_state_frames;                   /* stacks of time off the CPU are as recorded */
	enum perfdata_wait_frame wait_frame;
};

struct perfdata_session;
/* Borrows the reader until the session is closed. Where its options leave the order open, records come in the order of
 * time; in the order of the file, processes and maps may be followed wrongly. PERFDATA_EUSAGE: a wrong option; the
 * reader has a session already, or records were read from it. */
PERFDATA_API enum perfdata_status perfdata_session_open(struct perfdata_reader *reader,
							const struct perfdata_session_options *options,
							struct perfdata_session **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_session_close(struct perfdata_session *session);

/* --- batches ------------------------------------------------------------------------------------------------------ */

enum perfdata_delivery_flag {
	PERFDATA_DELIVERY_FIRST = 1,    /* the first delivery of its record: where a dump prints the record */
	/* has nothing to report: a sample whose counters did not grow (it has names all the same), whose event is
	 * unknown, or that waits for its deferred chain */
	PERFDATA_DELIVERY_SILENT = 2,
	/* of a virtual machine that the recording names (ID_INDEX); perf shows no samples of other guests */
	PERFDATA_DELIVERY_GUEST = 8,
	/* the thread's next deferred chain was for another sample: perf takes the cookie for an address then */
	PERFDATA_DELIVERY_CHAIN_LOST = 4,
	/* an interval that the record ended, such as time off the CPU: `period` is its length in ns */
	PERFDATA_DELIVERY_SPAN = 16,
	/* spans that begin or end with the record have all that it says of its thread, such as a system call's begin */
	PERFDATA_DELIVERY_IN_SPAN = 32,
};

/* Every record gives at least one delivery (a sample without any gives a silent one); READ samples give one for each
 * counter that grew. */
struct perfdata_delivery {
	/* owned by the batch; the record of a joined sample is not in batch->records */
	const struct perfdata_raw *record;
	const struct perfdata_event *event;     /* owner of the counter for READ samples; or NULL */
	/* the CALLCHAIN_DEFERRED record that completes the sample's chain, or NULL */
	const struct perfdata_raw *deferred;
	/* of the sample as delivered: `ip`, or the address that an off-CPU sample carries instead. Of a span: when it
	 * began, in ns; UINT64_MAX: not known */
	uint64_t address;
	uint64_t id;                            /* of the event's counter, UINT64_MAX if unknown */
	uint64_t period;                        /* as perf computes it: recorded, the counter's growth, or the attr's */
	uint32_t flags;                         /* enum perfdata_delivery_flag */
	int32_t pid, tid;                       /* of the thread; -1 if unknown */
	/* where the index of ids (ID_INDEX) states that the counter counts for a virtual machine: the pid of the
	 * process that runs it, and its processor; else 0 */
	int32_t machine_pid, vcpu;
	/* perfdata_session_comm, or PERFDATA_NONE. A thread runs on after its EXIT record until it is switched out for
	 * the last time: it keeps its name and number. */
	uint32_t comm;
	uint32_t script_comm;                   /* the same in perf script, which calls such a thread ":TID" */
	uint32_t ip;                            /* frame id of the sample's address, or PERFDATA_NONE */
	uint32_t addr;                          /* frame id of `addr`, or PERFDATA_NONE */
	/* index into batch->steps: the steps of its stack, callee first; PERFDATA_NONE, 0: there are none, or they are
	 * not needed (PERFDATA_NEED_STACKS) */
	uint32_t steps, nr_steps;
	uint32_t stack;                         /* stack id (PERFDATA_NEED_STACK_IDS), or PERFDATA_NONE */
	uint32_t node;                          /* of the tree of stacks (PERFDATA_NEED_NODES); 0: the root */
	/* number of the thread: a later thread with the same tid has another number */
	uint32_t thread;
	uint32_t branches;                      /* index into batch->frames: from, to, from, to, …; or PERFDATA_NONE */
};

struct perfdata_step;
struct perfdata_batch {
	uint64_t number;                        /* from 0, in order */
	const struct perfdata_session *session;
	/* after filters, in order; with PERFDATA_NEED_RECORDS: see perfdata_batch_record */
	const struct perfdata_raw *records;
	size_t nr_records;
	const struct perfdata_delivery *deliveries;
	size_t nr_deliveries;
	const uint32_t *frames;                 /* frame ids that deliveries refer to */
	size_t nr_frames;
	const struct perfdata_step *steps;      /* steps to which deliveries refer */
	size_t nr_steps;
	size_t bytes;                           /* of all records in the batch, and of those that were only counted */
};

/* Record and delivery number `index`, which is below nr_records or nr_deliveries: both structs grow with the library,
 * so programs must not step over the arrays by themselves. */
PERFDATA_API const struct perfdata_raw *perfdata_batch_record(const struct perfdata_batch *batch, size_t index);
PERFDATA_API const struct perfdata_delivery *perfdata_batch_delivery(const struct perfdata_batch *batch, size_t index);

/* The next batch, owned by the caller until perfdata_batch_release. The session closes a batch at about 256 KiB of
 * records, and for a pipe whenever no more input is ready, so that lines leave early. PERFDATA_END after the last
 * batch; errors of perfdata_reader_next come after the last batch, too. PERFDATA_AGAIN: there is nothing for a batch
 * until more is fed (perfdata_feed); nothing is lost. */
PERFDATA_API enum perfdata_status perfdata_session_next(struct perfdata_session *session, struct perfdata_batch **ret);
/* Decodes each record of the batch and reports damaged or unknown bytes inside it, in order: codes 1xx. Any thread. A
 * conversion calls it for emitters that do not check records themselves; a program that reads batches without a run
 * calls it if damage inside records matters. */
PERFDATA_API void perfdata_batch_check(const struct perfdata_batch *batch, perfdata_finding_fn *on_finding, void *user);
/* Thread-safe. */
PERFDATA_API void perfdata_batch_release(struct perfdata_batch *batch);
PERFDATA_API const struct perfdata_error *perfdata_session_error(const struct perfdata_session *session);

/* --- tables: valid for ids that a published batch holds; any thread ----------------------------------------------- */

/* The text of a comm, NUL-terminated (it may hold any bytes but NUL, as recorded). */
PERFDATA_API const char *perfdata_session_comm(const struct perfdata_session *session, uint32_t comm);

enum perfdata_build_id_source {
	PERFDATA_BUILD_ID_MMAP2 = 1,    /* the MMAP2 record of the mapping */
	PERFDATA_BUILD_ID_RECORD = 2,   /* a BUILD_ID record of a pipe */
	PERFDATA_BUILD_ID_HEADER = 4,   /* the table in the header */
};
/* Something that addresses are mapped from: a file, a kernel, a JIT area. Immutable. */
struct perfdata_dso {
	uint32_t id;
	enum perfdata_dso_kind kind;
	const char *name;             /* as perf's `script` shows it: "/usr/bin/true", "[kernel.kallsyms]", "[xfs]" */
	const char *long_name;        /* as perf's dump shows it */
	const char *filename;         /* as recorded; what to open for symbols */
	int32_t pid;                  /* of the process, for kinds that belong to one, else -1 */
	uint64_t start;               /* address where it was mapped first */
	uint32_t device_major, device_minor;   /* of the file that was mapped; 0, 0: not recorded */
};
PERFDATA_API const struct perfdata_dso *perfdata_session_dso(const struct perfdata_session *session, uint32_t dso);
PERFDATA_API uint32_t perfdata_session_nr_dsos(const struct perfdata_session *session);
/* Bytes of the dso's build-id (0: unknown so far), the source of the build-id, and how many mappings the dso had so
 * far. Any thread. */
PERFDATA_API struct perfdata_bytes perfdata_session_build_id(
	const struct perfdata_session *session, uint32_t dso,
	enum perfdata_build_id_source *ret_source /* may be NULL */);
/* The bytes that perf takes for the dso's build-id though they are none, as perf's texts show them: see
 * perf. To be used for nothing else. Only in the thread of the session. */
PERFDATA_API struct perfdata_bytes perfdata_session_false_build_id(const struct perfdata_session *session,
								   uint32_t dso);
PERFDATA_API uint64_t perfdata_session_nr_maps(const struct perfdata_session *session, uint32_t dso);
/* The inode number of the file that was mapped; 0: not recorded. */
PERFDATA_API uint64_t perfdata_session_inode(const struct perfdata_session *session, uint32_t dso);
/* Whether a step of some delivery's stack lay in the dso so far: a step as perfdata_session_stack gives it. Needs
 * PERFDATA_NEED_CHAIN_DSOS. */
PERFDATA_API bool perfdata_session_in_chain(const struct perfdata_session *session, uint32_t dso);

/* An address inside a dso. Equal (dso, address, time) have one id. */
struct perfdata_frame {
	uint32_t dso;                 /* or PERFDATA_NONE: no map; `address` is the recorded address */
	/* as perfdata_symbols_lookup takes it: file offset for files, recorded address for the kernel, modules and
	 * JIT areas, offset in the program for BPF */
	uint64_t address;
	/* since when the code has been at the address, ns: of code that a jitdump file names, and of the kernel's code
	 * that changed during the recording; else 0 */
	uint64_t time;
};
/* Names of callers: perfdata_session_symbol takes a frame id with this bit as the address before the frame's: the call
 * instruction, which returns to the frame. */
#define PERFDATA_FRAME_CALLER (UINT32_C(1) << 31)
PERFDATA_API const struct perfdata_frame *perfdata_session_frame(const struct perfdata_session *session,
								 uint32_t frame);

enum perfdata_step_origin {
	PERFDATA_STEP_RECORDED,       /* an address of the callchain, or of the deferred chain that completes it */
	PERFDATA_STEP_BRANCH,         /* a call of a branch stack, in place of the callchain's user part */
	PERFDATA_STEP_UNWOUND,        /* found from recorded registers and stack memory */
};
/* One step of a call chain, callee first: those that were recorded, then branches, then at most 1023 that were unwound.
 * Context markers are not steps. */
struct perfdata_step {
	uint64_t ip;                  /* as recorded, or found by unwinding */
	uint32_t frame;               /* PERFDATA_NONE: an address outside of all maps */
	uint16_t cpumode;             /* enum perfdata_cpumode */
	uint16_t origin;              /* enum perfdata_step_origin */
};
/* The steps of a delivery's stack, or NULL; how many in *ret_nr. */
static inline const struct perfdata_step *perfdata_batch_stack(const struct perfdata_batch *batch,
							       const struct perfdata_delivery *delivery, size_t *ret_nr)
{
	*ret_nr = delivery->nr_steps;
	return delivery->nr_steps ? &batch->steps[delivery->steps] : NULL;
}
/* The steps of the stack with this id, at most `room`, and how many there are in *ret_nr (0 where it fails).
 * PERFDATA_ABSENT for an id that no stack has; PERFDATA_EREAD: the temporary file that stacks went to cannot be read.
 * Only in the thread that calls perfdata_session_next, or after the last such call. */
PERFDATA_API enum perfdata_status perfdata_session_stack(const struct perfdata_session *session, uint32_t stack,
							 struct perfdata_step *steps, size_t room, size_t *ret_nr);
/* The name of a frame: from the session's symbols, or from the recording itself (BPF programs). PERFDATA_ABSENT: it has
 * none. Looked up on first use, under a lock of the dso. `time` is ignored: the frame holds the time of its code. */
PERFDATA_API enum perfdata_status perfdata_session_symbol(const struct perfdata_session *session, uint32_t frame,
							  uint64_t time, struct perfdata_symbol *ret);
/* How many of all delivered samples lie at an address without a name, in a session with symbols and
 * PERFDATA_NEED_FRAMES; and the files in which those samples lie, most samples first, at most `room`. A file's samples
 * count only if a name in it was requested (perfdata_session_symbol). Call it after the last batch. PERFDATA_ENOMEM. */
struct perfdata_unnamed {
	uint64_t samples;             /* all */
	uint64_t unnamed;             /* of these without a name */
	uint64_t outside;             /* of the unnamed: outside of any file */
};
struct perfdata_unnamed_file {
	uint32_t dso;
	uint64_t samples;
};
PERFDATA_API enum perfdata_status perfdata_session_unnamed(const struct perfdata_session *session,
							   struct perfdata_unnamed *ret,
							   struct perfdata_unnamed_file *files, size_t room,
							   size_t *ret_nr);
/* The source of a dso's names: see perfdata_symbols_origin. Only in the session's thread. PERFDATA_ABSENT: it has
 * none. */
PERFDATA_API enum perfdata_status perfdata_session_origin(const struct perfdata_session *session, uint32_t dso,
							  struct perfdata_symbols_origin *ret);
/* The jitdump file that names generated code of the dso's process: its path as recorded, and its path on this host.
 * PERFDATA_ABSENT: there is none. */
PERFDATA_API enum perfdata_status perfdata_session_jitdump(const struct perfdata_session *session, uint32_t dso,
							   const char **ret_path, struct perfdata_symbols_origin *ret);
/* The number of stacks. Ids go from 0 to this, without gaps: iterate with perfdata_session_stack, in its thread. */
PERFDATA_API uint32_t perfdata_session_nr_stacks(const struct perfdata_session *session);

/* Counts of one kind of spans, of a session that looks for spans (perfdata_session_options.spans). */
struct perfdata_span_counts {
	uint64_t spans, total;        /* spans whose begin and end are known, and their ns */
	uint64_t no_begin, no_end;    /* ends without a begin; begins that were not ended before the next one */
	uint64_t open;                /* not ended when the recording was */
	uint64_t with_losses;         /* of `spans`: records were lost meanwhile */
	/* of RUN, OFF and RUNQ: samples of sched_switch, SWITCH records, and samples of sched_switch that say nothing
	 * since most switches are missing */
	uint64_t switches, switch_records, sampled_switches;
	uint64_t reserved[4];
};
PERFDATA_API void perfdata_session_span_counts(const struct perfdata_session *session, enum perfdata_span_kind kind,
					       struct perfdata_span_counts *ret);

/* --- summary ------------------------------------------------------------------------------------------------------ */

struct perfdata_type_count {
	uint32_t type;
	uint64_t records;
	uint64_t bytes;
	uint64_t dropped_by_perf;               /* of these, records shorter than perf_min_size of their layout */
};
struct perfdata_event_count {
	const struct perfdata_event *event;     /* NULL: records whose event is unknown */
	uint64_t samples;                       /* SAMPLE records */
	uint64_t deliveries;                    /* as perf counts them */
};
/* What the AUXTRACE records of one kind of trace hold. */
struct perfdata_trace_count {
	const char *name;                       /* as the row `auxtrace_type` has it: "INTEL_PT"; "UNKNOWN" */
	uint32_t type;                          /* of AUXTRACE_INFO */
	uint64_t buffers;                       /* AUXTRACE records */
	uint64_t bytes;                         /* bytes of their payloads */
};
struct perfdata_summary {
	uint64_t records;                       /* all, before filters */
	const struct perfdata_type_count *types; size_t nr_types;      /* ascending */
	const struct perfdata_event_count *events; size_t nr_events;   /* by index, then the unknown */
	uint64_t first_time, last_time;         /* ns of samples; UINT64_MAX if there is none */
	uint64_t lost_records;                  /* sum of LOST */
	uint64_t lost_samples;                  /* sum of LOST_SAMPLES */
	uint64_t aux_lost;                      /* AUX records with TRUNCATED, COLLISION or PARTIAL */
	uint64_t late, unknown_ids;
	uint64_t records_out, deliveries_out;   /* after filters */
	bool complete;                          /* no finding of severity ERROR, all was read */
	const struct perfdata_trace_count *traces; size_t nr_traces;   /* by type, those that have buffers */
	uint64_t aux_records;                   /* AUX records */
	/* AUX records with that flag: no room, gaps, samples that collided */
	uint64_t aux_truncated, aux_partial, aux_collisions;
	uint64_t samples_out;                   /* samples of records_out */
};
/* Row number `index` of a summary's lists, which is below nr_types, nr_events or nr_traces: the structs grow with the
 * library, so programs must not step over the arrays by themselves. */
PERFDATA_API const struct perfdata_type_count *perfdata_summary_type(const struct perfdata_summary *summary,
								     size_t index);
PERFDATA_API const struct perfdata_event_count *perfdata_summary_event(const struct perfdata_summary *summary,
								       size_t index);
PERFDATA_API const struct perfdata_trace_count *perfdata_summary_trace(const struct perfdata_summary *summary,
								       size_t index);
/* Counts of all that the session has read so far. Borrowed until the next call on the session. Never NULL; if memory
 * ran out for the lists, perfdata_session_error says so. */
PERFDATA_API const struct perfdata_summary *perfdata_session_summary(struct perfdata_session *session);

#ifdef __cplusplus
}
#endif

#endif
