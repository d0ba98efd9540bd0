#include "estimate/optimizer.h"

#include <stdio.h>

#include "base/checked.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/text_table.h"

static struct zv_slice cell(const struct zv_table *table, size_t row, const char *column)
{
    return zv_table_cell(table, row, zv_table_column(table, column));
}

static uint64_t number(const struct zv_table *table, size_t row, const char *column)
{
    uint64_t value = 0;
    return zv_slice_u64(cell(table, row, column), &value) ? value : 0;
}

static bool is_named(const struct zv_table *table, size_t row, struct zv_slice name)
{
    char text[64];
    struct zv_slice rest = cell(table, row, "aliases");
    struct zv_slice alias = cell(table, row, "name");
    do {
        (void)snprintf(text, sizeof text, "%.*s", (int)(alias.length < 63 ? alias.length : 63),
                       alias.at);
        if (zv_slice_equal_nocase(name, text)) {
            return true;
        }
    } while (zv_slice_word(&rest, &alias));
    return false;
}

static void read_row(struct optimizer *to, const struct zv_table *table, size_t row)
{
    const struct zv_slice update = cell(table, row, "update");
    *to = (struct optimizer){
        .name = cell(table, row, "name"),
        .states = number(table, row, "states"),
        .bits = number(table, row, "bits"),
        .block = number(table, row, "block"),
        .small = number(table, row, "small"),
        .factored = zv_slice_equal(cell(table, row, "factored"), "yes"),
        .managed = zv_slice_equal(cell(table, row, "place"), "managed"),
        .update = zv_slice_equal(update, "all")       ? OPTIMIZER_UPDATE_ALL
                  : zv_slice_equal(update, "largest") ? OPTIMIZER_UPDATE_LARGEST
                                                      : OPTIMIZER_UPDATE_NONE,
        .source = cell(table, row, "source"),
    };
}

enum zv_status optimizer_find(struct optimizer *to, struct zv_slice name, struct zv_arena *arena,
                              struct zv_error *err)
{
    struct zv_table table;
    char known[400] = "";
    size_t used = 0;
    const enum zv_status status = zv_table_read(&table, zv_data_find("optimizers.tsv"), arena, err);
    for (size_t i = 0; status == ZV_OK && i < table.row_count; i++) {
        if (is_named(&table, i, name)) {
            read_row(to, &table, i);
            return ZV_OK;
        }
        const struct zv_slice one = cell(&table, i, "name");
        const int n = snprintf(known + used, sizeof known - used, "%s%.*s", i != 0 ? ", " : "",
                               (int)one.length, one.at);
        used += n > 0 && (size_t)n < sizeof known - used ? (size_t)n : 0;
    }
    return status != ZV_OK ? status
                           : zv_fail(err, ZV_E_USAGE, "optimizer %.*s: expected one of %s",
                                     (int)name.length, name.at, known);
}

bool optimizer_state_bytes(const struct optimizer *optimizer, uint64_t elements, uint64_t rows,
                           uint64_t columns, uint64_t value_bytes, uint64_t *to)
{
    if (optimizer->factored) {
        uint64_t values = elements;
        return (rows == 0 || columns == 0 || zv_add(rows, columns, &values)) &&
               zv_mul(values, 4, to);
    }
    if (optimizer->bits == 0 || elements < optimizer->small) {
        uint64_t bytes;
        return zv_mul(optimizer->bits == 0 ? value_bytes : 4, optimizer->states, &bytes) &&
               zv_mul(elements, bytes, to);
    }
    uint64_t scales = 0;
    uint64_t each;
    if (optimizer->block != 0 && !zv_mul(zv_ceil_div(elements, optimizer->block), 4, &scales)) {
        return false;
    }
    return zv_mul(elements, optimizer->bits / 8, &each) && zv_add(each, scales, &each) &&
           zv_mul(each, optimizer->states, to);
}
