/* What a failed run's result, traceback or log says of memory and of the phase. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "decide/overflow.h"
#include "format/json_tree.h"
#include "format/yaml.h"

enum { TEXT_LIMIT = 4 * 1024 * 1024 };

/* Words of logs that are written in one phase alone, where there is no stack. */
static const struct {
    const char *words;
    enum zv_phase phase;
} marks[] = {
    {"failed to load model", ZV_PHASE_LOAD},
    {"error loading model", ZV_PHASE_LOAD},
    {"failed to allocate compute", ZV_PHASE_LOAD},
    {"No available memory for the cache blocks", ZV_PHASE_LOAD},
    {"larger than the available KV cache memory", ZV_PHASE_LOAD},
    {"Not enough memory. Please try to increase --mem-fraction-static", ZV_PHASE_LOAD},
};

static const char *copy(struct zv_arena *arena, struct zv_slice text)
{
    return text.length != 0 ? zv_arena_copy(arena, text.at, text.length) : NULL;
}

/* '  File "…/trainer.py", line 12, in evaluate': the function's phase. */
static enum zv_phase phase_of_frame(struct zv_slice line, struct zv_slice *function)
{
    static const char in[] = ", in ";
    const char *const at =
        line.length != 0 ? memmem(line.at, line.length, in, sizeof in - 1) : NULL;
    if (at == NULL || !zv_slice_contains(line, "File \"")) {
        return ZV_PHASES;
    }
    struct zv_slice rest = {at + sizeof in - 1,
                            line.length - (size_t)(at - line.at) - (sizeof in - 1)};
    const struct zv_slice file = {line.at, (size_t)(at - line.at)};
    return zv_slice_word(&rest, function) ? zv_phase_of_function(*function, file) : ZV_PHASES;
}

/* A text while it is read. */
struct reading {
    struct zv_overflow *to;
    struct zv_arena *arena;
    enum zv_phase stack; /* of the frames since the last traceback began */
    struct zv_slice frame;
};

static enum zv_status take_line(struct reading *reading, struct zv_slice line, struct zv_error *err)
{
    struct zv_overflow *const to = reading->to;
    struct zv_slice function = {0};
    if (zv_slice_contains(line, "Traceback (most recent call last)")) {
        reading->stack = ZV_PHASES;
    }
    const enum zv_phase phase = phase_of_frame(line, &function);
    if (phase != ZV_PHASES && zv_phase_ruling(phase, reading->stack) != reading->stack) {
        reading->stack = phase;
        reading->frame = function;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && to->phase == ZV_PHASES; i++) {
        if (reading->stack == ZV_PHASES && zv_slice_contains(line, marks[i].words)) {
            to->phase = marks[i].phase;
            to->told_by = marks[i].words;
        }
    }
    const struct zv_oom_sign *const sign = zv_oom_sign_find(line);
    if (sign == NULL || to->memory_named) {
        return ZV_OK;
    }
    to->memory_named = true;
    to->memory = sign->memory;
    to->text = copy(reading->arena, line);
    to->has_message = zv_oom_message_find(&to->message, line);
    if (reading->stack != ZV_PHASES) {
        to->phase = reading->stack;
        to->told_by = zv_arena_print(reading->arena, "in %.*s", (int)reading->frame.length,
                                     reading->frame.at);
    }
    return to->text != NULL ? ZV_OK : zv_fail_memory(err, "a message");
}

/* The first line about memory, with the stack before it. */
static enum zv_status read_text(struct zv_overflow *to, struct zv_slice text,
                                struct zv_arena *arena, struct zv_error *err)
{
    struct reading reading = {.to = to, .arena = arena, .stack = ZV_PHASES};
    struct zv_slice line;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && zv_slice_line(&text, &line)) {
        status = take_line(&reading, line, err);
    }
    return status;
}

/* ---- zirve.run/1 ---- */

static enum zv_status read_lines(struct zv_overflow *to, const struct zv_json_value *run,
                                 struct zv_arena *arena, struct zv_error *err)
{
    struct zv_buffer buffer = {.limit = TEXT_LIMIT};
    const struct zv_json_value *const lines = zv_json_find(run, "last_lines");
    struct zv_slice text = {0};
    bool fits = true;
    for (size_t i = 0; i < zv_json_count(lines); i++) {
        if (zv_json_string(zv_json_find(zv_json_item(lines, i), "text"), &text)) {
            fits = fits && zv_buffer_append(&buffer, text.at, text.length) &&
                   zv_buffer_append(&buffer, "\n", 1);
        }
    }
    enum zv_status status =
        fits ? read_text(to, (struct zv_slice){buffer.data, buffer.size}, arena, err)
             : zv_fail_memory(err, "the last lines of a run");
    zv_buffer_free(&buffer);
    /* the line that was kept apart, when it had scrolled by */
    const struct zv_json_value *const memory = zv_json_find(run, "memory");
    if (status == ZV_OK && !to->memory_named &&
        zv_json_string(zv_json_find(memory, "text"), &text)) {
        status = read_text(to, text, arena, err);
    }
    if (status == ZV_OK && !to->memory_named && zv_json_is(memory, ZV_JSON_IS_OBJECT)) {
        to->memory_named = true; /* by the kernel's count alone */
        to->memory = ZV_OOM_HOST;
    }
    return status;
}

static enum zv_status read_run(struct zv_overflow *to, const struct zv_json_value *run,
                               struct zv_arena *arena, struct zv_error *err)
{
    struct zv_slice outcome = {0};
    (void)zv_json_string(zv_json_find(run, "outcome"), &outcome);
    if (zv_slice_equal(outcome, "passed")) {
        return zv_fail(err, ZV_E_USAGE, "this run passed: there is nothing to mend");
    }
    return read_lines(to, run, arena, err);
}

static enum zv_status read_search(struct zv_overflow *to, const struct zv_json_value *root,
                                  struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_json_value *const tries = zv_json_find(root, "tries");
    for (size_t i = zv_json_count(tries); i != 0; i--) {
        const struct zv_json_value *const one = zv_json_item(tries, i - 1);
        struct zv_slice answer = {0};
        if (zv_json_string(zv_json_find(one, "answer"), &answer) &&
            zv_slice_equal(answer, "does not")) {
            return read_run(to, one, arena, err);
        }
    }
    return zv_fail(err, ZV_E_USAGE, "no try of this search ran out of memory");
}

/* ---- results with phases ---- */

/* The first phase that did not pass. */
static enum zv_status read_phases(struct zv_overflow *to, const struct zv_yaml_value *phases,
                                  struct zv_arena *arena, struct zv_error *err)
{
    for (size_t i = 0; i < zv_yaml_count(phases); i++) {
        const struct zv_yaml_value *const one = zv_yaml_item(phases, i);
        struct zv_slice outcome = {0};
        struct zv_slice name = {0};
        struct zv_slice message = {0};
        if (!zv_yaml_text(zv_yaml_find(one, "outcome"), &outcome) ||
            zv_slice_equal(outcome, "passed")) {
            continue;
        }
        (void)zv_yaml_text(zv_yaml_find(one, "name"), &name);
        (void)zv_yaml_text(zv_yaml_find(one, "message"), &message);
        const enum zv_status status = read_text(to, message, arena, err);
        if (zv_phase_parse(name, &to->phase)) {
            to->told_by =
                zv_arena_print(arena, "the reading of phase %.*s", (int)name.length, name.at);
        }
        return status;
    }
    return zv_fail(err, ZV_E_USAGE, "no phase of this result failed");
}

/* What zirve explain kept: its verdict, in which no phase stands. */
static bool read_verdict(struct zv_overflow *to, const struct zv_yaml_value *root)
{
    const struct zv_yaml_value *of = zv_yaml_find(root, "verdict");
    struct zv_slice name = {0};
    struct zv_slice bytes = {0};
    of = zv_yaml_text(of, &name) ? root : of;
    if (!zv_yaml_text(zv_yaml_find(of, of == root ? "verdict" : "kind"), &name)) {
        return false;
    }
    for (unsigned kind = ZV_CAUSE_CAPACITY; kind < ZV_CAUSE_COUNT; kind++) {
        if (zv_slice_equal(name, zv_cause_name((enum zv_cause_kind)kind))) {
            to->memory_named = true;
            to->has_message = true;
            to->message.kind_known = true;
            to->message.kind = (enum zv_cause_kind)kind;
        }
    }
    if (zv_yaml_text(zv_yaml_find(of, "requested_bytes"), &bytes)) {
        to->message.requested.known = zv_slice_u64(bytes, &to->message.requested.bytes);
    }
    return to->memory_named;
}

/* zirve.measure/1: the last run that failed in a phase; a search may have several. */
static enum zv_status read_runs(struct zv_overflow *to, const struct zv_yaml_value *runs,
                                struct zv_arena *arena, struct zv_error *err)
{
    for (size_t i = zv_yaml_count(runs); i != 0; i--) {
        const struct zv_yaml_value *const run = zv_yaml_item(runs, i - 1);
        struct zv_slice phase = {0};
        struct zv_slice message = {0};
        if (!zv_yaml_text(zv_yaml_find(run, "failed_phase"), &phase)) {
            continue;
        }
        (void)zv_yaml_text(zv_yaml_find(run, "message"), &message);
        const enum zv_status status = read_text(to, message, arena, err);
        if (zv_phase_parse(phase, &to->phase)) {
            to->told_by =
                zv_arena_print(arena, "the reading of phase %.*s", (int)phase.length, phase.at);
        }
        return status;
    }
    return zv_fail(err, ZV_E_USAGE, "no run of this result failed");
}

static enum zv_status read_result(struct zv_overflow *to, struct zv_slice text,
                                  struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_yaml_value *root;
    const enum zv_status status = zv_yaml_read(&root, text, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    if (read_verdict(to, root)) {
        return ZV_OK;
    }
    const struct zv_yaml_value *const runs = zv_yaml_find(root, "runs");
    if (zv_yaml_count(runs) != 0) {
        return read_runs(to, runs, arena, err);
    }
    const struct zv_yaml_value *of = root;
    const struct zv_yaml_value *const documents = zv_yaml_find(root, "evidence");
    for (size_t i = 0; i < zv_yaml_count(documents); i++) { /* the first that failed */
        struct zv_slice outcome = {0};
        const struct zv_yaml_value *const one = zv_yaml_item(documents, i);
        if (of == root && zv_yaml_text(zv_yaml_find(one, "outcome"), &outcome) &&
            zv_slice_equal(outcome, "failed")) {
            of = one;
        }
    }
    return read_phases(to, zv_yaml_find(of, "phases"), arena, err);
}

static bool states(struct zv_slice text, const char *schema)
{
    struct zv_slice line;
    for (unsigned n = 0; n < 8 && zv_slice_line(&text, &line); n++) {
        if (zv_slice_contains(line, "schema") && zv_slice_contains(line, schema)) {
            return true;
        }
    }
    return false;
}

bool zv_overflow_is_result(struct zv_slice text)
{
    return states(text, "zirve.");
}

enum zv_status zv_overflow_read(struct zv_overflow *overflow, struct zv_slice text,
                                struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_json_value *root;
    const bool search = states(text, "zirve.run_search/1");
    *overflow = (struct zv_overflow){.phase = ZV_PHASES};
    if (search || states(text, "zirve.run/1")) {
        const enum zv_status status = zv_json_tree_read(&root, text, ZV_JSON_STRICT, arena, err);
        if (status != ZV_OK) {
            return status;
        }
        return search ? read_search(overflow, root, arena, err)
                      : read_run(overflow, root, arena, err);
    }
    return zv_overflow_is_result(text) ? read_result(overflow, text, arena, err)
                                       : read_text(overflow, text, arena, err);
}
