#include "place/place_csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/strmap.h"
#include "format/csv.h"

enum column { ID, LOWER, UPPER, END, SIZE, ALIGNMENT, OFFSET, COLUMN_COUNT };

/* Other words for one thing stand side by side. */
static const struct {
    enum column column;
    const char *name;
} names[] = {
    {ID, "id"},       {ID, "buffer"},           {ID, "buffer_id"},  {LOWER, "lower"},
    {LOWER, "begin"}, {LOWER, "start"},         {UPPER, "upper"},   {END, "end"},
    {SIZE, "size"},   {ALIGNMENT, "alignment"}, {OFFSET, "offset"},
};

struct reader {
    struct zv_csv csv;
    int columns[COLUMN_COUNT]; /* of the file, -1: not there */
    struct place_table *table;
    size_t capacity;
    uint64_t total;
    struct zv_strmap ids;
};

static int show(struct zv_slice text)
{
    return (int)(text.length < 60 ? text.length : 60);
}

/* ---- header ---- */

static enum zv_status find_columns(struct reader *reader, struct zv_arena *arena,
                                   struct zv_error *err)
{
    const struct zv_csv *const csv = &reader->csv;
    bool used[ZV_CSV_MAX_COLUMNS] = {false};
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        reader->columns[i] = -1;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const int at = zv_csv_column(csv, names[i].name);
        int *const to = &reader->columns[names[i].column];
        if (at >= 0 && *to >= 0) {
            return zv_fail_line(err, ZV_E_SYNTAX, csv->line,
                                "the columns \"%.*s\" and \"%.*s\" mean the same",
                                show(csv->columns[*to]), csv->columns[*to].at,
                                show(csv->columns[at]), csv->columns[at].at);
        }
        *to = at >= 0 ? at : *to;
        if (at >= 0) {
            used[at] = true;
        }
    }
    for (size_t i = 0; i < csv->column_count && reader->table->unused == NULL; i++) {
        const struct zv_slice name = csv->columns[i];
        if (!used[i]) {
            reader->table->unused = zv_arena_copy(arena, name.at, name.length);
            if (reader->table->unused == NULL) {
                return zv_fail_memory(err, "a CSV file");
            }
        }
    }
    return ZV_OK;
}

static enum zv_status check_columns(const struct reader *reader, struct zv_error *err)
{
    const int *const columns = reader->columns;
    const char *missing = columns[ID] < 0                          ? "id"
                          : columns[LOWER] < 0                     ? "lower"
                          : columns[SIZE] < 0                      ? "size"
                          : columns[UPPER] < 0 && columns[END] < 0 ? "upper (or end)"
                                                                   : NULL;
    if (missing != NULL) {
        return zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line,
                            "no column \"%s\": expected id, lower, upper, size, and perhaps "
                            "alignment and offset",
                            missing);
    }
    if (columns[UPPER] >= 0 && columns[END] >= 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line,
                            "both \"upper\" and \"end\" say when a block dies");
    }
    return ZV_OK;
}

bool zv_place_csv_is(struct zv_slice text)
{
    struct zv_arena arena = {0};
    struct place_table table = {0};
    struct reader reader = {.table = &table};
    const bool is = zv_csv_open(&reader.csv, text, &arena, NULL) == ZV_OK &&
                    reader.csv.column_count > 1 && find_columns(&reader, &arena, NULL) == ZV_OK &&
                    (reader.columns[LOWER] >= 0 || reader.columns[SIZE] >= 0);
    zv_arena_free(&arena);
    return is;
}

/* ---- rows ---- */

static enum zv_status read_number(const struct reader *reader, enum column column, uint64_t *to,
                                  struct zv_error *err)
{
    const struct zv_slice cell = zv_csv_cell(&reader->csv, reader->columns[column]);
    if (zv_slice_u64(cell, to)) {
        return ZV_OK;
    }
    const struct zv_slice name = reader->csv.columns[reader->columns[column]];
    return zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line,
                        "%.*s '%.*s': expected a whole number from 0 to 2^64 - 1", show(name),
                        name.at, show(cell), cell.at);
}

/* An optional cell; *given when it is not empty. */
static enum zv_status read_optional(const struct reader *reader, enum column column, uint64_t *to,
                                    bool *given, struct zv_error *err)
{
    *given = zv_csv_cell(&reader->csv, reader->columns[column]).length != 0;
    return *given ? read_number(reader, column, to, err) : ZV_OK;
}

static enum zv_status read_life(const struct reader *reader, struct zv_place_block *block,
                                struct zv_error *err)
{
    const bool inclusive = reader->columns[END] >= 0;
    const enum column last = inclusive ? END : UPPER;
    enum zv_status status = read_number(reader, LOWER, &block->birth, err);
    status = status == ZV_OK ? read_number(reader, last, &block->death, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    if (inclusive && !zv_add(block->death, 1, &block->death)) {
        return zv_fail_line(err, ZV_E_OVERFLOW, reader->csv.line, "its end is past 2^64 - 1");
    }
    return block->death > block->birth
               ? ZV_OK
               : zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line,
                              "its life ends before it starts: from %" PRIu64 " to %" PRIu64
                              ", not included",
                              block->birth, block->death);
}

static enum zv_status read_place(const struct reader *reader, struct zv_place_block *block,
                                 struct zv_error *err)
{
    bool given = false;
    uint64_t end = 0;
    enum zv_status status = read_optional(reader, ALIGNMENT, &block->alignment, &given, err);
    if (status == ZV_OK && given && block->alignment == 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line, "alignment 0: expected 1 or more");
    }
    status = status == ZV_OK ? read_optional(reader, OFFSET, &block->offset, &block->fixed, err)
                             : status;
    if (status != ZV_OK) {
        return status;
    }
    if (block->fixed && block->alignment > 1 && block->offset % block->alignment != 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line,
                            "offset %" PRIu64 " is no multiple of its alignment %" PRIu64,
                            block->offset, block->alignment);
    }
    if (block->fixed && (!zv_add(block->offset, block->bytes, &end) || end > ZV_PLACE_MAX_BYTES)) {
        return zv_fail_line(err, ZV_E_OVERFLOW, reader->csv.line, "it ends above 2^62 bytes");
    }
    return ZV_OK;
}

static enum zv_status read_id(struct reader *reader, struct zv_slice *id, struct zv_error *err)
{
    struct zv_strmap_entry *entry = NULL;
    *id = zv_csv_cell(&reader->csv, reader->columns[ID]);
    if (id->length == 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line, "no id");
    }
    switch (zv_strmap_add(&reader->ids, *id, reader->csv.line, &entry)) {
    case ZV_STRMAP_EXISTS:
        return zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line,
                            "the id '%.*s' was there in line %" PRIu64, show(*id), id->at,
                            entry->value);
    case ZV_STRMAP_NOMEM:
        return zv_fail_memory(err, "a CSV file");
    case ZV_STRMAP_ADDED:
        break;
    }
    return ZV_OK;
}

static enum zv_status read_row(struct reader *reader, struct zv_error *err)
{
    struct place_table *const table = reader->table;
    struct zv_place_block *const block = &table->blocks[table->count];
    *block = (struct zv_place_block){0};
    enum zv_status status = read_id(reader, &table->ids[table->count], err);
    status = status == ZV_OK ? read_life(reader, block, err) : status;
    status = status == ZV_OK ? read_number(reader, SIZE, &block->bytes, err) : status;
    if (status == ZV_OK && block->bytes == 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, reader->csv.line, "size 0: expected 1 or more");
    }
    status = status == ZV_OK ? read_place(reader, block, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    if (!zv_add(reader->total, block->bytes, &reader->total) ||
        !zv_add(reader->total, block->alignment, &reader->total) ||
        reader->total > ZV_PLACE_MAX_BYTES) {
        return zv_fail_line(err, ZV_E_OVERFLOW, reader->csv.line,
                            "the sizes come to more than 2^62 bytes up to here");
    }
    table->count++;
    return ZV_OK;
}

/* No row is shorter than "a,0,1,1". */
static size_t most_rows(struct zv_slice text)
{
    return text.length / 7 + 1;
}

enum zv_status zv_place_csv_read(struct place_table *table, struct zv_slice text,
                                 struct zv_arena *arena, struct zv_error *err)
{
    struct reader reader = {.table = table};
    *table = (struct place_table){0};
    enum zv_status status = zv_csv_open(&reader.csv, text, arena, err);
    status = status == ZV_OK ? find_columns(&reader, arena, err) : status;
    status = status == ZV_OK ? check_columns(&reader, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    size_t lines = 1;
    for (size_t i = 0; i < text.length; i++) {
        lines += text.at[i] == '\n';
    }
    const size_t most = lines < most_rows(text) ? lines : most_rows(text);
    table->has_alignment = reader.columns[ALIGNMENT] >= 0;
    table->blocks = zv_arena_array(arena, most, sizeof *table->blocks);
    table->ids = zv_arena_array(arena, most, sizeof *table->ids);
    if (table->blocks == NULL || table->ids == NULL) {
        return zv_fail_memory(err, "a CSV file");
    }
    while (status == ZV_OK && (status = zv_csv_next(&reader.csv, err)) == ZV_OK &&
           !reader.csv.at_end) {
        if (table->count == ZV_PLACE_MAX_BLOCKS) {
            status = zv_fail_line(err, ZV_E_LIMIT, reader.csv.line, "more than 2^26 blocks");
            break;
        }
        status = read_row(&reader, err);
    }
    zv_strmap_free(&reader.ids);
    return status;
}

/* ---- writing ---- */

static void write_id(struct zv_sink *sink, const struct place_table *table, size_t index)
{
    if (table->ids == NULL) {
        zv_sink_print(sink, "%zu", index);
        return;
    }
    const struct zv_slice id = table->ids[index];
    const bool plain = memchr(id.at, ',', id.length) == NULL &&
                       memchr(id.at, '"', id.length) == NULL &&
                       memchr(id.at, '\n', id.length) == NULL;
    if (plain) {
        zv_sink_write(sink, id.at, id.length);
        return;
    }
    zv_sink_text(sink, "\"");
    for (size_t i = 0; i < id.length; i++) {
        zv_sink_write(sink, &id.at[i], 1);
        if (id.at[i] == '"') {
            zv_sink_text(sink, "\"");
        }
    }
    zv_sink_text(sink, "\"");
}

void zv_place_csv_write(struct zv_sink *sink, const struct place_table *table)
{
    zv_sink_text(sink, table->has_alignment ? "id,lower,upper,size,alignment,offset\n"
                                            : "id,lower,upper,size,offset\n");
    for (size_t i = 0; i < table->count; i++) {
        const struct zv_place_block *const block = &table->blocks[i];
        write_id(sink, table, i);
        zv_sink_print(sink, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, block->birth, block->death,
                      block->bytes);
        if (table->has_alignment) {
            zv_sink_print(sink, ",%" PRIu64, block->alignment != 0 ? block->alignment : 1);
        }
        zv_sink_print(sink, ",%" PRIu64 "\n", block->offset);
    }
}
