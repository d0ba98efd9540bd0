/*
 * Style: how results look as text. A renderer shows numbers; it never changes one.
 */
#ifndef ZIRVE_REPORT_STYLE_H
#define ZIRVE_REPORT_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/stream.h"
#include "base/units.h"

enum report_units { REPORT_UNITS_BOTH, REPORT_UNITS_ONE };

struct report_style {
    enum report_units units; /* both: GB and GiB beside one another */
    enum zv_unit unit;       /* when one */
    bool color;
    unsigned width; /* columns, 80 unless the terminal is wider */
};

enum { REPORT_BYTES_TEXT = 2 * ZV_BYTES_TEXT };

/* "13.04 GiB (14.00 GB)", or in the one unit asked for. */
void report_bytes(char to[REPORT_BYTES_TEXT], const struct report_style *style, uint64_t bytes);

/* "13.04 GiB", or in the one unit asked for. */
void report_bytes_short(char to[ZV_BYTES_TEXT], const struct report_style *style, uint64_t bytes);

enum { REPORT_FIGURES = 64 };

/* Columns of a table, the figure in GiB and in GB or in the one unit asked for; small ones with
 * more decimals, so that none is "0.00". is_minus: with the sign before it. */
void report_figures(char to[REPORT_FIGURES], const struct report_style *style, uint64_t bytes,
                    bool is_minus);

/* Bold on and off: the only control sequences of any report, each written alone. */
#define REPORT_BOLD_ON  "\033[1m"
#define REPORT_BOLD_OFF "\033[0m"

/* Bold, or plain when the style has no colour. */
void report_bold(struct zv_sink *sink, const struct report_style *style, const char *text);

/* A name that a file gave, at most limit bytes (below 256), in one line whatever it holds. */
void report_name(struct zv_sink *sink, struct zv_slice name, unsigned limit);

enum { REPORT_LABEL_TEXT = 256 };

/*
 * A frame's label from a file ("train.py:41 step", a C++ name with arguments) in at most width
 * columns, in one line whatever it holds: what says least is left out, arguments and anonymous
 * namespaces first, then the middle ("...").
 */
void report_label(char to[REPORT_LABEL_TEXT], struct zv_slice label, unsigned width);

/*
 * text folded at the style's width, each line after indent spaces. column: where the cursor stands
 * already (at least indent), 0 for the start of a line.
 */
void report_fold(struct zv_sink *sink, const struct report_style *style, unsigned indent,
                 unsigned column, const char *text);

#endif
