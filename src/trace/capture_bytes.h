/* The bytes of a capture: chunks, numbers. Room-internal; see docs/FORMATS.md. */
#ifndef ZIRVE_TRACE_CAPTURE_BYTES_H
#define ZIRVE_TRACE_CAPTURE_BYTES_H

#include <stdint.h>

#define CAPTURE_MAGIC "ZVTRACE\1"
#define CAPTURE_END   "ZVINDEX\1"

enum {
    CAPTURE_MAGIC_BYTES = 8,
    CAPTURE_HEAD_BYTES = 16, /* type, three zeros, count (4), payload bytes (8) */
    CAPTURE_TAIL_BYTES = 16  /* offset of the index (8), magic of the end */
};

enum capture_chunk {
    CAPTURE_META = 'M',
    CAPTURE_TEXTS = 'T',
    CAPTURE_KNOWN = 'K', /* only of what was not recorded */
    CAPTURE_FRAMES = 'F',
    CAPTURE_STACKS = 'S',
    CAPTURE_STREAMS = 'D',
    CAPTURE_POOLS = 'P',
    CAPTURE_ANNOTATIONS = 'A',
    CAPTURE_EVENTS = 'E',
    CAPTURE_STATE = 'H',
    CAPTURE_INDEX = 'I'
};

/* Signed differences as unsigned numbers: small either way. */
static inline uint64_t capture_zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t capture_unzigzag(uint64_t coded)
{
    return coded >> 1 ^ (0 - (coded & 1));
}

#endif
