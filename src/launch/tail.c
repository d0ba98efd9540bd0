#include "launch/tail.h"

#include <string.h>

#include "base/fail.h"

enum zv_status zv_tail_make(struct zv_tail *tail, size_t lines, struct zv_arena *arena,
                            struct zv_error *err)
{
    memset(tail, 0, sizeof *tail);
    tail->capacity = lines < ZV_TAIL_MAX_LINES ? lines : ZV_TAIL_MAX_LINES;
    tail->ring = zv_arena_array(arena, tail->capacity, sizeof *tail->ring);
    return tail->ring != NULL ? ZV_OK : zv_fail_memory(err, "the last lines of a command");
}

static void end_line(struct zv_tail *tail, unsigned stream)
{
    struct zv_tail_line *const line = &tail->part[stream];
    const struct zv_oom_sign *const sign =
        zv_oom_sign_find((struct zv_slice){line->text, line->length});
    line->stream = stream;
    if (sign != NULL) {
        tail->memory_lines++;
        if (tail->sign == NULL) {
            tail->sign = sign;
            tail->memory = *line;
        }
    }
    if (tail->capacity != 0) {
        struct zv_tail_line *const to = &tail->ring[tail->lines % tail->capacity];
        memcpy(to->text, line->text, line->length);
        to->length = line->length;
        to->cut = line->cut;
        to->stream = stream;
    }
    tail->lines++;
    line->length = 0;
    line->cut = 0;
}

static void add(struct zv_tail_line *line, const char *data, size_t size)
{
    const size_t room = ZV_TAIL_LINE - line->length;
    const size_t taken = size < room ? size : room;
    memcpy(line->text + line->length, data, taken);
    line->length += taken;
    line->cut += size - taken;
}

void zv_tail_feed(struct zv_tail *tail, unsigned stream, const char *data, size_t size)
{
    struct zv_tail_line *const line = &tail->part[stream];
    const char *const end = data + size;
    tail->bytes[stream] += size;
    for (const char *at = data; at < end;) {
        if (*at == '\n') {
            tail->returned[stream] = false;
            end_line(tail, stream);
            at++;
            continue;
        }
        if (tail->returned[stream]) { /* and no line feed after it */
            tail->returned[stream] = false;
            line->length = 0;
            line->cut = 0;
        }
        if (*at == '\r') {
            tail->returned[stream] = true;
            at++;
            continue;
        }
        const char *to = at;
        while (to < end && *to != '\n' && *to != '\r') {
            to++;
        }
        add(line, at, (size_t)(to - at));
        at = to;
    }
}

void zv_tail_end(struct zv_tail *tail)
{
    for (unsigned stream = 0; stream < ZV_TAIL_STREAMS; stream++) {
        if (tail->part[stream].length != 0) {
            end_line(tail, stream);
        }
    }
}

size_t zv_tail_count(const struct zv_tail *tail)
{
    return tail->lines < tail->capacity ? (size_t)tail->lines : tail->capacity;
}

const struct zv_tail_line *zv_tail_at(const struct zv_tail *tail, size_t i)
{
    const uint64_t first = tail->lines - zv_tail_count(tail);
    return &tail->ring[(first + i) % tail->capacity];
}
