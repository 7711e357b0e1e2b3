/* SPDX-License-Identifier: MIT */
/* `browse`: functions, their callers and callees, and their instructions on a terminal. The library's `report` and
 * `annotate` provide the data. */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "browse_view.h"
#include "commands.h"
#include "inputs.h"
#include "json_build.h"
#include "perfdata/convert.h"
#include "screen.h"
#include "symbol_options.h"

enum { MOST_VIEWS = 32, MOST_SEARCH = 60, MOST_SETTINGS = 8, MOST_ANSWERS = 24 };
#define MOST_ANSWER ((size_t)4 << 20)   /* longer answers are not cached */

/* A cached answer. */
struct answer {
	char *query, *text;
};

struct browser {
	const struct options *options;
	const char *file;
	struct screen *screen;
	struct symbol_options symbols;
	struct messages messages;
	struct view views[MOST_VIEWS];
	size_t nr_views;
	/* keeps sums, so that queries need not read the recording; NULL: not read yet */
	struct perfdata_result *recording;
	struct answer answers[MOST_ANSWERS];
	size_t nr_answers;           /* number of answers ever cached; the oldest is replaced */
	size_t event, nr_events;     /* event: whose functions are listed */
	char *dso;                   /* list only functions of this file; or NULL */
	int32_t tid;                 /* use only samples of this thread; -1: all */
	bool by_total;
	char search[MOST_SEARCH];
	char note[256];              /* shown once */
};

/* --- queries ------------------------------------------------------------------------------------------------------ */

struct query {
	const char *format;
	struct perfdata_setting settings[MOST_SETTINGS];
	size_t nr;
};

static void add_option(struct query *query, const char *name, const char *value)
{
	query->settings[query->nr++] = (struct perfdata_setting){ name, value };
}

/* Answers from the sums that were kept. PERFDATA_ABSENT: the recording has to be read. */
static enum perfdata_status ask_kept(struct browser *browser, const struct query *query, struct perfdata_output *output,
				     struct perfdata_error *reterr)
{
	const struct perfdata_conversion conversion = { .size = sizeof conversion,
							.format = query->format,
							.settings = query->settings,
							.nr_settings = query->nr,
							.output = output };
	const struct perfdata_ask_options how = { .size = sizeof how,
						  .tids = &browser->tid,
						  .nr_tids = browser->tid >= 0,
						  .jobs = (unsigned)browser->options->jobs };
	return browser->recording ? perfdata_result_ask(browser->recording, &conversion, &how, reterr)
				  : PERFDATA_ABSENT;
}

/* Reads the recording for a query, and keeps the sums of all threads. */
static enum perfdata_status read_recording(struct browser *browser, const struct query *query,
					   struct perfdata_output *output, struct perfdata_error *reterr)
{
	const struct options *options = browser->options;
	const struct perfdata_filter filter = { .size = sizeof filter,
						.tids = &browser->tid,
						.nr_tids = browser->tid >= 0 };
	const struct perfdata_reader_options reader = { .size = sizeof reader,
							.memory = options->memory,
							.max_memory = options->max_memory,
							.tmpdir = options->tmpdir };
	const struct perfdata_convert_options how = { .size = sizeof how,
						      .registry = options->registry,
						      .symbols = &browser->symbols.options,
						      .names = symbol_options_names(options),
						      .settings = query->settings,
						      .nr_settings = query->nr,
						      .filter = &filter,
						      .jobs = (unsigned)options->jobs,
						      .reader = &reader,
						      .keep = !browser->recording };
	struct perfdata_input *input = input_source(options, browser->file);
	const enum perfdata_status status =
		input ? perfdata_convert(input, output, query->format, &how,
					 browser->recording ? NULL : &browser->recording, reterr)
		      : PERFDATA_ENOMEM;
	perfdata_input_free(input);
	return status;
}

/* Returns the answer with a zero byte at its end; NULL after a failure, which the note describes. */
static char *make_answer(struct browser *browser, const struct query *query)
{
	struct perfdata_error error = { .offset = PERFDATA_NO_OFFSET };
	struct perfdata_output *output = perfdata_output_memory();
	enum perfdata_status status = output ? ask_kept(browser, query, output, &error) : PERFDATA_ENOMEM;
	char *text = NULL;
	if (status == PERFDATA_ABSENT) {
		error = (struct perfdata_error){ .offset = PERFDATA_NO_OFFSET };
		status = read_recording(browser, query, output, &error);
	}
	if (status == PERFDATA_OK) {
		const struct perfdata_bytes bytes = perfdata_output_bytes(output);
		text = malloc(bytes.size + 1);
		if (text) {
			memcpy(text, bytes.data ? (const char *)bytes.data : "", bytes.size);
			text[bytes.size] = '\0';
		}
		status = text ? PERFDATA_OK : PERFDATA_ENOMEM;
	}
	if (output)
		(void)perfdata_output_close(output, false, NULL);
	if (status != PERFDATA_OK)
		snprintf(browser->note, sizeof browser->note, "%s",
			 *error.message ? error.message : perfdata_status_text(status));
	return text;
}

/* A text of everything that the answer depends on. NULL without memory. */
static char *spell_query(const struct browser *browser, const struct query *query)
{
	struct perfdata_text out;
	perfdata_text_init(&out);
	perfdata_text_printf(&out, "%s %" PRId32, query->format, browser->tid);
	for (size_t i = 0; i < query->nr; i++) {
		const struct perfdata_setting *setting = &query->settings[i];
		perfdata_text_printf(&out, "\n%s=%s", setting->name, setting->text ? setting->text : "");
	}
	char *text = perfdata_text_failed(&out) ? NULL : strndup(out.data, out.size);
	perfdata_text_release(&out);
	return text;
}

static void answer_release(struct answer *answer)
{
	free(answer->query);
	free(answer->text);
	*answer = (struct answer){ 0 };
}

/* Caches a copy, if there is memory for it. Takes ownership of `query`. */
static void keep_answer(struct browser *browser, char *query, const char *text)
{
	struct answer *answer = &browser->answers[browser->nr_answers % MOST_ANSWERS];
	char *copy = query && strlen(text) <= MOST_ANSWER ? strdup(text) : NULL;
	if (!copy) {
		free(query);
		return;
	}
	answer_release(answer);
	*answer = (struct answer){ query, copy };
	browser->nr_answers++;
}

/* As make_answer, but from the cache if possible. */
static char *answer_of(struct browser *browser, const struct query *query)
{
	char *spelled = spell_query(browser, query);
	for (size_t i = 0; spelled && i < MOST_ANSWERS; i++)
		if (browser->answers[i].query && !strcmp(browser->answers[i].query, spelled)) {
			free(spelled);
			return strdup(browser->answers[i].text);
		}
	char *text = make_answer(browser, query);
	if (text)
		keep_answer(browser, spelled, text);
	else
		free(spelled);
	return text;
}

static const char *text_of(json_object *object, const char *key)
{
	json_object *value;
	return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : NULL;
}

static uint64_t number_of(json_object *object, const char *key)
{
	json_object *value;
	return json_object_object_get_ex(object, key, &value) ? json_object_get_uint64(value) : 0;
}

static double percent_of(uint64_t part, uint64_t all) { return all ? 100 * (double)part / (double)all : 0; }

/* Takes the event's rows from the document of report. */
static bool take_rows(struct browser *browser, struct view *view)
{
	json_object *events, *rows;
	if (!json_object_object_get_ex(view->document, "events", &events))
		return false;
	browser->nr_events = json_object_array_length(events);
	json_object *event = browser->nr_events ? json_object_array_get_idx(events, browser->event % browser->nr_events)
						: NULL;
	if (!event || !json_object_object_get_ex(event, "rows", &rows)) {
		snprintf(view->title, sizeof view->title, "no samples");
		return true;
	}
	const size_t nr = json_object_array_length(rows);
	const uint64_t all = number_of(event, "weight");
	view->rows = calloc(nr + 1, sizeof *view->rows);
	if (!view->rows)
		return false;
	snprintf(view->title, sizeof view->title, "%s: %" PRIu64 " samples", text_of(event, "event"),
		 number_of(event, "samples"));
	for (size_t i = 0; i < nr; i++) {
		json_object *of = json_object_array_get_idx(rows, i), *unused;
		const char *dso = text_of(of, "dso");
		if (browser->dso && !view->is_threads && (!dso || strcmp(dso, browser->dso) != 0))
			continue;
		const uint64_t self = number_of(of, "self_weight");
		const bool has_total = json_object_object_get_ex(of, "total_weight", &unused);
		view->rows[view->nr++] =
			(struct row){ .name = view->is_threads ? NULL : text_of(of, "symbol"),
				      .dso = dso,
				      .text = view->is_threads ? text_of(of, "thread") : NULL,
				      .samples = number_of(of, "self_samples"),
				      .self = percent_of(self, all),
				      .total = percent_of(has_total ? number_of(of, "total_weight") : self, all),
				      .tid = (int32_t)number_of(of, "tid") };
	}
	return true;
}

/* Fills a view with functions or threads. */
static bool list_view(struct browser *browser, struct view *view)
{
	struct query query = { .format = "report" };
	add_option(&query, "json", NULL);
	add_option(&query, "top", "0");
	if (view->is_threads)
		add_option(&query, "by", "thread");
	else
		add_option(&query, "by", "symbol");
	add_option(&query, "sort", !view->is_threads && browser->by_total ? "total" : "self");
	char *text = answer_of(browser, &query);
	if (!text)
		return false;
	view->document = json_parse(text, strlen(text));
	free(text);
	return view->document && take_rows(browser, view);
}

/* Fills a view with the lines of an answer. */
static bool read_lines(struct browser *browser, struct view *view, const struct query *query)
{
	view->text = answer_of(browser, query);
	return view->text && view_split_text(view);
}

/* --- views -------------------------------------------------------------------------------------------------------- */

static struct view *top_view(struct browser *browser) { return &browser->views[browser->nr_views - 1]; }

static void push_view(struct browser *browser, struct view *view)
{
	if (browser->nr_views == MOST_VIEWS) {
		/* drop the oldest view above the list: the user can open it again */
		view_release(&browser->views[1]);
		memmove(&browser->views[1], &browser->views[2], (MOST_VIEWS - 2) * sizeof *view);
		browser->nr_views--;
	}
	browser->views[browser->nr_views++] = *view;
}

/* The function of a row; for a line of text the longest listed name in it. */
static const char *function_at(struct browser *browser)
{
	const struct view *view = top_view(browser), *functions = &browser->views[0];
	const struct row *row = view->nr ? &view->rows[view->selected] : NULL;
	const char *best = NULL;
	if (!row || row->name)
		return row ? row->name : NULL;
	for (size_t i = 0; row->size && i < functions->nr; i++) {
		const char *name = functions->rows[i].name;
		const size_t size = name ? strlen(name) : 0;
		if (size && size <= row->size && (!best || size > strlen(best)) &&
		    memmem(row->text, row->size, name, size))
			best = name;
	}
	return best;
}

static void look_up(struct browser *browser, const char *format, const char *option, const char *what)
{
	const char *name = function_at(browser);
	struct view view = { 0 };
	struct query query = { .format = format };
	if (!name)
		return;
	add_option(&query, option, name);
	add_option(&query, "color", "never");
	add_option(&query, "width", "0");
	if (!strcmp(format, "report"))
		add_option(&query, "top", "0");
	snprintf(view.title, sizeof view.title, "%s of %s", what, name);
	if (!read_lines(browser, &view, &query)) {
		view_release(&view);
		return;
	}
	if (!strcmp(format, "annotate") && view.nr == 1) {
		/* annotate has printed one line instead of instructions */
		snprintf(browser->note, sizeof browser->note,
			 "no sample is in its own code, only in functions that it calls (Enter: callers)");
		view_release(&view);
		return;
	}
	if (!strcmp(format, "report"))
		view_find_trees(&view);
	view_select_first(&view);
	push_view(browser, &view);
}

/* Lists functions again after event, file or thread changed; closes all other views. */
static bool list_again(struct browser *browser)
{
	struct view view = { 0 };
	if (!list_view(browser, &view)) {
		view_release(&view);
		return false;
	}
	while (browser->nr_views)
		view_release(&browser->views[--browser->nr_views]);
	push_view(browser, &view);
	return true;
}

static void list_threads(struct browser *browser)
{
	struct view view = { .is_threads = true };
	if (list_view(browser, &view))
		push_view(browser, &view);
	else
		view_release(&view);
}

static const char help_text[] =
	"up, down, PgUp, PgDn, Home, End   move\n"
	"Enter, right    callers of the function; in the list of threads: choose this thread\n"
	"c               functions that the function calls\n"
	"a               instructions and source lines of the function\n"
	"+, Enter        in trees, on a line with + or -: unfold or fold the lines below it\n"
	"E, C            in trees: unfold all, fold all\n"
	"left, Esc       back\n"
	"/               search; n, N: next and previous\n"
	"s               sort by the function's own weight, or with its callees\n"
	"d               list only functions of this file; again: of all files\n"
	"t               list threads, to choose one; again: all threads\ne               next event\n"
	"h, ?            this help\n"
	"q               quit\n";

static void show_help(struct browser *browser)
{
	struct view view = { .title = "keys", .text = strdup(help_text) };
	if (view.text && view_split_text(&view))
		push_view(browser, &view);
	else
		view_release(&view);
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static void draw_screen(struct browser *browser)
{
	size_t lines, columns;
	struct perfdata_text out;
	struct view *view = top_view(browser);
	screen_size(browser->screen, &lines, &columns);
	const size_t room = lines > 2 ? lines - 2 : 1;
	if (view->selected < view->first)
		view->first = view->selected;
	const size_t lowest = view_shown_row(view, view->selected, room - 1, false);
	if (view->first < lowest)
		view->first = lowest;
	screen_clear(browser->screen);
	perfdata_text_init(&out);
	perfdata_text_shortened(&out, view->title, 0);
	if (browser->dso && browser->nr_views == 1) {
		perfdata_text_literal(&out, ", only ");
		perfdata_text_shortened(&out, browser->dso, 0);
	}
	if (browser->tid >= 0)
		perfdata_text_printf(&out, ", thread %" PRId32, browser->tid);
	if (browser->nr_views == 1)
		perfdata_text_string(&out, browser->by_total ? ", sorted by total" : ", sorted by self");
	if (lines > 2)
		screen_line(browser->screen, 0, out.data, out.size, true);
	for (size_t i = view->first, line = 0; line < room && i < view->nr; i++) {
		if (view->rows[i].is_hidden)
			continue;
		perfdata_text_clear(&out);
		view_put_row(&view->rows[i], columns - 1, &out);
		screen_line(browser->screen, line + (lines > 2), out.size ? out.data : "", out.size,
			    i == view->selected);
		line++;
	}
	perfdata_text_clear(&out);
	if (*browser->note)
		perfdata_text_shortened(&out, browser->note, 0);
	else
		perfdata_text_printf(&out, "%zu/%zu  h help  q quit  Enter %s  c callees  a annotate  / search",
				     view->nr ? view_count_shown(view, view->selected + 1) : 0,
				     view_count_shown(view, view->nr),
				     !view_can_fold(view)                   ? "callers"
				     : view->rows[view->selected].is_folded ? "unfold"
									    : "fold");
	if (lines > 2)
		screen_line(browser->screen, lines - 1, out.data, out.size, false);
	*browser->note = '\0';
	perfdata_text_release(&out);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

static bool row_has(const struct row *row, const char *wanted)
{
	const size_t size = strlen(wanted);
	return (row->name && strstr(row->name, wanted)) || (row->size && memmem(row->text, row->size, wanted, size)) ||
	       (row->text && !row->size && strstr(row->text, wanted));
}

static void find_text(struct browser *browser, bool forward, bool from_next)
{
	struct view *view = top_view(browser);
	size_t at = view->selected;
	for (size_t tried = 0; *browser->search && tried < view->nr; tried++) {
		if (tried || from_next)
			at = forward ? (at + 1) % view->nr : (at + view->nr - 1) % view->nr;
		if (row_has(&view->rows[at], browser->search)) {
			view->selected = at;
			view_unfold_above(view, at);
			return;
		}
	}
	snprintf(browser->note, sizeof browser->note, "'%s' was not found", browser->search);
}

static void ask_for_search(struct browser *browser)
{
	size_t lines, columns, nr = 0;
	char line[MOST_SEARCH + 2];
	browser->search[0] = '\0';
	for (;;) {
		screen_size(browser->screen, &lines, &columns);
		const int size = snprintf(line, sizeof line, "/%s", browser->search);
		draw_screen(browser);
		screen_line(browser->screen, lines - 1, line, (size_t)size, false);
		const int key = screen_key(browser->screen);
		if (key == '\r' || key == '\n' || key == KEY_ENTER)
			break;
		if (key == KEY_ESCAPE || key == KEY_INTERRUPT || key == KEY_NONE)
			return;
		if ((key == KEY_BACKSPACE || key == KEY_DELETE || key == 8) && nr)
			browser->search[--nr] = '\0';
		else if (key >= ' ' && key < 256 && key != KEY_DELETE && nr + 1 < sizeof browser->search)
			browser->search[nr++] = (char)key;
		browser->search[nr] = '\0';
	}
	find_text(browser, true, false);
}

static void move_cursor(struct browser *browser, int key)
{
	size_t lines, columns;
	struct view *view = top_view(browser);
	screen_size(browser->screen, &lines, &columns);
	const size_t page = lines > 3 ? lines - 3 : 1, at = view->selected;
	switch (key) {
	case KEY_UP: view->selected = view_shown_row(view, at, 1, false); break;
	case KEY_DOWN: view->selected = view_shown_row(view, at, 1, true); break;
	case KEY_PREVIOUS_PAGE: view->selected = view_shown_row(view, at, page, false); break;
	case KEY_NEXT_PAGE: view->selected = view_shown_row(view, at, page, true); break;
	case KEY_HOME: view->selected = 0; break;
	case KEY_END: view->selected = view_shown_row(view, at, view->nr, true); break;
	default: break;
	}
}

static void choose_file(struct browser *browser)
{
	const struct view *view = top_view(browser);
	if (browser->nr_views != 1 || (!browser->dso && !view->nr))
		return;
	char *dso = browser->dso ? NULL : strdup(view->rows[view->selected].dso ? view->rows[view->selected].dso : "");
	free(browser->dso);
	browser->dso = dso;
	(void)list_again(browser);
}

static void choose_thread(struct browser *browser, int32_t tid)
{
	browser->tid = tid;
	(void)list_again(browser);
}

static void enter_row(struct browser *browser)
{
	const struct view *view = top_view(browser);
	if (view->is_threads && view->nr)
		choose_thread(browser, view->rows[view->selected].tid);
	else
		look_up(browser, "report", "callers", "callers");
}

/* False: the user quits. */
static bool obey_key(struct browser *browser, int key)
{
	switch (key) {
	case 'q': case KEY_NONE: case KEY_INTERRUPT: return false;
	case KEY_ESCAPE: case KEY_LEFT: case KEY_BACKSPACE:
		if (browser->nr_views > 1)
			view_release(&browser->views[--browser->nr_views]);
		break;
	case '\r': case '\n': case KEY_ENTER:
		if (view_can_fold(top_view(browser)))
			view_fold_row(top_view(browser));
		else
			enter_row(browser);
		break;
	case KEY_RIGHT: enter_row(browser); break;
	case '+': view_fold_row(top_view(browser)); break;
	case 'C': case 'E': view_fold_all(top_view(browser), key == 'C'); break;
	case 'c': look_up(browser, "report", "callees", "callees"); break;
	case 'a': look_up(browser, "annotate", "symbol", "instructions"); break;
	case 'h': case '?': show_help(browser); break;
	case '/': ask_for_search(browser); break;
	case 'n': case 'N': find_text(browser, key == 'n', true); break;
	case 'd': choose_file(browser); break;
	case 's':
		browser->by_total = !browser->by_total;
		(void)list_again(browser);
		break;
	case 'e':
		browser->event = browser->nr_events ? (browser->event + 1) % browser->nr_events : 0;
		(void)list_again(browser);
		break;
	case 't':
		if (browser->tid >= 0)
			choose_thread(browser, -1);
		else if (!top_view(browser)->is_threads)
			list_threads(browser);
		break;
	default: move_cursor(browser, key);
	}
	return true;
}

static enum exit_code browse_input(struct browser *browser)
{
	const char *reason;
	int key = 0;
	if (!list_again(browser)) {
		usage_error(&browser->options->style, "%s: %s", browser->file, browser->note);
		return EXIT_INPUT;
	}
	browser->screen = screen_open(&reason);
	if (!browser->screen) {
		usage_error(&browser->options->style, "%s", reason);
		return EXIT_USAGE;
	}
	do {
		draw_screen(browser);
		key = screen_key(browser->screen);
	} while (obey_key(browser, key));
	screen_close(browser->screen);
	return key == KEY_INTERRUPT ? EXIT_INTERRUPTED : EXIT_FINE;
}

enum exit_code command_browse(struct options *options)
{
	struct browser *browser = calloc(1, sizeof *browser);
	enum exit_code code = EXIT_USAGE;
	if (!browser) {
		usage_error(&options->style, "%s", perfdata_status_text(PERFDATA_ENOMEM));
		return EXIT_LIMIT;
	}
	if (options->files.nr != 1 || !strcmp(options->files.values[0], "-")) {
		usage_error(&options->style, "browse takes one FILE, which is not a pipe");
	} else {
		options->symbols = options->symbols ? options->symbols : "yes";
		browser->options = options;
		browser->file = options->files.values[0];
		browser->tid = -1;
		/* prints nothing while the screen is in use */
		messages_init(&browser->messages, &options->style, true);
		browser->messages.style.no_findings = true;
		symbol_options_make(options, &browser->messages, &browser->symbols);
		code = browse_input(browser);
		messages_release(&browser->messages);
	}
	while (browser->nr_views)
		view_release(&browser->views[--browser->nr_views]);
	for (size_t i = 0; i < MOST_ANSWERS; i++)
		answer_release(&browser->answers[i]);
	perfdata_result_free(browser->recording);
	free(browser->dso);
	free(browser);
	return code;
}
