/*
 * Any bytes as a config.json: a model or an error. A model's totals are the sums of its tensors,
 * and reading it twice gives the same.
 */
#include <stdlib.h>
#include <string.h>

#include "model/model_reader.h"

/* A config may ask for four million tensors; a fuzzer has no time for that. */
static const size_t memory_limit = (size_t)32 << 20;

static enum zv_status read_config(struct model_reader *reader, const uint8_t *data, size_t size)
{
    const struct zv_json_value *root;
    const struct zv_slice text = {(const char *)data, size};
    enum zv_status status =
        zv_json_tree_read(&root, text, ZV_JSON_ALLOW_NONFINITE, reader->arena, NULL);
    if (status == ZV_OK) {
        status = tensor_parts_open(&reader->parts, reader->arena, NULL);
    }
    if (status == ZV_OK) {
        status = model_read_config(reader, "config.json", root, NULL);
    }
    if (status == ZV_OK) {
        status = model_total(reader->model, NULL);
    }
    tensor_parts_close(&reader->parts);
    return status;
}

/* What tells its copies apart is a 0 in its own name, a number of its own. */
static void check_copies(const struct zv_tensor *tensor)
{
    const char *const at = tensor->name.at + tensor->number_at;
    const size_t rest = tensor->more != 0 ? tensor->name.length - tensor->number_at : 0;
    if (tensor->more != 0 && (tensor->number_at == 0 || tensor->number_at >= tensor->name.length ||
                              at[-1] != '.' || at[0] != '0' || (rest > 1 && at[1] != '.'))) {
        abort();
    }
}

static void check_sums(const struct zv_model *model)
{
    uint64_t parameters = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct zv_tensor *const tensor = &model->tensors[i];
        parameters += tensor->elements * zv_tensor_copies(tensor);
        bytes += tensor->bytes * zv_tensor_copies(tensor);
        if (tensor->name.length == 0 || tensor->layer >= (int32_t)model->layer_count ||
            (tensor->bytes == 0 && !tensor->metadata)) {
            abort();
        }
        check_copies(tensor);
    }
    if (parameters != model->parameters || bytes != model->tensor_bytes) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_arena arenas[2] = {{.limit = memory_limit}, {.limit = memory_limit}};
    struct zv_model models[2];
    memset(models, 0, sizeof models);
    enum zv_status statuses[2];
    for (int i = 0; i < 2; i++) {
        struct model_reader reader = {.model = &models[i], .arena = &arenas[i]};
        statuses[i] = read_config(&reader, data, size);
        if (statuses[i] == ZV_OK) {
            check_sums(&models[i]);
        }
    }
    if (statuses[0] != statuses[1] ||
        (statuses[0] == ZV_OK &&
         (models[0].parameters != models[1].parameters ||
          models[0].layer_count != models[1].layer_count ||
          (models[0].layer_count != 0 &&
           memcmp(models[0].layers, models[1].layers,
                  models[0].layer_count * sizeof *models[0].layers) != 0)))) {
        abort();
    }
    zv_arena_free(&arenas[0]);
    zv_arena_free(&arenas[1]);
    return 0;
}
