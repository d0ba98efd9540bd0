#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "card/card.h"
#include "card/card_name.h"

/* Words of vendors and shops that do not tell cards of one vendor apart. */
static bool is_filler(const char *word)
{
    static const char *const fillers[] = {
        "nvidia", "geforce",  "tesla", "quadro", "amd", "radeon", "instinct",   "gpu",
        "card",   "graphics", "intel", "rtx",    "gtx", "rx",     "generation", "edition"};
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
        if (strcmp(word, fillers[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_size_of(const struct zv_card *card, const char *word)
{
    uint64_t bytes;
    return zv_is_digit(word[0]) && strstr(word, "g") != NULL &&
           zv_bytes_parse(zv_slice_of(word), &bytes) && bytes == card->nominal_bytes;
}

enum match { MATCH_NONE, MATCH_PART, MATCH_WHOLE };

/*
 * Every word of the name must belong to the card. Whole: the name has every word the card needs;
 * part: only some of them ("A100" for "A100 80GB").
 */
static enum match compare(const struct zv_card *card, const struct card_tokens *name)
{
    struct card_tokens needs;
    struct card_tokens may;
    if (!card_tokens_read(&needs, card->needs) || !card_tokens_read(&may, card->may)) {
        return MATCH_NONE;
    }
    size_t met = 0;
    for (size_t i = 0; i < name->count; i++) {
        const char *const word = name->words[i];
        if (card_tokens_have(&needs, word)) {
            met++;
        } else if (!card_tokens_have(&may, word) && !is_filler(word) && !is_size_of(card, word)) {
            return MATCH_NONE;
        }
    }
    /* the first needed word is the model itself */
    if (needs.count == 0 || !card_tokens_have(name, needs.words[0])) {
        return MATCH_NONE;
    }
    return met >= needs.count ? MATCH_WHOLE : MATCH_PART;
}

static size_t append(char *to, size_t used, size_t size, struct zv_slice name)
{
    const int n = snprintf(to + used, size - used, "%s%.*s", used != 0 ? ", " : "",
                           (int)name.length, name.at);
    return n > 0 && (size_t)n < size - used ? used + (size_t)n : used;
}

/* Cards that share a number with the name, as a hint. */
static enum zv_status fail_unknown(const struct zv_card_table *table, const char *name,
                                   const struct card_tokens *tokens, struct zv_error *err)
{
    char near[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct card_tokens needs;
        bool shares = false;
        if (card_tokens_read(&needs, table->cards[i].needs)) {
            for (size_t k = 0; k < tokens->count; k++) {
                shares = shares || (!is_filler(tokens->words[k]) &&
                                    strncmp(tokens->words[k], needs.words[0], 2) == 0);
            }
        }
        if (shares) {
            used = append(near, used, sizeof near, table->cards[i].name);
        }
    }
    return zv_fail(err, ZV_E_NOT_FOUND,
                   used != 0
                       ? "no card '%s' in the table; near: %s; or give a size such as 24GB"
                       : "no card '%s' in the table%s: 'zirve cards list' shows them; or give "
                         "a size such as 24GB",
                   name, near);
}

enum zv_status zv_card_find(const struct zv_card_table *table, const char *name,
                            const struct zv_card **card, struct zv_error *err)
{
    struct card_tokens tokens;
    if (!card_tokens_read(&tokens, zv_slice_of(name)) || tokens.count == 0) {
        return zv_fail(err, ZV_E_NOT_FOUND, "'%s' is no card's name", name);
    }
    char several[300] = "";
    size_t used = 0;
    enum match best = MATCH_NONE;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const enum match match = compare(&table->cards[i], &tokens);
        if (match == MATCH_NONE || match < best) {
            continue;
        }
        if (match > best) {
            best = match;
            count = 0;
            used = 0;
        }
        *card = &table->cards[i];
        used = append(several, used, sizeof several, table->cards[i].name);
        count++;
    }
    if (count == 0) {
        return fail_unknown(table, name, &tokens, err);
    }
    if (count > 1) {
        return zv_fail(err, ZV_E_USAGE, "card '%s' could be: %s", name, several);
    }
    return ZV_OK;
}

/* The most that a runtime was seen to get less than the driver reports, over the cards with both.
 */
static uint64_t largest_gap(const struct zv_card_table *table)
{
    uint64_t gap = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct zv_card *const card = &table->cards[i];
        uint64_t driver;
        uint64_t runtime;
        uint64_t high;
        if (!card->unified && zv_card_range(card, ZV_READING_DRIVER, &driver, &high) &&
            zv_card_range(card, ZV_READING_RUNTIME, &runtime, &high) && driver > runtime) {
            gap = driver - runtime > gap ? driver - runtime : gap;
        }
    }
    return gap;
}

/*
 * Without a runtime reading the next best figure is only a ceiling; what a runtime gets below it is
 * assumed from the other cards, and the basis says so.
 */
static void capacity_of_card(const struct zv_card_table *table, const struct zv_card *card,
                             struct zv_capacity *to, struct zv_arena *arena)
{
    *to = (struct zv_capacity){.name = card->name, .card = card, .known = ZV_MEASURED};
    if (zv_card_range(card, ZV_READING_RUNTIME, &to->low, &to->high)) {
        size_t readings = 0;
        for (size_t i = 0; i < card->reading_count; i++) {
            readings += card->readings[i].kind == ZV_READING_RUNTIME;
        }
        to->basis = readings == 1 ? "the one published reading of what a runtime sees"
                                  : zv_arena_print(arena,
                                                   "lowest of %zu published readings of what "
                                                   "a runtime sees",
                                                   readings);
        return;
    }
    const char *what = "driver's total";
    const uint64_t gap = largest_gap(table);
    if (!zv_card_range(card, ZV_READING_DRIVER, &to->low, &to->high)) {
        to->low = to->high = card->nominal_bytes;
        what = "nominal size";
    }
    to->known = ZV_ASSUMED;
    to->low -= gap < to->low ? gap : 0;
    to->basis = zv_arena_print(arena,
                               "no reading of what a runtime sees: the %s less %llu MiB, the most "
                               "that any card in the table falls short of its driver's total",
                               what, (unsigned long long)(gap / ZV_MIB));
}

enum zv_status zv_capacity_of(const struct zv_card_table *table, const char *name,
                              struct zv_capacity *capacity, struct zv_arena *arena,
                              struct zv_error *err)
{
    uint64_t bytes;
    uint64_t plain;
    if (zv_bytes_parse(zv_slice_of(name), &bytes) && !zv_slice_u64(zv_slice_of(name), &plain)) {
        *capacity = (struct zv_capacity){
            .name = zv_slice_of(name),
            .low = bytes,
            .high = bytes,
            .known = ZV_ASSUMED,
            .basis =
                "size given by hand, taken literally; a real card of that name allows less or more",
        };
        return ZV_OK;
    }
    const struct zv_card *card = NULL;
    const enum zv_status status = zv_card_find(table, name, &card, err);
    if (status == ZV_OK && card != NULL) {
        capacity_of_card(table, card, capacity, arena);
        if (capacity->basis == NULL) {
            return zv_fail_memory(err, "a capacity");
        }
        if (capacity->low == 0) {
            return zv_fail(err, ZV_E_NOT_FOUND, "no size is known for card '%s'", name);
        }
    }
    return status;
}
