/* How fast a reader of traces is: the best of several readings of one file, and their heap. */
#ifndef ZIRVE_BENCH_READ_SPEED_H
#define ZIRVE_BENCH_READ_SPEED_H

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "clock.h"
#include "support/fail_memory.h"
#include "trace/trace.h"

typedef enum zv_status (*trace_reader)(struct zv_trace *trace, struct zv_slice data,
                                       struct zv_error *err);

/* Prints MB/s (the best, and of the first reading) and the most heap beside the mapped file, in MB.
 * Gives the program's exit status. */
static inline int print_read_speed(const char *program, const char *path, trace_reader read)
{
    struct zv_file file;
    struct zv_error err = {0};
    double best = 1e9;
    double first = 0;
    double all = 0;
    size_t events = 0;
    if (zv_file_open(&file, path, &err) != ZV_OK) {
        (void)fprintf(stderr, "%s: %s: %s\n", program, path, err.text);
        return EXIT_FAILURE;
    }
    fail_memory_start(0);
    for (int i = 0; i < 9 && (i < 2 || all < 4e3); i++) {
        struct zv_trace trace = {0};
        const double begin = clock_ms(CLOCK_MONOTONIC);
        if (read(&trace, zv_file_slice(&file), &err) != ZV_OK) {
            (void)fprintf(stderr, "%s: %s: %s\n", program, path, err.text);
            return EXIT_FAILURE;
        }
        const double took = clock_ms(CLOCK_MONOTONIC) - begin;
        best = took < best ? took : best;
        first = i == 0 ? took : first;
        all += took;
        events = trace.event_count;
        zv_trace_close(&trace);
    }
    fail_memory_stop();
    (void)printf("%.2f MB, %zu events: %.1f MB/s (first %.1f), %.2f MB of heap\n",
                 (double)file.size / 1e6, events, (double)file.size / 1e3 / best,
                 (double)file.size / 1e3 / first, (double)fail_memory.peak / 1e6);
    zv_file_close(&file);
    return EXIT_SUCCESS;
}

#endif
