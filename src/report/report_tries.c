/* A search by tries of a command: the boundary first, then every try. */
#include <inttypes.h>
#include <stdio.h>

#include "report/json_fields.h"
#include "report/report_run.h"

static const char *verdict(const struct zv_tries *tries)
{
    const struct zv_bisect *const bisect = &tries->bisect;
    if (bisect->stopped) {
        return "stopped";
    }
    if (bisect->contrary) {
        return "not monotone";
    }
    if (!bisect->found) {
        return "none";
    }
    return bisect->at_limit ? "at the end of the range" : "boundary";
}

static void put_stop(char *to, size_t size, const struct zv_tries *tries)
{
    const struct zv_bisect *const bisect = &tries->bisect;
    const struct zv_try *const last = &tries->items[bisect->asked_count - 1];
    char best[80] = "None passed before.";
    if (bisect->found) {
        (void)snprintf(best, sizeof best, "The largest that passed before is %" PRIu64 ".",
                       bisect->value);
    }
    (void)snprintf(to, size,
                   "STOPPED at %.*s %" PRIu64
                   ", which ended for another reason than memory (%s): that is no \"does not "
                   "fit\". %s",
                   (int)tries->name.length, tries->name.at, last->value,
                   last->launched.left_running ? "processes of it would not end"
                                               : zv_launch_outcome_name(last->launched.outcome),
                   best);
}

static void put_verdict(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_tries *tries)
{
    const struct zv_bisect *const bisect = &tries->bisect;
    const int length = (int)tries->name.length;
    const char *const name = tries->name.at;
    char text[512];
    if (bisect->stopped) {
        put_stop(text, sizeof text, tries);
    } else if (!bisect->found) {
        (void)snprintf(text, sizeof text, "NONE: not even %.*s %" PRIu64 " passes.", length, name,
                       bisect->from);
    } else if (bisect->at_limit) {
        (void)snprintf(text, sizeof text,
                       "%.*s %" PRIu64 " passes, the end of the range: more was not asked.", length,
                       name, bisect->value);
    } else {
        (void)snprintf(text, sizeof text,
                       "%.*s %" PRIu64 " passes, %.*s %" PRIu64 " does not for want of memory.",
                       length, name, bisect->value, length, name, bisect->value + 1);
    }
    report_fold(sink, style, 0, 0, text);
    if (bisect->contrary) {
        (void)snprintf(text, sizeof text,
                       "NOT MONOTONE: %.*s %" PRIu64 " %s, against that: there is no one boundary.",
                       length, name, bisect->contrary_value,
                       zv_tries_find(tries, bisect->contrary_value)->trial == ZV_TRIAL_PASSES
                           ? "passes"
                           : "does not pass");
        report_fold(sink, style, 0, 0, text);
    } else if (!bisect->stopped && tries->confirm == 0) {
        report_fold(sink, style, 0, 0,
                    "That what fits ends there and does not begin again is taken for granted "
                    "(--confirm N asks).");
    } else if (!bisect->stopped) {
        report_fold(sink, style, 0, 0, "The values asked to confirm it agree.");
    }
}

/* The line about memory, else the last line that it wrote. */
static void put_line(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_tail *tail)
{
    enum { SHOWN = 160 };
    const size_t count = zv_tail_count(tail);
    const struct zv_tail_line *const line = tail->sign != NULL ? &tail->memory
                                            : count != 0       ? zv_tail_at(tail, count - 1)
                                                               : NULL;
    char text[SHOWN + 8];
    if (line != NULL && line->length != 0) {
        (void)snprintf(text, sizeof text, "%.*s%s",
                       (int)(line->length < SHOWN ? line->length : SHOWN), line->text,
                       line->length > SHOWN ? " ..." : "");
        report_fold(sink, style, 6, 0, text);
    }
}

void report_tries_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_tries *tries)
{
    put_verdict(sink, style, tries);
    zv_sink_print(sink, "\n%zu %s\n", tries->bisect.asked_count,
                  tries->bisect.asked_count == 1 ? "try" : "tries, in their order");
    for (size_t i = 0; i < tries->bisect.asked_count; i++) {
        const struct zv_try *const one = &tries->items[i];
        char end[REPORT_RUN_END];
        report_run_end(end, &one->launched);
        zv_sink_print(sink, "  %.*s %" PRIu64 ": %s\n", (int)tries->name.length, tries->name.at,
                      one->value, end);
        put_line(sink, style, &one->launched.tail);
    }
}

void report_tries_json(struct zv_sink *sink, const struct zv_tries *tries)
{
    static const char *const answers[] = {"passes", "does not", "no answer"};
    const struct zv_bisect *const bisect = &tries->bisect;
    struct zv_json_writer json = {.sink = sink};
    const bool confirmed = tries->confirm != 0 && !bisect->stopped;
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.run_search/1");
    report_command_json(&json, tries->launch.command);
    json_slice(&json, "dimension", tries->name);
    json_bytes(&json, "from", true, bisect->from);
    json_bytes(&json, "to", true, bisect->to);
    json_bytes(&json, "timeout_ms", tries->launch.timeout_ms != 0, tries->launch.timeout_ms);
    json_text(&json, "verdict", verdict(tries));
    json_bytes(&json, "value", bisect->found, bisect->value);
    zv_json_write_key(&json, "confirmed");
    if (confirmed) {
        zv_json_write_bool(&json, !bisect->contrary);
    } else {
        zv_json_write_null(&json);
    }
    json_bytes(&json, "contrary_value", bisect->contrary, bisect->contrary_value);
    zv_json_write_key(&json, "tries");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < bisect->asked_count; i++) {
        zv_json_begin_object(&json);
        json_bytes(&json, "value", true, tries->items[i].value);
        json_text(&json, "answer", answers[tries->items[i].trial]);
        report_launched_json(&json, &tries->items[i].launched);
        zv_json_end_object(&json);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
