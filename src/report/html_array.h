/*
 * Arrays in a page: numbers in few bytes, as text that the page's script decodes when it needs
 * them.
 *
 *     <script type="text/plain" id="aN">base64</script>
 *
 * number      7 bits a byte, low ones first; the high bit says that more follow
 * difference  a number that holds a signed one (zigzag: 0, -1, 1, -2 ... are 0, 1, 2, 3 ...)
 * series      differences to the value before (to 0 at first) in a unit; after a difference of 0
 *             there is a number: how many more of them follow
 *
 * docs/FORMATS.md describes a page's arrays; data/html/base.js reads them.
 */
#ifndef ZIRVE_REPORT_HTML_ARRAY_H
#define ZIRVE_REPORT_HTML_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/base64.h"
#include "report/html_page.h"

struct html_array {
    struct html_page *page;
    struct zv_base64 out;
};

/* Returns the array's number N. One at a time, outside of the page's data. */
size_t html_array_begin(struct html_array *array, struct html_page *page);
void html_array_number(struct html_array *array, uint64_t value);
void html_array_difference(struct html_array *array, int64_t value);
void html_array_end(struct html_array *array);

/*
 * One line of a chart: all its values, and the least and largest in each column of an overview that
 * can be drawn before anything else is decoded.
 */
enum { HTML_COLUMNS = 1024 };
struct html_series {
    const char *name;
    const char *role; /* its colour and dash in data/html/page.css: "allocated", "reserved" ... */
    size_t count;     /* values */
    uint64_t unit;    /* values are multiples of it */
    size_t array;     /* numbers of arrays */
    size_t low;       /* of the overview, columns of them */
    size_t high;
    size_t columns;
    uint64_t largest;
};

/* The script of a page with charts. */
extern const char *const html_chart_scripts[];

/* Values below 2^62. */
void html_series_write(struct html_page *page, struct html_series *series, const uint64_t *values,
                       size_t count);

/* The object that names the arrays, as a value of the page's data. */
void html_series_json(struct html_page *page, const struct html_series *series);

/* A level that holds all the time, as the card's capacity: a value of a chart's "lines". */
void html_line_json(struct html_page *page, const char *name, uint64_t value);

#endif
