/* What an optimizer keeps and needs, from data/optimizers.tsv. Room-internal. */
#ifndef ZIRVE_ESTIMATE_OPTIMIZER_H
#define ZIRVE_ESTIMATE_OPTIMIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum optimizer_update { OPTIMIZER_UPDATE_NONE, OPTIMIZER_UPDATE_LARGEST, OPTIMIZER_UPDATE_ALL };

struct optimizer {
    struct zv_slice name;
    uint64_t states;
    uint64_t bits; /* 0: the parameter's own type */
    uint64_t block;
    uint64_t small;
    bool factored;
    bool managed;
    enum optimizer_update update;
    struct zv_slice source;
};

/* ZV_E_USAGE naming the known ones. */
enum zv_status optimizer_find(struct optimizer *to, struct zv_slice name, struct zv_arena *arena,
                              struct zv_error *err);

/*
 * State bytes of one tensor of elements values (rows x columns when factored) whose parameters have
 * value_bytes. False on overflow.
 */
bool optimizer_state_bytes(const struct optimizer *optimizer, uint64_t elements, uint64_t rows,
                           uint64_t columns, uint64_t value_bytes, uint64_t *to);

#endif
