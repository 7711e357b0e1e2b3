/* SPDX-License-Identifier: MIT */
/* Feature sections that Android's simpleperf writes. Numbers and contents are simpleperf's own; perf passes over
 * them. */
#include "config.h"
#include "schema/feature_rows.h"

static const struct perfdata_name file_types[] = {
	{ 0, "kernel" }, { 1, "kernel_module" }, { 2, "elf" }, { 3, "dex" },
	{ 4, "symbol_map" }, { 5, "unknown" }, { 0, NULL },
};

static const struct perfdata_field offset_fields[] = {
	{ .kind = PERFDATA_KIND_U64, .show = PERFDATA_SHOW_HEX, .doc = "An offset in the file." },
};
static const struct perfdata_layout offset_element = PD_PART("offset", "An offset in the file.", offset_fields);

/* --- FILE --------------------------------------------------------------------------------------------------------- */

static const struct perfdata_field file_symbol_fields[] = {
	{ .name = "address", .doc = "Its first address, counted as the file's type says.", .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HEX },
	{ .name = "length", .doc = "Its bytes.", .kind = PERFDATA_KIND_U32, .unit = PERFDATA_UNIT_BYTES },
	{ .name = "name", .doc = "Its name.", .kind = PERFDATA_KIND_TEXT, .show = PERFDATA_SHOW_TEXT,
	  .count_field = PERFDATA_COUNT_NUL },
};
static const struct perfdata_layout file_symbol_element = PD_PART("file_symbol", "A symbol.", file_symbol_fields);

#define TYPE_FIELD(...) \
	{ .name = "type", .doc = "Kind of file.", .kind = PERFDATA_KIND_U32, .show = PERFDATA_SHOW_ENUM, \
	  .names = file_types, ##__VA_ARGS__ }
#define TYPE_AT 1       /* index of the type in file_element_fields */

static const struct perfdata_field file_element_fields[] = {
	{ .name = "path", .doc = "Path of the file.", .kind = PERFDATA_KIND_TEXT, .show = PERFDATA_SHOW_TEXT,
	  .count_field = PERFDATA_COUNT_NUL },
	TYPE_FIELD(),
	{ .name = "min_vaddr", .doc = "Address of its lowest executable segment.", .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HEX },
	{ .name = "symbols", .doc = "Symbols in which samples lie, by address.", .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_PREFIX, .element = &file_symbol_element },
	{ .name = "memory_offset_of_min_vaddr",
	  .doc = "A kernel module: where min_vaddr lies, counted from the start of its memory.",
	  .kind = PERFDATA_KIND_U64, .show = PERFDATA_SHOW_HEX, .when = PERFDATA_IF_FIELD, .when_field = TYPE_AT,
	  .when_value = 1 },
	{ .name = "file_offset_of_min_vaddr", .doc = "An ELF file: where min_vaddr lies in it.",
	  .kind = PERFDATA_KIND_U64, .show = PERFDATA_SHOW_HEX, .when = PERFDATA_IF_FIELD, .when_field = TYPE_AT,
	  .when_value = 2 },
	{ .name = "dex_file_offsets", .doc = "A dex file: where the dex files in it begin.", .kind = PERFDATA_KIND_LIST,
	  .when = PERFDATA_IF_FIELD, .when_field = TYPE_AT, .when_value = 3, .count_field = PERFDATA_COUNT_PREFIX,
	  .element = &offset_element },
};
static const struct perfdata_layout file_element = PD_PART("file_entry", "A file with its symbols.",
							   file_element_fields);
static const struct perfdata_field file_fields[] = {
	{ .name = "file", .doc = "Files in which samples lie, with their symbols.", .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_SIZED, .element = &file_element },
};

/* --- FILE2: the same, each file a protocol buffer message --------------------------------------------------------- */

static const struct perfdata_field file2_symbol_fields[] = {
	{ .name = "address", .doc = "Its first address, counted as the file's type says.", .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HEX, PD_MESSAGE_FIELD(1) },
	{ .name = "length", .doc = "Its bytes.", .kind = PERFDATA_KIND_U32, .unit = PERFDATA_UNIT_BYTES,
	  PD_MESSAGE_FIELD(2) },
	{ .name = "name", .doc = "Its name.", .kind = PERFDATA_KIND_TEXT, .show = PERFDATA_SHOW_TEXT,
	  PD_MESSAGE_FIELD(3) },
};
static const struct perfdata_layout file2_symbol_element = PD_PART("file_symbol", "A symbol.", file2_symbol_fields);

static const struct perfdata_field dex_file_fields[] = {
	{ .name = "dex_file_offsets", .doc = "Where the dex files in it begin.", .kind = PERFDATA_KIND_LIST,
	  .element = &offset_element, PD_MESSAGE_FIELD(1) },
};
static const struct perfdata_layout dex_file = PD_PART("dex_file", "A dex file.", dex_file_fields);

static const struct perfdata_field elf_file_fields[] = {
	{ .name = "file_offset_of_min_vaddr", .doc = "Where min_vaddr lies in it.", .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HEX, PD_MESSAGE_FIELD(1) },
};
static const struct perfdata_layout elf_file = PD_PART("elf_file", "An ELF file.", elf_file_fields);

static const struct perfdata_field kernel_module_fields[] = {
	{ .name = "memory_offset_of_min_vaddr",
	  .doc = "Where min_vaddr lies, counted from the start of the module's memory.", .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HEX, PD_MESSAGE_FIELD(1) },
};
static const struct perfdata_layout kernel_module = PD_PART("kernel_module", "A kernel module.", kernel_module_fields);

static const struct perfdata_field file2_element_fields[] = {
	{ .name = "path", .doc = "Path of the file.", .kind = PERFDATA_KIND_TEXT, .show = PERFDATA_SHOW_TEXT,
	  PD_MESSAGE_FIELD(1) },
	TYPE_FIELD(PD_MESSAGE_FIELD(2)),
	{ .name = "min_vaddr", .doc = "Address of its lowest executable segment.", .kind = PERFDATA_KIND_U64,
	  .show = PERFDATA_SHOW_HEX, PD_MESSAGE_FIELD(3) },
	{ .name = "symbols", .doc = "Symbols in which samples lie, by address.", .kind = PERFDATA_KIND_LIST,
	  .element = &file2_symbol_element, PD_MESSAGE_FIELD(4) },
	{ .name = "dex_file", .doc = "What only dex files have.", .kind = PERFDATA_KIND_STRUCT, .element = &dex_file,
	  PD_MESSAGE_FIELD(5) },
	{ .name = "elf_file", .doc = "What only ELF files have.", .kind = PERFDATA_KIND_STRUCT, .element = &elf_file,
	  PD_MESSAGE_FIELD(6) },
	{ .name = "kernel_module", .doc = "What only kernel modules have.", .kind = PERFDATA_KIND_STRUCT,
	  .element = &kernel_module, PD_MESSAGE_FIELD(7) },
};
static const struct perfdata_layout file2_element = PD_PART("file_entry", "A file with its symbols.",
							    file2_element_fields);
static const struct perfdata_field file2_fields[] = {
	{ .name = "file2", .doc = "Files in which samples lie, with their symbols.", .kind = PERFDATA_KIND_LIST,
	  .count_field = PERFDATA_COUNT_SIZED, .element = &file2_element },
};

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* By number; those without a name are not described yet. */
const struct pd_section_row pd_simpleperf_sections[PERFDATA_FEATURE_SIMPLEPERF_LAST - PERFDATA_FEATURE_FILE] = {
	[PERFDATA_FEATURE_FILE - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_FILE, "file", "FILE", "Files in which samples lie, with their symbols.",
			   file_fields, ANEW, PD_SECTION_HAS_NO_RECORD),
	[PERFDATA_FEATURE_FILE2 - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_FILE2, "file2", "FILE2", "Files in which samples lie, with their symbols.",
			   file2_fields, ANEW, PD_SECTION_HAS_NO_RECORD),
};
