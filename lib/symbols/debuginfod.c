/* SPDX-License-Identifier: MIT */
/* The only file that uses the network, and only when the options say so: the client library is loaded at first need. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

static bool load_client(struct client_library *library)
{
	library->handle = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!library->handle)
		return false;
	*(void **)&library->begin = dlsym(library->handle, "debuginfod_begin");
	*(void **)&library->end = dlsym(library->handle, "debuginfod_end");
	*(void **)&library->find_debuginfo = dlsym(library->handle, "debuginfod_find_debuginfo");
	*(void **)&library->find_executable = dlsym(library->handle, "debuginfod_find_executable");
	if (library->begin && library->end && library->find_debuginfo && library->find_executable)
		return true;
	dlclose(library->handle);
	return false;
}

int pd_debuginfod_find(const struct pd_build_id *id, bool debug, struct pd_arena *bytes, const char **ret_path,
		       const char **ret_reason)
{
	struct client_library library;
	char *path = NULL;
	*ret_reason = "the debuginfod client library cannot be loaded";
	if (!load_client(&library))
		return -1;
	debuginfod_client *client = library.begin();
	int fd = -1;
	*ret_reason = "no server has it";
	if (client) {
		fd = debug ? library.find_debuginfo(client, id->bytes, (int)id->size, &path) :
			     library.find_executable(client, id->bytes, (int)id->size, &path);
		library.end(client);
	}
	if (fd >= 0) {
		*ret_path = path ? pd_arena_copy(bytes, path, strlen(path)) : NULL;
		if (!*ret_path)
			close(fd);
		*ret_reason = *ret_path ? *ret_reason : NULL;
		fd = *ret_path ? fd : -1;
	}
	free(path);
	return fd < 0 ? -1 : fd;
}

#else

int pd_debuginfod_find(const struct pd_build_id *id, bool debug, struct pd_arena *bytes, const char **ret_path,
		       const char **ret_reason)
{
	(void)id, (void)debug, (void)bytes, (void)ret_path;
	*ret_reason = "built without debuginfod";
	return -1;
}

#endif
