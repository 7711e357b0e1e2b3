/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/error.h"
#include "base/option_struct.h"

void perfdata_options_init(void *options, size_t size)
{
	memset(options, 0, size);
	memcpy(options, &size, sizeof size);
}

enum perfdata_status pd_options_copy(void *own, size_t own_size, size_t min_size, const void *options,
				     struct perfdata_error *reterr)
{
	const uint8_t *bytes = options;
	size_t size = 0;

	perfdata_options_init(own, own_size);
	if (!options)
		return PERFDATA_OK;
	memcpy(&size, options, sizeof size);
	if (size < min_size)
		return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
				"options of %zu bytes are too short: `size` is to be set", size);
	for (size_t i = own_size; i < size; i++)
		if (bytes[i])
			return pd_error(reterr, PERFDATA_EUSAGE, PERFDATA_NO_OFFSET,
					"the option at byte %zu is unknown to version %s", i, perfdata_version());
	memcpy(own, options, size < own_size ? size : own_size);
	memcpy(own, &own_size, sizeof own_size);
	return PERFDATA_OK;
}
