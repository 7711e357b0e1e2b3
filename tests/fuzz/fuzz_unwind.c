/* SPDX-License-Identifier: MIT */
/* Rules of unwinding: the input is .eh_frame with its index, .debug_frame, or the exception index of 32-bit ARM, in a
 * program around it that has nothing else; stacks of words from the input lead through its code. Byte 0, bit 0: x86-64
 * or aarch64; bit 1: .debug_frame; bit 2: 32-bit ARM. Byte 1: how many entries the index of .eh_frame has; of each the
 * place in the code and in .eh_frame, 16 bits each; then the table. */
#include <elf.h>
#include "fuzz_symbols.h"
#include "symbols/symbols.h"
#include "symbols/unwind/unwind.h"

#define CODE 0x1000u
#define CODE_END (CODE + 512u)   /* stacks lead to addresses below; the file must contain them */
#define END ((uint64_t)1 << 24)
#define MOST_ENTRIES 16u
#define INDEX_HEAD 12u
#define INDEX_AT (sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr))
#define STACK_AT 0x700000u

static bool find_map(void *user, uint64_t address, struct perfdata_unwind_map *ret)
{
	*ret = (struct perfdata_unwind_map){ .start = 0, .end = END, .dso = user };
	return address < END;
}

/* An index in the one form that linkers write. */
static size_t put_index(uint8_t *at, const uint8_t *entries, unsigned nr)
{
	const size_t size = (INDEX_HEAD + 8 * nr + 7) & ~(size_t)7;
	const int32_t distance = (int32_t)size - 4;
	const uint32_t count = nr;
	memcpy(at, "\x01\x1b\x03\x3b", 4);
	memcpy(at + 4, &distance, 4);
	memcpy(at + 8, &count, 4);
	for (unsigned i = 0; i < nr; i++) {
		const int32_t start = (int32_t)(CODE + entries[4 * i] + 256u * entries[4 * i + 1] - INDEX_AT),
			      place = (int32_t)(size + entries[4 * i + 2] + 256u * entries[4 * i + 3]);
		memcpy(at + INDEX_HEAD + 8 * i, &start, 4);
		memcpy(at + INDEX_HEAD + 8 * i + 4, &place, 4);
	}
	return size;
}

static const char names[] = "\0.debug_frame";

/* Makes the table a section .debug_frame of a program that has no index; writes its sections at names_at. */
static size_t put_sections(uint8_t *bytes, Elf64_Ehdr *header, uint64_t offset, size_t size, size_t names_at)
{
	const size_t at = (names_at + sizeof names + 7) & ~(size_t)7;
	const Elf64_Shdr sections[] = {
		{ .sh_type = SHT_NULL },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = offset, .sh_size = size },
		{ .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = sizeof names },
	};
	memcpy(bytes + names_at, names, sizeof names);
	memcpy(bytes + at, sections, sizeof sections);
	header->e_phnum = 1;
	header->e_shoff = at;
	header->e_shentsize = sizeof *sections;
	header->e_shnum = sizeof sections / sizeof *sections;
	header->e_shstrndx = header->e_shnum - 1;
	return at + sizeof sections;
}

/* The program; free it. */
static uint8_t *make_program(unsigned machine, bool has_index, const uint8_t *entries, unsigned nr,
			     const uint8_t *frames, size_t size, size_t *ret_size)
{
	uint8_t *bytes = calloc(1, CODE_END + INDEX_AT + INDEX_HEAD + 8 * MOST_ENTRIES + 8 + size + sizeof names + 8 +
					   3 * sizeof(Elf64_Shdr));
	fuzz_require(bytes != NULL, "no memory");
	const size_t index = put_index(bytes + INDEX_AT, entries, nr);
	const size_t end = INDEX_AT + index + size;
	*ret_size = end > CODE_END ? end : CODE_END;
	if (size)
		memcpy(bytes + INDEX_AT + index, frames, size);
	const unsigned order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, (unsigned char)order, EV_CURRENT },
				    .e_type = ET_DYN,
				    .e_machine = (Elf64_Half)machine,
				    .e_version = EV_CURRENT,
				    .e_phoff = sizeof(Elf64_Ehdr),
				    .e_ehsize = sizeof(Elf64_Ehdr),
				    .e_phentsize = sizeof(Elf64_Phdr),
				    .e_phnum = 2 };
	Elf64_Phdr segments[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = *ret_size, .p_memsz = END, .p_align = 4096 },
		{ .p_type = PT_GNU_EH_FRAME,
		  .p_flags = PF_R,
		  .p_offset = INDEX_AT,
		  .p_vaddr = INDEX_AT,
		  .p_filesz = index,
		  .p_memsz = index,
		  .p_align = 4 },
	};
	if (machine == EM_ARM)
		segments[1] = (Elf64_Phdr){ .p_type = PT_ARM_EXIDX, .p_offset = INDEX_AT + index,
					    .p_vaddr = INDEX_AT + index, .p_filesz = size };
	if (!has_index)
		*ret_size = put_sections(bytes, &header, INDEX_AT + index, size, *ret_size);
	memcpy(bytes, &header, sizeof header);
	memcpy(bytes + sizeof header, segments, sizeof segments);
	return bytes;
}

/* Stacks whose words are code, places in the stack, or any. */
static void walk_stacks(struct perfdata_unwinder *unwinder, enum perfdata_unwind_arch arch, const uint8_t *data,
			size_t size)
{
	const bool is_x86 = arch == PERFDATA_UNWIND_X86_64, is_arm = arch == PERFDATA_UNWIND_ARM;
	uint64_t regs[33], stack[64], pcs[128];
	size_t count;
	for (size_t n = 0; n < 4; n++) {
		for (size_t i = 0; i < sizeof stack / sizeof *stack; i++) {
			const uint64_t byte = data[(7 * i + n) % size], code = CODE + 256 * (n % 2) + byte;
			stack[i] = byte % 8 == 1 ? STACK_AT + byte : byte == 2 ? byte << 40 : code;
		}
		for (size_t i = 0; i < 33; i++)
			regs[i] = STACK_AT + data[(i + n) % size];
		regs[is_x86 ? 7 : is_arm ? 13 : 31] = STACK_AT;
		regs[is_x86 ? 8 : is_arm ? 15 : 32] = CODE + data[n % size];
		const struct perfdata_unwind_sample sample = {
			.reg_mask = is_x86 ? 0xff0fff : is_arm ? 0xffff : (1ull << 33) - 1,
			.regs = regs,
			.stack = { (const uint8_t *)stack, sizeof stack },
		};
		if (pd_unwind_stack(unwinder, &sample, pcs, sizeof pcs / sizeof *pcs, &count) == PERFDATA_OK) {
			fuzz_require(count && count <= sizeof pcs / sizeof *pcs, "a stack has no frame, or too many");
			fuzz_touch(pcs, count * sizeof *pcs);
		}
	}
}

static void run(const uint8_t *data, size_t size)
{
	static const enum perfdata_unwind_arch archs[] = { PERFDATA_UNWIND_X86_64, PERFDATA_UNWIND_AARCH64 };
	static const unsigned machines[] = { EM_X86_64, EM_AARCH64 };
	const bool is_arm = data[0] & 4;
	const enum perfdata_unwind_arch arch = is_arm ? PERFDATA_UNWIND_ARM : archs[data[0] % 2];
	const struct perfdata_symbols_request request = { .size = sizeof request,
							  .kind = PERFDATA_DSO_USER,
							  .path = "/input" };
	const unsigned nr = data[1] % (MOST_ENTRIES + 1);
	struct perfdata_symbols_options options;
	struct perfdata_symbols *symbols;
	struct perfdata_symbols_dso *dso;
	struct perfdata_unwinder *unwinder;
	size_t image_size;

	if (size < 2 + 4 * (size_t)nr)
		return;
	const size_t head = 2 + 4 * (size_t)nr;
	uint8_t *image = make_program(is_arm ? EM_ARM : machines[data[0] % 2], !(data[0] & 2), data + 2, nr,
				      data + head, size - head, &image_size);
	(void)fuzz_file(image, image_size);
	free(image);
	perfdata_options_init(&options, sizeof options);
	options.symfs = fuzz_folder;
	options.no_host = true;
	if (perfdata_memory_new(0, NULL, &options.memory) != PERFDATA_OK)
		return;
	if (perfdata_symbols_new(&options, &symbols) == PERFDATA_OK) {
		if (perfdata_symbols_dso(symbols, &request, &dso) == PERFDATA_OK &&
		    pd_unwinder_new(symbols, arch, find_map, dso, &unwinder) == PERFDATA_OK) {
			walk_stacks(unwinder, arch, data, size);
			pd_unwinder_free(unwinder);
		}
		perfdata_symbols_free(symbols);
		fuzz_require_account(options.memory, size);
	}
	perfdata_memory_free(options.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const clock_t begin = clock();
	if (size >= 2)
		run(data, size);
	fuzz_require_time(begin, size);
	return 0;
}
