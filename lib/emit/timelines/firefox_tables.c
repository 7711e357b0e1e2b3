/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "base/memory.h"
#include "emit/timelines/firefox.h"
#include "emit/stacks/stack_spool.h"
#include "emit/stacks/stack_text.h"
#include "emit/stacks/stack_tree.h"
#include "session/session.h"
#include "text/json_quoted.h"

/* A row of frameTable. */
struct frame {
	uint32_t label;
	uint32_t line, column, depth;
	int64_t address;             /* in the library; -1: none */
};

struct firefox_tables {
	const struct perfdata_session *session;
	struct stack_labels *labels;
	struct stack_route *route;
	struct stack_tree stacks;    /* labels are rows of `frames` */
	uint32_t *known;             /* by pd_frame_slot: first row in `frames` + 1; 0: none yet */
	size_t known_room;
	struct frame *frames;
	size_t nr_frames, frames_room;
	uint32_t *nodes;             /* by step of the path: row of the stack that ends with it */
	size_t nodes_room;
	struct pd_hash_map libs;     /* dso → row of libs */
	uint32_t *dsos;              /* by row of libs */
	size_t nr_libs, libs_room;
	bool is_device;              /* a recording of simpleperf: categories as Firefox gives simpleperf's reports */
	bool failed;
};

struct firefox_tables *pd_firefox_tables_new(struct pd_profile *profile, const struct perfdata_session *session,
					     bool inlines, const struct stack_choice *choice)
{
	struct firefox_tables *tables = pd_calloc(1, sizeof *tables);
	if (!tables)
		return NULL;
	tables->session = session;
	tables->is_device = pd_session_follows_simpleperf(session);
	tables->stacks.account = pd_profile_account(profile);
	tables->labels = pd_stack_labels_new(session, STACK_BY_FUNCTION, inlines, true);
	tables->route = tables->labels ? pd_stack_route_new(profile, session, tables->labels, choice)
				       : NULL;
	if (tables->route)
		return tables;
	pd_firefox_tables_free(tables);
	return NULL;
}

void pd_firefox_tables_free(struct firefox_tables *tables)
{
	if (!tables)
		return;
	pd_stack_route_free(tables->route);
	pd_stack_labels_free(tables->labels);
	pd_stack_tree_release(&tables->stacks);
	pd_free(tables->known);
	pd_hash_map_release(&tables->libs);
	pd_free(tables->frames);
	pd_free(tables->nodes);
	pd_free(tables->dsos);
	pd_free(tables);
}

uint32_t pd_firefox_string(struct firefox_tables *tables, const char *text)
{
	const uint32_t string = pd_stack_labels_intern(tables->labels, text);
	tables->failed |= string == UINT32_MAX;
	return string;
}

/* --- stacks ------------------------------------------------------------------------------------------------------- */

/* The row of the first frame of a step; frames of inlined calls follow it. False without memory. */
static bool frames_of(struct firefox_tables *tables, const struct stack_step *step, uint32_t *ret_first, size_t *ret_nr)
{
	const size_t slot = pd_frame_slot(step->frame, step->is_caller);
	const struct perfdata_frame *at = step->frame == PERFDATA_NONE
						  ? NULL
						  : perfdata_session_frame(tables->session, step->frame);
	const struct stack_call *calls = pd_stack_labels_of(tables->labels, step->frame, step->is_caller, ret_nr);
	if (!calls || pd_vector_reach(&tables->known, &tables->known_room, slot, sizeof *tables->known) < 0)
		return false;
	if (!tables->known[slot]) {
		const size_t first = tables->nr_frames;
		const uint64_t address = at && at->dso != PERFDATA_NONE
						 ? pd_stack_code_address(at->address, step->is_caller)
						 : UINT64_MAX;
		for (size_t i = 0; i < *ret_nr; i++) {
			if (pd_vector_grow(&tables->frames, &tables->frames_room, tables->nr_frames,
					   sizeof *tables->frames) < 0)
				return false;
			/* addresses of more than 32 bits (of the kernel) are left out */
			tables->frames[tables->nr_frames++] =
				(struct frame){ calls[i].label, calls[i].line, calls[i].column, (uint32_t)i,
						address <= UINT32_MAX ? (int64_t)address : -1 };
		}
		tables->known[slot] = (uint32_t)first + 1;
	}
	*ret_first = tables->known[slot] - 1;
	return true;
}

enum perfdata_status pd_firefox_stack(struct firefox_tables *tables, uint32_t node, uint32_t *ret)
{
	struct stack_path path;
	*ret = UINT32_MAX;
	if (!node)
		return PERFDATA_OK;
	const enum perfdata_status status = pd_stack_route_to(tables->route, node, &path);
	if (status != PERFDATA_OK)
		return status;
	if (pd_vector_grow(&tables->nodes, &tables->nodes_room, path.nr_steps, sizeof *tables->nodes) < 0)
		return PERFDATA_ENOMEM;
	uint32_t at = path.same_steps ? tables->nodes[path.same_steps - 1] : STACK_NO_NODE;
	for (size_t i = path.same_steps; i < path.nr_steps; i++) {
		uint32_t first;
		size_t nr;
		if (!frames_of(tables, &path.steps[i], &first, &nr))
			return PERFDATA_ENOMEM;
		for (size_t k = i ? 0 : path.cut_of_step; k < nr; k++) {
			at = pd_stack_tree_child(&tables->stacks, at, first + (uint32_t)k);
			if (at == STACK_NO_NODE)
				return pd_stack_tree_failed(&tables->stacks);
		}
		tables->nodes[i] = at;
	}
	*ret = at;
	return PERFDATA_OK;
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

enum { OTHER, USER, KERNEL, JIT, GUEST, SYSTEM };
enum { DEVICE_NATIVE = USER, DEVICE_JAVA = JIT };   /* categories for recordings of simpleperf */

static bool begins_with_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strncmp(text, *words, strlen(*words)))
			return true;
	return false;
}

static bool ends_with_any(const char *text, const char *const *words)
{
	const size_t size = strlen(text);
	for (; *words; words++)
		if (size >= strlen(*words) && !strcmp(text + size - strlen(*words), *words))
			return true;
	return false;
}

/* The category of app code (native or Java) or system code, as in Firefox's import of simpleperf's reports. */
static unsigned device_category(const struct firefox_tables *tables, const struct stack_label *label)
{
	static const char *const system[] = { "/apex/", "/system/", "/vendor/", NULL };
	static const char *const java[] = { ".vdex", ".apk", ".jar", ".oat", ".odex", ".dex", NULL };
	static const char *const packages[] = { "java.", "javax.", "kotlin.", "kotlinx.", "dalvik.", "android.",
						"com.android.", "androidx.", "libcore.", NULL };
	if (label->dso == PERFDATA_NONE)
		return OTHER;
	const struct perfdata_dso *dso = perfdata_session_dso(tables->session, label->dso);
	if (dso->kind == PERFDATA_DSO_KERNEL || dso->kind == PERFDATA_DSO_MODULE || dso->kind == PERFDATA_DSO_BPF)
		return KERNEL;
	const bool in_system = begins_with_any(dso->filename, system);
	if (!ends_with_any(dso->filename, java) && strncmp(dso->name, "[JIT", 4) != 0)
		return dso->kind != PERFDATA_DSO_USER ? OTHER : in_system ? SYSTEM : DEVICE_NATIVE;
	return in_system || begins_with_any(pd_stack_labels_string(tables->labels, label->name), packages) ? SYSTEM
												  : DEVICE_JAVA;
}

static unsigned category_of(const struct firefox_tables *tables, const struct stack_label *label)
{
	static const unsigned categories[STACK_KINDS] = {
		[STACK_USER] = USER, [STACK_INLINED] = USER, [STACK_KERNEL] = KERNEL, [STACK_INLINED_KERNEL] = KERNEL,
		[STACK_JIT] = JIT,   [STACK_GUEST] = GUEST,
	};
	return tables->is_device ? device_category(tables, label) : categories[label->kind];
}

void pd_firefox_categories(const struct perfdata_session *session, struct perfdata_text *out)
{
	static const char *const usual[][2] = { { "Other", "grey" }, { "User", "yellow" }, { "Kernel", "orange" },
						{ "JIT", "green" }, { "Guest", "purple" }, { NULL, NULL } };
	static const char *const device[][2] = { { "Other", "grey" }, { "Native", "magenta" }, { "Kernel", "orange" },
						 { "Java", "green" }, { "Guest", "purple" }, { "System", "yellow" },
						 { NULL, NULL } };
	const char *const (*category)[2] = pd_session_follows_simpleperf(session) ? device : usual;
	for (bool first = true; (*category)[0]; category++, first = false)
		perfdata_text_printf(out, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
				     first ? "[" : ",", (*category)[0], (*category)[1]);
	perfdata_text_char(out, ']');
}

/* The row in libs for a label; -1: none. */
static int64_t lib_of(struct firefox_tables *tables, const struct stack_label *label)
{
	uint64_t row;
	if (label->dso == PERFDATA_NONE)
		return -1;
	if (pd_hash_map_get(&tables->libs, label->dso, &row))
		return (int64_t)row;
	if (pd_vector_grow(&tables->dsos, &tables->libs_room, tables->nr_libs, sizeof *tables->dsos) < 0 ||
	    pd_hash_map_put(&tables->libs, label->dso, tables->nr_libs) < 0) {
		tables->failed = true;
		return -1;
	}
	tables->dsos[tables->nr_libs] = label->dso;
	return (int64_t)tables->nr_libs++;
}

/* Writes row `index` of a column. */
typedef void column_fn(struct firefox_tables *tables, struct perfdata_text *out, size_t index);

static void put_column(struct firefox_tables *tables, struct perfdata_text *out, const char *name, size_t nr,
		       column_fn *value)
{
	perfdata_text_printf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < nr; i++) {
		if (i)
			perfdata_text_char(out, ',');
		value(tables, out, i);
		perfdata_text_cut(out);
	}
	perfdata_text_char(out, ']');
}

static void or_null(struct perfdata_text *out, bool known, uint64_t value)
{
	if (known)
		perfdata_text_u64(out, value);
	else
		perfdata_text_literal(out, "null");
}

static const struct stack_label *label_at(const struct firefox_tables *tables, size_t index)
{
	return pd_stack_labels_get(tables->labels, (uint32_t)index);
}

#define COLUMN(name) static void name(struct firefox_tables *tables, struct perfdata_text *out, size_t index)
COLUMN(none) { (void)tables; (void)index; perfdata_text_literal(out, "null"); }
COLUMN(zero) { (void)tables; (void)index; perfdata_text_char(out, '0'); }
COLUMN(unity) { (void)tables; (void)index; perfdata_text_char(out, '1'); }
COLUMN(no) { (void)tables; (void)index; perfdata_text_literal(out, "false"); }
COLUMN(same) { (void)tables; perfdata_text_u64(out, index); }
COLUMN(stack_frame) { perfdata_text_u64(out, pd_stack_tree_label(&tables->stacks, (uint32_t)index)); }
COLUMN(stack_prefix)
{
	const uint32_t parent = pd_stack_tree_parent(&tables->stacks, (uint32_t)index);
	or_null(out, parent != STACK_NO_NODE, parent);
}
COLUMN(frame_func) { perfdata_text_u64(out, tables->frames[index].label); }
COLUMN(frame_category) { perfdata_text_u64(out, category_of(tables, label_at(tables, tables->frames[index].label))); }
COLUMN(frame_address) { perfdata_text_s64(out, tables->frames[index].address); }
COLUMN(frame_depth) { perfdata_text_u64(out, tables->frames[index].depth); }
COLUMN(frame_line) { or_null(out, tables->frames[index].line, tables->frames[index].line); }
COLUMN(frame_column) { or_null(out, tables->frames[index].column, tables->frames[index].column); }
COLUMN(func_name) { perfdata_text_u64(out, label_at(tables, index)->name); }
COLUMN(func_resource) { perfdata_text_s64(out, lib_of(tables, label_at(tables, index))); }
COLUMN(func_source) { or_null(out, label_at(tables, index)->source, label_at(tables, index)->source); }
COLUMN(func_line) { or_null(out, label_at(tables, index)->line, label_at(tables, index)->line); }
COLUMN(resource_name)
{
	perfdata_text_u64(
		out,
		pd_firefox_string(
			tables, pd_stack_last_part(perfdata_session_dso(tables->session, tables->dsos[index])->name)));
}

static void put_libs(struct firefox_tables *tables, struct perfdata_text *out)
{
	perfdata_text_literal(out, "\"libs\":[");
	for (size_t i = 0; i < tables->nr_libs; i++) {
		const struct perfdata_dso *dso = perfdata_session_dso(tables->session, tables->dsos[i]);
		const struct perfdata_bytes id = perfdata_session_build_id(tables->session, dso->id, NULL);
		const char *name = pd_stack_last_part(dso->name);
		static const unsigned char order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
		const char *const keys[] = { "name", "debugName", "path", "debugPath" }, *const values[] = {
			name, name, dso->name, dso->name
		};
		perfdata_text_string(out, i ? ",{" : "{");
		for (size_t k = 0; k < 4; k++) {
			perfdata_text_printf(out, "\"%s\":", keys[k]);
			pd_json_text(out, values[k]);
			perfdata_text_char(out, ',');
		}
		perfdata_text_literal(out, "\"arch\":null,\"breakpadId\":\"");
		for (size_t k = 0; k < 16; k++)
			perfdata_text_printf(out, "%02X", order[k] < id.size ? id.data[order[k]] : 0u);
		perfdata_text_literal(out, "0\",\"codeId\":");
		if (id.size) {
			perfdata_text_char(out, '"');
			perfdata_text_bytes_hex(out, id.data, id.size);
			perfdata_text_literal(out, "\"}");
		} else {
			perfdata_text_literal(out, "null}");
		}
	}
	perfdata_text_char(out, ']');
}

static void put_funcs(struct firefox_tables *tables, struct perfdata_text *out)
{
	const size_t nr = pd_stack_labels_nr(tables->labels);
	perfdata_text_printf(out, ",\n\"funcTable\":{\"length\":%zu", nr);
	put_column(tables, out, "name", nr, func_name);
	put_column(tables, out, "isJS", nr, no);
	put_column(tables, out, "relevantForJS", nr, no);
	put_column(tables, out, "resource", nr, func_resource);
	put_column(tables, out, "source", nr, func_source);
	put_column(tables, out, "lineNumber", nr, func_line);
	put_column(tables, out, "columnNumber", nr, none);
	put_column(tables, out, "originalLocation", nr, none);
	perfdata_text_printf(out, "},\n\"resourceTable\":{\"length\":%zu", tables->nr_libs);
	put_column(tables, out, "lib", tables->nr_libs, same);
	put_column(tables, out, "name", tables->nr_libs, resource_name);
	put_column(tables, out, "host", tables->nr_libs, none);
	put_column(tables, out, "type", tables->nr_libs, unity);
	perfdata_text_char(out, '}');
}

static void put_frames(struct firefox_tables *tables, struct perfdata_text *out)
{
	const size_t nr = tables->nr_frames;
	perfdata_text_printf(out, "\"stackTable\":{\"length\":%zu", tables->stacks.nr);
	put_column(tables, out, "frame", tables->stacks.nr, stack_frame);
	put_column(tables, out, "prefix", tables->stacks.nr, stack_prefix);
	perfdata_text_printf(out, "},\n\"frameTable\":{\"length\":%zu", nr);
	put_column(tables, out, "func", nr, frame_func);
	put_column(tables, out, "category", nr, frame_category);
	put_column(tables, out, "subcategory", nr, zero);
	put_column(tables, out, "nativeSymbol", nr, none);
	put_column(tables, out, "innerWindowID", nr, zero);
	put_column(tables, out, "address", nr, frame_address);
	put_column(tables, out, "inlineDepth", nr, frame_depth);
	put_column(tables, out, "line", nr, frame_line);
	put_column(tables, out, "column", nr, frame_column);
	put_column(tables, out, "originalLocation", nr, none);
	perfdata_text_char(out, '}');
}

/* A source has the number of its string, so the table has a row for each string, and most rows are unused. */
static void put_sources(struct firefox_tables *tables, struct perfdata_text *out)
{
	const size_t nr = pd_stack_labels_nr_strings(tables->labels);
	perfdata_text_printf(out, ",\n\"sources\":{\"length\":%zu", nr);
	put_column(tables, out, "id", nr, none);
	put_column(tables, out, "filename", nr, same);
	put_column(tables, out, "startLine", nr, unity);
	put_column(tables, out, "startColumn", nr, unity);
	put_column(tables, out, "sourceMapURL", nr, none);
	put_column(tables, out, "content", nr, none);
	perfdata_text_literal(out,
			      "},\n\"sourceLocationTable\":{\"length\":0,\"source\":[],\"line\":[],\"column\":[]}");
}

COLUMN(string_at)
{
	const char *text = pd_stack_labels_string(tables->labels, (uint32_t)index);
	pd_json_text(out, text);
}

enum perfdata_status pd_firefox_tables_put(struct firefox_tables *tables, struct perfdata_text *out)
{
	struct stack_spool spool;
	pd_stack_spool_init(&spool, tables->stacks.account);
	struct perfdata_text *shared = &spool.text;
	put_frames(tables, shared);
	put_funcs(tables, shared);
	put_sources(tables, shared);
	perfdata_text_literal(
		shared,
		",\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]}");
	put_column(tables, shared, "stringArray", pd_stack_labels_nr_strings(tables->labels), string_at);
	put_libs(tables, out);
	perfdata_text_literal(out, ",\n\"shared\":{");
	enum perfdata_status status = pd_stack_spool_copy(&spool, 0, pd_stack_spool_size(&spool), out);
	perfdata_text_char(out, '}');
	pd_stack_spool_release(&spool);
	if (status == PERFDATA_OK)
		status = pd_stack_tree_failed(&tables->stacks);
	return status ? status : tables->failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}
