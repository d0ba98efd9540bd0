#include "kv/request_queue.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

static enum zv_status read_next(struct request_queue *queue, struct zv_error *err)
{
    queue->has_next = false;
    if (queue->read >= queue->limit) {
        return ZV_OK;
    }
    const enum zv_status status =
        queue->source.next(queue->source.context, &queue->next, &queue->has_next, err);
    queue->read += queue->has_next;
    return status;
}

enum zv_status queue_open(struct request_queue *queue, struct zv_request_source source,
                          uint64_t limit, uint32_t running, struct zv_error *err)
{
    *queue = (struct request_queue){.source = source, .limit = limit != 0 ? limit : UINT64_MAX};
    queue->waiting_mask = 63;
    queue->waiting = zv_memory_alloc(64 * sizeof *queue->waiting);
    queue->running_capacity = running;
    queue->running = zv_memory_alloc((size_t)running * sizeof *queue->running);
    if (queue->waiting == NULL || queue->running == NULL) {
        return zv_fail_memory(err, "a queue of requests");
    }
    return read_next(queue, err);
}

void queue_close(struct request_queue *queue)
{
    for (uint32_t i = 0; i < queue->live_count; i++) {
        zv_memory_free(queue->live[i].ids);
        zv_memory_free(queue->live[i].keys);
    }
    zv_memory_free(queue->live);
    zv_memory_free(queue->waiting);
    zv_memory_free(queue->running);
    *queue = (struct request_queue){0};
}

static enum zv_status grow_waiting(struct request_queue *queue, struct zv_error *err)
{
    const uint32_t size = queue->waiting_mask + 1;
    if (queue->waiting_count + queue->running_count < size) { /* those may come back */
        return ZV_OK;
    }
    uint32_t *const waiting =
        size < UINT32_C(1) << 30 ? zv_memory_alloc((size_t)size * 2 * sizeof *waiting) : NULL;
    if (waiting == NULL) {
        return zv_fail_memory(err, "waiting requests");
    }
    for (uint32_t i = 0; i < size; i++) {
        waiting[i] = queue->waiting[(queue->waiting_head + i) & queue->waiting_mask];
    }
    zv_memory_free(queue->waiting);
    queue->waiting = waiting;
    queue->waiting_head = 0;
    queue->waiting_mask = size * 2 - 1;
    return ZV_OK;
}

/* An unused place, whose buffers stay for the next request. */
static enum zv_status new_live(struct request_queue *queue, uint32_t *index, struct zv_error *err)
{
    if (queue->first_unused != 0) {
        *index = queue->first_unused - 1;
        queue->first_unused = queue->live[*index].next_unused;
        return ZV_OK;
    }
    if (queue->live_count == queue->live_capacity) {
        const uint32_t capacity = queue->live_capacity == 0 ? 64 : queue->live_capacity * 2;
        struct live_request *const live =
            capacity < UINT32_C(1) << 30
                ? zv_memory_resize(queue->live, (size_t)capacity * sizeof *live)
                : NULL;
        if (live == NULL) {
            return zv_fail_memory(err, "requests");
        }
        queue->live = live;
        queue->live_capacity = capacity;
    }
    *index = queue->live_count++;
    queue->live[*index] = (struct live_request){0};
    return ZV_OK;
}

/* The source's ids are gone with its next request. */
static enum zv_status copy_ids(struct live_request *live, const struct zv_request *request,
                               struct zv_error *err)
{
    live->request = *request;
    if (request->id_count > live->id_capacity) {
        uint64_t *const ids = zv_memory_resize(live->ids, request->id_count * sizeof *ids);
        if (ids == NULL) {
            return zv_fail_memory(err, "the ids of a request");
        }
        live->ids = ids;
        live->id_capacity = request->id_count;
    }
    if (request->id_count != 0) {
        memcpy(live->ids, request->ids, request->id_count * sizeof *live->ids);
    }
    live->request.ids = live->ids;
    return ZV_OK;
}

enum zv_status queue_skip_next(struct request_queue *queue, struct zv_error *err)
{
    return read_next(queue, err);
}

enum zv_status queue_take_next(struct request_queue *queue, struct zv_error *err)
{
    uint32_t index = 0;
    enum zv_status status = grow_waiting(queue, err);
    if (status == ZV_OK) {
        status = new_live(queue, &index, err);
    }
    if (status == ZV_OK) {
        status = copy_ids(&queue->live[index], &queue->next, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    struct live_request *const live = &queue->live[index];
    live->number = queue->read - 1;
    live->known = live->request.prompt_tokens;
    live->computed = 0;
    live->was_admitted = false;
    live->is_open = false;
    live->has_keys = false;
    queue->waiting[(queue->waiting_head + queue->waiting_count++) & queue->waiting_mask] = index;
    return read_next(queue, err);
}

struct live_request *queue_front(struct request_queue *queue)
{
    return &queue->live[queue->waiting[queue->waiting_head & queue->waiting_mask]];
}

void queue_start_front(struct request_queue *queue)
{
    queue->running[queue->running_count++] =
        queue->waiting[queue->waiting_head++ & queue->waiting_mask];
    queue->waiting_count--;
}

void queue_preempt_last(struct request_queue *queue)
{
    queue->waiting[--queue->waiting_head & queue->waiting_mask] =
        queue->running[--queue->running_count];
    queue->waiting_count++;
}

void queue_drop_done(struct request_queue *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->running_count; i++) {
        const uint32_t index = queue->running[i];
        if (queue->live[index].known != 0) {
            queue->running[kept++] = index;
        } else {
            queue->live[index].next_unused = queue->first_unused;
            queue->first_unused = index + 1;
        }
    }
    queue->running_count = kept;
}
