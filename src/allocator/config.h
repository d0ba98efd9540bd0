/*
 * PYTORCH_ALLOC_CONF: what the string says, read as the PyTorch of a profile reads it, quirks
 * included (docs/ALLOCATOR.md lists them with their source).
 */
#ifndef ZIRVE_ALLOCATOR_CONFIG_H
#define ZIRVE_ALLOCATOR_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "zirve/allocator.h"

enum { CONFIG_DIVISIONS = 16 }; /* entry i: sizes from 2^(20+i) bytes on, below the next */

struct allocator_config {
    enum zv_torch_profile profile;
    bool backend_async;
    bool expandable_segments;
    bool throw_on_oom;
    uint64_t max_split_bytes;              /* UINT64_MAX: unlimited */
    uint64_t max_non_split_rounding_bytes; /* slack of a block that is not split */
    uint64_t large_segment_bytes;          /* 20 MiB unless configured */
    double gc_threshold;                   /* 0: off */
    double fraction;                       /* per_process_memory_fraction; 1: no limit */
    bool rounds_to_divisions;              /* some of divisions is above 1 */
    uint64_t divisions[CONFIG_DIVISIONS];  /* of roundup_power2_divisions */
};

/* What holds before anything was configured. */
void allocator_config_init(struct allocator_config *config, enum zv_torch_profile profile);

/*
 * Reads text over config: keys that every parse resets are reset, others keep their value. On
 * failure config is unchanged. Errors: ZV_E_SYNTAX with the key and the accepted form.
 */
enum zv_status allocator_config_parse(struct allocator_config *config, struct zv_slice text,
                                      struct zv_error *err);

#endif
