#include <stdio.h>
#include <string.h>

#include "report/report_estimate.h"

static const struct zv_item *find(const struct zv_ledger *ledger, const char *id)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (strcmp(ledger->items[i].id, id) == 0) {
            return &ledger->items[i];
        }
    }
    return NULL;
}

static void line(struct zv_sink *sink, const struct report_style *style, const char *name,
                 uint64_t bytes, const char *known)
{
    char text[REPORT_BYTES_TEXT];
    report_bytes(text, style, bytes);
    zv_sink_print(sink, "  %-22s %-26s %s\n", name, text, known);
}

static void item_line(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_ledger *ledger, const char *id, const char *name)
{
    const struct zv_item *const item = find(ledger, id);
    if (item != NULL) {
        line(sink, style, name, item->quantity.bytes, zv_known_name(item->quantity.known));
        report_fold(sink, style, 4, 0, item->quantity.basis);
    }
}

static void fit_line(struct zv_sink *sink, const struct report_style *style,
                     const struct zv_capacity *capacity, const struct zv_fit *fit)
{
    char text[512];
    char low[REPORT_BYTES_TEXT];
    char margin[REPORT_BYTES_TEXT];
    report_bytes(low, style, capacity->low);
    report_bytes(margin, style, fit->margin);
    (void)snprintf(text, sizeof text, "%.*s: %s; %s. %s by calculation, %s %s.",
                   (int)capacity->name.length, capacity->name.at, low, capacity->basis,
                   fit->verdict == ZV_FITS       ? "Fits"
                   : fit->verdict == ZV_FITS_NOT ? "Does not fit"
                                                 : "Cannot tell",
                   margin, fit->over ? "missing" : "to spare");
    report_fold(sink, style, 2, 0, text);
}

void report_numbers_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_numbers *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct zv_numbers *const numbers = &report->numbers[i];
        const struct zv_ledger *const ledger = &report->ledgers[i];
        struct zv_total total;
        char title[128] = "by hand";
        char count[32];
        if (numbers->parameters != 0) {
            report_count(count, numbers->parameters);
            (void)snprintf(title, sizeof title, "%s values of %llu bits", count,
                           (unsigned long long)numbers->bits);
        }
        if (i != 0) {
            zv_sink_text(sink, "\n");
        }
        report_bold(sink, style, title);
        zv_sink_text(sink, "\n");
        item_line(sink, style, ledger, "weights", "weights only");
        item_line(sink, style, ledger, "kv_cache", "KV cache");
        item_line(sink, style, ledger, "reserve", "reserve");
        if (ledger->count > 1 && zv_ledger_total(ledger, 0, &total, NULL) == ZV_OK) {
            line(sink, style, "indicative envelope", total.expected, "assumed");
        }
        if (report->capacity != NULL) {
            fit_line(sink, style, report->capacity, &report->fits[i]);
        }
    }
}
