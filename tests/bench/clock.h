/* Milliseconds of a clock, for benchmarks. */
#ifndef ZIRVE_BENCH_CLOCK_H
#define ZIRVE_BENCH_CLOCK_H

#include <time.h>

/* CLOCK_MONOTONIC: what a user waits; CLOCK_PROCESS_CPUTIME_ID: what this process worked. */
static inline double clock_ms(clockid_t clock)
{
    struct timespec time;
    (void)clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

#endif
