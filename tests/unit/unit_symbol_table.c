/* SPDX-License-Identifier: MIT */
/* Tables of symbols, and demangled names. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "symbols/symbols.h"
#include "unit.h"

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void add_named(struct pd_symbol_table *table, uint64_t start, uint64_t size, const char *name,
		      enum perfdata_symbol_binding binding)
{
	const uint32_t at = (uint32_t)table->strings[PD_STRINGS_TEXT].size;
	struct pd_strings *text = &table->strings[PD_STRINGS_TEXT];
	const size_t length = strlen(name) + 1;
	text->bytes = pd_realloc(text->bytes, text->size + length);
	CHECK(text->bytes != NULL);
	memcpy(text->bytes + text->size, name, length);
	text->size += length;
	CHECK(!pd_symtab_add(table, start, size, PD_STRINGS_TEXT, at, binding));
}

static const char *found_name(struct pd_symbol_table *table, uint64_t address)
{
	const struct pd_symbol *symbol = pd_symtab_find(table, address);
	struct pd_arena bytes = { 0 };
	struct pd_symbol_name names;
	bool is_excess = false;
	if (!symbol)
		return "-";
	CHECK(pd_symtab_spell_names(table, symbol, &bytes, &names, &is_excess));
	const struct pd_symbol_name *name = pd_symtab_keep_names(table, symbol, &names);
	pd_arena_release(&bytes);
	CHECK(name && pd_symtab_known_name(table, symbol) == name);
	return name->shown;
}

static void test_aliases(void)
{
	static const struct {
		const char *a, *b, *winner;
		uint64_t size_a, size_b;
		enum perfdata_symbol_binding bind_a, bind_b;
	} cases[] = {
		{ "none", "sized", "sized", 0, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_WEAK },
		{ "weak", "local", "local", 8, 8, PERFDATA_BIND_WEAK, PERFDATA_BIND_LOCAL },
		{ "local", "global", "global", 8, 8, PERFDATA_BIND_LOCAL, PERFDATA_BIND_GLOBAL },
		{ "__long_name", "short", "short", 8, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_GLOBAL },
		{ "short", "longer", "longer", 8, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_GLOBAL },
		{ "first", "other", "first", 8, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_GLOBAL },
		{ "SyS_read", "sys_read", "sys_read", 8, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_GLOBAL },
		{ "_ZN1aC2Ev", "_ZN1abEv", "a::a()", 8, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_GLOBAL },
		{ "_ZN1aC2Ev", "_ZN2aaC2Ev", "aa::aa()", 8, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_GLOBAL },
		{ "_ZN1aC2Ev", "_ZN2aaC2Ev", "aa::aa()", 8, 12, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_GLOBAL },
		/* a label at the address of a function, as OCaml has them */
		{ "longer_label", "function", "function", 8, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_LOCAL },
		{ "longer_label", "function", "function", 8, 8, PERFDATA_BIND_GLOBAL, PERFDATA_BIND_WEAK },
	};
	char *plain = NULL;
	const bool demangles = !pd_demangle_cxx("_ZN1aC2Ev", NULL, &plain) && !strcmp(plain, "a::a()");
	free(plain);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_symbol_table table = { .mangled = true };
		if (cases[i].a[1] == 'Z' && !demangles)
			continue;
		add_named(&table, 0x100, cases[i].size_a, cases[i].a, cases[i].bind_a);
		table.items[0].is_label = strstr(cases[i].a, "label") != NULL;
		add_named(&table, 0x100, cases[i].size_b, cases[i].b, cases[i].bind_b);
		add_named(&table, 0x200, 8, "next", PERFDATA_BIND_GLOBAL);
		CHECK(!pd_symtab_finish(&table));
		CHECK(!pd_symtab_finish(&table));   /* once more changes nothing */
		CHECK(!pd_symtab_settle(&table));
		CHECK_STR(found_name(&table, 0x104), cases[i].winner);
		CHECK_STR(found_name(&table, 0x204), "next");
		pd_symtab_release(&table);
	}
}

static void test_nested(void)
{
	struct pd_symbol_table table = { 0 };
	add_named(&table, 0x100, 0x100, "outer", PERFDATA_BIND_GLOBAL);
	add_named(&table, 0x120, 0x10, "inner", PERFDATA_BIND_LOCAL);
	add_named(&table, UINT64_MAX - 4, UINT64_MAX, "high", PERFDATA_BIND_LOCAL);
	CHECK(!pd_symtab_finish(&table));
	CHECK(!pd_symtab_settle(&table));
	CHECK_STR(found_name(&table, 0x11f), "outer");
	CHECK_STR(found_name(&table, 0x125), "inner");
	CHECK_STR(found_name(&table, 0x130), "outer");
	CHECK(!pd_symtab_find(&table, 0x200));
	CHECK(!pd_symtab_find(&table, 0xff));
	CHECK_STR(found_name(&table, UINT64_MAX - 1), "high");
	pd_symtab_release(&table);
}

/* A local function precedes the local labels without a size inside it; such a label precedes a global function. */
static void test_labels_inside(void)
{
	static const struct {
		enum perfdata_symbol_binding function, label;
		uint64_t size;        /* of the label */
		const char *before, *inside, *last, *behind;
	} cases[] = {
		{ PERFDATA_BIND_LOCAL, PERFDATA_BIND_LOCAL, 0, "function", "function", "function", "second" },
		{ PERFDATA_BIND_GLOBAL, PERFDATA_BIND_LOCAL, 0, "function", "first", "second", "second" },
		{ PERFDATA_BIND_LOCAL, PERFDATA_BIND_GLOBAL, 0, "function", "first", "second", "second" },
		{ PERFDATA_BIND_LOCAL, PERFDATA_BIND_WEAK, 0, "function", "first", "second", "second" },
		{ PERFDATA_BIND_LOCAL, PERFDATA_BIND_LOCAL, 0x10, "function", "first", "second", "-" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_symbol_table table = { 0 };
		add_named(&table, 0x100, 0x100, "function", cases[i].function);
		add_named(&table, 0x140, cases[i].size, "first", cases[i].label);
		add_named(&table, 0x1f0, cases[i].size, "second", cases[i].label);
		add_named(&table, 0x210, 0x10, "next", PERFDATA_BIND_GLOBAL);
		CHECK(!pd_symtab_finish(&table));
		CHECK(!pd_symtab_settle(&table));
		CHECK_STR(found_name(&table, 0x13f), cases[i].before);
		CHECK_STR(found_name(&table, 0x140), cases[i].inside);
		CHECK_STR(found_name(&table, 0x14f), cases[i].inside);
		CHECK_STR(found_name(&table, 0x1ff), cases[i].last);
		CHECK_STR(found_name(&table, 0x200), cases[i].behind);
		CHECK_STR(found_name(&table, 0x210), "next");
		pd_symtab_release(&table);
	}
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void test_rust_names(void)
{
	static const struct {
		const char *mangled, *plain;
	} names[] = {
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE.llvm.12AB", "core::fmt::write" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE.cold", "core::fmt::write.cold" },
		{ "_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Write$GT$9write_str17h0123456789abcdefE",
		  "<alloc::string::String as core::fmt::Write>::write_str" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_RNvCskwGfYPst2Cb_3foo16example_function", "foo::example_function" },
		{ "_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo", "<mycrate::Example>::foo" },
		{ "_RNvXCs15kBYyAo9fc_7mycrateNtB2_7ExampleNtB2_5Trait3foo",
		  "<mycrate::Example as mycrate::Trait>::foo" },
		{ "_RINvCs7qp2U7fqm6G_7mycrate7examplelKj1_E", "mycrate::example::<i32, 1>" },
		{ "_RNCNvC4main3runs_0", "main::run::{closure#1}" },
		{ "_RINvC1a1fDNtC1b1TEL_E", "a::f::<dyn b::T>" },
		{ "_RINvC1a1fFKCRLNvC1a1x_QmEuE", NULL },
		{ "_RINvC1a1fFUKCRmQhEuE", "a::f::<unsafe extern \"C\" fn(&u32, &mut u8)>" },
		{ "_RINvC1a1fTmETEAhj4_SpE", "a::f::<(u32,), (), [u8; 4], [_]>" },
		{ "_RINvC1a1fTmEuShE", "a::f::<(u32,), (), [u8]>" },
		{ "_RNvC6cratevu8gdel_5qa", "cratev::gödel" },
		{ "_RNvB_1a", NULL },
		{ "_R", NULL },
		{ "_RNvC99999999999999999999a", NULL },
		{ "plain", NULL },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char out[256];
		bool done = pd_demangle_rust(names[i].mangled, out, sizeof out);
		CHECK_STR(done ? out : "-", names[i].plain ? names[i].plain : "-");
	}
}

/* A name whose references double its length again and again ends at a limit. */
static void test_rust_bomb(void)
{
	char name[1024] = "_RINvC1a1f", out[4096];
	size_t used = strlen(name);
	for (int i = 0; i < 60; i++)
		used += (size_t)snprintf(name + used, sizeof name - used, "TB7_B7_E");
	snprintf(name + used, sizeof name - used, "E");
	CHECK(!pd_demangle_rust(name, out, sizeof out));
	memset(name, 'S', sizeof name - 1);
	memcpy(name, "_RINvC1a1f", 10);
	CHECK(!pd_demangle_rust(name, out, sizeof out));
}

/* As perf 7.3 shows them, but for arrays of objects, whose brackets perf puts after the next number. */
static void test_managed_names(void)
{
	static const struct {
		const char *mangled, *plain;
	} names[] = {
		{ "camlList__map_12", "List.map_12" },
		{ "camlStdlib__Map__bal_170", "Stdlib.Map.bal_170" },
		{ "camlA__anon_fn$5ba$2eml$3a3$2C0$5D_4", "A.anon_fn[a.ml:3,0]_4" },
		{ "camlA___b", "A._b" },
		{ "camlA__", "A." },
		{ "camlA$zz$4", "A$zz$4" },
		{ "camlA$00b", "A$00b" },
		{ "caml_alloc__x", "caml_alloc__x" },
		{ "camllower__x", "camllower__x" },
		{ "caml", "caml" },
		{ "Ljava/lang/StringLatin1;equals([B[B)Z", "java.lang.StringLatin1.equals(byte[], byte[])" },
		{ "La/B;m(ILx/Y;JZ)V", "a.B.m(int, x.Y, long, boolean)" },
		{ "La/B;m([[Lx/Y;J)V", "a.B.m(x.Y[][], long)" },
		{ "La/B;<init>()V", "a.B<init>()" },
		{ "La/B;m(Q)V", "La/B;m(Q)V" },
		{ "La/B;m(I", "La/B;m(I" },
		{ "La/B;m", "La/B;m" },
		{ "Lock", "Lock" },
	};
	struct pd_arena bytes = { 0 };
	bool is_excess = false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		CHECK_STR(pd_demangle(&bytes, names[i].mangled, NULL, &is_excess), names[i].plain);
	char longer[PD_SYMBOL_NAME_LIMIT];
	memset(longer, '[', sizeof longer);
	memcpy(longer, "LA;m(", 5);
	memcpy(longer + sizeof longer - 4, "I)V", 4);
	CHECK(pd_demangle(&bytes, longer, NULL, &is_excess) == longer);
	CHECK(!is_excess);
	pd_arena_release(&bytes);
}

static void test_cxx_names(void)
{
	const char *name = "_ZN3foo3barEi", *other = "main";
	struct pd_arena bytes = { 0 };
	bool is_excess = false;
	const char *plain = pd_demangle(&bytes, name, NULL, &is_excess);
	if (plain == name) {
		char *shown = NULL;
		CHECK_EQ(pd_demangle_cxx(name, NULL, &shown), PERFDATA_ABSENT);  /* no C++ runtime here */
	} else {
		CHECK_STR(plain, "foo::bar(int)");
	}
	CHECK(pd_demangle(&bytes, other, NULL, &is_excess) == other);
	CHECK(!is_excess);
	pd_arena_release(&bytes);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "table: which of two aliases is kept", test_aliases },
		{ "table: symbols inside symbols", test_nested },
		{ "table: labels inside functions", test_labels_inside },
		{ "demangle: Rust", test_rust_names },
		{ "demangle: names that explode", test_rust_bomb },
		{ "demangle: OCaml and Java", test_managed_names },
		{ "demangle: C++", test_cxx_names },
	};
	return unit_main(cases, sizeof cases / sizeof *cases);
}
