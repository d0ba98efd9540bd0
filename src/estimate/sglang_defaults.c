/* The figures are SGLang's (server_args.py): #2044, #7054, #10975, #11076. */
#include "estimate/sglang_defaults.h"

#include <stddef.h>

enum { GIB_IN_MIB = 1024, MOST_RANKS = 1 << 20, MOST_TOKENS = 1 << 30 };

struct card_class {
    uint64_t below_mib;
    uint64_t chunk_tokens;
    uint64_t graph_batch;      /* with fewer than four ranks of tensor parallelism */
    uint64_t graph_batch_wide; /* with four or more */
};

static const struct card_class by_sizes[] = {
    {20 * GIB_IN_MIB, 2048, 8, 8},    {35 * GIB_IN_MIB, 2048, 24, 80},
    {60 * GIB_IN_MIB, 4096, 32, 160}, {160 * GIB_IN_MIB, 8192, 256, 512},
    {UINT64_MAX, 16384, 512, 512},
};
static const struct card_class by_card[] = {
    {35 * GIB_IN_MIB, 2048, 0, 0},
    {160 * GIB_IN_MIB, 8192, 0, 0},
    {UINT64_MAX, 16384, 0, 0},
};
static const struct card_class by_tp[] = {
    {25000, 2048, 0, 0},
    {UINT64_MAX, 8192, 0, 0},
};

static const struct card_class *class_of(enum zv_fraction_form form, uint64_t card_mib)
{
    static const struct card_class *const classes[] = {
        [ZV_FRACTION_BY_TP] = by_tp,
        [ZV_FRACTION_BY_CARD] = by_card,
        [ZV_FRACTION_BY_SIZES] = by_sizes,
    };
    static const struct card_class card_not_known = {0, 4096, 160, 160};
    static const struct card_class card_not_known_before = {0, 8192, 0, 0};
    if (card_mib == 0) {
        return form == ZV_FRACTION_BY_SIZES ? &card_not_known : &card_not_known_before;
    }
    const struct card_class *entry = classes[form];
    while (card_mib >= entry->below_mib && entry->below_mib != UINT64_MAX) {
        entry++;
    }
    return entry;
}

static uint64_t fraction_by_tp(uint64_t tp)
{
    static const struct {
        uint64_t from;
        uint64_t fraction;
    } steps[] = {{16, 790000}, {8, 810000}, {4, 850000}, {2, 870000}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (tp >= steps[i].from) {
            return steps[i].fraction;
        }
    }
    return 880000;
}

/* MiB × 10 that a card of a class keeps free. */
static uint64_t reserved_by_card(const struct zv_sglang_plan *plan)
{
    const uint64_t ranks = plan->tp * plan->pp;
    const uint64_t attention = plan->dp_attention ? UINT64_C(40) * GIB_IN_MIB : 0;
    if (plan->card_mib < UINT64_C(35) * GIB_IN_MIB) {
        return (28 + ranks) * GIB_IN_MIB + attention;
    }
    if (plan->card_mib < UINT64_C(160) * GIB_IN_MIB) {
        const uint64_t base = plan->card_mib < UINT64_C(90) * GIB_IN_MIB ? 95 : 120;
        return (base + 5 * ranks) * GIB_IN_MIB + attention;
    }
    return UINT64_C(320) * GIB_IN_MIB + attention;
}

/* MiB × 10: 512 + 1.5 a chunk token + 2 a graph + 128 a rank, and 10 GiB at least on cards above
 * 60 GiB. */
static uint64_t reserved_by_sizes(const struct zv_sglang_plan *plan,
                                  const struct zv_sglang_defaults *sizes)
{
    const uint64_t least = UINT64_C(100) * GIB_IN_MIB;
    const uint64_t chunk = sizes->chunk_tokens > 2048 ? sizes->chunk_tokens : 2048;
    uint64_t reserved = 5120 + 15 * chunk + 20 * sizes->graph_batch + 1280 * plan->tp * plan->pp;
    if (plan->dp_attention) {
        reserved += (sizes->graph_batch > 300 ? 45U : 30U) * sizes->graph_batch * plan->dp;
    }
    if (plan->card_mib > UINT64_C(60) * GIB_IN_MIB && reserved < least) {
        reserved = least;
    }
    return reserved;
}

/* (card - reserved) / card, rounded to three decimals. */
static uint64_t fraction_of(uint64_t card_mib, uint64_t reserved_tenths)
{
    const uint64_t card = card_mib * 10;
    if (reserved_tenths >= card) {
        return 0;
    }
    return ((card - reserved_tenths) * 1000 + card / 2) / card * 1000;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

struct zv_sglang_defaults zv_sglang_defaults_of(enum zv_fraction_form form,
                                                const struct zv_sglang_plan *plan)
{
    struct zv_sglang_plan cut = *plan;
    cut.tp = at_most(plan->tp, MOST_RANKS);
    cut.pp = at_most(plan->pp, MOST_RANKS);
    cut.dp = at_most(plan->dp, MOST_RANKS);
    cut.card_mib = at_most(plan->card_mib, MOST_TOKENS);
    const struct card_class *const entry = class_of(form, cut.card_mib);
    const uint64_t chunk = plan->chunk_tokens != 0 ? plan->chunk_tokens : entry->chunk_tokens;
    struct zv_sglang_defaults defaults = {
        .chunk_tokens = at_most(chunk, MOST_TOKENS),
        .graph_batch = cut.tp < 4 ? entry->graph_batch : entry->graph_batch_wide,
        .fraction = 880000,
    };
    if (form == ZV_FRACTION_BY_TP) {
        defaults.fraction = fraction_by_tp(cut.tp);
    } else if (cut.card_mib != 0) {
        defaults.fraction = fraction_of(cut.card_mib, form == ZV_FRACTION_BY_CARD
                                                          ? reserved_by_card(&cut)
                                                          : reserved_by_sizes(&cut, &defaults));
    }
    return defaults;
}
