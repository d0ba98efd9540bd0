/*
 * Any bytes as a request trace. What comes out is in order and within the limits; a simulation of
 * the first requests ends with every request done or refused and every page free.
 */
#include <stdlib.h>

#include "kv/serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_REQUESTS = 32, MOST_TOKENS = 2000 };

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Passes on requests that are short enough to be simulated. */
static enum zv_status next_short(void *context, struct zv_request *request, bool *more,
                                 struct zv_error *err)
{
    enum zv_status status;
    do {
        status = zv_request_trace_next(context, request, more, err);
    } while (status == ZV_OK && *more &&
             request->prompt_tokens + request->output_tokens > MOST_TOKENS);
    return status;
}

static void check_order(struct zv_slice input)
{
    struct zv_request_trace trace;
    struct zv_request request = {0};
    uint64_t before = 0;
    bool more = true;
    enum zv_status status = zv_request_trace_open(&trace, input, NULL, NULL);
    while (status == ZV_OK) {
        status = zv_request_trace_next(&trace, &request, &more, NULL);
        if (status != ZV_OK || !more) {
            break;
        }
        must(request.arrival_ticks >= before);
        must(request.prompt_tokens - 1 < ZV_REQUEST_MAX_TOKENS);
        must(request.output_tokens - 1 < ZV_REQUEST_MAX_TOKENS);
        must(request.id_count == 0 || request.id_count == (request.prompt_tokens + 511) / 512);
        before = request.arrival_ticks;
    }
    zv_request_trace_close(&trace);
}

static uint64_t figure(const struct kv_serve *result, const char *name)
{
    const uint64_t *const value = kv_figures_find(&result->figures, zv_slice_of(name));
    must(value != NULL);
    return *value;
}

static void check_simulation(struct zv_slice input, bool caching)
{
    static struct kv_serve result;
    struct zv_request_trace trace;
    const struct kv_serve_options options = {
        .step_tokens = 256,
        .max_sequences = 8,
        .limit = MOST_REQUESTS,
        .cache = {.pool = {.pages = 12, .caching = caching}, .page_tokens = 128}};
    if (zv_request_trace_open(&trace, input, NULL, NULL) == ZV_OK &&
        kv_serve_paged(&result, (struct zv_request_source){next_short, &trace}, &options, NULL) ==
            ZV_OK) {
        must(figure(&result, "completed") + figure(&result, "rejected") ==
             figure(&result, "requests"));
        must(figure(&result, "peak_pages") <= 12);
    }
    zv_request_trace_close(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zv_slice input = {(const char *)data, size};
    check_order(input);
    check_simulation(input, false);
    check_simulation(input, true);
    return 0;
}
