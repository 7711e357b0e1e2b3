/* SPDX-License-Identifier: MIT */
/* Finds the files of kernel modules: at the recorded path, compressed or not, or at the path in the module list of the
 * recorded kernel. */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/port.h"
#include "symbols/symbols.h"

bool pd_module_packing(const char *path, size_t index, char out[PD_ROOTED_PATH])
{
	static const char *const packings[] = { "", ".gz", ".xz", ".zst" };
	const char *slash = strrchr(path, '/'), *end = strstr(slash ? slash : path, ".ko");
	const size_t count = sizeof packings / sizeof *packings;
	/* first the recorded path */
	if (!index)
		return snprintf(out, PD_ROOTED_PATH, "%s", path) < PD_ROOTED_PATH;
	return end && index <= count &&
	       snprintf(out, PD_ROOTED_PATH, "%.*s%s", (int)(end - path) + 3, path, packings[index - 1]) <
		       PD_ROOTED_PATH;
}

bool pd_module_list(const char *release, char out[PD_ROOTED_PATH])
{
	if (!release || !*release || strchr(release, '/') || !strcmp(release, ".."))
		return false;
	return snprintf(out, PD_ROOTED_PATH, "/lib/modules/%s/modules.dep", release) < PD_ROOTED_PATH;
}

static bool same_module_name(const char *a, const char *b, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((a[i] == '-' ? '_' : a[i]) != (b[i] == '-' ? '_' : b[i]))
			return false;
	return true;
}

bool pd_module_listed(const char *text, const char *release, const char *name, char out[PD_ROOTED_PATH])
{
	name += *name == '[';
	const size_t size = strcspn(name, "]");
	for (const char *line = text; size && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const size_t length = strcspn(line, ":\n");
		const char *slash = memrchr(line, '/', length), *base = slash ? slash + 1 : line;
		const size_t left = (size_t)(line + length - base);
		if (left < size + 3 || !same_module_name(base, name, size) || strncmp(base + size, ".ko", 3) != 0 ||
		    length >= PD_ROOTED_PATH)
			continue;
		const int head = *line == '/' ? snprintf(out, PD_ROOTED_PATH, "%.*s", (int)length, line)
					      : snprintf(out, PD_ROOTED_PATH, "/lib/modules/%s/%.*s", release,
							 (int)length, line);
		return head < PD_ROOTED_PATH;
	}
	return false;
}

/* Reads the module list of the recorded kernel from the first place that has one. */
struct listing {
	struct perfdata_symbols *symbols;
	char *text;
};

static bool read_list(void *user, const char *path, const char *what)
{
	struct listing *listing = user;
	size_t size;
	(void)what;
	const int fd = pd_symbols_open(listing->symbols, path, PD_REGULAR_STORED);
	if (fd < 0) {
		(void)pd_symbols_fail(listing->symbols, path, errno);
		return false;
	}
	const enum perfdata_status status = pd_read_whole(fd, PD_MAX_MODULE_LIST, &listing->text, &size);
	if (status && status != PERFDATA_ELIMIT)
		(void)pd_symbols_fail(listing->symbols, path, errno);
	close(fd);
	return status == PERFDATA_OK;
}

bool pd_module_places(struct perfdata_symbols *symbols, const char *path, const char *release,
		      pd_location_fn *take, void *user)
{
	char listed[PD_ROOTED_PATH], place[PD_ROOTED_PATH];
	struct listing listing = { .symbols = symbols };
	bool taken = false;
	if (*path == '[') {
		if (!pd_module_list(release, listed) ||
		    !pd_places_of(symbols, listed, "list of modules", read_list, &listing))
			return false;
		path = pd_module_listed(listing.text, release, path, listed) ? listed : "";
		pd_free(listing.text);
	}
	for (size_t i = 0; !taken && pd_module_packing(path, i, place); i++)
		taken = pd_places_of(symbols, place, "module", take, user);
	return taken;
}
