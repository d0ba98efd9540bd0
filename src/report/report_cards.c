#include "report/report_cards.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/json_fields.h"

static void print_range(char to[REPORT_BYTES_TEXT], const struct zv_card *card,
                        enum zv_reading_kind kind)
{
    uint64_t low;
    uint64_t high;
    char a[ZV_BYTES_TEXT];
    char b[ZV_BYTES_TEXT];
    if (!zv_card_range(card, kind, &low, &high)) {
        (void)snprintf(to, REPORT_BYTES_TEXT, "unknown");
        return;
    }
    zv_bytes_print_number(a, low, ZV_UNIT_GIB, 2);
    zv_bytes_print_number(b, high, ZV_UNIT_GIB, 2);
    if (low == high) {
        (void)snprintf(to, REPORT_BYTES_TEXT, "%.40s", a);
    } else {
        (void)snprintf(to, REPORT_BYTES_TEXT, "%.40s to %.40s", a, b);
    }
}

void report_cards_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_card_table *table)
{
    char text[128];
    (void)snprintf(text, sizeof text, "%-37s %7s %10s %14s %s\n", "card", "nominal", "driver",
                   "runtime", "memory");
    report_bold(sink, style, text);
    (void)snprintf(text, sizeof text, "%-37s %7s %10s %14s\n", "", "GB", "GiB", "GiB");
    zv_sink_text(sink, text);
    for (size_t i = 0; i < table->count; i++) {
        const struct zv_card *const card = &table->cards[i];
        char nominal[ZV_BYTES_TEXT] = "unknown";
        char driver[REPORT_BYTES_TEXT];
        char runtime[REPORT_BYTES_TEXT];
        if (card->nominal_bytes != 0) {
            zv_bytes_print_number(nominal, card->nominal_bytes, ZV_UNIT_GB, 0);
        }
        print_range(driver, card, ZV_READING_DRIVER);
        print_range(runtime, card, ZV_READING_RUNTIME);
        zv_sink_print(sink, "%-37.*s %7s %10s %14s%s%s\n", (int)card->name.length, card->name.at,
                      nominal, driver, runtime, card->unified ? " unified" : "",
                      card->user ? " yours" : "");
    }
    zv_sink_text(sink, "\n");
    report_fold(sink, style, 0, 0,
                "nominal: the data sheet. driver: total as the driver reports it. runtime: what a "
                "process can allocate from, lowest and highest reading. unknown: nobody published "
                "it with a source that may be cited. 'zirve cards NAME' gives the sources.");
}

/* "8.9" */
static const char *print_capability(char to[REPORT_BYTES_TEXT],
                                    const struct zv_capability *capability)
{
    if (capability == NULL) {
        return NULL;
    }
    (void)snprintf(to, REPORT_BYTES_TEXT, "%" PRIu32 ".%" PRIu32, capability->major,
                   capability->minor);
    return to;
}

static void show_kernels(struct zv_sink *sink, const struct zv_card_kernels *kernels)
{
    char text[REPORT_BYTES_TEXT];
    if (print_capability(text, kernels->capability) == NULL) {
        zv_sink_text(sink, "  compute   unknown\n");
        return;
    }
    zv_sink_print(sink, "  compute   capability %s, ", text);
    if (kernels->processors != 0) {
        zv_sink_print(sink, "%" PRIu32, kernels->processors);
    } else {
        zv_sink_text(sink, "an unknown number of");
    }
    zv_sink_print(sink, " multiprocessors of %" PRIu32 " threads\n            source: %.*s\n",
                  kernels->capability->threads, (int)kernels->source.length, kernels->source.at);
}

void report_card_text(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_card *card)
{
    char gb[ZV_BYTES_TEXT];
    char gib[ZV_BYTES_TEXT];
    report_bold(sink, style, "");
    zv_sink_print(sink, "%.*s (%.*s)%s\n\n", (int)card->name.length, card->name.at,
                  (int)card->vendor.length, card->vendor.at,
                  card->unified ? ", memory shared with the processor" : "");
    if (card->nominal_bytes != 0) {
        zv_bytes_print(gb, card->nominal_bytes, ZV_UNIT_GB, 0);
        zv_bytes_print(gib, card->nominal_bytes, ZV_UNIT_GIB, 2);
        zv_sink_print(sink, "  nominal   %s = %s   %.*s\n", gb, gib, (int)card->source.length,
                      card->source.at);
    } else {
        zv_sink_text(sink, "  nominal   unknown\n");
    }
    for (int kind = ZV_READING_DRIVER; kind <= ZV_READING_RUNTIME; kind++) {
        const char *const name = kind == ZV_READING_DRIVER ? "driver" : "runtime";
        bool any = false;
        for (size_t i = 0; i < card->reading_count; i++) {
            const struct zv_card_reading *const reading = &card->readings[i];
            if ((int)reading->kind != kind) {
                continue;
            }
            char bytes[REPORT_BYTES_TEXT];
            any = true;
            report_bytes(bytes, style, reading->bytes);
            zv_sink_print(sink,
                          "  %-9s %s\n            printed \"%.*s\" by %.*s\n            "
                          "source: %.*s\n",
                          name, bytes, (int)reading->printed.length, reading->printed.at,
                          (int)reading->by.length, reading->by.at, (int)reading->source.length,
                          reading->source.at);
        }
        if (!any) {
            zv_sink_print(sink, "  %-9s unknown\n", name);
        }
    }
    show_kernels(sink, &card->kernels);
}

static void write_kernels(struct zv_json_writer *json, const struct zv_card_kernels *kernels)
{
    const struct zv_capability *const capability = kernels->capability;
    char text[REPORT_BYTES_TEXT];
    json_text(json, "compute_capability", print_capability(text, capability));
    json_bytes(json, "multiprocessors", kernels->processors != 0, kernels->processors);
    json_bytes(json, "threads_per_multiprocessor", capability != NULL,
               capability != NULL ? capability->threads : 0);
    zv_json_write_key(json, "compute_source");
    if (kernels->source.length != 0) {
        zv_json_write_slice(json, kernels->source);
    } else {
        zv_json_write_null(json);
    }
}

static void write_card(struct zv_json_writer *json, const struct zv_card *card)
{
    static const char *const kinds[] = {"driver", "runtime"};
    zv_json_begin_object(json);
    zv_json_write_key(json, "name");
    zv_json_write_slice(json, card->name);
    zv_json_write_key(json, "vendor");
    zv_json_write_slice(json, card->vendor);
    zv_json_write_key(json, "nominal_bytes");
    if (card->nominal_bytes != 0) {
        zv_json_write_u64(json, card->nominal_bytes);
    } else {
        zv_json_write_null(json);
    }
    zv_json_write_key(json, "nominal_source");
    zv_json_write_slice(json, card->source);
    zv_json_write_key(json, "unified");
    zv_json_write_bool(json, card->unified);
    for (int kind = ZV_READING_DRIVER; kind <= ZV_READING_RUNTIME; kind++) {
        uint64_t low;
        uint64_t high;
        const bool any = zv_card_range(card, (enum zv_reading_kind)kind, &low, &high);
        zv_json_write_key(json, kind == ZV_READING_DRIVER ? "driver_bytes" : "runtime_bytes");
        if (any) {
            zv_json_begin_array(json);
            zv_json_write_u64(json, low);
            zv_json_write_u64(json, high);
            zv_json_end_array(json);
        } else {
            zv_json_write_null(json);
        }
    }
    write_kernels(json, &card->kernels);
    zv_json_write_key(json, "readings");
    zv_json_begin_array(json);
    for (size_t i = 0; i < card->reading_count; i++) {
        const struct zv_card_reading *const reading = &card->readings[i];
        zv_json_begin_object(json);
        zv_json_write_key(json, "kind");
        zv_json_write_string(json, kinds[reading->kind]);
        zv_json_write_key(json, "bytes");
        zv_json_write_u64(json, reading->bytes);
        zv_json_write_key(json, "printed");
        zv_json_write_slice(json, reading->printed);
        zv_json_write_key(json, "by");
        zv_json_write_slice(json, reading->by);
        zv_json_write_key(json, "source");
        zv_json_write_slice(json, reading->source);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
    zv_json_end_object(json);
}

void report_cards_json(struct zv_sink *sink, const struct zv_card *cards, size_t count)
{
    struct zv_json_writer json = {.sink = sink};
    zv_json_begin_object(&json);
    zv_json_write_key(&json, "schema");
    zv_json_write_string(&json, "zirve.cards/1");
    zv_json_write_key(&json, "cards");
    zv_json_begin_array(&json);
    for (size_t i = 0; i < count; i++) {
        write_card(&json, &cards[i]);
    }
    zv_json_end_array(&json);
    zv_json_end_object(&json);
    zv_json_finish(&json);
}
