#include "model/quant_select.h"

#include <fnmatch.h>
#include <string.h>

#include "base/fail.h"
#include "base/pattern.h"

enum { PATTERN_LIMIT = 256, MODULE_LIMIT = 512 };

/* "model.layers.0.mlp.down_proj" of "model.layers.0.mlp.down_proj.weight". */
static bool module_of(const struct zv_tensor *tensor, char module[MODULE_LIMIT])
{
    struct zv_slice name = tensor->name;
    if (zv_slice_ends(name, ".weight")) {
        name.length -= sizeof ".weight" - 1;
    }
    if (name.length >= MODULE_LIMIT) {
        return false;
    }
    memcpy(module, name.at, name.length);
    module[name.length] = 0;
    return true;
}

enum { NAME_SEGMENTS = 16 }; /* of a listed name; deeper ones name no module of any model */

struct quant_skip {
    bool glob;
    char pattern[PATTERN_LIMIT]; /* a glob with a * behind it, for what lies below */
    regex_t regex;
    bool compiled;
    bool digits; /* the pattern has some: to one without them all digits are the same */
};

/* "re:…" as compressed-tensors writes it, "*" as in a shell; false for the name of a module. */
static bool prepare(struct zv_slice text, struct quant_skip *skip)
{
    const bool regex = zv_slice_starts(text, "re:");
    const bool glob = !regex && zv_slice_contains(text, "*");
    if (text.length >= PATTERN_LIMIT - 2 || (!regex && !glob)) {
        return regex || glob; /* too long: matches nothing */
    }
    memcpy(skip->pattern, text.at, text.length);
    skip->digits = strpbrk(skip->pattern, "0123456789") != NULL;
    if (regex) {
        skip->compiled = zv_pattern_compile(&skip->regex, skip->pattern + 3, NULL) == ZV_OK;
    } else {
        skip->glob = true;
        skip->pattern[text.length] = '*';
    }
    return true;
}

/* Remembers where numbers stand in a listed name; false without memory. */
static bool add_numbers(struct quant_selector *selector, struct zv_slice name)
{
    struct zv_slice before = {0};
    bool fits = true;
    while (fits && name.length != 0) {
        struct zv_strmap_entry *entry;
        uint64_t number;
        const struct zv_slice segment = zv_slice_cut(&name, '.');
        if (zv_slice_u64(segment, &number)) {
            fits = zv_strmap_add(&selector->numbered, before, 0, &entry) != ZV_STRMAP_NOMEM;
        }
        before = segment;
    }
    return fits;
}

static enum zv_status add_name(struct quant_selector *selector, struct zv_slice name,
                               struct zv_error *err)
{
    struct zv_strmap_entry *entry;
    size_t segments = 1;
    for (size_t i = 0; i < name.length; i++) {
        segments += name.at[i] == '.';
    }
    if (name.length == 0 || name.length >= PATTERN_LIMIT || segments > NAME_SEGMENTS) {
        return ZV_OK; /* no module's name */
    }
    selector->name_segments =
        segments > selector->name_segments ? segments : selector->name_segments;
    return zv_strmap_add(&selector->names, name, 0, &entry) != ZV_STRMAP_NOMEM &&
                   add_numbers(selector, name)
               ? ZV_OK
               : zv_fail_memory(err, "a quantisation's list of modules");
}

enum zv_status quant_select_open(struct quant_selector *selector, const struct zv_quant *quant,
                                 size_t tensor_count, struct zv_arena *arena, struct zv_error *err)
{
    *selector = (struct quant_selector){.quant = quant};
    size_t patterns = 0;
    for (size_t i = 0; i < quant->skip_count; i++) {
        const struct zv_slice text = quant->skip[i];
        patterns += zv_slice_starts(text, "re:") || zv_slice_contains(text, "*");
    }
    if (patterns != 0 && tensor_count > QUANT_MAX_TRIES / patterns) {
        return zv_fail(err, ZV_E_LIMIT,
                       "a quantisation that excludes by %zu patterns, with %zu tensors to try",
                       patterns, tensor_count);
    }
    selector->skips = zv_arena_array(arena, patterns, sizeof *selector->skips);
    if (selector->skips == NULL) {
        return zv_fail_memory(err, "a quantisation's list of modules");
    }
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < quant->skip_count; i++) {
        struct quant_skip skip = {0};
        if (prepare(quant->skip[i], &skip)) {
            selector->skips[selector->count++] = skip;
        } else {
            status = add_name(selector, quant->skip[i], err);
        }
    }
    return status;
}

void quant_select_close(struct quant_selector *selector)
{
    for (size_t i = 0; i < selector->count; i++) {
        if (selector->skips[i].compiled) {
            regfree(&selector->skips[i].regex);
        }
    }
    selector->count = 0;
    zv_strmap_free(&selector->names);
    zv_strmap_free(&selector->numbered);
}

/* Whether a listed name's segments stand somewhere among the module's. */
static bool has_name(const struct quant_selector *selector, const char *module)
{
    for (const char *start = module; start != NULL;) {
        const char *end = start;
        for (size_t i = 0; i < selector->name_segments && end != NULL; i++) {
            const char *const dot = strchr(end, '.');
            const size_t length = dot != NULL ? (size_t)(dot - start) : strlen(start);
            if (zv_strmap_find(&selector->names, (struct zv_slice){start, length}) != NULL) {
                return true;
            }
            end = dot != NULL ? dot + 1 : NULL;
        }
        start = strchr(start, '.');
        start = start != NULL ? start + 1 : NULL;
    }
    return false;
}

static bool skipped(const struct quant_selector *selector, const char *module)
{
    if (selector->names.count != 0 && has_name(selector, module)) {
        return true;
    }
    for (size_t i = 0; i < selector->count; i++) {
        const struct quant_skip *const skip = &selector->skips[i];
        if ((skip->compiled && regexec(&skip->regex, module, 0, NULL, 0) == 0) ||
            (skip->glob && fnmatch(skip->pattern, module, 0) == 0)) {
            return true;
        }
    }
    return false;
}

bool quant_matrix_of(const struct zv_tensor *tensor, struct quant_matrix *matrix)
{
    const bool weight = zv_slice_ends(tensor->name, ".weight");
    if (tensor->dims == 2) {
        *matrix = (struct quant_matrix){1, tensor->shape[0], tensor->shape[1]};
        return weight || tensor->part == ZV_PART_EXPERT;
    }
    if (tensor->dims == 3) { /* fused experts: [experts, out, in] as .weight, else [.., in, out] */
        *matrix = (struct quant_matrix){tensor->shape[0], tensor->shape[weight ? 1 : 2],
                                        tensor->shape[weight ? 2 : 1]};
        return true;
    }
    return false;
}

bool quant_takes(const struct quant_selector *selector, const struct zv_tensor *tensor,
                 struct quant_matrix *matrix)
{
    const struct zv_quant *const quant = selector->quant;
    char module[MODULE_LIMIT];
    if (!tensor->linear || tensor->metadata || tensor->rebuilt ||
        !quant_matrix_of(tensor, matrix) || !module_of(tensor, module)) {
        return false;
    }
    const enum zv_quant_method method = quant->method;
    const bool bitsandbytes = method == ZV_QUANT_BNB4 || method == ZV_QUANT_BNB8;
    const bool layers_only = method == ZV_QUANT_GPTQ || method == ZV_QUANT_AWQ;
    if (matrix->count != 1 && (bitsandbytes || layers_only)) {
        return false;
    }
    if (layers_only && tensor->layer < 0) {
        return false;
    }
    /* a list in a compressed-tensors file is complete; elsewhere the head is never taken */
    const bool listed = quant->layout == ZV_LAYOUT_COMPRESSED && quant->skip_count != 0;
    if (!listed && tensor->part == ZV_PART_HEAD) {
        return false;
    }
    if (!listed && !bitsandbytes && tensor->part == ZV_PART_ROUTER) {
        return false;
    }
    return !skipped(selector, module);
}

/* Whether something in the list may mean some of the numbers at number_at and not others. */
static bool may_name_number(const struct quant_selector *selector, const struct zv_tensor *tensor)
{
    size_t start = tensor->number_at > 0 ? tensor->number_at - 1U : 0;
    const size_t end = start;
    while (start > 0 && tensor->name.at[start - 1] != '.') {
        start--;
    }
    const struct zv_slice before = {tensor->name.at + start, end - start};
    bool may = zv_strmap_find(&selector->numbered, before) != NULL ||
               zv_strmap_find(&selector->numbered, (struct zv_slice){0}) != NULL;
    for (size_t i = 0; i < selector->count; i++) {
        may = may || selector->skips[i].digits;
    }
    return may;
}

bool quant_takes_alike(const struct quant_selector *selector, const struct zv_tensor *tensor)
{
    struct quant_matrix ignored;
    if (tensor->more == 0) {
        return true;
    }
    const bool each = may_name_number(selector, tensor); /* else one number of each length */
    const bool first = quant_takes(selector, tensor, &ignored);
    for (uint64_t copy = each ? 1 : 10; copy <= tensor->more; copy = each ? copy + 1 : copy * 10) {
        char name[ZV_TENSOR_NAME];
        const struct zv_tensor one = zv_tensor_copy(tensor, (uint32_t)copy, name);
        if (quant_takes(selector, &one, &ignored) != first) {
            return false;
        }
    }
    return true;
}
