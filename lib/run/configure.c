/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "perfdata/emit.h"
#include "run/run.h"

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
	const enum perfdata_status status = emitter->configure ? emitter->configure(emitter->user, &configuration)
							       : PERFDATA_OK;
	if (status) {
		if (!error.status)
			pd_error(&error, status, PERFDATA_NO_OFFSET, "%s", perfdata_status_text(status));
		if (reterr)
			*reterr = error;
		return status;
	}
	configuration.reterr = NULL;
	*ret = configuration;
	return PERFDATA_OK;
}
