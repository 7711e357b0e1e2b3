/* SPDX-License-Identifier: MIT */
/* POSIX.1-1988 ustar headers, and the pax headers of POSIX.1-2001 for names that are longer than 100 bytes. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "match/bundle_impl.h"

#define NAME_SIZE 100u
#define PREFIX_SIZE 155u
#define MAX_PAX 16384

struct header {
	char name[NAME_SIZE], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, target[NAME_SIZE],
		magic[6], version[2];
	char user[32], group[32], major[8], minor[8], prefix[PREFIX_SIZE], unused[12];
};
_Static_assert(sizeof(struct header) == PD_TAR_BLOCK, "a header is a block");

static unsigned checksum_of(const uint8_t block[PD_TAR_BLOCK])
{
	const size_t at = offsetof(struct header, checksum);
	unsigned sum = 0;
	for (size_t i = 0; i < PD_TAR_BLOCK; i++)
		sum += i >= at && i < at + 8 ? ' ' : block[i];
	return sum;
}

static enum perfdata_status write_block(char type, const char *name, const char *target, uint64_t size,
					perfdata_bundle_write_fn *write, void *user)
{
	struct header h;
	char octal[16];
	memset(&h, 0, sizeof h);
	memcpy(h.name, name, strnlen(name, sizeof h.name));
	memcpy(h.target, target, strnlen(target, sizeof h.target));
	memcpy(h.mode, type == PD_TAR_LINK ? "0000777" : "0000644", 8);
	memcpy(h.uid, "0000000", 8);
	memcpy(h.gid, "0000000", 8);
	snprintf(octal, sizeof octal, "%011llo", (unsigned long long)size & 077777777777ull);
	memcpy(h.size, octal, 12);
	memcpy(h.mtime, "00000000000", 12);
	h.type = type;
	memcpy(h.magic, "ustar", 6);
	memcpy(h.version, "00", 2);
	snprintf(octal, sizeof octal, "%06o", checksum_of((const uint8_t *)&h));
	memcpy(h.checksum, octal, 7);
	h.checksum[7] = ' ';
	return write(user, &h, sizeof h);
}

/* Writes "LENGTH KEY=VALUE\n"; LENGTH includes its own digits. */
static size_t pax_record(char *out, size_t room, const char *key, const char *value)
{
	const size_t rest = strlen(key) + strlen(value) + 3;
	size_t size = rest + 1;
	for (size_t power = 10; size >= power; power *= 10)
		size++;
	char digits[24];
	while ((size_t)snprintf(digits, sizeof digits, "%zu", size) + rest != size)
		size++;
	return (size_t)snprintf(out, room, "%zu %s=%s\n", size, key, value);
}

static enum perfdata_status write_pax(const struct pd_tar_entry *entry, perfdata_bundle_write_fn *write, void *user)
{
	char text[MAX_PAX], number[24];
	size_t size = 0;
	const size_t target = entry->target ? strlen(entry->target) : 0, name = strlen(entry->name);
	if (name + target + 64 > sizeof text)
		return PERFDATA_ELIMIT;
	if (name > NAME_SIZE)
		size += pax_record(text + size, sizeof text - size, "path", entry->name);
	if (target > NAME_SIZE)
		size += pax_record(text + size, sizeof text - size, "linkpath", entry->target);
	if (entry->size > 077777777777ull) {
		snprintf(number, sizeof number, "%llu", (unsigned long long)entry->size);
		size += pax_record(text + size, sizeof text - size, "size", number);
	}
	if (!size)
		return PERFDATA_OK;
	enum perfdata_status status = write_block('x', "pax", "", size, write, user);
	if (!status)
		status = write(user, text, size);
	return status ? status : pd_tar_write_padding(size, write, user);
}

enum perfdata_status pd_tar_write_header(const struct pd_tar_entry *entry, perfdata_bundle_write_fn *write, void *user)
{
	enum perfdata_status status = write_pax(entry, write, user);
	return status ? status
		      : write_block((char)entry->type, entry->name, entry->target ? entry->target : "", entry->size,
				    write, user);
}

enum perfdata_status pd_tar_write_padding(uint64_t size, perfdata_bundle_write_fn *write, void *user)
{
	static const char zeros[PD_TAR_BLOCK];
	const size_t over = size % PD_TAR_BLOCK;
	return over ? write(user, zeros, PD_TAR_BLOCK - over) : PERFDATA_OK;
}

enum perfdata_status pd_tar_write_end(perfdata_bundle_write_fn *write, void *user)
{
	static const char zeros[2 * PD_TAR_BLOCK];
	return write(user, zeros, sizeof zeros);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Parses octal digits, or a binary number if the first bit is set. False: neither. */
static bool parse_number(const char *field, size_t size, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i = 0;
	if ((uint8_t)field[0] & 0x80) {
		for (i = size - 8; i < size; i++)
			value = value << 8 | (uint8_t)field[i];
		*ret = value;
		return true;
	}
	while (i < size && field[i] == ' ')
		i++;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		value = value << 3 | (uint64_t)(field[i] - '0');
	*ret = value;
	return i == size || !field[i] || field[i] == ' ';
}

bool pd_tar_parse(const uint8_t block[PD_TAR_BLOCK], struct pd_tar_header *ret)
{
	struct header h;
	uint64_t checksum;
	memcpy(&h, block, sizeof h);
	if (!parse_number(h.checksum, sizeof h.checksum, &checksum) || checksum != checksum_of(block) ||
	    !parse_number(h.size, sizeof h.size, &ret->size))
		return false;
	const bool has_prefix = !memcmp(h.magic, "ustar", 6) && h.prefix[0];
	snprintf(ret->name, sizeof ret->name, "%.*s%s%.*s", has_prefix ? (int)PREFIX_SIZE : 0, h.prefix,
		 has_prefix ? "/" : "", (int)NAME_SIZE, h.name);
	snprintf(ret->target, sizeof ret->target, "%.*s", (int)NAME_SIZE, h.target);
	ret->type = h.type ? h.type : (char)PD_TAR_FILE;
	return true;
}
