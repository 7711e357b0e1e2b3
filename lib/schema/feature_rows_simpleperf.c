/* SPDX-License-Identifier: MIT */
/* Feature sections that Android's simpleperf writes. Numbers and contents are simpleperf's own; perf passes over
 * them. */
#include "config.h"
#include "schema/feature_rows.h"

static const struct perfdata_name file_types[] = {
	{ 0, "kernel" }, { 1, "kernel_module" }, { 2, "elf" }, { 3, "dex" },
	{ 4, "symbol_map" }, { 5, "unknown" }, { 0, NULL },
};

static const struct perfdata_field offset_fields[] = { PD_FIELD(NULL, U64, HEX, "An offset in the file.") };
static const struct perfdata_layout offset_element = PD_PART("offset", "An offset in the file.", offset_fields);

/* --- FILE --------------------------------------------------------------------------------------------------------- */

static const struct perfdata_field file_symbol_fields[] = {
	PD_FIELD("address", U64, HEX, "Its first address, counted as the file's type says."),
	PD_FIELD("length", U32, DEC, "Its bytes.", PD_UNIT(BYTES)),
	PD_FIELD("name", TEXT, TEXT, "Its name.", .count_field = PERFDATA_COUNT_NUL),
};
static const struct perfdata_layout file_symbol_element = PD_PART("file_symbol", "A symbol.", file_symbol_fields);

#define TYPE_FIELD(...) \
	{ .name = "type", .doc = "Kind of file.", .kind = PERFDATA_KIND_U32, .show = PERFDATA_SHOW_ENUM, \
	  .names = file_types, ##__VA_ARGS__ }
#define TYPE_AT 1       /* index of the type in file_element_fields */

static const struct perfdata_field file_element_fields[] = {
	PD_FIELD("path", TEXT, TEXT, "Path of the file.", .count_field = PERFDATA_COUNT_NUL),
	TYPE_FIELD(),
	PD_FIELD("min_vaddr", U64, HEX, "Address of its lowest executable segment."),
	PD_FIELD("symbols", LIST, DEC, "Symbols in which samples lie, by address.", PD_COUNT_PREFIX,
		 .element = &file_symbol_element),
	PD_FIELD("memory_offset_of_min_vaddr", U64, HEX,
		 "A kernel module: where min_vaddr lies, counted from the start of its memory.",
		 PD_WHEN_FIELD(IF_FIELD, TYPE_AT, 1)),
	PD_FIELD("file_offset_of_min_vaddr", U64, HEX, "An ELF file: where min_vaddr lies in it.",
		 PD_WHEN_FIELD(IF_FIELD, TYPE_AT, 2)),
	PD_FIELD("dex_file_offsets", LIST, DEC, "A dex file: where the dex files in it begin.",
		 PD_WHEN_FIELD(IF_FIELD, TYPE_AT, 3), PD_COUNT_PREFIX, .element = &offset_element),
};
static const struct perfdata_layout file_element = PD_PART("file_entry", "A file with its symbols.",
							   file_element_fields);
static const struct perfdata_field file_fields[] = {
	PD_FIELD("file", LIST, DEC, "Files in which samples lie, with their symbols.",
		 .count_field = PERFDATA_COUNT_SIZED, .element = &file_element),
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
	PD_FIELD("file2", LIST, DEC, "Files in which samples lie, with their symbols.",
		 .count_field = PERFDATA_COUNT_SIZED, .element = &file2_element),
};

/* --- META_INFO ---------------------------------------------------------------------------------------------------- */

#define TEXT_FIELD(key, text) \
	{ .name = key, .doc = text, .kind = PERFDATA_KIND_TEXT, .show = PERFDATA_SHOW_TEXT, \
	  .count_field = PERFDATA_COUNT_NUL }

static const struct perfdata_field meta_fact_fields[] = {
	TEXT_FIELD("key", "What it is about."),
	TEXT_FIELD("value", "What is known of it."),
};
static const struct perfdata_layout meta_fact = PD_PART("meta_fact", "A fact.", meta_fact_fields);
static const struct perfdata_field meta_info_fields[] = {
	PD_FIELD("meta_info", LIST, DEC, "Facts about device, app and recorder.", PD_COUNT_REST, .element = &meta_fact),
};

/* --- DEBUG_UNWIND, DEBUG_UNWIND_FILE ------------------------------------------------------------------------------ */

#define MESSAGE_TEXT(number, key, text) \
	{ .name = key, .doc = text, .kind = PERFDATA_KIND_TEXT, .show = PERFDATA_SHOW_TEXT, PD_MESSAGE_FIELD(number) }
#define MESSAGE_NUMBER(number, key, width, how, text) \
	{ .name = key, .doc = text, .kind = PERFDATA_KIND_##width, .show = PERFDATA_SHOW_##how, \
	  PD_MESSAGE_FIELD(number) }
#define MESSAGE_LIST(number, key, text, of) \
	{ .name = key, .doc = text, .kind = PERFDATA_KIND_LIST, .element = of, PD_MESSAGE_FIELD(number) }

static const struct perfdata_field debug_file_fields[] = {
	MESSAGE_TEXT(1, "path", "Path of the file."),
	MESSAGE_NUMBER(2, "size", U64, DEC, "Its length in DEBUG_UNWIND_FILE, in bytes."),
};
static const struct perfdata_layout debug_file = PD_PART("debug_file", "A file.", debug_file_fields);
static const struct perfdata_field debug_unwind_fields[] = {
	MESSAGE_LIST(1, "debug_unwind", "Files that unwinding needed, in the order of DEBUG_UNWIND_FILE.", &debug_file),
};
static const struct perfdata_field debug_unwind_file_fields[] = {
	PD_FIELD("debug_unwind_file", BYTES, BYTES_HEX, "The files of DEBUG_UNWIND, whole, one after another.",
		 PD_COUNT_REST),
};

/* --- ETM_BRANCH_LIST ---------------------------------------------------------------------------------------------- */

static const struct perfdata_name binary_types[] = {
	{ 0, "elf" }, { 1, "kernel" }, { 2, "kernel_module" }, { 0, NULL },
};

static const struct perfdata_field etm_branch_fields[] = {
	{ .name = "branch", .doc = "Whether each branch was taken: bit 0 is the first.", .kind = PERFDATA_KIND_BYTES,
	  .show = PERFDATA_SHOW_BYTES_HEX, PD_MESSAGE_FIELD(1) },
	MESSAGE_NUMBER(2, "branch_size", U32, DEC, "Number of bits."),
	MESSAGE_NUMBER(3, "count", U64, DEC, "How often it went so."),
};
static const struct perfdata_layout etm_branch = PD_PART("etm_branch", "Branches in a row.", etm_branch_fields);
static const struct perfdata_field etm_address_fields[] = {
	MESSAGE_NUMBER(1, "address", U64, HEX, "Where the branches begin."),
	MESSAGE_LIST(2, "branches", "What was seen from there on.", &etm_branch),
};
static const struct perfdata_layout etm_address = PD_PART("etm_address", "A place in a file.", etm_address_fields);
static const struct perfdata_field kernel_info_fields[] = {
	MESSAGE_NUMBER(1, "kernel_start_addr", U64, HEX, "Where the kernel began."),
};
static const struct perfdata_layout kernel_info = PD_PART("kernel_info", "The kernel.", kernel_info_fields);
static const struct perfdata_field etm_binary_fields[] = {
	MESSAGE_TEXT(1, "path", "Path of the file."),
	MESSAGE_TEXT(2, "build_id", "Its build-id in hex."),
	MESSAGE_LIST(3, "addrs", "Places in it.", &etm_address),
	{ .name = "type", .doc = "Kind of file.", .kind = PERFDATA_KIND_U32, .show = PERFDATA_SHOW_ENUM,
	  .names = binary_types, PD_MESSAGE_FIELD(4) },
	{ .name = "kernel_info", .doc = "What only the kernel has.", .kind = PERFDATA_KIND_STRUCT,
	  .element = &kernel_info, PD_MESSAGE_FIELD(5) },
};
static const struct perfdata_layout etm_binary = PD_PART("etm_binary", "A file with branches.", etm_binary_fields);

static const struct perfdata_field lbr_branch_fields[] = {
	MESSAGE_NUMBER(1, "from_binary_id", U32, DEC, "File that the branch is in: from 1; 0: none."),
	MESSAGE_NUMBER(2, "to_binary_id", U32, DEC, "File that it leads to."),
	MESSAGE_NUMBER(3, "from_vaddr_in_file", U64, HEX, "Address of the branch in its file."),
	MESSAGE_NUMBER(4, "to_vaddr_in_file", U64, HEX, "Its target."),
};
static const struct perfdata_layout lbr_branch = PD_PART("lbr_branch", "A taken branch.", lbr_branch_fields);
static const struct perfdata_field lbr_sample_fields[] = {
	MESSAGE_NUMBER(1, "binary_id", U32, DEC, "File that the sample is in: from 1; 0: none."),
	MESSAGE_NUMBER(2, "vaddr_in_file", U64, HEX, "Address in it."),
	MESSAGE_LIST(3, "branches", "The last branches.", &lbr_branch),
};
static const struct perfdata_layout lbr_sample = PD_PART("lbr_sample", "A sample.", lbr_sample_fields);
static const struct perfdata_field lbr_binary_fields[] = {
	MESSAGE_TEXT(1, "path", "Path of the file."),
	MESSAGE_TEXT(2, "build_id", "Its build-id in hex."),
};
static const struct perfdata_layout lbr_binary = PD_PART("lbr_binary", "A file.", lbr_binary_fields);
static const struct perfdata_field lbr_data_fields[] = {
	MESSAGE_LIST(1, "samples", "Samples with their branches.", &lbr_sample),
	MESSAGE_LIST(2, "binaries", "The files: number 1 first.", &lbr_binary),
};
static const struct perfdata_layout lbr_data = PD_PART("lbr_data", "Samples of branches.", lbr_data_fields);

static const struct perfdata_field branch_list_fields[] = {
	MESSAGE_TEXT(1, "magic", "simpleperf:EtmBranchList."),
	MESSAGE_LIST(2, "etm_data", "Branches out of CoreSight traces, by file.", &etm_binary),
	{ .name = "lbr_data", .doc = "Branches out of branch stacks.", .kind = PERFDATA_KIND_STRUCT,
	  .element = &lbr_data, PD_MESSAGE_FIELD(3) },
};

/* --- INIT_MAP ----------------------------------------------------------------------------------------------------- */

static const struct perfdata_field map_record_fields[] = {
	PD_FIELD("type", U32, DEC, "Type of the record: 81 COMPRESSED, or what that unpacks to."),
	PD_FIELD("misc", U16, DEC, "Its misc."),
	PD_FIELD("size", U16, DEC, "Its length.", PD_UNIT(BYTES)),
	PD_FIELD("data", BYTES, BYTES_HEX, "Its bytes.", PD_COUNT_REST),
};
static const struct perfdata_layout map_record = PD_PART("map_record", "A record.", map_record_fields);
static const struct perfdata_field init_map_fields[] = {
	PD_FIELD("init_map", LIST, DEC, "Records of the maps that were there before the first of the data.",
		 .count_field = PERFDATA_COUNT_FRAMED, .element = &map_record),
};

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* Indexed by number; sections without a name are not described yet. */
const struct pd_section_row pd_simpleperf_sections[PERFDATA_FEATURE_SIMPLEPERF_LAST - PERFDATA_FEATURE_FILE] = {
	[PERFDATA_FEATURE_FILE - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_FILE, "file", "FILE", "Files in which samples lie, with their symbols.",
			   file_fields, DEVICE, PD_SECTION_HAS_NO_RECORD),
	[PERFDATA_FEATURE_FILE2 - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_FILE2, "file2", "FILE2", "Files in which samples lie, with their symbols.",
			   file2_fields, DEVICE, PD_SECTION_HAS_NO_RECORD),
	[PERFDATA_FEATURE_META_INFO - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_META_INFO, "meta_info", "META_INFO",
			   "Facts about device, app and recorder.", meta_info_fields, DEVICE,
			   PD_SECTION_IS_META | PD_SECTION_HAS_NO_RECORD),
	[PERFDATA_FEATURE_DEBUG_UNWIND - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_DEBUG_UNWIND, "debug_unwind", "DEBUG_UNWIND",
			   "Files that unwinding needed.", debug_unwind_fields, EQUAL, PD_SECTION_HAS_NO_RECORD),
	[PERFDATA_FEATURE_DEBUG_UNWIND_FILE - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_DEBUG_UNWIND_FILE, "debug_unwind_file", "DEBUG_UNWIND_FILE",
			   "Contents of the files that unwinding needed.", debug_unwind_file_fields, EQUAL,
			   PD_SECTION_HAS_NO_RECORD),
	[PERFDATA_FEATURE_ETM_BRANCH_LIST - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_ETM_BRANCH_LIST, "etm_branch_list", "ETM_BRANCH_LIST",
			   "Branches that traces hold, by file.", branch_list_fields, EQUAL, PD_SECTION_HAS_NO_RECORD),
	[PERFDATA_FEATURE_INIT_MAP - PERFDATA_FEATURE_FILE] =
		PD_SECTION(PERFDATA_FEATURE_INIT_MAP, "init_map", "INIT_MAP",
			   "Maps that were there before the first record.", init_map_fields, EQUAL,
			   PD_SECTION_HAS_NO_RECORD),
};
