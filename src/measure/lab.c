#include "measure/lab.h"

#include <inttypes.h>
#include <math.h>

#include "allocator/device_calls.h"
#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "measure/value_types.h"

enum {
    SEED_INPUT = 1,
    SEED_TARGET = 2,
    SEED_OTHER_INPUT = 3,
    SEED_OTHER_TARGET = 4,
    SEED_MODEL = 16
};

/* Sizes that no device has end here; sums of a few tensors cannot overflow then. */
#define MOST_TENSOR (UINT64_C(1) << 47)

enum zv_status lab_take(struct lab *lab, struct lab_tensor *tensor, uint64_t bytes,
                        struct zv_error *err)
{
    const enum zv_status status =
        zv_allocator_malloc(lab->allocator, bytes, 0, &tensor->block, err);
    if (status != ZV_OK) {
        return status;
    }
    if (tensor->block.address == 0) {
        const struct zv_usage usage = zv_allocator_usage(lab->allocator);
        uint64_t free_bytes = 0;
        uint64_t total_bytes = 0;
        (void)zv_device_memory(lab->device, &free_bytes, &total_bytes, NULL);
        lab->ran_out = true;
        return zv_fail(err, ZV_E_DEVICE,
                       "out of memory: %" PRIu64 " bytes asked for; allocated %" PRIu64
                       ", reserved %" PRIu64 ", free on the device %" PRIu64 " of %" PRIu64,
                       bytes, usage.allocated_bytes, usage.reserved_bytes, free_bytes, total_bytes);
    }
    tensor->bytes = bytes;
    return ZV_OK;
}

enum zv_status lab_drop(struct lab *lab, struct lab_tensor *tensor, struct zv_error *err)
{
    const struct lab_tensor was = *tensor;
    *tensor = (struct lab_tensor){0};
    return zv_allocator_free(lab->allocator, was.block, err);
}

uint64_t lab_parameter_elements(const struct lab *lab, uint32_t parameter)
{
    const uint64_t width = lab->condition.width;
    return parameter % 2 == 0 ? width * width : width;
}

static enum zv_status set_sizes(struct lab *lab, struct zv_error *err)
{
    const struct measure_condition *const c = &lab->condition;
    const uint64_t value_bytes = measure_dtype_bytes(c->dtype);
    uint64_t weight_bytes = 0;
    if (!zv_mul(c->batch, c->context, &lab->rows) || !zv_mul(lab->rows, c->width, &lab->elements) ||
        !zv_mul(lab->elements, value_bytes, &lab->activation_bytes) ||
        !zv_mul(c->width * c->width, 4, &weight_bytes) || lab->activation_bytes > MOST_TENSOR ||
        weight_bytes > MOST_TENSOR) {
        return zv_fail(err, ZV_E_OVERFLOW,
                       "batch, context and width give a tensor above 2^47 bytes");
    }
    return ZV_OK;
}

static enum zv_status make_tables(struct lab *lab, struct zv_arena *arena, struct zv_error *err)
{
    const size_t count = 2 * (size_t)lab->condition.depth;
    struct lab_tensor **const tables[] = {&lab->values, &lab->gradients, &lab->first, &lab->second,
                                          &lab->kept};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        *tables[i] = zv_arena_array(arena, count, sizeof **tables[i]);
        if (*tables[i] == NULL) {
            return zv_fail_memory(err, "tensors");
        }
    }
    return ZV_OK;
}

enum zv_status lab_open(struct lab *lab, const struct measure_condition *condition,
                        const struct measure_place *place, struct zv_arena *arena,
                        struct zv_error *err)
{
    const struct zv_device_options where = {.name = place->device,
                                            .library = place->library,
                                            .folder = place->folder,
                                            .compiler = place->compiler};
    struct zv_driver driver;
    *lab = (struct lab){.condition = *condition};
    enum zv_status status = set_sizes(lab, err);
    if (status == ZV_OK) {
        status = make_tables(lab, arena, err);
    }
    if (status == ZV_OK) {
        status = zv_device_open(&lab->device, &where, err);
    }
    if (status == ZV_OK && place->must_be_emulated && !zv_device_facts(lab->device)->is_emulated) {
        status = zv_fail(err, ZV_E_DEVICE, "%s is no emulated driver", place->library);
    }
    if (status != ZV_OK) {
        return status;
    }
    zv_device_driver(lab->device, &driver);
    const struct zv_allocator_options options = {
        .profile = condition->profile, .conf = condition->conf, .driver = &driver};
    return zv_allocator_open(&lab->allocator, &options, err);
}

static void drop_all(struct lab *lab, struct lab_tensor *tensors, size_t count)
{
    for (size_t i = 0; tensors != NULL && i < count; i++) {
        (void)lab_drop(lab, &tensors[i], NULL);
    }
}

void lab_close(struct lab *lab)
{
    const size_t count = 2 * (size_t)lab->condition.depth;
    struct lab_tensor *const tables[] = {lab->values, lab->gradients, lab->first, lab->second,
                                         lab->kept};
    struct lab_tensor *const singles[] = {&lab->input, &lab->target,      &lab->linear,
                                          &lab->slope, &lab->next_slope,  &lab->loss_parts,
                                          &lab->loss,  &lab->other_input, &lab->other_target};
    if (lab->allocator != NULL) {
        for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
            drop_all(lab, tables[i], count);
        }
        for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++) {
            drop_all(lab, singles[i], 1);
        }
        (void)zv_allocator_empty_cache(lab->allocator, NULL);
        zv_allocator_close(lab->allocator);
    }
    if (lab->device != NULL) {
        lab_kernels_unload(&lab->kernels, lab->device);
        zv_device_close(lab->device);
    }
    *lab = (struct lab){0};
}

enum zv_status lab_load_model(struct lab *lab, struct zv_error *err)
{
    const float scale = 1 / sqrtf((float)lab->condition.width);
    int dtype = (int)lab->condition.dtype;
    enum zv_status status = lab_kernels_load(&lab->kernels, lab->device, err);
    for (uint32_t i = 0; i < 2 * lab->condition.depth && status == ZV_OK; i++) {
        uint64_t elements = lab_parameter_elements(lab, i);
        uint64_t seed = lab->condition.seed + SEED_MODEL + i;
        float its_scale = scale;
        status = lab_take(lab, &lab->values[i],
                          elements * measure_dtype_bytes(lab->condition.dtype), err);
        if (status == ZV_OK) {
            void *parameters[] = {&lab->values[i].block.address, &elements, &seed, &its_scale,
                                  &dtype};
            status = lab_launch(&lab->kernels, lab->device, LAB_FILL, elements, parameters, err);
        }
    }
    return status;
}

/* Host memory of copies; what is larger goes through it in parts. */
enum { PART_VALUES = 1 << 16, PART_BYTES = PART_VALUES * 4 };

/* A tensor of rows × width values, made on the host and copied: the first 65,536, which repeat. */
static enum zv_status make_input(struct lab *lab, struct lab_tensor *tensor, uint64_t seed,
                                 struct zv_error *err)
{
    enum zv_status status = lab_take(lab, tensor, lab->activation_bytes, err);
    void *const host = status == ZV_OK ? zv_memory_alloc(PART_BYTES) : NULL;
    if (status != ZV_OK || host == NULL) {
        return status != ZV_OK ? status : zv_fail_memory(err, "inputs");
    }
    for (uint64_t i = 0; i < PART_VALUES && i < lab->elements; i++) {
        value_put(host, i, value_random(lab->condition.seed + seed, i, 1), lab->condition.dtype);
    }
    const uint64_t part = PART_VALUES * measure_dtype_bytes(lab->condition.dtype);
    for (uint64_t at = 0; at < tensor->bytes && status == ZV_OK; at += part) {
        const uint64_t bytes = tensor->bytes - at < part ? tensor->bytes - at : part;
        status = device_copy_in(lab->device, tensor->block.address + at, host, bytes, err);
    }
    zv_memory_free(host);
    return status;
}

enum zv_status lab_make_inputs(struct lab *lab, struct zv_error *err)
{
    const enum zv_status status = make_input(lab, &lab->input, SEED_INPUT, err);
    return status == ZV_OK && lab->condition.trains
               ? make_input(lab, &lab->target, SEED_TARGET, err)
               : status;
}

enum zv_status lab_make_other_inputs(struct lab *lab, struct zv_error *err)
{
    const enum zv_status status = make_input(lab, &lab->other_input, SEED_OTHER_INPUT, err);
    return status == ZV_OK ? make_input(lab, &lab->other_target, SEED_OTHER_TARGET, err) : status;
}

enum zv_status lab_export(struct lab *lab, struct zv_error *err)
{
    void *const host = zv_memory_alloc(PART_BYTES);
    enum zv_status status = host != NULL ? ZV_OK : zv_fail_memory(err, "an export");
    for (uint32_t i = 0; i < 2 * lab->condition.depth && status == ZV_OK; i++) {
        const struct lab_tensor *const values = &lab->values[i];
        for (uint64_t at = 0; at < values->bytes && status == ZV_OK; at += PART_BYTES) {
            const uint64_t rest = values->bytes - at;
            status = device_copy_out(lab->device, host, values->block.address + at,
                                     rest < PART_BYTES ? rest : PART_BYTES, err);
        }
    }
    zv_memory_free(host);
    return status;
}
