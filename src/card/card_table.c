#include "base/data.h"
#include "base/fail.h"
#include "base/text_table.h"
#include "base/units.h"
#include "card/card.h"
#include "card/card_name.h"

enum { MAX_CARDS = 4096 };

static enum zv_status fail_cell(struct zv_error *err, const struct zv_table *rows, size_t row,
                                const char *column, const char *expected)
{
    return zv_fail_line(err, ZV_E_SYNTAX, rows->lines[row], "column %s: expected %s", column,
                        expected);
}

static enum zv_status read_card(struct zv_card *card, const struct zv_table *rows, size_t row,
                                struct zv_error *err)
{
    const struct zv_slice nominal = zv_table_cell(rows, row, zv_table_column(rows, "nominal"));
    const struct zv_slice memory = zv_table_cell(rows, row, zv_table_column(rows, "memory"));
    card->name = zv_table_cell(rows, row, zv_table_column(rows, "name"));
    card->vendor = zv_table_cell(rows, row, zv_table_column(rows, "vendor"));
    card->needs = zv_table_cell(rows, row, zv_table_column(rows, "needs"));
    card->may = zv_table_cell(rows, row, zv_table_column(rows, "may"));
    card->source = zv_table_cell(rows, row, zv_table_column(rows, "source"));
    card->unified = zv_slice_equal(memory, "unified");
    if (card->needs.length == 0) {
        card->needs = card->name;
    }
    if (card->name.length == 0) {
        return fail_cell(err, rows, row, "name", "the card's name");
    }
    if (nominal.length != 0 && !zv_bytes_parse(nominal, &card->nominal_bytes)) {
        return fail_cell(err, rows, row, "nominal", "a size such as 24GB");
    }
    return ZV_OK;
}

static enum zv_status read_cards(struct zv_card_table *table, struct zv_slice text, bool user,
                                 struct zv_arena *arena, struct zv_error *err)
{
    struct zv_table rows;
    enum zv_status status = zv_table_read(&rows, text, arena, err);
    for (size_t i = 0; status == ZV_OK && i < rows.row_count; i++) {
        if (table->count == MAX_CARDS) {
            return zv_fail_line(err, ZV_E_LIMIT, rows.lines[i], "more than %d cards", MAX_CARDS);
        }
        struct zv_card card = {.user = user};
        status = read_card(&card, &rows, i, err);
        size_t at = 0; /* a user's row replaces the built-in one of the same name */
        while (at < table->count && !(table->cards[at].name.length == card.name.length &&
                                      card_same_name(table->cards[at].name, card.name))) {
            at++;
        }
        if (at < table->count) {
            card.kernels = table->cards[at].kernels;
        }
        table->cards[at] = card;
        table->count += at == table->count;
    }
    return status;
}

static struct zv_card *named(const struct zv_card_table *table, struct zv_slice name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (card_same_name(table->cards[i].name, name)) {
            return &table->cards[i];
        }
    }
    return NULL;
}

static enum zv_status add_reading(struct zv_card *card, const struct zv_table *rows, size_t row,
                                  struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_slice kind = zv_table_cell(rows, row, zv_table_column(rows, "kind"));
    struct zv_card_reading reading = {
        .kind = zv_slice_equal(kind, "driver") ? ZV_READING_DRIVER : ZV_READING_RUNTIME,
        .printed = zv_table_cell(rows, row, zv_table_column(rows, "total")),
        .by = zv_table_cell(rows, row, zv_table_column(rows, "by")),
        .source = zv_table_cell(rows, row, zv_table_column(rows, "source")),
    };
    if (!zv_slice_equal(kind, "driver") && !zv_slice_equal(kind, "runtime")) {
        return fail_cell(err, rows, row, "kind", "driver or runtime");
    }
    if (!zv_bytes_parse(reading.printed, &reading.bytes)) {
        return fail_cell(err, rows, row, "total", "a size such as 24564 MiB");
    }
    struct zv_card_reading *const all = zv_arena_array(arena, card->reading_count + 1, sizeof *all);
    if (all == NULL) {
        return zv_fail_memory(err, "card readings");
    }
    for (size_t i = 0; i < card->reading_count; i++) {
        all[i] = card->readings[i];
    }
    all[card->reading_count++] = reading;
    card->readings = all;
    return ZV_OK;
}

static enum zv_status read_readings(struct zv_card_table *table, struct zv_slice text,
                                    struct zv_arena *arena, struct zv_error *err)
{
    struct zv_table rows;
    enum zv_status status = zv_table_read(&rows, text, arena, err);
    for (size_t i = 0; status == ZV_OK && i < rows.row_count; i++) {
        struct zv_card *const card =
            named(table, zv_table_cell(&rows, i, zv_table_column(&rows, "card")));
        status = card != NULL ? add_reading(card, &rows, i, arena, err)
                              : fail_cell(err, &rows, i, "card", "the name of a card of the table");
    }
    return status;
}

/* "8.9" */
static const struct zv_capability *read_capability(struct zv_slice text)
{
    uint64_t major = 0;
    uint64_t minor = 0;
    const struct zv_slice first = zv_slice_cut(&text, '.');
    return zv_slice_u64(first, &major) && zv_slice_u64(text, &minor) && major < 100 && minor < 100
               ? zv_capability_find((uint32_t)major, (uint32_t)minor)
               : NULL;
}

/* One row a card at most: a second one could only disagree. */
static enum zv_status read_kernels(struct zv_card_table *table, struct zv_arena *arena,
                                   struct zv_error *err)
{
    struct zv_table rows;
    enum zv_status status = zv_table_read(&rows, zv_data_find("card_kernels.tsv"), arena, err);
    for (size_t i = 0; status == ZV_OK && i < rows.row_count; i++) {
        struct zv_card *const card =
            named(table, zv_table_cell(&rows, i, zv_table_column(&rows, "card")));
        const struct zv_slice count = zv_table_cell(&rows, i, zv_table_column(&rows, "processors"));
        const struct zv_slice capability =
            zv_table_cell(&rows, i, zv_table_column(&rows, "capability"));
        uint64_t processors = 0;
        if (card == NULL || card->kernels.source.length != 0) {
            return fail_cell(err, &rows, i, "card", "the name of a card of the table, once");
        }
        card->kernels = (struct zv_card_kernels){
            .capability = read_capability(capability),
            .source = zv_table_cell(&rows, i, zv_table_column(&rows, "source"))};
        if (card->kernels.capability == NULL) {
            return fail_cell(err, &rows, i, "capability", "a compute capability such as 8.9");
        }
        if (count.length != 0 && (!zv_slice_u64(count, &processors) || processors > UINT16_MAX)) {
            return fail_cell(err, &rows, i, "processors", "a number of multiprocessors");
        }
        card->kernels.processors = (uint32_t)processors;
    }
    return status;
}

enum zv_status zv_card_table_load(struct zv_card_table *table, struct zv_slice user_cards,
                                  struct zv_slice user_readings, struct zv_arena *arena,
                                  struct zv_error *err)
{
    *table = (struct zv_card_table){0};
    table->cards = zv_arena_array(arena, MAX_CARDS, sizeof *table->cards);
    if (table->cards == NULL) {
        return zv_fail_memory(err, "the card table");
    }
    enum zv_status status = read_cards(table, zv_data_find("cards.tsv"), false, arena, err);
    if (status == ZV_OK) {
        status = read_kernels(table, arena, err);
    }
    if (status == ZV_OK && user_cards.length != 0) {
        status = read_cards(table, user_cards, true, arena, err);
    }
    if (status == ZV_OK) {
        status = read_readings(table, zv_data_find("card_readings.tsv"), arena, err);
    }
    if (status == ZV_OK && user_readings.length != 0) {
        status = read_readings(table, user_readings, arena, err);
    }
    return status;
}

bool zv_card_range(const struct zv_card *card, enum zv_reading_kind kind, uint64_t *low,
                   uint64_t *high)
{
    bool any = false;
    for (size_t i = 0; i < card->reading_count; i++) {
        const struct zv_card_reading *const reading = &card->readings[i];
        if (reading->kind != kind) {
            continue;
        }
        *low = !any || reading->bytes < *low ? reading->bytes : *low;
        *high = !any || reading->bytes > *high ? reading->bytes : *high;
        any = true;
    }
    return any;
}
