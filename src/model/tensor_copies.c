#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "model/model_reader.h"

uint64_t zv_tensor_copies(const struct zv_tensor *tensor)
{
    return 1 + (uint64_t)tensor->more;
}

uint64_t zv_model_tensors(const struct zv_model *model)
{
    uint64_t count = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        count += zv_tensor_copies(&model->tensors[i]);
    }
    return count;
}

static size_t put(char name[ZV_TENSOR_NAME], size_t length, struct zv_slice text)
{
    const size_t room = ZV_TENSOR_NAME - length;
    const size_t count = text.length < room ? text.length : room;
    memcpy(name + length, text.at, count);
    return length + count;
}

struct zv_tensor zv_tensor_copy(const struct zv_tensor *tensor, uint32_t copy,
                                char name[ZV_TENSOR_NAME])
{
    struct zv_tensor one = *tensor;
    one.more = 0;
    if (copy == 0 || tensor->number_at >= tensor->name.length) {
        return one;
    }
    char number[16];
    const int digits = snprintf(number, sizeof number, "%u", copy);
    const struct zv_slice text = tensor->name;
    const size_t after = tensor->number_at + 1U; /* the first one's number is a single 0 */
    size_t length = put(name, 0, (struct zv_slice){text.at, tensor->number_at});
    length = put(name, length, (struct zv_slice){number, (size_t)digits});
    length = put(name, length, (struct zv_slice){text.at + after, text.length - after});
    one.name = (struct zv_slice){name, length};
    return one;
}

size_t zv_tensor_run(const struct zv_model *model, size_t first)
{
    const struct zv_tensor *const head = &model->tensors[first];
    size_t end = first + 1;
    while (head->more != 0 && end < model->tensor_count) {
        const struct zv_tensor *const next = &model->tensors[end];
        if (next->more != head->more || next->number_at != head->number_at ||
            memcmp(next->name.at, head->name.at, head->number_at) != 0) {
            break;
        }
        end++;
    }
    return end;
}

static enum zv_status put_copies(struct model_reader *reader, const struct zv_tensor *tensor,
                                 struct zv_tensor *to, struct zv_error *err)
{
    for (uint32_t copy = 0; copy <= tensor->more; copy++) {
        char name[ZV_TENSOR_NAME];
        struct zv_tensor *const one = &to[copy];
        *one = zv_tensor_copy(tensor, copy, name);
        one->number_at = 0;
        if (copy != 0) {
            one->name.at = zv_arena_copy(reader->arena, name, one->name.length);
        }
        if (one->name.at == NULL) {
            return zv_fail_memory(err, "a tensor's name");
        }
    }
    return ZV_OK;
}

enum zv_status model_unfold(struct model_reader *reader, struct model_tensors *tensors,
                            const bool *which, struct zv_error *err)
{
    size_t count = tensors->count;
    for (size_t i = 0; i < tensors->count; i++) {
        count += which == NULL || which[i] ? tensors->at[i].more : 0;
    }
    if (count == tensors->count) {
        return ZV_OK;
    }
    struct zv_tensor *const at = zv_arena_array(reader->arena, count, sizeof *at);
    if (at == NULL) {
        return zv_fail_memory(err, "tensors");
    }
    enum zv_status status = ZV_OK;
    size_t to = 0;
    for (size_t i = 0; status == ZV_OK && i < tensors->count; i++) {
        const struct zv_tensor *const tensor = &tensors->at[i];
        if (which == NULL || which[i]) {
            status = put_copies(reader, tensor, &at[to], err);
            to += 1 + (size_t)tensor->more;
        } else {
            at[to++] = *tensor;
        }
    }
    if (status == ZV_OK) {
        *tensors = (struct model_tensors){at, count};
    }
    return status;
}
