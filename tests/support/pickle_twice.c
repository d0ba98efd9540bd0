#include "support/pickle_twice.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "format/pickle.h"

/* What was asked so far, as one number, and what is answered. */
struct asked {
    uint64_t digest;
    size_t dicts_with_places;
    bool is_wrong;
};

static uint64_t mix(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

static uint8_t tag(void *context, const struct zv_pickle *pickle, struct zv_pickle_value text)
{
    (void)context;
    struct zv_slice slice = {0};
    (void)zv_pickle_text(pickle, text, &slice);
    return (uint8_t)(slice.length != 0 ? (unsigned char)slice.at[0] % ZV_PICKLE_TAGS : 0);
}

static void check_places(struct asked *asked, const struct zv_pickle *pickle,
                         const struct zv_pickle_batch *batch)
{
    uint8_t places[ZV_PICKLE_TAGS] = {0};
    if (batch->places == NULL) {
        return;
    }
    for (size_t i = 0; i < batch->items.count; i += 2) {
        places[tag(NULL, pickle, batch->items.at[i])] = (uint8_t)(i / 2 + 1);
    }
    asked->dicts_with_places++;
    asked->is_wrong = asked->is_wrong || memcmp(places, batch->places, sizeof places) != 0;
}

/* Cells are numbered otherwise when fewer are needed, so containers are told by what they are. */
static uint64_t told(const struct zv_pickle *pickle, struct zv_pickle_value value)
{
    const enum zv_pickle_kind kind = zv_pickle_kind(value);
    return kind >= ZV_PICKLE_TUPLE && kind <= ZV_PICKLE_DICT
               ? mix(kind, zv_pickle_items(pickle, value).count)
               : value.bits;
}

/* Most containers become a handle below 2^31, some a larger one, some stay, a few are refused. */
static enum zv_status fold(void *context, const struct zv_pickle *pickle,
                           const struct zv_pickle_batch *batch, struct zv_pickle_value *handle,
                           struct zv_error *err)
{
    struct asked *const asked = context;
    uint64_t own = mix(batch->kind, batch->before.bits);
    for (size_t i = 0; i < batch->items.count; i++) {
        own = mix(own, told(pickle, batch->items.at[i]));
    }
    check_places(asked, pickle, batch);
    asked->digest = mix(mix(asked->digest, own), batch->offset);
    if (own % 4093 == 0) {
        return zv_fail_at(err, ZV_E_SYNTAX, batch->offset, "not liked");
    }
    if (own % 8 != 0) {
        *handle = zv_pickle_handle(own % 8 == 1 ? own >> 8 : own >> 34);
    }
    return ZV_OK;
}

bool pickle_twice(struct zv_slice input, size_t *with_places)
{
    struct asked asked[2] = {{0}};
    struct zv_error err[2] = {{0}};
    uint64_t roots[2] = {0};
    for (size_t i = 0; i < 2; i++) {
        struct zv_pickle pickle = {
            .input = input, .fold = fold, .tag = i != 0 ? tag : NULL, .context = &asked[i]};
        if (zv_pickle_read(&pickle, &err[i]) == ZV_OK) {
            roots[i] = told(&pickle, pickle.root);
        }
        zv_pickle_close(&pickle);
    }
    *with_places = asked[1].dicts_with_places;
    const bool is_same = asked[0].digest == asked[1].digest && roots[0] == roots[1] &&
                         err[0].status == err[1].status && err[0].offset == err[1].offset &&
                         strcmp(err[0].text, err[1].text) == 0;
    if (!is_same || asked[1].is_wrong) {
        (void)fprintf(stderr, "read twice: %s; \"%s\" and \"%s\"\n",
                      asked[1].is_wrong ? "a place is wrong" : "not the same", err[0].text,
                      err[1].text);
    }
    return is_same && !asked[1].is_wrong;
}
