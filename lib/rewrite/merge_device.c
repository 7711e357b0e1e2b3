/* SPDX-License-Identifier: MIT */
/* Merges the sections of simpleperf: each path once, with the symbols of all inputs, and the facts of META_INFO.
 * Refuses inputs that have different files under one path, or that weigh samples differently. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/checked.h"
#include "base/hash.h"
#include "base/memory.h"
#include "reader/reader.h"
#include "rewrite/merge.h"
#include "rewrite/protobuf_write.h"
#include "schema/feature.h"
#include "schema/schema.h"

#define NO_OFFSET UINT64_MAX          /* the offset of FILE is not known */
enum file_type { TYPE_KERNEL, TYPE_MODULE, TYPE_ELF, TYPE_DEX };

struct symbol {
	uint64_t address;
	uint32_t length;
	struct perfdata_bytes name;
	const struct pd_merge_input *input;
};

struct device_file {
	struct perfdata_bytes path;
	uint64_t type, min_vaddr, offset;
	const struct perfdata_node *dex;   /* list of offsets; NULL: the file has none */
	struct symbol *symbols;
	size_t nr, room;
	const struct pd_merge_input *input;   /* first input that has the file */
};

struct device {
	struct perfdata_rewriter *rewriter;
	struct device_file *files;
	size_t nr, room;
	struct pd_hash_map by_path;
	struct perfdata_feature **trees;      /* decoded symbol records, by input */
	bool has_messages;                    /* an input has FILE2, so the output gets FILE2 too */
};

static bool bytes_are_equal(struct perfdata_bytes a, struct perfdata_bytes b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static enum perfdata_status refuse_device(struct device *device, const char *format, ...) PERFDATA_PRINTF(2, 3);
static enum perfdata_status refuse_device(struct device *device, const char *format, ...)
{
	char reason[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	return pd_rewrite_failed(device->rewriter, PERFDATA_EUNSUP, reason);
}

static enum perfdata_status no_memory(struct device *device)
{
	return pd_rewrite_failed(device->rewriter, PERFDATA_ENOMEM, NULL);
}

static const struct perfdata_node *list_of(const struct pd_merge_input *input, uint32_t id, const char *name)
{
	const struct perfdata_feature_section *section = perfdata_reader_feature(input->known, id);
	return section && section->feature ? perfdata_node_get(perfdata_feature_root(section->feature), name) : NULL;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static uint64_t offset_in(const struct perfdata_node *file, const char *part, const char *key)
{
	const struct perfdata_node *message = perfdata_node_get(file, part);
	const struct perfdata_node *number = perfdata_node_get(message ? message : file, key);
	return number ? number->v.u : message ? 0 : NO_OFFSET;
}

static struct device_file read_file(const struct perfdata_node *node, const struct pd_merge_input *input)
{
	struct device_file file = { .path = pd_node_text(node, "path"), .type = pd_node_number(node, "type"),
				    .min_vaddr = pd_node_number(node, "min_vaddr"), .offset = NO_OFFSET,
				    .input = input };
	const struct perfdata_node *dex = perfdata_node_get(node, "dex_file");

	file.dex = perfdata_node_get(dex ? dex : node, "dex_file_offsets");
	if (file.type == TYPE_ELF)
		file.offset = offset_in(node, "elf_file", "file_offset_of_min_vaddr");
	else if (file.type == TYPE_MODULE)
		file.offset = offset_in(node, "kernel_module", "memory_offset_of_min_vaddr");
	return file;
}

static bool same_offsets(const struct perfdata_node *a, const struct perfdata_node *b)
{
	const struct perfdata_node *x = a ? a->child : NULL, *y = b ? b->child : NULL;

	for (; x && y; x = x->next, y = y->next)
		if (x->v.u != y->v.u)
			return false;
	return !x && !y;
}

static struct perfdata_bytes build_id_of(const struct pd_merge_input *input, struct perfdata_bytes path)
{
	const struct perfdata_node *list = list_of(input, PERFDATA_FEATURE_BUILD_ID, "build_id");

	for (const struct perfdata_node *entry = list ? list->child : NULL; entry; entry = entry->next)
		if (bytes_are_equal(pd_node_text(entry, "filename"), path))
			return pd_node_text(entry, "build_id");
	return (struct perfdata_bytes){ NULL, 0 };
}

/* Checks whether the path is the same file in both inputs. */
static enum perfdata_status check_same(struct device *device, const struct device_file *a, const struct device_file *b)
{
	const struct perfdata_bytes x = build_id_of(a->input, a->path), y = build_id_of(b->input, b->path);
	const char *what = a->type != b->type ? "types"
			   : a->min_vaddr != b->min_vaddr || a->offset != b->offset ? "segments"
			   : !same_offsets(a->dex, b->dex) ? "dex files"
			   : x.size && y.size && !bytes_are_equal(x, y) ? "build-ids" : NULL;

	if (!what)
		return PERFDATA_OK;
	return refuse_device(device, "%.*s has different %s in %s and %s: symbols of one are not those of the other",
			     (int)(a->path.size < 120 ? a->path.size : 120), (const char *)a->path.data, what,
			     pd_merge_name(a->input), pd_merge_name(b->input));
}

static enum perfdata_status add_symbols(struct device *device, struct device_file *file,
					const struct perfdata_node *node, const struct pd_merge_input *input)
{
	const struct perfdata_node *list = perfdata_node_get(node, "symbols");

	for (const struct perfdata_node *s = list ? list->child : NULL; s; s = s->next) {
		if (pd_vector_grow(&file->symbols, &file->room, file->nr, sizeof *file->symbols) < 0)
			return no_memory(device);
		file->symbols[file->nr++] = (struct symbol){ .address = pd_node_number(s, "address"),
							     .length = (uint32_t)pd_node_number(s, "length"),
							     .name = pd_node_text(s, "name"), .input = input };
	}
	return PERFDATA_OK;
}

static enum perfdata_status add_file(struct device *device, const struct perfdata_node *node,
				     const struct pd_merge_input *input)
{
	const struct device_file file = read_file(node, input);
	const uint64_t hash = pd_hash_bytes(file.path.data, file.path.size, 17);
	enum perfdata_status status = PERFDATA_OK;
	uint64_t index;

	if (pd_hash_map_get(&device->by_path, hash, &index) && bytes_are_equal(device->files[index].path, file.path)) {
		/* the first of several entries of one input for a path counts */
		if (device->files[index].input == input)
			return PERFDATA_OK;
		status = check_same(device, &device->files[index], &file);
	} else {
		index = device->nr;
		if (pd_vector_grow(&device->files, &device->room, device->nr, sizeof *device->files) < 0 ||
		    pd_hash_map_put(&device->by_path, hash, index) < 0)
			return no_memory(device);
		device->files[device->nr++] = file;
	}
	return status == PERFDATA_OK ? add_symbols(device, &device->files[index], node, input) : status;
}

/* Adds the files of an input: from FILE, else from FILE2, else from its symbol records. */
static enum perfdata_status add_input(struct device *device, size_t i)
{
	const struct pd_merge_input *input = &device->rewriter->merge->inputs[i];
	const struct perfdata_bytes records = pd_reader_symbol_records(input->known);
	const struct perfdata_node *list = list_of(input, PERFDATA_FEATURE_FILE, "file");
	enum perfdata_status status = PERFDATA_OK;

	if (!list || !list->child) {
		list = list_of(input, PERFDATA_FEATURE_FILE2, "file2");
		device->has_messages |= list != NULL;
	}
	if (!list && records.size) {
		status = pd_feature_decode_within(pd_reader_account(input->known), PERFDATA_FEATURE_FILE, records.data,
						  records.size, perfdata_reader_header(input->known)->order, 0,
						  &device->trees[i], NULL);
		if (status < 0)
			return no_memory(device);
		list = perfdata_node_get(perfdata_feature_root(device->trees[i]), "file");
		status = PERFDATA_OK;
	}
	for (const struct perfdata_node *node = list ? list->child : NULL; node && status == PERFDATA_OK;
	     node = node->next)
		status = add_file(device, node, input);
	return status;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->input < y->input ? -1 : x->input > y->input;
}

/* Joins the symbols of all inputs. Refuses symbols that overlap unless they are equal or one contains the other. */
static enum perfdata_status join_symbols(struct device *device, struct device_file *file)
{
	size_t kept = 0;

	if (file->nr)
		qsort(file->symbols, file->nr, sizeof *file->symbols, by_address);
	for (size_t i = 0; i < file->nr; i++) {
		const struct symbol *symbol = &file->symbols[i], *last = kept ? &file->symbols[kept - 1] : NULL;
		if (last && last->input != symbol->input && last->address == symbol->address) {
			if (last->length != symbol->length || !bytes_are_equal(last->name, symbol->name))
				return refuse_device(device, "0x%llx of %.*s is %.*s in %s, %.*s in %s",
						     (unsigned long long)symbol->address,
						     (int)(file->path.size < 100 ? file->path.size : 100),
						     (const char *)file->path.data,
						     (int)(last->name.size < 60 ? last->name.size : 60),
						     (const char *)last->name.data, pd_merge_name(last->input),
						     (int)(symbol->name.size < 60 ? symbol->name.size : 60),
						     (const char *)symbol->name.data, pd_merge_name(symbol->input));
			continue;
		}
		file->symbols[kept++] = *symbol;
	}
	file->nr = kept;
	return PERFDATA_OK;
}

static void put_entry(struct perfdata_text *out, const struct device_file *file, bool swap)
{
	struct perfdata_text entry;

	perfdata_text_init(&entry);
	perfdata_text_bytes(&entry, file->path);
	perfdata_text_fill(&entry, '\0', 1);
	pd_append_int(&entry, swap, 4, file->type);
	pd_append_int(&entry, swap, 8, file->min_vaddr);
	pd_append_int(&entry, swap, 4, file->nr);
	for (size_t i = 0; i < file->nr; i++) {
		pd_append_int(&entry, swap, 8, file->symbols[i].address);
		pd_append_int(&entry, swap, 4, file->symbols[i].length);
		perfdata_text_bytes(&entry, file->symbols[i].name);
		perfdata_text_fill(&entry, '\0', 1);
	}
	if (file->type == TYPE_ELF || file->type == TYPE_MODULE)
		pd_append_int(&entry, swap, 8, file->offset);
	if (file->type == TYPE_DEX) {
		pd_append_int(&entry, swap, 4, file->dex ? file->dex->v.count : 0);
		for (const struct perfdata_node *o = file->dex ? file->dex->child : NULL; o; o = o->next)
			pd_append_int(&entry, swap, 8, o->v.u);
	}
	pd_append_int(out, swap, 4, entry.size);
	perfdata_text_append(out, entry.data, entry.size);
	out->failed |= perfdata_text_failed(&entry);
	perfdata_text_release(&entry);
}

static void put_message(struct perfdata_text *out, const struct device_file *file, bool swap)
{
	struct perfdata_text message, part;

	perfdata_text_init(&message);
	perfdata_text_init(&part);
	pd_put_bytes(&message, 1, file->path.data, file->path.size);
	pd_put_number(&message, 2, file->type);
	pd_put_number(&message, 3, file->min_vaddr);
	for (size_t i = 0; i < file->nr; i++) {
		perfdata_text_clear(&part);
		pd_put_number(&part, 1, file->symbols[i].address);
		pd_put_number(&part, 2, file->symbols[i].length);
		pd_put_bytes(&part, 3, file->symbols[i].name.data, file->symbols[i].name.size);
		pd_put_bytes(&message, 4, part.data, part.size);
	}
	perfdata_text_clear(&part);
	if (file->type == TYPE_DEX) {
		struct perfdata_text packed;
		perfdata_text_init(&packed);
		for (const struct perfdata_node *o = file->dex ? file->dex->child : NULL; o; o = o->next)
			pd_put_varint(&packed, o->v.u);
		if (packed.size)
			pd_put_bytes(&part, 1, packed.data, packed.size);
		out->failed |= perfdata_text_failed(&packed);
		perfdata_text_release(&packed);
		pd_put_bytes(&message, 5, part.data, part.size);
	} else if (file->type == TYPE_ELF || file->type == TYPE_MODULE) {
		pd_put_number(&part, 1, file->offset);
		pd_put_bytes(&message, file->type == TYPE_ELF ? 6 : 7, part.data, part.size);
	}
	pd_append_int(out, swap, 4, message.size);
	perfdata_text_append(out, message.data, message.size);
	out->failed |= perfdata_text_failed(&message) || perfdata_text_failed(&part);
	perfdata_text_release(&part);
	perfdata_text_release(&message);
}

static enum perfdata_status join_files(struct device *device, struct pd_merge_device *ret)
{
	const struct pd_merge *merge = device->rewriter->merge;
	const bool swap = pd_order_is_foreign(perfdata_reader_header(merge->inputs[0].known)->order);
	bool has_sections = false;
	enum perfdata_status status = PERFDATA_OK;

	for (size_t i = 0; i < merge->nr_inputs; i++)
		has_sections |= perfdata_reader_feature(merge->inputs[i].known, PERFDATA_FEATURE_FILE) ||
				perfdata_reader_feature(merge->inputs[i].known, PERFDATA_FEATURE_FILE2) ||
				pd_reader_symbol_records(merge->inputs[i].known).size;
	for (size_t i = 0; i < merge->nr_inputs && has_sections && status == PERFDATA_OK; i++)
		status = add_input(device, i);
	struct perfdata_text *out = device->has_messages ? &ret->file2 : &ret->file;
	for (size_t i = 0; i < device->nr && status == PERFDATA_OK; i++) {
		status = join_symbols(device, &device->files[i]);
		if (status != PERFDATA_OK)
			break;
		if (device->has_messages)
			put_message(out, &device->files[i], swap);
		else
			put_entry(out, &device->files[i], swap);
	}
	return status == PERFDATA_OK && perfdata_text_failed(out) ? no_memory(device) : status;
}

/* --- META_INFO ---------------------------------------------------------------------------------------------------- */

static struct perfdata_bytes fact_of(const struct pd_merge_input *input, const char *key)
{
	return pd_reader_meta(input->known, key);
}

static bool traces_off_cpu(const struct pd_merge_input *input)
{
	return bytes_are_equal(fact_of(input, "trace_offcpu"), (struct perfdata_bytes){ (const uint8_t *)"true", 4 });
}

/* Checks whether samples of all inputs have the same weight: compares the first two events. */
static enum perfdata_status check_weights(struct device *device)
{
	const struct pd_merge *merge = device->rewriter->merge;
	const struct pd_merge_input *first = merge->inputs;

	for (const struct pd_merge_input *input = first + 1; input < first + merge->nr_inputs; input++) {
		if (traces_off_cpu(first) != traces_off_cpu(input))
			return refuse_device(device,
					     "%s has time off the CPU, %s has not: what their samples weigh cannot be "
					     "added",
					     pd_merge_name(traces_off_cpu(first) ? first : input),
					     pd_merge_name(traces_off_cpu(first) ? input : first));
		if (traces_off_cpu(first) && input->first_event != first->first_event)
			return refuse_device(device, "%s and %s have time off the CPU beside different events",
					     pd_merge_name(first), pd_merge_name(input));
	}
	return PERFDATA_OK;
}

/* Joins the parts of the values, each once. For parts "name=count", adds the counts of each name. */
static void join_parts(const struct pd_merge *merge, const char *key, char separator, struct perfdata_text *out)
{
	for (size_t i = 0; i < merge->nr_inputs; i++) {
		struct perfdata_bytes value = fact_of(&merge->inputs[i], key);
		while (value.size) {
			const uint8_t *end = memchr(value.data, separator, value.size);
			const struct perfdata_bytes part = { value.data,
							     end ? (size_t)(end - value.data) : value.size };
			bool known = !part.size;
			for (size_t at = 0; !known && at < out->size;) {
				const char *start = out->data + at, *next = memchr(start, separator, out->size - at);
				const size_t size = next ? (size_t)(next - start) : out->size - at;
				known = size == part.size && !memcmp(start, part.data, size);
				at += size + 1;
			}
			if (!known && out->size)
				perfdata_text_char(out, separator);
			if (!known)
				perfdata_text_bytes(out, part);
			value.data += part.size + (end ? 1 : 0);
			value.size -= part.size + (end ? 1 : 0);
		}
	}
}

static uint64_t count_in(struct perfdata_bytes counts, struct perfdata_bytes name)
{
	uint64_t count = 0;

	if (!counts.size)
		return 0;   /* no fact, and perhaps no data */
	const uint8_t *at = counts.data, *const end = at + counts.size;
	while (at < end) {
		const uint8_t *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
		if ((size_t)(stop - at) > name.size && !memcmp(at, name.data, name.size) && at[name.size] == '=')
			for (at += name.size + 1; at < stop && *at >= '0' && *at <= '9'; at++)
				count = count * 10 + (uint64_t)(*at - '0');
		at = stop + 1;
	}
	return count;
}

static void join_counts(const struct pd_merge *merge, struct perfdata_text *out)
{
	static const char *const names[] = { "sample_record_count", "kernelspace_lost_records",
					     "userspace_lost_samples", "userspace_lost_non_samples",
					     "userspace_truncated_stack_samples" };

	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		const struct perfdata_bytes name = { (const uint8_t *)names[n], strlen(names[n]) };
		uint64_t sum = 0;
		for (size_t i = 0; i < merge->nr_inputs; i++)
			sum += count_in(fact_of(&merge->inputs[i], "record_stat"), name);
		perfdata_text_printf(out, "%s%s=%llu", n ? "," : "", names[n], (unsigned long long)sum);
	}
}

static bool is_first(const struct pd_merge *merge, const struct pd_merge_input *input, struct perfdata_bytes key)
{
	for (const struct pd_merge_input *earlier = merge->inputs; earlier < input; earlier++) {
		const struct perfdata_node *list = list_of(earlier, PERFDATA_FEATURE_META_INFO, "meta_info");
		for (const struct perfdata_node *fact = list ? list->child : NULL; fact; fact = fact->next)
			if (bytes_are_equal(pd_node_text(fact, "key"), key))
				return false;
	}
	return true;
}

static bool is_key(struct perfdata_bytes key, const char *name)
{
	return key.size == strlen(name) && !memcmp(key.data, name, key.size);
}

/* Joins the facts of all inputs. Where inputs differ, the first one counts, except for events and counts. */
static enum perfdata_status join_facts(struct device *device, struct perfdata_text *out)
{
	const struct pd_merge *merge = device->rewriter->merge;

	for (const struct pd_merge_input *input = merge->inputs; input < merge->inputs + merge->nr_inputs; input++) {
		const struct perfdata_node *list = list_of(input, PERFDATA_FEATURE_META_INFO, "meta_info");
		for (const struct perfdata_node *fact = list ? list->child : NULL; fact; fact = fact->next) {
			const struct perfdata_bytes key = pd_node_text(fact, "key");
			struct perfdata_text value;
			if (!is_first(merge, input, key))
				continue;
			perfdata_text_init(&value);
			if (is_key(key, "event_type_info"))
				join_parts(merge, "event_type_info", '\n', &value);
			else if (is_key(key, "record_stat"))
				join_counts(merge, &value);
			else
				perfdata_text_bytes(&value, pd_node_text(fact, "value"));
			perfdata_text_bytes(out, key);
			perfdata_text_fill(out, '\0', 1);
			perfdata_text_append(out, value.data, value.size);
			perfdata_text_fill(out, '\0', 1);
			out->failed |= perfdata_text_failed(&value);
			perfdata_text_release(&value);
		}
	}
	return perfdata_text_failed(out) ? no_memory(device) : PERFDATA_OK;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

enum perfdata_status pd_merge_join_device(struct perfdata_rewriter *rewriter)
{
	struct pd_merge *merge = rewriter->merge;
	struct device device = { .rewriter = rewriter };

	perfdata_text_init(&merge->device.file);
	perfdata_text_init(&merge->device.file2);
	perfdata_text_init(&merge->device.facts);
	device.trees = pd_calloc(merge->nr_inputs, sizeof *device.trees);
	enum perfdata_status status = device.trees ? check_weights(&device) : no_memory(&device);
	if (status == PERFDATA_OK)
		status = join_files(&device, &merge->device);
	if (status == PERFDATA_OK)
		status = join_facts(&device, &merge->device.facts);
	for (size_t i = 0; i < device.nr; i++)
		pd_free(device.files[i].symbols);
	for (size_t i = 0; device.trees && i < merge->nr_inputs; i++)
		pd_feature_free(device.trees[i]);
	pd_free(device.trees);
	pd_free(device.files);
	pd_hash_map_release(&device.by_path);
	return status;
}

void pd_merge_device_release(struct pd_merge_device *device)
{
	perfdata_text_release(&device->file);
	perfdata_text_release(&device->file2);
	perfdata_text_release(&device->facts);
}
