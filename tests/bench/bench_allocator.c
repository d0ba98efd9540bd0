/*
 * What one event (an allocation or a free) costs the caching policy over the simulated card.
 *
 *     bench_allocator LIVE EVENTS [--check]
 *
 * Random workload: LIVE blocks, and at every step a random one is freed and another allocated;
 * sizes are log-uniform from 512 bytes to 64 MiB. Prints ns per event; run under callgrind for
 * instructions. --check recomputes every counter from the blocks at the end and prints how much
 * resident memory grew after the first tenth.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "zirve/allocator.h"

static uint64_t state = UINT64_C(0x2545F4914F6CDD1D);

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x9E3779B97F4A7C15);
}

enum { SIZES = 1 << 14 };

/* Drawn beforehand, so that the bench measures the allocator and not exp(). */
static void draw_sizes(uint64_t sizes[SIZES])
{
    for (int i = 0; i < SIZES; i++) {
        const double u = (double)(next_random() >> 11) / 9007199254740992.0;
        sizes[i] = (uint64_t)(512.0 * exp(u * log(64.0 * 1024 * 2)));
    }
}

static double now_ns(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static long resident_kib(void)
{
    FILE *const file = fopen("/proc/self/statm", "r");
    long total = 0;
    long pages = 0;
    if (file != NULL) {
        if (fscanf(file, "%ld %ld", &total, &pages) != 2) {
            pages = 0;
        }
        (void)fclose(file);
    }
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void must(enum zv_status status, const struct zv_error *err)
{
    if (status != ZV_OK) {
        (void)fprintf(stderr, "bench_allocator: %s\n", err->text);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    static uint64_t sizes[SIZES];
    const uint64_t live = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
    const uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
    const int check = argc > 3 && strcmp(argv[3], "--check") == 0;
    const struct zv_allocator_options options = {.capacity_bytes = UINT64_C(1) << 44};
    struct zv_allocator *allocator;
    struct zv_error err = {0};
    struct zv_allocation *const blocks = calloc(live, sizeof *blocks);
    if (blocks == NULL || live == 0) {
        return EXIT_FAILURE;
    }
    draw_sizes(sizes);
    must(zv_allocator_open(&allocator, &options, &err), &err);
    for (uint64_t i = 0; i < live; i++) {
        must(zv_allocator_malloc(allocator, sizes[i % SIZES], 0, &blocks[i], &err), &err);
    }
    long resident = 0;
    const double start = now_ns();
    for (uint64_t done = 0; done < events; done += 2) {
        const uint64_t r = next_random();
        struct zv_allocation *const block = &blocks[((r >> 32) * live) >> 32];
        must(zv_allocator_free(allocator, *block, &err), &err);
        must(zv_allocator_malloc(allocator, sizes[r % SIZES], 0, block, &err), &err);
        if (check && done < events / 10 && done + 2 >= events / 10) {
            resident = resident_kib();
        }
    }
    const double ns = (now_ns() - start) / (double)events;
    (void)printf("%" PRIu64 " live, %" PRIu64 " events: %.1f ns per event\n", live, events, ns);
    if (check) {
        must(zv_allocator_check(allocator, &err), &err);
        (void)printf("counters equal the blocks; resident %ld KiB, %+ld KiB since a tenth\n",
                     resident_kib(), resident_kib() - resident);
    }
    zv_allocator_close(allocator);
    free(blocks);
    return EXIT_SUCCESS;
}
