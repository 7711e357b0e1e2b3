/* SPDX-License-Identifier: MIT */
/* Loads the library of a codec, and says why a codec cannot be used. */
#include "config.h"
#include <stdio.h>
#include "base/error.h"
#include "codec/codec_impl.h"

enum perfdata_status pd_codec_is_not_built(const char *name, struct pd_codec_reason *ret_reason)
{
	if (ret_reason)
		snprintf(ret_reason->text, sizeof ret_reason->text, "this build has no %s", name);
	return PERFDATA_EUNSUP;
}

enum perfdata_status pd_codec_load_library(struct pd_library *library, struct pd_codec_reason *ret_reason)
{
	struct pd_library_failure failure;
	char text[100];
	const enum perfdata_status status = pd_library_load(library, &failure);

	if (status && ret_reason && failure.code)
		snprintf(ret_reason->text, sizeof ret_reason->text, "%s cannot be loaded: %s", library->name,
			 pd_errno_text(failure.code, text, sizeof text));
	else if (status && ret_reason)
		snprintf(ret_reason->text, sizeof ret_reason->text, "%s is not installed, or of another version",
			 library->name);
	return status == PERFDATA_ABSENT ? PERFDATA_EUNSUP : status;
}
