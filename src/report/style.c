#include "report/style.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"

void report_bytes(char to[REPORT_BYTES_TEXT], const struct report_style *style, uint64_t bytes)
{
    char first[ZV_BYTES_TEXT];
    char second[ZV_BYTES_TEXT];
    if (style->units == REPORT_UNITS_ONE) {
        zv_bytes_print(to, bytes, style->unit, 2);
        return;
    }
    const enum zv_unit unit = zv_unit_fit(bytes, ZV_UNIT_GIB);
    zv_bytes_print(first, bytes, unit, 2);
    if (unit == ZV_UNIT_B) {
        (void)snprintf(to, REPORT_BYTES_TEXT, "%.40s", first);
        return;
    }
    zv_bytes_print(second, bytes, unit - ZV_UNIT_KIB + ZV_UNIT_KB, 2);
    (void)snprintf(to, REPORT_BYTES_TEXT, "%.40s (%.40s)", first, second);
}

void report_bytes_short(char to[ZV_BYTES_TEXT], const struct report_style *style, uint64_t bytes)
{
    zv_bytes_print(to, bytes,
                   style->units == REPORT_UNITS_ONE ? style->unit : zv_unit_fit(bytes, ZV_UNIT_GIB),
                   2);
}

static void signed_number(char to[ZV_BYTES_TEXT], uint64_t bytes, enum zv_unit unit, bool is_minus,
                          unsigned decimals)
{
    char digits[ZV_BYTES_TEXT];
    zv_bytes_print_number(digits, bytes, unit, decimals);
    (void)snprintf(to, ZV_BYTES_TEXT, "%s%.40s", is_minus ? "-" : "", digits);
}

void report_figures(char to[REPORT_FIGURES], const struct report_style *style, uint64_t bytes,
                    bool is_minus)
{
    char a[ZV_BYTES_TEXT];
    char b[ZV_BYTES_TEXT];
    const unsigned decimals = bytes != 0 && bytes < ZV_GIB / 100 ? 5 : 2;
    if (style->units == REPORT_UNITS_ONE) {
        signed_number(a, bytes, style->unit, is_minus, style->unit == ZV_UNIT_GIB ? decimals : 2);
        (void)snprintf(to, REPORT_FIGURES, "%20.40s", a);
        return;
    }
    signed_number(a, bytes, ZV_UNIT_GIB, is_minus, decimals);
    signed_number(b, bytes, ZV_UNIT_GB, is_minus, decimals);
    (void)snprintf(to, REPORT_FIGURES, "%9.28s %10.28s", a, b);
}

void report_bold(struct zv_sink *sink, const struct report_style *style, const char *text)
{
    if (style->color) {
        zv_sink_text(sink, REPORT_BOLD_ON);
    }
    zv_sink_text(sink, text);
    if (style->color) {
        zv_sink_text(sink, REPORT_BOLD_OFF);
    }
}

void report_name(struct zv_sink *sink, struct zv_slice name, unsigned limit)
{
    char text[256];
    const size_t most = limit < sizeof text ? limit : sizeof text - 1;
    const size_t length = name.length < most ? name.length : most;
    (void)snprintf(text, sizeof text, "%.*s", (int)length, name.at != NULL ? name.at : "");
    zv_make_printable(text);
    zv_sink_text(sink, text);
}

void report_fold(struct zv_sink *sink, const struct report_style *style, unsigned indent,
                 unsigned column, const char *text)
{
    struct zv_slice rest = zv_slice_of(text);
    struct zv_slice word;
    size_t at = column;
    bool line_has_words = false;
    while (zv_slice_word(&rest, &word)) {
        if (line_has_words && at + 1 + word.length > style->width) {
            zv_sink_text(sink, "\n");
            at = 0;
            line_has_words = false;
        }
        if (at < indent) {
            zv_sink_repeat(sink, ' ', indent - at);
            at = indent;
        } else if (line_has_words) {
            zv_sink_text(sink, " ");
            at++;
        }
        zv_sink_write(sink, word.at, word.length);
        at += word.length;
        line_has_words = true;
    }
    zv_sink_text(sink, "\n");
}
