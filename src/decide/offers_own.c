/* Offers in the project's own columns: the same in CSV, YAML and JSON. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "decide/offers_reader.h"
#include "format/yaml.h"

enum column {
    CARD,
    PRICE,
    CURRENCY,
    DAYS,
    COUNT,
    MEMORY,
    HOST_RAM,
    AVAILABLE,
    VALID_UNTIL,
    REGION,
    DOCUMENT,
    DOCUMENT_DATE,
    ID,
    COLUMNS
};

static const char *const names[COLUMNS] = {[CARD] = "card",
                                           [PRICE] = "price",
                                           [CURRENCY] = "currency",
                                           [DAYS] = "days",
                                           [COUNT] = "count",
                                           [MEMORY] = "memory",
                                           [HOST_RAM] = "host_ram",
                                           [AVAILABLE] = "available",
                                           [VALID_UNTIL] = "valid_until",
                                           [REGION] = "region",
                                           [DOCUMENT] = "document",
                                           [DOCUMENT_DATE] = "document_date",
                                           [ID] = "id"};
enum { NEEDED = DAYS + 1 }; /* the first ones are */

/* One offer's cells, wherever they come from. */
struct row {
    struct zv_slice cells[COLUMNS];
    uint64_t lines[COLUMNS];
};

static enum zv_status take_size(struct offers_reader *reader, const struct row *row,
                                enum column column, uint64_t *to)
{
    const struct zv_slice cell = row->cells[column];
    uint64_t plain;
    if (cell.length != 0 && (zv_slice_u64(cell, &plain) || !zv_bytes_parse(cell, to))) {
        return offers_fail(reader, row->lines[column], names[column], cell,
                           "a size with its unit such as 24GB or 64GiB");
    }
    return ZV_OK;
}

/* A day; of those that must not have passed, one that has proves nothing any more. */
static enum zv_status take_date(struct offers_reader *reader, const struct row *row,
                                enum column column, int32_t *to)
{
    const struct zv_slice cell = row->cells[column];
    char today[ZV_DATE_TEXT];
    char expected[96];
    *to = ZV_DATE_NONE;
    if (cell.length == 0) {
        return ZV_OK;
    }
    if (!zv_date_parse(cell, to)) {
        return offers_fail(reader, row->lines[column], names[column], cell,
                           "a date such as 2026-12-31");
    }
    const bool past = *to < reader->options->today;
    if (column == DOCUMENT_DATE ? *to > reader->options->today : past) {
        zv_date_print(today, reader->options->today);
        (void)snprintf(expected, sizeof expected, "a day %s %s (--today sets the day)",
                       column == DOCUMENT_DATE ? "not after" : "not before", today);
        return offers_fail(reader, row->lines[column], names[column], cell, expected);
    }
    return ZV_OK;
}

static enum zv_status take_price(struct offers_reader *reader, const struct row *row,
                                 struct zv_offer *offer)
{
    const struct zv_slice price = row->cells[PRICE];
    if (!zv_money_amount(price, &offer->price.nano)) {
        return offers_fail(reader, row->lines[PRICE], names[PRICE], price,
                           price.length != 0 && price.at[0] == '-' ? "a price that is not negative"
                                                                   : "a price such as 47.14");
    }
    if (!zv_money_currency(row->cells[CURRENCY], offer->price.currency)) {
        return offers_fail(reader, row->lines[CURRENCY], names[CURRENCY], row->cells[CURRENCY],
                           "a currency's code such as USD or EUR");
    }
    if (!offers_count(row->cells[DAYS], &offer->batch_days) || offer->batch_days == 0) {
        return offers_fail(reader, row->lines[DAYS], names[DAYS], row->cells[DAYS],
                           "the days that the price is for, at least 1");
    }
    return ZV_OK;
}

static enum zv_status take_row(struct offers_reader *reader, const struct row *row)
{
    struct zv_offer offer = {.id = row->cells[ID],
                             .card = row->cells[CARD],
                             .count = 1,
                             .region = row->cells[REGION],
                             .document = row->cells[DOCUMENT],
                             .line = row->lines[CARD]};
    if (offer.card.length == 0) {
        return offers_fail(reader, row->lines[CARD], names[CARD], offer.card, "a card's name");
    }
    if (row->cells[COUNT].length != 0 &&
        (!offers_count(row->cells[COUNT], &offer.count) || offer.count == 0)) {
        return offers_fail(reader, row->lines[COUNT], names[COUNT], row->cells[COUNT],
                           "a number of cards, at least 1");
    }
    enum zv_status status = take_price(reader, row, &offer);
    const struct {
        enum column column;
        uint64_t *to;
    } sizes[] = {{MEMORY, &offer.memory_bytes}, {HOST_RAM, &offer.host_ram_bytes}};
    const struct {
        enum column column;
        int32_t *to;
    } dates[] = {{AVAILABLE, &offer.available},
                 {VALID_UNTIL, &offer.valid_until},
                 {DOCUMENT_DATE, &offer.document_date}};
    for (size_t i = 0; status == ZV_OK && i < sizeof sizes / sizeof sizes[0]; i++) {
        status = take_size(reader, row, sizes[i].column, sizes[i].to);
    }
    for (size_t i = 0; status == ZV_OK && i < sizeof dates / sizeof dates[0]; i++) {
        status = take_date(reader, row, dates[i].column, dates[i].to);
    }
    return status == ZV_OK ? offers_add(reader, &offer) : status;
}

enum zv_status offers_read_own_csv(struct offers_reader *reader, struct zv_csv *csv)
{
    int columns[COLUMNS];
    enum zv_status status = offers_need_columns(reader, csv, names, NEEDED);
    for (size_t i = 0; i < COLUMNS; i++) {
        columns[i] = zv_csv_column(csv, names[i]);
    }
    for (size_t i = 0; status == ZV_OK && i < csv->column_count; i++) {
        bool known = false;
        for (size_t k = 0; k < COLUMNS; k++) {
            known = known || (int)i == columns[k];
        }
        if (!known) {
            status = offers_fail(reader, csv->line, "names", csv->columns[i],
                                 "a column of docs/JOBS.md");
        }
    }
    while (status == ZV_OK) {
        struct row row;
        status = zv_csv_next(csv, reader->err);
        if (status != ZV_OK || csv->at_end) {
            break;
        }
        for (size_t i = 0; i < COLUMNS; i++) {
            row.cells[i] = zv_csv_cell(csv, columns[i]);
            row.lines[i] = csv->line;
        }
        status = take_row(reader, &row);
    }
    return status;
}

static enum zv_status take_map(struct offers_reader *reader, const struct zv_yaml_value *map)
{
    struct row row = {0};
    if (map->kind != ZV_YAML_MAP) {
        return zv_yaml_fail(map, reader->err, ZV_E_SYNTAX, "expected an offer's keys");
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        row.lines[i] = map->line;
    }
    for (size_t i = 0; i < zv_yaml_count(map); i++) {
        const struct zv_yaml_value *const value = zv_yaml_item(map, i);
        size_t column = 0;
        while (column < COLUMNS && !zv_slice_equal(value->key, names[column])) {
            column++;
        }
        if (column == COLUMNS || value->kind == ZV_YAML_LIST || value->kind == ZV_YAML_MAP) {
            return zv_yaml_fail(
                value, reader->err, ZV_E_SYNTAX, "'%.*s' is no key of an offer with one value",
                (int)(value->key.length < 60 ? value->key.length : 60), value->key.at);
        }
        row.cells[column] = value->text;
        row.lines[column] = value->line;
    }
    return take_row(reader, &row);
}

enum zv_status offers_read_own_yaml(struct offers_reader *reader)
{
    const struct zv_yaml_value *root;
    struct zv_slice schema = {0};
    enum zv_status status = zv_yaml_read(&root, reader->text, reader->arena, reader->err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_yaml_value *const list = zv_yaml_find(root, "offers");
    if (!zv_yaml_text(zv_yaml_find(root, "schema"), &schema) ||
        !zv_slice_equal(schema, "zirve.offers/1") || list == NULL || list->kind != ZV_YAML_LIST) {
        return zv_yaml_fail(root, reader->err, ZV_E_UNSUPPORTED,
                            "no offers that are known: expected 'schema: zirve.offers/1' and a "
                            "list 'offers', or vast.ai's JSON");
    }
    status = offers_reserve(reader, zv_yaml_count(list));
    for (size_t i = 0; status == ZV_OK && i < zv_yaml_count(list); i++) {
        status = take_map(reader, zv_yaml_item(list, i));
    }
    return status;
}
