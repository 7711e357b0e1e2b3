/* SPDX-License-Identifier: MIT */
/* feed SOCKET: waits at a Unix socket for one connection, over which a recording comes, and prints time and command of
 * each sample as it arrives. Nothing waits but poll(2): the same loop may serve other descriptors.
 *
 *	cc -o feed feed.c $(pkg-config --cflags --libs libperfdata)
 *	./feed /tmp/samples & perf record -o - -a sleep 5 | nc -U /tmp/samples */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <perfdata/input.h>
#include <perfdata/session.h>

static int accept_one(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (listener < 0 || strlen(path) >= sizeof address.sun_path)
		return -1;
	strcpy(address.sun_path, path);
	int connection = -1;
	if (bind(listener, (const struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 1) == 0)
		connection = accept(listener, NULL, NULL);
	close(listener);
	return connection;
}

static void print_batch(const struct perfdata_session *session, const struct perfdata_batch *batch)
{
	for (size_t i = 0; i < batch->nr_deliveries; i++) {
		const struct perfdata_delivery *delivery = perfdata_batch_delivery(batch, i);
		if (perfdata_raw_type(delivery->record) == PERFDATA_RECORD_SAMPLE &&
		    !(delivery->flags & PERFDATA_DELIVERY_SILENT) && delivery->comm != PERFDATA_NONE)
			printf("%" PRIu64 " %s\n", perfdata_raw_time(delivery->record),
			       perfdata_session_comm(session, delivery->comm));
	}
	fflush(stdout);
}

/* Prints what the bytes so far give. PERFDATA_AGAIN: more are needed. */
static enum perfdata_status go_on(const struct perfdata_input *input, struct perfdata_reader **reader,
				  struct perfdata_session **session, struct perfdata_error *error)
{
	const struct perfdata_session_options options = { .size = sizeof options,
							  .needs = PERFDATA_NEED_DELIVERIES | PERFDATA_NEED_THREADS,
							  .merge_deferred = true };
	struct perfdata_batch *batch;
	enum perfdata_status status = PERFDATA_OK;
	if (!*reader)
		status = perfdata_reader_open(input, NULL, reader, error);
	if (status == PERFDATA_OK && !*session)
		status = perfdata_session_open(*reader, &options, session, error);
	if (status != PERFDATA_OK)
		return status;
	while ((status = perfdata_session_next(*session, &batch)) == PERFDATA_OK) {
		print_batch(*session, batch);
		perfdata_batch_release(batch);
	}
	if (status < 0)
		*error = *perfdata_session_error(*session);
	return status;
}

int main(int argc, char **argv)
{
	struct pollfd wait = { .fd = argc == 2 ? accept_one(argv[1]) : -1, .events = POLLIN };
	struct perfdata_input *input = perfdata_input_fed(NULL, "socket");
	struct perfdata_reader *reader = NULL;
	struct perfdata_session *session = NULL;
	struct perfdata_error error = { .message = "out of memory" };
	enum perfdata_status status = input ? PERFDATA_AGAIN : PERFDATA_ENOMEM;
	if (wait.fd < 0) {
		perror(argc == 2 ? argv[1] : "usage: feed SOCKET");
		return 2;
	}
	while (status == PERFDATA_AGAIN && poll(&wait, 1, -1) > 0) {
		char bytes[65536];
		const ssize_t size = read(wait.fd, bytes, sizeof bytes);
		/* a connection that breaks has given what it had */
		status = size > 0 ? perfdata_feed(input, bytes, (size_t)size, &error)
				  : perfdata_feed_end(input, &error);
		if (status == PERFDATA_OK)
			status = go_on(input, &reader, &session, &error);
	}
	if (status < 0)
		fprintf(stderr, "feed: %s\n", error.message);
	const int complete = session && status == PERFDATA_END && perfdata_session_summary(session)->complete;
	perfdata_session_close(session);
	perfdata_reader_close(reader);
	perfdata_input_free(input);
	close(wait.fd);
	return complete ? 0 : 4;
}
