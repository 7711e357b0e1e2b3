/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "perfdata/schema.h"
#include "schema/schema.h"

/* Whether the visitor, which may come from an older header, has the method. */
#define HAS(visitor, method) \
	((visitor)->size >= offsetof(struct perfdata_visitor, method) + sizeof (visitor)->method && (visitor)->method)

static int visit_any(const struct perfdata_visitor *visitor, void *user, const struct perfdata_record *record)
{
	return HAS(visitor, any) ? visitor->any(user, record) : 0;
}

static int visit_mmap2(const struct perfdata_visitor *visitor, void *user, const struct perfdata_record *record)
{
	const struct perfdata_mmap2 *mmap2 = &record->u.mmap2;

	if (HAS(visitor, mmap2))
		return visitor->mmap2(user, record, mmap2);
	if (!HAS(visitor, mmap))
		return visit_any(visitor, user, record);
	/* Rows 0 to 4 are the same; the file name is the last one of both. */
	uint32_t name2 = perfdata_record_layout(PERFDATA_RECORD_MMAP2)->nr_fields - 1;
	uint32_t name = perfdata_record_layout(PERFDATA_RECORD_MMAP)->nr_fields - 1;
	struct perfdata_mmap mmap = {
		.present = (mmap2->present & 0x1f) | (mmap2->present >> name2 & 1) << name,
		.pid = mmap2->pid, .tid = mmap2->tid, .addr = mmap2->addr, .len = mmap2->len, .pgoff = mmap2->pgoff,
		.filename = mmap2->filename,
	};
	return visitor->mmap(user, record, &mmap);
}

static int visit_task(const struct perfdata_visitor *visitor, void *user, const struct perfdata_record *record)
{
	const struct perfdata_task *task = &record->u.task;

	if (record->type == PERFDATA_RECORD_FORK && HAS(visitor, fork))
		return visitor->fork(user, record, task);
	if (record->type == PERFDATA_RECORD_EXIT && HAS(visitor, exit))
		return visitor->exit(user, record, task);
	return HAS(visitor, task) ? visitor->task(user, record, task) : visit_any(visitor, user, record);
}

int perfdata_visit(const struct perfdata_visitor *visitor, void *user, const struct perfdata_record *record)
{
	switch (record->type) {
	case PERFDATA_RECORD_SAMPLE:
		if (HAS(visitor, sample))
			return visitor->sample(user, record, &record->u.sample);
		break;
	case PERFDATA_RECORD_MMAP:
		if (HAS(visitor, mmap))
			return visitor->mmap(user, record, &record->u.mmap);
		break;
	case PERFDATA_RECORD_MMAP2:
		return visit_mmap2(visitor, user, record);
	case PERFDATA_RECORD_COMM:
		if (HAS(visitor, comm))
			return visitor->comm(user, record, &record->u.comm);
		break;
	case PERFDATA_RECORD_FORK:
	case PERFDATA_RECORD_EXIT:
		return visit_task(visitor, user, record);
	case PERFDATA_RECORD_SWITCH:
	case PERFDATA_RECORD_SWITCH_CPU_WIDE:
		if (HAS(visitor, context_switch))
			return visitor->context_switch(user, record, &record->u.context_switch);
		break;
	case PERFDATA_RECORD_LOST:
		if (HAS(visitor, lost))
			return visitor->lost(user, record, record->u.lost.lost);
		break;
	case PERFDATA_RECORD_LOST_SAMPLES:
		if (HAS(visitor, lost))
			return visitor->lost(user, record, record->u.lost_samples.lost);
		break;
	default:
		break;
	}
	return visit_any(visitor, user, record);
}
