#include "model/quant_select.h"

#include <fnmatch.h>
#include <string.h>

#include "base/fail.h"

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

/* Whether pattern's segments stand somewhere among the module's. */
static bool has_segments(const char *module, const char *pattern)
{
    const size_t length = strlen(pattern);
    for (const char *at = strstr(module, pattern); at != NULL && length != 0;
         at = strstr(at + 1, pattern)) {
        const bool starts = at == module || at[-1] == '.';
        const bool ends = at[length] == 0 || at[length] == '.';
        if (starts && ends) {
            return true;
        }
    }
    return false;
}

enum quant_skip_kind { SKIP_SEGMENTS, SKIP_GLOB, SKIP_REGEX };

struct quant_skip {
    enum quant_skip_kind kind;
    char pattern[PATTERN_LIMIT]; /* SEGMENTS; GLOB with a * behind it, for what lies below */
    regex_t regex;
    bool compiled;
};

/*
 * "re:…" as compressed-tensors writes it, "*" as in a shell, else the name of a module. An
 * expression with braces matches nothing: its cost would be in the input's hand.
 */
static void prepare(struct zv_slice text, struct quant_skip *skip)
{
    if (text.length >= PATTERN_LIMIT - 2) {
        return; /* matches nothing */
    }
    memcpy(skip->pattern, text.at, text.length);
    if (strncmp(skip->pattern, "re:", 3) == 0) {
        skip->kind = SKIP_REGEX;
        skip->compiled = strchr(skip->pattern, '{') == NULL &&
                         regcomp(&skip->regex, skip->pattern + 3, REG_EXTENDED | REG_NOSUB) == 0;
    } else if (strchr(skip->pattern, '*') != NULL) {
        skip->kind = SKIP_GLOB;
        skip->pattern[text.length] = '*';
    }
}

enum zv_status quant_select_open(struct quant_selector *selector, const struct zv_quant *quant,
                                 struct zv_arena *arena, struct zv_error *err)
{
    *selector = (struct quant_selector){.quant = quant};
    selector->skips = zv_arena_array(arena, quant->skip_count, sizeof *selector->skips);
    if (selector->skips == NULL) {
        return zv_fail_memory(err, "a quantisation's list of modules");
    }
    for (size_t i = 0; i < quant->skip_count; i++) {
        prepare(quant->skip[i], &selector->skips[selector->count++]);
    }
    return ZV_OK;
}

void quant_select_close(struct quant_selector *selector)
{
    for (size_t i = 0; i < selector->count; i++) {
        if (selector->skips[i].compiled) {
            regfree(&selector->skips[i].regex);
        }
    }
    selector->count = 0;
}

static bool skipped(const struct quant_selector *selector, const char *module)
{
    for (size_t i = 0; i < selector->count; i++) {
        const struct quant_skip *const skip = &selector->skips[i];
        if (skip->kind == SKIP_REGEX
                ? skip->compiled && regexec(&skip->regex, module, 0, NULL, 0) == 0
            : skip->kind == SKIP_GLOB ? fnmatch(skip->pattern, module, 0) == 0
                                      : has_segments(module, skip->pattern)) {
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
