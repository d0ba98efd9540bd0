/*
 * The founding question: why is the peak not the estimate? Item by item, what the estimate said,
 * what the record shows at the peak, and how that is told.
 *
 *     estimate                   record at the peak of allocated bytes
 *     weights, cache             live blocks of no other role (loaded before the steps)
 *     gradients                  allocated inside backward
 *     optimizer states           allocated inside torch.optim
 *     activations                allocated inside a module's forward
 *     runtime                    outside the allocator: not in the file, unknown
 *     -                          rounding; cached (reserved, not active)
 *
 * Roles are told by PyTorch's frames in the stacks: without stacks only the sums can be compared.
 */
#ifndef ZIRVE_EXPLAIN_AGAINST_H
#define ZIRVE_EXPLAIN_AGAINST_H

#include <stdbool.h>
#include <stdint.h>

#include "explain/groups.h"

enum zv_against_row {
    ZV_AGAINST_RESIDENT, /* weights and cache */
    ZV_AGAINST_GRADIENTS,
    ZV_AGAINST_OPTIMIZER,
    ZV_AGAINST_ACTIVATIONS,
    ZV_AGAINST_OTHER, /* items of the estimate that are none of these */
    ZV_AGAINST_ROUNDING,
    ZV_AGAINST_SUM, /* inside the allocator: allocated, rounding included */
    ZV_AGAINST_CACHED,
    ZV_AGAINST_OUTSIDE, /* device context and libraries */
    ZV_AGAINST_COUNT
};

struct zv_against_figure {
    bool known;
    uint64_t bytes;
};

struct zv_against {
    struct zv_slice phase;     /* of the estimate's total; empty: the same in all */
    bool roles_told;           /* some blocks have stacks that tell */
    enum zv_trace_known known; /* how what is "recorded" here is known */
    struct {
        struct zv_against_figure estimated;
        struct zv_against_figure recorded;
    } rows[ZV_AGAINST_COUNT];
};

/*
 * json: "zirve.estimate/1". heap: of the peak. Texts live in the arena. Errors: ZV_E_SYNTAX with
 * the byte, ZV_E_UNSUPPORTED for another schema, ZV_E_NOMEM.
 */
enum zv_status zv_against_make(struct zv_against *against, struct zv_slice json,
                               const struct zv_record *record, const struct zv_heap *heap,
                               struct zv_arena *arena, struct zv_error *err);

const char *zv_against_name(enum zv_against_row row);

#endif
