/* SPDX-License-Identifier: MIT */
/* The recorded architecture, which gives registers their names: as the recording states it, or inferred. */
#include "config.h"
#include <string.h>
#include "reader/reader_impl.h"
#include "reader/reader.h"
#include "schema/schema.h"

static enum perfdata_arch named_arch(const struct perfdata_reader *reader)
{
	const struct pd_section *machine = &reader->sections[PERFDATA_FEATURE_E_MACHINE];
	const struct perfdata_node *node = machine->feature ?
		perfdata_node_get(perfdata_feature_root(machine->feature), "e_machine") : NULL;
	enum perfdata_arch arch = node ? pd_arch_by_elf((uint32_t)node->v.u) : PERFDATA_ARCH_UNKNOWN;
	const char *name = pd_reader_text(reader, PERFDATA_FEATURE_ARCH);

	if (arch == PERFDATA_ARCH_UNKNOWN && name)
		arch = pd_arch_by_name(name);
	return arch;
}

/* Each architecture has its own format of CPUID (get_cpuid in tools/perf/arch); CPUDESC is the "model name" of
 * /proc/cpuinfo. */
static enum perfdata_arch arch_of_cpu(const char *cpuid, const char *description)
{
	static const char *const x86_makers[] = { "GenuineIntel,", "AuthenticAMD,", "HygonGenuine,", "CentaurHauls,",
						  "  Shanghai  ," };

	for (size_t i = 0; cpuid && i < sizeof x86_makers / sizeof *x86_makers; i++)
		if (!strncmp(cpuid, x86_makers[i], strlen(x86_makers[i])))
			return PERFDATA_ARCH_X86;
	if (cpuid && !strncmp(cpuid, "0x", 2) && strlen(cpuid) == 18 && strspn(cpuid + 2, "0123456789abcdef") == 16)
		return PERFDATA_ARCH_ARM64;     /* a value of the register MIDR_EL1 */
	if (cpuid && !strncmp(cpuid, "IBM,", 4))
		return PERFDATA_ARCH_S390;
	if (description && (!strncmp(description, "Intel(R) ", 9) || !strncmp(description, "AMD ", 4)))
		return PERFDATA_ARCH_X86;
	return PERFDATA_ARCH_UNKNOWN;
}

/* Distributions write the architecture into the release: "6.1.0-18-amd64", "5.14.0-70.el9.aarch64". */
static enum perfdata_arch arch_of_release(const char *release)
{
	enum perfdata_arch arch = PERFDATA_ARCH_UNKNOWN;

	while (release && *release && arch == PERFDATA_ARCH_UNKNOWN) {
		const size_t size = strcspn(release, "-.+");
		arch = size == 5 && !memcmp(release, "amd64", 5) ? PERFDATA_ARCH_X86 : pd_arch_by_name(release);
		release += size + (release[size] != '\0');
	}
	return arch;
}

/* Recorders ask for all registers that a user program can have, or for a list of them; either mask has bits that no
 * other architecture's masks have. A mask that is possible on several architectures proves nothing. */
static enum perfdata_arch arch_of_mask(uint64_t mask)
{
	const uint64_t x86 = 0xff0fff, x86_high = 0xff0000, arm64 = 0x1ffffffff, arm64_sp_pc = 0x180000000,
		       arm64_vg = UINT64_C(1) << 46;
	const uint64_t s390 = 0x3ffffffff, s390_pc = UINT64_C(1) << 33, powerpc = UINT64_C(0xfff00000000);

	if (mask & x86_high && !(mask & ~x86))
		return PERFDATA_ARCH_X86;
	if ((mask & arm64_sp_pc) == arm64_sp_pc && !(mask & ~(arm64 | arm64_vg)))
		return PERFDATA_ARCH_ARM64;
	if (mask & s390_pc && !(mask & ~s390))
		return PERFDATA_ARCH_S390;
	if ((mask & powerpc) == powerpc)
		return PERFDATA_ARCH_POWERPC;
	return PERFDATA_ARCH_UNKNOWN;
}

static uint64_t user_registers(const struct perfdata_reader *reader)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < reader->nr_events; i++)
		if (reader->events[i]->attr->sample_type & PERFDATA_SAMPLE_REGS_USER)
			mask |= reader->events[i]->attr->sample_regs_user;
	return mask;
}

static enum perfdata_arch inferred_arch(const struct perfdata_reader *reader, const char **ret_from)
{
	enum perfdata_arch arch = arch_of_cpu(pd_reader_text(reader, PERFDATA_FEATURE_CPUID),
					      pd_reader_text(reader, PERFDATA_FEATURE_CPUDESC));

	*ret_from = "the processor";
	if (arch != PERFDATA_ARCH_UNKNOWN)
		return arch;
	*ret_from = "the release of the kernel";
	arch = arch_of_release(pd_reader_text(reader, PERFDATA_FEATURE_OSRELEASE));
	if (arch != PERFDATA_ARCH_UNKNOWN)
		return arch;
	*ret_from = "the mask of user registers";
	return arch_of_mask(user_registers(reader));
}

enum perfdata_arch pd_reader_arch(const struct perfdata_reader *reader)
{
	const enum perfdata_arch arch = named_arch(reader);
	const char *from;

	return arch == PERFDATA_ARCH_UNKNOWN ? inferred_arch(reader, &from) : arch;
}

static bool has_registers(const struct perfdata_reader *reader)
{
	for (size_t i = 0; i < reader->nr_events; i++)
		if (reader->events[i]->attr->sample_type & (PERFDATA_SAMPLE_REGS_USER | PERFDATA_SAMPLE_REGS_INTR))
			return true;
	return false;
}

void pd_arch_note(struct perfdata_reader *reader)
{
	static const char *const names[] = {
		[PERFDATA_ARCH_X86] = "x86",   [PERFDATA_ARCH_ARM64] = "arm64",
		[PERFDATA_ARCH_S390] = "s390", [PERFDATA_ARCH_POWERPC] = "powerpc",
		[PERFDATA_ARCH_ARM] = "arm",   [PERFDATA_ARCH_RISCV] = "riscv",
		[PERFDATA_ARCH_MIPS] = "mips", [PERFDATA_ARCH_LOONGARCH] = "loongarch",
		[PERFDATA_ARCH_CSKY] = "csky",
	};
	const char *from;

	if (!has_registers(reader) || named_arch(reader) != PERFDATA_ARCH_UNKNOWN)
		return;
	const enum perfdata_arch arch = inferred_arch(reader, &from);
	if (arch != PERFDATA_ARCH_UNKNOWN)
		pd_reader_finding_once(reader, PERFDATA_FINDING_ARCH_INFERRED, 0, PERFDATA_NO_OFFSET,
				       "registers have the names of %s, as %s shows", names[arch], from);
}
