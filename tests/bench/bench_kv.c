/*
 * What paging costs: pages taken and freed one at a time and in batches, and whole simulations.
 *
 *     bench_kv                       everything, in clock time
 *     bench_kv one|batch|replay N    N pairs, or steps' worth of requests: for callgrind
 *
 * The pool has 100,000 pages. Goals on one core: 60 million pairs a second one at a time, 200
 * million in batches of 16. The replay is of a made-up trace of short conversations; 10 million
 * requests must not need more memory than those in flight.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kv/serve.h"
#include "zirve/kv.h"

enum { PAGES = 100000, BATCH = 16 };

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
        (void)fprintf(stderr, "bench_kv: %s\n", err->text);
        exit(EXIT_FAILURE);
    }
}

/* Pairs of take and free, so many pages at once; nanoseconds a pair. */
static double pairs(uint64_t count, size_t batch)
{
    const struct zv_kv_pool_options options = {.pages = PAGES};
    struct zv_error err = {0};
    struct zv_kv_pool *pool;
    uint32_t pages[BATCH];
    must(zv_kv_pool_open(&pool, &options, &err), &err);
    const double begin = now_ns();
    for (uint64_t i = 0; i < count; i += batch) {
        if (!zv_kv_pool_take(pool, pages, batch)) {
            abort();
        }
        must(zv_kv_pool_free(pool, pages, batch, &err), &err);
    }
    const double each = (now_ns() - begin) / (double)count;
    must(zv_kv_pool_check(pool, &err), &err);
    zv_kv_pool_close(pool);
    return each;
}

/* Pages with keys: taken (the oldest key goes), given a key, freed. */
static double keyed_pairs(uint64_t count)
{
    const struct zv_kv_pool_options options = {.pages = PAGES, .caching = true};
    struct zv_error err = {0};
    struct zv_kv_pool *pool;
    must(zv_kv_pool_open(&pool, &options, &err), &err);
    const double begin = now_ns();
    for (uint64_t i = 0; i < count; i++) {
        const struct zv_kv_key key = {i, 0};
        uint32_t page;
        if (!zv_kv_pool_take(pool, &page, 1)) {
            abort();
        }
        must(zv_kv_pool_publish(pool, page, &key, 0, &err), &err);
        must(zv_kv_pool_free(pool, &page, 1, &err), &err);
    }
    const double each = (now_ns() - begin) / (double)count;
    zv_kv_pool_close(pool);
    return each;
}

/* A made-up trace: lengths spread as in published ones, one request every 30 ms. */
struct generator {
    uint64_t state;
    uint64_t made;
    uint64_t count;
};

static uint64_t next_random(struct generator *generator)
{
    generator->state ^= generator->state << 13;
    generator->state ^= generator->state >> 7;
    generator->state ^= generator->state << 17;
    return generator->state * UINT64_C(0x9E3779B97F4A7C15) >> 32;
}

static enum zv_status next_request(void *context, struct zv_request *request, bool *more,
                                   struct zv_error *err)
{
    struct generator *const generator = context;
    (void)err;
    *more = generator->made < generator->count;
    *request = (struct zv_request){.arrival_ticks = generator->made * 300000,
                                   .prompt_tokens = 1 + next_random(generator) % 900,
                                   .output_tokens = 1 + next_random(generator) % 40};
    generator->made += *more;
    return ZV_OK;
}

static void replay(uint64_t requests)
{
    struct generator generator = {.state = UINT64_C(0x2545F4914F6CDD1D), .count = requests};
    const struct kv_serve_options options = {
        .step_tokens = 8192,
        .max_sequences = 256,
        .cache = {.pool.pages = 2048, .page_tokens = 16},
    };
    static struct kv_serve result;
    struct zv_error err = {0};
    const double begin = now_ns();
    const struct zv_request_source source = {next_request, &generator};
    must(kv_serve_paged(&result, source, &options, &err), &err);
    const double seconds = (now_ns() - begin) / 1e9;
    const uint64_t *const steps = kv_figures_find(&result.figures, zv_slice_of("sum_running"));
    printf("%" PRIu64 " requests, %" PRIu64 " sequence steps: %.2f s, %.1f ns a sequence step, "
           "%ld KiB resident\n",
           requests, *steps, seconds, seconds * 1e9 / (double)*steps, resident_kib());
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (argc > 2 && strcmp(argv[1], "one") == 0) {
        (void)pairs(count, 1);
    } else if (argc > 2 && strcmp(argv[1], "batch") == 0) {
        (void)pairs(count, BATCH);
    } else if (argc > 2) {
        replay(count);
    } else {
        const double one = pairs(100000000, 1);
        const double batch = pairs(400000000, BATCH);
        const double keyed = keyed_pairs(20000000);
        printf("one at a time %.2f ns (%.0f M pairs/s), in batches of %d %.2f ns (%.0f M), with "
               "keys %.2f ns (%.0f M)\n",
               one, 1e3 / one, (int)BATCH, batch, 1e3 / batch, keyed, 1e3 / keyed);
        replay(20000);
        replay(10000000);
    }
    return 0;
}
