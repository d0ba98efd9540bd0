#include "runtime/log_build.h"

#include <string.h>

static void empty_part(struct log_part *part, size_t number, uint64_t line)
{
    struct zv_reading *const readings = part->readings;
    const size_t capacity = part->capacity;
    *part = (struct log_part){.readings = readings, .capacity = capacity, .number = number};
    part->log.first_line = line;
    part->log.last_line = line;
}

static bool is_empty(const struct log_part *part)
{
    return part->count == 0 && !part->log.failed && !part->loaded && !part->has_context;
}

void log_begin(struct log_build *build)
{
    if (build->starts != 0 && is_empty(&build->now)) {
        return; /* several lines may announce one start */
    }
    if (build->starts != 0 && (build->now.log.complete || !build->have_best)) {
        const struct log_part kept = build->now;
        build->now = build->best; /* its buffer is used again */
        build->best = kept;
        build->have_best = kept.log.complete;
    }
    build->starts++;
    empty_part(&build->now, build->starts, build->line->number);
}

struct zv_slice log_keep(struct log_build *build, struct zv_slice text)
{
    if (text.length == 0) {
        return (struct zv_slice){0};
    }
    const char *const copy = zv_arena_copy(build->arena, text.at, text.length);
    build->out_of_memory = build->out_of_memory || copy == NULL;
    return copy != NULL ? (struct zv_slice){copy, text.length} : (struct zv_slice){0};
}

static bool grow(struct log_build *build)
{
    struct log_part *const part = &build->now;
    const size_t capacity = part->capacity == 0 ? 64 : part->capacity * 2;
    struct zv_reading *const more = zv_arena_array(build->arena, capacity, sizeof *part->readings);
    if (more == NULL) {
        build->out_of_memory = true;
        return false;
    }
    if (part->count != 0) {
        memcpy(more, part->readings, part->count * sizeof *more);
    }
    part->readings = more;
    part->capacity = capacity;
    return true;
}

static bool is_host(struct zv_slice device)
{
    return zv_slice_starts(device, "CPU") || zv_slice_ends(device, "_Host") ||
           zv_slice_equal(device, "Host") || zv_slice_starts(device, "BLAS");
}

struct zv_reading *log_add(struct log_build *build, const char *id, struct zv_slice device,
                           const struct log_size *size)
{
    struct log_part *const part = &build->now;
    if (part->count == ZV_LOG_MAX_READINGS) {
        build->too_many = true;
        return NULL;
    }
    if (part->count == part->capacity && !grow(build)) {
        return NULL;
    }
    struct zv_reading *const reading = &part->readings[part->count++];
    *reading = (struct zv_reading){.id = id,
                                   .device = log_keep(build, device),
                                   .bytes = size->bytes,
                                   .half_unit_bytes = size->half_unit_bytes,
                                   .line = build->line->number,
                                   .printed = log_keep(build, size->printed),
                                   .host = is_host(device),
                                   .sliding = part->sliding && strncmp(id, "kv_", 3) == 0};
    part->log.last_line = build->line->number;
    return reading;
}

bool log_add_after(struct log_build *build, const char *id, const char *words)
{
    struct zv_slice after;
    struct log_size size;
    return log_after(build->line->text, words, NULL, &after) && log_size_read(after, &size, NULL) &&
           log_add(build, id, build->line->rank, &size) != NULL;
}

void log_fact_number(struct log_build *build, struct zv_log_fact *fact, uint64_t value,
                     struct zv_slice text)
{
    if (!fact->found) {
        *fact = (struct zv_log_fact){.found = true,
                                     .value = value,
                                     .text = log_keep(build, text),
                                     .line = build->line->number};
        build->now.log.last_line = build->line->number;
    }
}

void log_fact_text(struct log_build *build, struct zv_log_fact *fact, struct zv_slice text)
{
    if (text.length != 0) {
        log_fact_number(build, fact, 0, text);
    }
}

void log_failed(struct log_build *build, bool out_of_memory)
{
    struct zv_log *const log = &build->now.log;
    log->failed = true;
    if (log->failure.length == 0 || (out_of_memory && !log->out_of_memory)) {
        struct zv_slice text = build->line->text;
        text.length = text.length < 400 ? text.length : 400;
        log->failure = log_keep(build, text);
    }
    log->out_of_memory = log->out_of_memory || out_of_memory;
    log->last_line = build->line->number;
}

bool log_torch_oom(struct log_build *build)
{
    struct zv_slice after;
    if (!log_after(build->line->text, "out of memory. Tried to allocate", NULL, &after)) {
        return false;
    }
    log_failed(build, true);
    (void)log_add_after(build, "oom_request", "Tried to allocate");
    (void)log_add_after(build, "oom_total", "total capacity of");
    (void)log_add_after(build, "oom_free", "of which");
    return true;
}
