/* SPDX-License-Identifier: MIT */
/* Requests files from debuginfod servers. Only this file uses the network, and only if the options say so. The client
 * library is loaded at first need. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/library.h"
#include "symbols/symbols.h"

#ifdef HAVE_DEBUGINFOD

#include <dlfcn.h>
#include <elfutils/debuginfod.h>

struct client_library {
	void *handle;
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_end) end;
	__typeof__(&debuginfod_find_debuginfo) find_debuginfo;
	__typeof__(&debuginfod_find_executable) find_executable;
};

PD_NOTE_LIBRARY(debuginfod, "debuginfod", "Downloads debugging information", "suggested",
		"[\"libdebuginfod.so.1\"]");

static enum perfdata_status load_client(struct client_library *library, char *reason, size_t room)
{
	struct pd_library_failure failure;
	const enum perfdata_status status = pd_library_open("libdebuginfod.so.1", &library->handle, &failure);
	snprintf(reason, room, "the debuginfod client library cannot be loaded%s%s", failure.text ? ": " : "",
		 failure.text ? failure.text : "");
	if (status)
		return status;
	*(void **)&library->begin = dlsym(library->handle, "debuginfod_begin");
	*(void **)&library->end = dlsym(library->handle, "debuginfod_end");
	*(void **)&library->find_debuginfo = dlsym(library->handle, "debuginfod_find_debuginfo");
	*(void **)&library->find_executable = dlsym(library->handle, "debuginfod_find_executable");
	if (library->begin && library->end && library->find_debuginfo && library->find_executable)
		return PERFDATA_OK;
	dlclose(library->handle);
	return PERFDATA_ABSENT;
}

static enum perfdata_status explain_status(enum perfdata_status status, char *reason, size_t room, const char *why)
{
	snprintf(reason, room, "%s", why);
	return status;
}

/* If a server does not answer, the file counts as absent; lack of descriptors, memory or disk space is a local
 * failure. */
static enum perfdata_status explain_errno(int code, char *reason, size_t room)
{
	char text[128];
	if (code == ENOENT || code == ENOSYS)
		return explain_status(PERFDATA_ABSENT, reason, room, "no server has it");
	const enum perfdata_status status = pd_status_of_errno(code);
	return explain_status(status == PERFDATA_ENOMEM || code == EIO ? status : PERFDATA_ABSENT, reason, room,
			      pd_errno_text(code, text, sizeof text));
}

enum perfdata_status pd_debuginfod_find(const struct pd_build_id *id, bool debug, struct pd_arena *bytes,
					const char **ret_path, int *ret_fd, char *reason, size_t room)
{
	struct client_library library = { 0 };
	char *path = NULL;
	const enum perfdata_status loaded = load_client(&library, reason, room);
	if (loaded)
		return loaded;
	debuginfod_client *client = library.begin();
	if (!client)
		return explain_status(PERFDATA_ENOMEM, reason, room, perfdata_status_text(PERFDATA_ENOMEM));
	const int fd = debug ? library.find_debuginfo(client, id->bytes, (int)id->size, &path) :
			       library.find_executable(client, id->bytes, (int)id->size, &path);
	library.end(client);
	if (fd < 0)
		return explain_errno(-fd, reason, room);
	*ret_path = path ? pd_arena_copy(bytes, path, strlen(path)) : NULL;
	*ret_fd = fd;
	free(path);
	if (*ret_path)
		return PERFDATA_OK;
	close(fd);
	return explain_status(PERFDATA_ENOMEM, reason, room, perfdata_status_text(PERFDATA_ENOMEM));
}

#else

enum perfdata_status pd_debuginfod_find(const struct pd_build_id *id, bool debug, struct pd_arena *bytes,
					const char **ret_path, int *ret_fd, char *reason, size_t room)
{
	(void)id, (void)debug, (void)bytes, (void)ret_path, (void)ret_fd;
	snprintf(reason, room, "built without debuginfod");
	return PERFDATA_ABSENT;
}

#endif
