#include "model/family_tensors.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

enum { NAME_LIMIT = 512, POOL_BYTES = 64 * 1024 };

/* One walk over all sections; the first only counts. */
struct walk {
    const struct family_request *request;
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_tensor *tensors; /* NULL while counting */
    size_t count;
    uint64_t total; /* what they stand for */
    char *pool;     /* names, many in one block */
    size_t pool_left;
    struct family_scope *scope;
    bool text; /* scope is the one whose layers are the model's */
    const struct family_section *section;
    struct tensor_place *places; /* one for each tensor line of the scope's family */
    bool *placed;
};

/* An error that no byte of the file stands for names the table's line: whoever wrote it may help.
 */
static enum zv_status in_line(const struct walk *walk, uint64_t line, enum zv_status status)
{
    struct zv_error *const err = walk->err;
    if (status == ZV_OK || status == ZV_E_NOMEM || err == NULL || err->has_offset ||
        strchr(err->text, '[') != NULL) {
        return status;
    }
    const struct zv_slice file = walk->scope->family->file;
    const size_t length = strlen(err->text);
    (void)snprintf(err->text + length, sizeof err->text - length, " [%.*s:%llu]", (int)file.length,
                   file.at, (unsigned long long)line);
    return status;
}

/* ---- names ---- */

static size_t put(char *to, size_t length, struct zv_slice text)
{
    const size_t room = NAME_LIMIT - length;
    const size_t count = text.length < room ? text.length : room;
    memcpy(to + length, text.at, count);
    return length + count;
}

static size_t put_number(char *to, size_t length, int64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? 0 : (uint64_t)number;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    return put(to, length, (struct zv_slice){digits + at, sizeof digits - at});
}

/* number_at: where the inner loop's number stands. */
static size_t spell(const struct walk *walk, const struct family_name *name, char to[NAME_LIMIT],
                    uint16_t *number_at)
{
    const struct family_scope *const scope = walk->scope;
    size_t length = scope->prefix.length != 0 ? put(to, 0, scope->prefix) : 0;
    for (size_t i = 0; i < name->count; i++) {
        const struct family_name_piece *const piece = &name->pieces[i];
        if (piece->kind == PIECE_LITERAL) {
            length = put(to, length, piece->text);
        } else if (piece->kind == PIECE_NAME && scope->values[piece->index].kind == VALUE_TEXT) {
            length = put(to, length, scope->values[piece->index].text);
        } else {
            const int64_t number = piece->kind == PIECE_LAYER ? scope->layer
                                   : piece->kind == PIECE_EXPERT
                                       ? scope->expert
                                       : scope->values[piece->index].number;
            *number_at = piece->kind == PIECE_EXPERT ? (uint16_t)length : *number_at;
            length = put_number(to, length, number);
        }
    }
    return length;
}

static bool keep_name(struct walk *walk, const char *text, size_t length, struct zv_slice *to)
{
    if (walk->pool_left < length) {
        walk->pool = zv_arena_alloc(walk->arena, POOL_BYTES);
        walk->pool_left = walk->pool != NULL ? POOL_BYTES : 0;
        if (walk->pool == NULL) {
            return false;
        }
    }
    /* cppcheck-suppress uninitvar ; the caller has filled length bytes */
    memcpy(walk->pool, text, length);
    *to = (struct zv_slice){walk->pool, length};
    walk->pool += length;
    walk->pool_left -= length;
    return true;
}

/* ---- one tensor ---- */

static enum zv_status holds(const struct walk *walk, const struct family_expression *condition,
                            bool *to)
{
    *to = true;
    if (condition->count == 0) {
        return ZV_OK;
    }
    const struct model_value value = family_evaluate(condition, walk->scope);
    *to = model_value_true(&walk->scope->keys, &value);
    uint64_t ignored;
    return value.kind == VALUE_BAD
               ? family_count(&value, zv_slice_of("a condition"), 1, &ignored, walk->err)
               : ZV_OK;
}

static enum zv_status shape(const struct walk *walk, const struct family_tensor *line,
                            struct zv_tensor *tensor)
{
    tensor->dims = (uint8_t)line->dim_count;
    tensor->elements = 1;
    for (size_t i = 0; i < line->dim_count; i++) {
        const struct model_value value = family_evaluate(&line->dims[i], walk->scope);
        const enum zv_status status =
            family_count(&value, tensor->name, INT64_MAX, &tensor->shape[i], walk->err);
        if (status != ZV_OK) {
            return status;
        }
        if (tensor->shape[i] == 0) {
            return family_complain(&value, tensor->name, "gives a dimension of 0", walk->err);
        }
        if (!zv_mul(tensor->elements, tensor->shape[i], &tensor->elements)) {
            return zv_fail(walk->err, ZV_E_OVERFLOW, "%.*s has more than 2^64 elements",
                           (int)tensor->name.length, tensor->name.at);
        }
    }
    if (!zv_dtype_bytes(tensor->dtype, tensor->elements, &tensor->bytes)) {
        return zv_fail(walk->err, ZV_E_OVERFLOW, "%.*s has more than 2^64 bytes",
                       (int)tensor->name.length, tensor->name.at);
    }
    return ZV_OK;
}

/* Its place, found once for each line: the numbers in a name do not matter. */
static void place(struct walk *walk, const struct family_tensor *line, struct zv_tensor *tensor)
{
    const size_t index = (size_t)(line - walk->scope->family->tensors);
    if (!walk->placed[index]) {
        walk->places[index] = tensor_parts_find(walk->request->places, tensor->name);
        walk->placed[index] = true;
    }
    tensor->part = walk->places[index].part;
    tensor->split = walk->places[index].split;
    tensor->linear = line->linear || (walk->places[index].linear && line->dim_count == 3 &&
                                      tensor->part == ZV_PART_EXPERT);
    if (walk->scope->part != NULL && !walk->text && tensor->part != ZV_PART_PROJECTOR &&
        !zv_slice_equal(walk->scope->part->role, "text")) {
        tensor->part = ZV_PART_VISION;
    }
    tensor->layer = walk->text && walk->section->counts_layers ? (int32_t)walk->scope->layer : -1;
}

static bool name_tensor(struct walk *walk, const struct family_tensor *line,
                        struct zv_tensor *tensor)
{
    char name[NAME_LIMIT];
    const size_t length = spell(walk, &line->name, name, &tensor->number_at);
    return keep_name(walk, name, length, &tensor->name);
}

static enum zv_status emit(struct walk *walk, const struct family_tensor *line)
{
    bool first = false;
    bool second = false;
    enum zv_status status = holds(walk, &line->condition, &first);
    if (status == ZV_OK && first) {
        status = holds(walk, &line->second_condition, &second);
    }
    if (status != ZV_OK || !first || !second) {
        return in_line(walk, line->line, status);
    }
    if (walk->total == MODEL_MAX_TENSORS) {
        return zv_fail(walk->err, ZV_E_LIMIT, "more than %d tensors", MODEL_MAX_TENSORS);
    }
    walk->total++;
    if (walk->tensors == NULL) {
        walk->count++;
        return ZV_OK;
    }
    struct zv_tensor *const tensor = &walk->tensors[walk->count++];
    tensor->dtype = line->dtype != ZV_DTYPE_UNKNOWN ? line->dtype : walk->request->dtype;
    if (!name_tensor(walk, line, tensor)) {
        return zv_fail_memory(walk->err, "tensor names");
    }
    place(walk, line, tensor);
    return in_line(walk, line->line, shape(walk, line, tensor));
}

/* ---- sections ---- */

static enum zv_status loop_count(const struct walk *walk, const struct family_expression *count,
                                 const char *what, uint64_t *to)
{
    *to = 1;
    if (count->count == 0) {
        return ZV_OK;
    }
    const struct model_value value = family_evaluate(count, walk->scope);
    const enum zv_status status = family_count(&value, zv_slice_of(what), INT64_MAX, to, walk->err);
    if (status == ZV_OK && *to > MODEL_MAX_TENSORS) {
        return value.has_offset
                   ? zv_fail_at(walk->err, ZV_E_LIMIT, value.offset, "%llu %s: more than %d",
                                (unsigned long long)*to, what, MODEL_MAX_TENSORS)
                   : zv_fail(walk->err, ZV_E_LIMIT, "%llu %s: more than %d",
                             (unsigned long long)*to, what, MODEL_MAX_TENSORS);
    }
    return status;
}

/* One turn of the inner loop. */
static enum zv_status walk_expert(struct walk *walk, uint64_t expert)
{
    const struct family_section *const section = walk->section;
    enum zv_status status = ZV_OK;
    walk->scope->expert = (int64_t)expert;
    if (walk->scope->family->expert_definitions) {
        status = family_define(walk->scope, FAMILY_EACH_EXPERT, walk->err);
    }
    for (size_t i = 0; status == ZV_OK && i < section->count; i++) {
        status = emit(walk, &walk->scope->family->tensors[section->first + i]);
    }
    return status;
}

/* The other turns where they differ in a number of the names only: no entries of their own. */
static enum zv_status repeat_expert(struct walk *walk, size_t first, uint64_t more)
{
    const size_t each = walk->count - first;
    if (each != 0 && more > (MODEL_MAX_TENSORS - walk->total) / each) {
        return zv_fail(walk->err, ZV_E_LIMIT, "more than %d tensors", MODEL_MAX_TENSORS);
    }
    walk->total += more * each;
    for (size_t i = first; walk->tensors != NULL && i < walk->count; i++) {
        walk->tensors[i].more = (uint32_t)more;
    }
    return ZV_OK;
}

static enum zv_status walk_layer(struct walk *walk)
{
    const struct family_section *const section = walk->section;
    bool wanted = false;
    enum zv_status status = holds(walk, &section->condition, &wanted);
    uint64_t experts = 0;
    if (status == ZV_OK && wanted) {
        status = loop_count(walk, &section->experts, "experts", &experts);
    }
    const bool varies = section->varies || walk->scope->family->expert_definitions;
    const size_t first = walk->count;
    for (uint64_t e = 0; status == ZV_OK && e < (varies ? experts : experts != 0); e++) {
        status = walk_expert(walk, e);
    }
    return status == ZV_OK && !varies && experts > 1 ? repeat_expert(walk, first, experts - 1)
                                                     : status;
}

static enum zv_status walk_section(struct walk *walk)
{
    uint64_t layers = 1;
    enum zv_status status = loop_count(walk, &walk->section->layers, "layers", &layers);
    if (status == ZV_OK && walk->section->counts_layers && layers > MODEL_MAX_LAYERS) {
        status = zv_fail(walk->err, ZV_E_LIMIT, "more than %d layers", MODEL_MAX_LAYERS);
    }
    for (uint64_t i = 0; status == ZV_OK && i < layers; i++) {
        walk->scope->layer = (int64_t)i;
        if (walk->section->layers.count != 0) {
            status = family_define(walk->scope, FAMILY_EACH_LAYER, walk->err);
        }
        if (status == ZV_OK) {
            status = walk_layer(walk);
        }
    }
    return status == ZV_OK ? ZV_OK : in_line(walk, walk->section->line, status);
}

static enum zv_status walk_scopes(struct walk *walk, const struct family_scopes *scopes)
{
    const struct family_scope *const text = family_scopes_text(scopes);
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < scopes->count; i++) {
        walk->scope = scopes->at[i];
        walk->text = walk->scope == text;
        memset(walk->placed, 0, FAMILY_MAX_TENSORS * sizeof *walk->placed);
        for (size_t s = 0; status == ZV_OK && s < walk->scope->family->section_count; s++) {
            walk->section = &walk->scope->family->sections[s];
            status = walk_section(walk);
        }
    }
    return status;
}

enum zv_status family_tensors_build(struct zv_model *model, const struct family_scopes *scopes,
                                    const struct family_request *request, struct zv_arena *arena,
                                    struct zv_error *err)
{
    struct walk walk = {.request = request, .arena = arena, .err = err};
    walk.places = zv_arena_array(arena, FAMILY_MAX_TENSORS, sizeof *walk.places);
    walk.placed = zv_arena_array(arena, FAMILY_MAX_TENSORS, sizeof *walk.placed);
    if (walk.places == NULL || walk.placed == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    enum zv_status status = walk_scopes(&walk, scopes);
    if (status != ZV_OK) {
        return status;
    }
    walk.tensors = zv_arena_array(arena, walk.count, sizeof *walk.tensors);
    if (walk.tensors == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    model->tensor_count = walk.count;
    walk.count = 0;
    walk.total = 0;
    status = walk_scopes(&walk, scopes);
    model->tensors = walk.tensors;
    return status;
}
