/*
 * Out-of-memory messages as people paste them: what a program printed when a request failed.
 *
 *     up to 1.3    (GPU 0; 7.79 GiB total capacity; 6.64 GiB already allocated; 21.00 MiB free;
 *                  150.86 MiB cached)                         cached: reserved, not allocated
 *     1.4 to 2.0   ...; 1.24 GiB reserved in total by PyTorch)  reserved: allocated is part of it
 *     2.1 and on   GPU 0 has a total capacity of 23.65 GiB of which 11.06 MiB is free. Process 9
 * has 1.00 GiB memory in use. Including non-PyTorch memory, this process has 22 GiB memory in use.
 * Of the allocated memory 20 GiB is allocated by PyTorch, and 194.87 MiB is reserved by PyTorch but
 * unallocated. llama.cpp    allocating 8345.50 MiB on device 0: cudaMalloc failed: out of memory
 *
 * Figures are as precise as they were printed: two decimals of their unit.
 */
#ifndef ZIRVE_EXPLAIN_OOM_MESSAGE_H
#define ZIRVE_EXPLAIN_OOM_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "explain/cause.h"
#include "explain/oom_sign.h"

/* One printed figure. */
struct zv_printed {
    bool known;
    uint64_t bytes;
    uint64_t within_bytes; /* half of the last decimal */
};

struct zv_oom_message {
    uint64_t line;                  /* 1-based, where it begins */
    bool is_pytorch;                /* else only the request is known */
    const struct zv_oom_sign *sign; /* not NULL: only these words, and no figure */
    struct zv_printed requested;
    struct zv_printed capacity;
    struct zv_printed device_free;
    struct zv_printed allowed; /* per-process limit */
    struct zv_printed allocated;
    struct zv_printed unallocated; /* reserved and not allocated */
    struct zv_printed private_pools;
    struct zv_printed reserved;     /* all of the allocator; printed or summed */
    struct zv_printed this_process; /* all it uses on the card */
    struct zv_printed outside;      /* capacity less free less reserved */
    enum zv_cause_kind kind;        /* CAPACITY, FRAGMENTATION, OUTSIDE, LIMIT */
    bool kind_known;
    bool close; /* the printed precision could turn the answer round */
    uint64_t missing_bytes;
};

/* The last message in a text; false when there is none. */
bool zv_oom_message_find(struct zv_oom_message *message, struct zv_slice text);

/* The last line that says so without figures ("CUDA error: out of memory"); false: none. */
bool zv_oom_words_find(struct zv_oom_message *message, struct zv_slice text);

#endif
