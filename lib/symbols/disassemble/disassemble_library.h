/* SPDX-License-Identifier: MIT */
/* Declarations of the functions of disassembler libraries that perfdata calls, written from their documented
 * interfaces. */
#ifndef PD_DISASSEMBLE_LIBRARY_H
#define PD_DISASSEMBLE_LIBRARY_H

#include "base/library.h"
#include "symbols/disassemble/disassemble.h"

enum pd_disassembly_family { PD_FAMILY_LLVM, PD_FAMILY_CAPSTONE_5, PD_FAMILY_CAPSTONE_4, PD_FAMILY_COUNT };

/* Functions of LLVM-C, which are the same in all versions. */
struct pd_llvm_calls {
	void *(*create)(const char *triple, const char *cpu, const char *features, void *info, int tag,
			int (*operand)(void *, uint64_t, uint64_t, uint64_t, int, void *),
			const char *(*name)(void *, uint64_t, uint64_t *, uint64_t, const char **));
	int (*set_options)(void *context, uint64_t options);
	void (*dispose)(void *context);
	size_t (*decode)(void *context, uint8_t *bytes, uint64_t size, uint64_t address, char *text, size_t room);
};

#define PD_LLVM_PRINT_HEX 2u

/* Functions of capstone 4 and 5. The struct of an instruction depends on the version: see add_capstone_text. */
struct pd_capstone_calls {
	unsigned (*version)(int *major, int *minor);
	int (*open)(int arch, int mode, size_t *handle);
	int (*close)(size_t *handle);
	int (*option)(size_t handle, int type, size_t value);
	void *(*new_instruction)(size_t handle);
	void (*free_instruction)(void *instruction, size_t count);
	bool (*decode)(size_t handle, const uint8_t **code, size_t *size, uint64_t *address, void *instruction);
};

enum { PD_CAPSTONE_ARM64 = 1, PD_CAPSTONE_X86 = 3, PD_CAPSTONE_32 = 1 << 2, PD_CAPSTONE_64 = 1 << 3 };
enum { PD_CAPSTONE_SYNTAX = 1, PD_CAPSTONE_ATT = 2 };

struct pd_disassembly_library {
	void *handle;
	enum perfdata_status status;     /* status of loading; a failed load is tried again */
	struct pd_library_failure failure;
	bool is_tried;
	unsigned version;                /* version of LLVM */
	bool has_kind[PD_CODE_COUNT];    /* LLVM: the target for this code exists and was initialized */
	struct pd_llvm_calls llvm;
	struct pd_capstone_calls capstone;
	char name[32];
};

struct pd_disassembly {
	struct pd_disassembly_library libraries[PD_FAMILY_COUNT];
};

/* Loads the library unless it is loaded. Call it with the lock of `symbols`. */
enum perfdata_status pd_disassembly_load(struct pd_disassembly_library *library, enum pd_disassembly_family family);

#endif
