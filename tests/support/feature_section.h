/* SPDX-License-Identifier: MIT */
/* Builds the bytes of a feature section in either byte order, and looks into the nodes that they decode to. */
#ifndef TESTS_FEATURE_SECTION_H
#define TESTS_FEATURE_SECTION_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perfdata/feature.h"

/* --- building ---------------------------------------------------------------------------------------------------- */

struct build {
	uint8_t bytes[8192];
	size_t size;
	enum perfdata_byte_order order;
};

static void put(struct build *b, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++) {
		unsigned shift = b->order == PERFDATA_BYTE_ORDER_BIG ? width - 1 - i : i;
		b->bytes[b->size++] = (uint8_t)(value >> shift * 8);
	}
}
static void put16(struct build *b, uint64_t value) { put(b, value, 2); }
static void put32(struct build *b, uint64_t value) { put(b, value, 4); }
static void put64(struct build *b, uint64_t value) { put(b, value, 8); }

static void put_raw(struct build *b, const void *bytes, size_t size)
{
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
}
static void put_zeros(struct build *b, size_t size)
{
	memset(b->bytes + b->size, 0, size);
	b->size += size;
}
/* Appends a text as perf writes it: its length with padding, then the text, padded to a multiple of 64. */
static void put_string(struct build *b, const char *text)
{
	size_t size = (strlen(text) + 1 + 63) / 64 * 64;
	put32(b, size);
	memcpy(b->bytes + b->size, text, strlen(text));
	memset(b->bytes + b->size + strlen(text), 0, size - strlen(text));
	b->size += size;
}

/* --- looking ----------------------------------------------------------------------------------------------------- */

/* Returns the node at a path of member names and element numbers, such as "cpus/1/core_id". */
static const struct perfdata_node *at(const struct perfdata_node *node, const char *path)
{
	while (node && *path) {
		size_t size = strcspn(path, "/");
		char name[64];
		memcpy(name, path, size);
		name[size] = 0;
		if (node->kind == PERFDATA_KIND_LIST) {
			const struct perfdata_node *element = node->child;
			for (unsigned long i = strtoul(name, NULL, 10); i > 0 && element; i--)
				element = element->next;
			node = element;
		} else {
			node = perfdata_node_get(node, name);
		}
		path += size + (path[size] == '/');
	}
	return node;
}

static uint64_t number(const struct perfdata_node *root, const char *path)
{
	const struct perfdata_node *node = at(root, path);
	return node ? node->v.u : UINT64_C(0xdeadbeefdeadbeef);
}

static const char *text(const struct perfdata_node *root, const char *path)
{
	static char copy[256];
	const struct perfdata_node *node = at(root, path);
	if (!node || node->kind != PERFDATA_KIND_STRING)
		return NULL;
	snprintf(copy, sizeof copy, "%.*s", (int)node->v.bytes.size, (const char *)node->v.bytes.data);
	return copy;
}

#endif
