/*
 * Request trace: when did requests come, how long were prompts and answers, what did they share?
 *
 *   Azure CSV      TIMESTAMP,ContextTokens,GeneratedTokens
 *   vidur CSV      num_prefill_tokens,num_decode_tokens and, where there is one, arrived_at (s)
 *   own CSV        arrival,prompt,output; any other names by mapping
 *   Mooncake JSONL {"timestamp": ms, "input_length", "output_length", "hash_ids": [..]}
 *
 * Plain, gzip or zstd, told apart by what is in them. Read request by request: memory is that of
 * the longest line. Times are ticks of 100 ns since the first request (Mooncake: as written).
 *
 * Not here: what is done with requests.
 */
#ifndef ZIRVE_KV_REQUEST_TRACE_H
#define ZIRVE_KV_REQUEST_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "format/unpack.h"
#include "zirve/error.h"

#define ZV_TICKS_PER_SECOND UINT64_C(10000000)

enum {
    ZV_REQUEST_MAX_TOKENS = 1 << 24, /* of a prompt, and of an answer */
    ZV_REQUEST_MAX_LINE = 16 << 20,  /* bytes of one line of a trace */
    ZV_REQUEST_MAX_COLUMNS = 64,
    ZV_REQUEST_ID_TOKENS = 512 /* that one id of Mooncake's hash_ids stands for */
};

struct zv_request {
    uint64_t arrival_ticks;
    uint64_t prompt_tokens; /* at least 1 */
    uint64_t output_tokens; /* at least 1 */
    const uint64_t *ids;    /* of the prompt's blocks of 512 tokens, the last one may be partial */
    size_t id_count;        /* 0: the trace has none, else ceil(prompt / 512) */
    uint64_t line;
};

enum zv_time_unit { ZV_TIME_S, ZV_TIME_MS, ZV_TIME_US, ZV_TIME_NS };

/* Zero-initialised: everything is told from the file. */
struct zv_request_trace_options {
    struct zv_slice arrival_column; /* names in the header of a CSV */
    struct zv_slice prompt_column;
    struct zv_slice output_column;
    enum zv_time_unit unit; /* of arrivals that are plain numbers in a CSV */
};

/* Private. */
struct zv_request_trace {
    struct zv_unpacker unpacker;
    struct zv_request_trace_options options;
    char *window;
    size_t capacity;
    size_t begin; /* of what is not consumed */
    size_t end;
    bool at_end;
    bool is_json;
    int columns[3]; /* arrival, prompt, output; -1: none */
    uint64_t line;
    bool has_first;
    uint64_t first_ticks;
    uint64_t last_ticks;
    uint64_t *ids;
    size_t id_capacity;
};

/*
 * Starts reading; input must outlive the trace. Close it also after a failure. Errors, with the
 * line: ZV_E_SYNTAX (not a trace; a column that is not there), ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status zv_request_trace_open(struct zv_request_trace *trace, struct zv_slice input,
                                     const struct zv_request_trace_options *options,
                                     struct zv_error *err);

/*
 * The next request; *more is false after the last. Its ids are valid until the next call. Errors,
 * with the line: ZV_E_SYNTAX (a length of 0, an arrival before the one above, a wrong number of
 * ids), ZV_E_LIMIT, ZV_E_NOMEM.
 */
enum zv_status zv_request_trace_next(struct zv_request_trace *trace, struct zv_request *request,
                                     bool *more, struct zv_error *err);
void zv_request_trace_close(struct zv_request_trace *trace);

/* Requests from anywhere, one at a time: a zv_request_trace, or a generator. */
struct zv_request_source {
    enum zv_status (*next)(void *context, struct zv_request *request, bool *more,
                           struct zv_error *err);
    void *context;
};

struct zv_request_source zv_request_trace_source(struct zv_request_trace *trace);

#endif
