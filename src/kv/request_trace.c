#include "kv/request_trace.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kv/trace_line.h"

enum { FIRST_WINDOW = 64 * 1024 };

/* Makes room behind what is not consumed, and reads into it. */
static enum zv_status refill(struct zv_request_trace *trace, struct zv_error *err)
{
    if (trace->begin != 0) {
        memmove(trace->window, trace->window + trace->begin, trace->end - trace->begin);
        trace->end -= trace->begin;
        trace->begin = 0;
    }
    if (trace->end == trace->capacity) {
        const size_t capacity = trace->capacity == 0 ? FIRST_WINDOW : trace->capacity * 2;
        if (trace->capacity >= ZV_REQUEST_MAX_LINE) {
            return zv_fail_line(err, ZV_E_LIMIT, trace->line + 1, "a line of more than %d MiB",
                                ZV_REQUEST_MAX_LINE >> 20);
        }
        char *const window = zv_memory_resize(trace->window, capacity);
        if (window == NULL) {
            return zv_fail_memory(err, "a line of a trace");
        }
        trace->window = window;
        trace->capacity = capacity;
    }
    const ptrdiff_t count =
        zv_unpack_read(&trace->unpacker, (unsigned char *)trace->window + trace->end,
                       trace->capacity - trace->end);
    if (count < 0) {
        return zv_fail_at(err, trace->unpacker.err.status, trace->unpacker.err.offset, "%s",
                          trace->unpacker.err.text);
    }
    trace->at_end = count == 0;
    trace->end += (size_t)count;
    return ZV_OK;
}

/* The next line that is not empty, without its end; an empty slice after the last. */
static enum zv_status next_line(struct zv_request_trace *trace, struct zv_slice *line,
                                struct zv_error *err)
{
    size_t looked = 0;
    *line = (struct zv_slice){"", 0};
    for (;;) {
        const size_t length = trace->end - trace->begin;
        const char *const begin = length != 0 ? trace->window + trace->begin : "";
        const char *const newline =
            length > looked ? memchr(begin + looked, '\n', length - looked) : NULL;
        if (newline == NULL && !trace->at_end) {
            looked = length;
            const enum zv_status status = refill(trace, err);
            if (status != ZV_OK) {
                return status;
            }
            continue;
        }
        const size_t taken = newline != NULL ? (size_t)(newline - begin) : length;
        if (taken == 0 && newline == NULL) {
            return ZV_OK;
        }
        trace->begin += taken + (newline != NULL);
        trace->line++;
        looked = 0;
        *line = zv_slice_trim((struct zv_slice){begin, taken});
        if (line->length != 0) {
            return ZV_OK;
        }
    }
}

enum zv_status zv_request_trace_open(struct zv_request_trace *trace, struct zv_slice input,
                                     const struct zv_request_trace_options *options,
                                     struct zv_error *err)
{
    struct zv_slice line;
    *trace = (struct zv_request_trace){.columns = {-1, -1, -1}};
    if (options != NULL) {
        trace->options = *options;
    }
    enum zv_status status = zv_unpack_open(&trace->unpacker, input, err);
    if (status == ZV_OK) {
        status = next_line(trace, &line, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    if (zv_slice_starts(line, "\xEF\xBB\xBF")) { /* a byte order mark */
        line.at += 3;
        line.length -= 3;
    }
    if (line.length == 0) {
        return zv_fail(err, ZV_E_SYNTAX, "an empty trace");
    }
    if (line.at[0] == '{') {
        trace->is_json = true;
        trace->begin = (size_t)(line.at - trace->window); /* is read again, as a request */
        trace->line--;
        return ZV_OK;
    }
    return kv_trace_header(trace, line, err);
}

static enum zv_status check_tokens(const struct zv_request_trace *trace, const char *what,
                                   uint64_t tokens, struct zv_error *err)
{
    if (tokens == 0) {
        return zv_fail_line(err, ZV_E_SYNTAX, trace->line, "%s of 0 tokens", what);
    }
    return tokens <= ZV_REQUEST_MAX_TOKENS
               ? ZV_OK
               : zv_fail_line(err, ZV_E_LIMIT, trace->line, "%s of %llu tokens: at most %d", what,
                              (unsigned long long)tokens, (int)ZV_REQUEST_MAX_TOKENS);
}

/* Requests come in the order of time: a file that does not say when is as good as sorted. */
static enum zv_status check_arrival(struct zv_request_trace *trace, struct zv_request *request,
                                    struct zv_error *err)
{
    if (!trace->has_first) {
        trace->has_first = true;
        trace->first_ticks = trace->is_json ? 0 : request->arrival_ticks;
        trace->last_ticks = request->arrival_ticks;
    }
    if (request->arrival_ticks < trace->last_ticks) {
        return zv_fail_line(err, ZV_E_SYNTAX, trace->line,
                            "arrives before the request above it: sort the trace by time");
    }
    trace->last_ticks = request->arrival_ticks;
    request->arrival_ticks -= trace->first_ticks;
    return ZV_OK;
}

enum zv_status zv_request_trace_next(struct zv_request_trace *trace, struct zv_request *request,
                                     bool *more, struct zv_error *err)
{
    struct zv_slice line;
    *request = (struct zv_request){0};
    enum zv_status status = next_line(trace, &line, err);
    *more = status == ZV_OK && line.length != 0;
    if (!*more) {
        return status;
    }
    request->line = trace->line;
    status = trace->is_json ? kv_trace_json_line(trace, line, request, err)
                            : kv_trace_csv_line(trace, line, request, err);
    if (status == ZV_OK) {
        status = check_tokens(trace, "a prompt", request->prompt_tokens, err);
    }
    if (status == ZV_OK) {
        status = check_tokens(trace, "an answer", request->output_tokens, err);
    }
    return status == ZV_OK ? check_arrival(trace, request, err) : status;
}

void zv_request_trace_close(struct zv_request_trace *trace)
{
    zv_unpack_close(&trace->unpacker);
    zv_memory_free(trace->window);
    zv_memory_free(trace->ids);
    *trace = (struct zv_request_trace){0};
}

static enum zv_status next_of_trace(void *context, struct zv_request *request, bool *more,
                                    struct zv_error *err)
{
    return zv_request_trace_next(context, request, more, err);
}

struct zv_request_source zv_request_trace_source(struct zv_request_trace *trace)
{
    return (struct zv_request_source){next_of_trace, trace};
}
