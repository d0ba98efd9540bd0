/* What export_memory_timeline writes: rows of .raw.json.gz, or times and sizes of .json. */
#include "base/fail.h"
#include "base/memory.h"
#include "trace/profiler_reader.h"

static const char *const categories[] = {"parameter",       "optimizer state", "input",
                                         "temporary",       "activation",      "gradient",
                                         "autograd detail", "unknown"};

enum { ROW_TIME, ROW_ACTION, ROW_BYTES, ROW_CATEGORY, ROW_COLUMNS };
enum { ACTION_PREEXISTING = 1, ACTION_CREATE, ACTION_NEW_VERSION, ACTION_DESTROY };

static bool record_row(struct profiler_reader *reader, const int64_t row[ROW_COLUMNS])
{
    const bool gives_back = row[ROW_ACTION] == ACTION_DESTROY ||
                            (row[ROW_ACTION] == ACTION_NEW_VERSION && row[ROW_BYTES] < 0);
    const int64_t bytes = row[ROW_BYTES];
    const size_t category =
        row[ROW_CATEGORY] >= 0 && row[ROW_CATEGORY] < 7 ? (size_t)row[ROW_CATEGORY] : 7;
    struct zv_trace_event event = {.bytes = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes,
                                   .time_us =
                                       row[ROW_TIME] > 0 ? (uint64_t)row[ROW_TIME] / 1000 : 0,
                                   .action = gives_back ? ZV_TRACE_FREE_REQUESTED : ZV_TRACE_ALLOC};
    const struct zv_trace_total total = {0};
    return trace_text(reader->trace, zv_slice_of(categories[category]), &event.context,
                      reader->err) &&
           profiler_record(reader, &event, &total);
}

static bool no_row(struct profiler_reader *reader)
{
    if (reader->err == NULL || reader->err->status == ZV_OK) {
        (void)zv_fail_at(reader->err, ZV_E_SYNTAX, reader->json.offset,
                         "no row of a memory timeline: expected [ns, 1-4, bytes, 0-7], as in "
                         ".raw.json.gz, or [times, sizes by category], as in .json");
    }
    return false;
}

/* Numbers until the array ends, of which some were read; more than columns is no row. */
static bool read_numbers(struct profiler_reader *reader, int64_t *row, size_t columns, size_t have)
{
    enum zv_json_token token;
    while (profiler_next(reader, &token)) {
        if (token == ZV_JSON_ARRAY_END) {
            return have == columns || no_row(reader);
        }
        if (token != ZV_JSON_NUMBER || have == columns) {
            return no_row(reader);
        }
        row[have++] = profiler_whole(reader);
    }
    return false;
}

/* [time in ns, action 1-4, bytes, category 0-7]; the second row has begun with first. */
static bool read_rows(struct profiler_reader *reader, int64_t first)
{
    enum zv_json_token token;
    int64_t row[ROW_COLUMNS] = {first};
    size_t have = 1;
    do {
        if (!read_numbers(reader, row, ROW_COLUMNS, have) || !record_row(reader, row)) {
            return false;
        }
        have = 0;
    } while (profiler_next(reader, &token) && token == ZV_JSON_ARRAY_BEGIN);
    return token == ZV_JSON_ARRAY_END || no_row(reader);
}

enum { CATEGORIES = 8, SIZE_COLUMNS = CATEGORIES + 1 }; /* the first is 0, for plotting */

/* What changed in each category from one time to the next. */
static bool record_sizes(struct profiler_reader *reader, uint64_t time_us, const int64_t *before,
                         const int64_t *now)
{
    const struct zv_trace_total total = {0};
    for (size_t i = 0; i < CATEGORIES; i++) {
        const uint64_t from = before[i + 1] > 0 ? (uint64_t)before[i + 1] : 0;
        const uint64_t to = now[i + 1] > 0 ? (uint64_t)now[i + 1] : 0;
        struct zv_trace_event event = {.bytes = to > from ? to - from : from - to,
                                       .time_us = time_us,
                                       .action =
                                           to > from ? ZV_TRACE_ALLOC : ZV_TRACE_FREE_REQUESTED};
        if (to != from &&
            !(trace_text(reader->trace, zv_slice_of(categories[i]), &event.context, reader->err) &&
              profiler_record(reader, &event, &total))) {
            return false;
        }
    }
    return true;
}

/* [[times in us], [[0, bytes of each category] ...]]: the first row of sizes has begun. */
static bool read_sizes(struct profiler_reader *reader, const int64_t *times, size_t count)
{
    enum zv_json_token token;
    int64_t rows[2][SIZE_COLUMNS] = {{0}, {0}};
    size_t at = 0;
    do {
        if (at == count) {
            return no_row(reader);
        }
        int64_t *const now = rows[at % 2];
        if (!read_numbers(reader, now, SIZE_COLUMNS, 0) ||
            !record_sizes(reader, times[at] > 0 ? (uint64_t)times[at] : 0, rows[(at + 1) % 2],
                          now)) {
            return false;
        }
        at++;
    } while (profiler_next(reader, &token) && token == ZV_JSON_ARRAY_BEGIN);
    return (at == count && token == ZV_JSON_ARRAY_END && profiler_next(reader, &token) &&
            token == ZV_JSON_ARRAY_END) ||
           no_row(reader);
}

/* The first list of numbers, which is a row, or all times. */
static bool read_first(struct profiler_reader *reader, int64_t **numbers, size_t *count)
{
    enum zv_json_token token;
    size_t capacity = 0;
    while (profiler_next(reader, &token) && token == ZV_JSON_NUMBER) {
        if (*count == capacity) {
            capacity = capacity == 0 ? 64 : capacity * 2;
            int64_t *const grown = capacity > ZV_TRACE_MAX_RECORDS
                                       ? NULL
                                       : zv_memory_resize(*numbers, capacity * sizeof *grown);
            if (grown == NULL) {
                (void)zv_fail_memory(reader->err, "times of a timeline");
                return false;
            }
            *numbers = grown;
        }
        (*numbers)[(*count)++] = profiler_whole(reader);
    }
    return token == ZV_JSON_ARRAY_END || no_row(reader);
}

/* Of either kind; the first inner array has begun. */
static bool read_lists(struct profiler_reader *reader, const int64_t *numbers, size_t count)
{
    enum zv_json_token token;
    if (!profiler_next(reader, &token)) {
        return false;
    }
    const bool is_row = count == ROW_COLUMNS;
    if (token == ZV_JSON_ARRAY_END) {
        return is_row ? record_row(reader, numbers) : no_row(reader);
    }
    if (token != ZV_JSON_ARRAY_BEGIN || !profiler_next(reader, &token)) {
        return no_row(reader);
    }
    if (token == ZV_JSON_ARRAY_BEGIN) {
        return read_sizes(reader, numbers, count);
    }
    return is_row && token == ZV_JSON_NUMBER
               ? record_row(reader, numbers) && read_rows(reader, profiler_whole(reader))
               : no_row(reader);
}

bool profiler_timeline(struct profiler_reader *reader)
{
    int64_t *numbers = NULL;
    size_t count = 0;
    reader->trace->source = ZV_TRACE_FROM_TIMELINE;
    reader->trace->known = ZV_TRACE_CALCULATED; /* by the profiler, from tensors */
    const bool fine = read_first(reader, &numbers, &count) && read_lists(reader, numbers, count);
    zv_memory_free(numbers);
    return fine;
}
