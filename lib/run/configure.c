/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <stddef.h>
#include <string.h>
#include "base/error.h"
#include "perfdata/emit.h"
#include "perfdata/registry.h"
#include "run/run.h"

enum perfdata_status pd_emitter_check_options(const struct perfdata_emitter *emitter,
					      const struct perfdata_emitter_option_value *options, size_t nr_options,
					      struct perfdata_error *reterr)
{
	const size_t end = offsetof(struct perfdata_emitter, option_rules) + sizeof emitter->option_rules;
	return perfdata_option_rules_check(emitter->size < end ? NULL : emitter->option_rules, options, nr_options,
					   reterr);
}

enum perfdata_status pd_emitter_configure(const struct perfdata_emitter *emitter,
						const struct perfdata_emitter_option_value *options, size_t nr_options,
						enum perfdata_tristate names, struct perfdata_configuration *ret,
						struct perfdata_error *reterr)
{
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct perfdata_configuration configuration = {
		.size = sizeof configuration,
		.options = options,
		.nr_options = nr_options,
		.names = names,
		.reterr = &error,
		.needs = emitter->needs,
		.order = PERFDATA_ORDER_TIME,
		.symbols = emitter->flags & PERFDATA_EMITTER_SYMBOLS,
		.merge_deferred = emitter->needs & PERFDATA_NEED_DELIVERIES,
	};
	enum perfdata_status status = pd_emitter_check_options(emitter, options, nr_options, &error);
	if (!status && emitter->configure)
		status = emitter->configure(emitter->user, &configuration);
	if (status) {
		if (!error.status)
			pd_error_of_status(&error, status, PERFDATA_NO_OFFSET);
		if (reterr)
			*reterr = error;
		return status;
	}
	configuration.reterr = NULL;
	*ret = configuration;
	return PERFDATA_OK;
}
