/* SPDX-License-Identifier: MIT */
/* Answers: what a file says about the addresses of recordings, for machines without the file. On a machine with the
 * file, look-ups note their addresses (answers_asked.c), and a draft collects their results (draft/answers_draft.c).
 * The draft is written into a bundle as a text, which other machines read instead of the file (answers_read.c).
 *
 * Each line of the text has words separated by tabs. Numbers are hexadecimal; '-' is no number or text:
 *
 *   perfdata-answers  1  KIND  BUILD-ID  BASE  NAMES  SHIFT
 *   t TEXT                                            the next text, counted from 0; \\, \n, \t and \r are escaped
 *   s START SIZE BINDING NAME SHOWN MODULE            the next symbol; NAME, SHOWN and MODULE: numbers of texts
 *   c FUNCTION SHOWN FILE LINE COLUMN FIRST INLINED NEXT   the next call; NEXT: the call into which it is inlined
 *   a ADDRESS SYMBOL CALLS FLAGS OBJECT               answer for an address, in ascending order
 *   j START END TIME UNTIL NAME                       code of a jitdump file
 *   r ADDRESS KIND BASE SIGNED PLACES CFA AT AT AT    rule to unwind a frame, in ascending order
 *   w OFFSET VALUE                                    a word that unwinding read from the file, in ascending order
 *   z OFFSET SIZE NAME                                a library in an archive, in ascending order
 *
 * ADDRESS and START count from BASE: 0 in the file, the address of _text or _stext of a kernel, or the start of a
 * module. Each library of an archive has answers of its own, under the path ARCHIVE!/NAME. */
#ifndef PD_SYMBOL_ANSWERS_H
#define PD_SYMBOL_ANSWERS_H

#include "base/hash.h"
#include "symbols/symbols.h"

#define PD_ANSWERS_MAGIC "perfdata-answers\t1\t"
#define PD_NO_ANSWER UINT32_MAX

/* Words of the first line, indexed by enum perfdata_dso_kind and by enum pd_answers_base. */
enum { PD_ANSWERS_KINDS = 6, PD_ANSWERS_BASES = 4 };
extern const char *const pd_answers_kinds[PD_ANSWERS_KINDS], *const pd_answers_bases[PD_ANSWERS_BASES];

enum pd_answer_flag {
	PD_ANSWER_POSITION_ONLY = 1,  /* the calls have a position but no function */
	PD_ANSWER_DIFFERS = 2,        /* symbols with different names contain the address: see pd_symbols_differ */
	PD_ANSWER_IN_SEGMENT = 4,     /* the file has a virtual address for this address */
	PD_ANSWER_NAMELESS_OBJECT = 8, /* it is in a function of an object file with unknown source */
	PD_ANSWER_MASK = 15,
};

struct pd_answer {
	uint64_t address;
	uint32_t symbol, calls;       /* indexes of lines, or PD_NO_ANSWER */
	uint32_t object;              /* index of a text: the source of the object file with the function */
	uint32_t flags;
};

struct pd_answer_symbol {
	uint64_t start, size;
	uint32_t name, shown, module; /* indexes of texts; shown: only if it is not the demangled name */
	uint32_t binding;
};

struct pd_answer_call {
	uint32_t function, shown, file;
	uint32_t line, column, first_line;
	uint32_t is_inlined;
	uint32_t next;
};

struct pd_answer_code {
	uint64_t start, end, time, until;
	uint32_t name, unused;
};

struct pd_answer_word { uint64_t offset, value; };
struct pd_answer_library { uint64_t offset, size; uint32_t name, unused; };
struct pd_answer_rule { uint64_t address; struct pd_rule rule; };

/* The content of the first line. */
struct pd_answers_head {
	enum perfdata_dso_kind kind;
	struct pd_build_id id;
	enum pd_answers_base { PD_BASE_FILE, PD_BASE_TEXT, PD_BASE_STEXT, PD_BASE_START } base;
	bool has_names;               /* whether the file had symbols */
	uint64_t shift;               /* see pd_elf_text_shift */
};

/* --- answers_asked.c ---------------------------------------------------------------------------------------------- */

/* Note a look-up in a dso if the options say so. Any thread. */
void pd_asked_address(const struct perfdata_symbols_dso *dso, uint64_t address);
void pd_asked_code(const struct perfdata_symbols_dso *dso, size_t number);
/* Notes a look-up in a jitdump file: number of the code << 32 | offset in the code. */
void pd_asked_rule(const struct perfdata_symbols_dso *dso, uint64_t vaddr);
void pd_asked_word(const struct perfdata_symbols_dso *dso, uint64_t offset, uint64_t value);
/* Whether an address was looked up in the dso; if it is an archive, in it or one of its libraries. */
bool pd_symbols_were_asked(const struct perfdata_symbols_dso *dso);
void pd_asked_free(struct pd_asked *asked);

struct pd_asked {
	struct pd_monitor *lock;
	struct pd_hash_map addresses, codes, rules, words;
	bool failed;                  /* an allocation failed, so look-ups may be missing */
};
struct pd_asked *pd_asked_new(void);

/* --- answers_read.c ----------------------------------------------------------------------------------------------- */

/* Reads the text and sets dso->answers; for an archive also dso->archive. *ret_reason: why the text does not fit the
 * dso, or NULL. PERFDATA_EFORMAT: not such a text. PERFDATA_ELIMIT, PERFDATA_EINTR, PERFDATA_ENOMEM, PERFDATA_EREAD.
 * Call it with the lock of the dso. */
enum perfdata_status pd_answers_read(struct perfdata_symbols_dso *dso, int fd, const char **ret_reason);
bool pd_answers_have_names(const struct pd_answers *answers);
/* Sets *ret_nr to the number of looked-up addresses without an answer; true only once. */
bool pd_answers_lack(struct perfdata_symbols_dso *dso, uint64_t *ret_nr);
void pd_answers_close(struct perfdata_symbols_dso *dso);
bool pd_answers_have(const struct pd_answers *answers, uint64_t address);
/* As the functions of symbols.h, for a dso that has answers. */
enum perfdata_status pd_answers_symbol(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t time,
				       struct perfdata_symbol *ret);
enum perfdata_status pd_answers_calls(struct perfdata_symbols_dso *dso, uint64_t address,
				      const struct pd_lines_wish *wish, struct perfdata_source_line *frames,
				      size_t room, size_t *ret_count);
enum perfdata_status pd_answers_object(struct perfdata_symbols_dso *dso, uint64_t address, uint64_t *ret_address,
				       const char **ret);
bool pd_answers_differ(struct perfdata_symbols_dso *dso, uint64_t address);
struct pd_rule pd_answers_rule(struct perfdata_symbols_dso *dso, uint64_t vaddr);
/* As pd_answers_rule for JIT code; key: see pd_asked_rule. False: the file had no rule. */
bool pd_answers_jit_rule(const struct perfdata_symbols_dso *dso, uint64_t key, struct pd_rule *ret);
bool pd_answers_word(struct perfdata_symbols_dso *dso, uint64_t offset, uint64_t *ret);
uint64_t pd_answers_nr_symbols(const struct pd_answers *answers);
/* Reads the first line of a text, which may be cut; false: not such a text. */
bool pd_answers_read_head(const char *text, size_t size, struct pd_answers_head *ret);
/* Returns the base of addresses in the dso's answers, and sets *ret_address to its address. */
enum pd_answers_base pd_answers_base_of(const struct perfdata_symbols_dso *dso, uint64_t *ret_address);

#endif
