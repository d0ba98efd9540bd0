#include "base/data.h"
#include "base/fail.h"
#include "base/text_table.h"
#include "base/units.h"
#include "runtime/version_text.h"
#include "runtime/versions.h"

struct constant_table {
    struct zv_table table;
    int runtime;
    int version;
    int item;
    int model;
    int card;
    int tp;
    int pp;
    int batched;
    int size;
    int row;
    int source;
};

static enum zv_status open_table(struct constant_table *to, struct zv_arena *arena,
                                 struct zv_error *err)
{
    const enum zv_status status =
        zv_table_read(&to->table, zv_data_find("runtime_constants.tsv"), arena, err);
    to->runtime = zv_table_column(&to->table, "runtime");
    to->version = zv_table_column(&to->table, "version");
    to->item = zv_table_column(&to->table, "item");
    to->model = zv_table_column(&to->table, "model");
    to->card = zv_table_column(&to->table, "card");
    to->tp = zv_table_column(&to->table, "tp");
    to->pp = zv_table_column(&to->table, "pp");
    to->batched = zv_table_column(&to->table, "batched_tokens");
    to->size = zv_table_column(&to->table, "size");
    to->row = zv_table_column(&to->table, "row");
    to->source = zv_table_column(&to->table, "source");
    return status;
}

/* The last part of "meta-llama/Llama-3.1-8B-Instruct"; people leave the owner off. */
static struct zv_slice base_name(struct zv_slice name)
{
    while (zv_slice_contains(name, "/")) {
        (void)zv_slice_cut(&name, '/');
    }
    return name;
}

static bool same_model(struct zv_slice a, struct zv_slice b)
{
    char text[128];
    a = base_name(a);
    b = base_name(b);
    if (a.length == 0 || a.length != b.length || a.length >= sizeof text) {
        return false;
    }
    for (size_t i = 0; i < a.length; i++) {
        text[i] = a.at[i];
    }
    text[a.length] = 0;
    return zv_slice_equal_nocase(b, text);
}

static uint32_t cell_u32(const struct constant_table *table, size_t row, int column)
{
    uint64_t value = 0;
    (void)zv_slice_u64(zv_table_cell(&table->table, row, column), &value);
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* How near a row is to the query; higher is nearer, negative is none of it. */
static int nearness(const struct constant_table *table, size_t row,
                    const struct zv_constant_query *query)
{
    const struct zv_table *const cells = &table->table;
    if (!zv_slice_equal(zv_table_cell(cells, row, table->runtime), zv_runtime_name(query->kind)) ||
        !zv_slice_equal(zv_table_cell(cells, row, table->item), query->item)) {
        return -1;
    }
    const uint32_t tp = query->tp > 1 ? query->tp : 1;
    const uint32_t row_tp = cell_u32(table, row, table->tp);
    int score = 0;
    score += (row_tp > 1) == (tp > 1) ? 16 : 0;
    score += same_model(zv_table_cell(cells, row, table->model), query->model) ? 2 : 0;
    score += cell_u32(table, row, table->pp) <= 1 ? 1 : 0;
    struct version asked;
    struct version have;
    if (query->version.length != 0 && version_read(&asked, query->version, false) &&
        version_read(&have, zv_table_cell(cells, row, table->version), false)) {
        score += version_compare(&have, &asked) <= 0 ? 4 : 0;
        score += version_compare(&have, &asked) == 0 ? 8 : 0;
    }
    return score;
}

/* Whether row a was seen with a newer version than row b. */
static bool is_newer(const struct constant_table *table, size_t a, size_t b)
{
    struct version first;
    struct version second;
    return version_read(&first, zv_table_cell(&table->table, a, table->version), false) &&
           version_read(&second, zv_table_cell(&table->table, b, table->version), false) &&
           version_compare(&first, &second) > 0;
}

static const char *copy_cell(struct zv_arena *arena, struct zv_slice cell)
{
    return cell.length != 0 ? zv_arena_copy(arena, cell.at, cell.length) : "";
}

/* Half of the last printed decimal of "1.89 GiB", in bytes. */
static uint64_t half_unit(struct zv_slice size)
{
    const struct zv_slice number = zv_slice_cut(&size, ' ');
    enum zv_unit unit = ZV_UNIT_B;
    struct zv_slice decimals = number;
    (void)zv_slice_cut(&decimals, '.');
    if (!zv_unit_parse(size, &unit)) {
        return 0;
    }
    uint64_t step = zv_unit_bytes(unit);
    for (size_t i = 0; i < decimals.length; i++) {
        step /= 10;
    }
    return step / 2;
}

static enum zv_status copy_row(struct zv_constant *to, const struct constant_table *table,
                               size_t row, struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_table *const cells = &table->table;
    const struct zv_slice size = zv_table_cell(cells, row, table->size);
    to->version = copy_cell(arena, zv_table_cell(cells, row, table->version));
    to->model = copy_cell(arena, zv_table_cell(cells, row, table->model));
    to->card = copy_cell(arena, zv_table_cell(cells, row, table->card));
    to->source = copy_cell(arena, zv_table_cell(cells, row, table->source));
    to->tp = cell_u32(table, row, table->tp);
    to->pp = cell_u32(table, row, table->pp);
    to->batched_tokens = cell_u32(table, row, table->batched);
    to->half_unit_bytes = half_unit(size);
    if (!zv_bytes_parse(size, &to->bytes)) {
        return zv_fail_line(err, ZV_E_SYNTAX, cells->lines[row], "'%.*s' is no size",
                            (int)size.length, size.at);
    }
    if (to->version == NULL || to->model == NULL || to->card == NULL || to->source == NULL) {
        return zv_fail_memory(err, "a runtime constant");
    }
    return ZV_OK;
}

enum zv_status zv_runtime_constant(struct zv_constant *to, bool *found,
                                   const struct zv_constant_query *query, struct zv_arena *arena,
                                   struct zv_error *err)
{
    *to = (struct zv_constant){.kind = query->kind,
                               .version = "",
                               .item = query->item,
                               .model = "",
                               .card = "",
                               .source = ""};
    *found = false;
    struct constant_table table = {0};
    const enum zv_status status = open_table(&table, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    int best = -1;
    size_t best_row = 0;
    for (size_t row = 0; row < table.table.row_count; row++) {
        const int score = nearness(&table, row, query);
        if (score > best || (score >= 0 && score == best && !is_newer(&table, best_row, row))) {
            best = score;
            best_row = row;
        }
    }
    *found = best >= 0;
    return *found ? copy_row(to, &table, best_row, arena, err) : ZV_OK;
}
