/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "perfdata/registry.h"

#define MAX_LENGTH 63

static size_t smaller_of(size_t a, size_t b) { return a < b ? a : b; }

static bool same_letter(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Returns how many letters must be added, dropped, changed or swapped with their neighbour to make one name the
 * other. */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t rows[3][MAX_LENGTH + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2];
	for (size_t j = 0; j <= b_size; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			now[j] = last[j - 1] + !same_letter(a[i - 1], b[j - 1]);
			now[j] = smaller_of(now[j], smaller_of(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
				now[j] = smaller_of(now[j], before[j - 2] + 1);
		}
		size_t *const oldest = before;
		before = last;
		last = now;
		now = oldest;
	}
	return last[b_size];
}

void perfdata_nearest_offer(struct perfdata_nearest *nearest, const char *name)
{
	const size_t wanted = strlen(nearest->wanted), size = strlen(name);
	if (wanted > MAX_LENGTH || size > MAX_LENGTH || !wanted || !size)
		return;
	size_t d = edit_distance(nearest->wanted, wanted, name, size);
	/* The user may have typed only the beginning or another part of the name. */
	const bool part = wanted >= 3 && strcasestr(name, nearest->wanted);
	if (d > (wanted + 2) / 3 && !part)
		return;
	if (!nearest->name || d < nearest->distance) {
		nearest->name = name;
		nearest->distance = d;
	}
}

const char *perfdata_nearest_hint(const struct perfdata_nearest *nearest, const char *prefix,
				  char ret[PERFDATA_NEAREST_SIZE])
{
	ret[0] = '\0';
	if (nearest->name)
		snprintf(ret, PERFDATA_NEAREST_SIZE, "; did you mean %s%s?", prefix, nearest->name);
	return ret;
}
