/*
 * Any bytes: reading ends with a tree or with an error inside the input, plain and folded; every
 * value of a tree can be looked at, and folding everything leaves a handle or an atom. Whether the
 * keys of dicts have tags makes no difference to what is folded.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "format/pickle.h"
#include "format/unpack.h"
#include "support/pickle_twice.h"

enum { MAX_VISITS = 4096, MAX_DEPTH = 16 };

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void look(const struct zv_pickle *pickle, struct zv_pickle_value value, unsigned *visits)
{
    const char *const begin = pickle->input.at;
    uint64_t u64;
    int64_t i64;
    double number;
    bool truth;
    struct zv_slice text;
    must(zv_pickle_kind(value) != ZV_PICKLE_ABSENT);
    if (zv_pickle_u64(pickle, value, &u64) && zv_pickle_i64(pickle, value, &i64)) {
        must(i64 >= 0 && (uint64_t)i64 == u64);
    }
    must(zv_pickle_double(pickle, value, &number) == (zv_pickle_kind(value) == ZV_PICKLE_FLOAT));
    must(zv_pickle_bool(value, &truth) == (zv_pickle_kind(value) == ZV_PICKLE_BOOL));
    if (zv_pickle_text(pickle, value, &text)) {
        must(text.at >= begin && text.length <= pickle->input.length - (size_t)(text.at - begin));
    }
    ++*visits;
}

/* Depth first with a bound, because a hostile tree may hold itself. */
static void walk(const struct zv_pickle *pickle)
{
    struct zv_pickle_value open[MAX_DEPTH];
    size_t next[MAX_DEPTH] = {0};
    size_t depth = 1;
    unsigned visits = 0;
    open[0] = pickle->root;
    look(pickle, pickle->root, &visits);
    while (depth != 0 && visits < MAX_VISITS) {
        const struct zv_pickle_items items = zv_pickle_items(pickle, open[depth - 1]);
        const size_t at = next[depth - 1]++;
        if (at >= items.count) {
            depth--;
            continue;
        }
        look(pickle, items.at[at], &visits);
        if (depth < MAX_DEPTH) {
            open[depth] = items.at[at];
            next[depth++] = 0;
        }
    }
}

static enum zv_status fold(void *context, const struct zv_pickle *pickle,
                           const struct zv_pickle_batch *batch, struct zv_pickle_value *handle,
                           struct zv_error *err)
{
    (void)err;
    uint64_t *const count = context;
    must(batch->items.count != 0 && batch->offset < pickle->input.length);
    must(batch->kind == ZV_PICKLE_LIST || batch->items.count % 2 == 0);
    for (size_t i = 0; i < batch->items.count; i++) {
        must(zv_pickle_kind(batch->items.at[i]) != ZV_PICKLE_ABSENT);
    }
    *handle = zv_pickle_handle(++*count);
    return ZV_OK;
}

static void read_one(struct zv_slice input, zv_pickle_fold_fn *hook)
{
    struct zv_error err = {0};
    uint64_t count = 0;
    struct zv_pickle pickle = {.input = input, .fold = hook, .context = &count};
    const enum zv_status status = zv_pickle_read(&pickle, &err);
    must(status == err.status);
    must(status == ZV_OK || (err.has_offset && err.offset <= input.length));
    if (status == ZV_OK) {
        walk(&pickle);
    }
    zv_pickle_close(&pickle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zv_slice input = {(const char *)data, size};
    if (zv_packing_of(input) != ZV_PACKED_NOT) {
        struct zv_buffer out = {.limit = 1 << 22};
        struct zv_error err = {0};
        const enum zv_status status = zv_unpack_all(input, &out, &err);
        must(status == err.status);
        zv_buffer_free(&out);
        return 0;
    }
    read_one(input, NULL);
    read_one(input, fold);
    size_t with_places;
    must(pickle_twice(input, &with_places));
    return 0;
}
