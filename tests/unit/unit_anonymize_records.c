/* SPDX-License-Identifier: MIT */
/* Secrets in every row of every record, of samples and of attrs: none is in the anonymous recording. Rows that hold
 * counts, flags and sizes are listed here, so that a new row fails until somebody has said what it is. */
#include "config.h"
#include "perfdata/reader.h"
#include "schema/schema.h"
#include "write/writing.h"
#include "schema_records.h"
#include "planted.h"

#define BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Numbers that no text and no address is in. */
static const char *const numbers[] = {
	/* sizes and offsets in files, counts, periods, costs, CPUs */
	"mmap.len", "mmap2.len", "lost.lost", "lost_samples.lost", "namespaces.nr", "ksymbol.len",
	"callchain_deferred.nr", "read_values.time_enabled", "read_values.time_running", "read_value.value",
	"read_value.lost", "sample.cpu", "sample_id.cpu", "sample.period", "sample.weight", "weight.var1",
	"sample.data_page_size", "sample.code_page_size", "branch_stack.hw_idx", "branch_stack.counters",
	"id_index.nr", "id_index_entry.idx", "id_index_entry.cpu", "id_index_guest.vcpu", "thread_map.nr",
	"stat_config.nr", "stat_config_entry.val", "stat.cpu", "stat.thread", "stat.val", "stat.ena", "stat.run",
	"stat_round.time", "event_update.scale", "simpleperf_dso.min_vaddr",
	"simpleperf_dso.dso_id",
	"simpleperf_symbol.addr", "simpleperf_symbol.len", "simpleperf_symbol.dso_id", "simpleperf_event_id.nr",
	"simpleperf_event_id_entry.event_index", "simpleperf_unwinding_result.used_time", "attr.sample_period",
	"attr.wakeup_events",
	/* bits and kinds that the kernel or the processor defines */
	"mmap2.prot", "mmap2.flags", "sample.data_src", "sample.transaction", "branch.branch_flags",
	"stat_config_entry.tag", "stat_round.round_type", "event_update.update_type", "attr.type", "attr.size",
	"attr.sample_type", "attr.read_format", "attr.attr_flags", "attr.bp_type", "attr.branch_sample_type",
	"attr.clockid", "simpleperf_dso.dso_type", "simpleperf_unwinding_result.error_code",
	NULL
};
/* What a record needs to be one: its records go as a whole. */
static const char *const structure[] = {
	"aux.flags", "regs.abi", "regs.mask", "user_stack.stack_size", "user_stack.dyn_size", "text_poke.old_len",
	"feature.feat_id", "auxtrace_info.auxtrace_type",
	"auxtrace.payload_size", "auxtrace_error.fmt", "auxtrace_error.error_type", "compressed2.data_size",
	"bpf_metadata.nr_entries", "schedstat_cpu.version", "schedstat_domain.version", NULL
};
/* Their bytes are records and sections of their own. */
static const char *const carriers[] = { "compressed", "compressed2", "feature", "tracing_data", NULL };

static uint64_t ids[2];                /* of the events */
static unsigned which;                 /* the event of the record that is made */

/* --- planting ----------------------------------------------------------------------------------------------------- */

static uint8_t room[1 << 16];
static size_t room_used;

static uint8_t *take_room(size_t size)
{
	uint8_t *taken = room + room_used;
	room_used += (size + 15) & ~(size_t)15;
	return room_used <= sizeof room ? taken : NULL;
}

static void plant_view(const struct perfdata_layout *layout, uint64_t present, void *view);

static void plant_list(const struct perfdata_layout *layout, const struct perfdata_field *field,
		       struct perfdata_list *list)
{
	const struct perfdata_layout *element = list->element;
	uint32_t stride = element ? 0 : 8;

	for (uint32_t i = 0; element && i < element->nr_fields; i++)
		if (list->present >> i & 1)
			stride += member_size(element->fields[i].kind) && element->fields[i].kind != PERFDATA_KIND_CHARS
					  ? member_size(element->fields[i].kind) : element->fields[i].count;
	uint8_t *bytes = take_room((size_t)list->count * stride), *at = bytes;
	for (uint64_t n = 0; n < list->count; n++) {
		uint64_t view[64] = { 0 };
		if (!element) {
			uint64_t word = perfdata_list_u64(list, n);
			if (word < PERFDATA_CONTEXT_MAX && !is_listed(numbers, layout->name, field->name))
				word = secret_number(layout->name, field->name);
			memcpy(at, &word, 8);
			at += 8;
			continue;
		}
		perfdata_list_get(list, n, view, sizeof view);
		plant_view(element, list->present, view);
		for (uint32_t i = 0; i < element->nr_fields; i++) {
			const struct perfdata_field *part = &element->fields[i];
			const uint8_t *member = (const uint8_t *)view + part->member;
			if (!(list->present >> i & 1))
				continue;
			if (part->kind == PERFDATA_KIND_CHARS) {
				struct perfdata_bytes text;
				memcpy(&text, member, sizeof text);
				memset(at, 0, part->count);
				memcpy(at, text.data, text.size);
				at += part->count;
			} else {
				memcpy(at, member, member_size(part->kind));
				at += member_size(part->kind);
			}
		}
	}
	list->data = bytes;
	list->stride = stride;
	list->swap = false;
}

static void plant_member(const struct perfdata_layout *layout, const struct perfdata_field *field, void *member)
{
	const bool stays = is_listed(numbers, layout->name, field->name) ||
			   is_listed(structure, layout->name, field->name);
	struct perfdata_bytes text;
	uint64_t present, word;
	uint32_t half;

	cover(field);
	switch (field->kind) {
	case PERFDATA_KIND_TEXT:
		text.data = (const uint8_t *)secret_text(layout->name, field->name);
		text.size = strlen((const char *)text.data);
		memcpy(member, &text, sizeof text);
		break;
	case PERFDATA_KIND_CHARS:
	case PERFDATA_KIND_BYTES:
	case PERFDATA_KIND_FEATURE: {
		memcpy(&text, member, sizeof text);
		const size_t size = field->kind == PERFDATA_KIND_CHARS ? 11 : text.size;
		if (size < 4)
			break;
		uint8_t *bytes = take_room(size);
		fill_secret(bytes, size, secret_text(layout->name, field->name));
		text = (struct perfdata_bytes){ bytes, size };
		memcpy(member, &text, sizeof text);
		break;
	}
	case PERFDATA_KIND_LIST:
		plant_list(layout, field, member);
		break;
	case PERFDATA_KIND_STRUCT:
		memcpy(&present, member, sizeof present);
		plant_view(field->element, present, member);
		break;
	case PERFDATA_KIND_U64:
	case PERFDATA_KIND_S64:
	case PERFDATA_KIND_F64:
		word = stays                                     ? 0
		       : field->show == PERFDATA_SHOW_EVENT_ID ? ids[which]
							       : secret_number(layout->name, field->name);
		if (word)
			memcpy(member, &word, sizeof word);
		break;
	case PERFDATA_KIND_U32:
	case PERFDATA_KIND_S32:
		half = stays ? 0 : (uint32_t)secret_number(layout->name, field->name);
		if (half)
			memcpy(member, &half, sizeof half);
		break;
	default:
		break;
	}
}

static void plant_view(const struct perfdata_layout *layout, uint64_t present, void *view)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++)
		if (present >> i & 1)
			plant_member(layout, &layout->fields[i], (char *)view + layout->fields[i].member);
}

/* Bytes that no row reads: changing one changes nothing that was decoded. They get a secret too. */
static void plant_between(const struct perfdata_config *config, uint8_t *bytes, size_t size, const char *name)
{
	static uint8_t changed[PD_RECORD_ROOM], again[PD_RECORD_ROOM], first[PD_RECORD_ROOM];
	struct perfdata_record record;
	size_t start = 0, again_size, first_size;

	if (perfdata_decode(config, bytes, size, &record) != PERFDATA_OK ||
	    pd_encode_record(config, NULL, &record, first, &first_size) != PERFDATA_OK)
		return;
	for (size_t i = 8; i <= size; i++) {
		memcpy(changed, bytes, size);
		if (i < size)
			changed[i] ^= 0x55;
		const bool is_read = i == size || perfdata_decode(config, changed, size, &record) != PERFDATA_OK ||
				     pd_encode_record(config, NULL, &record, again, &again_size) != PERFDATA_OK ||
				     again_size != first_size || memcmp(again, first, first_size) != 0;
		if (!is_read && !start)
			start = i;
		if (is_read && start) {
			if (i - start >= 4)
				fill_secret(bytes + start, i - start, secret_text(name, "between rows"));
			start = 0;
		}
	}
}

static struct pd_writer *writer;
static struct perfdata_config event_config;

static void put_planted(const struct build *b, uint16_t mode, const struct perfdata_config *config)
{
	static uint8_t bytes[PD_RECORD_ROOM];
	struct perfdata_record record;
	size_t size;

	room_used = 0;
	const enum perfdata_status status = perfdata_decode(config, b->data, b->size, &record);
	CHECK_EQ(status, PERFDATA_OK);
	record.misc = (uint16_t)((record.misc & ~PERFDATA_CPUMODE_MASK) | mode);
	plant_view(record.layout, record.u.present, &record.u);
	plant_view(pd_trailer_layout(), record.sample_id.present, &record.sample_id);
	CHECK_EQ(pd_encode_record(config, NULL, &record, bytes, &size), PERFDATA_OK);
	plant_between(config, bytes, size, record.layout->name);
	CHECK_EQ(pd_writer_record(writer, bytes, size), PERFDATA_OK);
	if (record.type == PERFDATA_RECORD_AUXTRACE) {
		uint8_t payload[64];
		fill_secret(payload, sizeof payload, secret_text("auxtrace", "payload"));
		CHECK_EQ(pd_writer_payload(writer, payload, sizeof payload), PERFDATA_OK);
	}
}

static void put_records(uint16_t mode)
{
	const struct perfdata_layout *layout;
	struct build b;

	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++) {
		if (layout->id == PERFDATA_RECORD_SAMPLE)
			continue;
		bool carries = false;
		for (const char *const *name = carriers; *name; name++)
			carries = carries || !strcmp(*name, layout->name);
		for (unsigned variant = 0; variant < 4 && !carries; variant++) {
			struct perfdata_record probe;
			if (!build_record(&b, BIG, layout->id, variant) ||
			    perfdata_decode(&event_config, b.data, b.size, &probe) != PERFDATA_OK || probe.problem)
				continue;
			put_planted(&b, mode, &event_config);
		}
		for (uint32_t f = 0; carries && f < layout->nr_fields; f++)
			cover(&layout->fields[f]);
	}
}

static const uint64_t sample_types[2] = {
	((UINT64_C(1) << 25) - 1) & ~(uint64_t)PERFDATA_SAMPLE_WEIGHT_STRUCT,
	TRAILER | PERFDATA_SAMPLE_IP | PERFDATA_SAMPLE_WEIGHT_STRUCT,
};

static void make_event(struct perfdata_attr *attr, unsigned n)
{
	const struct perfdata_layout *layout = perfdata_attr_layout();

	make_attr(attr, sample_types[n]);
	if (n == 0)
		attr->read_format = PERFDATA_READ_FORMAT_ID | PERFDATA_READ_FORMAT_GROUP | PERFDATA_READ_FORMAT_LOST |
				    PERFDATA_READ_FORMAT_TIME_ENABLED | PERFDATA_READ_FORMAT_TIME_RUNNING;
	attr->branch_sample_type = 1 << 17 | 1 << 19;
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		/* not the masks that say how many registers a sample has */
		if (strncmp(field->name, "sample_regs", 11) != 0 && field->kind != PERFDATA_KIND_BYTES)
			plant_member(layout, field, (char *)attr + field->member);
		cover(field);
	}
	attr->type = 9;
	attr->size = 144;
}

static void put_samples(uint16_t mode)
{
	struct perfdata_attr attr;
	struct perfdata_config config;
	struct build b;

	for (which = 0; which < 2; which++) {
		const size_t before = nr_secrets;
		make_event(&attr, which);
		nr_secrets = before;   /* those of the attr are in the recording already */
		pd_config_init(&config, &attr, order_of(BIG));
		build_sample(&b, BIG, sample_types[which], &attr);
		put_planted(&b, mode, &config);
	}
	which = 0;
}

static void make_recording(uint16_t mode, enum pd_write_form form, enum pd_carrier carrier,
			   struct perfdata_text *out)
{
	const struct pd_writer_options options = { .form = form,
							 .carrier = carrier,
							 .order = order_of(BIG),
							 .write = take_bytes,
							 .user = out };
	struct perfdata_attr attr;

	CHECK_EQ(pd_writer_new(&options, &writer, NULL), PERFDATA_OK);
	for (unsigned n = 0; n < 2; n++) {
		ids[n] = secret_number("event", "id");
		make_event(&attr, n);
		CHECK_EQ(pd_writer_event(writer, &attr, 0, secret_text("event", "name"), &ids[n], 1),
			 PERFDATA_OK);
	}
	pd_config_init(&event_config, &attr, options.order);
	put_records(mode);
	put_samples(mode);
	CHECK_EQ(pd_writer_finish(writer), PERFDATA_OK);
	pd_writer_free(writer);
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static void search_all(uint16_t mode)
{
	for (size_t i = 0; i < NR_RANGES; i++) {
		struct perfdata_text recording;
		perfdata_text_init(&recording);
		range = address_ranges[i];
		nr_secrets = 0;
		make_recording(mode, PD_WRITE_FILE, PD_CARRIER_NONE, &recording);
		printf("# %zu secrets, addresses from %#llx\n", nr_secrets, (unsigned long long)range);
		check_secrets(&recording);
		perfdata_text_release(&recording);
	}
}

/* The same records in a stream, and inside COMPRESSED and COMPRESSED2 records. */
static void of_every_container(void)
{
	struct perfdata_text plain, packed;

	range = address_ranges[1];
	for (unsigned form = PD_WRITE_FILE; form <= PD_WRITE_STREAM; form++) {
		perfdata_text_init(&plain);
		nr_secrets = 0;
		make_recording(PERFDATA_CPUMODE_USER, form, PD_CARRIER_NONE, &plain);
		check_secrets(&plain);
#ifdef HAVE_ZSTD
		for (unsigned carrier = PD_CARRIER_COMPRESSED; carrier <= PD_CARRIER_COMPRESSED2;
		     carrier++) {
			perfdata_text_init(&packed);
			nr_secrets = 0;
			make_recording(PERFDATA_CPUMODE_USER, form, carrier, &packed);
			CHECK(packed.size < plain.size);
			check_secrets_of(&plain, &packed);
			perfdata_text_release(&packed);
		}
#else
		(void)packed;
#endif
		perfdata_text_release(&plain);
	}
}

static void of_programs(void) { search_all(PERFDATA_CPUMODE_USER); }
static void of_the_kernel(void) { search_all(PERFDATA_CPUMODE_KERNEL); }
static void of_guests(void) { search_all(PERFDATA_CPUMODE_GUEST_KERNEL); }

static void check_covered(const struct perfdata_layout *layout, unsigned depth)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const bool is_small = member_size(field->kind) < 4;
		CHECK(is_covered(field) || is_small);
		if (!is_covered(field) && !is_small)
			printf("# no record here has a secret in %s.%s\n", layout->name, field->name);
		if (field->element && depth < 8)
			check_covered(field->element, depth + 1);
	}
}

static void every_row(void)
{
	const struct perfdata_layout *layout;

	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++)
		check_covered(layout, 0);
	check_covered(pd_trailer_layout(), 0);
	check_covered(perfdata_attr_layout(), 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "no secret of records about programs", of_programs },
		{ "no secret of records about the kernel", of_the_kernel },
		{ "no secret of records about guests", of_guests },
		{ "nothing of what streams and compressed records hold", of_every_container },
		{ "each row of each record was tried", every_row },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
