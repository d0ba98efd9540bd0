#include "trace/snapshot_write.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "format/pickle_writer.h"

enum { BATCH = 1000 }; /* items between two marks, as Python writes them */

struct writer {
    struct zv_pickle_writer out;
    const struct zv_trace *trace;
    uint32_t *texts; /* memo number + 1, by index */
    uint32_t *frames;
    uint32_t *stacks;
    struct key {
        const char *name;
        uint32_t number; /* + 1 */
    } keys[64];
    size_t key_count;
};

static void put_text(struct writer *writer, uint32_t text)
{
    if (writer->texts[text] != 0) {
        zv_pickle_get(&writer->out, writer->texts[text] - 1);
        return;
    }
    zv_pickle_write_text(&writer->out, zv_trace_text(writer->trace, text));
    writer->texts[text] = zv_pickle_put(&writer->out) + 1;
}

/* A text of the format itself: names are literals, told apart by what they say. */
static void put_word(struct writer *writer, const char *name)
{
    for (size_t i = 0; i < writer->key_count; i++) {
        if (strcmp(writer->keys[i].name, name) == 0) {
            zv_pickle_get(&writer->out, writer->keys[i].number);
            return;
        }
    }
    zv_pickle_write_text(&writer->out, zv_slice_of(name));
    if (writer->key_count < sizeof writer->keys / sizeof writer->keys[0]) {
        writer->keys[writer->key_count++] = (struct key){name, zv_pickle_put(&writer->out)};
    }
}

static void put_number(struct writer *writer, const char *key, uint64_t value)
{
    put_word(writer, key);
    zv_pickle_write_u64(&writer->out, value);
}

static void put_frame(struct writer *writer, uint32_t at)
{
    const struct zv_trace_frame *const frame = &writer->trace->frames[at];
    if (writer->frames[at] != 0) {
        zv_pickle_get(&writer->out, writer->frames[at] - 1);
        return;
    }
    zv_pickle_write_dict(&writer->out);
    writer->frames[at] = zv_pickle_put(&writer->out) + 1;
    zv_pickle_open(&writer->out);
    put_word(writer, "name");
    put_text(writer, frame->name);
    put_word(writer, "filename");
    put_text(writer, frame->file);
    /* 2^64 - 1 stands for "not known" and is more than PyTorch's viewer can read */
    put_number(writer, "line", frame->line == UINT64_MAX ? 0 : frame->line);
    zv_pickle_close_dict(&writer->out);
}

static void put_stack(struct writer *writer, uint32_t at)
{
    put_word(writer, "frames");
    if (at != 0 && writer->stacks[at] != 0) {
        zv_pickle_get(&writer->out, writer->stacks[at] - 1);
        return;
    }
    zv_pickle_write_list(&writer->out);
    if (at == 0) {
        return;
    }
    writer->stacks[at] = zv_pickle_put(&writer->out) + 1;
    zv_pickle_open(&writer->out);
    for (; at != 0; at = writer->trace->stacks[at].outer) {
        put_frame(writer, writer->trace->stacks[at].frame);
    }
    zv_pickle_close_list(&writer->out);
}

static void put_block(struct writer *writer, const struct zv_trace_block *block)
{
    static const char *const states[] = {"inactive", "active_allocated", "active_pending_free"};
    zv_pickle_write_dict(&writer->out);
    zv_pickle_open(&writer->out);
    put_number(writer, "address", block->address);
    put_number(writer, "size", block->bytes);
    put_number(writer, "requested_size", block->requested_bytes);
    put_word(writer, "state");
    put_word(writer, states[block->state]);
    put_stack(writer, block->stack);
    zv_pickle_close_dict(&writer->out);
}

/* Called between two items of a list. */
static void next_item(struct writer *writer, size_t at)
{
    if (at != 0 && at % BATCH == 0) {
        zv_pickle_close_list(&writer->out);
        zv_pickle_open(&writer->out);
    }
}

static void put_segment(struct writer *writer, const struct zv_trace_segment *segment)
{
    const struct zv_trace *const trace = writer->trace;
    const struct zv_trace_pool *const pool = &trace->pools[segment->pool];
    zv_pickle_write_dict(&writer->out);
    zv_pickle_open(&writer->out);
    put_number(writer, "device", segment->device);
    put_number(writer, "address", segment->address);
    put_number(writer, "total_size", segment->bytes);
    put_number(writer, "allocated_size", segment->allocated_bytes);
    put_number(writer, "active_size", segment->active_bytes);
    put_number(writer, "requested_size", segment->requested_bytes);
    put_number(writer, "stream", trace->streams[segment->stream]);
    put_word(writer, "segment_type");
    put_word(writer, segment->is_small ? "small" : "large");
    put_word(writer, "segment_pool_id");
    zv_pickle_write_u64(&writer->out, pool->id[0]);
    zv_pickle_write_u64(&writer->out, pool->id[1]);
    zv_pickle_write_pair(&writer->out);
    put_word(writer, "is_expandable");
    zv_pickle_write_bool(&writer->out, segment->is_expandable);
    put_stack(writer, segment->stack);
    put_word(writer, "blocks");
    zv_pickle_write_list(&writer->out);
    zv_pickle_open(&writer->out);
    for (uint32_t i = 0; i < segment->block_count; i++) {
        next_item(writer, i);
        put_block(writer, &trace->blocks[segment->first_block + i]);
    }
    zv_pickle_close_list(&writer->out);
    zv_pickle_close_dict(&writer->out);
}

static void put_event(struct writer *writer, const struct zv_trace_event *event)
{
    zv_pickle_write_dict(&writer->out);
    zv_pickle_open(&writer->out);
    put_word(writer, "action");
    put_word(writer, zv_trace_action_name((enum zv_trace_action)event->action));
    put_number(writer, event->action == ZV_TRACE_OOM ? "device_free" : "addr", event->address);
    put_number(writer, "size", event->bytes);
    put_number(writer, "stream", writer->trace->streams[event->stream]);
    if (event->time_us != 0) {
        put_number(writer, "time_us", event->time_us);
    }
    put_word(writer, "compile_context");
    put_word(writer, "N/A");
    put_word(writer, "user_metadata");
    put_text(writer, event->context);
    if (event->stack != 0) {
        put_stack(writer, event->stack);
    }
    zv_pickle_close_dict(&writer->out);
}

static void put_annotations(struct writer *writer)
{
    const struct zv_trace *const trace = writer->trace;
    put_word(writer, "external_annotations");
    zv_pickle_write_list(&writer->out);
    zv_pickle_open(&writer->out);
    for (size_t i = 0; i < trace->annotation_count; i++) {
        next_item(writer, i);
        zv_pickle_write_dict(&writer->out);
        zv_pickle_open(&writer->out);
        put_word(writer, "name");
        put_text(writer, trace->annotations[i].name);
        put_word(writer, "stage");
        put_word(writer, trace->annotations[i].is_end ? "END" : "START");
        put_number(writer, "device", trace->annotations[i].device);
        put_number(writer, "time_us", trace->annotations[i].time_us);
        zv_pickle_close_dict(&writer->out);
    }
    zv_pickle_close_list(&writer->out);
}

static void put_settings(struct writer *writer)
{
    const struct zv_trace_settings *const settings = &writer->trace->settings;
    put_word(writer, "allocator_settings");
    zv_pickle_write_dict(&writer->out);
    zv_pickle_open(&writer->out);
    put_word(writer, "PYTORCH_CUDA_ALLOC_CONF");
    put_text(writer, settings->conf);
    put_word(writer, "max_split_size");
    zv_pickle_write_i64(&writer->out,
                        settings->has_max_split ? (int64_t)settings->max_split_bytes : -1);
    put_word(writer, "expandable_segments");
    zv_pickle_write_bool(&writer->out, settings->expandable_segments);
    zv_pickle_close_dict(&writer->out);
}

/* PyTorch's viewer and _memory_viz.py ask for their own keys only. */
static void put_known(struct writer *writer)
{
    put_word(writer, "zirve");
    zv_pickle_write_dict(&writer->out);
    zv_pickle_open(&writer->out);
    put_word(writer, "known");
    put_word(writer, zv_trace_known_name(writer->trace->known));
    put_word(writer, "by");
    put_text(writer, writer->trace->known_by);
    zv_pickle_close_dict(&writer->out);
}

static void put_traces(struct writer *writer)
{
    const struct zv_trace *const trace = writer->trace;
    put_word(writer, "device_traces");
    zv_pickle_write_list(&writer->out);
    zv_pickle_open(&writer->out);
    for (size_t i = 0; i < trace->device_count; i++) {
        zv_pickle_write_list(&writer->out);
        zv_pickle_open(&writer->out);
        for (size_t j = 0; j < trace->devices[i].event_count; j++) {
            next_item(writer, j);
            put_event(writer, &trace->devices[i].events[j]);
        }
        zv_pickle_close_list(&writer->out);
    }
    zv_pickle_close_list(&writer->out);
}

static void put_all(struct writer *writer)
{
    zv_pickle_begin(&writer->out);
    zv_pickle_write_dict(&writer->out);
    zv_pickle_open(&writer->out);
    put_word(writer, "segments");
    zv_pickle_write_list(&writer->out);
    zv_pickle_open(&writer->out);
    for (size_t i = 0; i < writer->trace->segment_count; i++) {
        next_item(writer, i);
        put_segment(writer, &writer->trace->segments[i]);
    }
    zv_pickle_close_list(&writer->out);
    put_traces(writer);
    if (writer->trace->settings.known) {
        put_settings(writer);
    }
    put_annotations(writer);
    if (writer->trace->known != ZV_TRACE_RECORDED) {
        put_known(writer);
    }
    zv_pickle_close_dict(&writer->out);
    zv_pickle_finish(&writer->out);
}

static uint32_t *zeros(size_t count)
{
    uint32_t *const to = zv_memory_alloc(count * sizeof *to);
    if (to != NULL) {
        memset(to, 0, count * sizeof *to);
    }
    return to;
}

enum zv_status zv_snapshot_write(struct zv_sink *sink, const struct zv_trace *trace,
                                 struct zv_error *err)
{
    struct writer writer = {.out = {.sink = sink},
                            .trace = trace,
                            .texts = zeros(trace->text_count),
                            .frames = zeros(trace->frame_count),
                            .stacks = zeros(trace->stack_count)};
    const bool fine = writer.texts != NULL && writer.frames != NULL && writer.stacks != NULL;
    if (fine) {
        put_all(&writer);
    }
    zv_memory_free(writer.texts);
    zv_memory_free(writer.frames);
    zv_memory_free(writer.stacks);
    return fine ? ZV_OK : zv_fail_memory(err, "a snapshot");
}
