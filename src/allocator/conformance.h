/* Conformance: a case run through our allocator and compared with what the real one answered. */
#ifndef ZIRVE_ALLOCATOR_CONFORMANCE_H
#define ZIRVE_ALLOCATOR_CONFORMANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/allocator.h"
#include "zirve/error.h"

/* The four files of a case; only slices, so that they may come from anywhere. */
struct zv_conformance_input {
    struct zv_slice case_json;
    struct zv_slice ops;
    struct zv_slice expected;
    struct zv_slice events;
};

enum { ZV_CONFORMANCE_TEXT = 256 };

struct zv_conformance {
    bool equal;
    enum zv_torch_profile profile;
    uint64_t operations;
    uint64_t events;
    /* The first difference. */
    char where[64]; /* "events.tsv, line 12" */
    char got[ZV_CONFORMANCE_TEXT];
    char expected[ZV_CONFORMANCE_TEXT];
};

/* Errors: of the input (with where and line) or ZV_E_NOMEM. A difference is no error. */
enum zv_status zv_conformance_run(struct zv_conformance *to,
                                  const struct zv_conformance_input *input, struct zv_error *err);

#endif
