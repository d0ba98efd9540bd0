/*
 * Quantities and ledgers: every figure is bytes (or unknown), how it is known, and on what basis.
 *
 * A ledger is a list of named quantities of one job. Its total is a bracket: at least what is
 * known, expected with the assumptions, plus the unknowns, which are named and never counted as 0.
 */
#ifndef ZIRVE_QUANTITY_H
#define ZIRVE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_known {
    ZV_UNKNOWN,    /* bytes mean nothing */
    ZV_CALCULATED, /* follows from sizes by a formula with a source */
    ZV_MEASURED,   /* read off a device or a log of a run */
    ZV_EMULATED,   /* what a program took on a card that is not there */
    ZV_ASSUMED     /* a rule of thumb, a fitted constant, a user's figure */
};

struct zv_quantity {
    uint64_t bytes; /* meaningless when known is ZV_UNKNOWN */
    enum zv_known known;
    const char *basis; /* one line: the formula with its numbers, or the source; never NULL */
};

enum { ZV_SCOPE_HOST = -1 }; /* otherwise the index of a device group */

struct zv_item {
    const char *id;    /* stable, for machines: "weights.mlp", "kv_cache" */
    const char *name;  /* for people: "MLP weights" */
    const char *group; /* "weights", "cache", "activations", "training", "runtime", "reserve" */
    int scope;         /* device group or ZV_SCOPE_HOST */
    const char *phase; /* "prefill", "decode", "backward" …; NULL: there all the time */
    bool reclaimable;  /* file pages that the system drops when it needs room: in no total */
    struct zv_quantity quantity;
};

/* Identical devices: first, first+1, … each hold the items of this scope. Never pooled. */
struct zv_device_group {
    uint32_t first;
    uint32_t count;
    const char *role; /* "pipeline stage 0", "" when there is one */
};

/* Zero-initialise, set arena. Items and strings live in the arena. */
struct zv_ledger {
    struct zv_arena *arena;
    struct zv_item *items;
    size_t count;
    size_t capacity;
    struct zv_device_group *groups;
    size_t group_count;
};

/* Items of different phases are never there together: the total is that of the largest phase. */
struct zv_total {
    uint64_t at_least; /* calculated + measured + emulated, bytes */
    uint64_t expected; /* at_least + assumed, of the phase where this is largest */
    size_t unknown;    /* items not known, whatever their phase */
    const char *phase; /* the phase that decides expected; NULL when there are none */
};

const char *zv_known_name(enum zv_known known); /* "calculated" */

/* Adds a copy of item (strings are not copied). Errors: ZV_E_NOMEM. */
enum zv_status zv_ledger_add(struct zv_ledger *ledger, const struct zv_item *item,
                             struct zv_error *err);

/* Adds a device group and gives its index, the scope of its items. Errors: ZV_E_NOMEM. */
enum zv_status zv_ledger_add_group(struct zv_ledger *ledger, struct zv_device_group group,
                                   int *scope, struct zv_error *err);

/* The bracket over the items of one scope. Errors: ZV_E_OVERFLOW. */
enum zv_status zv_ledger_total(const struct zv_ledger *ledger, int scope, struct zv_total *total,
                               struct zv_error *err);

/* The bracket in one phase: of what is there all the time and the items of that phase (NULL: of
 * the former alone). Errors: ZV_E_OVERFLOW. */
enum zv_status zv_ledger_phase_total(const struct zv_ledger *ledger, int scope, const char *phase,
                                     struct zv_total *total, struct zv_error *err);

#endif
