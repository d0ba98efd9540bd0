#include "base/checked.h"
#include "base/fail.h"
#include "kv/request_queue.h"
#include "kv/serve.h"
#include "kv/slot_arena.h"

struct contiguous {
    const struct kv_serve_options *options;
    struct request_queue queue;
    struct slot_arena arena;

    uint64_t step; /* k */
    uint64_t left;
    uint32_t scheduled;
    uint64_t slots; /* with a token, over running requests */
    uint64_t whole; /* slots they will have used at their end */

    uint64_t rejected, completed, steps, last_step;
    uint64_t peak_running, sum_running, peak_reserved, sum_reserved, sum_free;
    uint64_t sum_slots, sum_future, sum_never;
    uint64_t blocked_steps, external_steps, external_slots;
    uint64_t sum_finish, digest;
    struct kv_occupancy *occupancy;
};

static enum zv_status arrive(struct contiguous *run, struct zv_error *err)
{
    struct request_queue *const queue = &run->queue;
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && queue->has_next &&
           queue->next.arrival_ticks <= run->step * KV_STEP_TICKS) {
        const uint64_t reserved = reserved_slots(&run->options->reservation, &queue->next);
        if (reserved < request_slots(&queue->next) || reserved > run->options->slots) {
            run->rejected++;
            status = queue_skip_next(queue, err);
        } else {
            status = queue_take_next(queue, err);
        }
    }
    return status;
}

static void schedule(struct contiguous *run, struct live_request *live)
{
    uint64_t more = live->known - live->computed;
    more = more < run->left ? more : run->left;
    live->computed += more;
    run->slots += more;
    run->left -= more;
    run->scheduled++;
}

static void run_running(struct contiguous *run)
{
    while (run->scheduled < run->queue.running_count && run->left != 0) {
        schedule(run, queue_running(&run->queue, run->scheduled));
    }
}

static void run_waiting(struct contiguous *run)
{
    struct request_queue *const queue = &run->queue;
    while (queue->waiting_count != 0 && run->left != 0 &&
           queue->running_count < run->options->max_sequences) {
        struct live_request *const live = queue_front(queue);
        live->reserved = reserved_slots(&run->options->reservation, &live->request);
        if (!slot_arena_take(&run->arena, live->reserved, &live->address)) {
            run->blocked_steps++;
            if (run->arena.free >= live->reserved) {
                run->external_steps++;
                run->external_slots += run->arena.free;
            }
            return;
        }
        run->digest = run->digest * 1000003 + live->address;
        run->whole += request_slots(&live->request);
        queue_start_front(queue);
        schedule(run, live);
    }
}

static void measure(struct contiguous *run)
{
    const uint64_t reserved = run->options->slots - run->arena.free;
    const uint64_t running = run->queue.running_count;
    run->steps++;
    run->sum_running += running;
    run->peak_running = running > run->peak_running ? running : run->peak_running;
    run->sum_reserved += reserved;
    run->peak_reserved = reserved > run->peak_reserved ? reserved : run->peak_reserved;
    run->sum_free += run->arena.free;
    run->sum_slots += run->slots;
    run->sum_future += run->whole - run->slots;
    run->sum_never += reserved - run->whole;
    occupancy_add(run->occupancy, &(struct kv_moment){.used = reserved,
                                                      .running = running,
                                                      .waiting = run->queue.waiting_count});
}

static void give_tokens(struct contiguous *run)
{
    bool any_done = false;
    for (uint32_t i = 0; i < run->scheduled; i++) {
        struct live_request *const live = queue_running(&run->queue, i);
        if (live->computed != live->known) {
            continue;
        }
        live->known++;
        if (live->known - live->request.prompt_tokens == live->request.output_tokens) {
            slot_arena_give(&run->arena, live->address, live->reserved);
            run->slots -= live->computed;
            run->whole -= request_slots(&live->request);
            run->completed++;
            run->sum_finish += run->step;
            live->known = 0;
            any_done = true;
        }
    }
    if (any_done) {
        queue_drop_done(&run->queue);
    }
}

static void run_step(struct contiguous *run)
{
    run->left = run->options->step_tokens;
    run->scheduled = 0;
    run_running(run);
    run_waiting(run);
    measure(run);
    give_tokens(run);
    run->last_step = run->step++;
}

static void report(struct kv_figures *to, const struct contiguous *run)
{
    kv_figures_add(to, "requests", run->queue.read);
    kv_figures_add(to, "rejected", run->rejected);
    kv_figures_add(to, "completed", run->completed);
    kv_figures_add(to, "steps", run->steps);
    kv_figures_add(to, "last_step", run->last_step);
    kv_figures_add(to, "peak_running", run->peak_running);
    kv_figures_add(to, "sum_running", run->sum_running);
    kv_figures_add(to, "peak_reserved", run->peak_reserved);
    kv_figures_add(to, "sum_reserved", run->sum_reserved);
    kv_figures_add(to, "sum_slots", run->sum_slots);
    kv_figures_add(to, "sum_future", run->sum_future);
    kv_figures_add(to, "sum_never", run->sum_never);
    kv_figures_add(to, "blocked_steps", run->blocked_steps);
    kv_figures_add(to, "ext_steps", run->external_steps);
    kv_figures_add(to, "ext_slots", run->external_slots);
    kv_figures_add(to, "sum_free", run->sum_free);
    kv_figures_add(to, "sum_finish_step", run->sum_finish);
    kv_figures_add(to, "addr_digest", run->digest);
}

enum zv_status kv_serve_contiguous(struct kv_serve *to, struct zv_request_source source,
                                   const struct kv_serve_options *options, struct zv_error *err)
{
    struct contiguous run = {.options = options, .occupancy = &to->occupancy};
    struct request_queue *const queue = &run.queue;
    *to = (struct kv_serve){0};
    if (options->step_tokens == 0 || options->max_sequences == 0 || options->slots == 0) {
        return zv_fail(err, ZV_E_USAGE, "0 slots, a step of 0 tokens or 0 sequences");
    }
    enum zv_status status = queue_open(queue, source, options->limit, options->max_sequences, err);
    if (status == ZV_OK && !slot_arena_open(&run.arena, options->slots, options->max_sequences)) {
        status = zv_fail_memory(err, "the holes of an arena");
    }
    while (status == ZV_OK) {
        status = arrive(&run, err);
        if (status != ZV_OK) {
            break;
        }
        if (queue->waiting_count != 0 || queue->running_count != 0) {
            run_step(&run);
        } else if (queue->has_next) {
            run.step = zv_ceil_div(queue->next.arrival_ticks, KV_STEP_TICKS);
        } else {
            report(&to->figures, &run);
            break;
        }
    }
    slot_arena_close(&run.arena);
    queue_close(queue);
    return status;
}
