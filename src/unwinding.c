/* SPDX-License-Identifier: MIT */
/* Facts of Android's simpleperf about stacks that it could not unwind (--keep-failed-unwinding-result). */
#include "config.h"
#include <inttypes.h>
#include <string.h>
#include "unwinding.h"

enum { OTHER_CODE = sizeof((struct unwinding *)0)->of / sizeof(uint64_t) - 1 };

/* simpleperf's rule: if the unreadable address is at most this far above the recorded stack, a larger copy would have
 * contained it. */
#define NEAR_STACK (UINT64_C(128) << 10)

static const char *code_name(size_t code)
{
	const struct perfdata_layout *layout = perfdata_record_layout(PERFDATA_RECORD_SIMPLEPERF_UNWINDING_RESULT);
	const struct perfdata_field *field;
	for (size_t i = 0; code < OTHER_CODE && (field = perfdata_layout_field(layout, i)); i++)
		if (perfdata_field_name(field) && !strcmp(perfdata_field_name(field), "error_code"))
			return perfdata_name_of(perfdata_field_names(field), code);
	return "OTHER";
}

void unwinding_add(struct unwinding *unwinding, const struct perfdata_unwinding_result *result)
{
	const size_t code = result->error_code < OTHER_CODE ? (size_t)result->error_code : OTHER_CODE;
	const char *name = code_name(code);
	unwinding->stacks++;
	unwinding->of[name ? code : OTHER_CODE]++;
	if (name && !strcmp(name, "MEMORY_INVALID") && result->error_addr >= result->stack_end &&
	    result->error_addr - result->stack_end <= NEAR_STACK)
		unwinding->not_enough_stack++;
}

void unwinding_show(struct perfdata_text *out, const struct unwinding *unwinding)
{
	const char *between = "";
	if (!unwinding->stacks)
		return;
	perfdata_text_printf(out, "unwinding: %" PRIu64 " stack%s incomplete: ", unwinding->stacks,
			     unwinding->stacks == 1 ? " was" : "s were");
	for (size_t i = 0; i <= OTHER_CODE; i++) {
		if (!unwinding->of[i])
			continue;
		perfdata_text_printf(out, "%s%" PRIu64 " %s", between, unwinding->of[i], code_name(i));
		between = ", ";
	}
	if (unwinding->not_enough_stack)
		perfdata_text_printf(out, " (%" PRIu64 " needed more stack than was recorded)",
				     unwinding->not_enough_stack);
	perfdata_text_char(out, '\n');
}

json_object *unwinding_json(const struct unwinding *unwinding)
{
	json_object *object = json_new_object(), *errors = json_new_object();
	json_add(object, "stacks", json_new_number(unwinding->stacks));
	for (size_t i = 0; i <= OTHER_CODE; i++)
		if (unwinding->of[i])
			json_add(errors, code_name(i), json_new_number(unwinding->of[i]));
	json_add(object, "errors", errors);
	json_add(object, "not_enough_stack", json_new_number(unwinding->not_enough_stack));
	return object;
}
