/* SPDX-License-Identifier: MIT */
/* Pseudonyms by SipHash-2-4 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012). */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "perfdata/rewrite.h"
#include "perfdata/text.h"
#include "rewrite/pseudonym.h"
#include "rewrite/public_names.h"
#include "text/decimal.h"
#include "text/spelling.h"

enum { SALT_COMM = 1, SALT_PART, SALT_NAME, SALT_BUILD_ID, SALT_PID, SALT_NUMBER };

/* --- the hash ---------------------------------------------------------------------------------------------------- */

static uint64_t rotate_left(uint64_t v, unsigned n) { return v << n | v >> (64 - n); }

static void sip_rounds(uint64_t v[4], unsigned rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate_left(v[1], 13) ^ v[0];
		v[3] = rotate_left(v[3], 16) ^ v[2];
		v[0] = rotate_left(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate_left(v[1], 17) ^ v[2];
		v[3] = rotate_left(v[3], 21) ^ v[0];
		v[2] = rotate_left(v[2], 32);
	}
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
}

/* The result does not depend on the machine's byte order. */
uint64_t pd_keyed_hash(const struct pd_pseudonyms *names, unsigned salt, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	uint64_t v[4] = { names->key[0] ^ 0x736f6d6570736575, names->key[1] ^ 0x646f72616e646f6d,
			  names->key[0] ^ 0x6c7967656e657261, names->key[1] ^ 0x7465646279746573 };
	uint64_t word = 0;

	sip_word(v, salt);
	for (size_t i = 0; i < size; i++) {
		word |= (uint64_t)p[i] << i % 8 * 8;
		if (i % 8 == 7) {
			sip_word(v, word);
			word = 0;
		}
	}
	sip_word(v, word | (uint64_t)(size & 0xff) << 56);
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void perfdata_anonymize_key(const void *bytes, size_t size, uint8_t ret_key[16])
{
	const struct pd_pseudonyms none = { .keep = 0 };

	for (unsigned half = 0; half < 2; half++) {
		const uint64_t hash = pd_keyed_hash(&none, 128 + half, bytes, size);
		for (unsigned i = 0; i < 8; i++)
			ret_key[half * 8 + i] = (uint8_t)(hash >> 8 * i);
	}
}

static uint64_t hash_of_number(const struct pd_pseudonyms *names, unsigned salt, uint64_t number)
{
	uint8_t bytes[8];
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	return pd_keyed_hash(names, salt, bytes, sizeof bytes);
}

/* --- pairs for the user ------------------------------------------------------------------------------------------- */

static void report_pseudonym(struct pd_pseudonyms *names, enum pd_pseudonym_kind kind, struct perfdata_bytes from,
			     struct perfdata_bytes to)
{
	static const char *const kinds[] = { "comm", "path", "name", "build-id", "pid", "number" };
	const uint64_t pair = pd_keyed_hash(names, 64 + kind, from.data, from.size);
	uint64_t known;

	if (pd_hash_map_get(&names->seen, pair, &known))
		return;
	if (pd_hash_map_put(&names->seen, pair, 1) < 0)
		names->no_memory = true;
	names->counts[kind]++;
	if (names->on_pair)
		names->on_pair(names->user, kinds[kind], from, to);
}

static void report_numbers(struct pd_pseudonyms *names, enum pd_pseudonym_kind kind, uint64_t from, uint64_t to)
{
	char a[32], b[32];
	const size_t x = (size_t)(pd_u64_to(a, from) - a), y = (size_t)(pd_u64_to(b, to) - b);
	report_pseudonym(names, kind, (struct perfdata_bytes){ (const uint8_t *)a, x },
			 (struct perfdata_bytes){ (const uint8_t *)b, y });
}

void pd_pseudonyms_release(struct pd_pseudonyms *names) { pd_hash_map_release(&names->seen); }

/* --- numbers ----------------------------------------------------------------------------------------------------- */

#define PID_BITS 22u                 /* bits of the kernel's largest pid */

/* A keyed permutation of the numbers of `bits` bits, a Feistel network. `bits` must be even. */
static uint32_t exchanged_bits(const struct pd_pseudonyms *names, unsigned bits, uint32_t number)
{
	const unsigned half = bits / 2;
	const uint32_t mask = (UINT32_C(1) << half) - 1;
	uint32_t left = number >> half, right = number & mask;

	for (unsigned round = 0; round < 6; round++) {
		const uint32_t next = left ^
				      ((uint32_t)hash_of_number(names, SALT_PID + 16 * round, right) & mask);
		left = right;
		right = next;
	}
	return left << half | right;
}

/* A permutation of all possible pids, and another one of all larger numbers, which only damage produces. */
static uint32_t exchanged_pid(const struct pd_pseudonyms *names, uint32_t pid)
{
	const uint32_t limit = UINT32_C(1) << PID_BITS;
	uint32_t other = pid;

	do
		other = exchanged_bits(names, pid < limit ? PID_BITS : 32, other);
	while ((other < limit) != (pid < limit) || other == 0 || other == UINT32_MAX);
	return other;
}

int32_t pd_pseudonym_pid(struct pd_pseudonyms *names, int32_t pid)
{
	if (pid == 0 || pid == -1 || names->keep & PERFDATA_ANONYMIZE_KEEP_PIDS)
		return pid;
	const uint32_t other = exchanged_pid(names, (uint32_t)pid);
	report_numbers(names, PD_PSEUDONYM_PID, (uint32_t)pid, other);
	return (int32_t)other;
}

uint64_t pd_pseudonym_number(struct pd_pseudonyms *names, uint64_t number)
{
	if (!number)
		return 0;
	const uint64_t other = hash_of_number(names, SALT_NUMBER, number) >> 1;
	report_numbers(names, PD_PSEUDONYM_NUMBER, number, other);
	return other;
}

void pd_pseudonym_build_id(struct pd_pseudonyms *names, const uint8_t *from, size_t size, uint8_t *to)
{
	bool any = false;

	for (size_t i = 0; i < size; i++)
		any |= from[i] != 0;
	if (!any || names->keep & PERFDATA_ANONYMIZE_KEEP_BUILD_IDS) {
		memmove(to, from, size);
		return;
	}
	uint8_t made[24];
	for (unsigned part = 0; part < 3; part++) {
		const uint64_t hash = pd_keyed_hash(names, SALT_BUILD_ID + 16 * part, from, size);
		for (unsigned i = 0; i < 8; i++)
			made[part * 8 + i] = (uint8_t)(hash >> 8 * i);
	}
	report_pseudonym(names, PD_PSEUDONYM_BUILD_ID, (struct perfdata_bytes){ from, size },
			 (struct perfdata_bytes){ made, size });
	memcpy(to, made, size < sizeof made ? size : sizeof made);
}

/* --- texts ------------------------------------------------------------------------------------------------------- */

static bool is_text(struct perfdata_bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && !memcmp(bytes.data, text, bytes.size);
}
static bool begins_with(struct perfdata_bytes bytes, const char *text)
{
	return bytes.size >= strlen(text) && !memcmp(bytes.data, text, strlen(text));
}
static bool ends_with(struct perfdata_bytes bytes, const char *text)
{
	const size_t size = strlen(text);
	return bytes.size >= size && !memcmp(bytes.data + bytes.size - size, text, size);
}

/* Whether the part of a path is a name that nearly every machine has. */
static bool is_public_part(struct perfdata_bytes part)
{
	static const char *const known[] = {
		"",
		".",
		"..",
		"usr",
		"lib",
		"lib32",
		"lib64",
		"libx32",
		"bin",
		"sbin",
		"local",
		"etc",
		"var",
		"tmp",
		"opt",
		"home",
		"root",
		"run",
		"proc",
		"dev",
		"sys",
		"shm",
		"share",
		"modules",
		"kernel",
		"drivers",
		"net",
		"fs",
		"debug",
		"x86_64-linux-gnu",
		"i386-linux-gnu",
		"aarch64-linux-gnu",
		"arm-linux-gnueabihf",
		"libc.so.6",
		"libm.so.6",
		"libdl.so.2",
		"librt.so.1",
		"libpthread.so.0",
		"libstdc++.so.6",
		"libgcc_s.so.1",
		"libz.so.1",
		"ld-linux-x86-64.so.2",
		"ld-linux-aarch64.so.1",
		"ld-linux.so.2",
		"ld-linux-armhf.so.3",
		"libcrypto.so.3",
		"libssl.so.3",
		"vmlinux",
		"bash",
		"dash",
		"sh",
		"zero",
		"anon_hugepage",
		"user.slice",
		"system.slice",
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_text(part, known[i]))
			return true;
	return false;
}

/* Whether the whole name is no file, or reveals nothing about the user. */
static bool is_public_name(struct perfdata_bytes name)
{
	static const char *const known[] = {
		"[kernel.kallsyms]",
		"[kernel.kallsyms]_text",
		"[kernel.kallsyms]_stext",
		"[guest.kernel.kallsyms]",
		"[guest.kernel.kallsyms]_text",
		"[kernel]",
		"[vdso]",
		"[vdso32]",
		"[vdsox32]",
		"[vsyscall]",
		"[vectors]",
		"[heap]",
		"[stack]",
		"[uprobes]",
		"[anon]",
		"//anon",
		"//toolong",
		"//enomem",
		"anon_inode:[perf_event]",
		"anon_inode:[io_uring]",
		"anon_inode:[bpf-map]",
		"[bpf]",
		"[unknown]",
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_text(name, known[i]))
			return true;
	return false;
}

static void put_hash(struct perfdata_text *out, uint64_t hash)
{
	char digits[24];
	perfdata_text_append(out, digits, (size_t)(pd_hex_width_to(digits, hash & 0xffffffffff, 10) - digits));
}

/* Returns the size of the suffix, which is kept because it is the kind of the file: ".so", ".ko.xz", ".jar". */
static size_t suffix_of(struct perfdata_bytes part)
{
	static const char *const kinds[] = { ".so",    ".ko",  ".ko.xz", ".ko.gz", ".ko.zst", ".jar",
					     ".apk",   ".dex", ".oat",   ".odex",  ".map",    ".dump",
					     ".debug", ".py",  ".exe",   ".dll",   ".a",      ".o" };
	size_t longest = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (ends_with(part, kinds[i]) && strlen(kinds[i]) > longest && strlen(kinds[i]) < part.size)
			longest = strlen(kinds[i]);
	return longest;
}

/* Whether the name has a version after ".so", as "libx.so.1.2.3": the pseudonym keeps ".so" without the version. */
static bool is_versioned(struct perfdata_bytes part)
{
	size_t at = part.size;

	while (at > 0 && (isdigit(part.data[at - 1]) || part.data[at - 1] == '.'))
		at--;
	return at > 3 && at < part.size && part.data[at] == '.' && !memcmp(part.data + at - 3, ".so", 3);
}

static void put_part(const struct pd_pseudonyms *names, struct perfdata_text *out, struct perfdata_bytes part)
{
	if (is_public_part(part)) {
		perfdata_text_bytes(out, part);
		return;
	}
	const size_t suffix = suffix_of(part);
	perfdata_text_char(out, 'p');
	put_hash(out, pd_keyed_hash(names, SALT_PART, part.data, part.size));
	perfdata_text_append(out, part.data + part.size - suffix, suffix);
	if (!suffix && is_versioned(part))
		perfdata_text_literal(out, ".so");
}

static char *kept_text(struct pd_arena *arena, struct perfdata_bytes text, size_t *ret_size)
{
	*ret_size = text.size;
	return pd_arena_copy(arena, text.data, text.size);
}

static char *taken_name(struct pd_pseudonyms *names, enum pd_pseudonym_kind kind, struct pd_arena *arena,
			struct perfdata_bytes from, struct perfdata_text *out, size_t *ret_size)
{
	char *copy = perfdata_text_failed(out) ? NULL : pd_arena_copy(arena, out->data, out->size);

	if (copy && (out->size != from.size || memcmp(out->data, from.data, from.size)))
		report_pseudonym(names, kind, from, (struct perfdata_bytes){ (const uint8_t *)copy, out->size });
	*ret_size = out->size;
	perfdata_text_release(out);
	return copy;
}

char *pd_pseudonym_comm(struct pd_pseudonyms *names, struct pd_arena *arena, struct perfdata_bytes comm,
			size_t *ret_size)
{
	struct perfdata_text out;

	if (!comm.size || names->keep & PERFDATA_ANONYMIZE_KEEP_COMMS || pd_is_public(PD_PUBLIC_COMM, comm))
		return kept_text(arena, comm, ret_size);
	perfdata_text_init(&out);
	perfdata_text_char(&out, 'c');
	put_hash(&out, pd_keyed_hash(names, SALT_COMM, comm.data, comm.size));
	return taken_name(names, PD_PSEUDONYM_COMM, arena, comm, &out, ret_size);
}

char *pd_pseudonym_name(struct pd_pseudonyms *names, struct pd_arena *arena, struct perfdata_bytes name,
			size_t *ret_size)
{
	struct perfdata_text out;

	if (!name.size)
		return kept_text(arena, name, ret_size);
	perfdata_text_init(&out);
	perfdata_text_char(&out, 'n');
	put_hash(&out, pd_keyed_hash(names, SALT_NAME, name.data, name.size));
	return taken_name(names, PD_PSEUDONYM_NAME, arena, name, &out, ret_size);
}

char *pd_pseudonym_path(struct pd_pseudonyms *names, struct pd_arena *arena, struct perfdata_bytes path,
			size_t *ret_size)
{
	static const char deleted[] = " (deleted)";
	struct perfdata_text out;
	struct perfdata_bytes left = path;

	if (!path.size || names->keep & PERFDATA_ANONYMIZE_KEEP_PATHS || is_public_name(path))
		return kept_text(arena, path, ret_size);
	perfdata_text_init(&out);
	const bool is_deleted = ends_with(left, deleted);
	if (is_deleted)
		left.size -= strlen(deleted);
	if (begins_with(left, "/SYSV") && left.size == 13) {
		perfdata_text_literal(&out, "/SYSV00000000");
	} else if (begins_with(left, "/memfd:")) {
		perfdata_text_literal(&out, "/memfd:");
		put_part(names, &out, (struct perfdata_bytes){ left.data + 7, left.size - 7 });
	} else if (left.data[0] == '[') {
		/* a kernel module, or named anonymous memory */
		perfdata_text_char(&out, '[');
		if (begins_with(left, "[anon:"))
			perfdata_text_literal(&out, "anon:");
		put_part(names, &out, left);
		perfdata_text_char(&out, ']');
	} else {
		while (left.size) {
			const uint8_t *slash = memchr(left.data, '/', left.size);
			const size_t size = slash ? (size_t)(slash - left.data) : left.size;
			put_part(names, &out, (struct perfdata_bytes){ left.data, size });
			if (slash)
				perfdata_text_char(&out, '/');
			left.data += size + (slash != NULL);
			left.size -= size + (slash != NULL);
		}
	}
	if (is_deleted)
		perfdata_text_string(&out, deleted);
	return taken_name(names, PD_PSEUDONYM_PATH, arena, path, &out, ret_size);
}
