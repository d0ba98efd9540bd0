/*
 * Sums over dimensions, with the buffer of a global reduction: when few outputs each sum many
 * values, the blocks of several multiprocessors share the work and meet in global memory.
 * Source: ATen/native/cuda/Reduce.cuh, setReduceConfig and gpu_reduce_kernel (PyTorch 2.6).
 */
#include <string.h>

#include "step/engine.h"
#include "step/tensor_layout.h"

enum {
    ACCUMULATOR_BYTES = 4, /* fp32, also for 16-bit inputs */
    BLOCK_THREADS = 512,
    WARP = 32,
    INPUT_VECTOR = 4,
    OUTPUT_VECTOR = 4,
    VALUES_PER_THREAD = 16,
    MAX_VALUES_PER_THREAD = 256
};

struct run_of_dims {
    int64_t stride;
    int64_t size;
};

struct loops {
    struct run_of_dims at[STEP_MAX_DIMS];
    uint32_t count;
    int64_t elements;
};

/* The dimensions of one kind from the innermost outwards, neighbours joined where they touch. */
static struct loops loops_of(const struct step_tensor *t, uint32_t dims, bool reduced)
{
    struct loops loops = {.elements = 1};
    for (uint32_t i = 0; i < t->shape.dims; i++) {
        if (((dims >> i & 1) != 0) != reduced || t->shape.size[i] == 1) {
            continue;
        }
        loops.elements *= t->shape.size[i];
        uint32_t at = loops.count++;
        for (; at > 0 && (loops.at[at - 1].stride > t->stride[i] ||
                          (loops.at[at - 1].stride == t->stride[i] &&
                           loops.at[at - 1].size > t->shape.size[i]));
             at--) {
            loops.at[at] = loops.at[at - 1];
        }
        loops.at[at] = (struct run_of_dims){t->stride[i], t->shape.size[i]};
    }
    uint32_t joined = 0;
    for (uint32_t i = 1; i < loops.count; i++) {
        if (loops.at[joined].stride * loops.at[joined].size == loops.at[i].stride) {
            loops.at[joined].size *= loops.at[i].size;
        } else {
            loops.at[++joined] = loops.at[i];
        }
    }
    loops.count = loops.count != 0 ? joined + 1 : 0;
    return loops;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t last_power_of_2(int64_t n)
{
    int64_t power = 1;
    while (power <= n / 2) {
        power *= 2;
    }
    return power;
}

struct block_size {
    int64_t width;
    int64_t height;
};

static struct block_size block_of(int64_t dim0, int64_t dim1, int64_t threads)
{
    const int64_t a = dim0 < threads ? last_power_of_2(dim0) : threads;
    const int64_t b = dim1 < threads ? last_power_of_2(dim1) : threads;
    struct block_size block = {.width = smaller(a, WARP)};
    block.height = smaller(b, threads / block.width);
    block.width = smaller(a, threads / block.height);
    return block;
}

/* How many outputs a thread makes at once: when the innermost dimension is one that stays. */
static int64_t output_vector(const struct loops *reduced, const struct loops *kept)
{
    int64_t vector = OUTPUT_VECTOR;
    while (kept->at[0].size % vector != 0) {
        vector /= 2;
    }
    for (uint32_t i = 0; i < reduced->count + kept->count - 1; i++) {
        const struct run_of_dims *const run =
            i < reduced->count ? &reduced->at[i] : &kept->at[i - reduced->count + 1];
        while (run->stride % vector != 0) {
            vector /= 2;
        }
    }
    return vector;
}

struct scratch {
    int64_t buffer;
    int64_t semaphores;
};

static struct scratch scratch_of(const struct step_engine *e, const struct step_tensor *t,
                                 uint32_t dims)
{
    const struct scratch none = {0, 0};
    const struct loops reduced = loops_of(t, dims, true);
    const struct loops kept = loops_of(t, dims, false);
    const int64_t inputs = reduced.elements;
    const int64_t outputs = kept.elements;
    /* above 2^31 elements the kernel is cut into parts: their scratch is not modelled */
    if (reduced.count == 0 || outputs == 0 || inputs == 0 || inputs > INT32_MAX / outputs) {
        return none;
    }
    const bool inner = kept.count == 0 || reduced.at[0].stride < kept.at[0].stride;
    int64_t dim0 = inner ? inputs : outputs;
    const int64_t dim1 = inner ? outputs : inputs;
    int64_t vector = 1;
    if ((inner ? reduced.at[0].stride : kept.at[0].stride) == 1) {
        if (inner && dim0 > 128 && reduced.count == 1) {
            dim0 /= INPUT_VECTOR;
        } else if (!inner) {
            vector = output_vector(&reduced, &kept);
            dim0 /= vector;
        }
    }
    const int64_t threads = BLOCK_THREADS / vector;
    const struct block_size block = block_of(dim0, dim1, threads);
    int64_t input_step = inner ? block.width : 1;
    int64_t output_step = inner ? 1 : block.width;
    const bool rows =
        up(inputs, input_step) >= smaller(block.height * VALUES_PER_THREAD, MAX_VALUES_PER_THREAD);
    input_step *= rows ? block.height : 1;
    output_step *= rows ? 1 : block.height;
    const int64_t values = up(inputs, input_step);
    const int64_t grid = up(outputs / vector, output_step);
    const int64_t target = (int64_t)e->card.processors *
                           ((int64_t)e->card.threads_per_processor / (block.width * block.height));
    if (!rows || values < MAX_VALUES_PER_THREAD || grid > target) {
        return none;
    }
    const int64_t needed = up(values, MAX_VALUES_PER_THREAD);
    int64_t blocks = smaller(up(target, grid), up(values, VALUES_PER_THREAD));
    blocks = blocks > needed ? blocks : needed;
    if (blocks <= 1) {
        return none;
    }
    const int64_t each = inner ? 1 : block.width * vector;
    return (struct scratch){ACCUMULATOR_BYTES * outputs * blocks * each,
                            (int64_t)sizeof(int32_t) * grid};
}

/* The result is contiguous, whatever is summed: ReduceOpsUtils.h, meta::resize_reduction. */
struct step_tensor *step_sum(struct step_engine *e, const struct step_tensor *t, uint32_t dims,
                             enum zv_dtype dtype)
{
    if (t == NULL || !step_ok(e)) {
        return NULL;
    }
    struct step_shape shape = t->shape;
    for (uint32_t i = 0; i < shape.dims; i++) {
        shape.size[i] = (dims >> i & 1) != 0 ? 1 : shape.size[i];
    }
    struct step_tensor *const sum = step_empty(e, &shape, dtype);
    const struct scratch scratch = scratch_of(e, t, dims);
    if (sum != NULL && scratch.buffer != 0) {
        e->in_kernel = true;
        struct step_storage *const buffer = step_storage_new(e, (uint64_t)scratch.buffer);
        e->in_kernel = false;
        step_scratch(e, (uint64_t)scratch.semaphores);
        step_storage_drop(e, buffer);
    }
    return sum;
}

struct step_tensor *step_sum_to(struct step_engine *e, const struct step_tensor *grad,
                                const struct step_shape *shape)
{
    if (grad->shape.dims < shape->dims) {
        step_fail(e, ZV_E_BUG, "a gradient has fewer dimensions than its tensor");
        return NULL;
    }
    const uint32_t ahead = grad->shape.dims - shape->dims;
    uint32_t dims = (1U << ahead) - 1;
    for (uint32_t i = 0; i < shape->dims; i++) {
        if (shape->size[i] != grad->shape.size[i + ahead]) {
            if (shape->size[i] != 1) {
                step_fail(e, ZV_E_BUG, "a gradient does not fit its tensor");
                return NULL;
            }
            dims |= 1U << (i + ahead);
        }
    }
    struct step_tensor *const sum = step_sum(e, grad, dims, grad->dtype);
    if (sum == NULL || ahead == 0) {
        return sum;
    }
    int64_t stride[STEP_MAX_DIMS] = {0};
    memcpy(stride, sum->stride + ahead, shape->dims * sizeof *stride);
    struct step_tensor *const view = step_grad_view(e, sum, shape, stride);
    step_drop(e, sum);
    return view;
}
