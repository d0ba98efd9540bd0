/* Totals of cards: the built-in table beside a published reading. */
#include <stdio.h>

#include "card/card.h"
#include "selftest/checks.h"

/* "H100 SXM 80GB HBM3 (driver 595)": what stands in brackets is no part of the name. */
static bool name_of(char *to, size_t size, struct zv_slice model)
{
    const struct zv_slice plain = zv_slice_trim(zv_slice_cut(&model, '('));
    return plain.length != 0 && plain.length < size &&
           snprintf(to, size, "%.*s", (int)plain.length, plain.at) > 0;
}

static bool unit_of(const struct zv_row *row, enum zv_unit *unit)
{
    struct zv_slice text = zv_row_text(&row->measured, "unit");
    return zv_unit_parse(zv_slice_contains(text, "MiB") ? zv_slice_of("MiB") : text, unit);
}

void predict_card(struct checks *checks)
{
    const struct zv_row *const row = checks->row;
    const struct zv_slice text = zv_row_text(&row->measured, "total");
    const bool driver = zv_slice_starts(row->runtime, "nvidia-smi") ||
                        zv_slice_starts(row->runtime, "GPU Feature Discovery");
    const char *const item = driver ? "device_total_driver" : "device_total_runtime";
    struct zv_card_table table;
    const struct zv_card *card;
    struct measured figure;
    enum zv_unit unit = ZV_UNIT_MIB;
    char name[128];
    uint64_t low;
    uint64_t high;
    if (!unit_of(row, &unit) || !measured_read(text, unit, false, &figure)) {
        check_skip(checks, item, text, "the unit is not recorded");
        return;
    }
    if (zv_card_table_load(&table, (struct zv_slice){0}, (struct zv_slice){0}, checks->arena,
                           NULL) != ZV_OK) {
        checks->out_of_memory = true;
        return;
    }
    if (!name_of(name, sizeof name, row->model) ||
        zv_card_find(&table, name, &card, NULL) != ZV_OK) {
        check_skip(checks, item, text, "no card of that name, or several, in the table");
        return;
    }
    if (!zv_card_range(card, driver ? ZV_READING_DRIVER : ZV_READING_RUNTIME, &low, &high)) {
        check_skip(checks, item, text, "the table has no reading of that kind for this card");
        return;
    }
    check_byte_range(checks, item, &figure, low, high,
                     row->citable ? "the table's readings, made from rows like this"
                                  : "the table's readings of this card");
}
