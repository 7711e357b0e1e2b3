/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <string.h>
#include "base/memory.h"
#include "perfdata/base.h"

#define MOST_KEPT 1000

struct perfdata_finding_list {
	struct perfdata_finding *kept;
	size_t nr, room;
	uint64_t total;
};

struct perfdata_finding_list *perfdata_finding_list_new(void)
{
	return pd_calloc(1, sizeof(struct perfdata_finding_list));
}

static void free_texts(struct perfdata_finding *finding)
{
	pd_free((char *)finding->file);
	pd_free((char *)finding->message);
}

void perfdata_finding_list_free(struct perfdata_finding_list *list)
{
	for (size_t i = 0; list && i < list->nr; i++)
		free_texts(&list->kept[i]);
	if (list)
		pd_free(list->kept);
	pd_free(list);
}

static int compare_numbers(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* Orders findings by place: a formatter reports findings later than the reader, and the delay depends on threads. */
static int compare_findings(const struct perfdata_finding *a, const struct perfdata_finding *b)
{
	int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
	order = order ? order : compare_numbers(a->offset, b->offset);
	order = order ? order : compare_numbers(a->record, b->record);
	order = order ? order : compare_numbers(a->code, b->code);
	return order ? order : strcmp(a->message, b->message);
}

static bool copy_finding(const struct perfdata_finding *finding, struct perfdata_finding *ret)
{
	*ret = *finding;
	ret->message = pd_strndup(finding->message, strlen(finding->message));
	ret->file = finding->file ? pd_strndup(finding->file, strlen(finding->file)) : NULL;
	if (ret->message && (!finding->file || ret->file))
		return true;
	free_texts(ret);
	return false;
}

enum perfdata_status perfdata_finding_list_add(struct perfdata_finding_list *list,
					       const struct perfdata_finding *finding)
{
	size_t at = list->nr;
	struct perfdata_finding own;
	list->total++;
	while (at && compare_findings(finding, &list->kept[at - 1]) < 0)
		at--;
	if (at == MOST_KEPT)
		return PERFDATA_OK;
	if (pd_vector_grow(&list->kept, &list->room, list->nr, sizeof *list->kept) < 0 || !copy_finding(finding, &own))
		return PERFDATA_ENOMEM;
	if (list->nr == MOST_KEPT)
		free_texts(&list->kept[--list->nr]);
	memmove(&list->kept[at + 1], &list->kept[at], (list->nr - at) * sizeof *list->kept);
	list->kept[at] = own;
	list->nr++;
	return PERFDATA_OK;
}

const struct perfdata_finding *perfdata_finding_list_get(const struct perfdata_finding_list *list, size_t *ret_nr,
							 uint64_t *ret_total)
{
	*ret_nr = list ? list->nr : 0;
	if (ret_total)
		*ret_total = list ? list->total : 0;
	return list ? list->kept : NULL;
}
