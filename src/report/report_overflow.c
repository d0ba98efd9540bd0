#include "report/report_overflow.h"

#include <stdio.h>
#include <string.h>

#include "report/json_fields.h"

enum { CHANGES_MAX = 64 };

/* The changes of the phase in the order they are shown: what an estimate says frees most first. */
struct ranking {
    const struct zv_change *changes[CHANGES_MAX];
    const struct zv_lever *best[CHANGES_MAX]; /* NULL: no figure */
    size_t count;
};

static const struct zv_lever *best_lever(const struct zv_change *change,
                                         const struct zv_advice *advice)
{
    for (size_t i = 0; advice != NULL && i < advice->count; i++) { /* most saved first */
        if (zv_change_has_lever(change, advice->levers[i].id)) {
            return &advice->levers[i];
        }
    }
    return NULL;
}

static uint64_t freed(const struct zv_lever *lever)
{
    return lever != NULL && !lever->more ? lever->bytes : 0;
}

static void rank(struct ranking *ranking, const struct report_overflow *report)
{
    ranking->count = 0;
    for (size_t i = 0; i < zv_change_count && ranking->count < CHANGES_MAX; i++) {
        const struct zv_change *const change = &zv_changes[i];
        const struct zv_lever *const lever = best_lever(change, report->advice);
        if ((change->phases & 1U << report->overflow->phase) == 0 ||
            (report->advice != NULL && change->levers != NULL && lever == NULL)) {
            continue; /* of another phase, or of another kind of job */
        }
        size_t at = ranking->count++;
        for (; at > 0 && freed(lever) > freed(ranking->best[at - 1]); at--) {
            ranking->changes[at] = ranking->changes[at - 1];
            ranking->best[at] = ranking->best[at - 1];
        }
        ranking->changes[at] = change;
        ranking->best[at] = lever;
    }
}

static void put_what(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_overflow *overflow)
{
    char line[600];
    const bool known = overflow->phase != ZV_PHASES;
    (void)snprintf(
        line, sizeof line, "%s%s in %s%s%.200s%s", overflow->memory_named ? "OUT OF " : "FAILED",
        !overflow->memory_named           ? ""
        : overflow->memory == ZV_OOM_HOST ? "HOST MEMORY"
                                          : "DEVICE MEMORY",
        known ? zv_phase_facts[overflow->phase].name : "a phase that is not known",
        overflow->told_by != NULL ? " (" : "", overflow->told_by != NULL ? overflow->told_by : "",
        overflow->told_by != NULL ? ")" : "");
    report_fold(sink, style, 0, 0, line);
    if (overflow->text != NULL) {
        (void)snprintf(line, sizeof line, "%.300s%s", overflow->text,
                       strlen(overflow->text) > 300 ? " ..." : "");
        report_fold(sink, style, 2, 0, line);
    }
    if (!overflow->memory_named) {
        report_fold(sink, style, 0, 0, "Nothing in it says that memory ran out: you do.");
    } else if (overflow->memory == ZV_OOM_HOST) {
        report_fold(sink, style, 0, 0,
                    "It is the host's memory: changes that free a card need not free the host.");
    }
    if (overflow->has_message && overflow->message.kind_known &&
        overflow->message.kind == ZV_CAUSE_FRAGMENTATION) {
        report_fold(sink, style, 0, 0,
                    "It is fragmentation: there was room, but no hole. Settings of the allocator "
                    "come first ('zirve replay SNAPSHOT --advise').");
    }
    if (overflow->has_message && overflow->message.kind_known &&
        overflow->message.kind == ZV_CAUSE_OUTSIDE) {
        report_fold(
            sink, style, 0, 0,
            "It would have fitted alone on the card: what others hold, and what this process "
            "holds outside the allocator (its context), comes first.");
    }
}

static void put_change(struct zv_sink *sink, const struct report_style *style,
                       const struct report_overflow *report, const struct ranking *ranking,
                       size_t i)
{
    const struct zv_change *const change = ranking->changes[i];
    const struct zv_lever *const lever = ranking->best[i];
    char bytes[REPORT_BYTES_TEXT];
    char line[400];
    zv_sink_print(sink, "%3zu. %s\n", i + 1, change->name);
    if (lever != NULL && lever->reason == NULL) {
        report_bytes(bytes, style, lever->bytes);
        (void)snprintf(line, sizeof line, "frees %.80s: %.200s", bytes, lever->name);
    } else if (lever != NULL) {
        (void)snprintf(line, sizeof line, "frees nothing: %.200s", lever->reason);
    } else if (change->levers == NULL || report->has_model) {
        (void)snprintf(line, sizeof line, "frees what no estimate holds: unknown");
    } else {
        (void)snprintf(line, sizeof line, "frees: unknown without --job");
    }
    report_fold(sink, style, 5, 0, line);
    (void)snprintf(line, sizeof line, "costs: %.200s%s", change->cost,
                   change->quality ? "; show the quality again" : "");
    report_fold(sink, style, 5, 0, line);
}

void report_overflow_text(struct zv_sink *sink, const struct report_style *style,
                          const struct report_overflow *report)
{
    struct ranking ranking;
    put_what(sink, style, report->overflow);
    if (report->overflow->phase == ZV_PHASES) {
        report_fold(sink, style, 0, 0,
                    "What to change depends on the phase: --phase load, prefill, generation, "
                    "forward, backward, update, evaluation or export says it.");
        return;
    }
    const struct zv_phase_facts *const facts = &zv_phase_facts[report->overflow->phase];
    zv_sink_text(sink, "\nSuspects\n");
    for (size_t i = 0; facts->suspects[i] != NULL; i++) {
        report_fold(sink, style, 2, 0, facts->suspects[i]);
    }
    zv_sink_text(sink, "\nOne change at a time, in this phase, then run again\n");
    rank(&ranking, report);
    for (size_t i = 0; i < ranking.count; i++) {
        put_change(sink, style, report, &ranking, i);
    }
    if (ranking.count == 0) {
        zv_sink_text(sink, "  none: a job of this kind has no such phase\n");
    }
    if (facts->warning != NULL) {
        zv_sink_text(sink, "\n");
        report_fold(sink, style, 0, 0, facts->warning);
    }
    if (report->has_model && report->advice == NULL) {
        report_fold(sink, style, 0, 0,
                    "An estimate holds no items of this phase: what a change frees is unknown.");
    } else if (report->advice != NULL) {
        char bytes[REPORT_BYTES_TEXT];
        char line[300];
        report_bytes(bytes, style, report->advice->expected_bytes);
        (void)snprintf(line, sizeof line,
                       "Freed of the %.80s that the estimate expects of one card in this phase; "
                       "what changes free does not add up.",
                       bytes);
        report_fold(sink, style, 0, 0, line);
    }
}

static void write_change(struct zv_json_writer *json, const struct report_overflow *report,
                         const struct zv_change *change)
{
    zv_json_begin_object(json);
    json_text(json, "id", change->id);
    json_text(json, "name", change->name);
    json_text(json, "costs", change->cost);
    json_bool(json, "quality_again", change->quality);
    zv_json_write_key(json, "levers");
    zv_json_begin_array(json);
    for (size_t i = 0; report->advice != NULL && i < report->advice->count; i++) {
        const struct zv_lever *const lever = &report->advice->levers[i];
        if (zv_change_has_lever(change, lever->id)) {
            zv_json_begin_object(json);
            json_text(json, "id", lever->id);
            json_text(json, "name", lever->name);
            json_bytes(json, "frees_bytes", lever->reason == NULL, lever->bytes);
            json_text(json, "reason", lever->reason);
            zv_json_end_object(json);
        }
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

void report_overflow_json(struct zv_sink *sink, const struct report_overflow *report)
{
    const struct zv_overflow *const overflow = report->overflow;
    const bool known = overflow->phase != ZV_PHASES;
    struct zv_json_writer json = {.sink = sink};
    struct ranking ranking = {.count = 0};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.advice/1");
    json_text(&json, "phase", known ? zv_phase_facts[overflow->phase].name : NULL);
    json_text(&json, "told_by", overflow->told_by);
    json_text(&json, "memory",
              overflow->memory_named ? zv_oom_memory_name(overflow->memory) : NULL);
    json_text(&json, "text", overflow->text);
    json_text(&json, "verdict",
              overflow->has_message && overflow->message.kind_known
                  ? zv_cause_name(overflow->message.kind)
                  : NULL);
    json_bytes(&json, "requested_bytes", overflow->has_message && overflow->message.requested.known,
               overflow->message.requested.bytes);
    json_bytes(&json, "expected_bytes", report->advice != NULL,
               report->advice != NULL ? report->advice->expected_bytes : 0);
    zv_json_write_key(&json, "suspects");
    zv_json_begin_array(&json);
    for (size_t i = 0; known && zv_phase_facts[overflow->phase].suspects[i] != NULL; i++) {
        zv_json_write_string(&json, zv_phase_facts[overflow->phase].suspects[i]);
    }
    zv_json_end_array(&json);
    json_text(&json, "warning", known ? zv_phase_facts[overflow->phase].warning : NULL);
    zv_json_write_key(&json, "changes");
    zv_json_begin_array(&json);
    if (known) {
        rank(&ranking, report);
    }
    for (size_t i = 0; i < ranking.count; i++) {
        write_change(&json, report, ranking.changes[i]);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
