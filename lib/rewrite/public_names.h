/* SPDX-License-Identifier: MIT */
/* Names that an anonymous recording keeps: names that perf and the kernel write themselves, byte for byte. Every other
 * name gets a pseudonym. */
#ifndef PD_PUBLIC_NAMES_H
#define PD_PUBLIC_NAMES_H

#include "perfdata/base.h"

enum pd_public_kind {
	PD_PUBLIC_PMU,           /* "cpu", "uncore_imc_0" */
	PD_PUBLIC_UNIT,          /* unit of a count: "Joules" */
	PD_PUBLIC_MACHINE,       /* machine as uname -m prints it */
	PD_PUBLIC_CAPABILITY,    /* capability of a PMU: "max_precise" */
	PD_PUBLIC_VALUE,         /* value of a capability: a small number */
	PD_PUBLIC_COMM,          /* "swapper", "swapper/3" */
};
bool pd_is_public(enum pd_public_kind kind, struct perfdata_bytes name);
/* Whether the kernel defines this event, for example "sched" and "sched_switch". */
bool pd_is_kernel_event(struct perfdata_bytes system, struct perfdata_bytes event);
/* Returns the version at the beginning of a kernel release, "6.1.0" of "6.1.0-13-company"; empty if there is none. */
struct perfdata_bytes pd_version_of(struct perfdata_bytes release);

#endif
