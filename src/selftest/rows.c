#include "selftest/rows.h"

#include "base/data.h"
#include "base/fail.h"
#include "format/json_tree.h"

static struct zv_slice keep(struct zv_arena *arena, struct zv_slice text, bool *good)
{
    if (text.length == 0) {
        return (struct zv_slice){0};
    }
    const char *const copy = zv_arena_copy(arena, text.at, text.length);
    *good = *good && copy != NULL;
    return copy != NULL ? (struct zv_slice){copy, text.length} : (struct zv_slice){0};
}

/* A string's text, a number as written, "true" or "false"; empty for the rest. */
static struct zv_slice text_of(const struct zv_json_value *value)
{
    bool truth;
    if (zv_json_is(value, ZV_JSON_IS_STRING) || zv_json_is(value, ZV_JSON_IS_NUMBER)) {
        return value->u.text;
    }
    return zv_json_bool(value, &truth) ? zv_slice_of(truth ? "true" : "false")
                                       : (struct zv_slice){0};
}

static void read_pairs(struct zv_row_field *field, const struct zv_json_value *list,
                       struct zv_arena *arena, bool *good)
{
    const size_t count = zv_json_count(list);
    struct zv_row_pair *const pairs = zv_arena_array(arena, count, sizeof *pairs);
    if (pairs == NULL) {
        *good = false;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct zv_json_value *const pair = zv_json_item(list, i);
        if (zv_json_is(pair, ZV_JSON_IS_ARRAY) && zv_json_count(pair) >= 2) {
            pairs[field->pair_count].name = keep(arena, text_of(zv_json_item(pair, 0)), good);
            pairs[field->pair_count++].value = keep(arena, text_of(zv_json_item(pair, 1)), good);
        }
    }
    field->pairs = pairs;
}

static void read_fields(struct zv_row_fields *to, const struct zv_json_value *object,
                        struct zv_arena *arena, bool *good)
{
    if (!zv_json_is(object, ZV_JSON_IS_OBJECT)) {
        return;
    }
    const size_t count = zv_json_count(object);
    struct zv_row_field *const fields = zv_arena_array(arena, count, sizeof *fields);
    if (fields == NULL) {
        *good = false;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct zv_json_value *const value = zv_json_item(object, i);
        fields[i].name = keep(arena, value->key, good);
        fields[i].text = keep(arena, text_of(value), good);
        if (zv_json_is(value, ZV_JSON_IS_ARRAY)) {
            read_pairs(&fields[i], value, arena, good);
        }
    }
    to->fields = fields;
    to->count = count;
}

static enum zv_status read_row(struct zv_row *row, struct zv_slice line, struct zv_arena *arena,
                               struct zv_error *err)
{
    struct zv_arena scratch = {0};
    const struct zv_json_value *root;
    bool good = true;
    const enum zv_status status = zv_json_tree_read(&root, line, ZV_JSON_STRICT, &scratch, err);
    if (status == ZV_OK && zv_json_is(root, ZV_JSON_IS_OBJECT)) {
        row->id = keep(arena, text_of(zv_json_find(root, "id")), &good);
        row->kind = keep(arena, text_of(zv_json_find(root, "kind")), &good);
        row->source = keep(arena, text_of(zv_json_find(root, "source")), &good);
        row->model = keep(arena, text_of(zv_json_find(root, "model")), &good);
        row->arch = keep(arena, text_of(zv_json_find(root, "arch")), &good);
        row->runtime = keep(arena, text_of(zv_json_find(root, "runtime")), &good);
        row->version = keep(arena, text_of(zv_json_find(root, "version")), &good);
        (void)zv_json_bool(zv_json_find(root, "citable"), &row->citable);
        read_fields(&row->config, zv_json_find(root, "config"), arena, &good);
        read_fields(&row->settings, zv_json_find(root, "settings"), arena, &good);
        read_fields(&row->measured, zv_json_find(root, "measured"), arena, &good);
        read_fields(&row->check, zv_json_find(root, "check"), arena, &good);
    }
    zv_arena_free(&scratch);
    if (status != ZV_OK) {
        return status;
    }
    if (!good) {
        return zv_fail_memory(err, "measured rows");
    }
    return row->id.length != 0 && row->kind.length != 0
               ? ZV_OK
               : zv_fail(err, ZV_E_SYNTAX, "no measured row: expected an object with id and kind");
}

static size_t count_lines(struct zv_slice text)
{
    struct zv_slice line;
    size_t count = 0;
    while (zv_slice_line(&text, &line)) {
        count += zv_slice_trim(line).length != 0;
    }
    return count;
}

enum zv_status zv_rows_read(struct zv_rows *rows, struct zv_slice text, struct zv_arena *arena,
                            struct zv_error *err)
{
    *rows = (struct zv_rows){0};
    const size_t count = count_lines(text);
    if (count > ZV_ROWS_LIMIT) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d measured rows", ZV_ROWS_LIMIT);
    }
    struct zv_row *const list = zv_arena_array(arena, count, sizeof *list);
    if (list == NULL) {
        return zv_fail_memory(err, "measured rows");
    }
    struct zv_slice line;
    uint64_t number = 0;
    while (zv_slice_line(&text, &line)) {
        number++;
        if (zv_slice_trim(line).length == 0) {
            continue;
        }
        if (line.length > ZV_ROW_MAX_LINE) {
            return zv_fail_line(err, ZV_E_LIMIT, number, "a row of more than %d bytes",
                                ZV_ROW_MAX_LINE);
        }
        struct zv_row *const row = &list[rows->count];
        row->line = number;
        const enum zv_status status = read_row(row, line, arena, err);
        if (status != ZV_OK) {
            if (err != NULL) {
                err->line = number;
            }
            return status;
        }
        rows->count++;
    }
    rows->rows = list;
    return ZV_OK;
}

enum zv_status zv_rows_builtin(struct zv_rows *rows, struct zv_arena *arena, struct zv_error *err)
{
    return zv_rows_read(rows, zv_data_find("measured.jsonl"), arena, err);
}

const struct zv_row_field *zv_row_find(const struct zv_row_fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (zv_slice_equal(fields->fields[i].name, name)) {
            return &fields->fields[i];
        }
    }
    return NULL;
}

struct zv_slice zv_row_text(const struct zv_row_fields *fields, const char *name)
{
    const struct zv_row_field *const field = zv_row_find(fields, name);
    return field != NULL ? field->text : (struct zv_slice){0};
}

bool zv_row_u64(const struct zv_row_fields *fields, const char *name, uint64_t *to)
{
    const struct zv_slice text = zv_row_text(fields, name);
    uint64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.at[i];
        if (c == ',' && i > 0 && i + 3 < text.length) {
            continue; /* "476,016" */
        }
        if (c < '0' || c > '9' || value > (UINT64_MAX - 9) / 10) {
            return false;
        }
        value = value * 10 + (uint64_t)(c - '0');
    }
    if (text.length == 0) {
        return false;
    }
    *to = value;
    return true;
}
