/* SPDX-License-Identifier: MIT */
/* Lists of names that perf and the kernel write themselves. */
#include "config.h"
#include <ctype.h>
#include <string.h>
#include "rewrite/public_names.h"

/* '#' matches a number: of a CPU, or of one of several PMUs. */
static const char *const pmus[] = {
	"cpu",
	"cpu_core",
	"cpu_atom",
	"cpu_lowpower",
	"software",
	"tracepoint",
	"breakpoint",
	"kprobe",
	"uprobe",
	"msr",
	"power",
	"power_core",
	"cstate_core",
	"cstate_pkg",
	"cstate_module",
	"intel_pt",
	"intel_bts",
	"i915",
	"xe",
	"rapl",
	"drm",
	"hwmon",
	"tool",
	"ibs_fetch",
	"ibs_op",
	"amd_nb",
	"amd_l2",
	"amd_l3",
	"amd_df",
	"amd_umc_#",
	"amd_iommu_#",
	"uncore",
	"uncore_arb",
	"uncore_arb_#",
	"uncore_clock",
	"uncore_cbox_#",
	"uncore_cha_#",
	"uncore_ha_#",
	"uncore_sbox_#",
	"uncore_bbox_#",
	"uncore_mbox_#",
	"uncore_rbox_#",
	"uncore_wbox",
	"uncore_ubox",
	"uncore_ubox_#",
	"uncore_pcu",
	"uncore_pcu_#",
	"uncore_irp",
	"uncore_irp_#",
	"uncore_iio_#",
	"uncore_iio_free_running_#",
	"uncore_imc",
	"uncore_imc_#",
	"uncore_imc_free_running",
	"uncore_imc_free_running_#",
	"uncore_m2m_#",
	"uncore_m3upi_#",
	"uncore_m2pcie_#",
	"uncore_upi_#",
	"uncore_qpi_#",
	"uncore_r2pcie",
	"uncore_r3qpi_#",
	"uncore_mdf_#",
	"uncore_b2cmi_#",
	"uncore_b2hot_#",
	"uncore_b2upi_#",
	"uncore_cxlcm_#",
	"uncore_cxldp_#",
	"uncore_edc_uclk_#",
	"uncore_edc_eclk_#",
	"uncore_mc_uclk_#",
	"uncore_mc_dclk_#",
	"armv6_1136",
	"armv6_1156",
	"armv6_1176",
	"armv7_cortex_a#",
	"armv8_cortex_a#",
	"armv8_neoverse_n#",
	"armv8_neoverse_v#",
	"armv8_pmuv3",
	"armv8_pmuv3_#",
	"armv8_brahma_b#",
	"armv8_cavium_thunder",
	"apple_icestorm_pmu",
	"apple_firestorm_pmu",
	"apple_avalanche_pmu",
	"apple_blizzard_pmu",
	"arm_spe_#",
	"arm_cmn_#",
	"cs_etm",
	"hv_24x7",
	"hv_gpci",
	"vpa_pmu",
	"cpum_cf",
	"cpum_sf",
	"pai_crypto",
	"pai_ext",
};

static const char *const units[] = {
	"Joules", "Watts", "Bytes", "B", "KiB", "MiB", "GiB", "KB", "MB", "GB", "MiB/s", "Hz", "MHz", "GHz", "C",
	"ns", "us", "ms", "s", "msec", "percent", "%", "cycles", "tasks", "CPUs utilized", "2^-32 Joules",
};

static const char *const machines[] = {
	"x86_64",   "i386",    "i486",  "i586",  "i686",  "aarch64", "aarch64_be",  "arm",         "armv5tel",
	"armv5tejl", "armv6l", "armv7l", "armv8l", "ppc",   "ppc64",   "ppc64le",     "s390",        "s390x",
	"riscv32",  "riscv64", "mips",  "mips64", "sparc", "sparc64", "loongarch64", "loongarch32", "alpha",
	"parisc",   "parisc64", "ia64", "m68k",   "sh4",   "arc",     "csky",        "xtensa",
};

static const char *const capabilities[] = {
	"branches", "max_precise", "pmu_name", "slots", "bus_slots", "bus_width", "threshold_max", "threads", "ldlat",
	"zen4_ibs_extensions", "branch_counter_nr", "branch_counter_width", "power_event_trace", "psb_cyc", "mtc",
	"topa_output", "topa_multiple_entries", "single_range_output", "payloads_lip", "output_subsys", "ip_filtering",
	"num_address_ranges", "cr3_filtering", "ptwrite", "tnt_disable", "event_trace",
};

static const char *const comms[] = { "swapper", "swapper/#" };

static const char *const values[] = { "#" };

static const struct list {
	const char *const *names;
	size_t count;
} lists[] = {
#define LIST(names) { names, sizeof names / sizeof *names }
	[PD_PUBLIC_PMU] = LIST(pmus),
	[PD_PUBLIC_UNIT] = LIST(units),
	[PD_PUBLIC_MACHINE] = LIST(machines),
	[PD_PUBLIC_CAPABILITY] = LIST(capabilities),
	[PD_PUBLIC_VALUE] = LIST(values),
	[PD_PUBLIC_COMM] = LIST(comms),
};

/* Size of a number as the kernel writes it, of at most four digits. A longer one is no CPU, and may reveal anything. */
static size_t number_size(const uint8_t *data, size_t size)
{
	size_t digits = 0;

	while (digits < size && isdigit(data[digits]))
		digits++;
	return digits > 4 || (digits > 1 && data[0] == '0') ? 0 : digits;
}

static bool is_spelled(const char *pattern, struct perfdata_bytes name)
{
	size_t at = 0;

	for (; *pattern; pattern++) {
		const size_t size = *pattern == '#' ? number_size(name.data + at, name.size - at)
						    : at < name.size && name.data[at] == (uint8_t)*pattern;
		if (!size)
			return false;
		at += size;
	}
	return at == name.size;
}

bool pd_is_public(enum pd_public_kind kind, struct perfdata_bytes name)
{
	for (size_t i = 0; i < lists[kind].count; i++)
		if (is_spelled(lists[kind].names[i], name))
			return true;
	return false;
}

/* Takes two or three numbers below 1000, the first below 100, so that no network or memory address passes. */
struct perfdata_bytes pd_version_of(struct perfdata_bytes release)
{
	struct perfdata_bytes version = { release.data, 0 };
	size_t at = 0;

	for (unsigned part = 0; part < 3; part++) {
		size_t digits = 0;
		while (at + digits < release.size && isdigit(release.data[at + digits]))
			digits++;
		if (digits == 0 || digits > 3u - (part == 0))
			break;
		at += digits;
		version.size = at;
		if (at == release.size || release.data[at] != '.')
			break;
		at++;
	}
	return version;
}
