/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include "junit.h"
#include "print.h"

/* Whether U+FFFE or U+FFFF is at `at`, which XML forbids. Callers have removed control characters and invalid UTF-8. */
static bool is_no_character(const uint8_t *at, size_t size)
{
	return size >= 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
}

/* Appends printable text escaped for XML, for attributes and for element content. */
static void write_escaped(struct perfdata_text *out, const char *bytes, size_t size)
{
	const uint8_t *at = (const uint8_t *)bytes;
	for (size_t i = 0; i < size; i++) {
		switch (at[i]) {
		case '&':
			perfdata_text_literal(out, "&amp;");
			break;
		case '<':
			perfdata_text_literal(out, "&lt;");
			break;
		case '>':
			perfdata_text_literal(out, "&gt;");
			break;
		case '"':
			perfdata_text_literal(out, "&quot;");
			break;
		default:
			if (is_no_character(at + i, size - i)) {
				perfdata_text_literal(out, "\xef\xbf\xbd");
				i += 2;
			} else {
				perfdata_text_char(out, (char)at[i]);
			}
		}
	}
}

static void write_attribute(struct perfdata_text *out, const char *name, const char *value)
{
	struct perfdata_text printable;
	perfdata_text_init(&printable);
	perfdata_text_printable(&printable, value, strlen(value));
	perfdata_text_printf(out, " %s=\"", name);
	write_escaped(out, printable.data, printable.size);
	perfdata_text_char(out, '"');
	out->failed |= perfdata_text_failed(&printable);
	perfdata_text_release(&printable);
}

void junit_init(struct junit *junit, const char *classname)
{
	memset(junit, 0, sizeof *junit);
	perfdata_text_init(&junit->cases);
	perfdata_text_init(&junit->suites);
	junit->classname = classname;
}

void junit_case(struct junit *junit, const char *name, enum junit_result result, const char *type, const char *message,
		const struct perfdata_text *details)
{
	static const char *const tags[] = {
		[JUNIT_PASSED] = "system-out",
		[JUNIT_FAILED] = "failure",
		[JUNIT_BROKEN] = "error",
		[JUNIT_SKIPPED] = "skipped",
	};
	struct perfdata_text *out = &junit->cases;
	junit->counts[result]++;
	out->failed |= details && perfdata_text_failed(details);
	perfdata_text_literal(out, "    <testcase");
	write_attribute(out, "classname", junit->classname);
	write_attribute(out, "name", name);
	if (result == JUNIT_PASSED && details && !details->size) {
		perfdata_text_literal(out, "/>\n");
		return;
	}
	perfdata_text_printf(out, ">\n      <%s", tags[result]);
	if (result != JUNIT_PASSED) {
		if (type)
			write_attribute(out, "type", type);
		write_attribute(out, "message", message);
	}
	perfdata_text_char(out, '>');
	if (details)
		write_escaped(out, details->data, details->size);
	perfdata_text_printf(out, "</%s>\n    </testcase>\n", tags[result]);
}

void junit_inputs(struct junit *junit, enum exit_code code)
{
	if (code != EXIT_FINE)
		junit_case(junit, "inputs", JUNIT_BROKEN, NULL, exit_code_meaning(code), NULL);
}

void junit_suite(struct junit *junit, const char *suite)
{
	struct perfdata_text *out = &junit->suites;
	uint64_t tests = 0;
	for (size_t i = 0; i < JUNIT_RESULTS; i++)
		tests += junit->counts[i];
	perfdata_text_literal(out, "  <testsuite");
	write_attribute(out, "name", suite);
	perfdata_text_printf(
		out,
		" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64 "\" skipped=\"%" PRIu64 "\">\n",
		tests, junit->counts[JUNIT_FAILED], junit->counts[JUNIT_BROKEN], junit->counts[JUNIT_SKIPPED]);
	perfdata_text_append(out, junit->cases.data, junit->cases.size);
	perfdata_text_literal(out, "  </testsuite>\n");
	out->failed |= perfdata_text_failed(&junit->cases);
	perfdata_text_clear(&junit->cases);
	memset(junit->counts, 0, sizeof junit->counts);
}

void junit_end(struct junit *junit, const char *suite, struct perfdata_text *out)
{
	if (suite)
		junit_suite(junit, suite);
	perfdata_text_literal(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	perfdata_text_append(out, junit->suites.data, junit->suites.size);
	perfdata_text_literal(out, "</testsuites>\n");
	out->failed |= perfdata_text_failed(&junit->suites);
	perfdata_text_release(&junit->cases);
	perfdata_text_release(&junit->suites);
}

enum exit_code junit_without_answer(const char *classname, enum exit_code code)
{
	struct junit junit;
	struct perfdata_text out;
	if (code == EXIT_USAGE)
		return code;
	perfdata_text_init(&out);
	junit_init(&junit, classname);
	junit_inputs(&junit, code);
	junit_end(&junit, "inputs", &out);
	const bool fine = !perfdata_text_failed(&out);
	if (fine)
		print_answer(out.data, out.size);
	perfdata_text_release(&out);
	return fine ? code : exit_code_join(code, EXIT_LIMIT);
}
