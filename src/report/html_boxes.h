/*
 * A page of boxes: blocks with a life and a place, time from left to right, addresses from the
 * bottom up, below the sum of what lives. For any verb that has placed something.
 */
#ifndef ZIRVE_REPORT_HTML_BOXES_H
#define ZIRVE_REPORT_HTML_BOXES_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/stream.h"
#include "zirve/error.h"

struct html_box {
    uint64_t from; /* of any clock, below 2^53 */
    uint64_t until;
    uint64_t low; /* bytes */
    uint64_t bytes;
};

/* A level across the picture. */
struct html_level {
    const char *name; /* "height", "lower bound" */
    uint64_t bytes;
};

struct html_boxes {
    struct zv_slice title;   /* of the page */
    struct zv_slice verdict; /* the answer in a sentence */
    struct zv_slice words;   /* all of it as text; empty: none */
    const char *basis;       /* how the figures are known */
    const char *note;        /* below the boxes */
    struct html_box *boxes;  /* are sorted by their beginning */
    size_t count;            /* at least one */
    struct html_level levels[4];
    size_t level_count;
};

/* Errors: ZV_E_USAGE (no box), ZV_E_NOMEM; the sink remembers its own. */
enum zv_status html_boxes_page(struct zv_sink *sink, const struct html_boxes *boxes,
                               struct zv_error *err);

#endif
