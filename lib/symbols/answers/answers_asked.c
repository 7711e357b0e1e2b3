/* SPDX-License-Identifier: MIT */
/* Notes which addresses were looked up, so that drafts can collect answers for them. */
#include "config.h"
#include "base/memory.h"
#include "symbols/answers/symbol_answers.h"

struct pd_asked *pd_asked_new(void)
{
	struct pd_asked *asked = pd_calloc(1, sizeof *asked);
	if (asked && !(asked->lock = pd_monitor_new())) {
		pd_free(asked);
		return NULL;
	}
	return asked;
}

void pd_asked_free(struct pd_asked *asked)
{
	if (!asked)
		return;
	pd_hash_map_release(&asked->addresses);
	pd_hash_map_release(&asked->codes);
	pd_hash_map_release(&asked->rules);
	pd_hash_map_release(&asked->words);
	pd_monitor_free(asked->lock);
	pd_free(asked);
}

static void note_key(struct pd_asked *asked, struct pd_hash_map *map, uint64_t key, uint64_t value)
{
	pd_monitor_enter(asked->lock);
	if (!pd_hash_map_find(map, key) && pd_hash_map_put(map, key, value) < 0)
		asked->failed = true;
	pd_monitor_leave(asked->lock);
}

void pd_asked_address(const struct perfdata_symbols_dso *dso, uint64_t address)
{
	if (dso->asked)
		note_key(dso->asked, &dso->asked->addresses, address, 0);
}

void pd_asked_code(const struct perfdata_symbols_dso *dso, size_t number)
{
	if (dso->asked)
		note_key(dso->asked, &dso->asked->codes, number, 0);
}

void pd_asked_rule(const struct perfdata_symbols_dso *dso, uint64_t vaddr)
{
	if (dso->asked)
		note_key(dso->asked, &dso->asked->rules, vaddr, 0);
}

void pd_asked_word(const struct perfdata_symbols_dso *dso, uint64_t offset, uint64_t value)
{
	if (dso->asked)
		note_key(dso->asked, &dso->asked->words, offset, value);
}

bool pd_symbols_were_asked(const struct perfdata_symbols_dso *dso)
{
	const struct pd_asked *asked = dso->asked;
	return asked && (dso->archive || asked->addresses.count || asked->rules.count || asked->words.count);
}
