/* SPDX-License-Identifier: MIT */
/* The profile of another recording than the one that a run goes through: what it is compared with. */
#ifndef PD_PROFILE_READ_H
#define PD_PROFILE_READ_H

#include "profile/profile.h"

struct pd_profile_read;
/* Reads a recording whole, with the names and the way of reading that the other session has. `like` lives longer than
 * *ret. Errors as those of a reader and a session; a damaged recording is none: its findings say so. */
enum perfdata_status pd_profile_read_path(const char *path, const struct perfdata_session *like,
					  const struct pd_profile_options *options, perfdata_finding_fn *on_finding,
					  void *user, struct pd_profile_read **ret, struct perfdata_error *reterr);
void pd_profile_read_free(struct pd_profile_read *read);
struct perfdata_session *pd_profile_read_session(struct pd_profile_read *read);
struct pd_profile *pd_profile_read_profile(struct pd_profile_read *read);

#endif
