#include "decide/offers.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "decide/offers_reader.h"

enum zv_status offers_reserve(struct offers_reader *reader, size_t more)
{
    struct zv_offers *const offers = reader->offers;
    if (more > ZV_OFFERS_MAX - offers->count) {
        return zv_fail(reader->err, ZV_E_LIMIT, "more than %d offers", ZV_OFFERS_MAX);
    }
    struct zv_offer *const items =
        zv_arena_array(reader->arena, offers->count + more, sizeof *items);
    if (items == NULL) {
        return zv_fail_memory(reader->err, "offers");
    }
    if (offers->count != 0) {
        memcpy(items, offers->items, offers->count * sizeof *items);
    }
    offers->items = items;
    offers->capacity = offers->count + more;
    return ZV_OK;
}

enum zv_status offers_add(struct offers_reader *reader, const struct zv_offer *offer)
{
    struct zv_offers *const offers = reader->offers;
    if (offers->count == offers->capacity) {
        return zv_fail(reader->err, ZV_E_BUG, "more offers than room");
    }
    offers->items[offers->count] = *offer;
    offers->items[offers->count++].file = reader->file;
    return ZV_OK;
}

enum zv_status offers_fail(const struct offers_reader *reader, uint64_t line, const char *column,
                           struct zv_slice cell, const char *expected)
{
    return zv_fail_line(reader->err, ZV_E_SYNTAX, line, "column %s: '%.*s': expected %s", column,
                        (int)(cell.length < 60 ? cell.length : 60), cell.length != 0 ? cell.at : "",
                        expected);
}

enum zv_status offers_hourly(const struct offers_reader *reader, uint64_t line, const char *column,
                             struct zv_slice cell, struct zv_offer *offer, bool *has)
{
    *has = cell.length != 0 && !zv_slice_equal_nocase(cell, "nan") &&
           !zv_slice_equal_nocase(cell, "none");
    if (*has && !zv_money_amount(cell, &offer->price.nano)) {
        return offers_fail(reader, line, column, cell,
                           cell.at[0] == '-' ? "a price that is not negative"
                                             : "a price an hour such as 1.25");
    }
    memcpy(offer->price.currency, "USD", 4);
    return ZV_OK;
}

bool offers_count(struct zv_slice cell, uint32_t *to)
{
    uint64_t value;
    if (!zv_slice_fixed(cell, 0, &value) || value > 100000) {
        return false;
    }
    *to = (uint32_t)value;
    return true;
}

bool offers_size(struct zv_slice cell, uint64_t unit, uint64_t *bytes)
{
    uint64_t billionths; /* the same rule as an amount of money */
    return zv_money_amount(cell, &billionths) && zv_mul_div(billionths, unit, 1000000000, bytes);
}

enum zv_status offers_need_columns(const struct offers_reader *reader, const struct zv_csv *csv,
                                   const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (zv_csv_column(csv, names[i]) < 0) {
            return zv_fail_line(reader->err, ZV_E_SYNTAX, csv->line, "column %s is missing",
                                names[i]);
        }
    }
    return ZV_OK;
}

enum zv_status zv_offers_add_card(struct zv_offers *offers, struct zv_slice card, uint32_t count,
                                  struct zv_arena *arena, struct zv_error *err)
{
    struct offers_reader reader = {
        .offers = offers, .file = "no offer", .arena = arena, .err = err};
    const struct zv_offer offer = {.card = card,
                                   .count = count,
                                   .available = ZV_DATE_NONE,
                                   .valid_until = ZV_DATE_NONE,
                                   .document_date = ZV_DATE_NONE};
    const enum zv_status status = offers_reserve(&reader, 1);
    return status == ZV_OK ? offers_add(&reader, &offer) : status;
}

static size_t count_lines(struct zv_slice text)
{
    size_t lines = 1;
    for (const char *at = text.at; text.length != 0;) {
        const char *const found = memchr(at, '\n', text.length - (size_t)(at - text.at));
        if (found == NULL) {
            break;
        }
        lines++;
        at = found + 1;
    }
    return lines;
}

static enum zv_status read_csv(struct offers_reader *reader)
{
    struct zv_csv csv;
    enum zv_status status = zv_csv_open(&csv, reader->text, reader->arena, reader->err);
    if (status == ZV_OK) {
        status = offers_reserve(reader, count_lines(reader->text));
    }
    if (status != ZV_OK) {
        return status;
    }
    if (zv_csv_column(&csv, "AcceleratorName") >= 0) {
        return offers_read_skypilot(reader, &csv);
    }
    if (zv_csv_column(&csv, "gpu_name") >= 0) {
        return offers_read_gpuhunt(reader, &csv);
    }
    if (zv_csv_column(&csv, "card") >= 0) {
        return offers_read_own_csv(reader, &csv);
    }
    return zv_fail_line(reader->err, ZV_E_UNSUPPORTED, csv.line,
                        "no table of offers that is known: expected a column card (own), "
                        "AcceleratorName (SkyPilot) or gpu_name (gpuhunt)");
}

enum zv_status zv_offers_read(struct zv_offers *offers, struct zv_slice text, const char *file,
                              const struct zv_offers_options *options, struct zv_arena *arena,
                              struct zv_error *err)
{
    struct offers_reader reader = {offers, options, text, file, arena, err};
    const struct zv_slice start = zv_slice_trim(text);
    enum zv_status status;
    if (start.length != 0 && (start.at[0] == '{' || start.at[0] == '[')) {
        status = zv_slice_contains(start, "\"gpu_ram\"") || zv_slice_contains(start, "\"dph_base\"")
                     ? offers_read_vast(&reader)
                     : offers_read_own_yaml(&reader);
    } else if (zv_slice_ends(zv_slice_of(file), ".yaml") ||
               zv_slice_ends(zv_slice_of(file), ".yml") || zv_slice_starts(start, "schema:")) {
        status = offers_read_own_yaml(&reader);
    } else {
        status = read_csv(&reader);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, file);
    }
    return status;
}
