/* What a row says about the model and the run, as the estimate takes it. */
#ifndef ZIRVE_SELFTEST_FACTS_H
#define ZIRVE_SELFTEST_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "runtime/versions.h"
#include "selftest/rows.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum { FACTS_MAX_LAYERS = 1024 };

struct facts {
    struct zv_layer *layers; /* attention layers first by pattern, recurrent ones among them */
    size_t layer_count;
    const char *missing; /* why layers cannot be built; NULL when they can */
    bool sliding;        /* some layers have a window */
    bool states;         /* some layers keep a state, whose sizes are known */
    bool latent;
    const char *state_missing; /* why states are not known though there are some */
};

/* Layers out of the row's config. False: out of memory. */
bool facts_read(struct facts *to, const struct zv_row *row, struct zv_arena *arena);

/*
 * The rules of the row's runtime at its version: the first word of the version text that is one
 * ("unknown (2026-08)" is 2026-08). dated is false when the row names none: then the newest.
 */
enum zv_status facts_rules(struct zv_runtime_rules *rules, bool *dated, const struct zv_row *row,
                           enum zv_runtime_kind kind, struct zv_arena *arena, struct zv_error *err);

/* "1", "on", "true", "auto->on" … and the opposite; false when the field is absent or neither. */
bool facts_yes_no(const struct zv_row_fields *fields, const char *name, bool *to);

#endif
