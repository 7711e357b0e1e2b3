/* SPDX-License-Identifier: MIT */
/* Writes SARIF 2.1.0: findings are the results of one run, and the texts of `explain` are its rules. */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "check_show.h"

#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define UNREADABLE "UNREADABLE"    /* rule for inputs that cannot be read */

static void write_member(struct perfdata_text *out, const char *key, const char *text)
{
	perfdata_text_printf(out, "\"%s\":", key);
	perfdata_text_json_string(out, text, strlen(text));
}

/* Appends a path as a URI reference. Relative paths stay relative, so that CI finds them in its checkout. */
static void spell_uri(struct perfdata_text *out, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	perfdata_text_string(out, *path == '/' ? "\"file://" : "\"");
	for (; *path; path++) {
		if (strchr(plain, *path))
			perfdata_text_char(out, *path);
		else
			perfdata_text_printf(out, "%%%02X", (unsigned)(uint8_t)*path);
	}
	perfdata_text_char(out, '"');
}

static void spell_place(struct perfdata_text *out, const char *file, uint64_t offset)
{
	perfdata_text_literal(out, "\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
	spell_uri(out, file);
	/* byteOffset is the place; some viewers need startLine */
	perfdata_text_literal(out, "},\"region\":{\"startLine\":1");
	if (offset != PERFDATA_NO_OFFSET)
		perfdata_text_printf(out, ",\"byteOffset\":%" PRIu64 ",\"byteLength\":0", offset);
	perfdata_text_literal(out, "}}}]");
}

static void spell_result(struct perfdata_text *out, const char *rule, size_t index, const char *level,
			 const char *message, const char *file, uint64_t offset)
{
	struct perfdata_text print;
	perfdata_text_init(&print);
	perfdata_text_printf(&print, "%s:%s", rule, file);
	if (offset != PERFDATA_NO_OFFSET)
		perfdata_text_printf(&print, ":%" PRIx64, offset);
	perfdata_text_string(out, out->size ? ",\n{" : "{");
	write_member(out, "ruleId", rule);
	perfdata_text_printf(out, ",\"ruleIndex\":%zu,\"level\":\"%s\",\"message\":{", index, level);
	write_member(out, "text", message);
	perfdata_text_literal(out, "},");
	spell_place(out, file, offset);
	perfdata_text_literal(out, ",\"partialFingerprints\":{\"place/v1\":");
	perfdata_text_json_string(out, print.data, print.size);
	perfdata_text_literal(out, "}}");
	out->failed |= perfdata_text_failed(&print);
	perfdata_text_release(&print);
}

/* Index of the rule for a code; UNREADABLE, the last rule, for an unknown code (0). */
static size_t rule_index(unsigned code)
{
	const struct perfdata_finding_info *info;
	size_t i = 0;
	while ((info = perfdata_finding_at(i)) && (unsigned)info->code != code)
		i++;
	return i;
}

void sarif_result(struct perfdata_text *out, const struct perfdata_finding *finding, const char *file)
{
	char code[8];
	/* with the letter of the code's usual severity, as in `explain` */
	const struct perfdata_finding_info *info = perfdata_finding_lookup(finding->code);
	spell_result(out, message_code(info ? info->severity : finding->severity, finding->code, code),
		     rule_index(finding->code), perfdata_severity_name(finding->severity), finding->message,
		     finding->file ? finding->file : file, finding->offset);
}

void sarif_failure(struct perfdata_text *out, const char *file, const char *message)
{
	spell_result(out, UNREADABLE, rule_index(0), "error", message, file, PERFDATA_NO_OFFSET);
}

static void spell_rule(struct perfdata_text *out, const char *id, const char *name, const char *level,
		       const char *meaning, const char *advice)
{
	perfdata_text_literal(out, "{");
	write_member(out, "id", id);
	perfdata_text_literal(out, ",");
	write_member(out, "name", name);
	perfdata_text_literal(out, ",\"shortDescription\":{");
	write_member(out, "text", meaning);
	perfdata_text_literal(out, "},\"help\":{");
	write_member(out, "text", advice);
	perfdata_text_printf(out, "},\"defaultConfiguration\":{\"level\":\"%s\"}}", level);
}

static void spell_rules(struct perfdata_text *out)
{
	const struct perfdata_finding_info *info;
	char code[8];
	for (size_t i = 0; (info = perfdata_finding_at(i)); i++) {
		spell_rule(out, message_code(info->severity, info->code, code), info->name,
			   perfdata_severity_name(info->severity), info->meaning, info->advice);
		perfdata_text_literal(out, ",\n");
	}
	spell_rule(
		out, UNREADABLE, UNREADABLE, "error", "The input cannot be opened or read, or is no recording.",
		"See the message; whether the path and its permissions are right, and what the file is (`file PATH`).");
}

void sarif_document(struct perfdata_text *out, const struct perfdata_text *results, enum exit_code code)
{
	perfdata_text_literal(out, "{\"$schema\":\"" SARIF_SCHEMA
				   "\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"perfdata\",");
	write_member(out, "version", perfdata_version());
	perfdata_text_literal(out, ",\"rules\":[\n");
	spell_rules(out);
	perfdata_text_printf(out,
			     "\n]}},\"columnKind\":\"unicodeCodePoints\",\"invocations\":[{\"executionSuccessful\":%s,"
			     "\"exitCode\":%d}],\"results\":[\n",
			     code == EXIT_FINE || code == EXIT_ANSWER_NO ? "true" : "false", (int)code);
	perfdata_text_append(out, results->data, results->size);
	perfdata_text_literal(out, "\n]}]}\n");
	out->failed |= perfdata_text_failed(results);
}
