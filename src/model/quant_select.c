#include "model/quant_select.h"

#include <fnmatch.h>
#include <regex.h>
#include <string.h>

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

/* "re:…", as compressed-tensors writes it. Braces are refused: their cost is in the input's hand.
 */
static bool matches_regex(const char *module, const char *pattern)
{
    regex_t regex;
    if (strchr(pattern, '{') != NULL || regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        return false;
    }
    const bool matches = regexec(&regex, module, 0, NULL, 0) == 0;
    regfree(&regex);
    return matches;
}

static bool skipped(const struct zv_quant *quant, const char *module)
{
    for (size_t i = 0; i < quant->skip_count; i++) {
        char pattern[PATTERN_LIMIT];
        const struct zv_slice skip = quant->skip[i];
        if (skip.length >= sizeof pattern - 2) {
            continue;
        }
        memcpy(pattern, skip.at, skip.length);
        pattern[skip.length] = 0;
        const bool glob = strchr(pattern, '*') != NULL;
        if (strncmp(pattern, "re:", 3) == 0 ? matches_regex(module, pattern + 3)
                                            : !glob && has_segments(module, pattern)) {
            return true;
        }
        if (glob && fnmatch(pattern, module, 0) == 0) {
            return true;
        }
        pattern[skip.length] = '*'; /* a glob also takes what lies below it */
        pattern[skip.length + 1] = 0;
        if (glob && fnmatch(pattern, module, 0) == 0) {
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

bool quant_takes(const struct zv_quant *quant, const struct zv_tensor *tensor,
                 struct quant_matrix *matrix)
{
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
    return !skipped(quant, module);
}
