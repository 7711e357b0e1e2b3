/* SPDX-License-Identifier: MIT */
#ifndef PD_LIBRARY_H
#define PD_LIBRARY_H

#include "perfdata/base.h"

struct pd_library_failure {
	const char *text;      /* message of the loader, valid until this thread calls it again; NULL: none */
	int code;              /* errno value; 0: the library is not installed, or is no usable library */
};

/* Opens a library of the system. Returns PERFDATA_OK; PERFDATA_ABSENT; or the status for failure->code. */
enum perfdata_status pd_library_open(const char *name, void **ret, struct pd_library_failure *failure);

/* Lists a library that pd_library_open may open in an ELF note, as DT_NEEDED lists linked ones, for packaging tools:
 * https://systemd.io/ELF_DLOPEN_METADATA. id: a C identifier. priority: "recommended" or "suggested". sonames: a JSON
 * array of names; any one of them suffices. */
#ifdef __ELF__
#define PD_NOTE_LIBRARY(id, feature, description, priority, sonames) \
	PD_NOTE_JSON(id, "[{\"feature\":\"" feature "\",\"description\":\"" description \
			 "\",\"priority\":\"" priority "\",\"soname\":" sonames "}]")
#define PD_NOTE_JSON(id, text) \
	__attribute__((used, section(".note.dlopen"))) _Alignas(uint32_t) static const struct { \
		uint32_t name_size, text_size, type; \
		char name[4]; \
		_Alignas(uint32_t) char json[sizeof(text)]; \
	} pd_note_##id = { 4, sizeof(text), 0x407c0c0a, "FDO", text }
#else
#define PD_NOTE_LIBRARY(id, feature, description, priority, sonames) \
	struct pd_note_##id
#endif

#endif
