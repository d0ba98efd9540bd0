/* A pasted out-of-memory message: the same verdict from what it says, the rest unknown. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/json_fields.h"
#include "report/report_explain.h"

static void put_fact(struct zv_sink *sink, const struct report_style *style, const char *name,
                     const struct zv_printed *fact, const char *note)
{
    char text[REPORT_BYTES_TEXT];
    if (!fact->known) {
        zv_sink_print(sink, "  %-24s unknown\n", name);
        return;
    }
    report_bytes(text, style, fact->bytes);
    zv_sink_print(sink, "  %-24s %-*s%s%s\n", name, note[0] != 0 ? 26 : 0, text,
                  note[0] != 0 ? " " : "", note);
}

static void put_verdict(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_oom_message *message)
{
    char requested[REPORT_BYTES_TEXT];
    char other[REPORT_BYTES_TEXT];
    char third[REPORT_BYTES_TEXT];
    char line[1024];
    report_bytes(requested, style, message->requested.bytes);
    if (message->sign != NULL) {
        (void)snprintf(line, sizeof line,
                       "OUT OF %s MEMORY: %s printed \"%s\". The text does not say how much was "
                       "requested, or why there was no room.",
                       message->sign->memory == ZV_OOM_HOST ? "HOST" : "DEVICE", message->sign->who,
                       message->sign->words);
    } else if (!message->kind_known) {
        (void)snprintf(line, sizeof line,
                       "OUT OF MEMORY: %s requested. Why, this text does not say.", requested);
    } else if (message->kind == ZV_CAUSE_FRAGMENTATION) {
        report_bytes(other, style, message->unallocated.bytes);
        report_bytes(third, style, message->device_free.bytes);
        (void)snprintf(line, sizeof line,
                       "OUT OF MEMORY by fragmentation: %s requested; %s free in the cache and %s "
                       "on the card, but no hole of that size.",
                       requested, other, third);
    } else if (message->kind == ZV_CAUSE_LIMIT) {
        report_bytes(other, style, message->device_free.bytes);
        (void)snprintf(
            line, sizeof line,
            "OUT OF MEMORY although the card had room: %s requested, %s free. A limit of "
            "the process or the system, or memory that was freed after the request "
            "failed.",
            requested, other);
    } else if (message->kind == ZV_CAUSE_OUTSIDE) {
        report_bytes(other, style, message->allocated.bytes);
        report_bytes(third, style, message->outside.bytes);
        (void)snprintf(line, sizeof line,
                       "OUT OF MEMORY because of memory outside this allocator: %s live and %s "
                       "requested would fit the card, but %s of it is used by others.",
                       other, requested, third);
    } else {
        report_bytes(other, style, message->allocated.bytes);
        report_bytes(third, style, message->missing_bytes);
        (void)snprintf(line, sizeof line,
                       "OUT OF MEMORY for lack of capacity: %s live and %s requested are at least "
                       "%s more than this process could get.",
                       other, requested, third);
    }
    report_fold(sink, style, 0, 0, line);
}

/* Words of the driver and its libraries, not of an allocator above them. */
static bool is_of_driver(const struct zv_oom_sign *sign)
{
    static const char *const drivers[] = {"CUDA", "cuBLAS", "cuDNN", "HIP"};
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        if (strcmp(sign->who, drivers[i]) == 0) {
            return true;
        }
    }
    return strstr(sign->words, " error: out of memory") != NULL;
}

/* Words alone: what they mean, and where figures are. */
static void put_no_figures(struct zv_sink *sink, const struct report_style *style,
                           const struct zv_oom_message *message)
{
    char line[256];
    (void)snprintf(line, sizeof line, "Line %" PRIu64 " says it without figures.", message->line);
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 0, 0, line);
    if (is_of_driver(message->sign)) {
        report_fold(sink, style, 0, 0,
                    "A call to the driver or to a library failed, not a request to PyTorch's "
                    "allocator: memory that the allocator keeps cached is not free for such "
                    "calls. 'zirve environment' shows who uses the card.");
    }
}

void report_oom_message_text(struct zv_sink *sink, const struct report_style *style,
                             const struct zv_oom_message *message)
{
    put_verdict(sink, style, message);
    if (message->sign != NULL) {
        put_no_figures(sink, style, message);
        return;
    }
    zv_sink_print(sink, "\nThe message of line %" PRIu64 " says (measured, two decimals):\n",
                  message->line);
    put_fact(sink, style, "requested", &message->requested, "");
    put_fact(sink, style, "card", &message->capacity, "as the process sees it");
    put_fact(sink, style, "free on the card", &message->device_free, "");
    if (message->allowed.known) {
        put_fact(sink, style, "allowed", &message->allowed, "limit of the process");
    }
    put_fact(sink, style, "allocated", &message->allocated, "by PyTorch");
    if (message->private_pools.known) {
        put_fact(sink, style, "  in private pools", &message->private_pools, "CUDA graphs");
    }
    put_fact(sink, style, "reserved, not allocated", &message->unallocated, "");
    put_fact(sink, style, "this process, all", &message->this_process, "with its context");
    put_fact(sink, style, "others and outside", &message->outside, "card less free less reserved");
    if (message->close) {
        report_fold(sink, style, 0, 0,
                    "The figures lie within their printed precision of each other: the verdict "
                    "could be the other one.");
    }
    report_fold(sink, style, 0, 0,
                "Who held it, and where the holes are, only a memory snapshot tells "
                "(torch.cuda.memory._record_memory_history, then _dump_snapshot).");
}

static void write_fact(struct zv_json_writer *json, const char *key, const struct zv_printed *fact)
{
    json_bytes(json, key, fact->known, fact->bytes);
}

void report_oom_message_json(struct zv_sink *sink, const struct zv_oom_message *message)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.explain_message/1");
    json_bytes(&json, "line", true, message->line);
    json_text(&json, "memory",
              zv_oom_memory_name(message->sign != NULL ? message->sign->memory : ZV_OOM_DEVICE));
    json_text(&json, "words", message->sign != NULL ? message->sign->words : NULL);
    json_text(&json, "verdict", message->kind_known ? zv_cause_name(message->kind) : NULL);
    json_bool(&json, "within_printed_precision", message->close);
    write_fact(&json, "requested_bytes", &message->requested);
    write_fact(&json, "capacity_bytes", &message->capacity);
    write_fact(&json, "device_free_bytes", &message->device_free);
    write_fact(&json, "allowed_bytes", &message->allowed);
    write_fact(&json, "allocated_bytes", &message->allocated);
    write_fact(&json, "private_pool_bytes", &message->private_pools);
    write_fact(&json, "reserved_unallocated_bytes", &message->unallocated);
    write_fact(&json, "reserved_bytes", &message->reserved);
    write_fact(&json, "this_process_bytes", &message->this_process);
    write_fact(&json, "outside_bytes", &message->outside);
    json_bytes(&json, "missing_bytes",
               message->kind == ZV_CAUSE_CAPACITY || message->kind == ZV_CAUSE_OUTSIDE,
               message->missing_bytes);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
