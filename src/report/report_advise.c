/* Levers and the largest value: what could be changed, and how far one size can go. */
#include <stdio.h>

#include "report/json_fields.h"
#include "report/report_estimate.h"

enum { LEVER_WIDTH = 40 };

static const char *short_verdict(const struct zv_lever *lever)
{
    static const char *const words[] = {"fits", "does not fit", "cannot tell"};
    return lever->judged ? words[lever->verdict] : "";
}

static void lever_row(struct zv_sink *sink, const struct report_style *style,
                      const struct zv_lever *lever)
{
    char text[64];
    char line[400];
    char host[REPORT_BYTES_TEXT];
    const char *const verdict = short_verdict(lever);
    report_figures(text, style, lever->bytes, lever->more);
    zv_sink_print(sink, "  %-*s %s%s%s\n", LEVER_WIDTH - 2, lever->name, text,
                  verdict[0] != 0 ? "  " : "", verdict);
    report_bytes(host, style, lever->host_bytes);
    (void)snprintf(line, sizeof line, "%s%s%s%s%s%s", lever->reason != NULL ? lever->reason : "",
                   lever->reason != NULL ? "; " : "", lever->note,
                   lever->host_bytes != 0 ? "; host memory: " : "",
                   lever->host_bytes != 0 ? host : "",
                   lever->host_bytes == 0 ? ""
                   : lever->host_more     ? " more"
                                          : " less");
    report_fold(sink, style, 4, 0, lever->bytes == 0 && !lever->judged ? lever->reason : line);
}

void report_levers_text(struct zv_sink *sink, const struct report_style *style,
                        const struct report_estimate *report)
{
    const struct zv_advice *const advice = report->advice;
    char text[160];
    if (style->units == REPORT_UNITS_ONE) {
        (void)snprintf(text, sizeof text, "%-*s %20s%s", LEVER_WIDTH,
                       "levers, one at a time: saved", zv_unit_name(style->unit),
                       report->capacity != NULL ? "  alone" : "");
    } else {
        (void)snprintf(text, sizeof text, "%-*s %9s %10s%s", LEVER_WIDTH,
                       "levers, one at a time: saved", "GiB", "GB",
                       report->capacity != NULL ? "  alone" : "");
    }
    zv_sink_text(sink, "\n");
    report_bold(sink, style, text);
    zv_sink_text(sink, "\n");
    size_t idle = 0;
    for (size_t i = 0; i < advice->count; i++) {
        const struct zv_lever *const lever = &advice->levers[i];
        if (!report->verbose && lever->bytes == 0 && !lever->judged) {
            idle++;
        } else {
            lever_row(sink, style, lever);
        }
    }
    if (idle != 0) {
        (void)snprintf(text, sizeof text, "%zu more change%s nothing here; -v lists %s.", idle,
                       idle == 1 ? "s" : "", idle == 1 ? "it" : "them");
        report_fold(sink, style, 2, 0, text);
    }
    (void)snprintf(text, sizeof text, "On GPU %u, which needs most. Savings do not add up%s.",
                   report->estimate->ledger.groups[advice->scope].first,
                   advice->unknown != 0 ? "; unknown items are in none of them" : "");
    report_fold(sink, style, 2, 0, text);
}

void report_levers_json(struct zv_json_writer *json, const struct zv_advice *advice)
{
    zv_json_write_key(json, "levers");
    zv_json_begin_array(json);
    for (size_t i = 0; i < advice->count; i++) {
        const struct zv_lever *const lever = &advice->levers[i];
        zv_json_begin_object(json);
        json_text(json, "id", lever->id);
        json_text(json, "name", lever->name);
        json_signed(json, "saved_bytes", lever->more, lever->bytes);
        json_signed(json, "host_saved_bytes", lever->host_more, lever->host_bytes);
        json_bool(json, "helps", lever->bytes != 0 && !lever->more);
        zv_json_write_key(json, "fits");
        if (lever->judged && lever->verdict != ZV_CANNOT_TELL) {
            zv_json_write_bool(json, lever->verdict == ZV_FITS);
        } else {
            zv_json_write_null(json);
        }
        json_text(json, "verdict", lever->judged ? zv_verdict_name(lever->verdict) : NULL);
        json_text(json, "reason", lever->reason);
        json_text(json, "note", lever->note);
        zv_json_end_object(json);
    }
    zv_json_end_array(json);
}

/* ---- search ---- */

static const char *unit_of(enum zv_dimension dimension)
{
    return dimension == ZV_DIMENSION_CONTEXT || dimension == ZV_DIMENSION_SEQ_LENGTH ? "token"
                                                                                     : "sequence";
}

void report_search_text(struct zv_sink *sink, const struct report_style *style,
                        const struct report_estimate *report)
{
    const struct zv_search *const search = report->search;
    const char *const name = zv_dimension_name(search->dimension);
    const char *const unit = unit_of(search->dimension);
    char value[32];
    char next[32];
    char bytes[REPORT_BYTES_TEXT];
    char line[400];
    report_count(value, search->value);
    zv_sink_text(sink, "\n");
    if (!search->found) {
        report_bytes(bytes, style, search->margin);
        (void)snprintf(line, sizeof line, "largest %s: none, not even 1 %s goes in (%s missing)",
                       name, unit, bytes);
        report_fold(sink, style, 0, 0, line);
        return;
    }
    (void)snprintf(line, sizeof line, "largest %s: %s %s%s", name, value, unit,
                   search->value == 1 ? "" : "s");
    report_bold(sink, style, line);
    zv_sink_text(sink, "\n");
    if (search->at_limit) {
        (void)snprintf(line, sizeof line,
                       "%s: that ends the search, not the card, which has room for more",
                       search->limit_basis);
    } else {
        report_count(next, search->value + 1);
        report_bytes(bytes, style, search->next_missing);
        (void)snprintf(line, sizeof line, "with %s: %s, %s missing", next,
                       zv_verdict_name(search->next_verdict), bytes);
    }
    report_fold(sink, style, 2, 0, line);
    if (search->verdict == ZV_CANNOT_TELL) {
        report_fold(sink, style, 2, 0,
                    "what is expected goes in up to there; unknown items may lower it");
    }
}

void report_search_json(struct zv_json_writer *json, const struct zv_search *search)
{
    zv_json_write_key(json, "search");
    zv_json_begin_object(json);
    json_text(json, "dimension", zv_dimension_name(search->dimension));
    json_bytes(json, "value", search->found, search->value);
    json_text(json, "verdict", zv_verdict_name(search->verdict));
    json_bytes(json, "next_value", search->found && !search->at_limit, search->value + 1);
    json_text(json, "next_value_verdict",
              search->found && !search->at_limit ? zv_verdict_name(search->next_verdict) : NULL);
    json_bytes(json, "limit", true, search->limit);
    json_text(json, "limit_basis", search->limit_basis);
    json_text(json, "stopped_by",
              !search->found     ? NULL
              : search->at_limit ? search->limit_basis
                                 : "the card");
    json_bytes(json, "estimates", true, search->asked);
    zv_json_end_object(json);
}
