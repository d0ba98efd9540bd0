/*
 * Any bytes as a memory snapshot: what is read is consistent (blocks fill their segments), the
 * state before the history can be found, and the replay ends.
 */
#include <stdlib.h>

#include "allocator/config.h"
#include "allocator/trace_replay.h"
#include "trace/snapshot.h"

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_segments(const struct zv_trace *trace)
{
    for (size_t i = 0; i < trace->segment_count; i++) {
        const struct zv_trace_segment *const segment = &trace->segments[i];
        uint64_t end = segment->address;
        must(segment->block_count <= trace->block_count);
        for (uint32_t j = 0; j < segment->block_count; j++) {
            const struct zv_trace_block *const block = &trace->blocks[segment->first_block + j];
            must(block->address == end && block->stack < trace->stack_count);
            end += block->bytes;
        }
        must(end == segment->address + segment->bytes);
    }
}

static void replay(const struct zv_trace *trace, size_t device)
{
    struct allocator_config config;
    struct zv_trace_rules rules;
    struct zv_trace_start start;
    struct zv_trace_replay result;
    const enum zv_torch_profile profile = zv_trace_profile(trace);
    const char *const conf = zv_trace_text(trace, trace->settings.conf).at;
    if (zv_trace_rules(&rules, &config, profile, conf, NULL) != ZV_OK) {
        return;
    }
    must(zv_trace_start(&start, trace, device, &rules, NULL) == ZV_OK);
    const struct zv_trace_replay_options options = {.profile = profile, .conf = conf};
    const enum zv_status status = zv_trace_replay(&result, trace, device, &start, &options, NULL);
    must(status == ZV_OK || status == ZV_E_LIMIT);
    must(result.events <= result.total_events && result.exact == (result.why == NULL));
    zv_trace_start_close(&start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zv_trace trace = {0};
    struct zv_error err = {0};
    const enum zv_status status =
        zv_snapshot_read(&trace, (struct zv_slice){(const char *)data, size}, &err);
    must(status == err.status);
    must(status == ZV_OK || (err.has_offset && err.offset <= size));
    if (status == ZV_OK) {
        check_segments(&trace);
        for (size_t i = 0; i < trace.device_count; i++) {
            replay(&trace, i);
        }
    }
    zv_trace_close(&trace);
    return 0;
}
