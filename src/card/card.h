/*
 * Card: what a GPU model really offers.
 *
 *   nominal   what the data sheet says: 24 GB
 *   driver    what the driver reports as total: 24564 MiB (nvidia-smi)
 *   runtime   what a process can allocate from: 23.51 GiB (cudaMemGetInfo's total)
 *
 * Three different numbers, kept apart, each with its source. A figure nobody published with a
 * source we may name stays unknown. The capacity used for a fit is the lowest runtime reading; the
 * range is kept beside it. Users add cards and readings in their own files of the same form.
 *
 * Not here: looking at a live device (room probe), deciding what fits (room estimate).
 */
#ifndef ZIRVE_CARD_CARD_H
#define ZIRVE_CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "card/capability.h"
#include "zirve/arena.h"
#include "zirve/error.h"
#include "zirve/quantity.h"

enum zv_reading_kind { ZV_READING_DRIVER, ZV_READING_RUNTIME };

struct zv_card_reading {
    enum zv_reading_kind kind;
    uint64_t bytes;
    struct zv_slice printed; /* as published: "23.64 GiB" */
    struct zv_slice by;      /* what printed it: "nvidia-smi" */
    struct zv_slice source;
};

/* What kernels see of it. */
struct zv_card_kernels {
    const struct zv_capability *capability; /* NULL: not known */
    uint32_t processors;                    /* multiprocessors; 0: not known */
    struct zv_slice source;
};

struct zv_card {
    struct zv_slice name;
    struct zv_slice vendor;
    struct zv_slice needs;  /* tokens that a name for it must have */
    struct zv_slice may;    /* tokens it may have */
    uint64_t nominal_bytes; /* decimal GB as the data sheet counts */
    bool unified;           /* shares its memory with the processor */
    struct zv_slice source; /* of the nominal size */
    bool user;              /* from the user's file */
    struct zv_card_kernels kernels;
    struct zv_card_reading *readings;
    size_t reading_count;
};

struct zv_card_table {
    struct zv_card *cards; /* in the order of the files */
    size_t count;
};

/* What a fit is judged against. low ≤ high. */
struct zv_capacity {
    struct zv_slice name;
    uint64_t low;               /* bytes; what is used */
    uint64_t high;              /* bytes; the highest reading of the same kind */
    enum zv_known known;        /* measured for readings, assumed for a nominal or given size */
    const char *basis;          /* one line */
    const struct zv_card *card; /* NULL for a size given by hand */
};

/*
 * The built-in table and, when not NULL, a user's cards and readings (file contents). Slices point
 * into the texts. Errors: ZV_E_SYNTAX with the line, ZV_E_NOMEM.
 */
enum zv_status zv_card_table_load(struct zv_card_table *table, struct zv_slice user_cards,
                                  struct zv_slice user_readings, struct zv_arena *arena,
                                  struct zv_error *err);

/*
 * The card that people mean by a name: "4090", "RTX4090", "NVIDIA GeForce RTX 4090". Errors:
 * ZV_E_NOT_FOUND naming near ones, ZV_E_USAGE when several fit, naming them.
 */
enum zv_status zv_card_find(const struct zv_card_table *table, const char *name,
                            const struct zv_card **card, struct zv_error *err);

/* Lowest and highest reading of a kind; false when there is none. */
bool zv_card_range(const struct zv_card *card, enum zv_reading_kind kind, uint64_t *low,
                   uint64_t *high);

/*
 * The capacity behind --card: a card's name, or a size by hand ("24GB", taken literally). Errors:
 * as zv_card_find.
 */
enum zv_status zv_capacity_of(const struct zv_card_table *table, const char *name,
                              struct zv_capacity *capacity, struct zv_arena *arena,
                              struct zv_error *err);

#endif
