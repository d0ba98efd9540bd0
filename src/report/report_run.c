#include "report/report_run.h"

#include <inttypes.h>
#include <stdio.h>

#include "explain/oom_message.h"
#include "report/json_fields.h"

void report_run_end(char to[REPORT_RUN_END], const struct zv_launched *launched)
{
    char how[64];
    const bool memory =
        launched->outcome == ZV_LAUNCH_OUT_OF_MEMORY || launched->outcome == ZV_LAUNCH_PARTIAL;
    const char *const which = zv_oom_memory_name(launched->memory);
    if (launched->exited) {
        (void)snprintf(how, sizeof how, "exit status %d", launched->status);
    } else {
        (void)snprintf(how, sizeof how, "signal %d", launched->signal);
    }
    const bool partial = launched->outcome == ZV_LAUNCH_PARTIAL;
    (void)snprintf(to, REPORT_RUN_END, "%s%s%s%s, %s, %" PRIu64 ".%" PRIu64 " s",
                   partial ? "a request failed: " : "", memory ? "out of " : "",
                   memory ? which : zv_launch_outcome_name(launched->outcome),
                   memory ? " memory" : "", how, launched->wall_ms / 1000,
                   launched->wall_ms % 1000 / 100);
}

/* What the line says of memory is a reading of the program's, with the precision it printed. */
static void put_memory(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_launched *launched)
{
    const struct zv_tail *const tail = &launched->tail;
    char text[ZV_TAIL_LINE + 64];
    if (tail->sign != NULL) {
        (void)snprintf(text, sizeof text, "%s says: %.*s", tail->sign->who,
                       (int)tail->memory.length, tail->memory.text);
        report_fold(sink, style, 2, 0, text);
    } else if (launched->outcome == ZV_LAUNCH_OUT_OF_MEMORY) {
        report_fold(sink, style, 2, 0,
                    "killed while the kernel counted a process ended for want of host memory "
                    "(oom_kill in /proc/vmstat): most likely this one");
    } else if (!launched->exited && launched->signal == 9 &&
               launched->outcome == ZV_LAUNCH_FAILED) {
        report_fold(sink, style, 2, 0,
                    "killed, by whom is not known: the kernel counted none for want of memory");
    }
    if (launched->outcome == ZV_LAUNCH_PARTIAL) {
        report_fold(sink, style, 2, 0,
                    "It went on after that request: a run that skipped work proves no load.");
    }
}

void report_run_text(struct zv_sink *sink, const struct report_style *style,
                     const struct report_run *run)
{
    char end[REPORT_RUN_END];
    report_run_end(end, run->launched);
    report_bold(sink, style, end);
    zv_sink_text(sink, "\n");
    put_memory(sink, style, run->launched);
    if (run->launched->left_running) {
        zv_sink_text(sink, "  processes that it started are still running\n");
    }
}

void report_command_json(struct zv_json_writer *json, char *const *command)
{
    zv_json_write_key(json, "command");
    zv_json_begin_array(json);
    for (size_t i = 0; command[i] != NULL; i++) {
        zv_json_write_string(json, command[i]);
    }
    zv_json_end_array(json);
}

static void write_number(struct zv_json_writer *json, const char *key, bool known, int value)
{
    json_bytes(json, key, known, (uint64_t)value);
}

static void write_memory(struct zv_json_writer *json, const struct zv_launched *launched)
{
    const struct zv_tail *const tail = &launched->tail;
    struct zv_oom_message message = {0};
    zv_json_write_key(json, "memory");
    if (tail->sign == NULL && launched->outcome != ZV_LAUNCH_OUT_OF_MEMORY) {
        zv_json_write_null(json);
        return;
    }
    const struct zv_slice text = {tail->memory.text, tail->memory.length};
    const bool read = tail->sign != NULL && zv_oom_message_find(&message, text);
    zv_json_begin_object(json);
    json_text(json, "kind", zv_oom_memory_name(launched->memory));
    json_text(json, "said_by", tail->sign != NULL ? tail->sign->who : "the kernel's count");
    json_bytes(json, "lines", true, tail->memory_lines);
    if (tail->sign != NULL) {
        json_slice(json, "text", text);
    } else {
        json_text(json, "text", NULL);
    }
    json_bytes(json, "requested_bytes", read && message.requested.known, message.requested.bytes);
    json_bytes(json, "allocated_bytes", read && message.allocated.known, message.allocated.bytes);
    json_bytes(json, "reserved_bytes", read && message.reserved.known, message.reserved.bytes);
    json_bytes(json, "device_free_bytes", read && message.device_free.known,
               message.device_free.bytes);
    json_bytes(json, "capacity_bytes", read && message.capacity.known, message.capacity.bytes);
    zv_json_end_object(json);
}

static void write_tail(struct zv_json_writer *json, const struct zv_tail *tail)
{
    zv_json_write_key(json, "last_lines");
    zv_json_begin_array(json);
    for (size_t i = 0; i < zv_tail_count(tail); i++) {
        const struct zv_tail_line *const line = zv_tail_at(tail, i);
        zv_json_begin_object(json);
        json_text(json, "stream", line->stream == 0 ? "output" : "error");
        json_slice(json, "text", (struct zv_slice){line->text, line->length});
        json_bytes(json, "cut_bytes", true, line->cut);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

void report_launched_json(struct zv_json_writer *json, const struct zv_launched *launched)
{
    json_text(json, "outcome", zv_launch_outcome_name(launched->outcome));
    write_number(json, "exit_status", launched->exited, launched->status);
    write_number(json, "signal", !launched->exited, launched->signal);
    json_bytes(json, "wall_ms", true, launched->wall_ms);
    json_bool(json, "left_running", launched->left_running);
    json_bytes(json, "kernel_memory_kills", true, launched->kernel_kills);
    write_memory(json, launched);
    json_bytes(json, "output_bytes", true, launched->tail.bytes[0]);
    json_bytes(json, "error_bytes", true, launched->tail.bytes[1]);
    json_bytes(json, "lines", true, launched->tail.lines);
    write_tail(json, &launched->tail);
}

void report_run_json(struct zv_sink *sink, const struct report_run *run)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.run/1");
    report_command_json(&json, run->launch->command);
    json_bytes(&json, "timeout_ms", run->launch->timeout_ms != 0, run->launch->timeout_ms);
    report_launched_json(&json, run->launched);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
