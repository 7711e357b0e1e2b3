/* SPDX-License-Identifier: MIT */
/* Carries out the decisions of anonymize_rows.c: on the views of records before they are encoded, on attrs, and on the
 * values of feature sections. */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/port.h"
#include "perfdata/text.h"
#include "rewrite/anonymize.h"
#include "rewrite/public_names.h"
#include "schema/decode.h"
#include "schema/schema.h"
#include "write/writing.h"

#define START UINT64_C(1000000000)       /* the time at which an anonymous recording begins, ns */
#define KERNEL_HALF UINT64_C(0x8000000000000000)
#define CONFIG_BPF_OUTPUT 10u
#define LARGEST_FILE (UINT64_C(1) << 40)
#define LONGEST_MAP (UINT64_C(1) << 44)
#define BELOW_KERNEL UINT64_C(0x100000)
#define LAST_PAGE UINT64_C(0xfffffffffffff000)

/* --- the table --------------------------------------------------------------------------------------------------- */

static bool note_layout(struct pd_anonymizer *a, const struct perfdata_layout *layout, unsigned depth)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		if (pd_hash_map_put(&a->decisions, (uint64_t)(uintptr_t)field, pd_decision_of(layout, field)) < 0)
			return false;
		if (field->element && depth < 8 && !note_layout(a, field->element, depth + 1))
			return false;
	}
	return true;
}

enum perfdata_status pd_anonymize_key_of(const struct perfdata_anonymize_options *options, uint8_t ret_key[16],
					 struct perfdata_error *reterr)
{
	static const uint8_t none[sizeof options->key];

	memcpy(ret_key, options->key, sizeof options->key);
	if (memcmp(ret_key, none, sizeof none) != 0)
		return PERFDATA_OK;
	if (pd_random_bytes(ret_key, sizeof none))
		return pd_error_errno(reterr, PERFDATA_EREAD, PERFDATA_NO_OFFSET, errno, "no random key can be made");
	return PERFDATA_OK;
}

struct pd_anonymizer *pd_anonymizer_new(const struct perfdata_anonymize_options *options, const uint8_t key[16])
{
	struct pd_anonymizer *a = pd_calloc(1, sizeof *a);
	const struct perfdata_layout *layout;
	bool ok = a != NULL;

	if (!ok)
		return NULL;
	for (unsigned i = 0; i < 16; i++)
		a->names.key[i / 8] |= (uint64_t)key[i] << i % 8 * 8;
	a->names.keep = options->keep;
	a->names.on_pair = options->on_pair;
	a->names.user = options->user;
	a->first_time = UINT64_MAX;
	a->maps = pd_moved_maps_new(&a->names);
	for (size_t i = 0; ok && (layout = perfdata_record_layout_at(i)); i++)
		ok = note_layout(a, layout, 0);
	for (uint32_t id = 1; ok && id < PERFDATA_FEATURE_SIMPLEPERF_LAST; id++)
		ok = !perfdata_feature_layout(id) || note_layout(a, perfdata_feature_layout(id), 0);
	ok = ok && a->maps && note_layout(a, pd_trailer_layout(), 0) &&
	     note_layout(a, perfdata_attr_layout(), 0);
	if (ok)
		return a;
	pd_anonymizer_free(a);
	return NULL;
}

void pd_anonymizer_free(struct pd_anonymizer *a)
{
	if (!a)
		return;
	pd_moved_maps_free(a->maps);
	pd_pseudonyms_release(&a->names);
	pd_hash_map_release(&a->decisions);
	pd_hash_map_release(&a->event_ids);
	pd_hash_map_release(&a->event_names);
	pd_arena_release(&a->scratch);
	pd_free(a);
}

static enum pd_decision field_decision(const struct pd_anonymizer *a, const struct perfdata_field *field)
{
	uint64_t found;
	return pd_hash_map_get(&a->decisions, (uint64_t)(uintptr_t)field, &found) ? (enum pd_decision)found
										  : PD_UNDECIDED;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

uint64_t pd_anonymize_event_id(struct pd_anonymizer *a, uint64_t id)
{
	uint64_t known;

	if (!id || id == UINT64_MAX)
		return id;
	if (pd_hash_map_get(&a->event_ids, id, &known))
		return known;
	known = a->event_ids.count + 1;
	if (pd_hash_map_put(&a->event_ids, id, known) < 0)
		a->names.no_memory = true;
	return known;
}

uint64_t pd_anonymize_time(const struct pd_anonymizer *a, uint64_t time)
{
	if (!time || time == UINT64_MAX || a->names.keep & PERFDATA_ANONYMIZE_KEEP_TIMES || a->first_time == UINT64_MAX)
		return time;
	return time >= a->first_time ? time - a->first_time + START : START;
}

static uint64_t move_address(struct pd_anonymizer *a, uint64_t address)
{
	uint64_t moved;

	if (!address || pd_callchain_marker_name(address) || a->names.keep & PERFDATA_ANONYMIZE_KEEP_ADDRESSES)
		return address;
	a->counts.addresses++;
	if (address >= KERNEL_HALF)
		return pd_moved_kernel(a->maps, address);
	/* samples of the kernel hold user addresses too: of data that the kernel read, of code that it interrupted */
	if (a->in_kernel && pd_moved_low_kernel(a->maps, address, &moved))
		return moved;
	if (pd_moved_maps_find(a->maps, a->pid, address, &moved))
		return moved;
	a->counts.unmapped++;
	return PD_UNMAPPED | (address & 0xfff);
}

static uint64_t new_integer(struct pd_anonymizer *a, enum pd_decision what, uint64_t value)
{
	switch (what) {
	case PD_KEEP:
	case PD_MAP:       /* move_map has replaced it already */
		return value;
	case PD_PID:
		return (uint64_t)(int64_t)pd_pseudonym_pid(&a->names, (int32_t)value);
	case PD_TIME:
		return pd_anonymize_time(a, value);
	case PD_ADDRESS:
		return move_address(a, value);
	case PD_CODE:
		return value < KERNEL_HALF ? value : move_address(a, value);
	case PD_EVENT_ID:
		return pd_anonymize_event_id(a, value);
	case PD_NUMBER:
		return pd_pseudonym_number(&a->names, value);
	default:
		a->counts.fields_cleared += value != 0;
		return 0;
	}
}

static struct perfdata_bytes text_of(struct pd_anonymizer *a, char *text, size_t size)
{
	if (!text)
		a->names.no_memory = true;
	return (struct perfdata_bytes){ (const uint8_t *)text, text ? size : 0 };
}

static bool is_known_event(const struct pd_anonymizer *a, struct perfdata_bytes name)
{
	uint64_t known;
	return a->names.keep & PERFDATA_ANONYMIZE_KEEP_EVENTS ||
	       pd_hash_map_get(&a->event_names, pd_keyed_hash(&a->names, 9, name.data, name.size), &known);
}

/* Whether the name is on the list of names that perf or the kernel defines. */
static bool is_listed(enum pd_decision what, struct perfdata_bytes name)
{
	switch (what) {
	case PD_PMU: return pd_is_public(PD_PUBLIC_PMU, name);
	case PD_UNIT: return pd_is_public(PD_PUBLIC_UNIT, name);
	case PD_MACHINE: return pd_is_public(PD_PUBLIC_MACHINE, name);
	case PD_CAPABILITY: return pd_is_public(PD_PUBLIC_CAPABILITY, name);
	case PD_VALUE: return pd_is_public(PD_PUBLIC_VALUE, name);
	default: return false;
	}
}

static struct perfdata_bytes new_text(struct pd_anonymizer *a, enum pd_decision what, struct perfdata_bytes text)
{
	size_t size = 0;
	char *made;

	switch (what) {
	case PD_KEEP:
		return text;
	case PD_COMM:
		made = pd_pseudonym_comm(&a->names, &a->scratch, text, &size);
		return text_of(a, made, size);
	case PD_PATH:
		made = pd_pseudonym_path(&a->names, &a->scratch, text, &size);
		return text_of(a, made, size);
	case PD_EVENT_NAME:
		if (is_known_event(a, text) || (text.size == 12 && !memcmp(text.data, "{anon_group}", 12)))
			return text;
		made = pd_pseudonym_name(&a->names, &a->scratch, text, &size);
		return text_of(a, made, size);
	case PD_PMU:
	case PD_UNIT:
	case PD_MACHINE:
	case PD_CAPABILITY:
	case PD_VALUE:
		if (is_listed(what, text))
			return text;
		/* fall through */
	case PD_NAME:
		made = pd_pseudonym_name(&a->names, &a->scratch, text, &size);
		return text_of(a, made, size);
	case PD_RELEASE:
		return pd_version_of(text);
	case PD_BUILD_ID: {
		uint8_t *id = pd_arena_alloc(&a->scratch, 24);
		if (!id) {
			a->names.no_memory = true;
			return (struct perfdata_bytes){ NULL, 0 };
		}
		pd_pseudonym_build_id(&a->names, text.data, text.size < 24 ? text.size : 24, id);
		return (struct perfdata_bytes){ id, text.size < 24 ? text.size : 24 };
	}
	default:
		a->counts.fields_cleared += text.size != 0;
		return (struct perfdata_bytes){ NULL, 0 };
	}
}

/* --- views ------------------------------------------------------------------------------------------------------- */

static void edit_integer(struct pd_anonymizer *a, enum pd_decision what, unsigned width, void *member)
{
	uint64_t value = 0;
	uint32_t u32;
	uint16_t u16;

	if (what == PD_KEEP)
		return;
	switch (width) {
	case 8:
		memcpy(&value, member, sizeof value);
		value = new_integer(a, what, value);
		memcpy(member, &value, sizeof value);
		break;
	case 4:
		memcpy(&u32, member, sizeof u32);
		u32 = (uint32_t)new_integer(a, what, u32);
		memcpy(member, &u32, sizeof u32);
		break;
	case 2:
		memcpy(&u16, member, sizeof u16);
		u16 = (uint16_t)new_integer(a, what, u16);
		memcpy(member, &u16, sizeof u16);
		break;
	default:
		*(uint8_t *)member = (uint8_t)new_integer(a, what, *(uint8_t *)member);
	}
}

static void edit_view(struct pd_anonymizer *a, const struct perfdata_layout *layout, uint64_t present, void *view);

/* Copies the elements into scratch memory, in this machine's byte order, and edits the copies. */
static void edit_elements(struct pd_anonymizer *a, struct perfdata_list *list)
{
	const struct perfdata_layout *element = list->element;
	_Alignas(16) uint8_t view[1024];
	uint32_t stride = 0;

	for (uint32_t i = 0; i < element->nr_fields; i++)
		if (list->present >> i & 1)
			stride += pd_kind_width(element->fields[i].kind) ? pd_kind_width(element->fields[i].kind)
									      : element->fields[i].count;
	uint8_t *bytes = stride ? pd_arena_calloc(&a->scratch, list->count ? (size_t)list->count : 1, stride) : NULL;
	if (!bytes || element->view_size > sizeof view) {
		a->names.no_memory = true;
		list->count = 0;
		return;
	}
	for (uint64_t n = 0; n < list->count; n++) {
		uint8_t *at = bytes + n * stride;
		memset(view, 0, sizeof view);
		perfdata_list_get(list, n, view, element->view_size);
		edit_view(a, element, list->present, view);
		for (uint32_t i = 0; i < element->nr_fields; i++) {
			const struct perfdata_field *field = &element->fields[i];
			const unsigned width = pd_kind_width(field->kind);
			if (!(list->present >> i & 1))
				continue;
			if (width) {
				memcpy(at, view + field->member, width);
			} else if (field->kind == PERFDATA_KIND_CHARS) {
				struct perfdata_bytes text;
				memcpy(&text, view + field->member, sizeof text);
				if (text.size)
					memcpy(at, text.data, text.size < field->count ? text.size : field->count - 1u);
			}
			at += width ? width : field->count;
		}
	}
	list->data = bytes;
	list->stride = stride;
	list->swap = false;
}

static void edit_words(struct pd_anonymizer *a, enum pd_decision what, struct perfdata_list *list)
{
	uint64_t *words = pd_arena_alloc(&a->scratch,
					 list->count ? (size_t)list->count * sizeof *words : sizeof *words);

	if (!words) {
		a->names.no_memory = true;
		list->count = 0;
		return;
	}
	for (uint64_t i = 0; i < list->count; i++) {
		const uint64_t word = perfdata_list_u64(list, i);
		if (pd_callchain_marker_name(word))
			a->in_kernel = word == PERFDATA_CONTEXT_KERNEL || word == PERFDATA_CONTEXT_GUEST_KERNEL;
		words[i] = new_integer(a, what, word);
	}
	list->data = (const uint8_t *)words;
	list->stride = 8;
	list->swap = false;
}

static void edit_list(struct pd_anonymizer *a, enum pd_decision what, struct perfdata_list *list)
{
	if (what == PD_KEEP)
		return;
	if (what == PD_PARTS && list->element)
		edit_elements(a, list);
	else if (!list->element && (what == PD_ADDRESS || what == PD_EVENT_ID))
		edit_words(a, what, list);
	else
		list->count = 0;
}

static void edit_member(struct pd_anonymizer *a, const struct perfdata_field *field, void *member)
{
	const enum pd_decision what = field_decision(a, field);
	uint64_t present;

	switch (field->kind) {
	case PERFDATA_KIND_TEXT:
	case PERFDATA_KIND_CHARS:
	case PERFDATA_KIND_BYTES: {
		struct perfdata_bytes text;
		memcpy(&text, member, sizeof text);
		text = new_text(a, what, text);
		memcpy(member, &text, sizeof text);
		break;
	}
	case PERFDATA_KIND_LIST:
		edit_list(a, what, member);
		break;
	case PERFDATA_KIND_STRUCT:
		memcpy(&present, member, sizeof present);
		if (what != PD_PARTS)
			present = 0;   /* kept_sample_type has removed its bit from sample_type */
		else
			edit_view(a, field->element, present, member);
		memcpy(member, &present, sizeof present);
		break;
	case PERFDATA_KIND_CPUS:
	case PERFDATA_KIND_ATTR:
	case PERFDATA_KIND_FEATURE:
		break;
	default:
		edit_integer(a, what, pd_kind_width(field->kind), member);
	}
}

static void edit_view(struct pd_anonymizer *a, const struct perfdata_layout *layout, uint64_t present, void *view)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++)
		if (present >> i & 1)
			edit_member(a, &layout->fields[i], (char *)view + layout->fields[i].member);
}

/* --- records ----------------------------------------------------------------------------------------------------- */

static bool is_dropped(const struct pd_anonymizer *a, const struct perfdata_layout *layout)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++)
		if (layout->fields[i].kind != PERFDATA_KIND_PAD && field_decision(a, &layout->fields[i]) == PD_DROP)
			return true;
	return false;
}

static bool is_kernel_map(uint16_t misc, int32_t pid)
{
	const unsigned mode = misc & PERFDATA_CPUMODE_MASK;
	return pid == -1 || mode == PERFDATA_CPUMODE_KERNEL || mode == PERFDATA_CPUMODE_GUEST_KERNEL;
}

/* Whether pgoff is an offset in a file. For anonymous memory and devices pgoff may be an address. */
static bool has_file_offset(struct perfdata_bytes name, uint64_t pgoff)
{
	const bool is_file = name.size > 1 && name.data[0] == '/' && name.data[1] != '/';
	const bool is_device = name.size > 5 && !memcmp(name.data, "/dev/", 5) &&
			       !(name.size > 9 && !memcmp(name.data, "/dev/shm/", 9));
	return is_file && !is_device && pgoff < LARGEST_FILE;
}

static uint64_t move_kernel_address(const struct pd_anonymizer *a, uint64_t address)
{
	uint64_t moved;

	if (address >= KERNEL_HALF)
		return pd_moved_kernel(a->maps, address);
	return address && pd_moved_low_kernel(a->maps, address, &moved) ? moved : 0;
}

static void move_kernel_map(struct pd_anonymizer *a, uint64_t *addr, uint64_t *len, uint64_t *pgoff)
{
	const uint64_t end = *len > UINT64_MAX - *addr ? UINT64_MAX : *addr + *len;

	const bool from_zero = *addr == 0;

	pd_moved_low_kernel_add(a->maps, *addr, end);
	*addr = move_kernel_address(a, *addr);
	/* perf treats a kernel map that begins at 0 differently, so any other map must not move to 0 */
	if (!*addr && !from_zero)
		*addr = BELOW_KERNEL;
	/* old recorders write kernel maps from 0, and up to the last address: their length is an address, which moves
	 * too */
	if (*addr <= BELOW_KERNEL && end > *addr)
		*len = move_kernel_address(a, end - 1) - *addr + 1;
	else if (end >= LAST_PAGE)
		*len = UINT64_MAX - *addr;
	else if (end >= UINT32_MAX - UINT64_C(0xfff) && end <= UINT64_C(1) << 32)
		*len |= 0x3fffffff;
	*pgoff = move_kernel_address(a, *pgoff);
}

static void move_map(struct pd_anonymizer *a, uint16_t misc, int32_t pid, struct perfdata_bytes name, uint64_t *addr,
		     uint64_t *len, uint64_t *pgoff)
{
	if (a->names.keep & PERFDATA_ANONYMIZE_KEEP_ADDRESSES)
		return;
	if (is_kernel_map(misc, pid)) {
		move_kernel_map(a, addr, len, pgoff);
		return;
	}
	if (*len > LONGEST_MAP)
		*len = LONGEST_MAP;
	*addr = pd_moved_maps_add(a->maps, pid, *addr, *len, name);
	if (!has_file_offset(name, *pgoff))
		*pgoff = 0;
}

/* Follows the mappings of processes and moves their addresses. Call this before texts and numbers are replaced. */
static void follow_record(struct pd_anonymizer *a, struct perfdata_record *record)
{
	struct perfdata_mmap *mmap = &record->u.mmap;
	struct perfdata_mmap2 *mmap2 = &record->u.mmap2;
	const struct perfdata_task *task = &record->u.task;

	switch (record->type) {
	case PERFDATA_RECORD_MMAP:
		move_map(a, record->misc, mmap->pid, mmap->filename, &mmap->addr, &mmap->len, &mmap->pgoff);
		break;
	case PERFDATA_RECORD_MMAP2:
		move_map(a, record->misc, mmap2->pid, mmap2->filename, &mmap2->addr, &mmap2->len, &mmap2->pgoff);
		break;
	case PERFDATA_RECORD_FORK:
		if (!(record->misc & PERFDATA_MISC_FORK_EXEC))
			pd_moved_maps_fork(a->maps, task->ppid, task->pid);
		break;
	case PERFDATA_RECORD_EXIT:
		if (task->pid == task->tid)
			pd_moved_maps_exit(a->maps, task->pid);
		break;
	default:
		break;
	}
}

enum perfdata_status pd_anonymize_record(struct pd_anonymizer *a, const struct perfdata_raw *raw,
					 struct perfdata_record *record)
{
	pd_arena_reset(&a->scratch);
	if (!record->layout || is_dropped(a, record->layout)) {
		a->counts.records_dropped++;
		return PERFDATA_ABSENT;
	}
	const unsigned mode = record->misc & PERFDATA_CPUMODE_MASK;
	a->pid = raw->pid;
	a->in_kernel = mode == PERFDATA_CPUMODE_KERNEL || mode == PERFDATA_CPUMODE_GUEST_KERNEL ||
		       record->type == PERFDATA_RECORD_KSYMBOL;
	follow_record(a, record);
	/* the unwinding result describes registers and a stack, which are removed */
	if (record->type == PERFDATA_RECORD_SIMPLEPERF_UNWINDING_RESULT)
		record->u.present &= PD_UNWINDING_WITHOUT_STACK;
	if (record->type == PERFDATA_RECORD_SIMPLEPERF_KERNEL_SYMBOL)
		pd_anonymize_kernel_symbols(a, &record->u.kernel_symbol);
	else
		edit_view(a, record->layout, record->u.present, &record->u);
	edit_view(a, pd_trailer_layout(), record->sample_id.present, &record->sample_id);
	return a->names.no_memory ? PERFDATA_ENOMEM : pd_moved_maps_status(a->maps);
}

/* --- events and sections ----------------------------------------------------------------------------------------- */

/* Whether the kernel defines the config of this event. The config of a PMU's own event may reveal the machine. */
static bool is_general(const struct perfdata_attr *attr)
{
	const uint64_t pmu = attr->config >> 32, event = attr->config & UINT32_MAX;

	switch (attr->type) {
	case PERFDATA_TYPE_HARDWARE: return pmu < 256 && event < 64;
	case PERFDATA_TYPE_SOFTWARE: return attr->config < 64;
	case PERFDATA_TYPE_HW_CACHE:
		return pmu < 256 && (event & 0xff) < 16 && (event >> 8 & 0xff) < 8 && event >> 16 < 8;
	default: return false;
	}
}

/* Bits of sample_type whose fields the rows keep. */
static uint64_t kept_sample_type(const struct pd_anonymizer *a)
{
	const struct perfdata_layout *sample = perfdata_record_layout(PERFDATA_RECORD_SAMPLE);
	uint64_t kept = 0;

	for (uint32_t i = 0; i < sample->nr_fields; i++) {
		const struct perfdata_field *field = &sample->fields[i];
		const enum pd_decision what = field_decision(a, field);
		if (field->kind != PERFDATA_KIND_PAD && field->when == PERFDATA_IF_SAMPLE_TYPE &&
		    what != PD_UNDECIDED && what != PD_CLEAR && what != PD_DROP)
			kept |= field->when_value;
	}
	return kept;
}

void pd_anonymize_attr(struct pd_anonymizer *a, struct perfdata_attr *attr)
{
	const struct perfdata_layout *layout = perfdata_attr_layout();
	const bool keeps_config = is_general(attr) || a->names.keep & PERFDATA_ANONYMIZE_KEEP_EVENTS;

	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		if (field_decision(a, field) != PD_CONFIG)
			edit_member(a, field, (char *)attr + field->member);
		else if (!keeps_config)
			attr->config = 0;
	}
	attr->sample_type &= kept_sample_type(a);
	if (attr->type == PERFDATA_TYPE_TRACEPOINT) {
		/* raw data reveal what happened, so they and their formats are removed; perf opens no tracepoint
		 * without its format */
		attr->type = PERFDATA_TYPE_SOFTWARE;
		attr->config = CONFIG_BPF_OUTPUT;
	}
	/* a damaged attr has the size of its place */
	if (attr->size > 144)
		attr->size = 144;
	else if (attr->size && (attr->size < 64 || attr->size % 8))
		attr->size = pd_attr_size(attr);
}

/* Whether the text consists of modifiers that perf takes, as in "cycles:ppk". */
static bool is_modifier(const char *text) { return strlen(text) <= 8 && strspn(text, "ukhpPGHSDIeb") == strlen(text); }

static struct perfdata_bytes bytes_of(const char *text, size_t size)
{
	return (struct perfdata_bytes){ (const uint8_t *)text, size };
}

/* Whether the name, which may have modifiers, is an event of the kernel: "sched:sched_switch:u". */
static bool is_kernel_event(const char *name)
{
	const char *colon = strchr(name, ':');
	const size_t size = colon ? strcspn(colon + 1, ":") : 0;

	return colon && (!colon[1 + size] || is_modifier(colon + 2 + size)) &&
	       pd_is_kernel_event(bytes_of(name, (size_t)(colon - name)), bytes_of(colon + 1, size));
}

/* Whether perf or the kernel made the name: of a kernel tracepoint, or from the number of a general event. */
static bool is_public(struct pd_anonymizer *a, const struct perfdata_event *event)
{
	struct perfdata_text text;

	if (event->attr->type == PERFDATA_TYPE_TRACEPOINT)
		return is_kernel_event(event->name);
	if (!is_general(event->attr))
		return false;
	perfdata_text_init(&text);
	perfdata_event_fallback_name(event->attr, &text);
	const size_t size = strcspn(event->name, ":");
	const struct perfdata_bytes made = bytes_of(text.data, text.size);
	const uint8_t *end = text.size ? memchr(made.data, ':', made.size) : NULL;
	const size_t bare = end ? (size_t)(end - made.data) : made.size;   /* size without modifiers such as ":u" */
	if (perfdata_text_failed(&text))
		a->names.no_memory = true;
	const bool same = !perfdata_text_failed(&text) && size == bare && !memcmp(text.data, event->name, size) &&
			  (!event->name[size] || is_modifier(event->name + size + 1));
	perfdata_text_release(&text);
	return same;
}

static void note_event(struct pd_anonymizer *a, const struct perfdata_event *event)
{
	if (is_public(a, event) &&
	    pd_hash_map_put(&a->event_names, pd_keyed_hash(&a->names, 9, event->name, strlen(event->name)), 1) < 0)
		a->names.no_memory = true;
}

void pd_anonymize_note_events(struct pd_anonymizer *a, const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < perfdata_reader_nr_events(reader); i++)
		note_event(a, perfdata_reader_event(reader, i));
}

const char *pd_anonymize_event_name(struct pd_anonymizer *a, const struct perfdata_event *event)
{
	const struct perfdata_bytes name = bytes_of(event->name, strlen(event->name));
	size_t size;

	note_event(a, event);
	return is_known_event(a, name) ? event->name : pd_pseudonym_name(&a->names, &a->scratch, name, &size);
}

bool pd_anonymize_keeps_section(uint32_t id)
{
	const struct perfdata_layout *layout = perfdata_feature_layout(id);

	if (!layout)
		return false;
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const enum pd_decision what = pd_decision_of(layout, &layout->fields[i]);
		if (what == PD_DROP || what == PD_UNDECIDED)
			return false;
	}
	return true;
}

bool pd_anonymize_value(void *user, const struct perfdata_layout *section, struct perfdata_node *value)
{
	struct pd_anonymizer *a = user;
	const enum pd_decision what = field_decision(a, value->field);

	(void)section;
	switch (value->kind) {
	case PERFDATA_KIND_STRING:
	case PERFDATA_KIND_BYTES: {
		/* a copy, since the encoder copies the bytes after a value in the source */
		const struct perfdata_bytes text = new_text(a, what, value->v.bytes);
		char *copy = pd_arena_copy(&a->scratch, text.data ? text.data : (const uint8_t *)"", text.size);
		if (!copy)
			a->names.no_memory = true;
		value->v.bytes = (struct perfdata_bytes){ (const uint8_t *)copy, copy ? text.size : 0 };
		return true;
	}
	case PERFDATA_KIND_BITMAP:
	case PERFDATA_KIND_ATTR:
		return false;
	default:
		value->v.u = new_integer(a, what, value->v.u);
		return true;
	}
}
