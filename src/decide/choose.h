/*
 * Choose: which offer meets the needs?
 *
 *   required (ledger) ─┐
 *   needs, evidence ───┼──► each need of each offer: admissible · to verify · excluded
 *   offers, cards ─────┘    └──► candidates in order: state, cost, useful margin, first day
 *
 * A need is admissible when a current document proves it on the job's own load, excluded when a
 * failure is proven, and to be verified otherwise: a calculation never proves that a job runs, it
 * can only prove that it does not fit. A candidate is as good as its worst mandatory need;
 * preferences are shown. Prices make no speed ranking. Several cards are never one pool.
 */
#ifndef ZIRVE_DECIDE_CHOOSE_H
#define ZIRVE_DECIDE_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "card/card.h"
#include "decide/evidence.h"
#include "decide/money.h"
#include "decide/need.h"
#include "decide/offers.h"
#include "zirve/arena.h"
#include "zirve/error.h"

/* A named variation that the margin is for; never a percentage. */
struct zv_variation {
    struct zv_slice name;
    struct zv_slice evidence; /* id of the document behind the figure, empty: assumed */
    uint64_t bytes;
    bool documented; /* there is such a document, made of a run */
};

enum { ZV_CHOOSE_MAX_VARIATIONS = 32 };

/* What the job needs of one card. */
struct zv_required {
    bool known;
    uint64_t at_least;            /* bytes */
    uint64_t expected;            /* bytes, without variations */
    size_t unknown;               /* items that nobody knows */
    uint32_t devices;             /* that the layout takes */
    uint64_t fraction_millionths; /* of a card that the runtime may use */
    const char *source;           /* "calculated from job.yaml" */
    struct zv_variation variations[ZV_CHOOSE_MAX_VARIATIONS];
    size_t variation_count;
    uint64_t varied; /* bytes, sum of the variations: an upper bound */
};

struct zv_choose_input {
    const struct zv_required *required;
    const struct zv_needs *needs;
    const struct zv_evidence_list *evidence;
    struct zv_declared declared;
    const struct zv_offers *offers;
    const struct zv_card_table *cards;
    const struct zv_rates *rates;
    uint64_t days; /* 0: one batch, when all offers have the same */
};

enum zv_state { ZV_ADMISSIBLE, ZV_TO_VERIFY, ZV_EXCLUDED, ZV_STATES };

struct zv_judgement {
    enum zv_state state;
    const char *text;                /* what proves it, what is missing, what failed */
    const struct zv_evidence *proof; /* NULL: none, or the offer itself */
};

struct zv_candidate {
    const struct zv_offer *offer;
    const struct zv_capacity *capacity; /* NULL: nobody knows what the card allocates */
    enum zv_state state;
    bool has_cost;
    struct zv_money cost; /* of all days */
    bool has_margin;
    bool over;         /* margin is what is missing */
    uint64_t margin;   /* of one card, bytes */
    uint64_t usable;   /* of one card, bytes */
    const char *basis; /* of usable; NULL when nobody knows */
    bool tied;         /* with the one before or after */
    size_t rank;       /* 1-based in its state and currency; equal when nothing tells them apart */
};

struct zv_choice {
    struct zv_candidate *candidates; /* in order */
    size_t count;
    size_t states[ZV_STATES]; /* how many of each */
    uint64_t days;
    struct zv_choose_input input;
    struct choose_documents *documents; /* private */
};

const char *zv_state_name(enum zv_state state); /* "to verify" */

/* Errors: ZV_E_USAGE (no offers; no days where prices differ in their time), ZV_E_NOMEM. */
enum zv_status zv_choose(struct zv_choice *choice, const struct zv_choose_input *input,
                         struct zv_arena *arena, struct zv_error *err);

/* The judgement of every need that the job has, with its text in arena. Errors: ZV_E_NOMEM. */
enum zv_status zv_choose_judge(struct zv_judgement judgements[ZV_NEED_KINDS],
                               const struct zv_choice *choice, const struct zv_candidate *candidate,
                               struct zv_arena *arena, struct zv_error *err);

/* Reads the list margin of a job file into required. Errors: ZV_E_SYNTAX, ZV_E_LIMIT. */
enum zv_status zv_variations_read(struct zv_required *required, const struct zv_yaml_value *list,
                                  struct zv_error *err);

/* Looks for the documents that the variations name. */
void zv_variations_find(struct zv_required *required, const struct zv_evidence_list *evidence);

/* What is needed of one card by an estimate that was kept ("zirve.estimate/1", JSON). Errors:
 * ZV_E_SYNTAX, ZV_E_UNSUPPORTED (another schema, several formats at once). */
enum zv_status zv_required_read(struct zv_required *required, struct zv_slice text,
                                struct zv_arena *arena, struct zv_error *err);

#endif
