#include "model/tensor_parts.h"

#include <string.h>

#include "base/data.h"
#include "base/fail.h"

enum { NAME_LIMIT = 512 }; /* bytes of a name that are looked at */

static const char *const part_words[ZV_PART_COUNT] = {
    [ZV_PART_OTHER] = "other",       [ZV_PART_EMBEDDING] = "embedding",
    [ZV_PART_POSITION] = "position", [ZV_PART_HEAD] = "head",
    [ZV_PART_NORM] = "norm",         [ZV_PART_ATTENTION] = "attention",
    [ZV_PART_MLP] = "mlp",           [ZV_PART_ROUTER] = "router",
    [ZV_PART_EXPERT] = "expert",     [ZV_PART_SHARED_EXPERT] = "shared_expert",
    [ZV_PART_STATE] = "state",       [ZV_PART_ENCODER] = "encoder",
    [ZV_PART_VISION] = "vision",     [ZV_PART_PROJECTOR] = "projector",
    [ZV_PART_ADAPTER] = "adapter",   [ZV_PART_DRAFT] = "draft",
    [ZV_PART_DENOISER] = "denoiser", [ZV_PART_VAE] = "vae",
};

static const char *const split_words[] = {
    [ZV_SPLIT_NONE] = "none",
    [ZV_SPLIT_ROWS] = "rows",
    [ZV_SPLIT_COLUMNS] = "columns",
    [ZV_SPLIT_KV_HEADS] = "kv_heads",
};

static int word_index(struct zv_slice word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        if (zv_slice_equal(word, words[i])) {
            return i;
        }
    }
    return -1;
}

static enum zv_status read_places(struct tensor_parts *parts, struct zv_error *err)
{
    const struct zv_table *const table = &parts->table;
    const int part_column = zv_table_column(table, "part");
    const int split_column = zv_table_column(table, "split");
    const int kind_column = zv_table_column(table, "kind");
    for (size_t row = 0; row < table->row_count; row++) {
        const int part =
            word_index(zv_table_cell(table, row, part_column), part_words, ZV_PART_COUNT);
        const struct zv_slice split_cell = zv_table_cell(table, row, split_column);
        const int split = split_cell.length == 0 ? 0 : word_index(split_cell, split_words, 4);
        if (part < 0 || split < 0) {
            return zv_fail_line(err, ZV_E_BUG, table->lines[row], "tensor_parts.tsv: unknown word");
        }
        const struct zv_slice kind = zv_table_cell(table, row, kind_column);
        parts->places[row] =
            (struct tensor_place){(enum zv_part)part, (enum zv_split)split,
                                  zv_slice_equal(kind, "linear"), zv_slice_equal(kind, "rebuilt")};
    }
    return ZV_OK;
}

enum zv_status tensor_parts_open(struct tensor_parts *parts, struct zv_arena *arena,
                                 struct zv_error *err)
{
    *parts = (struct tensor_parts){.arena = arena};
    enum zv_status status =
        zv_table_read(&parts->table, zv_data_find("tensor_parts.tsv"), arena, err);
    if (status != ZV_OK) {
        return status;
    }
    parts->places = zv_arena_array(arena, parts->table.row_count, sizeof *parts->places);
    return parts->places == NULL ? zv_fail_memory(err, "tensor parts") : read_places(parts, err);
}

void tensor_parts_close(struct tensor_parts *parts)
{
    zv_strmap_free(&parts->seen);
}

/* Numbers that are whole segments become #, so that one layer's names stand for all layers'. */
static size_t normalise(struct zv_slice name, char to[NAME_LIMIT])
{
    size_t length = 0;
    size_t i = 0;
    while (i < name.length && length < NAME_LIMIT) {
        size_t end = i;
        while (end < name.length && zv_is_digit(name.at[end])) {
            end++;
        }
        const bool starts = i == 0 || name.at[i - 1] == '.';
        const bool ends = end == name.length || name.at[end] == '.';
        if (end != i && starts && ends) {
            to[length++] = '#';
            i = end;
        } else {
            to[length++] = name.at[i++];
        }
    }
    return length;
}

/* '*' stands for any run of characters. */
static bool matches(struct zv_slice pattern, struct zv_slice name)
{
    size_t p = 0;
    size_t n = 0;
    size_t star = SIZE_MAX;
    size_t retry = 0;
    while (n < name.length) {
        if (p < pattern.length && pattern.at[p] == '*') {
            star = p++;
            retry = n;
        } else if (p < pattern.length && pattern.at[p] == name.at[n]) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.at[p] == '*') {
        p++;
    }
    return p == pattern.length;
}

static uint64_t find_row(const struct tensor_parts *parts, struct zv_slice name)
{
    for (size_t row = 0; row < parts->table.row_count; row++) {
        if (matches(zv_table_cell(&parts->table, row, 0), name)) {
            return row + 1;
        }
    }
    return 0;
}

struct tensor_place tensor_parts_find(struct tensor_parts *parts, struct zv_slice name)
{
    char text[NAME_LIMIT];
    const struct zv_slice plain = {text, normalise(name, text)};
    const struct zv_strmap_entry *const known = zv_strmap_find(&parts->seen, plain);
    uint64_t row = known != NULL ? known->value : find_row(parts, plain);
    if (known == NULL) {
        const char *const key = zv_arena_copy(parts->arena, plain.at, plain.length);
        struct zv_strmap_entry *entry;
        if (key != NULL) { /* without memory it is only slower */
            (void)zv_strmap_add(&parts->seen, (struct zv_slice){key, plain.length}, row, &entry);
        }
    }
    return row != 0 ? parts->places[row - 1] : (struct tensor_place){0};
}

int64_t tensor_layer_of(struct zv_slice name)
{
    static const char *const words[] = {"layers", "layer", "h", "blk", "block", "blocks"};
    struct zv_slice rest = name;
    bool after = false;
    while (rest.length != 0) {
        const struct zv_slice segment = zv_slice_cut(&rest, '.');
        uint64_t number;
        if (after && zv_slice_u64(segment, &number) && number <= INT32_MAX) {
            return (int64_t)number;
        }
        after = word_index(segment, words, sizeof words / sizeof *words) >= 0;
    }
    return -1;
}
