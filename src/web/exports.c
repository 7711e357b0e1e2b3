/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfdata/bundle.h>
#include <perfdata/convert.h>
#include <perfdata/describe.h>
#include <perfdata/session.h>
#include <perfdata/table.h>
#include "web/exports.h"

/* Functions of calls.js. An int result is an errno value, except js_read_at (number of bytes, or -1) and js_progress
 * (1: cancel). */
int js_read_at(double offset, void *buffer, int room);
int js_write(int output, const void *bytes, int size);
int js_open(const char *name);
void js_finding(int severity, int code, const char *json);
int js_progress(double done, double total);

static struct perfdata_error last_error;
static bool last_complete;
static double last_written;

const char *web_version(void) { return perfdata_version(); }
const char *web_message(void) { return last_error.message; }
int web_complete(void) { return last_complete; }
double web_written(void) { return last_written; }

/* --- descriptions ------------------------------------------------------------------------------------------------- */

static void put_text(struct perfdata_text *out, const char *key, const char *value)
{
	perfdata_text_printf(out, "%s\"%s\":", out->data[out->size - 1] == '{' ? "" : ",", key);
	perfdata_text_json_string(out, value ? value : "", value ? strlen(value) : 0);
}

/* A text that was made once for all calls. */
static const char *copied_text(struct perfdata_text *text)
{
	perfdata_text_char(text, '\0');
	return text->failed ? "[]" : text->data;
}

const char *web_formats(void)
{
	static struct perfdata_text text;
	const struct perfdata_emitter *emitter;
	if (text.size)
		return text.data;
	for (size_t i = 0; (emitter = perfdata_registry_at(NULL, i)); i++) {
		perfdata_text_string(&text, i ? ",{" : "[{");
		put_text(&text, "name", emitter->name);
		put_text(&text, "help", emitter->help);
		put_text(&text, "mime", emitter->mime ? emitter->mime : "text/plain");
		put_text(&text, "suffix", emitter->suffix ? emitter->suffix : emitter->name);
		perfdata_text_printf(&text, ",\"names\":%s,\"files\":%s,\"options\":[",
				     emitter->flags & PERFDATA_EMITTER_SYMBOLS ? "true" : "false",
				     emitter->flags & PERFDATA_EMITTER_ONLY_NAMED ? "true" : "false");
		const struct perfdata_emitter_option *option;
		for (size_t j = 0; (option = perfdata_emitter_option_at(emitter, j)); j++) {
			perfdata_text_string(&text, j ? ",{" : "{");
			put_text(&text, "name", option->name);
			put_text(&text, "help", option->help);
			perfdata_text_printf(&text, ",\"flag\":%s}",
					     option->kind == PERFDATA_OPTION_FLAG ? "true" : "false");
		}
		perfdata_text_string(&text, "]}");
	}
	perfdata_text_char(&text, ']');
	return copied_text(&text);
}

const char *web_findings(void)
{
	static const struct {
		int code;
		const char *name, *meaning, *advice;
	} rows[] = {
#define PERFDATA_FINDING_ROW(code, severity, name, meaning, advice) { code, #name, meaning, advice },
#include <perfdata/findings.def>
#undef PERFDATA_FINDING_ROW
	};
	static struct perfdata_text text;
	for (size_t i = 0; !text.size || (i && i < sizeof rows / sizeof *rows); i++) {
		perfdata_text_printf(&text, "%s\"code\":%d", i ? ",{" : "[{", rows[i].code);
		put_text(&text, "name", rows[i].name);
		put_text(&text, "meaning", rows[i].meaning);
		put_text(&text, "advice", rows[i].advice);
		perfdata_text_char(&text, '}');
		if (i + 1 == sizeof rows / sizeof *rows) {
			perfdata_text_char(&text, ']');
			return copied_text(&text);
		}
	}
	return text.data;
}

const char *web_schema(void)
{
	static struct perfdata_text text;
	if (text.size)
		return text.data;
	perfdata_describe_schema(&text);
	return copied_text(&text);
}

/* --- converting --------------------------------------------------------------------------------------------------- */

static int read_at(void *user, uint64_t offset, void *buffer, size_t room, size_t *ret_got)
{
	(void)user;
	const int got = js_read_at((double)offset, buffer, (int)(room > INT32_MAX ? INT32_MAX : room));
	*ret_got = got < 0 ? 0 : (size_t)got;
	return got < 0 ? EIO : 0;
}

struct place {
	const char *name;
	uint64_t at, length;
	bool is_pushed;                      /* pushed bytes, whose length is not known */
};

static int read_next(void *user, void *buffer, size_t room, size_t *ret_got)
{
	struct place *place = user;
	const int failed = read_at(NULL, place->at, buffer, room, ret_got);
	place->at += *ret_got;
	return failed;
}

/* Pushed bytes have no offsets and no length. */
static const struct perfdata_input_callbacks following = { .size = sizeof following, .read = read_next };

static int length_of(void *user, uint64_t *ret_bytes)
{
	*ret_bytes = ((const struct place *)user)->length;
	return 0;
}

static const struct perfdata_input_callbacks reading = { .size = sizeof reading, .read = read_next, .read_at = read_at,
							 .length = length_of };

static int write_out(void *user, const void *bytes, size_t size)
{
	return js_write((int)(intptr_t)user, bytes, (int)size);
}

static int open_out(void *user, const char *name, void **ret_user)
{
	(void)user;
	*ret_user = (void *)(intptr_t)js_open(name);
	return 0;
}

static void on_finding(void *user, const struct perfdata_finding *finding)
{
	struct perfdata_text text;
	(void)user;
	perfdata_text_init(&text);
	perfdata_text_finding(&text, finding, true);
	perfdata_text_char(&text, '\0');
	if (!text.failed)
		js_finding((int)finding->severity, (int)finding->code, text.data);
	perfdata_text_release(&text);
}

static void on_progress(void *user, uint64_t bytes, uint64_t total)
{
	if (js_progress((double)bytes, total == UINT64_MAX ? -1 : (double)total))
		perfdata_cancel_now(user);
}

/* NULL without memory. */
static struct perfdata_setting *settings_of(const char *text, int count)
{
	struct perfdata_setting *settings = calloc((size_t)count + 1, sizeof *settings);
	for (int i = 0; settings && i < count; i++) {
		settings[i].name = text;
		text += strlen(text) + 1;
		settings[i].text = *text ? text : NULL;
		text += strlen(text) + 1;
	}
	return settings;
}

/* Sets the paths of a bundle: it is a build-id cache of perf, a debug directory and, in root/, a tree of files without
 * build-ids. */
static enum perfdata_status take_bundle(const char *const *path, char *root, size_t size,
					struct perfdata_symbols_options *symbols, struct perfdata_bundle_files **ret)
{
	symbols->no_host = true;
	if (!*path)
		return PERFDATA_OK;
	snprintf(root, size, "%s/root", *path);
	symbols->symfs = root;
	symbols->build_id_dir = *path;
	symbols->debug_dirs = path;
	symbols->debug_dir_count = 1;
	symbols->debug_first = true;
	symbols->open = perfdata_bundle_files_get;
	const enum perfdata_status status = perfdata_bundle_files_open(*path, NULL, ret, &last_error);
	symbols->open_user = *ret;
	return status;
}

static enum perfdata_status convert_place(const char *format, struct perfdata_convert_options *options,
					  struct place *place)
{
	const struct perfdata_output_callbacks to = { .size = sizeof to, .write = write_out, .open = open_out };
	struct perfdata_input *input = perfdata_input_callbacks(place->is_pushed ? &following : &reading, place,
								place->name);
	struct perfdata_output *output = perfdata_output_callbacks(&to, (void *)0);
	struct perfdata_result *result = NULL;
	enum perfdata_status status = PERFDATA_ENOMEM, closed;
	if (input && output)
		status = perfdata_convert(input, output, format, options, &result, &last_error);
	closed = perfdata_output_close(output, status == PERFDATA_OK, status == PERFDATA_OK ? &last_error : NULL);
	const struct perfdata_summary *summary = result ? perfdata_result_summary(result) : NULL;
	last_complete = status == PERFDATA_OK && closed == PERFDATA_OK && summary && summary->complete;
	last_written = result ? (double)perfdata_result_written(result) : 0;
	perfdata_result_free(result);
	perfdata_input_free(input);
	return status != PERFDATA_OK ? status : closed;
}

int web_convert(const char *format, const char *settings, int count, const char *name, double length,
		const char *bundle, int names, int order, double limit)
{
	char root[256] = "";
	struct place place = { .name = name, .length = length < 0 ? 0 : (uint64_t)length, .is_pushed = length < 0 };
	struct perfdata_symbols_options symbols = { .size = sizeof symbols, .finding = on_finding };
	struct perfdata_bundle_files *files = NULL;
	struct perfdata_cancel *cancel = perfdata_cancel_new();
	struct perfdata_setting *values = settings_of(settings, count);
	const struct perfdata_reader_options reader = { .size = sizeof reader, .on_finding = on_finding,
							.cancel = cancel, .on_progress = on_progress,
							.progress_user = cancel };
	struct perfdata_convert_options options = { .size = sizeof options, .settings = values, .jobs = 1,
						    .nr_settings = (size_t)count, .symbols = &symbols,
						    .names = (enum perfdata_tristate)names, .reader = &reader,
						    .order = (enum perfdata_order_wish)order,
						    .limit = (uint64_t)limit, .on_finding = on_finding };
	memset(&last_error, 0, sizeof last_error);
	last_complete = false;
	last_written = 0;
	enum perfdata_status status = values && cancel ? PERFDATA_OK : PERFDATA_ENOMEM;
	if (!status)
		status = take_bundle(&bundle, root, sizeof root, &symbols, &files);
	if (!status)
		status = convert_place(format, &options, &place);
	if (status && !last_error.message[0])
		snprintf(last_error.message, sizeof last_error.message, "%s", perfdata_status_text(status));
	perfdata_bundle_files_close(files);
	perfdata_cancel_free(cancel);
	free(values);
	return (int)status;
}

/* --- records as they arrive --------------------------------------------------------------------------------------- */

struct web_feed {
	struct perfdata_input *input;
	struct perfdata_reader *reader;
	struct perfdata_session *session;
	const struct perfdata_emitter *emitter;
	struct perfdata_emitter_option_value *values;
	size_t nr_values;
	char *settings;                      /* owns the texts of `values` */
	struct place place;                  /* of an input that JavaScript reads by offset */
	void *state;
	struct perfdata_scratch scratch;
	struct perfdata_text text;
	uint64_t rows;
	enum perfdata_record_order order;
	/* rows of a table */
	char *table, *columns, *bundle, root[256];
	bool lines;
	struct perfdata_bundle_files *bundle_files;
	struct perfdata_symbols *symbols;
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray array;
};

/* NULL: no such option, or without memory; web_message says which. */
static bool feed_settings(struct web_feed *feed, const char *settings, int count)
{
	const char *end = settings;
	for (int i = 0; i < 2 * count; i++)
		end += strlen(end) + 1;
	feed->settings = malloc((size_t)(end - settings) + 1);
	feed->values = calloc((size_t)count + 1, sizeof *feed->values);
	if (!feed->settings || !feed->values)
		return false;
	memcpy(feed->settings, settings, (size_t)(end - settings));
	for (const char *name = feed->settings; feed->nr_values < (size_t)count; feed->nr_values++) {
		const char *value = name + strlen(name) + 1;
		const struct perfdata_emitter_option *option = perfdata_emitter_option_named(feed->emitter, name);
		if (!option) {
			snprintf(last_error.message, sizeof last_error.message, "records have no option %.80s", name);
			return false;
		}
		if (perfdata_option_parse(option, *value ? value : NULL, &feed->values[feed->nr_values], &last_error))
			return false;
		name = value + strlen(value) + 1;
	}
	return true;
}

struct web_feed *web_feed_new(const char *settings, int count, int order, const char *name, double length)
{
	struct web_feed *feed = calloc(1, sizeof *feed);
	memset(&last_error, 0, sizeof last_error);
	snprintf(last_error.message, sizeof last_error.message, "out of memory");
	if (!feed)
		return NULL;
	feed->emitter = perfdata_registry_find(NULL, "ndjson");
	feed->order = order == PERFDATA_ORDER_WISH_TIME ? PERFDATA_ORDER_TIME : PERFDATA_ORDER_FILE;
	feed->place.length = length < 0 ? 0 : (uint64_t)length;
	feed->input = length < 0 ? perfdata_input_fed(NULL, name)
				 : perfdata_input_callbacks(&reading, &feed->place, name);
	if (feed->input && feed_settings(feed, settings, count))
		return feed;
	web_feed_free(feed);
	return NULL;
}

int web_feed_bytes(struct web_feed *feed, const void *bytes, int size)
{
	return (int)perfdata_feed(feed->input, bytes, (size_t)size, &last_error);
}

int web_feed_end(struct web_feed *feed) { return (int)perfdata_feed_end(feed->input, &last_error); }

static enum perfdata_status feed_open_reader(struct web_feed *feed)
{
	const struct perfdata_reader_options options = { .size = sizeof options, .order = feed->order,
							 .on_finding = on_finding };
	return feed->reader ? PERFDATA_OK
			    : perfdata_reader_open(feed->input, &options, &feed->reader, &last_error);
}

static enum perfdata_status feed_open(struct web_feed *feed)
{
	enum perfdata_status status = feed_open_reader(feed);
	if (status || feed->session)
		return status;
	const struct perfdata_emitter *emitter = feed->emitter;
	struct perfdata_configuration wants = { .size = sizeof wants, .names = PERFDATA_NO, .reterr = &last_error,
						.options = feed->values, .nr_options = feed->nr_values,
						.needs = emitter->needs };
	status = emitter->configure ? emitter->configure(emitter->user, &wants) : PERFDATA_OK;
	const struct perfdata_session_options session = { .size = sizeof session, .needs = wants.needs,
							  .no_host = true };
	if (!status)
		status = perfdata_session_open(feed->reader, &session, &feed->session, &last_error);
	bool reads_no_stacks;
	const struct perfdata_emit_context context = { .size = sizeof context, .reader = feed->reader, .jobs = 1,
						       .session = feed->session, .options = feed->values,
						       .nr_options = feed->nr_values, .names = PERFDATA_NO,
						       .on_finding = on_finding, .reterr = &last_error,
						       .emitter_user = emitter->user,
						       .recording = perfdata_reader_header(feed->reader)->name,
						       .rows = &feed->rows,
						       .reads_no_stacks = &reads_no_stacks };
	return status ? status : emitter->begin(&context, &feed->state, &feed->text);
}

static enum perfdata_status spell_batch(struct web_feed *feed, const struct perfdata_batch *batch)
{
	const struct perfdata_emitter *emitter = feed->emitter;
	void *value = NULL, *part = NULL;
	enum perfdata_status status = emitter->scan ? emitter->scan(feed->state, batch, &value) : PERFDATA_OK;
	if (!status)
		status = emitter->format(feed->state, batch, value, &feed->scratch, &feed->text, &part);
	if (!status && emitter->merge)
		status = emitter->merge(feed->state, part, &feed->text);
	if (emitter->free_value)
		emitter->free_value(value);
	return status ? status : feed->text.failed ? PERFDATA_ENOMEM : PERFDATA_OK;
}

int web_feed_next(struct web_feed *feed)
{
	struct perfdata_batch *batch;
	perfdata_text_clear(&feed->text);
	enum perfdata_status status = feed->state ? PERFDATA_OK : feed_open(feed);
	if (!status)
		status = perfdata_session_next(feed->session, &batch);
	if (status == PERFDATA_OK) {
		status = spell_batch(feed, batch);
		perfdata_batch_release(batch);
	} else if (status < 0 && feed->session) {
		last_error = *perfdata_session_error(feed->session);
	}
	return (int)status;
}

const char *web_feed_text(const struct web_feed *feed) { return feed->text.data; }
int web_feed_size(const struct web_feed *feed) { return (int)feed->text.size; }

/* --- rows of tables as they arrive -------------------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

int web_feed_table(struct web_feed *feed, const char *table, const char *columns, int lines, const char *bundle)
{
	feed->table = copy_of(table);
	feed->columns = copy_of(columns);
	feed->bundle = copy_of(bundle);
	feed->lines = lines;
	const bool is_whole = feed->table && (feed->columns || !columns) && (feed->bundle || !bundle);
	return is_whole ? PERFDATA_OK : PERFDATA_ENOMEM;
}

static enum perfdata_status open_names(struct web_feed *feed)
{
	struct perfdata_symbols_options symbols = { .size = sizeof symbols, .finding = on_finding };
	if (!feed->bundle || feed->symbols)
		return PERFDATA_OK;
	const enum perfdata_status status = take_bundle((const char *const *)&feed->bundle, feed->root,
							sizeof feed->root, &symbols, &feed->bundle_files);
	return status ? status : perfdata_symbols_new(&symbols, &feed->symbols);
}

/* Opens the stream of rows once, even if that fails: a reader can have only one. */
static enum perfdata_status open_rows(struct web_feed *feed)
{
	enum perfdata_status status = feed->stream.release ? PERFDATA_OK : feed_open_reader(feed);
	if (!status && !feed->stream.release)
		status = open_names(feed);
	if (status || feed->stream.release)
		return status;
	const struct perfdata_table_options options = { .size = sizeof options, .columns = feed->columns,
							.recording = perfdata_reader_header(feed->reader)->name,
							.symbols = feed->symbols, .no_host = true,
							.lines = feed->lines, .on_finding = on_finding };
	return perfdata_table_stream(feed->reader, feed->table, &options, &feed->stream, &last_error);
}

static enum perfdata_status status_of_stream(struct web_feed *feed, int code)
{
	if (!code || code == EAGAIN)
		return code ? PERFDATA_AGAIN : PERFDATA_OK;
	const char *why = feed->stream.get_last_error(&feed->stream);
	snprintf(last_error.message, sizeof last_error.message, "%s", why ? why : strerror(code));
	return code == ENOMEM ? PERFDATA_ENOMEM : code == EINTR ? PERFDATA_EINTR : PERFDATA_EREAD;
}

int web_feed_rows(struct web_feed *feed)
{
	if (feed->array.release)
		feed->array.release(&feed->array);
	enum perfdata_status status = open_rows(feed);
	if (status == PERFDATA_OK && !feed->schema.release)
		status = status_of_stream(feed, feed->stream.get_schema(&feed->stream, &feed->schema));
	if (status == PERFDATA_OK)
		status = status_of_stream(feed, feed->stream.get_next(&feed->stream, &feed->array));
	return (int)(status == PERFDATA_OK && !feed->array.release ? PERFDATA_END : status);
}

const void *web_feed_schema(const struct web_feed *feed) { return feed->schema.release ? &feed->schema : NULL; }
const void *web_feed_array(const struct web_feed *feed) { return &feed->array; }

static void free_rows(struct web_feed *feed)
{
	if (feed->array.release)
		feed->array.release(&feed->array);
	if (feed->schema.release)
		feed->schema.release(&feed->schema);
	if (feed->stream.release)
		feed->stream.release(&feed->stream);
	perfdata_symbols_free(feed->symbols);
	perfdata_bundle_files_close(feed->bundle_files);
	free(feed->table);
	free(feed->columns);
	free(feed->bundle);
}

void web_feed_free(struct web_feed *feed)
{
	if (!feed)
		return;
	free_rows(feed);
	if (feed->scratch.free_cache)
		feed->scratch.free_cache(feed->scratch.cache);
	perfdata_text_release(&feed->scratch.text);
	perfdata_text_release(&feed->text);
	if (feed->state && feed->emitter->release)
		feed->emitter->release(feed->state);
	perfdata_session_close(feed->session);
	perfdata_reader_close(feed->reader);
	perfdata_input_free(feed->input);
	free(feed->settings);
	free(feed->values);
	free(feed);
}
