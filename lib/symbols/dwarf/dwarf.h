/* SPDX-License-Identifier: MIT */
/* Reads DWARF 2 to 5 piece by piece: opens only units that contain requested addresses, and closes units when too many
 * are open. libdw handles supplementary files, sections compressed in the old way (.zdebug), relocatable files and
 * damage: for these, functions return `PERFDATA_EUNSUP`, and never an answer from a partly read unit. libdw does not
 * handle split debug information (.dwo, .dwp); this reader does. All loops count their steps (symbol_work.h):
 * PERFDATA_ELIMIT means that a file exceeds its limit, PERFDATA_EINTR that the work was cancelled. */
#ifndef PD_DWARF_H
#define PD_DWARF_H

#include "base/cursor.h"
#include "base/hash.h"
#include "symbols/elf/symbol_elf.h"
#include "symbols/work/symbol_work.h"

enum pd_dwarf_section_number {
	PD_DWARF_INFO, PD_DWARF_LINE, PD_DWARF_STR, PD_DWARF_LINE_STR,                  /* read in pieces */
	PD_DWARF_ABBREV, PD_DWARF_RANGES, PD_DWARF_RNGLISTS, PD_DWARF_ADDR, PD_DWARF_STR_OFFSETS,   /* kept in memory */
	/* kept in memory only while it is indexed */
	PD_DWARF_ARANGES,
	PD_DWARF_SECTIONS
};

struct pd_dwarf_section {
	uint64_t offset, size;   /* place in the file */
	uint8_t *bytes;          /* NULL: not in memory */
	bool is_spooled;         /* decompressed into the temporary file, where `offset` counts */
	atomic_bool is_packed;   /* not yet decompressed; `offset` and `size` are those of the compressed bytes */
};

/* The class of an attribute's value. */
enum pd_dwarf_class {
	PD_DWARF_OTHER,          /* a class that the reader needs for no attribute */
	PD_DWARF_ADDRESS, PD_DWARF_ADDRESS_INDEX, PD_DWARF_CONSTANT, PD_DWARF_OFFSET,
	PD_DWARF_REFERENCE,      /* offset in .debug_info */
	PD_DWARF_RANGES_INDEX,
	PD_DWARF_INLINE_STRING,  /* offset in .debug_info */
	PD_DWARF_TABLE_STRING,   /* offset in .debug_line */
	PD_DWARF_STRING, PD_DWARF_LINE_STRING, PD_DWARF_STRING_INDEX,
};
struct pd_dwarf_value {
	enum pd_dwarf_class class;
	uint64_t number;
};

/* Attributes that the reader uses. */
enum pd_dwarf_slot {
	PD_DWARF_LOW_PC,
	PD_DWARF_HIGH_PC,
	PD_DWARF_RANGES_AT,
	PD_DWARF_ENTRY_PC,
	PD_DWARF_SIBLING,
	PD_DWARF_ORIGIN,
	PD_DWARF_SPECIFICATION,
	PD_DWARF_NAME,
	PD_DWARF_LINKAGE_NAME,
	PD_DWARF_MIPS_NAME,
	PD_DWARF_CALL_FILE,
	PD_DWARF_CALL_LINE,
	PD_DWARF_CALL_COLUMN,
	PD_DWARF_DISCRIMINATOR,  /* discriminator of a call */
	PD_DWARF_DECL_LINE,
	PD_DWARF_STMT_LIST,
	PD_DWARF_COMP_DIR,
	PD_DWARF_STR_OFFSETS_BASE,
	PD_DWARF_ADDR_BASE,
	PD_DWARF_RNGLISTS_BASE,
	PD_DWARF_DWO_NAME,
	PD_DWARF_DWO_ID,         /* up to DWARF 4 */
	PD_DWARF_RANGES_BASE,    /* up to DWARF 4; for the entries in the split unit */
	PD_DWARF_SLOTS
};

struct pd_dwarf_spec {
	uint16_t form;
	uint8_t slot;            /* PD_DWARF_SLOTS: attribute not used */
	int64_t implicit;
};
struct pd_dwarf_abbrev {
	uint16_t tag;
	bool has_children;
	/* the reader needs only the sibling of these entries, whose size is constant: */
	bool is_plain;
	uint32_t size;
	/* offset in the entry of the 4-byte reference to the sibling; UINT32_MAX: none */
	uint32_t sibling;
	uint32_t first, count;   /* index of the first spec, and number of specs */
};
/* An abbreviation table. Units with the same address and offset sizes share it. */
struct pd_dwarf_abbrevs {
	uint64_t at;                     /* offset in the section */
	uint8_t address_size, offset_size;
	size_t users;                    /* protected by `tables_lock` */
	struct pd_dwarf_abbrev *items;   /* [0] has code 1 */
	size_t count, capacity;
	struct pd_dwarf_spec *specs;
	size_t spec_count, spec_capacity;
};

/* A debugging information entry. */
struct pd_dwarf_die {
	uint64_t offset;         /* offset in .debug_info */
	uint64_t next;           /* offset of its first child, or of the next entry */
	unsigned tag;            /* 0: end of a list of siblings */
	bool has_children;
	uint32_t present;        /* set of enum pd_dwarf_slot */
	struct pd_dwarf_value values[PD_DWARF_SLOTS];
};
static inline bool pd_dwarf_has(const struct pd_dwarf_die *die, enum pd_dwarf_slot slot)
{
	return die->present >> slot & 1;
}

/* A range of code, and the entry or unit with this code. */
struct pd_dwarf_range {
	uint64_t start, end;
	uint64_t owner;          /* offset of an entry, or index of a unit */
	uint32_t extent;         /* bytes of the entry and all its descendants */
	uint32_t order;          /* of several ranges with the same start, a look-up finds that of the highest order */
};
struct pd_dwarf_ranges {
	struct pd_dwarf_range *items;
	size_t count, capacity;
};

/* The kept part of a row: programs have millions of rows. */
struct pd_dwarf_row {
	uint32_t address;        /* offset from the lowest address of the table */
	int32_t line;
	uint16_t column;
	uint16_t is_end : 1, file : 15;
};
/* The discriminator of a row, which distinguishes blocks of one line. */
struct pd_dwarf_discriminator {
	uint32_t row, value;
};
struct pd_dwarf_file {
	struct pd_dwarf_value name, folder;   /* strings */
};
struct pd_dwarf_lines {
	struct pd_dwarf_file *files;
	size_t file_count, file_capacity;
	struct pd_dwarf_value *folders;
	size_t folder_count, folder_capacity;
	uint64_t lowest;
	struct pd_dwarf_row *rows;
	size_t row_count;
	/* nonzero discriminators, in the order of rows; read only if requested, since few look-ups need them */
	struct pd_dwarf_discriminator *discriminators;
	size_t discriminator_count, discriminator_capacity;
	bool has_discriminators;
	/* units with this version and address size that refer to offset `at` share the table */
	uint64_t at;             /* offset in the section */
	uint8_t version, address_size;   /* from the units' headers */
	size_t users;            /* protected by `tables_lock` */
};

/* A window on .debug_info: the bytes from `offset` to `end` are in memory. Reading moves the window, at most to
 * `limit`. */
struct pd_dwarf_window {
	uint8_t *bytes;
	size_t room;
	uint64_t offset, end, limit;
	struct pd_meter meter;
};

struct pd_dwarf;
struct pd_dwarf_split_part;

/* A unit of .debug_info. Members after `is_open` are valid only while the unit is open, and are protected by the lock
 * of its group. */
struct pd_dwarf_unit {
	uint64_t offset, end;    /* offset of the header; end of the last entry */
	uint64_t abbrevs_at;
	uint8_t header_size, version, offset_size, address_size;
	uint64_t dwo_id;         /* DWO id of skeleton units and split units, since DWARF 5 */
	/* for a skeleton unit: its split unit and that unit's file, permanent once found */
	struct pd_dwarf *split;
	struct pd_dwarf_unit *split_unit;
	bool split_tried;
	struct pd_dwarf_split_part *part;   /* NULL: not a split unit */
	bool is_open;
	bool has_functions;
	uint64_t used;           /* clock at its last use */
	size_t memory;
	struct pd_dwarf_abbrevs *abbrevs;
	struct pd_dwarf_die root;
	uint64_t base;           /* base address of range lists */
	struct pd_dwarf_ranges functions;
	struct pd_dwarf_lines *lines;        /* NULL: not yet read, or the unit has none */
	const char *folder;                  /* directory of the compilation, set if libdw read the entry; else NULL */
};

/* What a split unit, in a .dwo or .dwp file, takes from outside of its entries. */
struct pd_dwarf_split_part {
	uint64_t lines, str_offsets, rnglists; /* offsets of its parts of the sections: a .dwp file joins many units */
	/* from its skeleton unit: */
	atomic_bool has_skeleton;                /* set after the other members */
	uint64_t addr_base, ranges_base, base;
};

#define PD_DWARF_GROUPS 32u
/* This many of the last used tables are kept although no open unit uses them. */
#define PD_DWARF_RECENT 8u

struct pd_dwarf {
	const struct pd_elf *elf;
	struct perfdata_symbols_dso *dso;
	struct perfdata_symbols *symbols;
	bool swap;
	struct pd_dwarf_section sections[PD_DWARF_SECTIONS];
	struct pd_dwarf_unit *units;         /* units in the order of the file */
	size_t unit_count, unit_capacity;
	struct pd_dwarf_ranges by_table;     /* ranges from .debug_aranges */
	struct pd_dwarf_ranges by_unit; /* ranges from the units themselves, for addresses that .debug_aranges lacks */
	atomic_bool has_by_unit;
	struct pd_monitor *groups[PD_DWARF_GROUPS];   /* locks for units; one lock for every 32nd unit */
	struct pd_monitor *lock;   /* protects the making of `by_unit`, compressed sections, and all members below */
	struct pd_hash_map names;            /* offset of an entry → name, a pointer */
	struct pd_hash_map first_lines;      /* offset of a named entry → line of its declaration */
	struct pd_hash_map paths;            /* index of a unit and of a file in it → path, a pointer */
	atomic_bool excess_is_reported;      /* it was reported that a name stays mangled */
	struct pd_arena strings;
	atomic_uint_fast64_t clock;
	_Atomic(size_t) *units_memory;       /* bytes of open units of all files */
	struct pd_account *account;          /* charged for all memory of the reader */
	_Atomic(size_t) units_held;          /* bytes of open units of this file */
	struct pd_work *work;
	size_t indexes;                      /* bytes of the members above for which the account was charged */
	size_t strings_memory;               /* bytes of `strings` and its maps that the account was charged for */
	struct pd_monitor *tables_lock;      /* protects the tables below and the numbers of their users */
	struct pd_dwarf_abbrevs *recent_abbrevs[PD_DWARF_RECENT];
	struct pd_dwarf_lines *recent_lines[PD_DWARF_RECENT];
	size_t next_abbrevs, next_lines;     /* indexes to replace next */
	/* for a file with skeleton units: the files of its split units, a list that grows at its head, protected by
	 * `lock` */
	struct pd_dwarf *splits;
	_Atomic(const char *) beyond;        /* path of a split file that exceeded its limit; NULL: none did */
	struct pd_dwarf *package;            /* the .dwp file of the list; NULL: none */
	bool package_tried;
	/* for a file with split units: */
	const struct pd_dwarf *skeletons;    /* the file with the skeleton units; NULL: not a file with split units */
	struct pd_elf *split_elf;            /* closed with this reader */
	struct pd_dwarf *next;
	uint64_t device, inode;
	const char *path;                    /* NULL: no memory */
	atomic_bool failure_is_reported;     /* it was reported that the file cannot be read */
	struct pd_hash_map by_id;            /* DWO id → index of a unit */
	struct pd_dwarf_split_part *parts;   /* one part for each unit */
};
/* Returns the file with the addresses and, up to DWARF 4, the range lists. */
static inline const struct pd_dwarf *pd_dwarf_linked(const struct pd_dwarf *dwarf)
{
	return dwarf->skeletons ? dwarf->skeletons : dwarf;
}

/* --- dwarf_sections.c --------------------------------------------------------------------------------------------- */

/* Finds the sections and reads those that are kept in memory. Sections of line tables, which not all look-ups need,
 * stay compressed. PERFDATA_ABSENT: no debug information. */
enum perfdata_status pd_dwarf_open_sections(struct pd_dwarf *dwarf);
/* Decompresses a section that pd_dwarf_open_sections left compressed. */
enum perfdata_status pd_dwarf_unpack_section(struct pd_dwarf *dwarf, enum pd_dwarf_section_number number);
/* Returns the decompressed bytes of a section and a NUL; free them with pd_free. */
enum perfdata_status pd_dwarf_whole_section(const struct pd_elf *elf, const struct pd_elf_section *from,
					    struct pd_work *work, uint8_t **ret, uint64_t *ret_size);
void pd_dwarf_drop_section(struct pd_dwarf *dwarf, enum pd_dwarf_section_number number);
/* Copies bytes of a section; false: the section does not have them. */
bool pd_dwarf_copy(const struct pd_dwarf *dwarf, enum pd_dwarf_section_number number, uint64_t offset, void *out,
		   size_t size);

/* --- dwarf_read.c: bytes, forms, entries. Statuses as above. ------------------------------------------------------ */

/* Reads a part of a section into new memory; free it with pd_free. */
enum perfdata_status pd_dwarf_read(const struct pd_dwarf *dwarf, enum pd_dwarf_section_number number, uint64_t offset,
				   uint64_t size, uint8_t **ret);
enum perfdata_status pd_dwarf_read_abbrevs(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					   struct pd_dwarf_abbrevs *ret);
struct pd_dwarf_window pd_dwarf_window(const struct pd_dwarf *dwarf, uint64_t limit);
void pd_dwarf_close_window(struct pd_dwarf_window *window);
/* Reads the entry at an offset of a unit whose abbreviations are known. */
enum perfdata_status pd_dwarf_read_die(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				       struct pd_dwarf_window *window, uint64_t offset, struct pd_dwarf_die *ret);
/* As pd_dwarf_read_die for a single entry, without a window. */
enum perfdata_status pd_dwarf_fetch_die(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint64_t offset,
					struct pd_dwarf_die *ret);
/* Moves past an entry and all its descendants. */
enum perfdata_status pd_dwarf_skip_die(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				       struct pd_dwarf_window *window, const struct pd_dwarf_die *die, uint64_t *ret);
uint64_t pd_dwarf_uleb(struct pd_cursor *c);
int64_t pd_dwarf_sleb(struct pd_cursor *c);
/* Reads a value of a form; false: unknown form. place: the section offset of `c`, from which offsets of inline strings
 * are computed. */
bool pd_dwarf_form(struct pd_cursor *c, const struct pd_dwarf_unit *unit, unsigned form, int64_t implicit,
		   uint64_t place, struct pd_dwarf_value *ret);
/* Returns a string from .debug_str, a similar section, or the entry itself, in memory of `bytes`. */
enum perfdata_status pd_dwarf_string(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				     const struct pd_dwarf_value *value, struct pd_arena *bytes, const char **ret);
/* Returns an address by its index in .debug_addr. */
bool pd_dwarf_address(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
		      const struct pd_dwarf_value *value, uint64_t *ret);

/* --- dwarf_ranges.c ----------------------------------------------------------------------------------------------- */

/* Whether a range of an entry contains the address. */
enum perfdata_status pd_dwarf_holds(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
				    const struct pd_dwarf_die *die, uint64_t address, struct pd_meter *meter,
				    bool *ret);
/* Walks over the range list to which `value` refers, to count its steps. */
enum perfdata_status pd_dwarf_pass_ranges(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					  const struct pd_dwarf_value *value, struct pd_meter *meter);
/* Adds the ranges of an entry to the index. */
enum perfdata_status pd_dwarf_add_ranges(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					 const struct pd_dwarf_die *die, uint64_t owner, uint32_t extent,
					 struct pd_meter *meter, struct pd_dwarf_ranges *ranges);
/* Adds one range, which contains the `owner` and `extent` of its entry. */
enum perfdata_status pd_dwarf_add_range(const struct pd_dwarf *dwarf, struct pd_meter *meter,
					struct pd_dwarf_ranges *ranges, struct pd_dwarf_range range);
void pd_dwarf_sort_ranges(struct pd_dwarf_ranges *ranges);
/* Returns the last range that starts at or before the address; NULL: the address is not in it. */
const struct pd_dwarf_range *pd_dwarf_find_range(const struct pd_dwarf_ranges *ranges, uint64_t address);

/* --- dwarf_image.c ------------------------------------------------------------------------------------------------ */

/* An ELF image for libdw. */
struct pd_dwarf_image {
	uint8_t *bytes;            /* free it with pd_free */
	size_t size;
	struct { size_t at, size; } sections[PD_DWARF_SECTIONS];   /* the sections known to our reader */
	bool swap;
};
/* PERFDATA_ABSENT: no debug information. PERFDATA_EUNSUP: libdw may not read it. PERFDATA_ELIMIT, PERFDATA_EINTR,
 * PERFDATA_ENOMEM. */
enum perfdata_status pd_dwarf_image_make(const struct pd_elf *elf, struct pd_work *work, struct pd_dwarf_image *ret);

/* --- dwarf_tables.c: tables that units share ---------------------------------------------------------------------- */

/* Changes the counted memory of units and their tables by `after` - `before` bytes. */
void pd_dwarf_hold(struct pd_dwarf *dwarf, size_t before, size_t after);
/* Returns the abbreviation table of a unit, shared if another unit uses it. */
enum perfdata_status pd_dwarf_take_abbrevs(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					   struct pd_dwarf_abbrevs **ret);
void pd_dwarf_give_abbrevs(struct pd_dwarf *dwarf, struct pd_dwarf_abbrevs *abbrevs);   /* ignores NULL */
/* Returns the line table at the offset. discriminators: whether its rows need discriminators. */
enum perfdata_status pd_dwarf_take_lines(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint64_t at,
					 bool discriminators, struct pd_dwarf_lines **ret);
void pd_dwarf_give_lines(struct pd_dwarf *dwarf, struct pd_dwarf_lines *lines);         /* ignores NULL */
/* Frees the tables that no open unit uses. */
void pd_dwarf_drop_tables(struct pd_dwarf *dwarf);

/* --- dwarf_units.c ------------------------------------------------------------------------------------------------ */

/* PERFDATA_ABSENT: no debug information. Memory of units is charged to the sum of all dsos and to the account. */
enum perfdata_status pd_dwarf_open(const struct pd_elf *elf, struct perfdata_symbols_dso *dso, struct pd_work *work,
				   struct pd_dwarf **ret);
/* Opens a file with split units; takes over `elf`, also on failure. */
enum perfdata_status pd_dwarf_open_split(const struct pd_dwarf *skeletons, struct pd_elf *elf, struct pd_dwarf **ret);
void pd_dwarf_close(struct pd_dwarf *dwarf);
/* Returns the unit that contains an address of code; NULL: none. */
enum perfdata_status pd_dwarf_unit_at(struct pd_dwarf *dwarf, uint64_t address, struct pd_dwarf_unit **ret);
/* Returns the unit with an offset of .debug_info; NULL: none. */
struct pd_dwarf_unit *pd_dwarf_unit_of(struct pd_dwarf *dwarf, uint64_t offset);
/* Enters the lock of the unit's group and opens the unit. Call pd_dwarf_leave afterwards, also on failure. */
enum perfdata_status pd_dwarf_enter(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit);
void pd_dwarf_leave(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit);
/* Reads the first entry of a unit that need not be open. */
enum perfdata_status pd_dwarf_read_root(struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit,
					struct pd_dwarf_die *ret);
/* Closes the least recently used units until this file holds at most `limit` bytes. Call it without any lock. */
void pd_dwarf_shrink(struct pd_dwarf *dwarf, size_t limit);

/* --- dwarf_split.c: split debug information ----------------------------------------------------------------------- */

/* Logs once that a file with split units cannot be read. */
void pd_dwarf_refuse_split(struct pd_dwarf *split);
/* Finds the split unit of an open unit, whose lock the caller holds, and its file; NULL: it has none, or the file was
 * not found. */
enum perfdata_status pd_dwarf_find_split(struct pd_dwarf *dwarf, struct pd_dwarf_unit *unit,
					 struct pd_dwarf **ret_split, struct pd_dwarf_unit **ret_unit);

/* --- dwarf_line_table.c ------------------------------------------------------------------------------------------- */

/* Reads the table at an offset with the sizes of the unit. *ret is empty except for has_discriminators. */
enum perfdata_status pd_dwarf_read_table(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint64_t at,
					 struct pd_dwarf_lines *ret);
const struct pd_dwarf_row *pd_dwarf_find_row(const struct pd_dwarf_lines *lines, uint64_t address);
/* Returns the discriminator of a row; 0: none. */
uint32_t pd_dwarf_discriminator_of(const struct pd_dwarf_lines *lines, const struct pd_dwarf_row *row);
/* Returns the path of a file, in memory of `bytes`; NULL: no such file. */
enum perfdata_status pd_dwarf_path(const struct pd_dwarf *dwarf, const struct pd_dwarf_unit *unit, uint32_t file,
				   struct pd_arena *bytes, const char **ret);
void pd_dwarf_lines_release(struct pd_dwarf_lines *lines);

/* --- dwarf_lookup.c ----------------------------------------------------------------------------------------------- */

/* See pd_lines_find. */
enum perfdata_status pd_dwarf_lookup(struct pd_dwarf *dwarf, uint64_t vaddr, const struct pd_lines_wish *wish,
				     struct perfdata_source_line *frames, size_t room, size_t *ret_count);
/* See pd_lines_walk_functions. */
enum perfdata_status pd_dwarf_walk_functions(struct pd_dwarf *dwarf, pd_take_function *take, void *user);
/* Returns the path of the split file that exceeded a limit; NULL: none did. */
const char *pd_dwarf_beyond(const struct pd_dwarf *dwarf);

#endif
