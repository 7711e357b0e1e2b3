/* SPDX-License-Identifier: MIT */
/* What the headers promise about functions of the caller that fail: the call that runs them ends with the status that
 * the header states. Functions of inputs, outputs and rewriters are in unit_promises_outputs.c and
 * unit_promises_rewrite.c, the steps of emitters in unit_run.c. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "perfdata.h"
#include "emit/emitters.h"
#include "unit.h"

static char recording[4000];

static enum perfdata_status convert(const char *format, struct perfdata_convert_options *options, size_t *ret_size,
				    struct perfdata_error *reterr)
{
	struct perfdata_input *input = perfdata_input_path(recording);
	struct perfdata_output *output = perfdata_output_memory();
	options->size = sizeof *options;
	memset(reterr, 0, sizeof *reterr);
	const enum perfdata_status status = perfdata_convert(input, output, format, options, NULL, reterr);
	*ret_size = perfdata_output_bytes(output).size;
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
	return status;
}

/* --- perfdata/convert.h ------------------------------------------------------------------------------------------- */

static enum perfdata_status refuse_open(void *user, struct perfdata_reader *reader, struct perfdata_filter *filter,
					struct perfdata_error *reterr)
{
	(void)reterr;
	CHECK(reader && filter);
	return *(const enum perfdata_status *)user;
}

static void test_on_open(void)
{
	static enum perfdata_status wanted[] = { PERFDATA_EUSAGE, PERFDATA_EINTR, PERFDATA_ENOMEM, PERFDATA_ABSENT };
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct perfdata_convert_options options = { .on_open = refuse_open, .open_user = &wanted[i] };
		struct perfdata_error error;
		size_t size;
		CHECK_EQ(convert("ndjson", &options, &size, &error), wanted[i]);
		CHECK(error.status == wanted[i] && error.message[0]);
		CHECK_EQ(size, 0);
	}
}

/* --- perfdata/emit.h ---------------------------------------------------------------------------------------------- */

static enum perfdata_status refuse_configuration(void *user, struct perfdata_configuration *configuration)
{
	(void)configuration;
	return *(const enum perfdata_status *)user;
}

static enum perfdata_status begin_never(const struct perfdata_emit_context *context, void **ret_state,
					struct perfdata_text *out)
{
	(void)context;
	(void)ret_state;
	(void)out;
	CHECK(false);   /* configure failed */
	return PERFDATA_OK;
}

static enum perfdata_status format_never(const void *state, const struct perfdata_batch *batch, void *value,
					 struct perfdata_scratch *scratch, struct perfdata_text *out, void **ret_part)
{
	(void)state, (void)batch, (void)value, (void)scratch, (void)out, (void)ret_part;
	CHECK(false);   /* configure failed */
	return PERFDATA_OK;
}

static void test_configure(void)
{
	static enum perfdata_status wanted[] = { PERFDATA_EUSAGE, PERFDATA_ENOMEM };
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const struct perfdata_emitter emitter = { .abi = PERFDATA_EMITTER_ABI, .size = sizeof emitter,
							  .name = "refusing", .help = "refuses all options",
							  .option_size = sizeof(struct perfdata_emitter_option),
							  .user = &wanted[i], .configure = refuse_configuration,
							  .begin = begin_never, .format = format_never };
		struct perfdata_registry *registry = perfdata_registry_new();
		struct perfdata_error error;
		size_t size;
		CHECK_EQ(pd_registry_add(registry, &emitter, &error), PERFDATA_OK);
		struct perfdata_convert_options options = { .registry = registry };
		CHECK_EQ(convert("refusing", &options, &size, &error), wanted[i]);
		CHECK(error.status == wanted[i] && error.message[0]);
		CHECK_EQ(size, 0);
		perfdata_registry_free(registry);
	}
}

/* --- perfdata/symbols.h ------------------------------------------------------------------------------------------- */

static int fail_open(void *user, const char *path)
{
	(void)path;
	errno = *(const int *)user;
	return -1;
}

/* Absence leaves names out; a failure is reported, as of the library's own open. */
static void test_symbols_open(void)
{
	static struct { int code; enum perfdata_status status; } rows[] = {
		{ ENOENT, PERFDATA_OK },      { EACCES, PERFDATA_OK },      { ELOOP, PERFDATA_OK },
		{ EMFILE, PERFDATA_ENOMEM },  { ENFILE, PERFDATA_ENOMEM },  { ENOMEM, PERFDATA_ENOMEM },
		{ EIO, PERFDATA_EREAD },
	};
	size_t without_names = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct perfdata_symbols_options symbols = { .size = sizeof symbols, .no_host = true,
								  .symfs = "/", .open = fail_open,
								  .open_user = &rows[i].code };
		struct perfdata_convert_options options = { .symbols = &symbols, .names = PERFDATA_YES };
		struct perfdata_error error;
		size_t size;
		CHECK_EQ(convert("folded", &options, &size, &error), rows[i].status);
		if (rows[i].status != PERFDATA_OK) {
			CHECK(error.status == rows[i].status && error.message[0]);
			continue;
		}
		CHECK(size > 0 && (!without_names || size == without_names));
		without_names = size;
	}
}

/* --- perfdata/bundle.h -------------------------------------------------------------------------------------------- */

struct writing { uint64_t bytes, most; };

static enum perfdata_status write_some(void *user, const void *bytes, size_t size)
{
	struct writing *writing = user;
	(void)bytes;
	if (writing->bytes + size > writing->most)
		return PERFDATA_EWRITE;
	writing->bytes += size;
	return PERFDATA_OK;
}

static void test_bundle_write(void)
{
	static const char manifest[] = "{}\n";
	struct writing whole = { 0, UINT64_MAX };
	for (unsigned fails = 0; fails < 2; fails++) {
		struct perfdata_bundle *bundle;
		struct perfdata_error error = { 0 };
		struct writing some = { 0, whole.bytes / 2 };
		CHECK_EQ(perfdata_bundle_new(PERFDATA_BUNDLE_FULL, NULL, &bundle), PERFDATA_OK);
		const enum perfdata_status status = perfdata_bundle_write(bundle, manifest, sizeof manifest - 1,
									  write_some, fails ? &some : &whole, &error);
		CHECK_EQ(status, fails ? PERFDATA_EWRITE : PERFDATA_OK);
		CHECK(fails || whole.bytes > sizeof manifest);
		CHECK(!fails || error.status == PERFDATA_EWRITE);
		perfdata_bundle_free(bundle);
	}
}

/* --- perfdata/describe.h ------------------------------------------------------------------------------------------ */

static enum perfdata_status take_names(void *user, const char *name)
{
	unsigned *left = user;
	CHECK(name && *name && *left);
	return --*left ? PERFDATA_OK : PERFDATA_ELIMIT;
}

static void test_describe_tables(void)
{
	struct perfdata_input *input = perfdata_input_path(recording);
	struct perfdata_output *output = perfdata_output_memory();
	struct perfdata_result *result;
	CHECK_EQ(perfdata_convert(input, output, "ndjson", NULL, &result, NULL), PERFDATA_OK);
	unsigned left = 1000;
	CHECK_EQ(perfdata_describe_tables(perfdata_result_summary(result), take_names, &left), PERFDATA_OK);
	const unsigned names = 1000 - left;
	CHECK(names > 2);
	for (unsigned nr = 1; nr <= names; nr++) {
		left = nr;
		CHECK_EQ(perfdata_describe_tables(perfdata_result_summary(result), take_names, &left), PERFDATA_ELIMIT);
		CHECK_EQ(left, 0);
	}
	perfdata_result_free(result);
	perfdata_output_close(output, false, NULL);
	perfdata_input_free(input);
}

int main(void)
{
	const char *source = getenv("top_srcdir");
	snprintf(recording, sizeof recording, "%s/testdata/callgraph-73.data", source ? source : ".");
	static const struct unit_case cases[] = {
		{ "on_open ends a conversion with its status", test_on_open },
		{ "configure ends a conversion with its status", test_configure },
		{ "a failing open of symbols is no absence", test_symbols_open },
		{ "a bundle ends with the status of write", test_bundle_write },
		{ "tables end with the status of add", test_describe_tables },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
