/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stdio.h>
#include "emit/spell/feature_json.h"
#include "emit/table/row_cells.h"
#include "emit/table/summary_cells.h"
#include "emit/table/table_rows.h"

/* A row while it is filled. */
struct filling {
	const struct summary_source *source;
	struct row_cells to;
	struct perfdata_text text;    /* scratch memory */
};

static struct cells *cells_of(const struct filling *filling, unsigned column)
{
	return pd_row_cells_of(&filling->to, column);
}

static void put_number(const struct filling *filling, unsigned column, uint64_t value)
{
	pd_row_cells_number(&filling->to, column, value);
}

static void put_bytes(const struct filling *filling, unsigned column, const void *data, size_t size)
{
	pd_row_cells_text(&filling->to, column, data, size);
}

static void put_text(const struct filling *filling, unsigned column, const char *value)
{
	if (value)
		put_bytes(filling, column, value, strlen(value));
}

/* Puts the content of filling->text into a cell. */
static void put_room(const struct filling *filling, unsigned column)
{
	struct cells *cells = cells_of(filling, column);
	put_bytes(filling, column, filling->text.data, filling->text.size);
	if (cells)
		cells->failed |= perfdata_text_failed(&filling->text);
}

static struct perfdata_text *cleared_room(struct filling *filling)
{
	perfdata_text_clear(&filling->text);
	return &filling->text;
}

static void next_row(struct filling *filling) { filling->to.row = filling->to.rows->rows++; }

static const struct perfdata_node *root_of(const struct perfdata_reader *reader, uint32_t id)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(reader, id);
	return section && section->feature ? perfdata_feature_root(section->feature) : NULL;
}

static void node_number(const struct filling *filling, unsigned column, const struct perfdata_node *node)
{
	if (node)
		put_number(filling, column, node->v.u);
}

/* --- the recording ------------------------------------------------------------------------------------------------ */

static void add_command(const struct filling *filling)
{
	struct cells *cells = cells_of(filling, RECORDINGS_COMMAND);
	const struct perfdata_node *list = perfdata_node_get(root_of(filling->source->reader, PERFDATA_FEATURE_CMDLINE),
							     "cmdline");
	if (!cells || !list || list->kind != PERFDATA_KIND_LIST)
		return;
	pd_cells_list(cells, filling->to.row, (uint32_t)list->v.count);
	for (const struct perfdata_node *word = list->child; word; word = word->next)
		pd_cells_add(cells, pd_cells_utf8(cells, word->v.bytes.data, word->v.bytes.size));
}

static void add_wall_offset(const struct filling *filling)
{
	const struct perfdata_node *root = root_of(filling->source->reader, PERFDATA_FEATURE_CLOCK_DATA);
	const struct perfdata_node *wall = perfdata_node_get(root, "wall_clock"),
				   *own = perfdata_node_get(root, "clockid_time");
	if (wall && own)
		put_number(filling, RECORDINGS_WALL_OFFSET, wall->v.u - own->v.u);
}

static const char *container_name(enum perfdata_container container)
{
	static const char *const names[] = { [PERFDATA_CONTAINER_FILE] = "file", [PERFDATA_CONTAINER_PIPE] = "pipe",
					     [PERFDATA_CONTAINER_DIRECTORY] = "directory" };
	return names[container];
}

static uint64_t samples_of(const struct perfdata_summary *summary)
{
	for (size_t i = 0; i < summary->nr_types; i++)
		if (summary->types[i].type == PERFDATA_RECORD_SAMPLE)
			return summary->types[i].records;
	return 0;
}

static void row_of_recording(struct filling *filling)
{
	static const struct { unsigned column; uint32_t feature; } texts[] = {
		{ RECORDINGS_PERF, PERFDATA_FEATURE_VERSION }, { RECORDINGS_HOSTNAME, PERFDATA_FEATURE_HOSTNAME },
		{ RECORDINGS_RELEASE, PERFDATA_FEATURE_OSRELEASE }, { RECORDINGS_ARCH, PERFDATA_FEATURE_ARCH },
		{ RECORDINGS_CPU, PERFDATA_FEATURE_CPUDESC }, { RECORDINGS_CPUID, PERFDATA_FEATURE_CPUID },
	};
	const struct perfdata_reader *reader = filling->source->reader;
	const struct perfdata_summary *summary = filling->source->end->summary;
	const struct perfdata_header *header = perfdata_reader_header(reader);
	next_row(filling);
	put_text(filling, RECORDINGS_CONTAINER, container_name(header->container));
	put_text(filling, RECORDINGS_BYTE_ORDER, header->order == PERFDATA_BYTE_ORDER_BIG ? "big" : "little");
	put_text(filling, RECORDINGS_PACKING, header->packing);
	if (header->file_size != UINT64_MAX)
		put_number(filling, RECORDINGS_FILE_SIZE, header->file_size);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put_text(filling, texts[i].column, perfdata_reader_feature_text(reader, texts[i].feature));
	node_number(filling, RECORDINGS_CPUS, perfdata_node_get(root_of(reader, PERFDATA_FEATURE_NRCPUS), "online"));
	node_number(filling, RECORDINGS_MEMORY,
		    perfdata_node_get(root_of(reader, PERFDATA_FEATURE_TOTAL_MEM), "total_mem"));
	add_command(filling);
	add_wall_offset(filling);
	if (summary->first_time != UINT64_MAX) {
		put_number(filling, RECORDINGS_FIRST, summary->first_time);
		put_number(filling, RECORDINGS_LAST, summary->last_time);
	}
	put_number(filling, RECORDINGS_RECORDS, summary->records);
	put_number(filling, RECORDINGS_SAMPLES, samples_of(summary));
	put_number(filling, RECORDINGS_LOST_RECORDS, summary->lost_records);
	put_number(filling, RECORDINGS_LOST_SAMPLES, summary->lost_samples);
	put_number(filling, RECORDINGS_LATE, summary->late);
	put_number(filling, RECORDINGS_UNKNOWN_IDS, summary->unknown_ids);
	put_number(filling, RECORDINGS_FINDINGS, filling->source->end->findings_total);
	put_number(filling, RECORDINGS_COMPLETE, filling->source->end->complete);
}

/* --- events, features, findings ----------------------------------------------------------------------------------- */

static void add_counts(const struct filling *filling, const struct perfdata_event *event)
{
	const struct perfdata_summary *summary = filling->source->end->summary;
	uint64_t samples = 0, deliveries = 0;
	for (size_t i = 0; i < summary->nr_events; i++) {
		if (!summary->events[i].event || summary->events[i].event->index != event->index)
			continue;
		samples = summary->events[i].samples;
		deliveries = summary->events[i].deliveries;
	}
	put_number(filling, EVENTS_SAMPLES, samples);
	put_number(filling, EVENTS_DELIVERIES, deliveries);
}

static void row_of_event(struct filling *filling, struct speller *speller, const struct plan *attr,
			 const struct perfdata_event *event)
{
	struct cells *ids = cells_of(filling, EVENTS_IDS), *scale = cells_of(filling, EVENTS_SCALE);
	next_row(filling);
	put_number(filling, EVENTS_INDEX, event->index);
	put_text(filling, EVENTS_NAME, event->name);
	put_number(filling, EVENTS_LEADER, event->group_leader);
	put_number(filling, EVENTS_TYPE, event->attr->type);
	put_number(filling, EVENTS_CONFIG, event->attr->config);
	put_number(filling, EVENTS_PERIOD, event->attr->sample_period);
	put_number(filling, EVENTS_FREQ, perfdata_attr_has(event->attr, PERFDATA_ATTR_FREQ));
	put_number(filling, EVENTS_SAMPLE_TYPE, event->attr->sample_type);
	put_number(filling, EVENTS_READ_FORMAT, event->attr->read_format);
	if (event->unit && *event->unit)
		put_text(filling, EVENTS_UNIT, event->unit);
	if (scale) {
		uint64_t bits;
		memcpy(&bits, &event->scale, sizeof bits);
		pd_cells_put(scale, filling->to.row, bits);
	}
	if (ids)
		pd_cells_list(ids, filling->to.row, (uint32_t)event->nr_ids);
	for (size_t i = 0; ids && i < event->nr_ids; i++)
		pd_cells_add(ids, event->ids[i]);
	add_counts(filling, event);
	speller->out = cleared_room(filling);
	pd_spell_object(speller, attr, event->attr->present, event->attr);
	put_room(filling, EVENTS_ATTR);
}

static bool rows_of_events(struct filling *filling)
{
	struct pd_arena pool = { 0 };
	struct value_scope scope = { .world = filling->source->world };
	struct speller speller = { .scope = &scope, .style = filling->source->style };
	const struct perfdata_reader *reader = filling->source->reader;
	const struct plan *attr = pd_plan_make(&pool, perfdata_attr_layout(), true);
	for (size_t i = 0; attr && i < perfdata_reader_nr_events(reader); i++)
		row_of_event(filling, &speller, attr, perfdata_reader_event(reader, i));
	pd_arena_release(&pool);
	return attr;
}

/* Adds the value of `,"name":value`. If the section has further keys, the value is an object. */
static void add_value(struct filling *filling, const struct perfdata_feature *feature,
		      const struct perfdata_layout *layout)
{
	struct perfdata_text *spelling = &filling->text;
	const struct perfdata_node *own = layout ? perfdata_node_get(perfdata_feature_root(feature), layout->name)
						 : NULL;
	const struct perfdata_node *first = perfdata_feature_root(feature)->child;
	if (own && first && first->next) {
		pd_spell_close(spelling, 0, '{', '}');
		put_room(filling, FEATURES_VALUE);
		return;
	}
	const char *colon = spelling->size ? memchr(spelling->data, ':', spelling->size) : NULL;
	if (colon)
		put_bytes(filling, FEATURES_VALUE, colon + 1, spelling->size - (size_t)(colon + 1 - spelling->data));
	filling->to.rows->columns[0].failed |= perfdata_text_failed(spelling);
}

static void rows_of_features(struct filling *filling)
{
	struct value_scope scope = { .world = filling->source->world };
	struct speller speller = { .scope = &scope, .style = filling->source->style };
	const struct perfdata_feature_section *section;
	for (size_t i = 0; (section = perfdata_reader_feature_at(filling->source->reader, i)); i++) {
		const struct perfdata_layout *layout = perfdata_feature_layout(section->id);
		char unknown[32];
		snprintf(unknown, sizeof unknown, "feature_%u", section->id);
		next_row(filling);
		put_text(filling, FEATURES_FEATURE, layout ? layout->name : unknown);
		put_number(filling, FEATURES_ID, section->id);
		if (!section->feature)
			continue;
		speller.out = cleared_room(filling);
		pd_feature_json_member(&speller, section->id, section->feature);
		add_value(filling, section->feature, layout);
	}
}

static void rows_of_findings(struct filling *filling)
{
	static const char *const severities[] = { [PERFDATA_SEVERITY_NOTE] = "note",
						  [PERFDATA_SEVERITY_WARNING] = "warning",
						  [PERFDATA_SEVERITY_ERROR] = "error" };
	const struct perfdata_emit_end *end = filling->source->end;
	for (size_t i = 0; i < end->nr_findings; i++) {
		const struct perfdata_finding *finding = &end->findings[i];
		next_row(filling);
		put_number(filling, FINDINGS_NUMBER, i);
		put_number(filling, FINDINGS_CODE, finding->code);
		put_text(filling, FINDINGS_SEVERITY, severities[finding->severity]);
		put_text(filling, FINDINGS_FILE, finding->file);
		if (finding->offset != PERFDATA_NO_OFFSET)
			put_number(filling, FINDINGS_OFFSET, finding->offset);
		if (finding->record != UINT64_MAX)
			put_number(filling, FINDINGS_RECORD, finding->record);
		put_text(filling, FINDINGS_MESSAGE, finding->message);
	}
}

/* --- files and CPUs ----------------------------------------------------------------------------------------------- */

static const char *kind_name(enum perfdata_dso_kind kind)
{
	switch (kind) {
	case PERFDATA_DSO_USER: return "user";
	case PERFDATA_DSO_KERNEL: return "kernel";
	case PERFDATA_DSO_MODULE: return "module";
	case PERFDATA_DSO_VDSO: return "vdso";
	case PERFDATA_DSO_PERF_MAP: case PERFDATA_DSO_JITDUMP: return "jit";
	case PERFDATA_DSO_BPF: return "bpf";
	case PERFDATA_DSO_STATE: return "state";
	case PERFDATA_DSO_NONE: break;
	}
	return "other";
}

static void rows_of_build_ids(struct filling *filling)
{
	const struct perfdata_session *session = filling->source->session;
	for (uint32_t i = 0; i < perfdata_session_nr_dsos(session); i++) {
		const struct perfdata_dso *dso = perfdata_session_dso(session, i);
		enum perfdata_build_id_source source = 0;
		const struct perfdata_bytes id = perfdata_session_build_id(session, i, &source);
		next_row(filling);
		put_number(filling, BUILD_IDS_DSO_ID, i);
		put_text(filling, BUILD_IDS_DSO, dso->name);
		put_text(filling, BUILD_IDS_KIND, kind_name(dso->kind));
		put_number(filling, BUILD_IDS_MAPPINGS, perfdata_session_nr_maps(session, i));
		if (perfdata_session_inode(session, i))
			put_number(filling, BUILD_IDS_INODE, perfdata_session_inode(session, i));
		if (!id.size)
			continue;
		perfdata_text_bytes_hex(cleared_room(filling), id.data, id.size);
		put_room(filling, BUILD_IDS_BUILD_ID);
		put_text(filling, BUILD_IDS_SOURCE,
			 source == PERFDATA_BUILD_ID_MMAP2    ? "mmap2"
			 : source == PERFDATA_BUILD_ID_RECORD ? "record"
							      : "header");
	}
}

static void known_number(const struct filling *filling, unsigned column, const struct perfdata_node *node)
{
	if (node && node->v.u != UINT32_MAX)
		put_number(filling, column, node->v.u);
}

static void rows_of_cpus(struct filling *filling)
{
	const struct perfdata_node *root = root_of(filling->source->reader, PERFDATA_FEATURE_CPU_TOPOLOGY);
	const struct perfdata_node *cpus = perfdata_node_get(root, "cpus"), *dies = perfdata_node_get(root, "die_ids");
	const struct perfdata_node *die = dies && dies->kind == PERFDATA_KIND_LIST ? dies->child : NULL;
	uint64_t nr = 0;
	for (const struct perfdata_node *cpu = cpus && cpus->kind == PERFDATA_KIND_LIST ? cpus->child : NULL; cpu;
	     cpu = cpu->next) {
		next_row(filling);
		put_number(filling, CPUS_CPU, nr++);
		known_number(filling, CPUS_CORE, perfdata_node_get(cpu, "core_id"));
		known_number(filling, CPUS_SOCKET, perfdata_node_get(cpu, "socket_id"));
		known_number(filling, CPUS_DIE, die);
		die = die ? die->next : NULL;
	}
}

bool pd_summary_cells(const struct summary_source *source, enum table_rows what, const uint32_t *columns,
		      struct open_rows *rows)
{
	struct filling filling = { .source = source, .to = { columns, rows, 0 } };
	bool ok = true;
	switch (what) {
	case TABLE_OF_RECORDING: row_of_recording(&filling); break;
	case TABLE_OF_EVENTS: ok = rows_of_events(&filling); break;
	case TABLE_OF_FEATURES: rows_of_features(&filling); break;
	case TABLE_OF_FINDINGS: rows_of_findings(&filling); break;
	case TABLE_OF_BUILD_IDS: rows_of_build_ids(&filling); break;
	case TABLE_OF_CPUS: rows_of_cpus(&filling); break;
	case TABLE_OF_RECORDS:
	case TABLE_OF_EVENT:
	case TABLE_OF_STACKS:
	case TABLE_OF_FRAMES:
	case TABLE_OF_PACKETS:
	case TABLE_OF_SPE_SAMPLES:
	case TABLE_OF_BRANCHES:
	case TABLE_OF_REGS:
	case TABLE_OF_READ_VALUES:
	case TABLE_OF_SPANS:
	case TABLE_OF_THREAD_TIMES:
	case TABLE_OF_CHAIN:
		break;
	}
	perfdata_text_release(&filling.text);
	return ok;
}
