/*
 * How fast a pickle is read: MB/s, and heap bytes beside the mapped file.
 *     bench_pickle FILE        beside it: python3 -c 'import pickle,sys;
 * pickle.load(open(FILE,"rb"))'
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "clock.h"
#include "format/pickle.h"
#include "support/fail_memory.h"

enum { ROUNDS = 9 };

int main(int argc, char **argv)
{
    struct zv_file file;
    struct zv_error err = {0};
    double best = 1e9;
    if (argc != 2) {
        return EXIT_SUCCESS; /* nothing to measure */
    }
    if (zv_file_open(&file, argv[1], &err) != ZV_OK) {
        (void)fprintf(stderr, "bench_pickle: %s\n", err.text);
        return EXIT_FAILURE;
    }
    fail_memory_start(0);
    for (int i = 0; i < ROUNDS; i++) {
        struct zv_pickle pickle = {.input = zv_file_slice(&file)};
        const double begin = clock_ms(CLOCK_MONOTONIC);
        if (zv_pickle_read(&pickle, &err) != ZV_OK) {
            (void)fprintf(stderr, "bench_pickle: %s\n", err.text);
            return EXIT_FAILURE;
        }
        const double took = clock_ms(CLOCK_MONOTONIC) - begin;
        best = took < best ? took : best;
        zv_pickle_close(&pickle);
    }
    fail_memory_stop();
    (void)printf("pickle: %.1f MB in %.2f ms: %.0f MB/s, %.1f MB of heap\n",
                 (double)file.size / 1e6, best, (double)file.size / 1e3 / best,
                 (double)fail_memory.peak / 1e6);
    zv_file_close(&file);
    return EXIT_SUCCESS;
}
