/*
 * Catalogs that others keep. Prices are USD an hour, for the whole machine. Their traps
 * (docs/JOBS.md): SkyPilot's columns come in any order and its GpuInfo is a Python repr in which
 * SizeInMiB is GB for one provider and the total is that of one card; gpuhunt's gpu_memory is
 * nominal GB.
 */
#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "decide/offers_reader.h"
#include "format/json_tree.h"

/* The number behind 'SizeInMiB': in a Python repr; empty when there is none. */
static struct zv_slice size_in_mib(struct zv_slice info)
{
    static const char key[] = "SizeInMiB";
    struct zv_slice number = {0};
    const char *at = info.length != 0 ? memmem(info.at, info.length, key, sizeof key - 1) : NULL;
    while (at != NULL && at < info.at + info.length && (*at < '0' || *at > '9')) {
        at++;
    }
    if (at == NULL || at == info.at + info.length) {
        return number;
    }
    number.at = at;
    while (at < info.at + info.length && (zv_is_digit(*at) || *at == '.')) {
        at++;
    }
    number.length = (size_t)(at - number.at);
    return number;
}

/* No card has less than a GiB: a "MiB" below 1024 is GB. */
static void take_memory(struct offers_reader *reader, struct zv_slice number,
                        struct zv_offer *offer)
{
    uint64_t bytes = 0;
    if (!offers_size(number, ZV_MIB, &bytes)) {
        return;
    }
    if (bytes < ZV_GIB && offers_size(number, 1000000000, &bytes)) {
        reader->offers->mended++;
    }
    offer->memory_bytes = bytes;
}

static const struct zv_offer empty_offer = {
    .available = ZV_DATE_NONE, .valid_until = ZV_DATE_NONE, .document_date = ZV_DATE_NONE};

static enum zv_status add_hourly(struct offers_reader *reader, struct zv_offer *offer,
                                 const char *column, struct zv_slice price)
{
    bool has;
    const enum zv_status status = offers_hourly(reader, offer->line, column, price, offer, &has);
    if (status != ZV_OK || has) {
        return status == ZV_OK ? offers_add(reader, offer) : status;
    }
    reader->offers->without_price++;
    return ZV_OK;
}

enum zv_status offers_read_skypilot(struct offers_reader *reader, struct zv_csv *csv)
{
    static const char *const needed[] = {"AcceleratorName", "AcceleratorCount", "Price"};
    const char *const price_name = reader->options->spot ? "SpotPrice" : "Price";
    const int name = zv_csv_column(csv, "AcceleratorName");
    const int count = zv_csv_column(csv, "AcceleratorCount");
    const int price = zv_csv_column(csv, price_name);
    const int id = zv_csv_column(csv, "InstanceType");
    const int ram = zv_csv_column(csv, "MemoryGiB");
    const int region = zv_csv_column(csv, "Region");
    const int info = zv_csv_column(csv, "GpuInfo");
    enum zv_status status = offers_need_columns(reader, csv, needed, 3);
    while (status == ZV_OK) {
        status = zv_csv_next(csv, reader->err);
        if (status != ZV_OK || csv->at_end) {
            break;
        }
        struct zv_offer offer = empty_offer;
        offer.card = zv_csv_cell(csv, name);
        if (offer.card.length == 0) {
            reader->offers->without_card++;
            continue;
        }
        offer.line = csv->line;
        offer.id = zv_csv_cell(csv, id);
        offer.region = zv_csv_cell(csv, region);
        if (!offers_count(zv_csv_cell(csv, count), &offer.count)) {
            uint64_t billionths; /* some instances sell a part of a card */
            if (!zv_money_amount(zv_csv_cell(csv, count), &billionths)) {
                return offers_fail(reader, csv->line, "AcceleratorCount", zv_csv_cell(csv, count),
                                   "a number of cards");
            }
        }
        if (offer.count == 0) {
            reader->offers->without_card++;
            continue;
        }
        (void)offers_size(zv_csv_cell(csv, ram), ZV_GIB, &offer.host_ram_bytes);
        take_memory(reader, size_in_mib(zv_csv_cell(csv, info)), &offer);
        status = add_hourly(reader, &offer, price_name, zv_csv_cell(csv, price));
    }
    return status;
}

enum zv_status offers_read_gpuhunt(struct offers_reader *reader, struct zv_csv *csv)
{
    static const char *const needed[] = {"gpu_name", "gpu_count", "gpu_memory", "price"};
    const int name = zv_csv_column(csv, "gpu_name");
    const int count = zv_csv_column(csv, "gpu_count");
    const int memory = zv_csv_column(csv, "gpu_memory");
    const int price = zv_csv_column(csv, "price");
    const int id = zv_csv_column(csv, "instance_name");
    const int ram = zv_csv_column(csv, "memory");
    const int region = zv_csv_column(csv, "location");
    const int spot = zv_csv_column(csv, "spot");
    enum zv_status status = offers_need_columns(reader, csv, needed, 4);
    while (status == ZV_OK) {
        status = zv_csv_next(csv, reader->err);
        if (status != ZV_OK || csv->at_end) {
            break;
        }
        struct zv_offer offer = empty_offer;
        const struct zv_slice cards = zv_csv_cell(csv, count);
        offer.line = csv->line;
        offer.card = zv_csv_cell(csv, name);
        if (cards.length != 0 && !offers_count(cards, &offer.count)) {
            return offers_fail(reader, csv->line, "gpu_count", cards, "a number of cards");
        }
        if (offer.count == 0 || offer.card.length == 0) {
            reader->offers->without_card++;
            continue;
        }
        if (zv_slice_equal_nocase(zv_csv_cell(csv, spot), "true") != reader->options->spot) {
            reader->offers->without_price++;
            continue;
        }
        offer.id = zv_csv_cell(csv, id);
        offer.region = zv_csv_cell(csv, region);
        (void)offers_size(zv_csv_cell(csv, memory), 1000000000, &offer.memory_bytes);
        (void)offers_size(zv_csv_cell(csv, ram), 1000000000, &offer.host_ram_bytes);
        status = add_hourly(reader, &offer, "price", zv_csv_cell(csv, price));
    }
    return status;
}

static uint64_t line_of(struct zv_slice text, uint32_t offset)
{
    uint64_t line = 1;
    for (size_t i = 0; i < offset && i < text.length; i++) {
        line += text.at[i] == '\n';
    }
    return line;
}

static struct zv_slice number_text(const struct zv_json_value *value)
{
    return zv_json_is(value, ZV_JSON_IS_NUMBER) ? value->u.text : (struct zv_slice){0};
}

static enum zv_status take_vast(struct offers_reader *reader, const struct zv_json_value *item,
                                uint64_t line)
{
    struct zv_offer offer = empty_offer;
    const char *const price_name = reader->options->spot ? "min_bid" : "dph_base";
    offer.line = line;
    (void)zv_json_string(zv_json_find(item, "gpu_name"), &offer.card);
    (void)zv_json_string(zv_json_find(item, "geolocation"), &offer.region);
    offer.id = number_text(zv_json_find(item, "id"));
    const struct zv_slice count = number_text(zv_json_find(item, "num_gpus"));
    if (!zv_json_is(item, ZV_JSON_IS_OBJECT) || offer.card.length == 0 ||
        !offers_count(count, &offer.count)) {
        return zv_fail_line(reader->err, ZV_E_SYNTAX, line,
                            "expected an offer with gpu_name and num_gpus");
    }
    if (offer.count == 0) {
        reader->offers->without_card++;
        return ZV_OK;
    }
    take_memory(reader, number_text(zv_json_find(item, "gpu_ram")), &offer);
    return add_hourly(reader, &offer, price_name, number_text(zv_json_find(item, price_name)));
}

enum zv_status offers_read_vast(struct offers_reader *reader)
{
    const struct zv_json_value *root;
    struct zv_error cause = {0};
    enum zv_status status =
        zv_json_tree_read(&root, reader->text, ZV_JSON_ALLOW_NONFINITE, reader->arena, &cause);
    if (status != ZV_OK) {
        return zv_fail_line(reader->err, status, line_of(reader->text, (uint32_t)cause.offset),
                            "%s", cause.text);
    }
    const struct zv_json_value *const list =
        zv_json_is(root, ZV_JSON_IS_ARRAY) ? root : zv_json_find(root, "offers");
    if (!zv_json_is(list, ZV_JSON_IS_ARRAY)) {
        return zv_fail_line(reader->err, ZV_E_SYNTAX, 1, "expected a list of offers");
    }
    uint64_t line = 1;
    uint32_t at = 0;
    status = offers_reserve(reader, zv_json_count(list));
    for (size_t i = 0; status == ZV_OK && i < zv_json_count(list); i++) {
        const struct zv_json_value *const item = zv_json_item(list, i);
        const struct zv_slice between = {reader->text.at + at, item->offset - at};
        line += line_of(between, item->offset - at) - 1;
        at = item->offset;
        status = take_vast(reader, item, line);
    }
    return status;
}
