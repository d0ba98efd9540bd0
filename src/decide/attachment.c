#include "decide/attachment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "decide/overflow.h"
#include "format/json_tree.h"

enum { SHOWN = 200 };

static int shown(struct zv_slice text)
{
    return (int)(text.length < SHOWN ? text.length : SHOWN);
}

static struct zv_slice text_of(const struct zv_json_value *root, const char *key)
{
    struct zv_slice text = {0};
    (void)zv_json_string(zv_json_find(root, key), &text);
    return text;
}

typedef const char *reader(struct zv_attachment *to, const struct zv_json_value *root,
                           struct zv_arena *arena); /* the verdict; NULL without memory */

static const char *read_run(struct zv_attachment *to, const struct zv_json_value *root,
                            struct zv_arena *arena)
{
    (void)to;
    uint64_t status = 0;
    uint64_t number = 0;
    const struct zv_slice outcome = text_of(root, "outcome");
    const struct zv_slice said = text_of(zv_json_find(root, "memory"), "text");
    const bool exited = zv_json_u64(zv_json_find(root, "exit_status"), &status);
    (void)zv_json_u64(zv_json_find(root, "signal"), &number);
    return zv_arena_print(arena, "%.*s, %s %" PRIu64 "%s%.*s", shown(outcome), outcome.at,
                          exited ? "exit status" : "signal", exited ? status : number,
                          said.length != 0 ? ": " : "", shown(said), said.at);
}

static const char *read_search(struct zv_attachment *to, const struct zv_json_value *root,
                               struct zv_arena *arena)
{
    (void)to;
    uint64_t value = 0;
    const struct zv_slice name = text_of(root, "dimension");
    const struct zv_slice verdict = text_of(root, "verdict");
    const size_t tries = zv_json_count(zv_json_find(root, "tries"));
    return zv_json_u64(zv_json_find(root, "value"), &value)
               ? zv_arena_print(arena,
                                "%.*s: %.*s %" PRIu64 " is the largest that passed, %zu tried",
                                shown(verdict), verdict.at, shown(name), name.at, value, tries)
               : zv_arena_print(arena, "%.*s: no %.*s passed, %zu tried", shown(verdict),
                                verdict.at, shown(name), name.at, tries);
}

/* "out of memory: capacity, 4.00 GiB asked for" */
static const char *failure(struct zv_slice kind, const struct zv_json_value *requested,
                           struct zv_arena *arena)
{
    char bytes[ZV_BYTES_TEXT];
    uint64_t asked;
    if (!zv_json_u64(requested, &asked)) {
        return zv_arena_print(arena, "out of memory: %.*s", shown(kind), kind.at);
    }
    zv_bytes_print_fit(bytes, asked);
    return zv_arena_print(arena, "out of memory: %.*s, %s asked for", shown(kind), kind.at, bytes);
}

static const char *read_message(struct zv_attachment *to, const struct zv_json_value *root,
                                struct zv_arena *arena)
{
    const struct zv_slice kind = text_of(root, "verdict");
    to->known = "measured"; /* by the program, to the digits it prints */
    return failure(kind.length != 0 ? kind : zv_slice_of("why, it does not say"),
                   zv_json_find(root, "requested_bytes"), arena);
}

/* "not started: small_cache, says vLLM; 3.35 GiB missing" */
static const char *read_engine(struct zv_attachment *to, const struct zv_json_value *root,
                               struct zv_arena *arena)
{
    const struct zv_slice engine = text_of(root, "engine");
    const struct zv_slice stop = text_of(root, "stopped_by");
    char bytes[ZV_BYTES_TEXT] = "an unknown amount";
    uint64_t missing;
    if (zv_json_u64(zv_json_find(root, "missing_bytes"), &missing)) {
        zv_bytes_print_fit(bytes, missing);
    }
    to->known = "measured"; /* by the program, to the digits it prints */
    return zv_arena_print(arena, "not started: %.*s, says %.*s; %s missing", shown(stop), stop.at,
                          shown(engine), engine.at, bytes);
}

static const char *read_explain(struct zv_attachment *to, const struct zv_json_value *root,
                                struct zv_arena *arena)
{
    static const struct {
        const char *instant;
        const char *counter;
    } places[ZV_COUNTERS] = {{"peak_allocated", "allocated_bytes"},
                             {"peak_reserved", "reserved_bytes"},
                             {"end", "allocated_bytes"},
                             {"end", "reserved_bytes"}};
    const struct zv_json_value *const verdict = zv_json_find(root, "verdict");
    const struct zv_slice kind = text_of(verdict, "kind");
    const struct zv_slice known = text_of(root, "known");
    const struct zv_slice backend = text_of(root, "backend");
    bool failed = false;
    to->has_counters = true;
    /* only the native allocator has memory snapshots */
    to->backend = backend.length != 0 ? zv_arena_copy(arena, backend.at, backend.length)
                  : zv_slice_equal(text_of(root, "source"), "snapshot") ? "native"
                                                                        : NULL;
    to->known = known.length != 0 ? zv_arena_copy(arena, known.at, known.length) : NULL;
    for (unsigned i = 0; i < ZV_COUNTERS; i++) {
        const struct zv_json_value *const usage =
            zv_json_find(zv_json_find(root, places[i].instant), "usage");
        to->counted[i] = zv_json_u64(zv_json_find(usage, places[i].counter), &to->bytes[i]);
    }
    (void)zv_json_bool(zv_json_find(verdict, "out_of_memory"), &failed);
    return failed ? failure(kind, zv_json_find(verdict, "requested_bytes"), arena)
                  : "no request failed; the peak of the record";
}

static const char *read_advice(struct zv_attachment *to, const struct zv_json_value *root,
                               struct zv_arena *arena)
{
    (void)to;
    const struct zv_slice phase = text_of(root, "phase");
    const struct zv_json_value *const changes = zv_json_find(root, "changes");
    const struct zv_slice first = text_of(zv_json_item(changes, 0), "name");
    return zv_arena_print(arena, "out of memory in %.*s; %zu changes to try, first: %.*s",
                          shown(phase.length != 0 ? phase : zv_slice_of("an unknown phase")),
                          phase.length != 0 ? phase.at : "an unknown phase", zv_json_count(changes),
                          shown(first), first.at != NULL ? first.at : "");
}

/* "usable: 2 devices, the first RTX 4090 by CUDA, 23.51 GiB for a program" */
static const char *read_environment(struct zv_attachment *to, const struct zv_json_value *root,
                                    struct zv_arena *arena)
{
    char bytes[ZV_BYTES_TEXT] = "unknown";
    uint64_t capacity;
    bool usable = false;
    const struct zv_slice known = text_of(root, "known");
    const struct zv_json_value *const devices = zv_json_find(root, "devices");
    const struct zv_json_value *const first = zv_json_item(devices, 0);
    const struct zv_slice model = text_of(first, "model");
    const struct zv_slice backend = text_of(first, "backend");
    const size_t count = zv_json_count(devices);
    to->known = known.length != 0 ? zv_arena_copy(arena, known.at, known.length) : NULL;
    (void)zv_json_bool(zv_json_find(root, "usable"), &usable);
    if (count == 0) {
        return "no GPU was found";
    }
    if (zv_json_u64(zv_json_find(first, "runtime_capacity_bytes"), &capacity)) {
        zv_bytes_print_fit(bytes, capacity);
    }
    return zv_arena_print(arena, "%s: %zu %s, the first %.*s by %.*s, %s for a program",
                          usable ? "usable" : "no usable GPU", count,
                          count == 1 ? "device" : "devices",
                          model.length != 0 ? shown(model) : (int)strlen("of unknown name"),
                          model.length != 0 ? model.at : "of unknown name",
                          backend.length != 0 ? shown(backend) : (int)strlen("no runtime"),
                          backend.length != 0 ? backend.at : "no runtime", bytes);
}

/* The greatest of a counter over the phases of a run; of the end, the last. False: not known. */
static bool counter_of(const struct zv_json_value *run, unsigned counter, uint64_t *to)
{
    static const struct {
        const char *when;
        const char *what;
    } places[ZV_COUNTERS] = {{"peak", "allocated_bytes"},
                             {"peak", "reserved_bytes"},
                             {"after", "allocated_bytes"},
                             {"after", "reserved_bytes"}};
    const bool is_peak = counter < 2;
    const struct zv_json_value *const phases = zv_json_find(run, "phases");
    const size_t count = zv_json_count(phases);
    *to = 0;
    for (size_t i = is_peak || count == 0 ? 0 : count - 1; i < count; i++) {
        const struct zv_json_value *const levels =
            zv_json_find(zv_json_item(phases, i), places[counter].when);
        uint64_t bytes;
        if (!zv_json_u64(zv_json_find(levels, places[counter].what), &bytes)) {
            return false;
        }
        *to = bytes > *to ? bytes : *to;
    }
    return count != 0;
}

static bool is_complete(const struct zv_json_value *run)
{
    return zv_slice_equal(text_of(run, "outcome"), "complete");
}

/* The fullest of those that came to their end, of all when none did; NULL without any. */
static const struct zv_json_value *fullest_run(const struct zv_json_value *runs, bool complete)
{
    const struct zv_json_value *fullest = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < zv_json_count(runs); i++) {
        const struct zv_json_value *const run = zv_json_item(runs, i);
        uint64_t reserved;
        const bool known = counter_of(run, 1, &reserved);
        if (is_complete(run) == complete && (fullest == NULL || (known && reserved > most))) {
            fullest = run;
            most = known ? reserved : 0;
        }
    }
    return fullest;
}

/* "complete: 2 runs, the fullest on RTX 4090; batch 1, context 16, width 64" */
static const char *read_measure(struct zv_attachment *to, const struct zv_json_value *root,
                                struct zv_arena *arena)
{
    static const char *const names[] = {"batch", "context", "width"};
    const struct zv_json_value *const runs = zv_json_find(root, "runs");
    const struct zv_json_value *const fullest = fullest_run(runs, true);
    const struct zv_json_value *const shown_run =
        fullest != NULL ? fullest : fullest_run(runs, false);
    const struct zv_slice known = text_of(root, "known");
    const struct zv_slice outcome = text_of(root, "outcome");
    const struct zv_slice model = text_of(zv_json_find(shown_run, "device"), "model");
    const struct zv_slice failed = text_of(shown_run, "failed_phase");
    const size_t count = zv_json_count(runs);
    char sizes[120] = "";
    size_t used = 0;
    const struct zv_slice policy = text_of(zv_json_find(shown_run, "allocator"), "policy");
    to->has_counters = true;
    to->backend = zv_slice_equal(policy, "caching")             ? "native"
                  : zv_slice_equal(policy, "cuda-malloc-async") ? "cudaMallocAsync"
                                                                : NULL;
    to->known = known.length != 0 ? zv_arena_copy(arena, known.at, known.length) : NULL;
    for (unsigned i = 0; i < ZV_COUNTERS; i++) {
        to->counted[i] = counter_of(shown_run, i, &to->bytes[i]);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint64_t size;
        if (zv_json_u64(zv_json_find(shown_run, names[i]), &size)) {
            used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%s %" PRIu64,
                                     used != 0 ? ", " : "; ", names[i], size);
        }
    }
    return zv_arena_print(
        arena, "%.*s: %zu %s, the fullest on %.*s%s%s%.*s",
        outcome.length != 0 ? shown(outcome) : (int)strlen("outcome not said"),
        outcome.length != 0 ? outcome.at : "outcome not said", count, count == 1 ? "run" : "runs",
        model.length != 0 ? shown(model) : (int)strlen("a device of unknown name"),
        model.length != 0 ? model.at : "a device of unknown name", sizes,
        failed.length != 0 ? "; failed in " : "", failed.length != 0 ? shown(failed) : 0,
        failed.length != 0 ? failed.at : "");
}

static const struct {
    const char *schema;
    reader *read;
    const char *proves;
} results[] = {
    {"zirve.run/1", read_run,
     "that the command ended so, once; no need of memory, for none was measured, and no load, for "
     "what it processed is not known"},
    {"zirve.run_search/1", read_search,
     "that boundary, of that command, where it ran; no need in bytes"},
    {"zirve.explain/1", read_explain,
     "what the allocator of that process held; not what others held or its context took, and no "
     "load"},
    {"zirve.explain_message/1", read_message,
     "that a request failed, with the figures it printed; no need"},
    {"zirve.explain_engine/1", read_engine,
     "that it did not start, with the figures it printed; no need"},
    {"zirve.advice/1", read_advice, "nothing: it says what to try"},
    {"zirve.measure/1", read_measure,
     "what one allocator held in those phases, so run; no card's capacity for another model, and "
     "no load but that of the phases"},
    {"zirve.environment/1", read_environment,
     "what the machine was then; not that a job runs there, and no capacity for one"},
};

static const bool has_results[ZV_ENTRY_KINDS] = {
    [ZV_ENTRY_MEASUREMENT] = true, [ZV_ENTRY_RUN] = true,       [ZV_ENTRY_EXPLAIN] = true,
    [ZV_ENTRY_ENVIRONMENT] = true, [ZV_ENTRY_EMULATION] = true, /* of an environment, of the
                                                                   exercise */
};

static enum zv_status read_log(struct zv_attachment *to, struct zv_slice text,
                               struct zv_arena *arena, struct zv_error *err)
{
    struct zv_overflow overflow;
    const enum zv_status status = zv_overflow_read(&overflow, text, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    to->proves = "nothing of memory but that its program said so";
    if (!overflow.memory_named) {
        to->verdict = "no line says that memory ran out";
        return ZV_OK;
    }
    to->verdict = zv_arena_print(
        arena, "out of %s memory%s%s: %.200s", zv_oom_memory_name(overflow.memory),
        overflow.phase != ZV_PHASES ? " in " : "",
        overflow.phase != ZV_PHASES ? zv_phase_facts[overflow.phase].name : "", overflow.text);
    return to->verdict != NULL ? ZV_OK : zv_fail_memory(err, "an attachment");
}

enum zv_status zv_attachment_read(struct zv_attachment *attachment, bool *read,
                                  const struct zv_entry *entry, struct zv_slice text,
                                  struct zv_arena *arena, struct zv_error *err)
{
    const struct zv_json_value *root;
    *attachment = (struct zv_attachment){.entry = entry};
    *read = entry->kind == ZV_ENTRY_LOG && zv_entry_kind_of(text) == ZV_ENTRY_KINDS;
    if (*read) {
        return read_log(attachment, text, arena, err);
    }
    if (entry->kind >= ZV_ENTRY_KINDS || !has_results[entry->kind] ||
        zv_entry_kind_of(text) != entry->kind) {
        return ZV_OK;
    }
    const enum zv_status status = zv_json_tree_read(&root, text, ZV_JSON_STRICT, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    const struct zv_slice schema = text_of(root, "schema");
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        if (zv_slice_equal(schema, results[i].schema)) {
            *read = true;
            attachment->proves = results[i].proves;
            attachment->verdict = results[i].read(attachment, root, arena);
            return attachment->verdict != NULL ? ZV_OK : zv_fail_memory(err, "an attachment");
        }
    }
    return ZV_OK;
}
