/* SPDX-License-Identifier: MIT */
/* Joins dsos to the symbols of the caller (options.symbols) at their first use. */
#include "config.h"
#include <string.h>
#include <sys/utsname.h>
#include "reader/reader.h"
#include "schema/feature.h"
#include "session/session.h"
#include "session/state.h"
#include "symbols/symbols.h"

static bool same_build_id(const struct pd_state *state, const struct pd_dso *kernel)
{
	struct pd_build_id id;
	if (pd_running_kernel_id(state->symbols, &id) != PERFDATA_OK)
		return false;
	size_t common = id.size < kernel->build_id_size ? id.size : kernel->build_id_size;
	return memcmp(id.bytes, kernel->build_id, common) == 0;
}

/* Whether the recorded kernel runs here, without a build-id: the same release at the same address is the same boot. */
static bool same_release_and_place(const struct pd_state *state)
{
	struct utsname name;
	const char *release = pd_reader_text(state->reader, PERFDATA_FEATURE_OSRELEASE);
	if (!release || !state->kernel_reference || uname(&name) != 0 || strcmp(name.release, release) != 0)
		return false;
	return pd_kallsyms_has_text_at(state->symbols, "/proc/kallsyms", state->kernel_reference);
}

static bool kernel_runs_here(struct pd_state *state)
{
	if (state->no_host || state->kernel_dso == PERFDATA_NONE)
		return false;
	if (state->kernel_is_running == 0) {
		const struct pd_dso *kernel = pd_dso_at(state, state->kernel_dso);
		bool same = kernel->build_id_size ? same_build_id(state, kernel) : same_release_and_place(state);
		state->kernel_is_running = same ? 1 : -1;
	}
	return state->kernel_is_running > 0;
}

/* Returns the name of the recorded host. NULL: nothing names it, as in unfinished recordings and in files repaired from
 * them. */
static const char *recorded_host(const struct pd_state *state)
{
	const char *host = pd_reader_text(state->reader, PERFDATA_FEATURE_HOSTNAME);
	return host && strcmp(host, PD_HOSTNAME_UNKNOWN) != 0 ? host : NULL;
}

/* Whether the recording names another host. */
static bool is_of_another_host(const struct pd_state *state)
{
	struct utsname name;
	const char *host = recorded_host(state);
	return host && (uname(&name) != 0 || strcmp(name.nodename, host) != 0);
}

/* Whether this host was recorded. Where only user code was sampled, no record names the kernel: then the kernel's
 * release and the host's name must be recorded and agree. */
static bool host_was_recorded(struct pd_state *state)
{
	struct utsname name;
	if (state->no_host || is_of_another_host(state))
		return false;
	if (state->kernel_dso != PERFDATA_NONE)
		return kernel_runs_here(state);
	const char *release = pd_reader_text(state->reader, PERFDATA_FEATURE_OSRELEASE);
	return release && recorded_host(state) && uname(&name) == 0 && strcmp(name.release, release) == 0;
}

/* Sets how to check that a file of this host is the recorded one, if there is no build-id. */
static void identify_file(const struct pd_state *state, const struct pd_dso *dso,
			  struct perfdata_symbols_request *request)
{
	struct pd_host_time when = pd_host_time(state, state->now);
	const int64_t written = pd_reader_written(state->reader);
	/* perf inject made the file after the samples, but before it finished the recording */
	if (dso->injected && written)
		when.last = written;
	request->check_identity = true;
	request->inode = dso->source == PERFDATA_BUILD_ID_MMAP2 ? 0 : dso->id_words[1];
	request->generation = pd_recorded_generation(dso->id_words);
	request->device_major = dso->public.device_major;
	request->device_minor = dso->public.device_minor;
	request->unchanged_since = when.last;
	if (is_of_another_host(state))
		request->unidentified = "another host was recorded, and no build-id of the file";
	else if (when.last == INT64_MAX)
		request->unidentified = "nothing says when it was recorded, and no build-id was";
}

/* Sets how to check a jitdump file. The file may have grown since it was recorded, as its code has times. */
void pd_identify_jitdump(const struct pd_state *state, const struct pd_jitdump *jitdump,
			 struct perfdata_symbols_request *request)
{
	request->check_identity = true;
	request->inode = jitdump->inode;
	request->generation = jitdump->generation;
	request->device_major = (uint32_t)(jitdump->device >> 32);
	request->device_minor = (uint32_t)jitdump->device;
	request->unchanged_since = INT64_MAX;
	if (is_of_another_host(state))
		request->unidentified = "another host was recorded";
}

/* Sets how to check a perf map, which has no build-id: the process, whose pid may be reused, must have written it. */
static void identify_map(const struct pd_state *state, const struct pd_dso *dso, bool runs,
			 struct perfdata_symbols_request *request)
{
	const int64_t minute = INT64_C(60000000000), written = pd_reader_written(state->reader);
	const struct pd_host_time when = pd_host_time(state, state->now);
	request->check_identity = true;
	request->not_before = pd_host_time(state, dso->first_time).first;
	/* a stream is read while the process runs, or soon after */
	request->unchanged_since = runs                             ? INT64_MAX
				   : written                        ? written
				   : when.last < INT64_MAX - minute ? when.last + minute
								    : INT64_MIN;
}

/* If the process still runs here, requests the file that the process sees under the path. */
static void ask_process(struct pd_state *state, const struct pd_dso *dso, struct perfdata_symbols_request *request)
{
	const bool is_map = dso->public.kind == PERFDATA_DSO_PERF_MAP;
	const int32_t pid = is_map ? dso->public.pid : dso->first_pid;
	const struct pd_jitdump *jitdump = is_map ? pd_jitdump_of(state, pid) : NULL;
	request->running = host_was_recorded(state);
	const struct pd_host_process process = request->running ? pd_host_process(state, pid)
								: (struct pd_host_process){ 0 };
	request->process = process.runs && (process.other_files || process.inner_pid != (uint32_t)pid) ? (uint32_t)pid
												       : 0;
	if (is_map) {
		request->namespace_pid = jitdump ? jitdump->namespace_pid : process.inner_pid;
		identify_map(state, dso, process.runs, request);
		return;
	}
	identify_file(state, dso, request);
	/* device and inode number mean the same file in every mount namespace, but numbers without a block device are
	 * given anew to other file systems */
	if (process.other_files && !dso->public.device_major)
		request->unidentified = "the process saw other files, and no build-id was recorded";
}

/* Why a table of build-ids has that of another file than the mapped one, or NULL. */
static const char *table_is_of_another(struct pd_state *state, const struct pd_dso *dso)
{
	const bool is_known = dso->build_id_size && dso->source != PERFDATA_BUILD_ID_MMAP2 && !dso->of_guest &&
			      dso->public.kind == PERFDATA_DSO_USER && host_was_recorded(state);
	return is_known ? pd_dso_table_is_wrong(state, dso) : NULL;
}

/* Whether the dso's build-id is certain: where several files have a path, a table of build-ids may mean any of them. */
static bool build_id_is_of(const struct pd_dso *dso)
{
	return dso->build_id_size && (!dso->has_namesake || dso->source == PERFDATA_BUILD_ID_MMAP2);
}

/* simpleperf pads build-ids of 16 bytes with zeros to 20. */
static uint8_t size_of_build_id(const struct pd_state *state, const struct pd_dso *dso)
{
	static const uint8_t zeros[4];
	return state->inside && dso->build_id_size == 20 && !memcmp(dso->build_id + 16, zeros, sizeof zeros)
		       ? 16 : dso->build_id_size;
}

/* perf record --kcore keeps the kernel's symbols and its code in the folder of the recording. */
static void name_recorded_folder(const struct pd_state *state, struct perfdata_symbols_dso *symbols)
{
	const struct perfdata_header *header = perfdata_reader_header(state->reader);
	struct perfdata_text folder;
	if (header->container != PERFDATA_CONTAINER_DIRECTORY)
		return;
	perfdata_text_init(&folder);
	perfdata_text_printf(&folder, "%s/kcore_dir%c", header->name, 0);
	if (!perfdata_text_failed(&folder))
		pd_symbols_set_folder(symbols, folder.data);
	perfdata_text_release(&folder);
}

static void ask_for_symbols(struct pd_state *state, struct pd_dso *dso)
{
	/* simpleperf recorded another device: only a build-id proves that a file here is the recorded one */
	if (state->inside && !build_id_is_of(dso))
		return;
	if (dso->public.kind == PERFDATA_DSO_BPF || dso->public.kind == PERFDATA_DSO_NONE ||
	    dso->public.kind == PERFDATA_DSO_STATE ||
	    (dso->of_guest && !dso->build_id_size))
		return;
	const char *const of_another = table_is_of_another(state, dso);
	const bool has_id = build_id_is_of(dso) && !of_another;
	const char *others[8];
	const bool may_be_elsewhere = has_id && dso->public.kind == PERFDATA_DSO_USER;
	struct perfdata_symbols_request request = {
		.size = sizeof request,
		.kind = dso->public.kind,
		.path = dso->public.filename,
		.build_id = has_id ? dso->build_id : NULL,
		.build_id_size = has_id ? size_of_build_id(state, dso) : 0,
		.release = pd_reader_text(state->reader, PERFDATA_FEATURE_OSRELEASE),
		.reference = state->kernel_reference_name,
		.reference_address = state->kernel_reference,
		.start = dso->start,
		.end = dso->end,
		.other_paths = others,
		.nr_other_paths = may_be_elsewhere
					  ? pd_dso_other_paths(state, dso, others, sizeof others / sizeof *others) : 0,
	};
	/* for a guest, only a build-id proves that a file here is the recorded one */
	if (!dso->of_guest && (dso->public.kind == PERFDATA_DSO_PERF_MAP || dso->public.kind == PERFDATA_DSO_USER))
		ask_process(state, dso, &request);
	else if (dso->public.kind == PERFDATA_DSO_VDSO && state->kernel_dso == PERFDATA_NONE)
		request.running = host_was_recorded(state);
	else if (!dso->of_guest)
		request.running = kernel_runs_here(state);
	if (of_another)
		request.unidentified = of_another;
	/* without a handle, addresses of this dso get no names; the log of the symbols says why */
	if (perfdata_symbols_dso(state->symbols, &request, &dso->symbols) == PERFDATA_OK && !dso->of_guest &&
	    (request.kind == PERFDATA_DSO_KERNEL || request.kind == PERFDATA_DSO_MODULE))
		name_recorded_folder(state, dso->symbols);
}

void pd_dso_find_symbols(struct pd_state *state, struct pd_dso *dso)
{
	if (dso->inside && pd_inside_open(state->inside, dso->inside) < 0)
		state->status = PERFDATA_ENOMEM;
	if (!state->symbols || atomic_load_explicit(&dso->symbols_known, memory_order_relaxed))
		return;
	ask_for_symbols(state, dso);
	atomic_store_explicit(&dso->symbols_known, true, memory_order_release);
	atomic_store_explicit(&state->has_new_symbols, true, memory_order_relaxed);
}
