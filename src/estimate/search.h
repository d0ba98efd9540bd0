/*
 * Search: the largest value of one dimension that fits a card by calculation.
 *
 * Need grows with every dimension, so the value is bisected: doubled until something does not go
 * in, then halved between. What comes out is proven at its neighbour: value goes in, value + 1 does
 * not, both asked. "Goes in" means that what is expected is not over the lowest capacity; with
 * unknown items the verdict of that value is still "cannot tell", and says so.
 */
#ifndef ZIRVE_ESTIMATE_SEARCH_H
#define ZIRVE_ESTIMATE_SEARCH_H

#include "estimate/question.h"

/* Where a search ends when neither the card nor the model ends it. */
#define ZV_SEARCH_MAX_TOKENS    (UINT64_C(1) << 30)
#define ZV_SEARCH_MAX_SEQUENCES (UINT64_C(1) << 20)

struct zv_search {
    enum zv_dimension dimension;
    bool found;     /* false: not even 1 goes in; the rest is then about 1 */
    uint64_t value; /* the largest that goes in */
    uint64_t limit; /* the largest that was allowed */
    const char *limit_basis;
    bool at_limit;                /* value is the limit: the card would take more */
    enum zv_verdict verdict;      /* of value */
    enum zv_verdict next_verdict; /* of value + 1; without meaning at the limit */
    uint64_t margin;              /* bytes left at value; when not found: missing at 1 */
    uint64_t next_missing;        /* bytes missing at value + 1; 0 when they pass 2^64 */
    unsigned asked;               /* estimates that were made */
};

/* question has a capacity. Errors: ZV_E_USAGE when the task has no such dimension, and what the
 * smallest value fails with. */
enum zv_status zv_search_run(struct zv_search *search, const struct zv_question *question,
                             enum zv_dimension dimension, struct zv_error *err);

#endif
