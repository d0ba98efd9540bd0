/*
 * Any bytes must end in END or ERROR, with the same tokens whatever the read size; skipping
 * containers ends as reading them does.
 */
#include <stdlib.h>
#include <string.h>

#include "format/json_reader.h"

struct drip {
    const unsigned char *text;
    size_t left;
    size_t step;
};

static ptrdiff_t drip_read(void *source, unsigned char *to, size_t size)
{
    struct drip *const drip = source;
    size_t count = drip->left < drip->step ? drip->left : drip->step;
    count = count < size ? count : size;
    memcpy(to, drip->text, count);
    drip->text += count;
    drip->left -= count;
    return (ptrdiff_t)count;
}

static uint64_t run(const unsigned char *data, size_t size, size_t step, bool nonfinite)
{
    struct drip drip = {.text = data, .left = size, .step = step};
    struct zv_json_reader reader;
    if (zv_json_open(&reader, drip_read, &drip, 16, 1 << 20) != ZV_OK) {
        abort();
    }
    reader.allow_nonfinite = nonfinite;
    uint64_t hash = 1469598103934665603U;
    enum zv_json_token token;
    do {
        token = zv_json_next(&reader);
        hash = (hash ^ (uint64_t)token) * 1099511628211U;
        hash = (hash ^ reader.offset) * 1099511628211U;
        if (token == ZV_JSON_STRING || token == ZV_JSON_KEY || token == ZV_JSON_NUMBER) {
            for (size_t i = 0; i < reader.length; i++) {
                hash = (hash ^ (unsigned char)reader.text[i]) * 1099511628211U;
            }
        }
    } while (token != ZV_JSON_END && token != ZV_JSON_ERROR);
    zv_json_close(&reader);
    return hash;
}

/* How the text ends when everything below a depth is skipped. */
static struct zv_error end_of(const unsigned char *data, size_t size, size_t step, int skip_below)
{
    struct drip drip = {.text = data, .left = size, .step = step};
    struct zv_json_reader reader;
    enum zv_json_token token;
    if (zv_json_open(&reader, drip_read, &drip, 16, 1 << 20) != ZV_OK) {
        abort();
    }
    do {
        token = zv_json_next(&reader);
        if (skip_below != 0 && token != ZV_JSON_ERROR && reader.depth >= skip_below &&
            !zv_json_skip(&reader, skip_below - 1)) {
            break;
        }
    } while (token != ZV_JSON_END && token != ZV_JSON_ERROR);
    zv_json_close(&reader);
    return reader.err;
}

static void must_end_alike(const unsigned char *data, size_t size)
{
    const struct zv_error want = end_of(data, size, size + 1, 0);
    for (int below = 1; below <= 2; below++) {
        const struct zv_error got = end_of(data, size, below == 1 ? size + 1 : 5, below);
        if (got.status != want.status || got.offset != want.offset ||
            strcmp(got.text, want.text) != 0) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    must_end_alike(data, size);
    for (int nonfinite = 0; nonfinite < 2; nonfinite++) {
        const uint64_t whole = run(data, size, size + 1, nonfinite != 0);
        if (whole != run(data, size, 3, nonfinite != 0) ||
            whole != run(data, size, 1, nonfinite != 0)) {
            abort();
        }
    }
    return 0;
}
