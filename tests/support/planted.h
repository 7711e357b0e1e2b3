/* SPDX-License-Identifier: MIT */
/* Puts secrets into a recording, a text or address for each row of its layouts, and searches for them in the anonymized
 * recording: as text, as UTF-16, and as halves of addresses in either byte order. */
#ifndef TESTS_PLANTED_H
#define TESTS_PLANTED_H

#include <stdlib.h>
#include "perfdata/rewrite.h"
#include "schema/schema.h"
#include "unit.h"
#include "opening.h"

/* Ranges for addresses, one per run: a program at fixed addresses below 4 GiB, a library, the kernel. */
static const uint64_t address_ranges[] = { UINT64_C(0x4b000000), UINT64_C(0x7a5b4b000000),
					   UINT64_C(0xffffffff9b000000) };
#define NR_RANGES (sizeof address_ranges / sizeof *address_ranges)

struct secret {
	const char *layout, *field;
	uint64_t number;               /* the address; 0: the secret is a text */
	char text[16];
};
static struct secret secrets[4096];
static size_t nr_secrets;
static uint64_t range;                 /* range of the addresses that are put in */

static inline struct secret *new_secret(const char *layout, const char *field)
{
	if (nr_secrets == sizeof secrets / sizeof *secrets) {
		FAIL("too many secrets");
		nr_secrets = 0;
	}
	struct secret *secret = &secrets[nr_secrets++];
	*secret = (struct secret){ .layout = layout, .field = field ? field : "" };
	return secret;
}

/* Returns a new address in the first half of a page, with bits set in each of the lower bytes. */
static inline uint64_t secret_number(const char *layout, const char *field)
{
	struct secret *secret = new_secret(layout, field);
	return secret->number = range | (uint64_t)nr_secrets << 12 | 0x5d4;
}

static inline const char *secret_text(const char *layout, const char *field)
{
	struct secret *secret = new_secret(layout, field);
	snprintf(secret->text, sizeof secret->text, "SeCrEt%05zu", nr_secrets);
	return secret->text;
}

/* Fills `size` bytes with the text, repeated if there is more room. */
static inline void fill_secret(uint8_t *bytes, size_t size, const char *text)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)text[i % strlen(text)];
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* A row with a secret, or a row that needs none, and why. */
struct covered {
	const struct perfdata_field *field;
};
static struct covered covered[2048];
static size_t nr_covered;

static inline bool is_covered(const struct perfdata_field *field)
{
	for (size_t i = 0; i < nr_covered; i++)
		if (covered[i].field == field)
			return true;
	return false;
}
static inline void cover(const struct perfdata_field *field)
{
	if (!is_covered(field) && nr_covered < sizeof covered / sizeof *covered)
		covered[nr_covered++].field = field;
}

static inline bool is_listed(const char *const *list, const char *layout, const char *field)
{
	char name[128];
	snprintf(name, sizeof name, "%s.%s", layout, field ? field : "");
	for (; *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

/* --- search ------------------------------------------------------------------------------------------------------- */

static inline bool contains(const uint8_t *bytes, size_t size, const void *part, size_t length)
{
	const uint8_t *at = bytes, *end = bytes + size;
	while (length && (at = memchr(at, *(const uint8_t *)part, (size_t)(end - at)))) {
		if ((size_t)(end - at) < length)
			return false;
		if (!memcmp(at, part, length))
			return true;
		at++;
	}
	return false;
}

static inline bool contains_text(const uint8_t *bytes, size_t size, const char *text)
{
	uint8_t wide[64] = { 0 };
	const size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		wide[2 * i] = (uint8_t)text[i], wide[2 * i + 1] = 0;
	return contains(bytes, size, text, length) || contains(bytes, size, wide, 2 * length - 1);
}

static inline bool contains_number(const uint8_t *bytes, size_t size, uint64_t number)
{
	uint8_t little[4], big[4];
	char text[32];

	/* The lower half of an address is enough to find it. */
	for (unsigned i = 0; i < 4; i++)
		little[i] = big[3 - i] = (uint8_t)(number >> 8 * i);
	if (contains(bytes, size, little, 4) || contains(bytes, size, big, 4))
		return true;
	snprintf(text, sizeof text, "%llx", (unsigned long long)number);
	if (contains_text(bytes, size, text))
		return true;
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	return contains_text(bytes, size, text);
}

/* --- anonymizing -------------------------------------------------------------------------------------------------- */

static inline enum perfdata_status take_bytes(void *user, const void *bytes, size_t size)
{
	perfdata_text_append(user, bytes, size);
	return perfdata_text_failed(user) ? PERFDATA_ENOMEM : PERFDATA_OK;
}

/* Anonymizes the recording; *out: the result, whose records are not compressed. */
static inline bool anonymize(const struct perfdata_text *recording, struct perfdata_text *out)
{
	const struct perfdata_anonymize_options how = { .size = sizeof how, .key = "a key for tests" };
	const struct perfdata_rewrite_options options = { .size = sizeof options,
							  .anonymize = &how,
							  .packing = PERFDATA_REWRITE_UNPACKED,
							  .write = take_bytes,
							  .write_user = out };
	const struct perfdata_reader_options reading = { .size = sizeof reading,
							 .order = PERFDATA_ORDER_TIME,
							 .payloads = true };
	struct perfdata_rewriter *rewriter;
	struct perfdata_reader *readers[2] = { NULL, NULL };
	bool ok = perfdata_rewriter_new(&options, &rewriter, NULL) == PERFDATA_OK;

	for (unsigned pass = 0; pass < 2 && ok; pass++) {
		ok = open_memory(recording->data, recording->size, NULL, &reading, &readers[pass],
						 NULL) == PERFDATA_OK;
		if (ok)
			ok = (pass ? perfdata_rewriter_copy(rewriter, readers[pass])
				   : perfdata_rewriter_survey(rewriter, readers[pass])) == PERFDATA_OK;
	}
	ok = ok && perfdata_rewriter_finish(rewriter) == PERFDATA_OK;
	if (!ok)
		printf("# %s\n", perfdata_rewriter_error(rewriter)->message);
	perfdata_rewriter_free(rewriter);
	for (unsigned pass = 0; pass < 2; pass++)
		perfdata_reader_close(readers[pass]);
	return ok;
}

/* Whether this machine orders the bits of this field in reverse, so that the file contains another number. */
static inline bool has_reversed_bits(const struct secret *s)
{
	const uint16_t one = 1;
	return !*(const uint8_t *)&one && !strcmp(s->field, "aux_action");
}

/* Checks that the anonymized recording contains no secret, and that `plain` contains all secrets. plain: `recording`
 * with uncompressed records. */
static inline void check_secrets_of(const struct perfdata_text *plain, const struct perfdata_text *recording)
{
	const uint8_t *from = (const uint8_t *)plain->data;
	struct perfdata_text out;

	perfdata_text_init(&out);
	CHECK(anonymize(recording, &out));
	const uint8_t *bytes = (const uint8_t *)out.data;
	size_t found = 0, missing = 0;
	for (size_t i = 0; i < nr_secrets; i++) {
		const struct secret *s = &secrets[i];
		if (!(s->number ? contains_number(from, plain->size, s->number)
				: contains(from, plain->size, s->text, 4)) &&
		    !has_reversed_bits(s) && missing++ < 9)
			printf("# %s.%s was not put in\n", s->layout, s->field);
		const bool is_there = s->number ? contains_number(bytes, out.size, s->number)
						: contains_text(bytes, out.size, s->text);
		if (is_there && found++ < 40)
			printf("# %s.%s is still there: %s %#llx\n", s->layout, s->field, s->text,
			       (unsigned long long)s->number);
	}
	CHECK(out.size > 0);
	CHECK_EQ(missing, 0);
	CHECK_EQ(found, 0);
	perfdata_text_release(&out);
}
static inline void check_secrets(const struct perfdata_text *recording) { check_secrets_of(recording, recording); }

#endif
