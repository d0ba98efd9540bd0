#include <string.h>

#include "base/fail.h"
#include "base/strmap.h"
#include "model/model_reader.h"

enum { NAME_LIMIT = 640 };

/* What the file's names have in front of the table's, or the table's in front of the file's. */
struct shift {
    struct zv_slice file;
    struct zv_slice table;
};

struct matcher {
    struct model_reader *reader;
    struct zv_strmap calculated; /* name, or pattern of one that stands for several -> index */
    size_t *first;               /* of each calculated tensor's copies among found */
    bool *found;                 /* one for each copy */
    bool repeats;                /* some calculated tensors stand for several */
    struct shift shift;
    size_t missing; /* calculated, not in the file */
    uint64_t extra; /* in the file, not calculated */
    uint64_t differing;
    struct zv_slice first_missing;
    char missing_name[ZV_TENSOR_NAME]; /* when another copy than the first is missing */
    struct zv_slice first_extra;
    struct zv_slice first_differing;
};

static bool ends_with(struct zv_slice text, struct zv_slice end)
{
    return text.length >= end.length && end.length != 0 &&
           memcmp(text.at + text.length - end.length, end.at, end.length) == 0;
}

/* Files saved from a class with or without a head differ by a prefix: "transformer.h.0" and "h.0".
 */
static void find_shift(struct matcher *matcher, const struct model_tensors *tensors)
{
    const struct zv_model *const model = matcher->reader->model;
    const struct zv_slice probe = model->tensors[model->tensor_count - 1].name;
    for (size_t i = 0; i < tensors->count; i++) {
        const struct zv_slice name = tensors->at[i].name;
        if (zv_slice_same(name, probe)) {
            matcher->shift = (struct shift){0};
            return;
        }
        if (ends_with(name, probe) && name.at[name.length - probe.length - 1] == '.') {
            matcher->shift.file = (struct zv_slice){name.at, name.length - probe.length};
        }
        if (ends_with(probe, name) && probe.at[probe.length - name.length - 1] == '.') {
            matcher->shift.table = (struct zv_slice){probe.at, probe.length - name.length};
        }
    }
}

/* A calculated tensor and which of its copies. */
struct match {
    const struct zv_tensor *tensor; /* NULL: none has the name */
    size_t found;
};

/* Expert 17's name is expert 0's with another number: to[0 .. length) with # in its place. */
static size_t pattern_of(struct zv_slice name, size_t at, size_t digits, char to[NAME_LIMIT])
{
    const size_t length = name.length - digits + 1;
    if (length > NAME_LIMIT) {
        return 0;
    }
    memcpy(to, name.at, at);
    to[at] = '#';
    memcpy(to + at + 1, name.at + at + digits, name.length - at - digits);
    return length;
}

/* The entry whose number stands at at: digits that could be another copy's. */
static struct match find_number(const struct matcher *matcher, struct zv_slice name, size_t at,
                                size_t digits)
{
    const struct zv_tensor *const tensors = matcher->reader->model->tensors;
    char pattern[NAME_LIMIT];
    uint64_t number;
    const size_t length = pattern_of(name, at, digits, pattern);
    if (length == 0 || (digits > 1 && name.at[at] == '0') ||
        !zv_slice_u64((struct zv_slice){name.at + at, digits}, &number)) {
        return (struct match){0};
    }
    const struct zv_strmap_entry *const entry =
        zv_strmap_find(&matcher->calculated, (struct zv_slice){pattern, length});
    if (entry == NULL || tensors[entry->value].more == 0 || tensors[entry->value].number_at != at ||
        number > tensors[entry->value].more) {
        return (struct match){0};
    }
    return (struct match){&tensors[entry->value], matcher->first[entry->value] + (size_t)number};
}

/* The calculated tensor of exactly this name. */
static struct match find_same(const struct matcher *matcher, struct zv_slice name)
{
    const struct zv_strmap_entry *const entry = zv_strmap_find(&matcher->calculated, name);
    if (entry != NULL && matcher->reader->model->tensors[entry->value].more == 0) {
        return (struct match){&matcher->reader->model->tensors[entry->value],
                              matcher->first[entry->value]};
    }
    struct match match = {0};
    size_t end = name.length;
    while (match.tensor == NULL && matcher->repeats && end != 0) { /* the last number first */
        size_t start = end;
        while (start > 0 && zv_is_digit(name.at[start - 1])) {
            start--;
        }
        if (start != end) {
            match = find_number(matcher, name, start, end - start);
        }
        end = start != end ? start : end - 1;
    }
    return match;
}

static struct match find_shifted(const struct matcher *matcher, struct zv_slice name)
{
    const struct match same = find_same(matcher, name);
    const struct shift *const shift = &matcher->shift;
    if (same.tensor != NULL) {
        return same;
    }
    if (shift->file.length != 0 && name.length > shift->file.length &&
        memcmp(name.at, shift->file.at, shift->file.length) == 0) {
        return find_same(matcher, (struct zv_slice){name.at + shift->file.length,
                                                    name.length - shift->file.length});
    }
    char longer[NAME_LIMIT];
    const size_t length = shift->table.length + name.length;
    if (shift->table.length == 0 || length > sizeof longer) {
        return same;
    }
    memcpy(longer, shift->table.at, shift->table.length);
    memcpy(longer + shift->table.length, name.at, name.length);
    return find_same(matcher, (struct zv_slice){longer, length});
}

/* Files of TensorFlow's time call a norm's weight and bias gamma and beta. */
static struct match find(const struct matcher *matcher, struct zv_slice name)
{
    const struct match same = find_shifted(matcher, name);
    const bool gamma = zv_slice_ends(name, ".gamma");
    char modern[NAME_LIMIT];
    if (same.tensor != NULL || name.length > sizeof modern - 8 ||
        (!gamma && !zv_slice_ends(name, ".beta"))) {
        return same;
    }
    const size_t stem = name.length - (gamma ? sizeof ".gamma" : sizeof ".beta") + 1;
    const char *const ending = gamma ? ".weight" : ".bias";
    memcpy(modern, name.at, stem);
    memcpy(modern + stem, ending, strlen(ending));
    return find_shifted(matcher, (struct zv_slice){modern, stem + strlen(ending)});
}

static bool same_shape(const struct zv_tensor *a, const struct zv_tensor *b)
{
    return a->dims == b->dims && memcmp(a->shape, b->shape, a->dims * sizeof *a->shape) == 0;
}

/* The number of a layer whose kind the table knows, or -1. */
static int32_t layer_index(const struct zv_model *model, const struct zv_tensor *tensor)
{
    const int64_t layer = tensor_layer_of(tensor->name);
    const bool counts = tensor->part != ZV_PART_VISION && tensor->part != ZV_PART_ENCODER;
    return counts && layer >= 0 && (uint64_t)layer < model->layer_count ? (int32_t)layer : -1;
}

static void place_extra(struct matcher *matcher, struct zv_tensor *tensor)
{
    const struct zv_model *const model = matcher->reader->model;
    if (tensor->rebuilt) {
        return;
    }
    if (model->tied && model->family_known && tensor->part == ZV_PART_HEAD &&
        zv_slice_ends(tensor->name, ".weight")) {
        tensor->rebuilt = true; /* a second copy of the embedding: loading keeps one */
        tensor->elements = 0;
        return;
    }
    tensor->layer = layer_index(model, tensor);
    const uint64_t copies = zv_tensor_copies(tensor);
    const int64_t layer = tensor_layer_of(tensor->name);
    if (model->layer_count != 0 && layer >= 0 && (uint64_t)layer >= model->layer_count &&
        tensor->part != ZV_PART_VISION && tensor->part != ZV_PART_ENCODER) {
        tensor->part = ZV_PART_DRAFT; /* layers after the last: multi-token prediction */
        return;
    }
    if (!tensor->metadata) {
        matcher->first_extra = matcher->extra == 0 ? tensor->name : matcher->first_extra;
        matcher->extra += copies;
    }
}

static void place_tensor(struct matcher *matcher, struct zv_tensor *tensor)
{
    const struct zv_model *const model = matcher->reader->model;
    const struct match match = find(matcher, tensor->name);
    if (match.tensor == NULL) {
        place_extra(matcher, tensor);
        return;
    }
    const struct zv_tensor *const known = match.tensor;
    memset(matcher->found + match.found, 1, (size_t)zv_tensor_copies(tensor) * sizeof(bool));
    tensor->layer = known->layer;
    tensor->part = known->part;
    tensor->split = known->split;
    tensor->linear = known->linear;
    tensor->rebuilt = known->rebuilt;
    const bool quantised = model->quant.method != ZV_QUANT_NONE;
    if (!known->metadata &&
        (tensor->elements != known->elements || (!quantised && !same_shape(tensor, known)))) {
        matcher->first_differing =
            matcher->differing == 0 ? tensor->name : matcher->first_differing;
        matcher->differing += zv_tensor_copies(tensor);
    } else if (quantised && known->linear) { /* packed: the shape that it stands for */
        tensor->dims = known->dims;
        memcpy(tensor->shape, known->shape, sizeof tensor->shape);
    }
    if (known->metadata) {
        tensor->metadata = true;
        tensor->elements = 0;
    }
}

static void note_differences(struct matcher *matcher)
{
    struct model_reader *const reader = matcher->reader;
    const struct zv_slice missing = matcher->first_missing;
    const struct zv_slice extra = matcher->first_extra;
    const struct zv_slice differing = matcher->first_differing;
    if (matcher->missing != 0) {
        model_note(reader, "config.json asks for %zu tensors that no file has, the first: %.*s",
                   matcher->missing, (int)missing.length, missing.at);
    }
    if (matcher->extra != 0) {
        model_note(reader,
                   "the files have %llu tensors that config.json does not explain, the first: %.*s",
                   (unsigned long long)matcher->extra, (int)extra.length, extra.at);
    }
    if (matcher->differing != 0) {
        model_note(reader, "%llu tensors have another shape than config.json says, the first: %.*s",
                   (unsigned long long)matcher->differing, (int)differing.length, differing.at);
    }
}

/* Whether all that an entry of the file stands for are the same calculated entry's, or nobody's. */
static bool stays_together(const struct matcher *matcher, const struct zv_tensor *tensor)
{
    const struct match first = find(matcher, tensor->name);
    char name[ZV_TENSOR_NAME];
    if (first.tensor != NULL) {
        const struct match last = find(matcher, zv_tensor_copy(tensor, tensor->more, name).name);
        return first.tensor == last.tensor && first.tensor->more == tensor->more &&
               last.found == first.found + tensor->more;
    }
    bool none = true;
    for (uint32_t copy = 1; none && copy <= tensor->more; copy++) {
        none = find(matcher, zv_tensor_copy(tensor, copy, name).name).tensor == NULL;
    }
    return none;
}

static enum zv_status unfold_differing(struct matcher *matcher, struct model_tensors *tensors,
                                       struct zv_error *err)
{
    bool *const apart = zv_arena_array(matcher->reader->arena, tensors->count, sizeof *apart);
    if (apart == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    for (size_t i = 0; i < tensors->count; i++) {
        const struct zv_tensor *const tensor = &tensors->at[i];
        apart[i] = tensor->more != 0 && !stays_together(matcher, tensor);
    }
    return model_unfold(matcher->reader, tensors, apart, err);
}

/* The calculated tensors by name, and where each one's copies are among found. */
static enum zv_status list_calculated(struct matcher *matcher, struct zv_error *err)
{
    const struct zv_model *const model = matcher->reader->model;
    struct zv_arena *const arena = matcher->reader->arena;
    matcher->first = zv_arena_array(arena, model->tensor_count, sizeof *matcher->first);
    matcher->found = zv_arena_array(arena, (size_t)zv_model_tensors(model), sizeof(bool));
    if (matcher->first == NULL || matcher->found == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    size_t copies = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        struct zv_strmap_entry *entry;
        struct zv_slice key = tensor->name;
        matcher->first[i] = copies;
        copies += (size_t)zv_tensor_copies(tensor);
        if (tensor->more != 0 && tensor->number_at < key.length) {
            char pattern[NAME_LIMIT];
            const size_t length = pattern_of(key, tensor->number_at, 1, pattern);
            key = (struct zv_slice){zv_arena_copy(arena, pattern, length), length};
            matcher->repeats = true;
        }
        if (key.at == NULL ||
            zv_strmap_add(&matcher->calculated, key, i, &entry) == ZV_STRMAP_NOMEM) {
            return zv_fail_memory(err, "tensor names");
        }
    }
    return ZV_OK;
}

static void count_missing(struct matcher *matcher)
{
    const struct zv_model *const model = matcher->reader->model;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        for (uint32_t c = 0; !tensor->metadata && c <= tensor->more; c++) {
            if (!matcher->found[matcher->first[i] + c] && matcher->missing++ == 0) {
                matcher->first_missing = zv_tensor_copy(tensor, c, matcher->missing_name).name;
            }
        }
    }
}

static enum zv_status match(struct matcher *matcher, struct model_tensors *tensors,
                            struct zv_error *err)
{
    const struct zv_model *const model = matcher->reader->model;
    enum zv_status status = list_calculated(matcher, err);
    if (status == ZV_OK && model->tensor_count != 0) {
        find_shift(matcher, tensors);
    }
    status = status == ZV_OK ? unfold_differing(matcher, tensors, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    for (size_t i = 0; i < tensors->count; i++) {
        place_tensor(matcher, &tensors->at[i]);
    }
    count_missing(matcher);
    if (model->tensor_count != 0) {
        note_differences(matcher);
    }
    return ZV_OK;
}

enum zv_status model_take_tensors(struct model_reader *reader, struct model_tensors *tensors,
                                  struct zv_error *err)
{
    struct matcher matcher = {.reader = reader};
    const enum zv_status status = match(&matcher, tensors, err);
    zv_strmap_free(&matcher.calculated);
    reader->model->tensors = tensors->at;
    reader->model->tensor_count = tensors->count;
    return status;
}
