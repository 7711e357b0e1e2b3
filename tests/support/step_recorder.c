/* SPDX-License-Identifier: MIT */
/* Records a program with branch stacks on any machine: runs it instruction by instruction, keeps the last 32 branches
 * that were taken, and writes a sample with them every so many instructions, as hardware would have.
 *
 *   step_recorder -o FILE [-c INSTRUCTIONS] [-m MOST] [-k] [-n] PROGRAM [ARGUMENT…]
 *
 *   -c: instructions between samples (997); -m: stop stepping after so many; -k: also entries of the kernel, at system
 *   calls; -n: no branch stacks
 *
 * Needs a library that decodes instructions. Only x86-64. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#ifdef __x86_64__
#include <sys/user.h>
#endif
#include <sys/wait.h>
#include <unistd.h>
#include "symbols/disassemble/disassemble.h"

#define RING 32u
#define SLOTS (1u << 16)
#define KERNEL_ENTRY UINT64_C(0xffffffff81e00080)
#define NS_OF_STEP 1000u

enum { TYPE_COND = 1, TYPE_UNCOND, TYPE_IND, TYPE_CALL, TYPE_IND_CALL, TYPE_RET, TYPE_SYSCALL, TYPE_SYSRET };

struct known {
	uint64_t ip, last_target;
	uint8_t size, flow;
	bool is_direct, is_syscall, seen;
};
struct entry {
	uint64_t from, to, flags;
};

static struct {
	FILE *out;
	pid_t pid;
	int memory;
	bool with_kernel, with_branches;
	uint64_t data_size, steps;
	struct known slots[SLOTS];
	struct entry ring[RING];
	uint64_t nr_entries;
	struct perfdata_symbols *symbols;
	struct pd_disassembler *disassembler;
	uint64_t maps[4096][2];
	size_t nr_maps;
} r;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

struct bytes {
	size_t size;
	uint8_t data[8192];
};

static void put(struct bytes *b, const void *data, size_t size)
{
	memcpy(b->data + b->size, data, size);
	b->size += size;
}
static void put32(struct bytes *b, uint32_t value) { put(b, &value, sizeof value); }
static void put64(struct bytes *b, uint64_t value) { put(b, &value, sizeof value); }
static void put_text(struct bytes *b, const char *text)
{
	static const char zeros[8];
	const size_t size = strlen(text) + 1;
	put(b, text, size);
	put(b, zeros, (8 - size % 8) % 8);
}

static uint64_t now(void) { return UINT64_C(1000000000) + r.steps * NS_OF_STEP; }

static void write_record(uint32_t type, uint16_t misc, struct bytes *body, bool with_id)
{
	if (with_id) {
		put32(body, (uint32_t)r.pid), put32(body, (uint32_t)r.pid);
		put64(body, now());
	}
	const uint16_t size = (uint16_t)(body->size + 8);
	fwrite(&type, 4, 1, r.out), fwrite(&misc, 2, 1, r.out), fwrite(&size, 2, 1, r.out);
	fwrite(body->data, 1, body->size, r.out);
	r.data_size += size;
}

static void write_comm(const char *path)
{
	const char *slash = strrchr(path, '/');
	char comm[16];
	snprintf(comm, sizeof comm, "%.15s", slash ? slash + 1 : path);
	struct bytes b = { 0 };
	put32(&b, (uint32_t)r.pid), put32(&b, (uint32_t)r.pid);
	put_text(&b, comm);
	write_record(3, 2 | 1 << 13, &b, true);
}

static void write_mmap(uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	uint8_t id[PERFDATA_BUILD_ID_MAX] = { 0 };
	size_t size = 0;
	if (perfdata_file_build_id(path, id, &size))
		size = 0;
	struct bytes b = { 0 };
	put32(&b, (uint32_t)r.pid), put32(&b, (uint32_t)r.pid);
	put64(&b, start), put64(&b, end - start), put64(&b, offset);
	const uint8_t head[4] = { (uint8_t)(size > 20 ? 20 : size) };
	put(&b, head, 4), put(&b, id, 20);
	put32(&b, 5), put32(&b, 2);   /* r-x, private */
	put_text(&b, path);
	write_record(10, 2 | (size ? 1 << 14 : 0), &b, true);
}

static void read_maps(void)
{
	char path[64], line[4600], name[4097], rights[8];
	snprintf(path, sizeof path, "/proc/%d/maps", (int)r.pid);
	FILE *maps = fopen(path, "r");
	if (!maps)
		fail(path);
	while (fgets(line, sizeof line, maps)) {
		unsigned long long start, end, offset;
		*name = '\0';
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %4096s", &start, &end, rights, &offset, name) < 4 ||
		    rights[2] != 'x' || !*name)
			continue;
		size_t i = 0;
		while (i < r.nr_maps && (r.maps[i][0] != start || r.maps[i][1] != end))
			i++;
		if (i < r.nr_maps || i == sizeof r.maps / sizeof *r.maps)
			continue;
		r.maps[i][0] = start, r.maps[i][1] = end;
		r.nr_maps++;
		write_mmap(start, end, offset, name);
	}
	fclose(maps);
}

static void write_sample(uint64_t ip, uint64_t period)
{
	struct bytes b = { 0 };
	put64(&b, ip);
	put32(&b, (uint32_t)r.pid), put32(&b, (uint32_t)r.pid);
	put64(&b, now());
	put64(&b, period);
	if (r.with_branches) {
		const uint64_t nr = r.nr_entries < RING ? r.nr_entries : RING;
		put64(&b, nr);
		for (uint64_t i = 1; i <= nr; i++)
			put(&b, &r.ring[(r.nr_entries - i) % RING], sizeof *r.ring);
	}
	write_record(9, 2, &b, false);
}

static void write_head(uint64_t period)
{
	enum { ATTR_SIZE = 136, HEAD = 104, BUILD_ID = 1 << 2, NRCPUS = 1 << 7 };
	const uint64_t ids_at = HEAD + ATTR_SIZE + 16, data_at = ids_at, features = NRCPUS;
	struct bytes b = { 0 };
	put(&b, "PERFILE2", 8);
	put64(&b, HEAD), put64(&b, ATTR_SIZE + 16);
	put64(&b, HEAD), put64(&b, ATTR_SIZE + 16);
	put64(&b, data_at), put64(&b, r.data_size);
	put64(&b, 0), put64(&b, 0);
	put64(&b, features), put64(&b, 0), put64(&b, 0), put64(&b, 0);
	const size_t attr = b.size;
	put32(&b, 0), put32(&b, ATTR_SIZE);
	put64(&b, 0);                                             /* cycles */
	put64(&b, period);
	put64(&b, 1 | 2 | 4 | 256 | (r.with_branches ? 1 << 11 : 0));
	put64(&b, 0);
	/* exclude_kernel, exclude_hv, mmap, comm, sample_id_all, mmap2, comm_exec, build_id */
	put64(&b, 1u << 5 | 1u << 6 | 1u << 8 | 1u << 9 | 1u << 18 | 1u << 23 | 1u << 24 | UINT64_C(1) << 34);
	put32(&b, 0), put32(&b, 0);
	put64(&b, 0), put64(&b, 0);
	put64(&b, r.with_branches ? 0x10009 : 0);                 /* user, any, save the type */
	while (b.size < attr + ATTR_SIZE + 16)
		put32(&b, 0);
	fwrite(b.data, 1, b.size, r.out);
}

static void finish(const char *name, uint64_t period)
{
	const uint32_t cpus[2] = { 1, 1 };
	const long end = ftell(r.out);
	const uint64_t section[2] = { (uint64_t)end + 16, sizeof cpus };
	fwrite(section, 1, sizeof section, r.out);
	fwrite(cpus, 1, sizeof cpus, r.out);
	rewind(r.out);
	write_head(period);
	if (ferror(r.out) || fclose(r.out))
		fail(name);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static struct known *known_at(uint64_t ip)
{
	struct known *k = &r.slots[(ip * UINT64_C(0x9e3779b97f4a7c15)) >> 48];
	if (k->seen && k->ip == ip)
		return k;
	uint8_t code[16] = { 0 };
	struct pd_instruction instruction = { .size = 1 };
	const ssize_t got = pread(r.memory, code, sizeof code, (off_t)ip);
	*k = (struct known){ .ip = ip, .seen = true };
	if (got > 0 && !pd_disassemble(r.disassembler, code, (size_t)got, ip, &instruction)) {
		k->flow = (uint8_t)instruction.flow;
		k->is_direct = instruction.has_target;
		k->is_syscall = code[0] == 0x0f && code[1] == 0x05;
	}
	k->size = (uint8_t)instruction.size;
	return k;
}

static void add_entry(uint64_t from, uint64_t to, unsigned type, bool mispredicted)
{
	r.ring[r.nr_entries++ % RING] = (struct entry){ from, to, (mispredicted ? 1u : 2u) | type << 20 };
}

static void take_step(struct known *k, uint64_t next)
{
	static const uint8_t direct[] = { 0, TYPE_UNCOND, TYPE_COND, TYPE_CALL, TYPE_RET };
	static const uint8_t indirect[] = { 0, TYPE_IND, TYPE_COND, TYPE_IND_CALL, TYPE_RET };
	if (k->is_syscall && r.with_kernel) {
		add_entry(k->ip, KERNEL_ENTRY, TYPE_SYSCALL, false);
		add_entry(KERNEL_ENTRY + 0x140, next, TYPE_SYSRET, false);
	}
	if (k->flow == PD_FLOW_NEXT || next == k->ip + k->size)
		return;
	add_entry(k->ip, next, k->is_direct ? direct[k->flow] : indirect[k->flow],
		  k->last_target && k->last_target != next);
	k->last_target = next;
}

static uint64_t current_ip(void)
{
#ifdef __x86_64__
	errno = 0;
	const long ip = ptrace(PTRACE_PEEKUSER, r.pid, offsetof(struct user_regs_struct, rip), 0);
	return errno ? 0 : (uint64_t)ip;
#else
	return 0;
#endif
}

static bool is_mapped(uint64_t ip)
{
	static size_t last;
	if (last < r.nr_maps && ip >= r.maps[last][0] && ip < r.maps[last][1])
		return true;
	for (last = 0; last < r.nr_maps; last++)
		if (ip >= r.maps[last][0] && ip < r.maps[last][1])
			return true;
	return false;
}

static void step_through(uint64_t period, uint64_t most)
{
	int status;
	for (uint64_t ip = current_ip(); ip; r.steps++) {
		if (r.steps == most) {
			ptrace(PTRACE_DETACH, r.pid, 0, 0);
			waitpid(r.pid, &status, 0);
			return;
		}
		if (!is_mapped(ip))
			read_maps();
		struct known *k = known_at(ip);
		if (ptrace(PTRACE_SINGLESTEP, r.pid, 0, 0) || waitpid(r.pid, &status, 0) < 0 || !WIFSTOPPED(status))
			return;
		ip = current_ip();
		take_step(k, ip);
		if ((r.steps + 1) % period == 0)
			write_sample(ip, period);
	}
}

int main(int argc, char **argv)
{
	const char *name = NULL;
	uint64_t period = 997, most = UINT64_MAX;
#ifndef __x86_64__
	fprintf(stderr, "step_recorder: only for x86-64\n");
	return 2;
#endif
	r.with_branches = true;
	for (int option; (option = getopt(argc, argv, "+o:c:m:kn")) != -1;)
		switch (option) {
		case 'o': name = optarg; break;
		case 'c': period = strtoull(optarg, NULL, 0); break;
		case 'm': most = strtoull(optarg, NULL, 0); break;
		case 'k': r.with_kernel = true; break;
		case 'n': r.with_branches = false; break;
		default: return 2;
		}
	if (!name || optind >= argc || !period)
		return 2;
	if (perfdata_symbols_new(NULL, &r.symbols) ||
	    pd_disassembler_new(r.symbols, PD_CODE_X86_64, &r.disassembler)) {
		fprintf(stderr, "no library that decodes instructions is installed\n");
		return 77;
	}
	r.pid = fork();
	if (r.pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[optind], argv + optind);
		fail(argv[optind]);
	}
	int status;
	if (r.pid < 0 || waitpid(r.pid, &status, 0) < 0 || !WIFSTOPPED(status))
		fail("cannot start the program");
	char memory[64];
	snprintf(memory, sizeof memory, "/proc/%d/mem", (int)r.pid);
	r.memory = open(memory, O_RDONLY | O_CLOEXEC);
	r.out = fopen(name, "wb");
	if (r.memory < 0 || !r.out)
		fail(name);
	write_head(period);
	write_comm(argv[optind]);
	step_through(period, most);
	finish(name, period);
	pd_disassembler_free(r.disassembler);
	perfdata_symbols_free(r.symbols);
	return 0;
}
