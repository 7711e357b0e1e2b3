/* SPDX-License-Identifier: MIT */
/* ring-buffer: samples this very process by perf_event_open(2) and decodes what the kernel writes into the ring
 * buffer: the library needs no file. Exit code 3 and a word about the reason where the kernel refuses.
 *
 *	cc -o ring-buffer ring-buffer.c $(pkg-config --cflags --libs libperfdata) */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <perfdata/schema.h>

#define DATA_PAGES 64   /* a power of two */
#define MAX_RECORD 65536

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HERE PERFDATA_BYTE_ORDER_BIG
#else
#define HERE PERFDATA_BYTE_ORDER_LITTLE
#endif

struct ring {
	struct perf_event_mmap_page *head;
	const uint8_t *data;
	uint64_t size;
};

/* Every millisecond of this process's time, in user space, as unprivileged users may. */
static struct perf_event_attr sampling(void)
{
	struct perf_event_attr attr;
	memset(&attr, 0, sizeof attr);
	attr.size = sizeof attr;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_callchain_kernel = 1;
	attr.sample_id_all = 1;
	attr.mmap = 1;
	return attr;
}

/* Something to sample: processor time, and a mapping that gives an MMAP record. */
static void work(void)
{
	volatile uint64_t sum = 0;
	const clock_t end = clock() + CLOCKS_PER_SEC / 10;
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	while (clock() < end)
		for (unsigned i = 0; i < 100000; i++)
			sum = sum + i;
	if (code != MAP_FAILED)
		munmap(code, 4096);
}

static void show(const struct perfdata_config *config, const uint8_t *bytes, size_t size,
		 struct perfdata_record *record)
{
	const enum perfdata_status status = perfdata_decode(config, bytes, size, record);
	printf("%s", record->layout ? perfdata_layout_name(record->layout) : "unknown");
	if (record->type == PERFDATA_RECORD_SAMPLE) {
		const struct perfdata_sample *sample = &record->u.sample;
		printf(" time=%" PRIu64 " pid=%d ip=0x%" PRIx64 " chain=", sample->time, (int)sample->pid, sample->ip);
		for (uint64_t i = 0; i < sample->callchain.count; i++)
			printf("%s0x%" PRIx64, i ? "," : "", perfdata_list_u64(&sample->callchain, i));
	} else {
		printf(" time=%" PRIu64 " pid=%d", record->sample_id.time, (int)record->sample_id.pid);
	}
	printf("%s\n", status == PERFDATA_OK ? "" : " damaged");
}

/* The kernel writes at data_head, we read at data_tail; both only grow. A record may go around the end of the buffer:
 * it is copied then. */
static int drain(const struct ring *ring, const struct perfdata_config *config, struct perfdata_record *record)
{
	static uint8_t joined[MAX_RECORD];
	const uint64_t end = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = ring->head->data_tail;
	while (at < end) {
		const uint64_t place = at % ring->size;
		struct perf_event_header header;   /* never cut: records are aligned to 8 bytes */
		memcpy(&header, ring->data + place, sizeof header);
		const uint8_t *bytes = ring->data + place;
		if (header.size < sizeof header || header.size > end - at)
			return -1;
		if (place + header.size > ring->size) {
			const size_t first = (size_t)(ring->size - place);
			memcpy(joined, bytes, first);
			memcpy(joined + first, ring->data, header.size - first);
			bytes = joined;
		}
		show(config, bytes, header.size, record);
		at += header.size;
	}
	__atomic_store_n(&ring->head->data_tail, at, __ATOMIC_RELEASE);
	return 0;
}

int main(void)
{
	struct perf_event_attr attr = sampling();
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		const bool forbidden = errno == EACCES || errno == EPERM;
		fprintf(stderr, "ring-buffer: the kernel refuses to sample: perf_event_open: %s%s\n", strerror(errno),
			forbidden ? " (see /proc/sys/kernel/perf_event_paranoid; containers often forbid it)" : "");
		return 3;
	}
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, (DATA_PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		fprintf(stderr, "ring-buffer: the kernel gives no buffer: mmap: %s\n", strerror(errno));
		close(fd);
		return 3;
	}
	const struct ring ring = { (struct perf_event_mmap_page *)memory, (const uint8_t *)memory + page,
				   DATA_PAGES * page };

	/* the attr is decoded as it would be out of a file, so each of its fields has one meaning */
	struct perfdata_attr decoded;
	size_t size;
	struct perfdata_config *config = NULL;
	if (perfdata_attr_decode(&attr, sizeof attr, HERE, &decoded, &size) == PERFDATA_OK)
		config = perfdata_config_new(&decoded, HERE);
	struct perfdata_record *record = perfdata_record_new();
	int code = 1;
	if (config && record) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		work();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		code = drain(&ring, config, record) ? 1 : 0;
	}
	perfdata_record_free(record);
	perfdata_config_free(config);
	munmap(memory, (DATA_PAGES + 1) * page);
	close(fd);
	return code;
}
