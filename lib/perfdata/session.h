/* SPDX-License-Identifier: MIT */
/* A session turns the records of a reader into batches of records and deliveries, with all facts that a formatter
 * needs.
 *
 * A record is a unit of the file. A delivery is a unit of perf's output: a sample with READ values becomes 0…n
 * deliveries (event, period), and a deferred callchain joins its sample. One thread runs the session; any thread may
 * read batches. Ids in deliveries are indexes of append-only tables: an entry is complete before the batch is returned,
 * and never moves. */
#ifndef PERFDATA_SESSION_H
#define PERFDATA_SESSION_H

#include "perfdata/base.h"
#include "perfdata/reader.h"
#include "perfdata/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PERFDATA_NONE UINT32_MAX

/* What the consumer of the batches needs; the session does only this work. If the consumer needs neither records nor
 * deliveries, batches may lack samples without damage (see perfdata_batch_check); these are counted all the same. */
enum perfdata_needs {
	PERFDATA_NEED_RECORDS = 1,
	PERFDATA_NEED_DELIVERIES = 2,
	PERFDATA_NEED_THREADS = 4,     /* comm and thread of deliveries */
	PERFDATA_NEED_FRAMES = 8,      /* map, dso and frame of ip, addr and branches */
	PERFDATA_NEED_STACKS = 16,     /* the steps of callchains, in the batch */
	PERFDATA_NEED_STACK_IDS = 256, /* stack ids, equal for equal stacks: perfdata_session_stack */
	/* the node, in a tree of all stacks, of the stack that begins with the sample's own address, also where the
	 * chain has only the callers in user space: perfdata_delivery.node */
	PERFDATA_NEED_NODES = 512,
	/* with NODES: unwound stacks that end where the recorded stack memory ends get separate nodes */
	PERFDATA_NEED_CUT_STACKS = 1024,
	/* payloads of AUXTRACE records (PERFDATA_RAW_PAYLOAD): each piece counts as a record with a delivery, whose
	 * other members are unset */
	PERFDATA_NEED_PAYLOADS = 64,
	/* which dsos are in callchains, without keeping stacks: perfdata_session_in_chain */
	PERFDATA_NEED_CHAIN_DSOS = 32,
};

/* Samples made from the operations in an Arm SPE trace, for the same events as in perf. An operation gives a sample of
 * every event that it belongs to. */
enum perfdata_trace_samples {
	PERFDATA_TRACE_L1D = 1,             /* l1d-miss, l1d-access */
	PERFDATA_TRACE_LLC = 2,             /* llc-miss, llc-access */
	PERFDATA_TRACE_TLB = 4,             /* tlb-miss, tlb-access */
	PERFDATA_TRACE_BRANCHES = 8,        /* branch */
	PERFDATA_TRACE_REMOTE = 16,         /* remote-access */
	PERFDATA_TRACE_MEMORY = 32,         /* memory */
	PERFDATA_TRACE_INSTRUCTIONS = 64,   /* instructions: every operation */
	PERFDATA_TRACE_BRANCH_STACKS = 128, /* branch samples have a branch stack */
	/* spe_sample: all facts of every operation. The layout of its raw data is private and changes between
	 * releases */
	PERFDATA_TRACE_OPERATIONS = 256,
};

/* What to keep: records that meet all conditions; an empty list is no condition. Records that are filtered out still
 * update threads and maps. */
struct perfdata_filter {
	size_t size;                            /* sizeof(struct perfdata_filter) */
	uint64_t time_first, time_last;         /* ns, inclusive; time_last 0: no end. Records without a time pass */
	const int32_t *pids; size_t nr_pids;
	const int32_t *tids; size_t nr_tids;
	const uint32_t *cpus; size_t nr_cpus;   /* sorted */
	const uint32_t *types; size_t nr_types; /* record types */
	const char *const *events; size_t nr_events;   /* names */
	const char *const *comms; size_t nr_comms;     /* globs: * and ? */
	/* globs of the path, or of its last component, of the file that contains a sample's ip */
	const char *const *dsos; size_t nr_dsos;
	/* globs of the function that contains a sample's ip; the session needs the option `symbols` */
	const char *const *symbols; size_t nr_symbols;
	/* filter as perf script does: times, pids, tids, comms (script_comm), files and functions apply to samples
	 * only; other records pass */
	bool samples_only;
};

/* How time off the CPU weighs, if the recording says when threads were switched out and in again. Android's simpleperf
 * with --trace-offcpu takes a sample at each switch-out, whose weight is the time until the thread runs again. In other
 * recordings sched_switch and SWITCH records give the times; the stack at the switch-out gets this weight, and the
 * thread's state ([sleeping]) as its innermost frame. */
enum perfdata_off_cpu {
	PERFDATA_OFF_CPU_RECORDED,      /* as recorded: a switch weighs 1 */
	PERFDATA_OFF_CPU_USUAL,         /* WALL for simpleperf's recordings with --trace-offcpu, otherwise RECORDED */
	PERFDATA_OFF_CPU_ON,            /* time on the CPU only */
	PERFDATA_OFF_CPU_OFF,           /* time off the CPU only */
	PERFDATA_OFF_CPU_BOTH,          /* both, as two events */
	/* both, as the event of a clock. If no clock was sampled, the time on the CPU is that between switches, with
	 * the stack [running]. */
	PERFDATA_OFF_CPU_WALL,
	/* RECORDED, with additional deliveries (PERFDATA_DELIVERY_SPAN). They weigh the time off the CPU and, if no
	 * clock was sampled, the time on the CPU as [running]. Their event is that of the switches or waits, or the
	 * recorded clock if there are SWITCH records. */
	PERFDATA_OFF_CPU_BESIDE,
};

/* The innermost frame of stacks of time off the CPU, in the dso PERFDATA_DSO_STATE. */
enum perfdata_wait_frame {
	PERFDATA_WAIT_STATE,            /* why the thread waits: [sleeping] */
	/* who woke the thread: [comm (pid/tid)], or [not woken]; time after the wakeup is [run queue] */
	PERFDATA_WAIT_WAKER,
	PERFDATA_WAIT_WAKEE,            /* the thread that was woken: [comm (pid/tid)], or [not woken] */
	PERFDATA_WAIT_SYSCALL,          /* in which system call the thread waits: [read]; [no system call] */
	PERFDATA_WAIT_FRAMES
};

/* Intervals between two records. */
enum perfdata_span_kind {
	PERFDATA_SPAN_RUN,              /* a thread is on a CPU */
	PERFDATA_SPAN_OFF,              /* a thread is off the CPU */
	PERFDATA_SPAN_RUNQ,             /* a thread is runnable and waits for a CPU */
	PERFDATA_SPAN_SYSCALL,
	PERFDATA_SPAN_LOCK,             /* wait for a lock of the kernel */
	PERFDATA_SPAN_BLOCK,            /* a request to a block device */
	PERFDATA_SPAN_IRQ,
	PERFDATA_SPAN_SOFTIRQ,
	PERFDATA_SPAN_GUEST,            /* a virtual machine does not run: from its exit to its next entry */
	PERFDATA_SPAN_KINDS
};
struct perfdata_session_options {
	size_t size;                            /* sizeof(struct perfdata_session_options) */
	uint32_t needs;                         /* enum perfdata_needs */
	const struct perfdata_filter *filter;   /* copied; NULL: keep everything */
	/* stop after this many records, or deliveries if records are not needed; 0: no limit */
	uint64_t limit;
	struct perfdata_symbols *symbols;       /* borrowed; NULL: look up no names */
	/* look up no names in the kernel of this host, even if it is the recorded one */
	bool no_host;
	bool merge_deferred;                    /* join deferred callchains, as perf script; false: as perf report -D */
	bool keep_exited;                       /* threads keep their names and maps after EXIT (perf report) */
	/* enum perfdata_trace_samples; 0: no samples from traces. With them, in the order of time, the first record is
	 * returned after the last was read */
	uint32_t trace_samples;
	/* OFF, BOTH, WALL: PERFDATA_EUSAGE if the recording has no times off the CPU */
	enum perfdata_off_cpu off_cpu;
	uint32_t spans;                         /* bits 1 << enum perfdata_span_kind: the kinds of spans to find */
	/* states of time off the CPU that weighs and makes spans: "sleeping,preempted"; NULL: all */
	const char *span_states;
	bool no_state_frames;                   /* add no frame to stacks of time off the CPU */
	enum perfdata_wait_frame wait_frame;
	/* The consumer reads no copies of user stacks: in large samples the library may leave parts of
	 * perfdata_user_stack.data unread, which then have any value. */
	bool no_stack_copies;
};

struct perfdata_session;
/* Borrows the reader until the session is closed. If the reader's order is DEFAULT, records come in the order of time.
 * In the order of the file, threads and maps may be wrong. PERFDATA_EUSAGE: a wrong option; the reader has another
 * session; records were already read. */
PERFDATA_API enum perfdata_status perfdata_session_open(struct perfdata_reader *reader,
							const struct perfdata_session_options *options,
							struct perfdata_session **ret, struct perfdata_error *reterr);
PERFDATA_API void perfdata_session_close(struct perfdata_session *session);

/* --- batches ------------------------------------------------------------------------------------------------------ */

enum perfdata_delivery_flag {
	PERFDATA_DELIVERY_FIRST = 1,    /* first delivery of its record: a dump prints the record here */
	/* has nothing to report: its counters did not grow (names are set all the same), its event is unknown, or it
	 * waits for its deferred chain */
	PERFDATA_DELIVERY_SILENT = 2,
	/* of a virtual machine that the recording names (ID_INDEX); perf prints no samples of other guests */
	PERFDATA_DELIVERY_GUEST = 8,
	/* the next deferred chain of the thread belongs to another sample; perf prints the cookie as an address */
	PERFDATA_DELIVERY_CHAIN_LOST = 4,
	/* an interval that ended at the record, such as time off the CPU: `period` is its length in ns */
	PERFDATA_DELIVERY_SPAN = 16,
	/* a span that begins or ends at the record has all facts of the record about its thread, such as the start of a
	 * system call */
	PERFDATA_DELIVERY_IN_SPAN = 32,
};

/* Every record has at least one delivery, which may be SILENT; a READ sample has one for each counter that grew. */
struct perfdata_delivery {
	/* owned by the batch; a sample joined with a deferred chain is not in batch->records */
	const struct perfdata_raw *record;
	const struct perfdata_event *event;     /* event of the counter for READ samples; or NULL */
	/* the CALLCHAIN_DEFERRED record that completes the sample's chain, or NULL */
	const struct perfdata_raw *deferred;
	/* `ip`, or the address that an off-CPU sample has instead. Of a span: when it began, in ns; UINT64_MAX:
	 * unknown */
	uint64_t address;
	uint64_t id;                            /* id of the counter; UINT64_MAX: unknown */
	/* as in perf: the recorded period, the growth of the counter, or the attr's period */
	uint64_t period;
	uint32_t flags;                         /* enum perfdata_delivery_flag */
	int32_t pid, tid;                       /* of the thread; -1 if unknown */
	/* a counter of a virtual machine (ID_INDEX): pid of the host process that runs it, and its virtual CPU; else
	 * 0 */
	int32_t machine_pid, vcpu;
	/* perfdata_session_comm, or PERFDATA_NONE. A thread keeps its comm after its EXIT record, as long as it still
	 * runs. */
	uint32_t comm;
	uint32_t script_comm;                   /* as `comm`, but after the EXIT record ":TID", as perf script prints */
	uint32_t ip;                            /* frame id of the sample's address, or PERFDATA_NONE */
	uint32_t addr;                          /* frame id of `addr`, or PERFDATA_NONE */
	/* index of the first step in batch->steps, and number of steps, callee first. PERFDATA_NONE, 0: no stack, or
	 * PERFDATA_NEED_STACKS is not set */
	uint32_t steps, nr_steps;
	uint32_t stack;                         /* stack id (PERFDATA_NEED_STACK_IDS), or PERFDATA_NONE */
	uint32_t node;                          /* node in the tree of stacks (PERFDATA_NEED_NODES); 0: the root */
	/* number of the thread; differs for a later thread with the same tid */
	uint32_t thread;
	uint32_t branches;                      /* index in batch->frames: from, to, from, to, …; or PERFDATA_NONE */
};

struct perfdata_step;
struct perfdata_batch {
	uint64_t number;                        /* of the batch, from 0 */
	const struct perfdata_session *session;
	/* records that pass the filter, in order (PERFDATA_NEED_RECORDS); use perfdata_batch_record */
	const struct perfdata_raw *records;
	size_t nr_records;
	const struct perfdata_delivery *deliveries;
	size_t nr_deliveries;
	const uint32_t *frames;                 /* frame ids that `branches` of deliveries index */
	size_t nr_frames;
	const struct perfdata_step *steps;      /* steps that `steps` of deliveries index */
	size_t nr_steps;
	/* size of all records of the batch, including those that are only counted */
	size_t bytes;
};

/* Record and delivery number `index`, which must be below nr_records or nr_deliveries. Programs must not index the
 * arrays themselves: the library extends both structs. */
PERFDATA_API const struct perfdata_raw *perfdata_batch_record(const struct perfdata_batch *batch, size_t index);
PERFDATA_API const struct perfdata_delivery *perfdata_batch_delivery(const struct perfdata_batch *batch, size_t index);

/* The next batch, which the caller releases with perfdata_batch_release. A batch ends after about 256 KiB of records;
 * for a pipe also when no more input is ready, so that lines are not delayed. After the last batch: PERFDATA_END, or
 * the error of perfdata_reader_next. PERFDATA_AGAIN: feed more bytes first (perfdata_feed); nothing is lost. */
PERFDATA_API enum perfdata_status perfdata_session_next(struct perfdata_session *session, struct perfdata_batch **ret);
/* Decodes each record of the batch, and reports damaged or unknown bytes inside it, in order: codes 1xx. Any thread. A
 * conversion calls it, unless the emitter has PERFDATA_EMITTER_CHECKS. A program without a run calls it if it needs to
 * know of damage inside records. */
PERFDATA_API void perfdata_batch_check(const struct perfdata_batch *batch, perfdata_finding_fn *on_finding, void *user);
/* Thread-safe. */
PERFDATA_API void perfdata_batch_release(struct perfdata_batch *batch);
PERFDATA_API const struct perfdata_error *perfdata_session_error(const struct perfdata_session *session);

/* --- tables: valid for ids that a published batch holds; any thread ----------------------------------------------- */

/* The text of a comm, with a terminating NUL. Its bytes are as recorded, perhaps no UTF-8. */
PERFDATA_API const char *perfdata_session_comm(const struct perfdata_session *session, uint32_t comm);

enum perfdata_build_id_source {
	PERFDATA_BUILD_ID_MMAP2 = 1,    /* the MMAP2 record of the mapping */
	PERFDATA_BUILD_ID_RECORD = 2,   /* a BUILD_ID record of a pipe */
	PERFDATA_BUILD_ID_HEADER = 4,   /* the table in the header */
};
/* An object that is mapped: a file, a kernel, a JIT area. Immutable. */
struct perfdata_dso {
	uint32_t id;
	enum perfdata_dso_kind kind;
	const char *name;             /* as `perf script` prints it: "/usr/bin/true", "[kernel.kallsyms]", "[xfs]" */
	const char *long_name;        /* as `perf script -D` prints it */
	const char *filename;         /* as recorded; the file to read symbols from */
	int32_t pid;                  /* pid of the process for kinds that belong to one, else -1 */
	uint64_t start;               /* address of its first mapping */
	uint32_t device_major, device_minor;   /* device of the mapped file; 0, 0: not recorded */
};
PERFDATA_API const struct perfdata_dso *perfdata_session_dso(const struct perfdata_session *session, uint32_t dso);
PERFDATA_API uint32_t perfdata_session_nr_dsos(const struct perfdata_session *session);
/* The dso's build-id (size 0: unknown so far) and its source; the number of mappings of the dso so far. Any thread. */
PERFDATA_API struct perfdata_bytes perfdata_session_build_id(
	const struct perfdata_session *session, uint32_t dso,
	enum perfdata_build_id_source *ret_source /* may be NULL */);
/* Bytes of an MMAP2 record that perf prints as the dso's build-id although they are none (finding FALSE_BUILD_ID). Only
 * for output that equals perf's. Only in the thread of the session. */
PERFDATA_API struct perfdata_bytes perfdata_session_false_build_id(const struct perfdata_session *session,
								   uint32_t dso);
PERFDATA_API uint64_t perfdata_session_nr_maps(const struct perfdata_session *session, uint32_t dso);
/* The inode number of the mapped file; 0: not recorded. */
PERFDATA_API uint64_t perfdata_session_inode(const struct perfdata_session *session, uint32_t dso);
/* Whether another file was mapped under the dso's path so far, so that a build-id of a table, which has only paths, may
 * be of that file. Only in the session's thread. */
PERFDATA_API bool perfdata_session_has_namesake(const struct perfdata_session *session, uint32_t dso);
/* Whether a stack of some delivery so far has a step in the dso (a step as in perfdata_session_stack). Needs
 * PERFDATA_NEED_CHAIN_DSOS. */
PERFDATA_API bool perfdata_session_in_chain(const struct perfdata_session *session, uint32_t dso);

/* An address inside a dso. Frames with equal dso, address and time have equal ids. */
struct perfdata_frame {
	uint32_t dso;                 /* PERFDATA_NONE: no mapping; `address` is the recorded address */
	/* as perfdata_symbols_lookup takes it: an offset in a file; the recorded address for the kernel, modules and
	 * JIT areas; an offset in a BPF program */
	uint64_t address;
	/* ns, when this code was placed at the address: for code in a jitdump file, and for kernel code that changed
	 * during the recording; else 0 */
	uint64_t time;
};
/* A flag of frame ids that denotes a caller: perfdata_session_symbol then looks up the address before the frame's,
 * which is inside the call instruction. */
#define PERFDATA_FRAME_CALLER (UINT32_C(1) << 31)
PERFDATA_API const struct perfdata_frame *perfdata_session_frame(const struct perfdata_session *session,
								 uint32_t frame);

enum perfdata_step_origin {
	PERFDATA_STEP_RECORDED,       /* an address of the callchain, or of the deferred chain that was joined */
	PERFDATA_STEP_BRANCH,         /* from the branch stack (LBR call stack), instead of the callchain's user part */
	PERFDATA_STEP_UNWOUND,        /* unwound from recorded registers and stack memory */
};
/* One step of a stack, callee first: the recorded steps, then branches, then up to 1023 unwound steps. Context markers
 * are no steps. */
struct perfdata_step {
	uint64_t ip;                  /* as recorded, or found by unwinding */
	uint32_t frame;               /* PERFDATA_NONE: the address is outside of all maps */
	uint16_t cpumode;             /* enum perfdata_cpumode */
	uint16_t origin;              /* enum perfdata_step_origin */
};
/* The steps of a delivery's stack, or NULL; *ret_nr: their number. */
static inline const struct perfdata_step *perfdata_batch_stack(const struct perfdata_batch *batch,
							       const struct perfdata_delivery *delivery, size_t *ret_nr)
{
	*ret_nr = delivery->nr_steps;
	return delivery->nr_steps ? &batch->steps[delivery->steps] : NULL;
}
/* Copies at most `room` steps of a stack; *ret_nr: the number of all its steps, 0 after a failure. PERFDATA_ABSENT: no
 * stack has this id; PERFDATA_EREAD: a temporary file of stacks cannot be read. Call it in the thread that calls
 * perfdata_session_next, or after the last batch. */
PERFDATA_API enum perfdata_status perfdata_session_stack(const struct perfdata_session *session, uint32_t stack,
							 struct perfdata_step *steps, size_t room, size_t *ret_nr);
/* The name of a frame: from the session's symbols, or from the recording (BPF programs). `time` is ignored: the frame
 * has the time of its code. The first look-up in a dso takes the lock of the dso. PERFDATA_ABSENT: the frame has no
 * name. */
PERFDATA_API enum perfdata_status perfdata_session_symbol(const struct perfdata_session *session, uint32_t frame,
							  uint64_t time, struct perfdata_symbol *ret);
/* Counts delivered samples by whether their address has a name, in a session with symbols and PERFDATA_NEED_FRAMES.
 * `files`: the files with unnamed samples, most samples first, at most `room`; only files for which
 * perfdata_session_symbol was called. Call it after the last batch. PERFDATA_ENOMEM. */
struct perfdata_unnamed {
	uint64_t samples;             /* all */
	uint64_t unnamed;             /* samples whose address has no name */
	uint64_t outside;             /* unnamed samples outside of all files */
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
/* Why the file at the dso's path on this host is not known to be the recorded one, as finding 804 or 816 says: one
 * phrase, static storage. Only in the session's thread. PERFDATA_ABSENT: no file was refused so, or another one is
 * used. */
PERFDATA_API enum perfdata_status perfdata_session_unidentified(const struct perfdata_session *session, uint32_t dso,
								const char **ret_reason);
/* The jitdump file with names for JIT code of the dso's process: its recorded path, and its path on this host.
 * PERFDATA_ABSENT: there is none. */
PERFDATA_API enum perfdata_status perfdata_session_jitdump(const struct perfdata_session *session, uint32_t dso,
							   const char **ret_path, struct perfdata_symbols_origin *ret);
/* The number of stacks; their ids are all lower numbers. For perfdata_session_stack, in the same thread. */
PERFDATA_API uint32_t perfdata_session_nr_stacks(const struct perfdata_session *session);

/* Counts of one kind of spans, for a session with the option `spans`. */
struct perfdata_span_counts {
	uint64_t spans, total;        /* spans whose begin and end are known, and their ns */
	uint64_t no_begin, no_end;    /* ends without a begin; begins without an end before the next begin */
	uint64_t open;                /* no end before the recording ended */
	uint64_t with_losses;         /* spans during which records were lost */
	/* for RUN, OFF and RUNQ: samples of sched_switch; SWITCH records; samples of sched_switch that were taken with
	 * a period above 1 and so make no spans */
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
	uint64_t dropped_by_perf;               /* records that perf drops since they are too short for their type */
};
struct perfdata_event_count {
	const struct perfdata_event *event;     /* NULL: records whose event is unknown */
	uint64_t samples;                       /* SAMPLE records */
	uint64_t deliveries;                    /* number of deliveries, counted as in perf */
};
/* Sums over the AUXTRACE records of one kind of trace. */
struct perfdata_trace_count {
	const char *name;                       /* as in the field `auxtrace_type`: "INTEL_PT"; "UNKNOWN" */
	uint32_t type;                          /* of AUXTRACE_INFO */
	uint64_t buffers;                       /* AUXTRACE records */
	uint64_t bytes;                         /* bytes of their payloads */
};
struct perfdata_summary {
	uint64_t records;                       /* all, before filters */
	const struct perfdata_type_count *types; size_t nr_types;      /* ascending */
	const struct perfdata_event_count *events; size_t nr_events;   /* by index; the last one: without an event */
	uint64_t first_time, last_time;         /* times of samples in ns; UINT64_MAX: no sample */
	uint64_t lost_records;                  /* total of the counts in LOST records */
	uint64_t lost_samples;                  /* total of the counts in LOST_SAMPLES records */
	uint64_t aux_lost;                      /* AUX records with TRUNCATED, COLLISION or PARTIAL */
	/* late: older than a record that was returned before. A session that needs only spans does not compare samples
	 * that it only counts. */
	uint64_t late, unknown_ids;
	uint64_t records_out, deliveries_out;   /* after filters */
	/* all was read, and the reader reported no finding of severity ERROR; findings of perfdata_batch_check do not
	 * count */
	bool complete;
	const struct perfdata_trace_count *traces; size_t nr_traces;   /* by type; only kinds with buffers */
	uint64_t aux_records;                   /* AUX records */
	/* AUX records with this flag: no room, gaps, sample collisions */
	uint64_t aux_truncated, aux_partial, aux_collisions;
	uint64_t samples_out;                   /* samples among records_out */
};
/* Row `index` of a list of the summary, which must be below nr_types, nr_events or nr_traces. Programs must not index
 * the arrays themselves: the library extends the structs. */
PERFDATA_API const struct perfdata_type_count *perfdata_summary_type(const struct perfdata_summary *summary,
								     size_t index);
PERFDATA_API const struct perfdata_event_count *perfdata_summary_event(const struct perfdata_summary *summary,
								       size_t index);
PERFDATA_API const struct perfdata_trace_count *perfdata_summary_trace(const struct perfdata_summary *summary,
								       size_t index);
/* Counts of everything that the session has read so far. Borrowed until the next call on the session. Never NULL; if
 * memory for the lists ran out, perfdata_session_error says so. */
PERFDATA_API const struct perfdata_summary *perfdata_session_summary(struct perfdata_session *session);

#ifdef __cplusplus
}
#endif

#endif
