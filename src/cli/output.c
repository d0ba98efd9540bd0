#include "cli/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/printable.h"

enum { RESULT_LIMIT = 1024 * 1024 * 1024 };

enum { NOTES_LIMIT = 64 * 1024 };

/* Notes wait for the first byte of the result: a failure has standard error for itself. */
static struct zv_buffer notes = {.limit = NOTES_LIMIT};

static void show_notes(void)
{
    if (notes.size != 0) {
        (void)fwrite(notes.data, 1, notes.size, stderr);
    }
    zv_buffer_free(&notes);
}

static bool write_stdout(void *context, const char *data, size_t size)
{
    (void)context;
    show_notes();
    return fwrite(data, 1, size, stdout) == size;
}

/* Text for people: of control sequences only our own two pass, each a write of its own. */
static bool write_text(void *context, const char *data, size_t size)
{
    struct output *const out = context;
    const bool ours =
        out->style.color && size == 4 &&
        (memcmp(data, REPORT_BOLD_ON, size) == 0 || memcmp(data, REPORT_BOLD_OFF, size) == 0);
    if (ours) {
        zv_sink_write(&out->raw, data, size);
    } else {
        zv_sink_printable(&out->raw, data, size);
    }
    return !out->raw.failed;
}

static enum zv_status set_units(struct output *out, const struct arguments *args,
                                struct zv_error *err)
{
    const char *const unit = arguments_value(args, "unit");
    out->style.units = REPORT_UNITS_BOTH;
    if (unit == NULL || strcmp(unit, "both") == 0) {
        return ZV_OK;
    }
    out->style.units = REPORT_UNITS_ONE;
    return zv_unit_parse(zv_slice_of(unit), &out->style.unit)
               ? ZV_OK
               : zv_fail(err, ZV_E_USAGE,
                         "--unit %s: expected both, B, kB, MB, GB, TB, KiB, MiB, GiB or TiB", unit);
}

static enum zv_status set_color(struct output *out, const struct arguments *args,
                                struct zv_error *err)
{
    static const char *const words[] = {"auto", "always", "never", NULL};
    unsigned when = 0;
    const enum zv_status status = arguments_choice(args, "color", words, &when, err);
    const char *const no_color = getenv("NO_COLOR"); /* NOLINT(concurrency-mt-unsafe) */
    const bool to_terminal = out->path == NULL && isatty(STDOUT_FILENO) == 1;
    out->style.color =
        when == 1 || (when == 0 && to_terminal && (no_color == NULL || *no_color == 0));
    struct winsize size;
    out->style.width = 80;
    if (to_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
        out->style.width = size.ws_col < 120 ? size.ws_col : 120;
    }
    return status;
}

enum zv_status output_open(struct output *out, const struct arguments *args, struct zv_error *err)
{
    *out = (struct output){.path = arguments_value(args, "output"),
                           .json = arguments_has(args, "json"),
                           .buffer = {.limit = RESULT_LIMIT}};
    if (out->path != NULL && strcmp(out->path, "-") == 0) {
        out->path = NULL;
    }
    out->raw =
        out->path != NULL ? zv_buffer_sink(&out->buffer) : (struct zv_sink){.write = write_stdout};
    out->sink = out->json ? out->raw : (struct zv_sink){.write = write_text, .context = out};
    if (out->path != NULL && access(out->path, F_OK) == 0) {
        (void)zv_fail(err, ZV_E_EXISTS, "exists already and is not overwritten");
        (void)zv_fail_where(err, out->path);
        return ZV_E_EXISTS;
    }
    enum zv_status status = set_units(out, args, err);
    if (status == ZV_OK) {
        status = set_color(out, args, err);
    }
    return status;
}

void output_to_stdout(struct output *out)
{
    out->path = NULL;
    out->raw = (struct zv_sink){.write = write_stdout};
    out->sink = out->json ? out->raw : (struct zv_sink){.write = write_text, .context = out};
}

enum zv_status output_close(struct output *out, struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    const bool failed = out->sink.failed || out->raw.failed; /* pages go to raw alone */
    show_notes();
    if (out->path != NULL) {
        status = failed
                     ? zv_fail(err, ZV_E_LIMIT, "the result is larger than %d bytes", RESULT_LIMIT)
                     : zv_file_create(out->path,
                                      (struct zv_slice){out->buffer.data, out->buffer.size}, err);
    } else if (fflush(stdout) != 0 || failed) {
        status =
            errno == EPIPE ? ZV_OK : zv_fail(err, ZV_E_IO, "standard output cannot be written");
    }
    zv_buffer_free(&out->buffer);
    return status;
}

void output_error(const char *verb, const struct zv_error *err)
{
    (void)fflush(stdout);
    zv_buffer_free(&notes);
    (void)fprintf(stderr, "zirve%s%s: ", verb[0] != 0 ? " " : "", verb);
    if (err->where[0] != 0) {
        (void)fprintf(stderr, "%s: ", err->where);
    }
    if (err->line != 0) {
        (void)fprintf(stderr, "line %" PRIu64 ": ", err->line);
    }
    if (err->has_offset != 0) {
        (void)fprintf(stderr, "byte %" PRIu64 ": ", err->offset);
    }
    (void)fprintf(stderr, "%s\n", err->text[0] != 0 ? err->text : zv_status_sentence(err->status));
}

void output_note(const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    zv_make_printable(text);
    struct zv_sink sink = zv_buffer_sink(&notes); /* notes over the limit are lost */
    zv_sink_print(&sink, "zirve: %s\n", text);
}
