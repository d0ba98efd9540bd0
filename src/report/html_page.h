/*
 * A page: one HTML file that holds everything it shows and asks nobody for anything.
 *
 *     head      policy: only this page's own style and script (by their hashes), no network
 *     body      what is readable without the script: title, verdict, tables
 *     arrays    numbers as text that the script decodes (html_array.h)
 *     data      one JSON document: what to draw, from which arrays
 *     script    data/html/NAME.js, the pieces named by the page, in one
 *
 * Texts of files may hold anything: html_escape and the JSON here let none of it be markup.
 */
#ifndef ZIRVE_REPORT_HTML_PAGE_H
#define ZIRVE_REPORT_HTML_PAGE_H

#include "base/slice.h"
#include "base/stream.h"
#include "format/json_writer.h"
#include "zirve/error.h"

/* Zero-initialise. */
struct html_page {
    struct zv_sink *sink;
    struct zv_sink data; /* of the JSON: no '<' gets through */
    struct zv_json_writer json;
    struct zv_slice script; /* in the page's memory */
    char *memory;
    size_t arrays; /* written so far: the next one's number */
};

/* Bytes as text of an element or of an attribute in double quotes; what must not be shown
 * (base/printable.h) is '?'. */
void html_escape(struct zv_sink *sink, struct zv_slice text);

/*
 * Writes the head and opens the body. scripts: names below data/html, NULL-terminated; the first
 * is NULL for a page without a script. Errors: ZV_E_NOMEM. End the page after a failure too.
 */
enum zv_status html_page_begin(struct html_page *page, struct zv_sink *sink, struct zv_slice title,
                               const char *const *scripts, struct zv_error *err);

/* The line at the top, with the title, and the start of the main part. */
void html_page_heading(struct html_page *page, struct zv_slice title);

/* <tag class="name">text</tag>, escaped. */
void html_page_text(struct html_page *page, const char *tag, const char *name,
                    struct zv_slice text);

/* Opens the data's object: members are written to the page's json; end_data closes it. */
void html_page_begin_data(struct html_page *page);
void html_page_end_data(struct html_page *page);

void html_page_end(struct html_page *page);

#endif
