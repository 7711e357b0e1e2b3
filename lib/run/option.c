#include "config.h"
#include "perfdata/emit.h"

static const struct perfdata_emitter_option_value *find(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name)
{
	while (nr_options)
		if (!strcmp(options[--nr_options].option->name, name))
			return &options[nr_options];
	return NULL;
}

const char *perfdata_option_text(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name)
{
	const struct perfdata_emitter_option_value *value = find(options, nr_options, name);
	return value ? value->text : NULL;
}

bool perfdata_option_flag(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name, bool otherwise)
{
	const struct perfdata_emitter_option_value *value = find(options, nr_options, name);
	if (!value)
		return otherwise;
	return !value->text || strcmp(value->text, "no");
}

uint64_t perfdata_option_number(const struct perfdata_emitter_option_value *options, size_t nr_options, const char *name, uint64_t otherwise)
{
	const struct perfdata_emitter_option_value *value = find(options, nr_options, name);
	return value ? value->number : otherwise;
}
