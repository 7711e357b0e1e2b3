/* SPDX-License-Identifier: MIT */
/* Sections of simpleperf in anonymous recordings: pseudonyms for symbols and files; facts about the device that
 * identify nobody. */
#include "config.h"
#include <string.h>
#include "rewrite/anonymize.h"
#include "rewrite/protobuf_write.h"
#include "schema/feature.h"

/* --- META_INFO ---------------------------------------------------------------------------------------------------- */

/* The form that a value must have to be kept. */
enum form { FORM_BOOL, FORM_NUMBER, FORM_MASK, FORM_CLOCK, FORM_APP_TYPE, FORM_BUILD_TYPE, FORM_COUNTS };

static const struct {
	const char *key;
	enum form form;
} harmless[] = {
	{ "trace_offcpu", FORM_BOOL },
	{ "system_wide_collection", FORM_BOOL },
	{ "kernel_symbols_available", FORM_BOOL },
	{ "android_version", FORM_NUMBER },
	{ "android_sdk_version", FORM_NUMBER },
	{ "arm64_pac_mask", FORM_MASK },
	{ "clockid", FORM_CLOCK },
	{ "app_type", FORM_APP_TYPE },
	{ "android_build_type", FORM_BUILD_TYPE },
	{ "record_stat", FORM_COUNTS },
};

static bool is_one_of(struct perfdata_bytes value, const char *const *words)
{
	for (; *words; words++)
		if (value.size == strlen(*words) && !memcmp(value.data, *words, value.size))
			return true;
	return false;
}

static bool consists_of(struct perfdata_bytes value, const char *letters, size_t most)
{
	for (size_t i = 0; i < value.size; i++)
		if (!value.data[i] || !strchr(letters, value.data[i]))
			return false;
	return value.size <= most;
}

/* Whether the text is "key=number,key=number" with keys that the recorder defines. */
static bool is_counts(struct perfdata_bytes value)
{
	static const char *const keys[] = { "sample_record_count", "kernelspace_lost_records", "userspace_lost_samples",
					    "userspace_lost_non_samples", "userspace_truncated_stack_samples",
					    "userspace_cut_stack_samples", NULL };
	const uint8_t *at = value.data, *end = value.data + value.size;

	while (at < end) {
		const uint8_t *comma = memchr(at, ',', (size_t)(end - at));
		const uint8_t *stop = comma ? comma : end, *equals = memchr(at, '=', (size_t)(stop - at));
		if (!equals || !is_one_of((struct perfdata_bytes){ at, (size_t)(equals - at) }, keys) ||
		    !consists_of((struct perfdata_bytes){ equals + 1, (size_t)(stop - equals - 1) }, "0123456789", 20))
			return false;
		at = comma ? comma + 1 : end;
	}
	return true;
}

/* Whether the text is the mask of the pointer signature in the upper bits of an address. The lower half must be zeros,
 * so that no address passes as a mask. */
static bool is_mask(struct perfdata_bytes value)
{
	return value.size > 10 && consists_of(value, "0123456789abcdefx", 18) &&
	       consists_of((struct perfdata_bytes){ value.data + value.size - 8, 8 }, "0", 8);
}

static bool has_form(struct perfdata_bytes value, enum form form)
{
	static const char *const bools[] = { "true", "false", NULL };
	static const char *const clocks[] = { "perf", "monotonic", "monotonic_raw", "realtime", "boottime",
					      "tai",  NULL };
	static const char *const app_types[] = { "debuggable", "profileable", "non_profileable", NULL };
	static const char *const build_types[] = { "user", "userdebug", "eng", NULL };

	switch (form) {
	case FORM_BOOL: return is_one_of(value, bools);
	case FORM_NUMBER: return consists_of(value, "0123456789.", 8);
	case FORM_MASK: return is_mask(value);
	case FORM_CLOCK: return is_one_of(value, clocks);
	case FORM_APP_TYPE: return is_one_of(value, app_types);
	case FORM_BUILD_TYPE: return is_one_of(value, build_types);
	case FORM_COUNTS: return is_counts(value);
	}
	return false;
}

static bool is_harmless(struct perfdata_bytes key, struct perfdata_bytes value)
{
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (key.size == strlen(harmless[i].key) && !memcmp(key.data, harmless[i].key, key.size))
			return has_form(value, harmless[i].form);
	return false;
}

static void put_facts(struct pd_anonymizer *a, const struct perfdata_node *root, struct perfdata_text *out)
{
	const struct perfdata_node *list = perfdata_node_get(root, "meta_info");

	for (const struct perfdata_node *fact = list ? list->child : NULL; fact; fact = fact->next) {
		const struct perfdata_node *key = perfdata_node_get(fact, "key");
		const struct perfdata_node *value = perfdata_node_get(fact, "value");
		if (!key || !value || !is_harmless(key->v.bytes, value->v.bytes)) {
			a->counts.fields_cleared++;
			continue;
		}
		perfdata_text_bytes(out, key->v.bytes);
		perfdata_text_append(out, "", 1);
		perfdata_text_bytes(out, value->v.bytes);
		perfdata_text_append(out, "", 1);
	}
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static void put_little(struct perfdata_text *out, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		perfdata_text_char(out, (char)(value >> 8 * i));
}

static struct perfdata_bytes made_of(struct pd_anonymizer *a, const char *made, size_t size)
{
	a->names.no_memory = a->names.no_memory || !made;
	return (struct perfdata_bytes){ (const uint8_t *)made, made ? size : 0 };
}

static struct perfdata_bytes new_path(struct pd_anonymizer *a, struct perfdata_bytes path)
{
	size_t size = 0;
	const char *made = pd_pseudonym_path(&a->names, &a->scratch, path, &size);
	return made_of(a, made, size);
}

static struct perfdata_bytes new_name(struct pd_anonymizer *a, struct perfdata_bytes name)
{
	size_t size = 0;
	const char *made = pd_pseudonym_name(&a->names, &a->scratch, name, &size);
	return made_of(a, made, size);
}

/* --- FILE, FILE2 -------------------------------------------------------------------------------------------------- */

static bool contains_text(struct perfdata_bytes text, const char *part)
{
	const size_t size = strlen(part);
	for (size_t i = 0; i + size <= text.size; i++)
		if (!memcmp(text.data + i, part, size))
			return true;
	return false;
}

/* Whether the file is JIT code. Its symbols have process addresses, which no longer match once maps are moved. */
static bool is_jit(const struct perfdata_node *file)
{
	enum { SYMBOL_MAP = 4 };
	const struct perfdata_bytes path = pd_node_text(file, "path");

	return contains_text(path, "_jit_app_cache:") || contains_text(path, "_jit_zygote_cache:") ||
	       contains_text(path, "TemporaryFile-") || pd_node_number(file, "type") == SYMBOL_MAP;
}

static uint64_t new_address(struct pd_anonymizer *a, uint64_t address)
{
	if (address < UINT64_C(1) << 63 || a->names.keep & PERFDATA_ANONYMIZE_KEEP_ADDRESSES)
		return address;
	return pd_moved_kernel(a->maps, address);
}

static void put_old_file(struct pd_anonymizer *a, const struct perfdata_node *file, struct perfdata_text *out)
{
	const struct perfdata_node *symbols = perfdata_node_get(file, "symbols");
	const struct perfdata_node *offsets = perfdata_node_get(file, "dex_file_offsets");
	const struct perfdata_node *min = perfdata_node_get(file, "memory_offset_of_min_vaddr");
	const size_t start = out->size;

	min = min ? min : perfdata_node_get(file, "file_offset_of_min_vaddr");
	put_little(out, 4, 0);
	perfdata_text_bytes(out, new_path(a, pd_node_text(file, "path")));
	perfdata_text_append(out, "", 1);
	put_little(out, 4, pd_node_number(file, "type"));
	put_little(out, 8, new_address(a, pd_node_number(file, "min_vaddr")));
	put_little(out, 4, symbols ? symbols->v.count : 0);
	for (const struct perfdata_node *s = symbols ? symbols->child : NULL; s; s = s->next) {
		put_little(out, 8, new_address(a, pd_node_number(s, "address")));
		put_little(out, 4, pd_node_number(s, "length"));
		perfdata_text_bytes(out, new_name(a, pd_node_text(s, "name")));
		perfdata_text_append(out, "", 1);
	}
	if (min)
		put_little(out, 8, min->v.u);
	if (offsets)
		put_little(out, 4, offsets->v.count);
	for (const struct perfdata_node *o = offsets ? offsets->child : NULL; o; o = o->next)
		put_little(out, 8, o->v.u);
	const size_t size = out->size - start - 4;
	for (unsigned i = 0; i < 4 && !perfdata_text_failed(out); i++)
		out->data[start + i] = (char)(size >> 8 * i);
}

/* Appends a submessage with one number. An offset of 0 gives an empty submessage, which readers distinguish from
 * none. */
static void put_offset(struct perfdata_text *out, uint32_t number, const struct perfdata_node *part, const char *key)
{
	struct perfdata_text inner;

	if (!part)
		return;
	perfdata_text_init(&inner);
	pd_put_number(&inner, 1, pd_node_number(part, key));
	pd_put_bytes(out, number, inner.data, inner.size);
	out->failed = out->failed || perfdata_text_failed(&inner);
	perfdata_text_release(&inner);
}

static void put_dex(struct perfdata_text *out, const struct perfdata_node *dex)
{
	const struct perfdata_node *list = perfdata_node_get(dex, "dex_file_offsets");
	struct perfdata_text inner, packed;

	if (!dex)
		return;
	perfdata_text_init(&inner);
	perfdata_text_init(&packed);
	for (const struct perfdata_node *o = list ? list->child : NULL; o; o = o->next)
		pd_put_varint(&packed, o->v.u);
	if (packed.size)
		pd_put_bytes(&inner, 1, packed.data, packed.size);
	pd_put_bytes(out, 5, inner.data, inner.size);
	out->failed = out->failed || perfdata_text_failed(&inner) || perfdata_text_failed(&packed);
	perfdata_text_release(&packed);
	perfdata_text_release(&inner);
}

static void put_new_file(struct pd_anonymizer *a, const struct perfdata_node *file, struct perfdata_text *out)
{
	const struct perfdata_node *symbols = perfdata_node_get(file, "symbols");
	const struct perfdata_bytes path = new_path(a, pd_node_text(file, "path"));
	struct perfdata_text message, symbol;

	perfdata_text_init(&message);
	perfdata_text_init(&symbol);
	pd_put_bytes(&message, 1, path.data, path.size);
	pd_put_number(&message, 2, pd_node_number(file, "type"));
	pd_put_number(&message, 3, new_address(a, pd_node_number(file, "min_vaddr")));
	for (const struct perfdata_node *s = symbols ? symbols->child : NULL; s; s = s->next) {
		const struct perfdata_bytes name = new_name(a, pd_node_text(s, "name"));
		perfdata_text_clear(&symbol);
		pd_put_number(&symbol, 1, new_address(a, pd_node_number(s, "address")));
		pd_put_number(&symbol, 2, pd_node_number(s, "length"));
		pd_put_bytes(&symbol, 3, name.data, name.size);
		pd_put_bytes(&message, 4, symbol.data, symbol.size);
	}
	put_dex(&message, perfdata_node_get(file, "dex_file"));
	put_offset(&message, 6, perfdata_node_get(file, "elf_file"), "file_offset_of_min_vaddr");
	put_offset(&message, 7, perfdata_node_get(file, "kernel_module"), "memory_offset_of_min_vaddr");
	put_little(out, 4, message.size);
	perfdata_text_append(out, message.data, message.size);
	out->failed = out->failed || perfdata_text_failed(&message) || perfdata_text_failed(&symbol);
	perfdata_text_release(&symbol);
	perfdata_text_release(&message);
}

static void put_files(struct pd_anonymizer *a, const struct perfdata_node *list, bool is_old, struct perfdata_text *out)
{
	for (const struct perfdata_node *file = list ? list->child : NULL; file; file = file->next) {
		if (is_jit(file))
			a->counts.fields_cleared++;
		else if (is_old)
			put_old_file(a, file, out);
		else
			put_new_file(a, file, out);
	}
}

/* --- ETM_BRANCH_LIST ---------------------------------------------------------------------------------------------- */

static unsigned digit_of(uint8_t c) { return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10); }

/* Appends the pseudonym of a build-id in hex; appends nothing if `hex` is not a build-id. */
static void put_build_id(struct pd_anonymizer *a, struct perfdata_bytes hex, struct perfdata_text *out)
{
	uint8_t from[24] = { 0 }, to[24];
	char text[48];

	if (hex.size % 2 || hex.size > sizeof text || !consists_of(hex, "0123456789abcdefABCDEF", sizeof text))
		return;
	for (size_t i = 0; i < hex.size / 2; i++)
		from[i] = (uint8_t)(digit_of(hex.data[2 * i]) << 4 | digit_of(hex.data[2 * i + 1]));
	pd_pseudonym_build_id(&a->names, from, hex.size / 2, to);
	for (size_t i = 0; i < hex.size; i++)
		text[i] = "0123456789abcdef"[to[i / 2] >> (i % 2 ? 0 : 4) & 15];
	pd_put_bytes(out, 2, text, hex.size);
}

enum message { BRANCH_LIST, ETM_BINARY, LBR_DATA, LBR_BINARY, KERNEL_INFO };

/* Copies a message with pseudonyms for paths and build-ids, without fields that it does not know. */
static void put_message(struct pd_anonymizer *a, enum message kind, struct perfdata_bytes bytes,
			struct perfdata_text *out)
{
	static const uint8_t copied[] = { [BRANCH_LIST] = 0, [ETM_BINARY] = 1 << 3 | 1 << 4, [LBR_DATA] = 1 << 1 };
	static const char magic[] = "simpleperf:EtmBranchList";
	struct pd_cursor c = pd_cursor(bytes.data, bytes.size, false);
	const bool is_binary = kind == ETM_BINARY || kind == LBR_BINARY;
	struct pd_protobuf_field field;

	if (kind == BRANCH_LIST)
		pd_put_bytes(out, 1, magic, sizeof magic - 1);
	while (pd_protobuf_next(&c, &field)) {
		const bool is_text = field.wire == PD_WIRE_BYTES;
		const struct { enum message outer; uint32_t number; enum message inner; } parts[] = {
			{ BRANCH_LIST, 2, ETM_BINARY }, { BRANCH_LIST, 3, LBR_DATA },
			{ ETM_BINARY, 5, KERNEL_INFO }, { LBR_DATA, 2, LBR_BINARY },
		};
		if (is_binary && is_text && field.number == 1) {
			const struct perfdata_bytes path = new_path(a, field.bytes);
			pd_put_bytes(out, 1, path.data, path.size);
		} else if (is_binary && is_text && field.number == 2) {
			put_build_id(a, field.bytes, out);
		} else if (kind == KERNEL_INFO && field.number == 1 && field.wire == PD_WIRE_VARINT) {
			pd_put_number(out, 1, new_address(a, field.value));
		} else if (kind < sizeof copied && field.number < 8 && copied[kind] >> field.number & 1) {
			perfdata_text_append(out, (const char *)field.at, (size_t)(c.at - field.at));
		}
		for (size_t i = 0; is_text && i < sizeof parts / sizeof *parts; i++) {
			struct perfdata_text inner;
			if (parts[i].outer != kind || parts[i].number != field.number)
				continue;
			perfdata_text_init(&inner);
			put_message(a, parts[i].inner, field.bytes, &inner);
			pd_put_bytes(out, field.number, inner.data, inner.size);
			out->failed = out->failed || perfdata_text_failed(&inner);
			perfdata_text_release(&inner);
		}
	}
}

/* --- KERNEL_SYMBOL ------------------------------------------------------------------------------------------------ */

/* Takes the next word of a line: up to a blank or the end. */
static struct perfdata_bytes take_word(const uint8_t **at, const uint8_t *end)
{
	const uint8_t *start = *at;
	while (*at < end && **at != ' ' && **at != '\t')
		++*at;
	const struct perfdata_bytes word = { start, (size_t)(*at - start) };
	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
	return word;
}

/* Copies a line "ffffffff81000000 T name" or "ffffffff81000000 T name [module]". Drops lines of any other form. */
static void put_kernel_symbol(struct pd_anonymizer *a, const uint8_t *at, const uint8_t *end, struct perfdata_text *out)
{
	const struct perfdata_bytes hex = take_word(&at, end), type = take_word(&at, end), name = take_word(&at, end);
	struct perfdata_bytes module = take_word(&at, end);
	uint64_t address = 0;

	if (!hex.size || !consists_of(hex, "0123456789abcdefABCDEF", 16) || type.size != 1 || !name.size)
		return;
	for (size_t i = 0; i < hex.size; i++)
		address = address << 4 | digit_of(hex.data[i]);
	const struct perfdata_bytes new = new_name(a, name);
	perfdata_text_printf(out, "%016llx %c ", (unsigned long long)new_address(a, address), type.data[0]);
	perfdata_text_bytes(out, new);
	if (module.size > 2 && module.data[0] == '[') {
		module = new_name(a, (struct perfdata_bytes){ module.data + 1, module.size - 2 });
		perfdata_text_literal(out, "\t[");
		perfdata_text_bytes(out, module);
		perfdata_text_char(out, ']');
	}
	perfdata_text_char(out, '\n');
}

void pd_anonymize_kernel_symbols(struct pd_anonymizer *a, struct perfdata_kernel_symbol *symbols)
{
	const uint8_t *at = symbols->kallsyms.data, *end = at + symbols->kallsyms.size;
	struct perfdata_text text;

	perfdata_text_init(&text);
	while (at < end) {
		const uint8_t *line = memchr(at, '\n', (size_t)(end - at));
		put_kernel_symbol(a, at, line ? line : end, &text);
		at = line ? line + 1 : end;
	}
	const char *made = perfdata_text_failed(&text) || text.size > UINT32_MAX
				   ? NULL
				   : pd_arena_copy(&a->scratch, text.data ? text.data : "", text.size);
	symbols->kallsyms = made_of(a, made, text.size);
	symbols->size = (uint32_t)symbols->kallsyms.size;
	perfdata_text_release(&text);
}

/* --- public functions --------------------------------------------------------------------------------------------- */

bool pd_anonymize_is_device_section(uint32_t id)
{
	return id == PERFDATA_FEATURE_META_INFO || id == PERFDATA_FEATURE_FILE || id == PERFDATA_FEATURE_FILE2 ||
	       id == PERFDATA_FEATURE_ETM_BRANCH_LIST;
}

enum perfdata_status pd_anonymize_device_section(struct pd_anonymizer *a, uint32_t id,
						 const struct perfdata_feature *feature, struct perfdata_text *out)
{
	const struct perfdata_node *root = perfdata_feature_root(feature);

	pd_arena_reset(&a->scratch);
	switch (id) {
	case PERFDATA_FEATURE_META_INFO: put_facts(a, root, out); break;
	case PERFDATA_FEATURE_FILE: put_files(a, perfdata_node_get(root, "file"), true, out); break;
	case PERFDATA_FEATURE_FILE2: put_files(a, perfdata_node_get(root, "file2"), false, out); break;
	case PERFDATA_FEATURE_ETM_BRANCH_LIST: put_message(a, BRANCH_LIST, pd_feature_bytes(feature), out); break;
	default: return PERFDATA_EUNSUP;
	}
	return a->names.no_memory || perfdata_text_failed(out) ? PERFDATA_ENOMEM : pd_moved_maps_status(a->maps);
}
