#include "kv/waste.h"

#include "base/checked.h"
#include "base/fail.h"

static enum zv_status too_much(struct zv_error *err)
{
    return zv_fail(err, ZV_E_OVERFLOW, "the sums over this trace pass 2^64");
}

/* sum of p .. p+g-1: a request's slots over its decode steps. Lengths are below 2^25. */
static uint64_t used_time(const struct zv_request *request)
{
    const uint64_t g = request->output_tokens;
    return g * request->prompt_tokens + g * (g - 1) / 2;
}

/* sum over x = 1 .. n of ceil(x / b) */
static uint64_t sum_of_ceilings(uint64_t n, uint64_t b)
{
    const uint64_t q = n / b;
    return b * (q * (q + 1) / 2) + n % b * (q + 1);
}

struct paged_sums {
    uint64_t requests;
    uint64_t slots;
    uint64_t pages;
    uint64_t max_pages;
    uint64_t used;
    uint64_t allocated;
};

static bool add_paged(struct paged_sums *sums, const struct zv_request *request, uint64_t block)
{
    const uint64_t slots = request_slots(request);
    const uint64_t pages = zv_ceil_div(slots, block);
    uint64_t held = sum_of_ceilings(slots, block);
    held -= sum_of_ceilings(request->prompt_tokens - 1, block);
    sums->requests++;
    sums->max_pages = pages > sums->max_pages ? pages : sums->max_pages;
    return zv_add(sums->slots, slots, &sums->slots) && zv_add(sums->pages, pages, &sums->pages) &&
           zv_add(sums->used, used_time(request), &sums->used) && zv_mul(held, block, &held) &&
           zv_add(sums->allocated, held, &sums->allocated);
}

enum zv_status kv_waste_paged(struct kv_figures *to, struct zv_request_source source,
                              uint64_t block, struct zv_error *err)
{
    struct paged_sums sums = {0};
    struct zv_request request;
    uint64_t reserved = 0;
    bool more = true;
    *to = (struct kv_figures){0};
    if (block == 0) {
        return zv_fail(err, ZV_E_USAGE, "pages of 0 tokens");
    }
    for (;;) {
        const enum zv_status status = source.next(source.context, &request, &more, err);
        if (status != ZV_OK) {
            return status;
        }
        if (!more) {
            break;
        }
        if (!add_paged(&sums, &request, block)) {
            return too_much(err);
        }
    }
    if (!zv_mul(sums.pages, block, &reserved)) {
        return too_much(err);
    }
    kv_figures_add(to, "requests", sums.requests);
    kv_figures_add(to, "slots", sums.slots);
    kv_figures_add(to, "pages", sums.pages);
    kv_figures_add(to, "tail_waste", reserved - sums.slots);
    kv_figures_add(to, "max_pages", sums.max_pages);
    kv_figures_add(to, "used_time", sums.used);
    kv_figures_add(to, "alloc_time", sums.allocated);
    kv_figures_add(to, "waste_time", sums.allocated - sums.used);
    return ZV_OK;
}

struct contiguous_sums {
    uint64_t requests;
    uint64_t rejected;
    uint64_t slots;
    uint64_t reserved;
    uint64_t used;
    uint64_t future;
    uint64_t never;
};

static bool add_contiguous(struct contiguous_sums *sums, const struct zv_request *request,
                           const struct kv_reservation *how)
{
    const uint64_t slots = request_slots(request);
    const uint64_t reserved = reserved_slots(how, request);
    uint64_t never = 0;
    sums->requests++;
    if (reserved < slots) {
        sums->rejected++;
        return true;
    }
    const uint64_t used = used_time(request);
    return zv_add(sums->slots, slots, &sums->slots) &&
           zv_add(sums->reserved, reserved, &sums->reserved) &&
           zv_add(sums->used, used, &sums->used) &&
           zv_add(sums->future, request->output_tokens * slots - used, &sums->future) &&
           zv_mul(request->output_tokens, reserved - slots, &never) &&
           zv_add(sums->never, never, &sums->never);
}

enum zv_status kv_waste_contiguous(struct kv_figures *to, struct zv_request_source source,
                                   const struct kv_reservation *how, struct zv_error *err)
{
    struct contiguous_sums sums = {0};
    struct zv_request request;
    bool more = true;
    *to = (struct kv_figures){0};
    for (;;) {
        const enum zv_status status = source.next(source.context, &request, &more, err);
        if (status != ZV_OK) {
            return status;
        }
        if (!more) {
            break;
        }
        if (!add_contiguous(&sums, &request, how)) {
            return too_much(err);
        }
    }
    kv_figures_add(to, "requests", sums.requests);
    kv_figures_add(to, "rejected", sums.rejected);
    kv_figures_add(to, "slots", sums.slots);
    kv_figures_add(to, "reserved", sums.reserved);
    kv_figures_add(to, "tail_waste", sums.reserved - sums.slots);
    kv_figures_add(to, "used_time", sums.used);
    kv_figures_add(to, "future_time", sums.future);
    kv_figures_add(to, "never_time", sums.never);
    return ZV_OK;
}

/* One batch: a sum that does not fit is found by whoever adds it up. */
struct batch {
    uint64_t size;
    uint64_t prompt;
    uint64_t output;
};

static bool close_batch(struct batch *batch, uint64_t requests, uint64_t *steps, uint64_t *slots)
{
    uint64_t all = 0;
    const bool fits = zv_mul(requests, batch->prompt + batch->output, &all) &&
                      zv_add(*slots, all, slots) && zv_add(*steps, batch->output, steps);
    *batch = (struct batch){0};
    return fits;
}

enum zv_status kv_waste_static(struct kv_figures *to, struct zv_request_source source,
                               uint64_t batch, struct zv_error *err)
{
    struct batch open = {0};
    struct zv_request request;
    uint64_t requests = 0;
    uint64_t steps = 0;
    uint64_t allocated = 0;
    uint64_t slots = 0;
    bool more = true;
    *to = (struct kv_figures){0};
    if (batch == 0) {
        return zv_fail(err, ZV_E_USAGE, "batches of 0 requests");
    }
    while (more) {
        const enum zv_status status = source.next(source.context, &request, &more, err);
        if (status != ZV_OK) {
            return status;
        }
        if (more) {
            requests++;
            open.size++;
            open.prompt = request.prompt_tokens > open.prompt ? request.prompt_tokens : open.prompt;
            open.output = request.output_tokens > open.output ? request.output_tokens : open.output;
            slots += request_slots(&request);
        }
        if (open.size == batch || (!more && open.size != 0)) {
            if (!close_batch(&open, batch, &steps, &allocated)) {
                return too_much(err);
            }
        }
    }
    kv_figures_add(to, "requests", requests);
    kv_figures_add(to, "batches", zv_ceil_div(requests, batch));
    kv_figures_add(to, "decode_steps", steps);
    kv_figures_add(to, "alloc", allocated);
    kv_figures_add(to, "slots", slots);
    kv_figures_add(to, "waste", allocated - slots);
    return ZV_OK;
}

enum zv_status kv_fit(struct kv_figures *to, struct zv_request_source source, uint64_t slots,
                      uint64_t block, const struct kv_reservation *how, struct zv_error *err)
{
    uint64_t left = block != 0 ? slots / block : slots;
    uint64_t count = 0;
    *to = (struct kv_figures){0};
    for (;;) {
        struct zv_request request;
        bool more;
        const enum zv_status status = source.next(source.context, &request, &more, err);
        if (status != ZV_OK) {
            return status;
        }
        const uint64_t need = !more        ? 0
                              : block != 0 ? zv_ceil_div(request_slots(&request), block)
                                           : reserved_slots(how, &request);
        if (!more || need > left) {
            break;
        }
        left -= need;
        count++;
    }
    kv_figures_add(to, "fit", count);
    kv_figures_add(to, "left", left);
    return ZV_OK;
}
