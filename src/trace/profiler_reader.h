/*
 * What the readers of a profiler's files share: the tokens of one JSON text and the trace that they
 * fill. Room-internal. A function that gives false has said why in err, or met the end of the text.
 *
 *     profiler.c ── what the text is, devices apart ──┬── profiler_chrome.c     {"traceEvents": []}
 *                                                     └── profiler_timeline.c   [[ns, action ...]]
 */
#ifndef ZIRVE_TRACE_PROFILER_READER_H
#define ZIRVE_TRACE_PROFILER_READER_H

#include <string.h>

#include "format/json_reader.h"
#include "trace/trace.h"

enum { PROFILER_KNOWN_DEVICES = 64 };

struct profiler_reader {
    struct zv_trace *trace;
    struct zv_json_reader json;
    struct zv_error *err;
    uint64_t device_bytes[PROFILER_KNOWN_DEVICES]; /* of deviceProperties, 0: not said */
};

/* Whether the token is this text. */
static inline bool profiler_is(const struct profiler_reader *reader, const char *name)
{
    const size_t length = strlen(name); /* a constant where it is inlined */
    return reader->json.length == length && memcmp(reader->json.text, name, length) == 0;
}

/* The whole part of the token, a number; 0 when it does not fit. */
int64_t profiler_whole(const struct profiler_reader *reader);
uint64_t profiler_unsigned(const struct profiler_reader *reader);

/* Keeps the JSON reader's failure; false. */
bool profiler_broken(struct profiler_reader *reader);

/* The next token; false at the end of the text and after a failure. */
static inline bool profiler_next(struct profiler_reader *reader, enum zv_json_token *token)
{
    *token = zv_json_next(&reader->json);
    return *token == ZV_JSON_ERROR ? profiler_broken(reader) : *token != ZV_JSON_END;
}

static inline bool profiler_opens(enum zv_json_token token)
{
    return token == ZV_JSON_OBJECT_BEGIN || token == ZV_JSON_ARRAY_BEGIN;
}

/* Reads past everything until depth is outside. */
static inline bool profiler_skip_to(struct profiler_reader *reader, int outside)
{
    return zv_json_skip(&reader->json, outside) || profiler_broken(reader);
}

/* Reads past the rest of a value whose first token this is. */
static inline bool profiler_skip(struct profiler_reader *reader, enum zv_json_token token)
{
    return !profiler_opens(token) || profiler_skip_to(reader, reader->json.depth - 1);
}

/* One more event, and what the file says beside it. */
bool profiler_record(struct profiler_reader *reader, const struct zv_trace_event *event,
                     const struct zv_trace_total *total);

/* A Chrome trace whose object has begun; or its bare list of events, whose first has. */
bool profiler_chrome_object(struct profiler_reader *reader);
bool profiler_chrome_events(struct profiler_reader *reader);

/* The rows of export_memory_timeline, of either kind; the first inner array has begun. */
bool profiler_timeline(struct profiler_reader *reader);

#endif
