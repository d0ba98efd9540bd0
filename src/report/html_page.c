#include "report/html_page.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/sha256.h"

static const char *markup_of(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void html_escape(struct zv_sink *sink, struct zv_slice text)
{
    const unsigned char *const bytes = (const unsigned char *)text.at;
    for (size_t i = 0; i < text.length;) {
        const size_t length = zv_printable_length(bytes + i, bytes + text.length);
        const char *const instead = markup_of(text.at[i]);
        if (instead != NULL) {
            zv_sink_text(sink, instead);
        } else if (length != 0 || text.at[i] == '\n' || text.at[i] == '\t') {
            zv_sink_write(sink, text.at + i, length != 0 ? length : 1);
        } else {
            zv_sink_text(sink, "?");
        }
        i += length != 0 ? length : 1;
    }
}

/* '<' occurs in JSON within strings only, where it may be written as an escape. */
static bool write_data(void *context, const char *data, size_t size)
{
    struct zv_sink *const sink = context;
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '<') {
            zv_sink_write(sink, data + from, i - from);
            zv_sink_text(sink, "\\u003c");
            from = i + 1;
        }
    }
    zv_sink_write(sink, data + from, size - from);
    return !sink->failed;
}

/* The pieces of the script in one. */
static enum zv_status load_script(struct html_page *page, const char *const *names,
                                  struct zv_error *err)
{
    size_t length = 0;
    for (const char *const *name = names; *name != NULL; name++) {
        length += zv_data_find(*name).length;
    }
    page->memory = zv_memory_alloc(length + 1);
    if (page->memory == NULL) {
        return zv_fail_memory(err, "a page");
    }
    length = 0;
    for (const char *const *name = names; *name != NULL; name++) {
        const struct zv_slice piece = zv_data_find(*name);
        memcpy(page->memory + length, piece.at, piece.length);
        length += piece.length;
    }
    page->script = (struct zv_slice){page->memory, length};
    return ZV_OK;
}

static unsigned digit_of(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* 'sha256-...' of what stands between the tags. */
static enum zv_status put_hash(struct zv_sink *sink, struct zv_slice text, struct zv_error *err)
{
    char digits[ZV_SHA256_TEXT];
    struct zv_base64 out = {.sink = sink};
    const enum zv_status status = zv_sha256(digits, text, err);
    if (status != ZV_OK) {
        return status;
    }
    zv_sink_text(sink, "'sha256-");
    for (size_t i = 0; i + 1 < ZV_SHA256_TEXT; i += 2) {
        zv_base64_put(&out, (unsigned char)(digit_of(digits[i]) << 4 | digit_of(digits[i + 1])));
    }
    zv_base64_end(&out);
    zv_sink_text(sink, "'");
    return ZV_OK;
}

enum zv_status html_page_begin(struct html_page *page, struct zv_sink *sink, struct zv_slice title,
                               const char *const *scripts, struct zv_error *err)
{
    const struct zv_slice style = zv_data_find("html/page.css");
    page->sink = sink;
    page->data = (struct zv_sink){.write = write_data, .context = sink};
    page->json = (struct zv_json_writer){.sink = &page->data};
    enum zv_status status = load_script(page, scripts, err);
    if (status != ZV_OK) {
        return status;
    }
    zv_sink_text(sink, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "base-uri 'none'; form-action 'none'; style-src ");
    status = put_hash(sink, style, err);
    if (status == ZV_OK && page->script.length != 0) {
        zv_sink_text(sink, "; script-src ");
        status = put_hash(sink, page->script, err);
    }
    zv_sink_text(sink, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
                       "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
                       "<meta name=\"generator\" content=\"zirve " ZV_VERSION "\">\n<title>");
    html_escape(sink, title);
    zv_sink_text(sink, "</title>\n<style>");
    zv_sink_write(sink, style.at, style.length);
    zv_sink_text(sink, "</style>\n</head>\n<body>\n");
    return status;
}

void html_page_heading(struct html_page *page, struct zv_slice title)
{
    zv_sink_text(page->sink, "<header><h1>");
    html_escape(page->sink, title);
    zv_sink_text(page->sink, "</h1><div id=\"tools\"></div></header>\n<main id=\"main\">\n");
}

void html_page_text(struct html_page *page, const char *tag, const char *name, struct zv_slice text)
{
    zv_sink_print(page->sink, "<%s class=\"%s\">", tag, name);
    html_escape(page->sink, text);
    zv_sink_print(page->sink, "</%s>\n", tag);
}

void html_page_begin_data(struct html_page *page)
{
    zv_sink_text(page->sink, "<script type=\"application/json\" id=\"data\">");
    zv_json_begin_object(&page->json);
}

void html_page_end_data(struct html_page *page)
{
    zv_json_end_object(&page->json);
    zv_json_finish(&page->json);
    zv_sink_text(page->sink, "</script>\n");
    page->sink->failed |= page->data.failed;
}

void html_page_end(struct html_page *page)
{
    if (page->script.length != 0) {
        zv_sink_text(page->sink, "<script>");
        zv_sink_write(page->sink, page->script.at, page->script.length);
        zv_sink_text(page->sink, "</script>\n");
    }
    if (page->sink != NULL) {
        zv_sink_text(page->sink, "</body>\n</html>\n");
    }
    zv_memory_free(page->memory);
    *page = (struct html_page){0};
}
