/*
 * Any bytes as a family table: a table or an error that names a line of it; applied to a config
 * that has nothing, it ends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "model/family.h"
#include "model/family_evaluate.h"

static const size_t memory_limit = (size_t)16 << 20;

static uint64_t lines_of(struct zv_slice text)
{
    struct zv_slice line;
    uint64_t count = 0;
    while (zv_slice_line(&text, &line)) {
        count++;
    }
    return count;
}

static void evaluate(const struct family *family, struct zv_arena *arena)
{
    struct family_scope scope = {.family = family, .keys = model_keys_empty(), .layer = 1};
    scope.values = zv_arena_array(arena, family->definition_count, sizeof *scope.values);
    if (scope.values == NULL) {
        return;
    }
    for (int when = FAMILY_ONCE; when <= FAMILY_EACH_EXPERT; when++) {
        (void)family_define(&scope, (enum family_when)when, NULL);
    }
    for (size_t i = 0; i < family->tensor_count; i++) {
        for (size_t d = 0; d < family->tensors[i].dim_count; d++) {
            (void)family_evaluate(&family->tensors[i].dims[d], &scope);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_arena arena = {.limit = memory_limit};
    struct zv_error err = {0};
    struct family family;
    const struct zv_slice text = {(const char *)data, size};
    const enum zv_status status =
        family_parse(&family, text, zv_slice_of("fuzz.family"), &arena, &err);
    if (status == ZV_OK) {
        evaluate(&family, &arena);
    } else if (err.status != status || err.line > lines_of(text)) {
        abort();
    }
    zv_arena_free(&arena);
    return 0;
}
