/* An engine that stopped for want of memory, in its own words: the verdict and what it says. */
#include <inttypes.h>
#include <stdio.h>

#include "report/json_fields.h"
#include "report/report_estimate.h"
#include "report/report_explain.h"

enum { LINE_TEXT = 512, COUNT_TEXT = 32 };

static void bytes_or_unknown(char to[REPORT_BYTES_TEXT], const struct report_style *style,
                             const struct zv_printed *printed)
{
    if (printed->known) {
        report_bytes(to, style, printed->bytes);
    } else {
        (void)snprintf(to, REPORT_BYTES_TEXT, "an unknown amount");
    }
}

static void put_verdict(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_engine_message *message)
{
    char needed[REPORT_BYTES_TEXT];
    char there[REPORT_BYTES_TEXT];
    char line[LINE_TEXT];
    bytes_or_unknown(needed, style, &message->needed);
    switch (message->stop) {
    case ZV_ENGINE_SHARE:
        bytes_or_unknown(there, style, &message->device_free);
        (void)snprintf(line, sizeof line,
                       "NOT STARTED because of memory outside this process: %s takes %s of the "
                       "card, and %s was free.",
                       message->engine, needed, there);
        break;
    case ZV_ENGINE_NO_CACHE:
        (void)snprintf(
            line, sizeof line,
            "NOT STARTED for lack of capacity: of the share that %s may take (%s), weights "
            "and activations leave nothing for the cache.",
            message->engine, message->option);
        break;
    case ZV_ENGINE_SMALL_CACHE:
        bytes_or_unknown(there, style, &message->available);
        if (message->needed.known) {
            (void)snprintf(line, sizeof line,
                           "NOT STARTED for lack of capacity: one request of the longest context "
                           "needs %s of cache, and %s is left for it.",
                           needed, there);
        } else {
            (void)snprintf(line, sizeof line,
                           "NOT STARTED for lack of capacity: the cache holds fewer tokens than "
                           "one request of the longest context.");
        }
        break;
    case ZV_ENGINE_BUFFER:
    case ZV_ENGINE_STOPS:
        (void)snprintf(line, sizeof line,
                       "OUT OF MEMORY: %s requested a buffer of %s. Why there was no room, this "
                       "text does not say.",
                       message->engine, needed);
        break;
    }
    report_fold(sink, style, 0, 0, line);
}

static void put_bytes(struct zv_sink *sink, const struct report_style *style, const char *name,
                      const struct zv_printed *printed)
{
    char text[REPORT_BYTES_TEXT];
    if (printed->known) {
        report_bytes(text, style, printed->bytes);
        zv_sink_print(sink, "  %-24s %s\n", name, text);
    }
}

static void put_count(struct zv_sink *sink, const char *name, const struct zv_engine_count *count)
{
    char text[COUNT_TEXT];
    if (count->known) {
        report_count(text, count->value);
        zv_sink_print(sink, "  %-24s %s tokens\n", name, text);
    }
}

static void put_advice(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_engine_message *message)
{
    static const char *const advice[ZV_ENGINE_STOPS] = {
        "A larger share makes it worse here: end what uses the card, or lower the share to what is "
        "free, if weights and one request fit in that.",
        "Raising the share helps only as far as the card is free; else fewer bits for the weights, "
        "fewer tokens a step, or more cards.",
        "A shorter context (--max-model-len) is the exact remedy; a larger share, or a smaller "
        "type "
        "for the cache, the others.",
        "Fewer layers on the device, a shorter context or a smaller batch ask for less."};
    if (message->stop < ZV_ENGINE_STOPS) {
        report_fold(sink, style, 0, 0, advice[message->stop]);
    }
}

void report_engine_message_text(struct zv_sink *sink, const struct report_style *style,
                                const struct zv_engine_message *message)
{
    const struct zv_printed missing = {message->missing_bytes != 0, message->missing_bytes, 0};
    const bool is_share = message->stop == ZV_ENGINE_SHARE;
    put_verdict(sink, style, message);
    zv_sink_print(sink, "\nLine %" PRIu64 " says (%s):\n", message->line, message->engine);
    put_bytes(sink, style, "card", &message->device_total);
    put_bytes(sink, style, "free at the start", &message->device_free);
    if (message->share.known) {
        zv_sink_print(sink, "  %-24s %" PRIu64 ".%02" PRIu64 " (%s)\n", "share",
                      message->share.value / 100, message->share.value % 100, message->option);
    }
    put_bytes(sink, style, is_share ? "to be taken" : "needed", &message->needed);
    put_bytes(sink, style, "left for the cache", &message->available);
    put_bytes(sink, style, "missing", &missing);
    put_count(sink, "longest context", &message->context);
    put_count(sink, "would fit", &message->fits);
    if (message->buffer.length != 0) {
        zv_sink_print(sink, "  %-24s ", "device");
        report_name(sink, message->buffer, 40);
        zv_sink_text(sink, "\n");
    }
    if (message->purpose != NULL) {
        zv_sink_print(sink, "  %-24s %s\n", "for", message->purpose);
    }
    put_advice(sink, style, message);
    report_fold(sink, style, 0, 0, "Everything else is unknown: the text does not say it.");
}

void report_engine_message_json(struct zv_sink *sink, const struct zv_engine_message *message)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    json_text(&json, "schema", "zirve.explain_engine/1");
    json_bytes(&json, "line", true, message->line);
    json_text(&json, "engine", message->engine);
    json_text(&json, "stopped_by", zv_engine_stop_name(message->stop));
    json_text(&json, "option", message->option);
    json_bytes(&json, "device_total_bytes", message->device_total.known,
               message->device_total.bytes);
    json_bytes(&json, "device_free_bytes", message->device_free.known, message->device_free.bytes);
    json_bytes(&json, "share_hundredths", message->share.known, message->share.value);
    json_bytes(&json, "needed_bytes", message->needed.known, message->needed.bytes);
    json_bytes(&json, "available_bytes", message->available.known, message->available.bytes);
    json_bytes(&json, "missing_bytes", message->missing_bytes != 0, message->missing_bytes);
    json_bytes(&json, "context_tokens", message->context.known, message->context.value);
    json_bytes(&json, "fitting_tokens", message->fits.known, message->fits.value);
    if (message->buffer.length != 0) {
        json_slice(&json, "device", message->buffer);
    } else {
        json_text(&json, "device", NULL);
    }
    json_text(&json, "purpose", message->purpose);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
