/* A capture being read: what capture_read.c and capture_state.c share. */
#ifndef ZIRVE_TRACE_CAPTURE_READER_H
#define ZIRVE_TRACE_CAPTURE_READER_H

#include "trace/trace.h"

struct capture_reader {
    struct zv_trace *trace;
    struct zv_slice input;
    const unsigned char *at;
    const unsigned char *end; /* of the chunk */
    uint32_t count;           /* records of the chunk */
    uint64_t event_total;
    struct zv_error *err; /* never NULL */
};

/* The input's first byte. */
const unsigned char *capture_start(const struct capture_reader *reader);

/* Records what is wrong where the reader stands; always false. */
bool capture_bad(struct capture_reader *reader, const char *what);

/* The next number of the chunk, and one below limit; false with the error set. */
bool capture_number(struct capture_reader *reader, uint64_t *to);
bool capture_below(struct capture_reader *reader, uint64_t limit, uint64_t *to);

/* A chunk's segments and blocks become the state of the trace's first device. capture_state.c */
bool capture_read_state(struct capture_reader *reader);

#endif
