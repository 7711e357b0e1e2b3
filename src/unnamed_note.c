/* SPDX-License-Identifier: MIT */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include "unnamed_note.h"

#define FILES_TOLD 3
/* Per mille of unnamed samples from which on the note is printed: some addresses are always between functions. */
#define WORTH_TELLING 1

/* Whether the recorded kernel has the release of the running one; it may be another build. */
static bool kernel_may_be_ours(const struct input *input)
{
	struct utsname name;
	const char *release = perfdata_reader_feature_text(input->reader, PERFDATA_FEATURE_OSRELEASE);
	return release && !uname(&name) && !strcmp(name.release, release);
}

static void append_files(struct perfdata_text *out, const struct perfdata_session *session,
			 const struct perfdata_unnamed_file *files, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *path = perfdata_session_dso(session, files[i].dso)->long_name;
		perfdata_text_printf(out, "%s %" PRIu64 " in ", i ? "," : ":", files[i].samples);
		perfdata_text_printable(out, path, strlen(path));
	}
}

void unnamed_note(struct input *input, const struct perfdata_session *session)
{
	struct perfdata_unnamed_file files[FILES_TOLD];
	struct perfdata_unnamed unnamed;
	struct perfdata_text text;
	size_t nr;
	if (input->messages.style.quiet ||
	    perfdata_session_unnamed(session, &unnamed, files, FILES_TOLD, &nr) != PERFDATA_OK)
		return;
	if (!unnamed.unnamed || unnamed.unnamed < unnamed.samples / 1000 * WORTH_TELLING)
		return;
	bool has_kernel = false;
	for (size_t i = 0; i < nr; i++) {
		const enum perfdata_dso_kind kind = perfdata_session_dso(session, files[i].dso)->kind;
		has_kernel |= kind == PERFDATA_DSO_KERNEL || kind == PERFDATA_DSO_MODULE;
	}
	perfdata_text_init(&text);
	perfdata_text_printf(&text, "%.1f %% of %" PRIu64 " samples have no name",
			     100.0 * (double)unnamed.unnamed / (double)unnamed.samples, unnamed.samples);
	append_files(&text, session, files, nr);
	perfdata_text_string(&text, nr ? "; `perfdata match FILE` lists the files that would help, --symfs DIR says "
					 "where they are"
				       : ": they lie outside of all mapped files");
	if (has_kernel && kernel_may_be_ours(input))
		perfdata_text_literal(
			&text, "; if this host was recorded and not rebooted since, --kallsyms /proc/kallsyms names "
			       "the kernel");
	if (!perfdata_text_failed(&text))
		messages_note(&input->messages, input->file, "%.*s", (int)text.size, text.data);
	perfdata_text_release(&text);
}
