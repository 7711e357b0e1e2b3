/* SPDX-License-Identifier: MIT */
/* An emitter outside the tree that decodes records and asks for names: which files were mapped, by build-id, how many
 * mappings and bytes each has, and how many samples lie in it, or in each of its functions.
 *
 *	cc -shared -fPIC -o mapped.so emitter-mapped.c $(pkg-config --cflags --libs libperfdata)
 *	perfdata convert --emitter ./mapped.so --functions perf.data
 *	perfdata convert --emitter ./mapped.so --rows perf.data        each MMAP2 record, field by field
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <perfdata/emit.h>

/* A file, or one of its functions. There are few in a batch: a linear search does. */
struct file {
	char *name;
	char *function;                  /* "": of the file itself */
	unsigned char build_id[20];
	size_t build_id_size;            /* 0: none was recorded */
	uint64_t maps, bytes, samples;
};
struct files { struct file *list; size_t nr; };

/* The state of a run. begin sets the options; merge owns the files. */
struct mapped {
	const struct perfdata_reader *reader;
	const struct perfdata_session *session;
	bool rows, functions;
	struct files files;
};

static const struct perfdata_emitter_option options[] = {
	{ "rows", PERFDATA_OPTION_FLAG, 0, NULL, "show each mapping, field by field" },
	{ "functions", PERFDATA_OPTION_FLAG, 0, NULL, "count the samples of each function" },
	{ 0 },
};

static void free_files(struct files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		free(files->list[i].name);
		free(files->list[i].function);
	}
	free(files->list);
}

static char *copy_of(const void *bytes, size_t size)
{
	char *copy = (char *)calloc(1, size + 1);
	if (copy && size)
		memcpy(copy, bytes, size);
	return copy;
}

/* The file of that name and build-id, or its function, which is added where it is new. NULL without memory. */
static struct file *file_of(struct files *files, struct perfdata_bytes name, const char *function,
			    struct perfdata_bytes build_id)
{
	const size_t id_size = build_id.size < 20 ? build_id.size : 20;
	for (size_t i = 0; i < files->nr; i++) {
		struct file *file = &files->list[i];
		if (strlen(file->name) == name.size && !memcmp(file->name, name.data, name.size) &&
		    !strcmp(file->function, function) && file->build_id_size == id_size &&
		    (!id_size || !memcmp(file->build_id, build_id.data, id_size)))
			return file;
	}
	struct file *list = (struct file *)realloc(files->list, (files->nr + 1) * sizeof *list);
	if (!list)
		return NULL;
	files->list = list;
	struct file *file = &list[files->nr];
	memset(file, 0, sizeof *file);
	file->name = copy_of(name.data, name.size);
	file->function = copy_of(function, strlen(function));
	if (!file->name || !file->function) {
		free(file->name);
		free(file->function);
		return NULL;
	}
	if (id_size)
		memcpy(file->build_id, build_id.data, id_size);
	file->build_id_size = id_size;
	files->nr++;
	return file;
}

static struct perfdata_bytes bytes_of(const char *text)
{
	struct perfdata_bytes bytes = { (const uint8_t *)text, strlen(text) };
	return bytes;
}

/* --- what the emitter needs, and its beginning --- */

static enum perfdata_status configure(void *user, struct perfdata_configuration *configuration)
{
	(void)user;
	configuration->symbols = perfdata_option_flag(configuration->options, configuration->nr_options, "functions",
						      false);
	return PERFDATA_OK;
}

static enum perfdata_status begin(const struct perfdata_emit_context *context, void **ret_state,
				  struct perfdata_text *out)
{
	struct mapped *mapped = (struct mapped *)calloc(1, sizeof *mapped);
	(void)out;
	if (!mapped)
		return PERFDATA_ENOMEM;
	mapped->reader = context->reader;
	mapped->session = context->session;
	mapped->rows = perfdata_option_flag(context->options, context->nr_options, "rows", false);
	mapped->functions = perfdata_option_flag(context->options, context->nr_options, "functions", false);
	*ret_state = mapped;
	return PERFDATA_OK;
}

/* --- a batch --- */

/* The rows of any record: the library says which fields there are, and the view says which of them this record has. */
static void print_rows(const struct perfdata_record *record, struct perfdata_text *out)
{
	const struct perfdata_field *field;
	perfdata_text_string(out, perfdata_layout_name(record->layout));
	for (size_t i = 0; (field = perfdata_layout_field(record->layout, i)); i++) {
		uint64_t number;
		if (!(record->u.present >> i & 1) || !perfdata_field_number(field, &record->u, &number))
			continue;
		perfdata_text_char(out, ' ');
		perfdata_text_string(out, perfdata_field_name(field));
		perfdata_text_char(out, '=');
		if (perfdata_field_show(field) == PERFDATA_SHOW_HEX)
			perfdata_text_printf(out, "0x%llx", (unsigned long long)number);
		else
			perfdata_text_s64(out, (int64_t)number);
	}
	perfdata_text_char(out, '\n');
	perfdata_text_cut(out);   /* what precedes may leave */
}

static enum perfdata_status take_mapping(const struct mapped *mapped, const struct perfdata_raw *raw,
					 struct perfdata_record *record, struct files *files, struct perfdata_text *out)
{
	static const struct perfdata_bytes none = { NULL, 0 };
	/* a damaged record has the fields that fit */
	(void)perfdata_raw_decode(mapped->reader, raw, record);
	if (mapped->rows)
		print_rows(record, out);
	const struct perfdata_mmap2 *mapping = &record->u.mmap2;
	const struct perfdata_bytes build_id = PERFDATA_HAS(record, mmap2, build_id) ? mapping->build_id : none;
	struct file *file = file_of(files, mapping->filename, "", build_id);
	if (!file)
		return PERFDATA_ENOMEM;
	file->maps++;
	file->bytes += mapping->len;
	return PERFDATA_OK;
}

/* Where a sample lies: its delivery has the frame, the frame has the file, and the session knows the names. */
static enum perfdata_status take_sample(const struct mapped *mapped, const struct perfdata_delivery *delivery,
					struct files *files)
{
	const struct perfdata_frame *frame;
	struct perfdata_symbol symbol;
	if (delivery->flags & PERFDATA_DELIVERY_SILENT || delivery->ip == PERFDATA_NONE)
		return PERFDATA_OK;
	frame = perfdata_session_frame(mapped->session, delivery->ip);
	if (frame->dso == PERFDATA_NONE)
		return PERFDATA_OK;
	const char *function = "";
	if (mapped->functions) {
		const enum perfdata_status status = perfdata_session_symbol(mapped->session, delivery->ip, 0, &symbol);
		if (status != PERFDATA_OK && status != PERFDATA_ABSENT)
			return status;
		function = status == PERFDATA_OK ? symbol.name : "[unknown]";
	}
	struct file *file = file_of(files, bytes_of(perfdata_session_dso(mapped->session, frame->dso)->filename),
				    function, perfdata_session_build_id(mapped->session, frame->dso, NULL));
	if (!file)
		return PERFDATA_ENOMEM;
	file->samples++;
	return PERFDATA_OK;
}

/* Any thread: reads nothing but the batch and what begin has set. */
static enum perfdata_status format(const void *state, const struct perfdata_batch *batch, void *value,
				   struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	const struct mapped *mapped = (const struct mapped *)state;
	struct files *files = (struct files *)calloc(1, sizeof *files);
	struct perfdata_record *record = perfdata_record_new();
	enum perfdata_status status = files && record ? PERFDATA_OK : PERFDATA_ENOMEM;
	(void)value;
	(void)scratch;
	for (size_t i = 0; i < batch->nr_records && status == PERFDATA_OK; i++) {
		const struct perfdata_raw *raw = perfdata_batch_record(batch, i);
		if (perfdata_raw_type(raw) == PERFDATA_RECORD_MMAP2)
			status = take_mapping(mapped, raw, record, files, out);
	}
	for (size_t i = 0; i < batch->nr_deliveries && status == PERFDATA_OK; i++) {
		const struct perfdata_delivery *delivery = perfdata_batch_delivery(batch, i);
		if (perfdata_raw_type(delivery->record) == PERFDATA_RECORD_SAMPLE)
			status = take_sample(mapped, delivery, files);
	}
	perfdata_record_free(record);
	*ret_part = files;
	return status;
}

/* --- sums, in the order of the batches --- */

static enum perfdata_status merge(void *state, void *part, struct perfdata_text *out)
{
	struct mapped *mapped = (struct mapped *)state;
	struct files *files = (struct files *)part;
	enum perfdata_status status = PERFDATA_OK;
	(void)out;
	for (size_t i = 0; files && i < files->nr; i++) {
		const struct file *from = &files->list[i];
		const struct perfdata_bytes build_id = { from->build_id, from->build_id_size };
		struct file *to = file_of(&mapped->files, bytes_of(from->name), from->function, build_id);
		if (!to) {
			status = PERFDATA_ENOMEM;
			break;
		}
		to->maps += from->maps;
		to->bytes += from->bytes;
		to->samples += from->samples;
	}
	if (files)
		free_files(files);
	free(files);
	return status;
}

static void free_part(void *part)
{
	if (part)
		free_files((struct files *)part);
	free(part);
}

static int by_samples(const void *a, const void *b)
{
	const struct file *x = (const struct file *)a, *y = (const struct file *)b;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	const int names = strcmp(x->name, y->name);
	if (names || x->build_id_size != y->build_id_size)
		return names ? names : x->build_id_size < y->build_id_size ? -1 : 1;
	const int ids = memcmp(x->build_id, y->build_id, x->build_id_size);
	return ids ? ids : strcmp(x->function, y->function);
}

static enum perfdata_status end(void *state, const struct perfdata_emit_end *what, struct perfdata_text *out)
{
	struct mapped *mapped = (struct mapped *)state;
	(void)what;
	if (mapped->files.nr)
		qsort(mapped->files.list, mapped->files.nr, sizeof *mapped->files.list, by_samples);
	perfdata_text_literal(out, "samples\tmappings\tbytes\tbuild_id\tfile\tfunction\n");
	for (size_t i = 0; i < mapped->files.nr; i++) {
		const struct file *file = &mapped->files.list[i];
		perfdata_text_u64(out, file->samples);
		perfdata_text_char(out, '\t');
		perfdata_text_u64(out, file->maps);
		perfdata_text_char(out, '\t');
		perfdata_text_u64(out, file->bytes);
		perfdata_text_char(out, '\t');
		perfdata_text_bytes_hex(out, file->build_id, file->build_id_size);
		perfdata_text_char(out, '\t');
		perfdata_text_printable(out, file->name, strlen(file->name));
		perfdata_text_char(out, '\t');
		perfdata_text_printable(out, file->function, strlen(file->function));
		perfdata_text_char(out, '\n');
	}
	return PERFDATA_OK;
}

static void release(void *state)
{
	free_files(&((struct mapped *)state)->files);
	free(state);
}

extern PERFDATA_API const struct perfdata_emitter perfdata_emitter;
const struct perfdata_emitter perfdata_emitter = {
	.abi = PERFDATA_EMITTER_ABI,
	.size = sizeof(struct perfdata_emitter),
	.name = "mapped",
	.help = "mapped files by build-id, with their samples",
	.suffix = "tsv",
	.needs = PERFDATA_NEED_RECORDS | PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_FRAMES,
	.option_size = sizeof *options,
	.options = options,
	.configure = configure,
	.begin = begin,
	.format = format,
	.merge = merge,
	.end = end,
	.free_part = free_part,
	.release = release,
};
