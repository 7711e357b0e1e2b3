/* SPDX-License-Identifier: MIT */
/* Names of registers by their number in register masks; see arch/.../include/uapi/asm/perf_regs.h of Linux. */
#include "config.h"
#include <string.h>
#include "perfdata/schema.h"
#include "schema/schema.h"

static const char *const x86[] = {
	"AX",    "BX",    "CX",    "DX",    "SI",          "DI",    "BP",    "SP",    "IP",    "FLAGS",
	"CS",    "SS",    "DS",    "ES",    "FS",          "GS",    "R8",    "R9",    "R10",   "R11",
	"R12",   "R13",   "R14",   "R15",   [32] = "XMM0", "XMM0",  "XMM1",  "XMM1",  "XMM2",  "XMM2",
	"XMM3",  "XMM3",  "XMM4",  "XMM4",  "XMM5",        "XMM5",  "XMM6",  "XMM6",  "XMM7",  "XMM7",
	"XMM8",  "XMM8",  "XMM9",  "XMM9",  "XMM10",       "XMM10", "XMM11", "XMM11", "XMM12", "XMM12",
	"XMM13", "XMM13", "XMM14", "XMM14", "XMM15",       "XMM15",
};
static const char *const arm[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};
static const char *const arm64[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",        "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",       "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",  [46] = "vg",
};
static const char *const powerpc[] = {
	"r0",    "r1",    "r2",    "r3",    "r4",   "r5",   "r6",    "r7",   "r8",    "r9",    "r10",     "r11",
	"r12",   "r13",   "r14",   "r15",   "r16",  "r17",  "r18",   "r19",  "r20",   "r21",   "r22",     "r23",
	"r24",   "r25",   "r26",   "r27",   "r28",  "r29",  "r30",   "r31",  "nip",   "msr",   "orig_r3", "ctr",
	"link",  "xer",   "ccr",   "softe", "trap", "dar",  "dsisr", "sier", "mmcra", "mmcr0", "mmcr1",   "mmcr2",
	"mmcr3", "sier2", "sier3", "pmc1",  "pmc2", "pmc3", "pmc4",  "pmc5", "pmc6",  "sdar",  "siar",
};
static const char *const s390[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};
static const char *const riscv[] = {
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};
/* not `mips`: compilers for MIPS define that macro */
static const char *const mips_names[] = {
	"PC",  "$1",  "$2",  "$3",  "$4",  "$5",  "$6",  "$7",  "$8",  "$9",  "$10", "$11",        "$12", "$13", "$14",
	"$15", "$16", "$17", "$18", "$19", "$20", "$21", "$22", "$23", "$24", "$25", [28] = "$28", "$29", "$30", "$31",
};
static const char *const loongarch[] = {
	"PC",   "%r1",  "%r2",  "%r3",  "%r4",  "%r5",  "%r6",  "%r7",  "%r8",  "%r9",  "%r10",
	"%r11", "%r12", "%r13", "%r14", "%r15", "%r16", "%r17", "%r18", "%r19", "%r20", "%r21",
	"%r22", "%r23", "%r24", "%r25", "%r26", "%r27", "%r28", "%r29", "%r30", "%r31",
};
static const char *const csky[] = {
	"tls",     "lr",       "pc",       [4] = "sp", [6] = "a0", "a1",       "a2",      "a3",      "regs0",
	"regs1",   "regs2",    "regs3",    "regs4",    "regs5",    "regs6",    "regs7",   "regs8",   "regs9",
	"exregs0", "exregs1",  "exregs2",  "exregs3",  "exregs4",  "exregs5",  "exregs6", "exregs7", "exregs8",
	"exregs9", "exregs10", "exregs11", "exregs12", "exregs13", "exregs14", "hi",      "lo",
};

#define REGISTERS(array) .names = array, .count = sizeof(array) / sizeof *(array)
static const struct {
	const char *const *names;
	uint8_t count;
} arches[] = {
	[PERFDATA_ARCH_X86] = { REGISTERS(x86) },
	[PERFDATA_ARCH_ARM] = { REGISTERS(arm) },
	[PERFDATA_ARCH_ARM64] = { REGISTERS(arm64) },
	[PERFDATA_ARCH_POWERPC] = { REGISTERS(powerpc) },
	[PERFDATA_ARCH_S390] = { REGISTERS(s390) },
	[PERFDATA_ARCH_RISCV] = { REGISTERS(riscv) },
	[PERFDATA_ARCH_MIPS] = { REGISTERS(mips_names) },
	[PERFDATA_ARCH_LOONGARCH] = { REGISTERS(loongarch) },
	[PERFDATA_ARCH_CSKY] = { REGISTERS(csky) },
};

static bool arch_known(enum perfdata_arch arch)
{
	return (unsigned)arch < sizeof arches / sizeof *arches && arches[arch].names;
}

const char *pd_register_name(enum perfdata_arch arch, unsigned bit)
{
	return arch_known(arch) && bit < arches[arch].count ? arches[arch].names[bit] : NULL;
}

enum perfdata_arch pd_arch_by_name(const char *machine)
{
	/* Architectures by the first letters of their names. The order matters: "arm64" is before "arm". */
	static const struct {
		const char *start;
		enum perfdata_arch arch;
	} starts[] = {
		{ "x86", PERFDATA_ARCH_X86 },
		{ "aarch64", PERFDATA_ARCH_ARM64 },
		{ "arm64", PERFDATA_ARCH_ARM64 },
		{ "arm", PERFDATA_ARCH_ARM },
		{ "sa110", PERFDATA_ARCH_ARM },
		{ "ppc", PERFDATA_ARCH_POWERPC },
		{ "powerpc", PERFDATA_ARCH_POWERPC },
		{ "s390", PERFDATA_ARCH_S390 },
		{ "riscv", PERFDATA_ARCH_RISCV },
		{ "mips", PERFDATA_ARCH_MIPS },
		{ "loongarch", PERFDATA_ARCH_LOONGARCH },
		{ "csky", PERFDATA_ARCH_CSKY },
	};

	if (!machine)
		return PERFDATA_ARCH_UNKNOWN;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(machine, starts[i].start, strlen(starts[i].start)))
			return starts[i].arch;
	/* i386 to i686 */
	if (machine[0] == 'i' && machine[1] >= '3' && machine[1] <= '6' && !strcmp(machine + 2, "86"))
		return PERFDATA_ARCH_X86;
	return PERFDATA_ARCH_UNKNOWN;
}

enum perfdata_arch pd_arch_by_elf(uint32_t e_machine)
{
	switch (e_machine) {
	case 3:   /* EM_386 */
	case 62:  /* EM_X86_64 */
		return PERFDATA_ARCH_X86;
	case 8: return PERFDATA_ARCH_MIPS;
	case 20:  /* EM_PPC */
	case 21:  /* EM_PPC64 */
		return PERFDATA_ARCH_POWERPC;
	case 22: return PERFDATA_ARCH_S390;
	case 40: return PERFDATA_ARCH_ARM;
	case 183: return PERFDATA_ARCH_ARM64;
	case 243: return PERFDATA_ARCH_RISCV;
	case 252: return PERFDATA_ARCH_CSKY;
	case 258: return PERFDATA_ARCH_LOONGARCH;
	default: return PERFDATA_ARCH_UNKNOWN;
	}
}
