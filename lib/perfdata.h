/* SPDX-License-Identifier: MIT */
/* libperfdata: everything that is public and stable. Each part can be included alone; perfdata/base.h lists the
 * parts. */
#ifndef PERFDATA_H
#define PERFDATA_H

#include "perfdata/base.h"
#include "perfdata/bundle.h"
#include "perfdata/compare.h"
#include "perfdata/describe.h"
#include "perfdata/emit.h"
#include "perfdata/feature.h"
#include "perfdata/convert.h"
#include "perfdata/input.h"
#include "perfdata/output.h"
#include "perfdata/match.h"
#include "perfdata/registry.h"
#include "perfdata/perf.h"
#include "perfdata/reader.h"
#include "perfdata/rewrite.h"
#include "perfdata/schema.h"
#include "perfdata/session.h"
#include "perfdata/symbols.h"
#include "perfdata/table.h"
#include "perfdata/text.h"
#include "perfdata/top.h"
#include "perfdata/trace.h"

#endif
