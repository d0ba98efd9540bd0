#include "decide/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/strmap.h"
#include "base/units.h"
#include "decide/judge.h"

const char *zv_state_name(enum zv_state state)
{
    static const char *const names[] = {"admissible", "to verify", "excluded"};
    return names[state];
}

/* ---- cards ---- */

/* Offers name few cards many times: each name, with its stated memory, is looked up once. */
enum { MAX_CARDS = 4096 };

struct lookup {
    struct zv_strmap names;              /* position in capacities */
    struct zv_capacity *made[MAX_CARDS]; /* low 0: unknown */
    size_t count;
    const struct zv_card_table *cards;
    struct zv_arena *arena;
};

/* Names that several cards share ("A100") are told apart by the memory that the offer states. */
static bool find_card(const struct lookup *lookup, const char *name, uint64_t memory,
                      struct zv_capacity *to)
{
    struct zv_error cause = {0};
    enum zv_status status = zv_capacity_of(lookup->cards, name, to, lookup->arena, &cause);
    if (status == ZV_E_USAGE && memory != 0) {
        char with_size[160];
        const uint64_t gb = (memory + 500000000) / 1000000000;
        const uint64_t gib = (memory + ZV_GIB / 2) / ZV_GIB;
        const uint64_t sizes[] = {gib, gb};
        for (size_t i = 0; status != ZV_OK && i < 2; i++) {
            cause = (struct zv_error){0};
            (void)snprintf(with_size, sizeof with_size, "%.120s %lluGB", name,
                           (unsigned long long)sizes[i]);
            status = zv_capacity_of(lookup->cards, with_size, to, lookup->arena, &cause);
        }
    }
    return status == ZV_OK;
}

/*
 * Whether the memory that an offer states can be that of the card: nominal GB, the same number of
 * GiB (7.4 % more), or what a driver reports (up to 10 % less).
 */
static bool memory_agrees(const struct zv_offer *offer, const struct zv_card *card)
{
    const uint64_t stated = offer->memory_bytes;
    const uint64_t nominal = card != NULL ? card->nominal_bytes : 0;
    return stated == 0 || nominal == 0 ||
           (stated >= nominal - nominal / 10 && stated <= nominal + nominal / 8);
}

/* A size in another unit, or another card: in the project's own columns an error; a catalog's rows
 * are taken at the smaller of the two. */
static enum zv_status disagree(const struct lookup *lookup, const struct zv_offer *offer,
                               struct zv_capacity *to, struct zv_error *err)
{
    const uint64_t nominal = to->card->nominal_bytes;
    char stated_text[ZV_BYTES_TEXT];
    char nominal_text[ZV_BYTES_TEXT];
    zv_bytes_print(stated_text, offer->memory_bytes, ZV_UNIT_GB, 2);
    zv_bytes_print(nominal_text, nominal, ZV_UNIT_GB, 0);
    if (offer->batch_days != 0) {
        return zv_fail(err, ZV_E_SYNTAX,
                       "%s: line %llu: column memory: %s, but %.*s has %s: another unit, or "
                       "another card",
                       offer->file, (unsigned long long)offer->line, stated_text,
                       (int)to->card->name.length, to->card->name.at, nominal_text);
    }
    if (offer->memory_bytes < to->low) {
        to->low = offer->memory_bytes;
        to->high = to->low;
        to->known = ZV_ASSUMED;
    }
    to->basis =
        zv_arena_print(lookup->arena, "the smaller of two: the offer states %s, %.*s has %s",
                       stated_text, (int)to->card->name.length, to->card->name.at, nominal_text);
    return to->basis == NULL ? zv_fail_memory(err, "cards") : ZV_OK;
}

static enum zv_status look_up(const struct lookup *lookup, const struct zv_offer *offer,
                              struct zv_capacity *to, struct zv_error *err)
{
    char name[160];
    (void)snprintf(name, sizeof name, "%.*s",
                   (int)(offer->card.length < 150 ? offer->card.length : 150), offer->card.at);
    *to = (struct zv_capacity){0};
    if (find_card(lookup, name, offer->memory_bytes, to)) {
        return memory_agrees(offer, to->card) ? ZV_OK : disagree(lookup, offer, to, err);
    }
    *to = (struct zv_capacity){0};
    if (offer->memory_bytes != 0) {
        *to = (struct zv_capacity){.name = offer->card,
                                   .low = offer->memory_bytes,
                                   .high = offer->memory_bytes,
                                   .known = ZV_ASSUMED,
                                   .basis = "as the offer states it; the card is not in the table"};
    }
    return ZV_OK;
}

static enum zv_status capacity_of(struct lookup *lookup, const struct zv_offer *offer,
                                  const struct zv_capacity **to, struct zv_error *err)
{
    char key[256];
    const int length = snprintf(key, sizeof key, "%.*s\t%llu",
                                (int)(offer->card.length < 200 ? offer->card.length : 200),
                                offer->card.at, (unsigned long long)offer->memory_bytes);
    const struct zv_strmap_entry *found =
        zv_strmap_find(&lookup->names, (struct zv_slice){key, (size_t)length});
    if (found == NULL) {
        if (lookup->count == MAX_CARDS) {
            return zv_fail(err, ZV_E_LIMIT, "more than %d different cards in the offers",
                           MAX_CARDS);
        }
        const char *const kept = zv_arena_copy(lookup->arena, key, (size_t)length);
        struct zv_capacity *const made = zv_arena_alloc(lookup->arena, sizeof *made);
        struct zv_strmap_entry *entry = NULL;
        if (kept == NULL || made == NULL ||
            zv_strmap_add(&lookup->names, (struct zv_slice){kept, (size_t)length}, lookup->count,
                          &entry) == ZV_STRMAP_NOMEM) {
            return zv_fail_memory(err, "cards");
        }
        lookup->made[lookup->count++] = made;
        const enum zv_status status = look_up(lookup, offer, made, err);
        if (status != ZV_OK) {
            return status;
        }
        found = entry;
    }
    const struct zv_capacity *const capacity = lookup->made[found->value];
    *to = capacity->low != 0 ? capacity : NULL;
    return ZV_OK;
}

/* ---- cost and margin ---- */

static bool cost_of(const struct zv_offer *offer, uint64_t days, const struct zv_rates *rates,
                    struct zv_money *cost)
{
    uint64_t times;
    *cost = offer->price;
    if (cost->currency[0] == 0) {
        return false;
    }
    if (offer->batch_days != 0) {
        times = zv_ceil_div(days, offer->batch_days);
    } else if (!zv_mul(days, 24, &times)) {
        return false;
    }
    return zv_mul(cost->nano, times, &cost->nano) && zv_rates_apply(rates, cost);
}

static void set_margin(const struct zv_choice *choice, struct zv_candidate *candidate,
                       const struct zv_judgement *memory)
{
    const struct zv_required *const required = choice->input.required;
    uint64_t need = required->expected;
    uint64_t total;
    if (candidate->capacity == NULL) {
        return;
    }
    uint64_t capacity = candidate->capacity->low;
    candidate->basis = candidate->capacity->basis;

    if (memory->state == ZV_ADMISSIBLE && memory->proof != NULL) { /* readings before formulas */
        need = memory->proof->peak_bytes != 0 ? memory->proof->peak_bytes : need;
        if (memory->proof->capacity_bytes != 0) {
            capacity = memory->proof->capacity_bytes;
            candidate->basis = "as the device of the proven run reported it";
        }
    }
    candidate->usable = judge_usable(required, capacity);
    candidate->has_margin = required->known && zv_add(need, required->varied, &total);
    if (candidate->has_margin) {
        candidate->over = total > candidate->usable;
        candidate->margin = candidate->over ? total - candidate->usable : candidate->usable - total;
    }
}

static void judge_all(const struct zv_choice *choice, struct zv_candidate *candidate)
{
    for (unsigned kind = 0; kind < ZV_NEED_KINDS; kind++) {
        if (choice->input.needs->kinds[kind].strength == ZV_NOT_NEEDED && kind != ZV_NEED_MEMORY) {
            continue;
        }
        const struct zv_judgement judgement =
            judge_need(choice, candidate, (enum zv_need_kind)kind, NULL);
        if (kind == ZV_NEED_MEMORY) {
            set_margin(choice, candidate, &judgement);
        }
        if (choice->input.needs->kinds[kind].strength == ZV_MANDATORY &&
            judgement.state > candidate->state) {
            candidate->state = judgement.state;
        }
    }
}

/* ---- order ---- */

static int order(bool less, bool more)
{
    return less ? -1 : more ? 1 : 0;
}

/* What is known comes before what is not. */
static int compare_value(const struct zv_candidate *a, const struct zv_candidate *b)
{
    int result = order(a->has_cost && !b->has_cost, !a->has_cost && b->has_cost);
    if (result == 0 && a->has_cost) {
        result = strcmp(a->cost.currency, b->cost.currency);
        result =
            result != 0 ? result : order(a->cost.nano<b->cost.nano, a->cost.nano> b->cost.nano);
    }
    if (result == 0) {
        result = order(a->has_margin && !b->has_margin, !a->has_margin && b->has_margin);
    }
    if (result == 0 && a->has_margin) {
        result = order(!a->over && b->over, a->over && !b->over);
        const bool more = a->over ? a->margin < b->margin : a->margin > b->margin;
        result = result != 0 ? result : order(more, a->margin != b->margin && !more);
    }
    if (result == 0) {
        const int32_t first = a->offer->available;
        const int32_t second = b->offer->available;
        result = order(first != ZV_DATE_NONE && (second == ZV_DATE_NONE || first < second),
                       second != ZV_DATE_NONE && (first == ZV_DATE_NONE || second < first));
    }
    return result;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct zv_candidate *const a = left;
    const struct zv_candidate *const b = right;
    int result = order(a->state<b->state, a->state> b->state);
    result = result != 0 ? result : compare_value(a, b);
    return result != 0 ? result : order(a->offer<b->offer, a->offer> b->offer);
}

static bool same_list(const struct zv_candidate *a, const struct zv_candidate *b)
{
    return a->state == b->state && a->has_cost == b->has_cost &&
           (!a->has_cost || strcmp(a->cost.currency, b->cost.currency) == 0);
}

static void number(struct zv_choice *choice)
{
    size_t first = 0; /* of the list of this state and currency */
    for (size_t i = 0; i < choice->count; i++) {
        struct zv_candidate *const candidate = &choice->candidates[i];
        if (i != 0 && !same_list(candidate, candidate - 1)) {
            first = i;
        }
        const bool tied = i != first && compare_value(candidate, candidate - 1) == 0;
        candidate->rank = tied ? candidate[-1].rank : i - first + 1;
        if (tied) {
            candidate->tied = candidate[-1].tied = true;
        }

        choice->states[candidate->state]++;
    }
}

/* ---- all of it ---- */

static enum zv_status settle_days(struct zv_choice *choice, struct zv_error *err)
{
    const struct zv_offers *const offers = choice->input.offers;
    choice->days = choice->input.days;
    if (offers->count == 0) {
        return zv_fail(err, ZV_E_USAGE, "no offer with a card and a price to choose from");
    }
    if (choice->days != 0) {
        return ZV_OK;
    }
    bool first = true;
    for (size_t i = 0; i < offers->count; i++) {
        const struct zv_offer *const offer = &offers->items[i];
        if (offer->price.currency[0] == 0) {
            continue; /* a card alone costs nothing that is known */
        }
        choice->days = first ? offer->batch_days : choice->days;
        first = false;
        if (offer->batch_days == 0 || offer->batch_days != choice->days) {
            return zv_fail(err, ZV_E_USAGE,
                           "for how many days? give --days, or days: in the job file; these "
                           "prices are for different times");
        }
    }
    return ZV_OK;
}

static enum zv_status fill(struct zv_choice *choice, struct lookup *lookup, struct zv_error *err)
{
    for (size_t i = 0; i < choice->count; i++) {
        struct zv_candidate *const candidate = &choice->candidates[i];
        candidate->offer = &choice->input.offers->items[i];
        const enum zv_status status =
            capacity_of(lookup, candidate->offer, &candidate->capacity, err);
        if (status != ZV_OK) {
            return status;
        }
        candidate->has_cost =
            cost_of(candidate->offer, choice->days, choice->input.rates, &candidate->cost);
        judge_all(choice, candidate);
    }
    return ZV_OK;
}

enum zv_status zv_choose(struct zv_choice *choice, const struct zv_choose_input *input,
                         struct zv_arena *arena, struct zv_error *err)
{
    *choice = (struct zv_choice){.input = *input, .count = input->offers->count};
    enum zv_status status = settle_days(choice, err);
    if (status != ZV_OK) {
        return status;
    }
    choice->candidates = zv_arena_array(arena, choice->count, sizeof *choice->candidates);
    choice->documents = zv_arena_alloc(arena, sizeof *choice->documents);
    if (choice->candidates == NULL || choice->documents == NULL) {
        return zv_fail_memory(err, "candidates");
    }
    struct lookup lookup = {.cards = input->cards, .arena = arena};
    status = judge_documents(choice->documents, input, arena, err);
    if (status == ZV_OK) {
        status = fill(choice, &lookup, err);
    }
    zv_strmap_free(&lookup.names);
    if (status == ZV_OK) {
        qsort(choice->candidates, choice->count, sizeof *choice->candidates, compare_candidates);
        number(choice);
    }
    return status;
}

enum zv_status zv_choose_judge(struct zv_judgement judgements[ZV_NEED_KINDS],
                               const struct zv_choice *choice, const struct zv_candidate *candidate,
                               struct zv_arena *arena, struct zv_error *err)
{
    for (unsigned kind = 0; kind < ZV_NEED_KINDS; kind++) {
        judgements[kind] = (struct zv_judgement){0};
        if (choice->input.needs->kinds[kind].strength == ZV_NOT_NEEDED) {
            continue;
        }
        judgements[kind] = judge_need(choice, candidate, (enum zv_need_kind)kind, arena);
        if (judgements[kind].text == NULL) {
            return zv_fail_memory(err, "a judgement");
        }
    }
    return ZV_OK;
}
