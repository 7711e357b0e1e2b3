/* "Did you mean …": the nearest of several names. */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/* The search: start with { .wanted = … }, offer every name, then read `name`: NULL if none is near. */
struct nearest {
	const char *wanted;
	const char *name;
	size_t distance;
};
void nearest_offer(struct nearest *nearest, const char *name);

/* "; did you mean NAME?" or nothing, in a buffer of the caller. prefix stands in front of the name ("--"). */
#define NEAREST_SIZE 160
const char *nearest_hint(const struct nearest *nearest, const char *prefix, char ret[NEAREST_SIZE]);

#endif
