/* SPDX-License-Identifier: MIT */
/* The profiles of other recordings than the run's: bases for a comparison, repeat runs. */
#ifndef PD_PROFILE_READ_H
#define PD_PROFILE_READ_H

#include "profile/profile.h"

/* What an emitter that shows other recordings as well asks for. A conversion reads them before the emitter begins. */
struct pd_profile_others {
	const char *const *options;       /* names of its options whose values are recordings; NULL ends them */
	struct pd_profile_options wanted;
};

struct pd_profile_read;
/* Reads a recording whole, in order of time, with the options of the session `like` except its range of times. `like`
 * lives longer than *ret. reader: how to open it; its findings report damage, which is no error. Errors: as of a reader
 * and a session. */
enum perfdata_status pd_profile_read_path(const char *path, const struct perfdata_session *like,
					  const struct perfdata_reader_options *reader,
					  const struct pd_profile_options *wanted, struct pd_profile_read **ret,
					  struct perfdata_error *reterr);
void pd_profile_read_free(struct pd_profile_read *read);
struct perfdata_session *pd_profile_read_session(struct pd_profile_read *read);
struct pd_profile *pd_profile_read_profile(struct pd_profile_read *read);

#endif
