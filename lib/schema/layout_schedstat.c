/* SPDX-License-Identifier: MIT */
/* SCHEDSTAT records: counters of /proc/schedstat. Which counters a domain has, and in which order, depends on the
 * version of that file; perf writes all versions with the size of the largest and zeros after the last counter. */
#include "config.h"
#include "schema/layout.h"

#define COUNTER(index, name_, doc_) PD_ROW_AS(name_, schedstat, counters[index], U32, DEC, doc_)

static const struct perfdata_field cpu_fields[] = {
	PD_ROW(schedstat, timestamp, U64, DEC, "Time of the counters, in jiffies."),
	PD_ROW(schedstat, cpu, U32, DEC, "CPU."),
	PD_ROW(schedstat, version, U16, DEC, "Version of /proc/schedstat."),
	PD_PAD(2),
	COUNTER(0, "yld_count", "Calls of sched_yield."),
	COUNTER(1, "array_exp", "Not used since the scheduler has no expired array."),
	COUNTER(2, "sched_count", "Calls of schedule."),
	COUNTER(3, "sched_goidle", "Calls of schedule that left the CPU idle."),
	COUNTER(4, "ttwu_count", "Wakeups."),
	COUNTER(5, "ttwu_local", "Wakeups of tasks on this CPU."),
	PD_ROW(schedstat, rq_cpu_time, U64, DEC, "Time tasks ran.", PD_UNIT(NS)),
	PD_ROW(schedstat, run_delay, U64, DEC, "Time tasks waited to run.", PD_UNIT(NS)),
	PD_ROW(schedstat, pcount, U64, DEC, "Number of time slices."),
	PD_PAD_REST,
};
const struct perfdata_layout pd_schedstat_cpu_layout = {
	.name = "schedstat_cpu", .perf_name = "SCHEDSTAT_CPU", .doc = "Scheduler counters of a CPU.",
	.id = PERFDATA_RECORD_SCHEDSTAT_CPU, .min_size = 24, .view_size = sizeof(struct perfdata_schedstat),
	PD_FIELDS(cpu_fields),
};

#define DOMAIN_START \
	PD_ROW(schedstat, timestamp, U64, DEC, "Time of the counters, in jiffies."), \
	PD_ROW(schedstat, cpu, U32, DEC, "CPU."), \
	PD_ROW(schedstat, version, U16, DEC, "Version of /proc/schedstat."), \
	PD_ROW(schedstat, domain, U16, DEC, "Number of the scheduling domain.")
/* Load balancing while the CPU was idle, busy, or about to become idle, in versions up to 16. The next macro is for
 * later versions. */
#define BALANCE_16(at, when) \
	COUNTER((at) + 0, when "_lb_count", "Calls of load balancing, CPU " when "."), \
	COUNTER((at) + 1, when "_lb_balanced", "It found the load balanced, CPU " when "."), \
	COUNTER((at) + 2, when "_lb_failed", "It could move no task, CPU " when "."), \
	COUNTER((at) + 3, when "_lb_imbalance", "Sum of the imbalances it found, CPU " when "."), \
	COUNTER((at) + 4, when "_lb_gained", "Tasks it moved, CPU " when "."), \
	COUNTER((at) + 5, when "_lb_hot_gained", "Tasks it moved though their caches were hot, CPU " when "."), \
	COUNTER((at) + 6, when "_lb_nobusyq", "It found no busier queue, CPU " when "."), \
	COUNTER((at) + 7, when "_lb_nobusyg", "It found no busier group, CPU " when ".")
#define BALANCE_17(at, when) \
	COUNTER((at) + 0, when "_lb_count", "Calls of load balancing, CPU " when "."), \
	COUNTER((at) + 1, when "_lb_balanced", "It found the load balanced, CPU " when "."), \
	COUNTER((at) + 2, when "_lb_failed", "It could move no task, CPU " when "."), \
	COUNTER((at) + 3, when "_lb_imbalance_load", "Sum of the imbalances of load, CPU " when "."), \
	COUNTER((at) + 4, when "_lb_imbalance_util", "Sum of the imbalances of utilization, CPU " when "."), \
	COUNTER((at) + 5, when "_lb_imbalance_task", "Sum of the imbalances of tasks, CPU " when "."), \
	COUNTER((at) + 6, when "_lb_imbalance_misfit", "Sum of the imbalances by misfit tasks, CPU " when "."), \
	COUNTER((at) + 7, when "_lb_gained", "Tasks it moved, CPU " when "."), \
	COUNTER((at) + 8, when "_lb_hot_gained", "Tasks it moved though their caches were hot, CPU " when "."), \
	COUNTER((at) + 9, when "_lb_nobusyq", "It found no busier queue, CPU " when "."), \
	COUNTER((at) + 10, when "_lb_nobusyg", "It found no busier group, CPU " when ".")
#define DOMAIN_END(at) \
	COUNTER((at) + 0, "alb_count", "Calls of active load balancing."), \
	COUNTER((at) + 1, "alb_failed", "It could move no task."), \
	COUNTER((at) + 2, "alb_pushed", "Tasks it moved."), \
	COUNTER((at) + 3, "sbe_count", "Calls of balancing at exec."), \
	COUNTER((at) + 4, "sbe_balanced", "Not used."), \
	COUNTER((at) + 5, "sbe_pushed", "Not used."), \
	COUNTER((at) + 6, "sbf_count", "Calls of balancing at fork."), \
	COUNTER((at) + 7, "sbf_balanced", "Not used."), \
	COUNTER((at) + 8, "sbf_pushed", "Not used."), \
	COUNTER((at) + 9, "ttwu_wake_remote", "Wakeups of tasks that last ran on another CPU of the domain."), \
	COUNTER((at) + 10, "ttwu_move_affine", "Wakeups that moved the task here for its caches."), \
	COUNTER((at) + 11, "ttwu_move_balance", "Wakeups that moved the task here for balance."), \
	PD_PAD_REST

static const struct perfdata_field domain_15_fields[] = {
	DOMAIN_START, BALANCE_16(0, "idle"), BALANCE_16(8, "busy"), BALANCE_16(16, "newidle"), DOMAIN_END(24),
};
static const struct perfdata_field domain_16_fields[] = {
	DOMAIN_START, BALANCE_16(0, "busy"), BALANCE_16(8, "idle"), BALANCE_16(16, "newidle"), DOMAIN_END(24),
};
static const struct perfdata_field domain_17_fields[] = {
	DOMAIN_START, BALANCE_17(0, "busy"), BALANCE_17(11, "idle"), BALANCE_17(22, "newidle"), DOMAIN_END(33),
};

#define DOMAIN(name_, doc_)                                                                                  \
	.name = name_, .perf_name = "SCHEDSTAT_DOMAIN", .doc = doc_, .id = PERFDATA_RECORD_SCHEDSTAT_DOMAIN, \
	.min_size = 24, .view_size = sizeof(struct perfdata_schedstat)
const struct perfdata_layout pd_schedstat_domain_layout = {
	DOMAIN("schedstat_domain", "Scheduler counters of a CPU in a domain."), PD_FIELDS(domain_17_fields),
};
static const struct perfdata_layout domain_15_layout = {
	DOMAIN("schedstat_domain_15", "The same, where version is 15."), PD_FIELDS(domain_15_fields),
};
static const struct perfdata_layout domain_16_layout = {
	DOMAIN("schedstat_domain_16", "The same, where version is 16."), PD_FIELDS(domain_16_fields),
};
/* For unknown versions: the fields before the counters. */
static const struct perfdata_layout domain_any_layout = {
	DOMAIN("schedstat_domain_any", "The same, where the version is not known."),
	.fields = domain_17_fields,
	.nr_fields = 4,
};
static const struct perfdata_layout cpu_any_layout = {
	.name = "schedstat_cpu_any", .perf_name = "SCHEDSTAT_CPU", .doc = "The same, where the version is not known.",
	.id = PERFDATA_RECORD_SCHEDSTAT_CPU, .min_size = 24, .view_size = sizeof(struct perfdata_schedstat),
	.fields = cpu_fields, .nr_fields = 4,
};

const struct perfdata_layout *pd_schedstat_layout(uint32_t type, uint16_t version)
{
	bool known = version >= 15 && version <= 17;

	if (type == PERFDATA_RECORD_SCHEDSTAT_CPU)
		return known ? &pd_schedstat_cpu_layout : &cpu_any_layout;
	switch (version) {
	case 15: return &domain_15_layout;
	case 16: return &domain_16_layout;
	case 17: return &pd_schedstat_domain_layout;
	default: return &domain_any_layout;
	}
}

const struct perfdata_layout *pd_schedstat_older(size_t index)
{
	static const struct perfdata_layout *const older[] = { &domain_15_layout, &domain_16_layout };

	return index < sizeof older / sizeof *older ? older[index] : NULL;
}
