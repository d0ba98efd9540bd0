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

/* Leaves out every place of text; returns the new length. */
static size_t leave_out(char *from, size_t length, const char *text)
{
    const size_t size = strlen(text);
    size_t to = 0;
    for (size_t i = 0; i < length;) {
        if (length - i >= size && memcmp(from + i, text, size) == 0) {
            i += size;
        } else {
            from[to++] = from[i++];
        }
    }
    return to;
}

/* Where the arguments of a C++ name begin: an opening parenthesis right after a letter. */
static size_t without_arguments(const char *text, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        if (text[i] == '(' && text[i - 1] != ' ' && text[i - 1] != ':' && text[i - 1] != '<') {
            return i;
        }
    }
    return length;
}

void report_label(char to[REPORT_LABEL_TEXT], struct zv_slice label, unsigned width)
{
    enum { MOST = 1024 };
    static const char dots[] = "...";
    char text[MOST] = "";
    size_t length = label.length < MOST ? label.length : MOST;
    const size_t most = width < REPORT_LABEL_TEXT ? width : REPORT_LABEL_TEXT - 1;
    if (length != 0) {
        memcpy(text, label.at, length);
    }
    if (length > most) {
        length = leave_out(text, length, "(anonymous namespace)::");
        length = length > most ? without_arguments(text, length) : length;
    }
    if (length <= most) {
        (void)snprintf(to, REPORT_LABEL_TEXT, "%.*s", (int)length, text);
    } else {
        const size_t head = most / 3;
        const size_t tail = most - head - (sizeof dots - 1);
        (void)snprintf(to, REPORT_LABEL_TEXT, "%.*s%s%.*s", (int)head, text, dots, (int)tail,
                       text + length - tail);
    }
    zv_make_printable(to);
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
