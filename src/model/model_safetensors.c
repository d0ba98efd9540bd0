#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/name_set.h"
#include "format/safetensors.h"
#include "model/family_model.h"
#include "model/model_reader.h"

enum { NAME_LIMIT = 512 }; /* longer names are not put together */

/* Experts' tensors that differ in the expert's number alone become one entry with `more`. */
struct fold {
    size_t entry; /* index + 1 into the list, 0 as long as there is none */
    enum { FOLD_NEW, FOLD_TOGETHER, FOLD_APART } state;
};

/* What is known of the tensors while files are read. */
struct list {
    struct model_reader *reader;
    struct zv_error *err;
    struct zv_name_set names;
    struct zv_tensor *at;
    size_t count;
    size_t capacity;
    struct fold *folds; /* one for each pattern of names */
    size_t fold_count;
    struct zv_name_place *odd; /* experts that differ in more than their number */
    size_t odd_count;
    size_t odd_capacity;
    struct zv_arena scratch; /* of one file; kept as soon as decoded names are in it */
    bool decoded;
    struct {
        bool known;
        enum zv_dtype dtype;
    } types[ZV_SAFETENSORS_TYPES + 1]; /* by the format's number */
};

static enum zv_status fail_memory(const struct list *list)
{
    return zv_fail_memory(list->err, "tensors");
}

static enum zv_dtype dtype_of(struct list *list, const struct zv_safetensors_tensor *from)
{
    if (!list->types[from->type].known || from->type == 0) {
        list->types[from->type].dtype = zv_dtype_parse(from->dtype);
        list->types[from->type].known = true;
    }
    return list->types[from->type].dtype;
}

static struct zv_tensor convert(struct list *list, const struct zv_safetensors_tensor *from,
                                struct zv_slice name)
{
    const struct tensor_place place = tensor_parts_find(&list->reader->parts, name);
    struct zv_tensor to = {
        .name = name,
        .dtype = dtype_of(list, from),
        .dims = (uint8_t)(from->dims < ZV_TENSOR_MAX_DIMS ? from->dims : ZV_TENSOR_MAX_DIMS),
        .elements = place.rebuilt ? 0 : from->elements,
        .bytes = from->bytes,
        .layer = -1,
        .part = place.part,
        .split = place.split,
        .linear = place.linear && from->dims >= 2,
        .rebuilt = place.rebuilt,
    };
    for (uint32_t i = 0; i < from->dims; i++) {
        if (i < ZV_TENSOR_MAX_DIMS) {
            to.shape[i] = from->shape[i];
        } else { /* the product is known to fit: elements is one of them */
            to.shape[ZV_TENSOR_MAX_DIMS - 1] *= from->shape[i];
        }
    }
    return to;
}

static enum zv_status append(struct list *list, const struct zv_tensor *tensor)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 256 : list->capacity * 2;
        struct zv_tensor *const larger = zv_memory_resize(list->at, capacity * sizeof *larger);
        if (larger == NULL) {
            return fail_memory(list);
        }
        list->at = larger;
        list->capacity = capacity;
    }
    list->at[list->count++] = *tensor;
    return ZV_OK;
}

/* The fold of a pattern of names; NULL without memory. */
static struct fold *fold_of(struct list *list, uint32_t pattern)
{
    if (pattern >= list->fold_count) {
        const size_t count = list->names.capacity;
        struct fold *const larger = zv_memory_resize(list->folds, count * sizeof *larger);
        if (larger == NULL) {
            return NULL;
        }
        memset(larger + list->fold_count, 0, (count - list->fold_count) * sizeof *larger);
        list->folds = larger;
        list->fold_count = count;
    }
    return &list->folds[pattern];
}

static bool is_of_experts(const struct zv_name_pattern *pattern)
{
    return pattern->digits != 0 &&
           zv_slice_ends((struct zv_slice){pattern->first.at, pattern->at}, "experts.");
}

static bool is_same(struct list *list, const struct zv_tensor *tensor,
                    const struct zv_safetensors_tensor *from)
{
    return tensor->dtype == dtype_of(list, from) && tensor->bytes == from->bytes &&
           tensor->dims == from->dims &&
           memcmp(tensor->shape, from->shape, from->dims * sizeof *from->shape) == 0;
}

/* The entry stands for itself alone again, the others that it stood for come behind it all. */
static enum zv_status unfold(struct list *list, const struct zv_name_pattern *pattern, size_t entry)
{
    const struct zv_slice name = pattern->first;
    const size_t after = (size_t)pattern->at + pattern->digits;
    enum zv_status status = ZV_OK;
    struct zv_tensor one = list->at[entry];
    uint32_t seen = 0;
    one.more = 0;
    one.number_at = 0;
    for (uint32_t n = 0; status == ZV_OK && n < ZV_NAME_NUMBERS; n++) {
        if (!zv_name_pattern_has(pattern, n)) {
            continue;
        }
        const char *const text =
            zv_arena_print(list->reader->arena, "%.*s%u%.*s", (int)pattern->at, name.at, n,
                           (int)(name.length - after), name.at + after);
        if (text == NULL) {
            return fail_memory(list);
        }
        one.name = zv_slice_of(text);
        if (seen++ == 0) {
            list->at[entry] = one;
        } else {
            status = append(list, &one);
        }
    }
    return status;
}

static enum zv_status note_odd(struct list *list, struct zv_name_place place)
{
    if (list->odd_count == list->odd_capacity) {
        const size_t capacity = list->odd_capacity == 0 ? 64 : list->odd_capacity * 2;
        struct zv_name_place *const larger = zv_memory_resize(list->odd, capacity * sizeof *larger);
        if (larger == NULL) {
            return fail_memory(list);
        }
        list->odd = larger;
        list->odd_capacity = capacity;
    }
    list->odd[list->odd_count++] = place;
    return ZV_OK;
}

/* Into the entry that stands for tensors like it, or as one of its own. */
static enum zv_status take(struct list *list, const struct zv_safetensors_tensor *from,
                           struct zv_slice name)
{
    const struct zv_name_place place = from->place;
    const struct zv_name_pattern *const pattern = &list->names.patterns[place.pattern];
    struct fold *const fold = fold_of(list, place.pattern);
    enum zv_status status = ZV_OK;
    if (fold == NULL) {
        return fail_memory(list);
    }
    if (fold->state == FOLD_NEW) {
        const bool fits = from->dims <= ZV_TENSOR_MAX_DIMS && name.length < NAME_LIMIT;
        *fold = (struct fold){list->count + 1,
                              fits && is_of_experts(pattern) ? FOLD_TOGETHER : FOLD_APART};
    } else if (fold->state == FOLD_TOGETHER && is_same(list, &list->at[fold->entry - 1], from)) {
        struct zv_tensor *const tensor = &list->at[fold->entry - 1];
        tensor->more++;
        tensor->name = place.number == 0 ? name : tensor->name;
        return ZV_OK;
    } else if (fold->state == FOLD_TOGETHER) {
        status = note_odd(list, place);
    }
    const struct zv_tensor tensor = convert(list, from, name);
    return status == ZV_OK ? append(list, &tensor) : status;
}

/* Decoded names are in the scratch arena: what is kept of them is copied. */
static enum zv_status keep_name(struct list *list, struct zv_slice input, struct zv_slice *name)
{
    if (name->at >= input.at && name->at < input.at + input.length) {
        return ZV_OK;
    }
    list->decoded = true;
    name->at = zv_arena_copy(list->reader->arena, name->at, name->length);
    return name->at != NULL ? ZV_OK : fail_memory(list);
}

static enum zv_status take_file(struct list *list, const struct zv_safetensors *file,
                                struct zv_slice input)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; status == ZV_OK && i < file->tensor_count; i++) {
        const struct zv_safetensors_tensor *const tensor = &file->tensors[i];
        struct zv_slice name = tensor->name;
        status = keep_name(list, input, &name);
        status = status == ZV_OK ? take(list, tensor, name) : status;
    }
    return status;
}

static enum zv_status read_file(struct list *list, const char *path)
{
    struct zv_safetensors file;
    struct zv_slice bytes;
    enum zv_status status = model_map(list->reader, path, &bytes, list->err);
    if (status == ZV_OK) {
        list->reader->model->file_bytes += bytes.length;
        status = zv_safetensors_read_part(&file, bytes, &list->names, &list->scratch, list->err);
    }
    if (status == ZV_OK && list->names.count > MODEL_MAX_TENSORS) {
        status = zv_fail(list->err, ZV_E_LIMIT, "more than %d tensors", MODEL_MAX_TENSORS);
    }
    status = status == ZV_OK ? take_file(list, &file, bytes) : status;
    if (!list->decoded) {
        zv_arena_clear(&list->scratch);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(list->err, path);
    }
    return status;
}

/* An entry stands for others only when they are those from 0 on. */
static enum zv_status close_folds(struct list *list)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; i < list->odd_count; i++) {
        zv_name_set_remove(&list->names, list->odd[i]);
    }
    for (size_t i = 0; status == ZV_OK && i < list->names.pattern_count; i++) {
        const struct zv_name_pattern *const pattern = &list->names.patterns[i];
        const struct fold *const fold = &list->folds[i];
        if (fold->state != FOLD_TOGETHER || list->at[fold->entry - 1].more == 0) {
            continue;
        }
        if (zv_name_pattern_is_dense(pattern)) {
            list->at[fold->entry - 1].number_at = (uint16_t)pattern->at;
        } else {
            status = unfold(list, pattern, fold->entry - 1);
        }
    }
    return status;
}

static enum zv_status hand_over(const struct list *list, struct model_tensors *to)
{
    to->at = zv_arena_array(list->reader->arena, list->count, sizeof *to->at);
    if (to->at == NULL) {
        return fail_memory(list);
    }
    if (list->count != 0) {
        memcpy(to->at, list->at, list->count * sizeof *to->at);
    }
    to->count = list->count;
    return ZV_OK;
}

enum zv_status model_read_safetensors(struct model_reader *reader, const char *const *paths,
                                      size_t count, struct model_tensors *to, struct zv_error *err)
{
    struct list list = {.reader = reader, .err = err};
    enum zv_status status = ZV_OK;
    *to = (struct model_tensors){0};
    reader->model->source = ZV_SOURCE_SAFETENSORS;
    for (size_t i = 0; status == ZV_OK && i < count; i++) {
        status = read_file(&list, paths[i]);
    }
    status = status == ZV_OK ? close_folds(&list) : status;
    status = status == ZV_OK ? hand_over(&list, to) : status;
    zv_arena_free(&list.scratch);
    zv_name_set_free(&list.names);
    zv_memory_free(list.at);
    zv_memory_free(list.folds);
    zv_memory_free(list.odd);
    return status;
}
