/* SPDX-License-Identifier: MIT */
/* Profiles of other recordings than that of the run, such as a base for a comparison, and repeat runs. */
#ifndef PD_PROFILE_READ_H
#define PD_PROFILE_READ_H

#include "profile/profile.h"

/* The profiles of other recordings that an emitter needs. A conversion reads them before it calls `begin`. */
struct pd_profile_others {
	const char *const *options;       /* names of options whose values are recordings, then NULL */
	struct pd_profile_options wanted;
};

struct pd_profile_read;
/* Reads a whole recording in the order of time, with the options of the session `like` except its range of times.
 * `like` must outlive *ret. reader: how to open the recording; damage is no error, but a finding. Returns the errors of
 * a reader and of a session. */
enum perfdata_status pd_profile_read_path(const char *path, const struct perfdata_session *like,
					  const struct perfdata_reader_options *reader,
					  const struct pd_profile_options *wanted, struct pd_profile_read **ret,
					  struct perfdata_error *reterr);
void pd_profile_read_free(struct pd_profile_read *read);
struct perfdata_session *pd_profile_read_session(struct pd_profile_read *read);
struct pd_profile *pd_profile_read_profile(struct pd_profile_read *read);

#endif
