/*
 * Packed cases: a conformance case as one .tar.zst (look inside with tar --zstd -tf FILE).
 */
#ifndef ZIRVE_TESTS_PACKED_CASE_H
#define ZIRVE_TESTS_PACKED_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "allocator/conformance.h"

struct packed_case {
    char *bytes; /* the unpacked archive; the input's slices point into it */
    struct zv_conformance_input input;
};

/* False when the file cannot be read or lacks a member. */
bool packed_case_open(struct packed_case *to, const char *path);
void packed_case_close(struct packed_case *packed);

#endif
