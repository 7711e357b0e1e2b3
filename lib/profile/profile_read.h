/* SPDX-License-Identifier: MIT */
/* The profile of a second recording, with which the recording of a run is compared. */
#ifndef PD_PROFILE_READ_H
#define PD_PROFILE_READ_H

#include "profile/profile.h"

struct pd_profile_read;
/* Reads a recording whole, with the options of the session `like` except its range of times. `like` lives longer than
 * *ret. Errors are those of a reader and a session; damage is no error: findings tell of it. */
enum perfdata_status pd_profile_read_path(const char *path, const struct perfdata_session *like,
					  const struct pd_profile_options *options, perfdata_finding_fn *on_finding,
					  void *user, struct pd_profile_read **ret, struct perfdata_error *reterr);
void pd_profile_read_free(struct pd_profile_read *read);
struct perfdata_session *pd_profile_read_session(struct pd_profile_read *read);
struct pd_profile *pd_profile_read_profile(struct pd_profile_read *read);

#endif
