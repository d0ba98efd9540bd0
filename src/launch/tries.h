/*
 * Tries: the largest value of one placeholder with which a command of the user's passes.
 *
 *   --search batch=1..64 -- python train.py --batch {}
 *
 * Values are bisected (base/bisect.h). Passed is an exit status of 0 without a word of memory that
 * ran out; that it ran out is "does not fit". Any other end is no answer, and the search stops
 * there: a failure of another kind must not be taken for a boundary. Every try is kept. What a try
 * leaves running is ended before the next, which needs the card for itself.
 */
#ifndef ZIRVE_LAUNCH_TRIES_H
#define ZIRVE_LAUNCH_TRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bisect.h"
#include "launch/launch.h"
#include "zirve/arena.h"
#include "zirve/error.h"

struct zv_try {
    uint64_t value;
    enum zv_trial trial;
    struct zv_launched launched;
};

struct zv_tries {
    struct zv_launch launch; /* of every try; its command has the placeholder */
    struct zv_slice name;    /* of the dimension: {name} in the command, else {} */
    unsigned confirm;        /* values to ask on either side of the boundary */
    struct zv_bisect bisect; /* from and to; afterwards the answer */
    struct zv_try *items;    /* bisect.asked_count of them, in order */
    struct zv_arena *arena;
    void (*told)(const struct zv_tries *tries, const struct zv_try *one); /* after each; or NULL */
};

/* "batch=1..64", "context=1k..32k". Errors: ZV_E_USAGE. */
enum zv_status zv_tries_parse(struct zv_tries *tries, const char *text, struct zv_error *err);

/* Errors: ZV_E_USAGE (no placeholder in the command), those of zv_launch_run. */
enum zv_status zv_tries_run(struct zv_tries *tries, struct zv_error *err);

/* The try of a value, or NULL. */
const struct zv_try *zv_tries_find(const struct zv_tries *tries, uint64_t value);

#endif
