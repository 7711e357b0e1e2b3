/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "emit/spell/json_style.h"
#include "reader/reader.h"

bool pd_json_style_init(struct json_style *style, struct pd_arena *pool, const struct perfdata_reader *reader,
			json_feature_fn *feature)
{
	const enum perfdata_arch arch = pd_reader_arch(reader);
	style->feature = feature;
	for (unsigned i = 0; i < EMIT_MAX_REGISTERS; i++) {
		char name[REGISTER_NAME];
		pd_value_register_name(arch, i, name);
		struct key key = pd_key_make(pool, name, "\":\"0x");
		if (!key.text)
			return false;
		key.size -= 2;   /* the two bytes `":` that pd_key_make appends follow the digits here */
		style->registers[i] = key;
	}
	return true;
}

/* --- small values ------------------------------------------------------------------------------------------------- */

void pd_spell_close(struct perfdata_text *out, size_t start, char open, char close)
{
	if (perfdata_text_failed(out))
		return;
	if (out->size == start)
		perfdata_text_char(out, open);
	else
		out->data[start] = open;
	perfdata_text_char(out, close);
}

void pd_spell_hex_string(struct perfdata_text *out, uint64_t value)
{
	char *at = perfdata_text_reserve(out, 40);
	if (at)
		perfdata_text_commit(out, pd_hex_string_to(at, value));
}

void pd_spell_bytes_string(struct perfdata_text *out, struct perfdata_bytes bytes)
{
	perfdata_text_char(out, '"');
	perfdata_text_bytes_hex(out, bytes.data, bytes.size);
	perfdata_text_char(out, '"');
}

void pd_spell_wide(struct speller *s, uint64_t value)
{
	char *at = perfdata_text_reserve(s->out, 40);
	if (at)
		perfdata_text_commit(s->out, pd_wide_to(at, value, s->style->int64_string, false));
}
