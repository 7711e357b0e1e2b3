/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "perfdata/base.h"

const char *perfdata_status_text(enum perfdata_status status)
{
	switch (status) {
	case PERFDATA_OK: return "fine";
	case PERFDATA_END: return "nothing more to read";
	case PERFDATA_DAMAGED: return "damaged";
	case PERFDATA_ABSENT: return "not in the recording";
	case PERFDATA_AGAIN: return "more bytes are needed";
	case PERFDATA_ENOMEM: return "out of memory";
	case PERFDATA_EREAD: return "cannot be read";
	case PERFDATA_EFORMAT: return "not a perf.data recording";
	case PERFDATA_EUSAGE: return "wrong parameter";
	case PERFDATA_ELIMIT: return "a limit was hit";
	case PERFDATA_EWRITE: return "cannot be written";
	case PERFDATA_EUNSUP: return "not supported, or built without the package that this needs";
	case PERFDATA_EINTR: return "interrupted";
	}
	return "unknown status";
}

const char *perfdata_version(void) { return PACKAGE_VERSION; }

const char *perfdata_build_info(void)
{
	return ""
#ifdef HAVE_ZLIB
	       "zlib "
#endif
#ifdef HAVE_ZSTD
	       "zstd "
#endif
#ifdef HAVE_LZMA
	       "lzma "
#endif
#ifdef HAVE_ELFUTILS
	       "elfutils "
#endif
#ifdef HAVE_DEBUGINFOD
	       "debuginfod "
#endif
	       "pthreads";
}

static const struct perfdata_finding_info codes[] = {
#define PERFDATA_FINDING_ROW(code, severity, name, meaning, advice) \
	{ (enum perfdata_finding_code)code, severity, #name, meaning, advice },
#include "perfdata/findings.def"
#undef PERFDATA_FINDING_ROW
};

const struct perfdata_finding_info *perfdata_finding_at(size_t index)
{
	return index < sizeof codes / sizeof *codes ? &codes[index] : NULL;
}

const struct perfdata_finding_info *perfdata_finding_lookup(unsigned code)
{
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (codes[i].code == code)
			return &codes[i];
	return NULL;
}
