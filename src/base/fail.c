#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/printable.h"

__attribute__((format(printf, 3, 0))) static void
record(struct zv_error *err, enum zv_status status, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

__attribute__((format(printf, 3, 0))) static void
record(struct zv_error *err, enum zv_status status, const char *format, va_list args)
{
    err->status = status;
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    zv_make_printable(err->text);
}

enum zv_status zv_fail(struct zv_error *err, enum zv_status status, const char *format, ...)
{
    if (err != NULL && err->status == ZV_OK) {
        va_list args;
        va_start(args, format);
        record(err, status, format, args);
        va_end(args);
    }
    return status;
}

enum zv_status zv_fail_at(struct zv_error *err, enum zv_status status, uint64_t offset,
                          const char *format, ...)
{
    if (err != NULL && err->status == ZV_OK) {
        va_list args;
        va_start(args, format);
        record(err, status, format, args);
        va_end(args);
        err->has_offset = 1;
        err->offset = offset;
    }
    return status;
}

enum zv_status zv_fail_line(struct zv_error *err, enum zv_status status, uint64_t line,
                            const char *format, ...)
{
    if (err != NULL && err->status == ZV_OK) {
        va_list args;
        va_start(args, format);
        record(err, status, format, args);
        va_end(args);
        err->line = line;
    }
    return status;
}

enum zv_status zv_fail_memory(struct zv_error *err, const char *what)
{
    return zv_fail(err, ZV_E_NOMEM, "no host memory for %s", what);
}

enum zv_status zv_fail_in(struct zv_error *err, struct zv_slice where)
{
    char text[sizeof err->where];
    (void)snprintf(text, sizeof text, "%.*s", (int)where.length, where.at);
    return zv_fail_where(err, text);
}

enum zv_status zv_fail_where(struct zv_error *err, const char *where)
{
    if (err == NULL) {
        return ZV_E_BUG;
    }
    if (err->where[0] == 0 && where != NULL) {
        (void)snprintf(err->where, sizeof err->where, "%s", where);
        zv_make_printable(err->where);
    }
    return err->status;
}

const char *zv_status_sentence(enum zv_status status)
{
    switch (status) {
#define CASE(name, value, sentence, exit_code)                                                     \
    case name:                                                                                     \
        return sentence;
        ZV_STATUS_LIST(CASE)
#undef CASE
    }
    return "unknown status";
}

int zv_status_exit_code(enum zv_status status)
{
    static const int exit_codes[] = {
#define EXIT_CODE(name, value, sentence, exit_code) [name] = (exit_code),
        ZV_STATUS_LIST(EXIT_CODE)
#undef EXIT_CODE
    };
    return (size_t)status < sizeof exit_codes / sizeof exit_codes[0] ? exit_codes[status] : 70;
}
