#include <string.h>

#include "base/fail.h"
#include "cli/card_files.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/report_cards.h"

/* The card that the operands from first on name. */
static enum zv_status show(const struct arguments *args, size_t first,
                           const struct card_files *files, struct output *out, struct zv_error *err)
{
    char name[256] = "";
    size_t used = 0;
    for (size_t i = first; i < args->operand_count; i++) { /* quotes around a name are optional */
        const char *const word = args->operands[i];
        const size_t length = strlen(word);
        if (length + 2 > sizeof name - used) {
            return zv_fail(err, ZV_E_USAGE, "the card's name is too long");
        }
        if (used != 0) {
            name[used++] = ' ';
        }
        memcpy(name + used, word, length + 1);
        used += length;
    }
    if (name[0] == 0) {
        return zv_fail(err, ZV_E_USAGE, "show: expected a card's name after it");
    }
    const struct zv_card *card;
    struct zv_card by_hand = {.name = zv_slice_of(name),
                              .vendor = zv_slice_of("by hand"),
                              .source = zv_slice_of("given by hand")};
    uint64_t plain;
    if (zv_bytes_parse(zv_slice_of(name), &by_hand.nominal_bytes) &&
        !zv_slice_u64(zv_slice_of(name), &plain)) {
        card = &by_hand;
    } else {
        const enum zv_status status = zv_card_find(&files->table, name, &card, err);
        if (status != ZV_OK) {
            return status;
        }
    }
    if (out->json) {
        report_cards_json(&out->sink, card, 1);
    } else {
        report_card_text(&out->sink, &out->style, card);
    }
    return ZV_OK;
}

static enum zv_status run(const struct arguments *args, struct output *out, struct zv_error *err)
{
    struct zv_arena arena = {0};
    struct card_files files;
    const char *const action = args->operand_count != 0 ? args->operands[0] : "list";
    enum zv_status status = card_files_open(&files, &arena, err);
    if (status != ZV_OK) {
        /* said already */
    } else if (strcmp(action, "show") == 0) {
        status = show(args, 1, &files, out, err);
    } else if (strcmp(action, "list") != 0) {
        status = show(args, 0, &files, out, err);
    } else if (args->operand_count > 1) {
        status = zv_fail(err, ZV_E_USAGE, "list takes no name: 'zirve cards %s' shows one card",
                         args->operands[1]);
    } else if (out->json) {
        report_cards_json(&out->sink, files.table.cards, files.table.count);
    } else {
        report_cards_text(&out->sink, &out->style, &files.table);
    }
    card_files_close(&files);
    zv_arena_free(&arena);
    return status;
}

const struct verb verb_cards = {
    .name = "cards",
    .question = "what cards are there, what can they really allocate?",
    .usage = "[list | [show] NAME] [options]",
    .actions = "list show",
    .about =
        "Lists GPU models with three sizes that are often confused: the nominal size of the data "
        "sheet, the total that the driver reports, and the total that a runtime can allocate "
        "from. Each reading has its source; what nobody published stays unknown. Your own cards "
        "and readings go into cards.tsv and card_readings.tsv below $XDG_CONFIG_HOME/zirve, in "
        "the form of the built-in tables.",
    .examples = "  zirve cards\n"
                "  zirve cards 4090\n"
                "  zirve cards show 24GB        # 24 GB = 22.35 GiB\n"
                "  zirve cards list --json\n",
    .run = run,
};
