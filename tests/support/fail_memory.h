/*
 * Memory that runs out on request: the n-th allocation fails, and the peak is counted.
 *
 *     fail_memory_start(n);            n = 0: nothing fails
 *     ... call the library ...
 *     fail_memory_stop();              then read the counters; every block must be free again
 *
 * To try all of them: for n = 1, 2, 3 ... until fail_memory.failed stays 0.
 */
#ifndef ZIRVE_TESTS_FAIL_MEMORY_H
#define ZIRVE_TESTS_FAIL_MEMORY_H

#include <stddef.h>

struct fail_memory {
    size_t fail_at; /* the allocation that fails, 1-based; a growing resize counts as one */
    size_t calls;
    size_t failed;
    size_t blocks; /* now */
    size_t bytes;  /* now */
    size_t peak;   /* largest value of bytes */
};

extern struct fail_memory fail_memory;

void fail_memory_start(size_t fail_at);
void fail_memory_stop(void);

#endif
