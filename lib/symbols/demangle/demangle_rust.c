/* SPDX-License-Identifier: MIT */
/* Demangles Rust names. The older scheme is that of C++ with a hash at the end: _ZN4core3fmt5write17h0123456789abcdefE.
 * The newer one ("v0", https://rust-lang.github.io/rfcs/2603-rust-symbol-name-mangling-v0.html) is a small prefix
 * grammar with references to earlier parts. Hashes and the types of constants are omitted, as in perf. References can
 * make a short name very long, so size, depth and steps are limited. */
#include "config.h"
#include <string.h>
#include "symbols/symbols.h"

#define MAX_DEPTH 256
#define MAX_STEPS 100000
#define MAX_IDENTIFIER 256  /* limit of characters in a non-ASCII identifier */

struct rust {
	const char *text;   /* text after the prefix */
	size_t at, size;
	char *out;
	size_t used, room;
	unsigned skip;      /* if not 0, parses without printing */
	unsigned depth, steps;
	uint64_t lifetimes; /* number of lifetimes bound here and in enclosing binders */
	bool bad;
};

static void put_bytes(struct rust *r, const char *bytes, size_t size)
{
	if (r->skip || r->bad)
		return;
	if (size >= r->room - r->used) {
		r->bad = true;
		return;
	}
	memcpy(r->out + r->used, bytes, size);
	r->used += size;
}
static void puts_text(struct rust *r, const char *text) { put_bytes(r, text, strlen(text)); }

static void put_number(struct rust *r, uint64_t value)
{
	char digits[20];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	put_bytes(r, digits + at, sizeof digits - at);
}

static void put_utf8(struct rust *r, uint32_t c)
{
	char b[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
		r->bad = true;
		return;
	}
	if (n == 1) {
		b[0] = (char)c;
	} else {
		for (size_t i = n; --i > 0; c >>= 6)
			b[i] = (char)(0x80 | (c & 0x3f));
		b[0] = (char)((0xf00u >> n & 0xf0) | c);
	}
	put_bytes(r, b, n);
}

static char peek_char(const struct rust *r) { return !r->bad && r->at < r->size ? r->text[r->at] : '\0'; }
static char next_char(struct rust *r)
{
	char c = peek_char(r);
	if (c && ++r->steps <= MAX_STEPS)
		r->at++;
	else
		r->bad = true;
	return r->bad ? '\0' : c;
}
static bool eat_char(struct rust *r, char c)
{
	if (peek_char(r) != c)
		return false;
	next_char(r);
	return !r->bad;
}

/* --- older scheme ------------------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_decimal(struct rust *r, size_t *ret)
{
	size_t value = 0;
	if (!is_digit(peek_char(r)))
		return false;
	while (is_digit(peek_char(r))) {
		value = value * 10 + (size_t)(next_char(r) - '0');
		if (value > r->size)
			return false;
	}
	*ret = value;
	return true;
}

static bool is_hash(const char *part, size_t size)
{
	unsigned seen = 0;
	if (size != 17 || part[0] != 'h')
		return false;
	for (size_t i = 1; i < size; i++) {
		int digit = hex_digit(part[i]);
		if (digit < 0)
			return false;
		seen |= 1u << digit;
	}
	return __builtin_popcount(seen) >= 5;  /* otherwise it is a C++ name that looks similar */
}

static const struct escape {
	const char *code, *text;
} escapes[] = {
	{ "SP", "@" }, { "BP", "*" }, { "RF", "&" }, { "LT", "<" },
	{ "GT", ">" }, { "LP", "(" }, { "RP", ")" }, { "C", "," },
};

/* Prints the character of an escape such as "$LT$" and returns the size of the escape; 0: not an escape. */
static size_t put_escape(struct rust *r, const char *part, size_t size)
{
	const char *close = size > 1 ? memchr(part + 1, '$', size - 1) : NULL;
	if (!close)
		return 0;
	size_t length = (size_t)(close - part) - 1;
	const char *code = part + 1;
	for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
		if (length == strlen(escapes[i].code) && !memcmp(code, escapes[i].code, length)) {
			puts_text(r, escapes[i].text);
			return length + 2;
		}
	}
	uint32_t c = 0;
	if (length < 2 || length > 7 || code[0] != 'u')
		return 0;
	for (size_t i = 1; i < length; i++) {
		int digit = hex_digit(code[i]);
		if (digit < 0)
			return 0;
		c = c << 4 | (uint32_t)digit;
	}
	if (c < 0x20 || c == 0x7f)
		return 0;
	put_utf8(r, c);
	return length + 2;
}

static void put_legacy_part(struct rust *r, const char *part, size_t size)
{
	size_t at = size > 1 && part[0] == '_' && part[1] == '$';
	while (at < size && !r->bad) {
		if (part[at] == '.' && at + 1 < size && part[at + 1] == '.') {
			puts_text(r, "::");
			at += 2;
			continue;
		}
		size_t length = part[at] == '$' ? put_escape(r, part + at, size - at) : 0;
		if (!length) {
			if (part[at] == '$') {
				put_bytes(r, part + at, size - at);
				return;
			}
			put_bytes(r, part + at, 1);
			length = 1;
		}
		at += length;
	}
}

/* Parses suffixes that the compiler's back end appends; omits ".llvm.NUMBER" and prints others. */
static bool put_suffix(struct rust *r)
{
	const char *rest = r->text + r->at;
	if (!*rest || (!strncmp(rest, ".llvm.", 6) && !rest[6 + strspn(rest + 6, "0123456789ABCDEF@")]))
		return true;
	if (*rest != '.')
		return false;
	puts_text(r, rest);
	return true;
}

static bool demangle_legacy(struct rust *r)
{
	for (bool first = true;; first = false) {
		size_t length;
		if (!take_decimal(r, &length) || !length || length > r->size - r->at)
			return false;
		const char *part = r->text + r->at;
		r->at += length;
		if (peek_char(r) == 'E' && is_hash(part, length)) {
			r->at++;
			return !first && put_suffix(r);
		}
		if (!first)
			puts_text(r, "::");
		put_legacy_part(r, part, length);
	}
}

/* --- newer scheme ------------------------------------------------------------------------------------------------- */

static uint64_t parse_base62(struct rust *r)
{
	uint64_t value = 0;
	if (eat_char(r, '_'))
		return 0;
	while (!r->bad && !eat_char(r, '_')) {
		char c = next_char(r);
		unsigned digit;
		if (is_digit(c))
			digit = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'z')
			digit = (unsigned)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'Z')
			digit = (unsigned)(c - 'A') + 36;
		else
			digit = 62;
		if (digit == 62 || __builtin_mul_overflow(value, 62u, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			r->bad = true;
	}
	if (value == UINT64_MAX)
		r->bad = true;
	return value + 1;
}

/* Parses a number that is present only after `tag`: 0 without the tag, else the number plus 1. */
static uint64_t parse_optional62(struct rust *r, char tag)
{
	uint64_t value = eat_char(r, tag) ? parse_base62(r) + 1 : 0;
	return value;
}

struct identifier {
	const char *text;
	size_t size;
	const char *coded;   /* text in punycode */
	size_t coded_size;
};

static struct identifier take_identifier(struct rust *r)
{
	struct identifier id = { 0 };
	bool coded = eat_char(r, 'u');
	size_t length = 0;
	if (eat_char(r, '0'))
		length = 0;
	else if (!take_decimal(r, &length))
		r->bad = true;
	eat_char(r, '_');
	if (r->bad || length > r->size - r->at) {
		r->bad = true;
		return id;
	}
	id.text = r->text + r->at;
	id.size = length;
	r->at += length;
	if (!coded)
		return id;
	id.coded = id.text;
	id.coded_size = id.size;
	for (size_t i = id.size; i-- > 0;) {
		if (id.text[i] != '_')
			continue;
		id.coded = id.text + i + 1;
		id.coded_size = id.size - i - 1;
		id.size = i;
		break;
	}
	if (id.coded == id.text)
		id.size = 0;
	if (!id.coded_size)
		r->bad = true;
	return id;
}

/* Decodes RFC 3492 with Rust's '_' as the delimiter. */
static void put_punycode(struct rust *r, const struct identifier *id)
{
	uint32_t chars[MAX_IDENTIFIER];
	size_t count = 0, at = 0;
	uint32_t n = 0x80, i = 0, bias = 72, damp = 700;
	for (; count < id->size && count < MAX_IDENTIFIER; count++)
		chars[count] = (unsigned char)id->text[count];
	while (at < id->coded_size) {
		uint32_t delta = 0, weight = 1;
		for (uint32_t k = 36;; k += 36) {
			uint32_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
			char c = at < id->coded_size ? id->coded[at++] : '\0';
			uint32_t digit = c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a')
					 : is_digit(c)        ? (uint32_t)(c - '0') + 26
							      : 99;
			uint32_t part;
			if (digit == 99 || __builtin_mul_overflow(digit, weight, &part) ||
			    __builtin_add_overflow(delta, part, &delta)) {
				r->bad = true;
				return;
			}
			if (digit < t)
				break;
			if (__builtin_mul_overflow(weight, 36 - t, &weight)) {
				r->bad = true;
				return;
			}
		}
		if (count >= MAX_IDENTIFIER || __builtin_add_overflow(i, delta, &i)) {
			r->bad = true;
			return;
		}
		count++;
		n += i / (uint32_t)count;
		i %= (uint32_t)count;
		memmove(chars + i + 1, chars + i, (count - 1 - i) * sizeof *chars);
		chars[i++] = n;
		uint32_t k = 0;
		for (delta = delta / damp + delta / damp / (uint32_t)count; delta > 455; k += 36)
			delta /= 35;
		bias = k + 36 * delta / (delta + 38);
		damp = 2;
	}
	for (size_t c = 0; c < count; c++)
		put_utf8(r, chars[c]);
}

static void put_identifier(struct rust *r, const struct identifier *id)
{
	if (id->coded)
		put_punycode(r, id);
	else
		put_bytes(r, id->text, id->size);
}

static void print_path(struct rust *r, bool value);
static void print_type(struct rust *r);
static void print_constant(struct rust *r, bool value);

static bool enter_backref(struct rust *r)
{
	if (++r->depth > MAX_DEPTH)
		r->bad = true;
	return !r->bad;
}

/* Continues at an earlier position after 'B' was read; *ret_at: where to continue afterwards. */
static bool go_back(struct rust *r, size_t *ret_at)
{
	size_t here = r->at - 1;
	uint64_t target = parse_base62(r);
	if (r->bad || target >= here || r->skip) {
		r->bad = r->bad || target >= here;
		return false;
	}
	*ret_at = r->at;
	r->at = (size_t)target;
	return enter_backref(r);
}

static void print_lifetime(struct rust *r, uint64_t number)
{
	puts_text(r, "'");
	if (!number) {
		puts_text(r, "_");
		return;
	}
	if (number > r->lifetimes) {
		r->bad = true;
		return;
	}
	uint64_t index = r->lifetimes - number;
	if (index < 26) {
		char c = (char)('a' + index);
		put_bytes(r, &c, 1);
	} else {
		puts_text(r, "_");
		put_number(r, index);
	}
}

/* Prints a binder such as for<'a, 'b>. */
static uint64_t open_binder(struct rust *r)
{
	uint64_t count = parse_optional62(r, 'G');
	if (!count || r->bad)
		return 0;
	if (count > 64) {
		r->bad = true;
		return 0;
	}
	puts_text(r, "for<");
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			puts_text(r, ", ");
		r->lifetimes++;
		print_lifetime(r, 1);
	}
	puts_text(r, "> ");
	return count;
}

static void generic_argument(struct rust *r)
{
	if (eat_char(r, 'L'))
		print_lifetime(r, parse_base62(r));
	else if (eat_char(r, 'K'))
		print_constant(r, false);
	else
		print_type(r);
}

static void print_list(struct rust *r, void (*item)(struct rust *), const char *separator, size_t *ret_count)
{
	size_t count = 0;
	while (!r->bad && !eat_char(r, 'E')) {
		if (count++)
			puts_text(r, separator);
		item(r);
	}
	if (ret_count)
		*ret_count = count;
}

static void nested_path(struct rust *r, bool value)
{
	char space = next_char(r);
	print_path(r, value);
	uint64_t number = parse_optional62(r, 's');
	struct identifier id = take_identifier(r);
	if (space >= 'A' && space <= 'Z') {
		puts_text(r, "::{");
		if (space == 'C')
			puts_text(r, "closure");
		else if (space == 'S')
			puts_text(r, "shim");
		else
			put_bytes(r, &space, 1);
		if (id.size || id.coded) {
			puts_text(r, ":");
			put_identifier(r, &id);
		}
		puts_text(r, "#");
		put_number(r, number);
		puts_text(r, "}");
	} else if (space >= 'a' && space <= 'z') {
		if (id.size || id.coded) {
			puts_text(r, "::");
			put_identifier(r, &id);
		}
	} else {
		r->bad = true;
	}
}

/* Prints <Type> or <Type as Trait>; omits the path of the impl. */
static void impl_path(struct rust *r, char tag)
{
	if (tag != 'Y') {
		parse_optional62(r, 's');
		r->skip++;
		print_path(r, false);
		r->skip--;
	}
	puts_text(r, "<");
	print_type(r);
	if (tag != 'M') {
		puts_text(r, " as ");
		print_path(r, false);
	}
	puts_text(r, ">");
}

static void print_path(struct rust *r, bool value)
{
	size_t back;
	if (!enter_backref(r))
		return;
	char tag = next_char(r);
	switch (tag) {
	case 'C': {
		parse_optional62(r, 's');
		struct identifier id = take_identifier(r);
		put_identifier(r, &id);
		break;
	}
	case 'N': nested_path(r, value); break;
	case 'M':
	case 'X':
	case 'Y': impl_path(r, tag); break;
	case 'I':
		print_path(r, value);
		puts_text(r, value ? "::<" : "<");
		print_list(r, generic_argument, ", ", NULL);
		puts_text(r, ">");
		break;
	case 'B':
		if (go_back(r, &back)) {
			print_path(r, value);
			r->at = back;
			r->depth--;
		}
		break;
	default: r->bad = true;
	}
	r->depth--;
}

static const char *basic_type(char tag)
{
	static const char *const names[26] = {
		['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
		['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
		['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
		['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
		['z' - 'a'] = "!",
	};
	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void function_type(struct rust *r)
{
	uint64_t bound = open_binder(r);
	if (eat_char(r, 'U'))
		puts_text(r, "unsafe ");
	if (eat_char(r, 'K')) {
		puts_text(r, "extern \"");
		if (eat_char(r, 'C')) {
			puts_text(r, "C");
		} else {
			struct identifier abi = take_identifier(r);
			for (size_t i = 0; i < abi.size; i++)
				put_bytes(r, abi.text[i] == '_' ? "-" : abi.text + i, 1);
		}
		puts_text(r, "\" ");
	}
	puts_text(r, "fn(");
	print_list(r, print_type, ", ", NULL);
	puts_text(r, ")");
	if (!eat_char(r, 'u')) {
		puts_text(r, " -> ");
		print_type(r);
	}
	r->lifetimes -= bound;
}

/* Prints a path, and leaves its generic arguments open for "Name = Type"; returns whether it did. */
static bool open_path(struct rust *r)
{
	size_t back;
	bool open = false;
	if (eat_char(r, 'B')) {
		if (go_back(r, &back)) {
			open = open_path(r);
			r->at = back;
			r->depth--;
		}
	} else if (eat_char(r, 'I')) {
		print_path(r, false);
		puts_text(r, "<");
		print_list(r, generic_argument, ", ", NULL);
		open = true;
	} else {
		print_path(r, false);
	}
	return open;
}

static void dyn_trait(struct rust *r)
{
	bool open = open_path(r);
	while (eat_char(r, 'p')) {
		puts_text(r, open ? ", " : "<");
		open = true;
		struct identifier id = take_identifier(r);
		put_identifier(r, &id);
		puts_text(r, " = ");
		print_type(r);
	}
	if (open)
		puts_text(r, ">");
}

static void dyn_type(struct rust *r)
{
	puts_text(r, "dyn ");
	uint64_t bound = open_binder(r);
	print_list(r, dyn_trait, " + ", NULL);
	r->lifetimes -= bound;
	if (!eat_char(r, 'L')) {
		r->bad = true;
		return;
	}
	uint64_t number = parse_base62(r);
	if (number) {
		puts_text(r, " + ");
		print_lifetime(r, number);
	}
}

static void reference_type(struct rust *r, bool mutable)
{
	puts_text(r, "&");
	uint64_t number = eat_char(r, 'L') ? parse_base62(r) : 0;
	if (number) {
		print_lifetime(r, number);
		puts_text(r, " ");
	}
	if (mutable)
		puts_text(r, "mut ");
	print_type(r);
}

static void print_type(struct rust *r)
{
	size_t back, count;
	char tag = peek_char(r);
	const char *basic = basic_type(tag);
	if (!enter_backref(r))
		return;
	if (strchr("CNMXYI", tag) && tag) {
		print_path(r, false);
		r->depth--;
		return;
	}
	next_char(r);
	if (basic)
		puts_text(r, basic);
	else switch (tag) {
	case 'R':
	case 'Q': reference_type(r, tag == 'Q'); break;
	case 'P': puts_text(r, "*const "), print_type(r); break;
	case 'O': puts_text(r, "*mut "), print_type(r); break;
	case 'A':
	case 'S':
		puts_text(r, "[");
		print_type(r);
		if (tag == 'A') {
			puts_text(r, "; ");
			print_constant(r, true);
		}
		puts_text(r, "]");
		break;
	case 'T':
		puts_text(r, "(");
		print_list(r, print_type, ", ", &count);
		puts_text(r, count == 1 ? ",)" : ")");
		break;
	case 'F': function_type(r); break;
	case 'D': dyn_type(r); break;
	case 'B':
		if (go_back(r, &back)) {
			print_type(r);
			r->at = back;
			r->depth--;
		}
		break;
	default: r->bad = true;
	}
	r->depth--;
}

/* Reads hexadecimal digits up to '_'; false: more than 64 bits, and *ret_digits are the digits. */
static bool take_hex_value(struct rust *r, uint64_t *ret, const char **ret_digits, size_t *ret_size)
{
	const char *digits = r->text + r->at;
	uint64_t value = 0;
	size_t size = 0;
	while (!r->bad && !eat_char(r, '_')) {
		int digit = hex_digit(next_char(r));
		if (digit < 0)
			r->bad = true;
		value = value << 4 | (uint64_t)(digit & 15);
		size++;
	}
	while (size > 1 && *digits == '0')
		digits++, size--;
	*ret = value;
	*ret_digits = digits;
	*ret_size = size;
	return size <= 16;
}

static void put_char_constant(struct rust *r, uint64_t value)
{
	puts_text(r, "'");
	if (value == '\'' || value == '\\')
		puts_text(r, "\\");
	if (value == '\n')
		puts_text(r, "\\n");
	else if (value == '\t')
		puts_text(r, "\\t");
	else if (value == '\r')
		puts_text(r, "\\r");
	else if (value < 0x20 || value > 0x10ffff)
		r->bad = true;
	else
		put_utf8(r, (uint32_t)value);
	puts_text(r, "'");
}

static void print_scalar(struct rust *r, char tag)
{
	uint64_t value;
	const char *digits;
	size_t size;
	if (strchr("aslxni", tag) && eat_char(r, 'n'))
		puts_text(r, "-");
	bool fits = take_hex_value(r, &value, &digits, &size);
	if (tag == 'b' && fits && value <= 1)
		puts_text(r, value ? "true" : "false");
	else if (tag == 'c' && fits)
		put_char_constant(r, value);
	else if (tag == 'b' || tag == 'c')
		r->bad = true;
	else if (fits)
		put_number(r, value);
	else
		puts_text(r, "0x"), put_bytes(r, digits, size);
}

/* Prints a constant. Fails for constants of compound types ("e", "V", …), so that their names stay mangled. */
static void print_constant(struct rust *r, bool value)
{
	size_t back;
	if (!enter_backref(r))
		return;
	char tag = next_char(r);
	if (tag == 'p')
		puts_text(r, "_");
	else if (tag && strchr("htmyojaslxnibc", tag))
		print_scalar(r, tag);
	else if (tag != 'B')
		r->bad = true;
	else if (go_back(r, &back)) {
		print_constant(r, value);
		r->at = back;
		r->depth--;
	}
	r->depth--;
}

static bool demangle_v0(struct rust *r)
{
	if (peek_char(r) < 'A' || peek_char(r) > 'Z')
		return false;
	print_path(r, true);
	if (peek_char(r) >= 'A' && peek_char(r) <= 'Z') {
		r->skip++;
		print_path(r, false);  /* skips the crate that instantiated a generic */
		r->skip--;
	}
	return !r->bad && put_suffix(r);
}

static const char *skip_prefix(const char *name, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return NULL;
}

bool pd_demangle_rust(const char *name, char *out, size_t room)
{
	static const char *const old[] = { "_ZN", "__ZN" }, *const new[] = { "_R", "__R" };
	const char *text = skip_prefix(name, new, 2);
	bool is_new = text != NULL;
	if (!text)
		text = skip_prefix(name, old, 2);
	if (!text || !room)
		return false;
	struct rust r = { .text = text, .size = strlen(text), .out = out, .room = room };
	for (size_t i = 0; i < r.size; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	if (!(is_new ? demangle_v0(&r) : demangle_legacy(&r)) || r.bad)
		return false;
	out[r.used] = '\0';
	return true;
}
