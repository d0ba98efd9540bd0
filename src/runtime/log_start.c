#include "runtime/log_start.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "runtime/log_build.h"

/* Words that only one runtime's log has. */
static const struct {
    const char *words;
    enum zv_runtime_kind kind;
} marks[] = {
    {"llama_model_loader:", ZV_RUNTIME_LLAMACPP},
    {"llm_load_tensors:", ZV_RUNTIME_LLAMACPP},
    {"load_tensors:", ZV_RUNTIME_LLAMACPP},
    {"llama_context:", ZV_RUNTIME_LLAMACPP},
    {"llama_new_context_with_model:", ZV_RUNTIME_LLAMACPP},
    {"llama_init_from_model:", ZV_RUNTIME_LLAMACPP},
    {"llama_kv_cache", ZV_RUNTIME_LLAMACPP},
    {"memory_breakdown_print:", ZV_RUNTIME_LLAMACPP},
    {"params_fit", ZV_RUNTIME_LLAMACPP},
    {"KV self size", ZV_RUNTIME_LLAMACPP},
    {"mla_attn", ZV_RUNTIME_IK_LLAMACPP},
    {"attn_max_b", ZV_RUNTIME_IK_LLAMACPP},
    {"fused_moe", ZV_RUNTIME_IK_LLAMACPP},
    {"c^KV", ZV_RUNTIME_IK_LLAMACPP},
    {"vLLM", ZV_RUNTIME_VLLM},
    {"vllm", ZV_RUNTIME_VLLM},
    {"GPU KV cache size", ZV_RUNTIME_VLLM},
    {"GPU blocks:", ZV_RUNTIME_VLLM},
    {"Model loading took", ZV_RUNTIME_VLLM},
    {"model weights take", ZV_RUNTIME_VLLM},
    {"Available KV cache memory", ZV_RUNTIME_VLLM},
    {"KV cache is needed", ZV_RUNTIME_VLLM},
    {"Memory profiling results:", ZV_RUNTIME_VLLM},
    {"(EngineCore", ZV_RUNTIME_VLLM},
    {"Desired GPU memory utilization", ZV_RUNTIME_VLLM},
    {"desired GPU memory utilization", ZV_RUNTIME_VLLM},
    {"sglang", ZV_RUNTIME_SGLANG},
    {"Load weight end", ZV_RUNTIME_SGLANG},
    {"KV Cache is allocated", ZV_RUNTIME_SGLANG},
    {"Memory pool end", ZV_RUNTIME_SGLANG},
    {"max_total_num_tokens=", ZV_RUNTIME_SGLANG},
};

enum { KINDS = ZV_RUNTIME_IK_LLAMACPP + 1 };

/* Which runtime most lines speak for. A llama.cpp log with words of ik_llama.cpp is its own. */
static enum zv_runtime_kind recognise(struct log_line *line, struct zv_slice text)
{
    enum { SHORTEST = 4 }; /* of the marks */
    uint64_t votes[KINDS] = {0};
    log_open(line, text);
    while (log_next(line)) {
        if (line->text.length < SHORTEST) {
            continue;
        }
        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
            votes[marks[i].kind] += zv_slice_contains(line->text, marks[i].words);
        }
    }
    enum zv_runtime_kind best = ZV_RUNTIME_NONE;
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind != ZV_RUNTIME_IK_LLAMACPP && votes[kind] > votes[best]) {
            best = (enum zv_runtime_kind)kind;
        }
    }
    if ((best == ZV_RUNTIME_LLAMACPP || best == ZV_RUNTIME_NONE) &&
        votes[ZV_RUNTIME_IK_LLAMACPP] != 0) {
        best = ZV_RUNTIME_IK_LLAMACPP;
    }
    return best;
}

static void read_lines(struct log_build *build, struct log_line *line, struct zv_slice text,
                       enum zv_runtime_kind kind)
{
    log_open(line, text);
    while (log_next(line) && !build->out_of_memory) {
        if (build->starts == 0) {
            log_begin(build);
        }
        switch (kind) {
        case ZV_RUNTIME_LLAMACPP:
        case ZV_RUNTIME_IK_LLAMACPP:
            log_llamacpp_line(build);
            break;
        case ZV_RUNTIME_VLLM:
            log_vllm_line(build);
            break;
        case ZV_RUNTIME_SGLANG:
            log_sglang_line(build);
            break;
        case ZV_RUNTIME_NONE:
        case ZV_RUNTIME_TRANSFORMERS:
            break;
        }
    }
}

static enum zv_status add_notes(struct zv_log *log, const struct log_build *build,
                                struct zv_arena *arena, struct zv_error *err)
{
    const char **const notes = zv_arena_array(arena, 4, sizeof *notes);
    if (notes == NULL) {
        return zv_fail_memory(err, "a log");
    }
    size_t count = 0;
    if (log->starts > 1) {
        notes[count++] = zv_arena_print(
            arena,
            "%zu starts in the file: the %s, number %zu, was read (lines %llu"
            " to %llu)",
            log->starts, log->complete ? "last complete one" : "last one", log->start_taken,
            (unsigned long long)log->first_line, (unsigned long long)log->last_line);
    }
    if (!log->complete && !log->failed) {
        notes[count++] = "the log ends before the start is complete";
    }
    if (log->failed) {
        notes[count++] = zv_arena_print(arena, "the start failed%s: %.*s",
                                        log->out_of_memory ? ", out of memory" : "",
                                        (int)log->failure.length, log->failure.at);
    }
    if (build->too_many) {
        notes[count++] = zv_arena_print(arena, "more than %d readings: the rest is left out",
                                        ZV_LOG_MAX_READINGS);
    }
    for (size_t i = 0; i < count; i++) {
        if (notes[i] == NULL) {
            return zv_fail_memory(err, "a log");
        }
    }
    log->notes = notes;
    log->note_count = count;
    return ZV_OK;
}

static enum zv_status conclude(struct zv_log *log, struct log_build *build,
                               enum zv_runtime_kind kind, struct zv_arena *arena,
                               struct zv_error *err)
{
    const bool take_best = build->have_best && !build->now.log.complete;
    const struct log_part *const part = take_best ? &build->best : &build->now;
    *log = part->log;
    log->runtime = kind;
    log->starts = build->starts;
    log->start_taken = part->number;
    log->readings = part->readings;
    log->reading_count = part->count;
    return add_notes(log, build, arena, err);
}

enum zv_status zv_log_read(struct zv_log *log, struct zv_slice text, struct zv_arena *arena,
                           struct zv_error *err)
{
    *log = (struct zv_log){0};
    if (text.length > ZV_LOG_LIMIT) {
        return zv_fail(err, ZV_E_LIMIT, "a log of more than %d MiB", ZV_LOG_LIMIT / 1048576);
    }
    struct log_line *const line = zv_memory_alloc(sizeof *line);
    if (line == NULL) {
        return zv_fail_memory(err, "a log");
    }
    enum zv_status status = ZV_OK;
    struct log_build build = {.arena = arena, .line = line};
    const enum zv_runtime_kind kind = recognise(line, text);
    if (kind == ZV_RUNTIME_NONE) {
        status = zv_fail(err, ZV_E_UNSUPPORTED,
                         "no line of a start log we know: expected one of llama.cpp, "
                         "ik_llama.cpp, vLLM or SGLang");
    } else {
        read_lines(&build, line, text, kind);
        status = build.out_of_memory ? zv_fail_memory(err, "a log")
                                     : conclude(log, &build, kind, arena, err);
    }
    zv_memory_free(line);
    return status;
}

enum zv_status zv_log_sum(const struct zv_log *log, const char *id, uint64_t *bytes, size_t *found,
                          struct zv_error *err)
{
    *bytes = 0;
    *found = 0;
    for (size_t i = 0; i < log->reading_count; i++) {
        if (strcmp(log->readings[i].id, id) == 0) {
            if (!zv_add(*bytes, log->readings[i].bytes, bytes)) {
                return zv_fail(err, ZV_E_OVERFLOW, "the readings of %s pass 2^64 bytes", id);
            }
            (*found)++;
        }
    }
    return ZV_OK;
}

const struct zv_reading *zv_log_find(const struct zv_log *log, const char *id)
{
    for (size_t i = 0; i < log->reading_count; i++) {
        if (strcmp(log->readings[i].id, id) == 0) {
            return &log->readings[i];
        }
    }
    return NULL;
}
