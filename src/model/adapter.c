/* LoRA adapters. Source: PEFT LoraConfig, tuners/lora/layer.py, tuners/tuners_utils.py. */
#include <string.h>
#include <sys/stat.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "model/model_reader.h"
#include "model/quant_select.h"

struct builder {
    struct zv_adapter *adapter;
    const struct zv_model *base;
    enum zv_dtype dtype;
    struct zv_arena *arena;
    struct zv_error *err;
    struct zv_tensor *tensors; /* NULL while counting */
    size_t count;
};

/* The module of a weight: its name without the last segment. */
static struct zv_slice module_of(struct zv_slice name)
{
    size_t length = name.length;
    while (length > 0 && name.at[length - 1] != '.') {
        length--;
    }
    return (struct zv_slice){name.at, length > 0 ? length - 1 : name.length};
}

static bool ends_in(struct zv_slice module, struct zv_slice target)
{
    if (module.length < target.length || target.length == 0 ||
        memcmp(module.at + module.length - target.length, target.at, target.length) != 0) {
        return false;
    }
    return module.length == target.length || module.at[module.length - target.length - 1] == '.';
}

static bool in_list(struct zv_slice module, const struct zv_slice *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ends_in(module, list[i])) {
            return true;
        }
    }
    return false;
}

static bool is_target(const struct zv_adapter *adapter, const struct zv_tensor *tensor)
{
    const struct zv_slice module = module_of(tensor->name);
    if (tensor->metadata || tensor->rebuilt || tensor->dims != 2 ||
        in_list(module, adapter->saved, adapter->saved_count)) {
        return false;
    }
    if (adapter->all_linear) {
        return tensor->linear && tensor->part != ZV_PART_HEAD;
    }
    return (tensor->linear || tensor->part == ZV_PART_EMBEDDING) &&
           in_list(module, adapter->targets, adapter->target_count);
}

static enum zv_status put(struct builder *builder, const struct zv_tensor *base, const char *ending,
                          uint64_t rows, uint64_t columns)
{
    if (builder->tensors == NULL) {
        builder->count++;
        return ZV_OK;
    }
    struct zv_tensor *const tensor = &builder->tensors[builder->count++];
    const struct zv_slice module = module_of(base->name);
    const char *const name = zv_arena_print(builder->arena, "base_model.model.%.*s%s",
                                            (int)module.length, module.at, ending);
    if (name == NULL) {
        return zv_fail_memory(builder->err, "adapter tensors");
    }
    *tensor = (struct zv_tensor){.name = zv_slice_of(name),
                                 .dtype = builder->dtype,
                                 .dims = columns != 0 ? 2 : 1,
                                 .shape = {rows, columns},
                                 .layer = base->layer,
                                 .part = ZV_PART_ADAPTER,
                                 .linear = columns != 0};
    return zv_mul(rows, columns != 0 ? columns : 1, &tensor->elements) &&
                   zv_dtype_bytes(tensor->dtype, tensor->elements, &tensor->bytes)
               ? ZV_OK
               : zv_fail(builder->err, ZV_E_OVERFLOW, "%s exceeds 2^64 bytes", name);
}

static enum zv_status put_target(struct builder *builder, const struct zv_tensor *base)
{
    const struct zv_adapter *const adapter = builder->adapter;
    struct quant_matrix matrix = {1, base->shape[0], base->shape[1]};
    const bool table = base->part == ZV_PART_EMBEDDING;
    enum zv_status status;
    if (table) {
        status = put(builder, base, ".lora_embedding_A", adapter->rank, matrix.rows);
        return status == ZV_OK
                   ? put(builder, base, ".lora_embedding_B", matrix.columns, adapter->rank)
                   : status;
    }
    if (zv_slice_contains(base->name, ".c_attn.") || zv_slice_contains(base->name, ".c_proj.") ||
        zv_slice_contains(base->name,
                          ".c_fc.")) { /* stored [in, out] where rows < columns says so */
        const bool transposed = zv_slice_equal(builder->base->family, "gpt2");
        matrix.rows = base->shape[transposed ? 1 : 0];
        matrix.columns = base->shape[transposed ? 0 : 1];
    }
    status = put(builder, base, ".lora_A.weight", adapter->rank, matrix.columns);
    if (status == ZV_OK) {
        status = put(builder, base, ".lora_B.weight", matrix.rows, adapter->rank);
    }
    if (status == ZV_OK && adapter->dora) {
        status = put(builder, base, ".lora_magnitude_vector", matrix.rows, 0);
    }
    return status;
}

/* A module that is trained whole: its weight and bias as the base has them. */
static enum zv_status put_saved(struct builder *builder, const struct zv_tensor *base)
{
    if (builder->tensors == NULL) {
        builder->count++;
        return ZV_OK;
    }
    struct zv_tensor *const tensor = &builder->tensors[builder->count++];
    *tensor = *base;
    tensor->part = ZV_PART_ADAPTER;
    tensor->name.at = zv_arena_copy(builder->arena, base->name.at, base->name.length);
    return tensor->name.at != NULL ? ZV_OK : zv_fail_memory(builder->err, "adapter tensors");
}

static enum zv_status put_beside(struct builder *builder, const struct zv_tensor *tensor)
{
    const struct zv_adapter *const adapter = builder->adapter;
    const bool weight = zv_slice_ends(tensor->name, ".weight") ||
                        zv_slice_ends(tensor->name, ".qweight") ||
                        zv_slice_ends(tensor->name, ".weight_packed");
    if (weight && is_target(adapter, tensor)) {
        return put_target(builder, tensor);
    }
    const bool saved = !tensor->metadata && !tensor->rebuilt &&
                       in_list(module_of(tensor->name), adapter->saved, adapter->saved_count);
    return saved ? put_saved(builder, tensor) : ZV_OK;
}

static enum zv_status walk(struct builder *builder)
{
    const struct zv_model *const base = builder->base;
    enum zv_status status = ZV_OK;
    builder->count = 0;
    for (size_t i = 0; i < base->tensor_count; i++) {
        for (uint32_t c = 0; status == ZV_OK && c <= base->tensors[i].more; c++) {
            char name[ZV_TENSOR_NAME];
            const struct zv_tensor one = zv_tensor_copy(&base->tensors[i], c, name);
            status = put_beside(builder, &one);
        }
    }
    return status;
}

/* PEFT's defaults: queries and values, by whichever names the base has. */
static enum zv_status default_targets(struct zv_adapter *adapter, const struct zv_model *base,
                                      struct zv_arena *arena, struct zv_error *err)
{
    static const char *const pairs[][2] = {
        {"q_proj", "v_proj"}, {"qkv_proj", NULL}, {"query_key_value", NULL},
        {"c_attn", NULL},     {"Wqkv", NULL},     {"query", "value"},
        {"q", "v"},           {"q_lin", "v_lin"}, {"in_proj", "x_proj"}};
    struct zv_slice *const targets = zv_arena_array(arena, 2, sizeof *targets);
    if (targets == NULL) {
        return zv_fail_memory(err, "an adapter");
    }
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        targets[0] = zv_slice_of(pairs[p][0]);
        targets[1] = zv_slice_of(pairs[p][1]);
        for (size_t i = 0; i < base->tensor_count; i++) {
            if (ends_in(module_of(base->tensors[i].name), targets[0])) {
                adapter->targets = targets;
                adapter->target_count = pairs[p][1] != NULL ? 2 : 1;
                return ZV_OK;
            }
        }
    }
    return zv_fail(err, ZV_E_NOT_FOUND, "no usual query or value projection: name the targets");
}

/* Whether the module of any copy ends in target. */
static bool has_module(const struct zv_tensor *tensor, struct zv_slice target)
{
    bool found = false;
    for (uint32_t c = 0; !found && c <= tensor->more; c++) {
        char name[ZV_TENSOR_NAME];
        found = ends_in(module_of(zv_tensor_copy(tensor, c, name).name), target);
    }
    return found;
}

static enum zv_status check_targets(const struct zv_adapter *adapter, const struct zv_model *base,
                                    struct zv_error *err)
{
    for (size_t t = 0; t < adapter->target_count; t++) {
        bool found = false;
        for (size_t i = 0; !found && i < base->tensor_count; i++) {
            found = has_module(&base->tensors[i], adapter->targets[t]);
        }
        if (!found) {
            return zv_fail(err, ZV_E_NOT_FOUND, "no weight of the base is named \"%.*s\"",
                           (int)adapter->targets[t].length, adapter->targets[t].at);
        }
    }
    return ZV_OK;
}

static enum zv_status total(struct zv_adapter *adapter, struct zv_error *err)
{
    adapter->parameters = 0;
    adapter->tensor_bytes = 0;
    for (size_t i = 0; i < adapter->tensor_count; i++) {
        if (!zv_add(adapter->parameters, adapter->tensors[i].elements, &adapter->parameters) ||
            !zv_add(adapter->tensor_bytes, adapter->tensors[i].bytes, &adapter->tensor_bytes)) {
            return zv_fail(err, ZV_E_OVERFLOW, "the adapter exceeds 2^64 bytes");
        }
    }
    return ZV_OK;
}

enum zv_status zv_adapter_calculate(struct zv_adapter *adapter, const struct zv_model *base,
                                    struct zv_arena *arena, struct zv_error *err)
{
    if (base->tensor_count == 0 || adapter->rank == 0) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       adapter->rank == 0 ? "an adapter of rank 0"
                                          : "the base model's tensors are not known");
    }
    enum zv_status status = ZV_OK;
    if (adapter->target_count == 0 && !adapter->all_linear) {
        status = default_targets(adapter, base, arena, err);
    }
    if (status == ZV_OK) {
        status = check_targets(adapter, base, err);
    }
    struct builder builder = {
        .adapter = adapter,
        .base = base,
        .dtype = adapter->dtype != ZV_DTYPE_UNKNOWN ? adapter->dtype : ZV_DTYPE_F32,
        .arena = arena,
        .err = err,
    };
    if (status == ZV_OK) {
        status = walk(&builder);
    }
    if (status != ZV_OK) {
        return status;
    }
    builder.tensors = zv_arena_array(arena, builder.count, sizeof *builder.tensors);
    if (builder.tensors == NULL) {
        return zv_fail_memory(err, "adapter tensors");
    }
    status = walk(&builder);
    adapter->tensors = builder.tensors;
    adapter->tensor_count = builder.count;
    adapter->calculated = true;
    return status == ZV_OK ? total(adapter, err) : status;
}

/* ---- PEFT folders ---- */

static enum zv_status read_names(const struct zv_json_value *list, struct zv_arena *arena,
                                 const struct zv_slice **to, size_t *count, struct zv_error *err)
{
    const bool one = zv_json_is(list, ZV_JSON_IS_STRING);
    const size_t most = one ? 1 : zv_json_is(list, ZV_JSON_IS_ARRAY) ? zv_json_count(list) : 0;
    struct zv_slice *const names = zv_arena_array(arena, most, sizeof *names);
    if (names == NULL) {
        return zv_fail_memory(err, "an adapter");
    }
    for (size_t i = 0; i < most; i++) {
        *count += zv_json_string(one ? list : zv_json_item(list, i), &names[*count]);
    }
    *to = names;
    return ZV_OK;
}

static enum zv_status read_config(struct zv_adapter *adapter, const struct zv_json_value *root,
                                  struct zv_arena *arena, struct zv_error *err)
{
    struct zv_slice type = {0};
    uint64_t rank = 0;
    bool dora = false;
    const struct zv_json_value *const targets = zv_json_find(root, "target_modules");
    const struct zv_json_value *const written = zv_json_find(root, "r");
    (void)zv_json_string(zv_json_find(root, "peft_type"), &type);
    if (!zv_slice_equal(type, "LORA")) {
        return zv_fail_at(err, ZV_E_UNSUPPORTED, root->offset, "an adapter of type \"%.*s\"",
                          (int)type.length, type.at);
    }
    if (!zv_json_u64(written, &rank) || rank == 0 || rank > UINT32_MAX) {
        return zv_fail_at(err, ZV_E_SYNTAX, written != NULL ? written->offset : root->offset,
                          "r is no rank");
    }
    adapter->rank = (uint32_t)rank;
    adapter->dora = zv_json_bool(zv_json_find(root, "use_dora"), &dora) && dora;
    enum zv_status status =
        read_names(targets, arena, &adapter->targets, &adapter->target_count, err);
    if (status == ZV_OK && adapter->target_count == 1 &&
        zv_slice_equal(adapter->targets[0], "all-linear")) {
        adapter->all_linear = true;
        adapter->target_count = 0;
    }
    return status == ZV_OK ? read_names(zv_json_find(root, "modules_to_save"), arena,
                                        &adapter->saved, &adapter->saved_count, err)
                           : status;
}

static enum zv_status read_tensors(struct model_reader *reader, struct zv_adapter *adapter,
                                   const char *path, struct zv_error *err)
{
    struct model_tensors tensors;
    enum zv_status status = model_read_safetensors(reader, &path, 1, &tensors, err);
    status = status == ZV_OK ? model_unfold(reader, &tensors, NULL, err) : status;
    if (status != ZV_OK) {
        return status;
    }
    for (size_t i = 0; i < tensors.count; i++) {
        tensors.at[i].part = ZV_PART_ADAPTER;
        const int64_t layer = tensor_layer_of(tensors.at[i].name);
        tensors.at[i].layer = layer >= 0 ? (int32_t)layer : -1;
    }
    adapter->tensors = tensors.at;
    adapter->tensor_count = tensors.count;
    return total(adapter, err);
}

static enum zv_status read_folder(struct model_reader *reader, struct zv_adapter *adapter,
                                  const char *folder, const struct zv_model *base,
                                  struct zv_error *err)
{
    const char *const config = model_path(reader, folder, zv_slice_of("adapter_config.json"));
    const char *const weights =
        model_path(reader, folder, zv_slice_of("adapter_model.safetensors"));
    const struct zv_json_value *root;
    struct stat info;
    if (config == NULL || weights == NULL) {
        return zv_fail_memory(err, "a path");
    }
    enum zv_status status = model_map_json(reader, config, &root, err);
    if (status == ZV_OK) {
        status = read_config(adapter, root, reader->arena, err);
    }
    if (status == ZV_OK && stat(weights, &info) == 0) {
        return read_tensors(reader, adapter, weights, err);
    }
    if (status == ZV_OK) {
        status = base != NULL ? zv_adapter_calculate(adapter, base, reader->arena, err)
                              : zv_fail(err, ZV_E_NOT_FOUND,
                                        "no adapter_model.safetensors beside it, and no base "
                                        "model to calculate the tensors on");
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, config);
    }
    return status;
}

enum zv_status zv_model_open_adapter(struct zv_adapter *adapter, struct zv_model_files **files,
                                     const char *path, const struct zv_model *base,
                                     struct zv_arena *arena, struct zv_error *err)
{
    *adapter = (struct zv_adapter){0};
    *files = zv_memory_alloc(sizeof **files);
    if (*files == NULL) {
        return zv_fail_memory(err, "an adapter");
    }
    **files = (struct zv_model_files){0};
    struct zv_model ignored = {0};
    struct model_reader reader = {.model = &ignored, .files = *files, .arena = arena};
    enum zv_status status = tensor_parts_open(&reader.parts, arena, err);
    if (status == ZV_OK) {
        status = read_folder(&reader, adapter, path, base, err);
    }
    tensor_parts_close(&reader.parts);
    if (status != ZV_OK) {
        zv_model_close(*files);
        *files = NULL;
    }
    return status;
}
