/* SPDX-License-Identifier: MIT */
/* Anonymizing decides about each field, and says so. */
#include "perfdata/rewrite.h"
#include "schema/schema.h"
#include "rewrite/anonymize.h"
#include "unit.h"

static void check_layout(const struct perfdata_layout *layout, unsigned depth)
{
	for (uint32_t i = 0; i < layout->nr_fields; i++) {
		const struct perfdata_field *field = &layout->fields[i];
		const bool is_decided = pd_decision_of(layout, field) != PD_UNDECIDED;
		CHECK(is_decided);
		if (!is_decided)
			printf("# nobody has decided about %s.%s: see lib/rewrite/anonymize_rows.c\n", layout->name,
			       field->name ? field->name : "");
		if (field->element && depth < 8)
			check_layout(field->element, depth + 1);
	}
}

static void every_row(void)
{
	const struct perfdata_layout *layout;

	for (size_t i = 0; (layout = perfdata_record_layout_at(i)); i++)
		check_layout(layout, 0);
	for (uint32_t id = 1; id < 256; id++)
		if ((layout = perfdata_feature_layout(id)))
			check_layout(layout, 0);
	check_layout(pd_trailer_layout(), 0);
	check_layout(perfdata_attr_layout(), 0);
}

static void a_new_row(void)
{
	static const struct perfdata_field field = { .name = "soon", .kind = PERFDATA_KIND_U64 };
	static const struct perfdata_layout sample = { .name = "sample", .fields = &field, .nr_fields = 1 };

	CHECK_EQ(pd_decision_of(&sample, &field), PD_UNDECIDED);
}

static void keys(void)
{
	uint8_t a[16], b[16], c[16];

	perfdata_anonymize_key("sixteen bytes, or more", 22, a);
	perfdata_anonymize_key("sixteen bytes, or more", 22, b);
	perfdata_anonymize_key("sixteen bytes, or morf", 22, c);
	CHECK(!memcmp(a, b, sizeof a));
	CHECK(memcmp(a, c, sizeof a) != 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "each row has a decision", every_row }, { "a new row has none", a_new_row }, { "keys", keys },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
