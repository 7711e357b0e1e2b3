/* SPDX-License-Identifier: MIT */
/* The recorded facts about the trace units of CoreSight: words of AUXTRACE_INFO (Linux, tools/perf/util/cs-etm.h names
 * them; Arm's manuals describe the registers), and AUX_OUTPUT_HW_ID records. */
#include "config.h"
#include "base/memory.h"
#include "auxtrace/cs_stream.h"

#define MAGIC_V3 0x3030303030303030ull
#define MAGIC_V4 0x4040404040404040ull
#define MAGIC_ETE 0x5050505050505050ull

/* Indexes of the words after a processor's number: for ETMv3, then for ETMv4 and ETE. */
enum { V3_ID = 1, V3_IDR = 3, V3_WORDS };
enum { V4_CONFIG, V4_ID, V4_IDR0, V4_IDR1, V4_IDR2, V4_IDR8, V4_AUTH, V4_WORDS, ETE_DEVARCH = V4_WORDS };

/* 0 is padding; 0x70 and above are reserved. */
static uint8_t id_of(uint64_t word)
{
	const uint8_t id = word & 0x7f;
	return id && id < 0x70 ? id : PD_CS_NO_ID;
}

static struct pd_etm_setup setup_of(const struct perfdata_list *words, uint64_t at, bool ete, uint64_t params)
{
	const uint64_t config = perfdata_list_u64(words, at + V4_CONFIG), idr0 = perfdata_list_u64(words, at + V4_IDR0),
		       idr1 = perfdata_list_u64(words, at + V4_IDR1), idr2 = perfdata_list_u64(words, at + V4_IDR2);
	struct pd_etm_setup setup = {
		.version = (uint8_t)(idr1 >> 4 & 0xff),
		.commits_implied = idr0 >> 29 & 1 && idr0 >> 7 & 1,
		.data_trace = (idr0 & 0x18) == 0x18 && config >> 16 & 3 && config >> 1 & 3,
		.conditionals = idr0 >> 6 & 1 && config >> 8 & 7,
		.q_elements = idr0 >> 15 & 3,
		.cycle_bits = (uint8_t)((idr2 >> 25 & 15) + 12),
		.context_id_bytes = (idr2 >> 5 & 31) == 4 ? 4 : 0,
	};
	const unsigned vmid = idr2 >> 10 & 31;
	setup.vmid_bytes = vmid == 1 || vmid == 2 || vmid == 4 ? (uint8_t)vmid : 0;
	if (ete) {
		const uint64_t arch = params > ETE_DEVARCH ? perfdata_list_u64(words, at + ETE_DEVARCH) : 0x5000;
		setup.version = (uint8_t)((arch >> 12 & 15) << 4 | (arch >> 16 & 15));
	}
	return setup;
}

enum perfdata_status pd_cs_sources(const struct perfdata_list *words, struct pd_cs_source **ret_sources, size_t *ret_nr)
{
	struct pd_cs_source *list = NULL;
	size_t nr = 0, room = 0;
	const bool counted = words->count && perfdata_list_u64(words, 0) >= 1;
	uint64_t at = 3;
	*ret_sources = NULL;
	*ret_nr = 0;
	while (at < words->count && words->count - at >= 2u + counted) {
		const uint64_t magic = perfdata_list_u64(words, at);
		const bool v3 = magic == MAGIC_V3, ete = magic == MAGIC_ETE;
		const uint64_t least = v3 ? V3_WORDS : V4_WORDS;
		const uint64_t params = counted ? perfdata_list_u64(words, at + 2) : least + ete;
		const uint64_t first = at + 2 + counted;
		if ((!v3 && !ete && magic != MAGIC_V4) || params < least || params > words->count - first)
			break;
		if (pd_vector_grow(&list, &room, nr, sizeof *list) < 0) {
			pd_free(list);
			return PERFDATA_ENOMEM;
		}
		struct pd_cs_source *source = &list[nr++];
		*source = (struct pd_cs_source){ .id = id_of(perfdata_list_u64(words, first + (v3 ? V3_ID : V4_ID))),
						 .protocol = ete ? PD_CS_ETE : PD_CS_ETMV4,
						 .cpu = (int32_t)perfdata_list_u64(words, at + 1),
						 .sink = PD_CS_ANY_SINK };
		if (v3)
			source->protocol = (perfdata_list_u64(words, first + V3_IDR) & 0xf00) == 0x300 ? PD_CS_PTM
												       : PD_CS_ETMV3;
		else
			source->setup = setup_of(words, first, ete, params);
		at = first + params;
	}
	*ret_sources = list;
	*ret_nr = nr;
	return PERFDATA_OK;
}

bool pd_cs_hw_id(struct pd_cs_source *sources, size_t nr, bool first, uint32_t cpu, uint64_t hw_id)
{
	bool changed = first;
	/* bits 63..60: major version, which must be 0; bits 59..56: minor version, where 1 adds a sink in bits 39..8 */
	if (hw_id >> 60)
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (first)
			sources[i].id = PD_CS_NO_ID;
		if (sources[i].cpu != (int32_t)cpu)
			continue;
		const uint64_t sink = hw_id >> 56 ? hw_id >> 8 & UINT32_MAX : PD_CS_ANY_SINK;
		changed |= sources[i].id != id_of(hw_id) || sources[i].sink != sink;
		sources[i].id = id_of(hw_id);
		sources[i].sink = sink;
	}
	return changed;
}
