/* SPDX-License-Identifier: MIT */
/* A mutator that knows how a recording is built, for the targets that read whole recordings: sizes of records and
 * sections stay right, so that the bytes after a change are still read. Half of all changes are libFuzzer's own,
 * anywhere in the bytes. */
#include "codec/codec.h"
#include "fuzz.h"
#include "fuzz_mutate.h"

#define MAX_RECORDS 2048
#define HEADER_SIZE 104
#define LARGEST ((size_t)1 << 16)

struct piece { size_t at, size; };

struct recording {
	uint8_t *data;
	size_t size, max_size;
	bool big, is_file;
	size_t begin, end;             /* of the records */
	struct piece records[MAX_RECORDS];
	size_t nr_records;
};

/* --- random numbers --- */

static uint32_t state;

static size_t below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return n ? state % n : 0;
}

/* --- numbers in the recording's byte order --- */

static uint64_t get(const struct recording *r, size_t at, size_t width)
{
	uint64_t value = 0;
	for (size_t i = 0; i < width && at + width <= r->size; i++)
		value = value << 8 | r->data[at + (r->big ? i : width - 1 - i)];
	return value;
}

static void put(struct recording *r, size_t at, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width && at + width <= r->size; i++)
		r->data[at + (r->big ? width - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

/* --- finding the parts --- */

static void find_records(struct recording *r)
{
	for (size_t at = r->begin; at + 8 <= r->end && r->nr_records < MAX_RECORDS;) {
		const size_t size = (size_t)get(r, at + 6, 2);
		if (size < 8 || size > r->end - at)
			break;
		r->records[r->nr_records++] = (struct piece){ at, size };
		at += size;
	}
}

static bool find_parts(struct recording *r, uint8_t *data, size_t size, size_t max_size)
{
	r->data = data;
	r->size = size;
	r->max_size = max_size;
	r->nr_records = 0;
	if (size < 24 || (memcmp(data, "PERFILE2", 8) != 0 && memcmp(data, "2ELIFREP", 8) != 0))
		return false;
	r->big = data[0] == '2';
	r->is_file = get(r, 8, 8) == HEADER_SIZE && size >= HEADER_SIZE;
	r->begin = r->is_file ? (size_t)get(r, 40, 8) : 16;
	if (r->begin > size)
		return false;
	const uint64_t length = r->is_file ? get(r, 48, 8) : size - r->begin;
	r->end = r->begin + (length < size - r->begin ? (size_t)length : size - r->begin);
	find_records(r);
	return true;
}

/* The entry of the section table at that place: false after the last entry. */
static bool section_at(const struct recording *r, size_t number, size_t *ret_entry)
{
	size_t count = 0;
	for (size_t i = 72; i < HEADER_SIZE; i++)
		count += (size_t)__builtin_popcount(r->data[i]);
	*ret_entry = r->end + 16 * number;
	return r->is_file && number < count && *ret_entry + 16 <= r->size;
}

/* --- changes that keep the rest in place --- */

/* Moves everything that begins at `at` or later. */
static void move_sections(struct recording *r, size_t at, int64_t by)
{
	size_t entry;
	for (size_t i = 0; section_at(r, i, &entry); i++)
		if (get(r, entry, 8) >= at)
			put(r, entry, 8, get(r, entry, 8) + (uint64_t)by);
}

/* Replaces some bytes of the records, or of the sections after them. */
static bool splice(struct recording *r, struct piece old, const uint8_t *bytes, size_t size)
{
	if (r->size - old.size + size > r->max_size)
		return false;
	memmove(r->data + old.at + size, r->data + old.at + old.size, r->size - old.at - old.size);
	if (size)
		memcpy(r->data + old.at, bytes, size);
	r->size = r->size - old.size + size;
	const int64_t by = (int64_t)size - (int64_t)old.size;
	if (old.at < r->end || (old.at == r->end && !old.size)) {
		r->end = (size_t)((int64_t)r->end + by);
		if (r->is_file)
			put(r, 48, 8, r->end - r->begin);
	}
	if (r->is_file)
		move_sections(r, old.at + (old.size ? 1 : 0), by);
	return true;
}

static void change_body(struct recording *r, struct piece record)
{
	if (record.size > 8)
		LLVMFuzzerMutate(r->data + record.at + 8, record.size - 8, record.size - 8);
}

static void change_size(struct recording *r, struct piece record)
{
	static uint8_t bytes[LARGEST];
	const size_t room = record.size + 64 < LARGEST - 8 ? record.size + 64 : LARGEST - 8;
	memcpy(bytes, r->data + record.at, record.size);
	size_t size = 8 + LLVMFuzzerMutate(bytes + 8, record.size - 8, room - 8);
	while (size % 8)
		bytes[size++] = 0;
	if (splice(r, record, bytes, size))
		put(r, record.at + 6, 2, size);
}

static void change_type(struct recording *r, struct piece record)
{
	put(r, record.at, 4, below(2) ? 1 + below(23) : 64 + below(24));
}

/* Counts, sizes and ids: the words of a record take what a word elsewhere holds, or what lies at a border. */
static void change_word(struct recording *r, struct piece record)
{
	static const uint64_t values[] = { 0,
					   1,
					   2,
					   7,
					   8,
					   16,
					   127,
					   255,
					   4095,
					   65535,
					   1u << 31,
					   UINT32_MAX,
					   1ull << 32,
					   1ull << 47,
					   1ull << 63,
					   UINT64_MAX - 4095,
					   UINT64_MAX - 511,
					   UINT64_MAX - 127,
					   UINT64_MAX };
	const size_t width = (size_t)2 << below(3);
	if (record.size < 8 + width)
		return;
	const size_t at = record.at + 8 + width * below((record.size - 8) / width);
	const size_t other = below(r->size - width) & ~(width - 1);
	put(r, at, width,
	    below(2) ? values[below(sizeof values / sizeof *values)] : get(r, other, width) + below(3) - 1);
}

static void copy_record(struct recording *r, struct piece record, size_t to)
{
	static uint8_t bytes[LARGEST];
	memcpy(bytes, r->data + record.at, record.size);
	splice(r, (struct piece){ to, 0 }, bytes, record.size);
}

static void change_section(struct recording *r)
{
	static uint8_t bytes[LARGEST];
	size_t entry;
	if (!section_at(r, below(40), &entry) && !section_at(r, below(4), &entry))
		return;
	const uint64_t at = get(r, entry, 8), size = get(r, entry + 8, 8);
	if (at < r->end || at > r->size || size > r->size - at || size > LARGEST - 64)
		return;
	memcpy(bytes, r->data + at, (size_t)size);
	const size_t changed = LLVMFuzzerMutate(bytes, (size_t)size, (size_t)size + 64);
	if (splice(r, (struct piece){ (size_t)at, (size_t)size }, bytes, changed))
		put(r, entry + 8, 8, changed);
}

/* attrs of a file container precede the records, and keep their size */
static void change_head(struct recording *r)
{
	const size_t size = r->begin < r->size ? r->begin : r->size;
	if (size > 24)
		LLVMFuzzerMutate(r->data + 16, size - 16, size - 16);
}

/* Some records become a COMPRESSED one. */
static void compress_records(struct recording *r)
{
	static uint8_t bytes[LARGEST];
	const size_t first = below(r->nr_records),
		     last = first + below(r->nr_records - first < 40 ? r->nr_records - first : 40);
	const size_t at = r->records[first].at, size = r->records[last].at + r->records[last].size - at;
	struct pd_encoder *encoder = pd_encoder_new(PD_CODEC_ZSTD, 1);
	size_t in_used = 0, used = 8;

	if (encoder &&
	    pd_encoder_run(encoder, r->data + at, size, &in_used, bytes, sizeof bytes - 8, &used, true) ==
		    PERFDATA_END &&
	    splice(r, (struct piece){ at, size }, bytes, used)) {
		put(r, at, 4, 81);
		put(r, at + 4, 2, 0);
		put(r, at + 6, 2, used);
	}
	pd_encoder_free(encoder);
}

/* The whole recording as members, or frames, that end anywhere. */
static size_t pack(uint8_t *data, size_t size, size_t max_size)
{
	static uint8_t bytes[4 * LARGEST];
	struct pd_encoder *encoder = pd_encoder_new(below(2) ? PD_CODEC_ZSTD : PD_CODEC_GZIP, 1);
	size_t in = 0, used = 0;

	while (encoder && in < size) {
		const size_t part = in + 1 + below(size - in < 3000 ? size - in : 3000);
		if (pd_encoder_run(encoder, data, part, &in, bytes, sizeof bytes, &used, true) != PERFDATA_END)
			break;
		pd_encoder_reset(encoder);
	}
	const bool fits = encoder && in == size && used <= max_size;
	pd_encoder_free(encoder);
	if (fits)
		memcpy(data, bytes, used);
	return fits ? used : size;
}

static size_t unpack(const uint8_t *data, size_t size, uint8_t *out, size_t room)
{
	const enum pd_codec_kind kind = pd_codec_probe(data, size);
	struct pd_decoder *decoder = kind == PD_CODEC_NONE ? NULL : pd_decoder_new(kind);
	size_t in = 0, used = 0, before;

	do
		before = in;
	while (decoder && pd_decoder_run(decoder, data, size, &in, out, room, &used) >= PERFDATA_OK && in > before &&
	       in < size && used < room);
	pd_decoder_free(decoder);
	return used;
}

static void change(struct recording *r)
{
	const struct piece record = r->records[below(r->nr_records)];

	switch (below(r->nr_records ? 11 : 2)) {
	case 0: change_head(r); break;
	case 1: change_section(r); break;
	case 2: change_size(r, record); break;
	case 3: change_type(r, record); break;
	case 4: copy_record(r, record, r->records[below(r->nr_records)].at); break;
	case 5: splice(r, record, NULL, 0); break;
	case 6: compress_records(r); break;
	case 7: change_word(r, record); break;
	default: change_body(r, record); break;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	static uint8_t decompressed[LARGEST];
	static struct recording r;

	state = seed | 1;
	if (below(2))
		return LLVMFuzzerMutate(data, size, max_size);
	if (!find_parts(&r, data, size, max_size)) {
		/* compressed: every other time its contents are changed and compressed again, or stay as they are */
		const size_t inner = below(2) ? unpack(data, size, decompressed, sizeof decompressed) : 0;
		if (!inner || inner > max_size || !find_parts(&r, decompressed, inner, max_size))
			return LLVMFuzzerMutate(data, size, max_size);
		change(&r);
		memcpy(data, decompressed, r.size);
		return below(4) ? pack(data, r.size, max_size) : r.size;
	}
	for (size_t n = 1 + below(3); n; n--) {
		change(&r);
		if (!find_parts(&r, data, r.size, max_size))
			return r.size;
	}
	return below(40) ? r.size : pack(data, r.size, max_size);
}

/* Records of the second input at some place of the first. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
				 uint8_t *out, size_t max_size, unsigned seed)
{
	static struct recording into, from;
	static uint8_t other[LARGEST];

	state = seed | 1;
	if (first_size > max_size || second_size > sizeof other)
		return 0;
	memcpy(out, first, first_size);
	memcpy(other, second, second_size);
	if (!find_parts(&into, out, first_size, max_size) || !find_parts(&from, other, second_size, sizeof other) ||
	    !from.nr_records)
		return first_size;
	for (size_t n = 1 + below(8); n; n--) {
		const struct piece record = from.records[below(from.nr_records)];
		const size_t to = into.nr_records ? into.records[below(into.nr_records)].at : into.end;
		splice(&into, (struct piece){ to, 0 }, other + record.at, record.size);
		if (!find_parts(&into, out, into.size, max_size))
			break;
	}
	return into.size;
}
