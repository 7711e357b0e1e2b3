/* SPDX-License-Identifier: MIT */
/* What the bytes alone cost: reads a recording (a file, or the files of a directory) in pieces and looks at each line
 * of the cache, unpacks its COMPRESSED records, and meanwhile writes as many bytes as an output has to a new file, from
 * one piece of memory. No program that reads and writes as much takes less time. usage: bench_bare RECORDING [SIZE
 * TARGET] */
#include "config.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#define PIECE ((size_t)1 << 20)

struct unpacking {
	uint8_t kept[1 << 16];     /* of the record that the last piece broke off in */
	size_t nr_kept;
	uint64_t skip;             /* bytes in front of the next record */
#ifdef HAVE_ZSTD
	ZSTD_DStream *stream;
#endif
};

static volatile uint64_t unwanted;

static void look_at(const uint8_t *bytes, size_t size)
{
	uint64_t sum = 0;
	for (size_t at = 0; at < size; at += 64)
		sum += bytes[at];
	unwanted += sum;
}

static void unpack(struct unpacking *unpacking, const uint8_t *bytes, size_t size)
{
#ifdef HAVE_ZSTD
	static uint8_t room[1 << 18];
	ZSTD_inBuffer in = { bytes, size, 0 };
	if (!unpacking->stream)
		unpacking->stream = ZSTD_createDStream();
	while (in.pos < in.size) {
		ZSTD_outBuffer out = { room, sizeof room, 0 };
		if (ZSTD_isError(ZSTD_decompressStream(unpacking->stream, &out, &in)))
			return;
		look_at(room, out.pos);
	}
#else
	(void)unpacking, (void)bytes, (void)size;
#endif
}

static uint16_t load16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }

/* Follows the records of a little-endian recording; what it does not know it passes over. */
static void take_records(struct unpacking *unpacking, const uint8_t *bytes, size_t size)
{
	const uint8_t compressed = 81, compressed2 = 83;
	while (size) {
		if (unpacking->skip) {
			const size_t step = unpacking->skip < size ? (size_t)unpacking->skip : size;
			unpacking->skip -= step;
			bytes += step;
			size -= step;
			continue;
		}
		/* a whole record, in `kept` or in place */
		const uint8_t *record = bytes;
		const size_t had = unpacking->nr_kept, wanted = had >= 8 ? load16(unpacking->kept + 6) : 8;
		if (had || size < 8 || load16(bytes + 6) > size) {
			const size_t step = wanted - had < size ? wanted - had : size;
			memcpy(unpacking->kept + had, bytes, step);
			unpacking->nr_kept += step;
			bytes += step;
			size -= step;
			if (unpacking->nr_kept < 8 || unpacking->nr_kept < load16(unpacking->kept + 6))
				continue;
			record = unpacking->kept;
		}
		const uint16_t length = load16(record + 6);
		if (length < 8)
			return;
		if (record[0] == compressed && !record[1])
			unpack(unpacking, record + 8, length - 8u);
		else if (record[0] == compressed2 && !record[1] && length >= 16)
			/* the rest is padding */
			unpack(unpacking, record + 16, load16(record + 8) <= length - 16 ? load16(record + 8) : 0);
		if (record == bytes) {
			bytes += length;
			size -= length;
		}
		unpacking->nr_kept = 0;
	}
}

static void read_file(const char *path)
{
	static uint8_t piece[PIECE];
	struct unpacking unpacking = { .skip = 0 };
	uint8_t header[104];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t at = 0;
	if (fd < 0)
		return;
	const bool is_file = pread(fd, header, sizeof header, 0) == (ssize_t)sizeof header &&
			     !memcmp(header, "PERFILE2", 8);
	uint64_t data = 0;
	if (is_file)
		memcpy(&data, header + (header[8] == 16 ? 8 : 40), sizeof data);   /* of a stream: the header's size */
	unpacking.skip = data;
	for (ssize_t n; (n = pread(fd, piece, PIECE, at)) > 0; at += n) {
		look_at(piece, (size_t)n);
		take_records(&unpacking, piece, (size_t)n);
	}
	close(fd);
}

static void read_recording(const char *path)
{
	struct stat status;
	if (stat(path, &status) || !S_ISDIR(status.st_mode)) {
		read_file(path);
		return;
	}
	DIR *folder = opendir(path);
	char name[4096];
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		read_file(name);
	}
	if (folder)
		closedir(folder);
}

struct output {
	const char *target;
	uint64_t size;
	bool failed;
};

static void *write_output(void *user)
{
	static uint8_t piece[PIECE];
	struct output *output = user;
	const int fd = open(output->target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	memset(piece, 'x', sizeof piece);
	for (uint64_t left = output->size; fd >= 0 && left;) {
		const ssize_t n = write(fd, piece, left < PIECE ? (size_t)left : PIECE);
		if (n <= 0)
			break;
		left -= (uint64_t)n;
		output->failed = left != 0;
	}
	if (fd >= 0)
		close(fd);
	output->failed |= fd < 0;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t writer;
	struct output output = { .target = argc > 3 ? argv[3] : NULL,
				 .size = argc > 3 ? strtoull(argv[2], NULL, 10) : 0 };
	if (argc != 2 && argc != 4) {
		fprintf(stderr, "usage: bench_bare RECORDING [SIZE TARGET]\n");
		return 2;
	}
	if (output.target && pthread_create(&writer, NULL, write_output, &output))
		return 1;
	read_recording(argv[1]);
	if (output.target)
		pthread_join(writer, NULL);
	return output.failed;
}
