/* SPDX-License-Identifier: MIT */
/* Names that an anonymous recording keeps: those that perf and the kernel write themselves, exactly as they spell them.
 * Every other name gets a pseudonym. */
#ifndef PD_PUBLIC_NAMES_H
#define PD_PUBLIC_NAMES_H

#include "perfdata/base.h"

enum pd_public_kind {
	PD_PUBLIC_PMU,           /* "cpu", "uncore_imc_0" */
	PD_PUBLIC_UNIT,          /* of counts: "Joules" */
	PD_PUBLIC_MACHINE,       /* as uname -m */
	PD_PUBLIC_CAPABILITY,    /* of a PMU: "max_precise" */
	PD_PUBLIC_VALUE,         /* of a capability: a small number */
	PD_PUBLIC_COMM,          /* "swapper", "swapper/3" */
};
bool pd_is_public(enum pd_public_kind kind, struct perfdata_bytes name);
/* An event of the kernel: "sched", "sched_switch". */
bool pd_is_kernel_event(struct perfdata_bytes system, struct perfdata_bytes event);
/* The version that a release begins with: "6.1.0" of "6.1.0-13-company"; nothing where no version is there. */
struct perfdata_bytes pd_version_of(struct perfdata_bytes release);

#endif
