/* SPDX-License-Identifier: MIT */
/* Recognizes the form of an input, and reads the file header and the tables that the header points to. */
#include "config.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "reader/reader_impl.h"
#include "schema/schema.h"

#define PIPE_HEADER_SIZE 16
#define STREAM_KNOWN 24              /* bytes needed to recognize a stream */
#define OLD_HEADER_SIZE 72
#define HEADER_SIZE 104
#define TAIL_SEARCHED (16u << 20)    /* bytes at the end of a file that are searched for a lost feature table */
#define EVENT_TYPE_ENTRY 72          /* u64 id, char name[64] */
#define MAX_PADDING 8                /* bytes after the last section: too few for a record or a section */

/* A file container while it is opened. */
struct container {
	struct perfdata_reader *reader;
	struct pd_input *input;
	uint64_t size;               /* bytes of the file */
	uint64_t data_offset, data_end;
	uint64_t sections_end;       /* end of the last section that was found so far */
	uint64_t id_bytes, section_bytes;    /* bytes read so far, limited: tables may overlap */
	bool finished;               /* the recorder completed the header */
	bool read_failed;            /* reader->error says why */
};

static const struct perfdata_section no_section;

/* Reads bytes of the file, fewer if it ends. PERFDATA_EREAD: the bytes are unknown, so the caller must not report them
 * as absent. */
static enum perfdata_status read_at(struct container *c, uint64_t offset, void *bytes, size_t size, size_t *ret_size)
{
	const enum perfdata_status status = pd_input_read_at(c->input, offset, bytes, size, ret_size);
	if (status == PERFDATA_OK || status == PERFDATA_END)
		return PERFDATA_OK;
	*ret_size = 0;
	if (status != PERFDATA_EREAD)
		return status;
	if (!c->read_failed)
		pd_reader_finding(c->reader, PERFDATA_FINDING_READ_FAILED, 0, offset, "reading failed here");
	c->read_failed = true;
	return pd_input_read_error(c->input, &c->reader->error);
}

/* Reads bytes of the file, fewer if it ends; the caller frees *ret with pd_free. */
static enum perfdata_status read_bytes(struct container *c, uint64_t offset, uint64_t size, uint8_t **ret,
				       size_t *ret_size)
{
	const uint64_t there = offset < c->size ? c->size - offset : 0;
	size_t want = size < there ? (size_t)size : (size_t)there;

	*ret = NULL;
	*ret_size = 0;
	if (want > PD_MAX_BLOB)
		want = PD_MAX_BLOB;
	uint8_t *bytes = pd_malloc(want);
	if (!bytes)
		return PERFDATA_ENOMEM;
	const enum perfdata_status status = want ? read_at(c, offset, bytes, want, ret_size) : PERFDATA_OK;
	if (status == PERFDATA_OK)
		*ret = bytes;
	else
		pd_free(bytes);
	return status;
}

static void note_end_of(struct container *c, uint64_t offset, uint64_t size)
{
	if (pd_range_ok(offset, size, c->size) && offset + size > c->sections_end)
		c->sections_end = offset + size;
}

/* --- the magic --------------------------------------------------------------------------------------------------- */

static bool is_small_size(uint64_t size) { return size >= 8 && size <= 4096; }

static enum perfdata_byte_order order_of_magic(const uint8_t *bytes)
{
	return memcmp(bytes, "PERFILE2", 8) ? PERFDATA_BYTE_ORDER_BIG : PERFDATA_BYTE_ORDER_LITTLE;
}

/* The magic of version 2 states the byte order, unless the magic itself is damaged. */
static enum perfdata_byte_order order_of_v2(const uint8_t *bytes, size_t size)
{
	const enum perfdata_byte_order order = order_of_magic(bytes);
	const bool swap = pd_order_is_foreign(order);

	if (size < 24 || is_small_size(pd_load64(bytes + 8, swap)) || !is_small_size(pd_load64(bytes + 8, !swap)))
		return order;
	if (pd_load64(bytes + 8, !swap) != PIPE_HEADER_SIZE && !is_small_size(pd_load64(bytes + 16, !swap)))
		return order;
	return order == PERFDATA_BYTE_ORDER_BIG ? PERFDATA_BYTE_ORDER_LITTLE : PERFDATA_BYTE_ORDER_BIG;
}

/* The byte order of a version 1 recording. Its magic is the same in both orders: sizes are small in the right one. */
static enum perfdata_byte_order order_of_v1(const uint8_t *bytes, size_t size)
{
	const bool foreign_swap = pd_order_is_foreign(PERFDATA_BYTE_ORDER_BIG);

	if (size >= 16 && is_small_size(pd_load64(bytes + 8, foreign_swap)))
		return PERFDATA_BYTE_ORDER_BIG;
	if (size >= 16 && is_small_size(pd_load64(bytes + 8, !foreign_swap)))
		return PERFDATA_BYTE_ORDER_LITTLE;
	if (size >= 24 && is_small_size(pd_load64(bytes + 16, foreign_swap)))
		return PERFDATA_BYTE_ORDER_BIG;
	return PERFDATA_BYTE_ORDER_LITTLE;
}

static bool is_version_1(const uint8_t *bytes) { return !memcmp(bytes, "PERFFILE", 8); }

static enum perfdata_byte_order order_of(const uint8_t *bytes, size_t size)
{
	return is_version_1(bytes) ? order_of_v1(bytes, size) : order_of_v2(bytes, size);
}

static bool take_magic(struct perfdata_reader *reader, const uint8_t *bytes, size_t size)
{
	struct perfdata_header *header = &reader->header;

	if (size < 8 || !pd_is_magic(bytes))
		return false;
	header->version = is_version_1(bytes) ? 1 : 2;
	header->order = order_of(bytes, size);
	if (header->version == 2 && header->order != order_of_magic(bytes))
		pd_reader_finding(reader, PERFDATA_FINDING_HEADER, 0, 0,
				  "the magic states the other byte order than the header has");
	pd_config_init(&reader->config, NULL, header->order);
	return true;
}

static enum perfdata_status refuse_container(struct perfdata_reader *reader, const uint8_t *bytes, size_t size)
{
	const char *why = "this is no perf.data recording";

	if (!size)
		why = "the input is empty";
	else if (size < 8 && (!memcmp(bytes, "PERFILE2", size) || !memcmp(bytes, "2ELIFREP", size) ||
			      !memcmp(bytes, "PERFFILE", size)))
		why = "the input ends inside the magic of a recording";
	return pd_error(&reader->error, PERFDATA_EFORMAT, 0, "%s", why);
}

/* Whether the header's size is that of a stream. Where it fits neither form, the bytes after the header decide. */
static bool is_pipe(const uint8_t *bytes, size_t size, bool swap)
{
	if (size < 16)
		return false;
	const uint64_t stated = pd_load64(bytes + 8, swap);
	if (stated == PIPE_HEADER_SIZE)
		return true;
	if (stated == HEADER_SIZE || stated == OLD_HEADER_SIZE || size < 24)
		return false;
	return pd_header_is_plausible(pd_record_header(bytes + 16, swap), false) &&
	       !is_small_size(pd_load64(bytes + 16, swap));
}

/* --- the file header --------------------------------------------------------------------------------------------- */

static bool has_bit(const uint64_t *words, unsigned bit) { return words[bit / 64] >> bit % 64 & 1; }

/* The bitmap is an array of the recorder's long. A big-endian recording does not say how large that long was: the place
 * of the bit of HOSTNAME, a feature that every recording has, shows it. */
static void take_bitmap(struct perfdata_reader *reader, const uint8_t *bytes)
{
	const bool swap = reader->config.swap;
	uint64_t wide[4], narrow[4], any = 0;
	uint64_t *bits = reader->header.feature_bits;

	for (unsigned i = 0; i < 4; i++) {
		wide[i] = pd_load64(bytes + i * 8, swap);
		narrow[i] = pd_load32(bytes + i * 8, swap) | (uint64_t)pd_load32(bytes + i * 8 + 4, swap) << 32;
		any |= wide[i];
	}
	memcpy(bits, wide, sizeof wide);
	if (!any || reader->header.order == PERFDATA_BYTE_ORDER_LITTLE || has_bit(wide, PERFDATA_FEATURE_HOSTNAME))
		return;
	if (has_bit(narrow, PERFDATA_FEATURE_HOSTNAME)) {
		memcpy(bits, narrow, sizeof narrow);
		return;
	}
	pd_reader_finding(reader, PERFDATA_FINDING_FEATURE_BITMAP, 0, HEADER_SIZE - 32,
			  "the feature bitmap fits neither word size; only build-ids are assumed");
	memset(bits, 0, sizeof wide);
	bits[0] = 1u << PERFDATA_FEATURE_BUILD_ID;
}

static void take_file_header(struct container *c, const uint8_t *bytes, size_t size)
{
	struct perfdata_reader *reader = c->reader;
	struct perfdata_header *header = &reader->header;
	uint8_t full[HEADER_SIZE] = { 0 };

	memcpy(full, bytes, size < sizeof full ? size : sizeof full);
	struct pd_cursor cursor = pd_cursor(full + 8, sizeof full - 8, reader->config.swap);
	header->header_size = pd_u64(&cursor);
	header->attr_size = pd_u64(&cursor);
	for (unsigned i = 0; i < 3; i++) {
		struct perfdata_section *section = i == 0   ? &header->attrs
						   : i == 1 ? &header->data
							    : &header->event_types;
		section->offset = pd_u64(&cursor);
		section->size = pd_u64(&cursor);
	}
	if (size < HEADER_SIZE && size < header->header_size)
		pd_reader_finding(reader, PERFDATA_FINDING_TRUNCATED, 0, size, "the input ends inside the file header");
	if (header->header_size != HEADER_SIZE && header->header_size != OLD_HEADER_SIZE)
		pd_reader_finding(reader, PERFDATA_FINDING_HEADER_SIZE, 0, 8, "the header states a size of %llu bytes",
				  (unsigned long long)header->header_size);
	if (header->header_size >= OLD_HEADER_SIZE && header->header_size < HEADER_SIZE)
		memset(full + header->header_size, 0, HEADER_SIZE - (size_t)header->header_size);
	take_bitmap(reader, full + OLD_HEADER_SIZE);
	c->sections_end = header->header_size < c->size && header->header_size <= HEADER_SIZE ? header->header_size
											      : HEADER_SIZE;
}

/* --- attrs ------------------------------------------------------------------------------------------------------- */

static enum perfdata_status add_event(struct container *c, const uint8_t *entry, size_t stride, uint64_t offset)
{
	struct perfdata_reader *reader = c->reader;
	struct pd_cursor cursor = pd_cursor(entry + stride - 16, 16, reader->config.swap);
	struct perfdata_section ids = { 0 };
	struct perfdata_bytes id_bytes = { NULL, 0 };
	uint8_t *bytes = NULL;

	ids.offset = pd_u64(&cursor);
	ids.size = pd_u64(&cursor);
	if (ids.size) {
		const bool fits = pd_range_ok(ids.offset, ids.size, c->size) && ids.size % 8 == 0;
		if (!fits || ids.size > c->size - c->id_bytes)
			pd_reader_finding(reader, PERFDATA_FINDING_IDS_RANGE, 0, offset + stride - 16,
					  "the ids of event %zu are at %#llx and have %#llx bytes", reader->nr_events,
					  (unsigned long long)ids.offset, (unsigned long long)ids.size);
		if (ids.size > c->size - c->id_bytes)
			ids.size = c->size - c->id_bytes;
		const enum perfdata_status status = read_bytes(c, ids.offset, ids.size, &bytes, &id_bytes.size);
		if (status != PERFDATA_OK)
			return status;
		id_bytes.data = bytes;
		id_bytes.size &= ~(size_t)7;
		c->id_bytes += id_bytes.size;
		note_end_of(c, ids.offset, ids.size);
	}
	const enum perfdata_status status = pd_event_add(reader, (struct perfdata_bytes){ entry, stride - 16 },
							 id_bytes, offset);
	pd_free(bytes);
	return status;
}

/* The stride of the attr table, repaired if it is impossible; 0 if no repair is possible. */
static size_t attr_stride(struct container *c)
{
	struct perfdata_reader *reader = c->reader;
	const uint64_t stated = reader->header.attr_size;
	uint8_t head[8];
	size_t size = 0;

	if (stated >= 80 && stated <= 4096 && stated % 8 == 0)
		return (size_t)stated;
	uint64_t repaired = 0;
	if (pd_range_ok(reader->header.attrs.offset, sizeof head, c->size) &&
	    read_at(c, reader->header.attrs.offset, head, sizeof head, &size) == PERFDATA_OK &&
	    size == sizeof head) {
		repaired = pd_load32(head + 4, reader->config.swap);
		repaired = repaired ? repaired + 16 : 80;
		if (repaired < 80 || repaired > 4096 || repaired % 8)
			repaired = 0;
	}
	if (c->read_failed)
		return 0;
	pd_reader_finding(reader, PERFDATA_FINDING_ATTR_SIZE, 0, 16,
			  "entries of the attr table have %llu bytes; %llu was used", (unsigned long long)stated,
			  (unsigned long long)repaired);
	return (size_t)repaired;
}

static enum perfdata_status read_attrs(struct container *c)
{
	struct perfdata_reader *reader = c->reader;
	struct perfdata_section attrs = reader->header.attrs;
	uint8_t *bytes;
	size_t size;

	if (!attrs.size)
		return PERFDATA_OK;
	const size_t stride = attr_stride(c);
	if (!stride)
		return c->read_failed ? PERFDATA_EREAD : PERFDATA_OK;
	if (!pd_range_ok(attrs.offset, attrs.size, c->size) || attrs.size % stride ||
	    (reader->header.data.size && attrs.offset < reader->header.data.offset + reader->header.data.size &&
	     reader->header.data.offset < attrs.offset + attrs.size))
		pd_reader_finding(reader, PERFDATA_FINDING_ATTRS_RANGE, 0, 24,
				  "the attr table is at %#llx and has %#llx bytes; the file has %#llx",
				  (unsigned long long)attrs.offset, (unsigned long long)attrs.size,
				  (unsigned long long)c->size);
	/* the header's size may cut the last entry: read all of it */
	const uint64_t room = attrs.size % stride ? attrs.size + stride - attrs.size % stride : attrs.size;
	enum perfdata_status status = read_bytes(c, attrs.offset, room < attrs.size ? attrs.size : room, &bytes, &size);
	for (size_t at = 0; status == PERFDATA_OK && size - at >= stride; at += stride)
		status = add_event(c, bytes + at, stride, attrs.offset + at);
	pd_free(bytes);
	note_end_of(c, attrs.offset, attrs.size);
	reader->has_attr_table = reader->nr_events != 0;
	return status;
}

/* --- the data section -------------------------------------------------------------------------------------------- */

static unsigned count_bits(const struct container *c)
{
	unsigned bits = 0;
	for (unsigned i = 0; i < 4; i++)
		bits += (unsigned)__builtin_popcountll(c->reader->header.feature_bits[i]);
	return bits;
}

/* Whether the feature table begins at `offset`. Most sections then follow the table; in a file that was cut, the last
 * sections lie beyond its end. In a recording without features the table is empty, so any offset is plausible. */
static bool table_is_plausible(struct container *c, uint64_t offset)
{
	const unsigned bits = count_bits(c);
	uint8_t table[PD_NR_FEATURES * 16];
	size_t size;
	unsigned inside = 0;

	if (!bits)
		return c->reader->header.data.size && offset <= c->size;
	if (offset > c->size || read_at(c, offset, table, bits * 16, &size) != PERFDATA_OK || size < 16)
		return false;
	struct pd_cursor cursor = pd_cursor(table, size, c->reader->config.swap);
	for (unsigned i = 0; i < size / 16; i++) {
		const uint64_t at = pd_u64(&cursor), length = pd_u64(&cursor);
		inside += at >= offset + bits * 16 && at < offset + (1u << 30) && length < 1u << 30;
	}
	return inside * 4 >= size / 16 * 3;
}

/* Whether these bytes start a feature table. perf writes the first section after the table (which may have spare
 * entries), and each further section after the previous one. */
static bool is_table_start(const uint8_t *at, uint64_t offset, uint64_t table_size, bool swap)
{
	const uint64_t first = pd_load64(at, swap), second = pd_load64(at + 16, swap);
	const uint64_t first_end = first + pd_load64(at + 8, swap);

	return first >= offset + table_size && first <= offset + PD_NR_FEATURES * 16 && second >= first_end &&
	       second - first_end < 8 && pd_load64(at + 24, swap) < 1u << 30;
}

/* Looks for the feature table in the last part of the file. */
static bool find_table(struct container *c)
{
	const uint64_t table_size = count_bits(c) * 16ull;
	const uint64_t start = c->size > TAIL_SEARCHED ? c->size - TAIL_SEARCHED : 0;
	const bool swap = c->reader->config.swap;
	bool found = false;
	uint8_t *tail;
	size_t size;

	/* is_table_start compares two entries */
	if (table_size < 32 || read_bytes(c, start, TAIL_SEARCHED, &tail, &size) != PERFDATA_OK)
		return false;
	for (size_t at = 0; !found && at + table_size <= size; at++) {
		const uint64_t offset = start + at;
		if (offset < c->data_offset || !is_table_start(tail + at, offset, table_size, swap))
			continue;
		c->data_end = offset;
		found = true;
	}
	pd_free(tail);
	return found;
}

/* The offset of the records if the header does not state it: after all sections known to precede them. */
static uint64_t guess_data_offset(const struct container *c) { return pd_align8(c->sections_end); }

static enum perfdata_status find_data(struct container *c)
{
	struct perfdata_reader *reader = c->reader;
	const struct perfdata_section data = reader->header.data;
	uint64_t end;

	c->finished = true;
	c->data_offset = data.offset;
	if (data.offset > c->size || data.offset < OLD_HEADER_SIZE || !pd_add(data.offset, data.size, &end)) {
		const bool wrong = data.offset || data.size || c->size > HEADER_SIZE;
		if (data.offset > c->size || data.offset < OLD_HEADER_SIZE)
			c->data_offset = guess_data_offset(c) < c->size ? guess_data_offset(c) : c->size;
		c->data_end = c->size;
		c->finished = find_table(c);
		if (c->read_failed)
			return PERFDATA_EREAD;
		if (wrong)
			pd_reader_finding(reader, PERFDATA_FINDING_DATA_RANGE, 0, 40,
					  "the data section is at %#llx and has %#llx bytes; records were looked "
					  "for from %#llx on",
					  (unsigned long long)data.offset, (unsigned long long)data.size,
					  (unsigned long long)c->data_offset);
		return PERFDATA_OK;
	}
	c->data_end = end;
	const bool plausible = table_is_plausible(c, c->data_end), found = !plausible && !c->read_failed &&
									   find_table(c);
	if (c->read_failed)
		return PERFDATA_EREAD;
	if (plausible) {
		;
	} else if (found) {
		pd_reader_finding(reader, PERFDATA_FINDING_HEADER, 0, 48,
				  "the header states records up to %#llx; the feature table is at %#llx",
				  (unsigned long long)end, (unsigned long long)c->data_end);
	} else if (!data.size) {
		c->finished = false;
		c->data_end = c->size;
		pd_reader_finding(reader, PERFDATA_FINDING_NOT_FINISHED, 0, 48,
				  "the header states no records: the recorder was killed; records were read to the end "
				  "of the file");
	} else if (end >= c->size && (end > c->size || count_bits(c))) {
		c->finished = false;
		c->data_end = c->size;
		pd_reader_finding(reader, PERFDATA_FINDING_TRUNCATED, 0, c->size,
				  "the file ends here; its records should reach up to %#llx, and features follow them",
				  (unsigned long long)end);
	}
	note_end_of(c, c->data_offset, c->data_end - c->data_offset);
	return PERFDATA_OK;
}

/* --- event types of old files ------------------------------------------------------------------------------------ */

static enum perfdata_status read_event_types(struct container *c)
{
	const struct perfdata_section types = c->reader->header.event_types;
	uint8_t *bytes;
	size_t size;

	if (!types.size || !pd_range_ok(types.offset, types.size, c->size))
		return PERFDATA_OK;
	enum perfdata_status status = read_bytes(c, types.offset, types.size, &bytes, &size);
	for (size_t at = 0; status == PERFDATA_OK && size - at >= EVENT_TYPE_ENTRY; at += EVENT_TYPE_ENTRY)
		status = pd_events_take_type(c->reader, pd_load64(bytes + at, c->reader->config.swap), bytes + at + 8,
					     strnlen((const char *)bytes + at + 8, EVENT_TYPE_ENTRY - 8));
	pd_free(bytes);
	note_end_of(c, types.offset, types.size);
	return status;
}

/* --- features ---------------------------------------------------------------------------------------------------- */

static enum perfdata_status read_feature(struct container *c, uint32_t id, struct perfdata_section place)
{
	struct perfdata_reader *reader = c->reader;
	uint64_t there = place.offset < c->size ? c->size - place.offset : 0;
	uint8_t *bytes;
	size_t size;

	if (place.size > there)
		c->finished = false;
	if (place.size > there || place.size > c->size - c->section_bytes) {
		pd_reader_finding(reader, PERFDATA_FINDING_FEATURE_RANGE, 0, place.offset,
				  "feature section %u is at %#llx and has %#llx bytes; the file has %#llx", id,
				  (unsigned long long)place.offset, (unsigned long long)place.size,
				  (unsigned long long)c->size);
		if (there > c->size - c->section_bytes)
			there = c->size - c->section_bytes;
		if (!there) {
			pd_feature_take_lost(reader, id, place.offset, place.size);
			return PERFDATA_OK;
		}
	}
	enum perfdata_status status = read_bytes(c, place.offset, place.size < there ? place.size : there, &bytes,
						 &size);
	if (status != PERFDATA_OK)
		return status;
	c->section_bytes += size;
	note_end_of(c, place.offset, place.size);
	status = pd_feature_take(reader, id, bytes, size, place.offset);
	if (status == PERFDATA_OK && id == PERFDATA_FEATURE_TRACING_DATA)
		status = pd_features_take_trace(reader, bytes, size, place.offset);
	pd_free(bytes);
	return status;
}

static enum perfdata_status read_features(struct container *c)
{
	struct perfdata_reader *reader = c->reader;
	uint64_t bits[4];
	struct perfdata_section places[PD_NR_FEATURES];
	unsigned ids[PD_NR_FEATURES], count = 0;
	uint8_t *table;
	size_t size;

	memcpy(bits, reader->header.feature_bits, sizeof bits);
	for (unsigned id = 0; id < PD_NR_FEATURES; id++)
		if (has_bit(bits, id))
			ids[count++] = id;
	if (!count || !c->finished)
		return PERFDATA_OK;
	enum perfdata_status status = read_bytes(c, c->data_end, count * 16, &table, &size);
	if (status != PERFDATA_OK)
		return status;
	note_end_of(c, c->data_end, count * 16);
	if (size < count * 16)
		c->finished = false;
	if (size < count * 16)
		pd_reader_finding(reader, PERFDATA_FINDING_TRUNCATED, 0, c->data_end + size,
				  "the file ends inside the table of features");
	struct pd_cursor cursor = pd_cursor(table, size, reader->config.swap);
	for (unsigned i = 0; i < count; i++) {
		places[i].offset = pd_u64(&cursor);
		places[i].size = pd_u64(&cursor);
		if (cursor.failed) {
			places[i] = no_section;
			pd_feature_take_lost(reader, ids[i], 0, 0);
			ids[i] = PD_NR_FEATURES;
		}
	}
	pd_free(table);
	/* the decoding of other sections needs the number of CPUs, so NRCPUS comes first */
	for (unsigned i = 0; i < count && status == PERFDATA_OK; i++)
		if (ids[i] == PERFDATA_FEATURE_NRCPUS)
			status = read_feature(c, ids[i], places[i]);
	for (unsigned i = 0; i < count && status == PERFDATA_OK; i++)
		if (ids[i] != PERFDATA_FEATURE_NRCPUS && ids[i] != PD_NR_FEATURES)
			status = read_feature(c, ids[i], places[i]);
	return status;
}

/* Reports bytes after the last section. */
static enum perfdata_status check_tail(struct container *c)
{
	uint8_t bytes[512];
	size_t size = 0;
	bool text = true, zero = true;

	if (!c->finished || c->sections_end >= c->size)
		return PERFDATA_OK;
	const enum perfdata_status status = read_at(c, c->sections_end, bytes, sizeof bytes, &size);
	if (status != PERFDATA_OK || !size)
		return status;
	if (size >= 8 && pd_is_magic(bytes)) {
		pd_reader_finding(c->reader, PERFDATA_FINDING_CONCATENATED, 0, c->sections_end,
				  "another recording begins here; it was not read");
		return PERFDATA_OK;
	}
	for (size_t i = 0; i < size; i++) {
		text = text && (bytes[i] >= 0x20 || (bytes[i] >= '\a' && bytes[i] <= '\r'));
		zero = zero && !bytes[i];
	}
	if (zero && size < sizeof bytes)
		return PERFDATA_OK;   /* padding */
	if (size <= MAX_PADDING) {
		pd_reader_finding(c->reader, PERFDATA_FINDING_TRAILING_PADDING, 0, c->sections_end,
				  "%zu bytes follow the last section", size);
		return PERFDATA_OK;
	}
	pd_reader_finding(c->reader, text ? PERFDATA_FINDING_TRAILING_TEXT
				     : pd_reader_is_simpleperf(c->reader) ? PERFDATA_FINDING_TRAILING_REMAINS
				     : PERFDATA_FINDING_TRAILING_GARBAGE, 0,
			  c->sections_end, "%llu bytes follow the last section",
			  (unsigned long long)(c->size - c->sections_end));
	return PERFDATA_OK;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

static enum perfdata_status open_file(struct container *c, const uint8_t *bytes, size_t size, const char *name)
{
	struct perfdata_reader *reader = c->reader;

	reader->header.container = PERFDATA_CONTAINER_FILE;
	reader->header.file_size = c->size;
	take_file_header(c, bytes, size);
	enum perfdata_status status = read_attrs(c);
	if (status == PERFDATA_OK)
		status = find_data(c);
	if (status == PERFDATA_OK)
		status = read_features(c);
	if (status == PERFDATA_OK && !reader->nr_events) {
		status = pd_events_take_description(reader);
		reader->has_attr_table = reader->nr_events != 0;
	}
	if (status == PERFDATA_OK)
		status = pd_events_take_names(reader);
	if (status == PERFDATA_OK)
		status = pd_events_take_meta_names(reader);
	if (status == PERFDATA_OK)
		status = read_event_types(c);
	if (status == PERFDATA_OK)
		status = pd_events_take_groups(reader);
	/* simpleperf writes the formats of tracepoints into a record */
	reader->formats_come = pd_reader_is_simpleperf(reader) && !reader->trace;
	if (status == PERFDATA_OK)
		status = pd_events_take_trace(reader);
	if (status != PERFDATA_OK)
		return status;
	/* a recording without events has an empty table, which is no problem until a sample comes */
	if (!reader->nr_events && reader->header.attrs.size)
		pd_reader_finding_once(reader, PERFDATA_FINDING_NO_ATTRS, 0, 24, "the attr table has no usable entry");
	if (has_bit(reader->header.feature_bits, PERFDATA_FEATURE_DIR_FORMAT) && name == reader->header.name)
		pd_reader_finding(reader, PERFDATA_FINDING_DIRECTORY_PART, 0, PERFDATA_NO_OFFSET,
				  "this is the file `data` of a directory recording, whose other files were not read");
	pd_arch_note(reader);
	status = check_tail(c);
	if (status == PERFDATA_OK)
		status = pd_symbol_records_gather(reader, c->input, c->data_offset, c->data_end);
	if (status != PERFDATA_OK)
		return status;
	struct pd_input *input = c->input;
	c->input = NULL;
	return pd_reader_add_stream(reader, input, name, c->data_offset, c->data_end);
}

static enum perfdata_status open_pipe(struct container *c, const char *name)
{
	struct perfdata_reader *reader = c->reader;
	struct pd_input *input = c->input;
	uint64_t limit = UINT64_MAX;

	reader->header.container = PERFDATA_CONTAINER_PIPE;
	reader->header.header_size = PIPE_HEADER_SIZE;
	if (pd_input_seekable(input))
		limit = pd_input_size(input);
	reader->header.file_size = limit;
	c->input = NULL;
	/* a stream stores no offsets, so reading may continue after a break in compressed data */
	pd_input_go_on(input);
	return pd_reader_add_stream(reader, input, name, PIPE_HEADER_SIZE, limit);
}

enum perfdata_status pd_container_is_there(struct pd_input *input, bool *ret_needs_all)
{
	const uint8_t *bytes;
	size_t size;

	if (!pd_input_waits(input))
		return PERFDATA_OK;
	const enum perfdata_status status = pd_input_peek(input, &bytes, &size, STREAM_KNOWN);
	/* opening the input reports a failed read or a missing magic */
	if (status != PERFDATA_OK || size < STREAM_KNOWN || !pd_is_magic(bytes))
		return status == PERFDATA_AGAIN ? status : PERFDATA_OK;
	*ret_needs_all = !is_pipe(bytes, size, pd_order_is_foreign(order_of(bytes, size)));
	return *ret_needs_all ? PERFDATA_AGAIN : PERFDATA_OK;
}

static enum perfdata_status open_container(struct container *c, const char *name)
{
	struct perfdata_reader *reader = c->reader;
	uint8_t copy[HEADER_SIZE];
	const uint8_t *bytes;
	size_t size;

	enum perfdata_status status = pd_input_peek(c->input, &bytes, &size,
						    pd_input_waits(c->input) ? STREAM_KNOWN : HEADER_SIZE);
	if (status == PERFDATA_EREAD)
		return pd_input_read_error(c->input, &reader->error);
	if (status != PERFDATA_OK && status != PERFDATA_END)
		return status;
	if (size > sizeof copy)
		size = sizeof copy;
	memcpy(copy, bytes, size);
	reader->header.packing = pd_input_packing(c->input);
	reader->header.mtime = pd_input_mtime(c->input);
	if (size < 8 && pd_input_damage(c->input, NULL) == PERFDATA_EREAD)
		return pd_input_read_error(c->input, &reader->error);
	if (!take_magic(reader, copy, size))
		return refuse_container(reader, copy, size);
	if (is_pipe(copy, size, reader->config.swap))
		return open_pipe(c, name);
	if (!pd_input_seekable(c->input))
		status = pd_input_make_seekable(c->input, &reader->error);
	if (status < 0)
		return status;
	c->size = pd_input_size(c->input);
	return open_file(c, copy, size, name);
}

enum perfdata_status pd_container_open(struct perfdata_reader *reader, struct pd_input *input, const char *name)
{
	struct container c = { .reader = reader, .input = input };
	const enum perfdata_status status = open_container(&c, name);
	pd_input_close(c.input);
	return status;
}
