/* torch.cuda.memory_summary(), byte for byte. */
#ifndef ZIRVE_REPORT_MEMORY_SUMMARY_H
#define ZIRVE_REPORT_MEMORY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stream.h"
#include "zirve/allocator.h"

void report_memory_summary(struct zv_sink *sink, const struct zv_memory_stats *stats,
                           unsigned device, bool abbreviated);

/* memory_stats(): calls write for each entry, in order. pools count only in torch-2.14. */
struct report_stats {
    const struct zv_memory_stats *stats;
    enum zv_torch_profile profile;
    const struct zv_pool_stats *pools;
    size_t pool_count;
};
typedef void report_stat_fn(void *context, const struct zv_stat_entry *entry);
void report_each_stat(const struct report_stats *stats, report_stat_fn *write, void *context);

/* memory_stats(), one "name value" a line. */
void report_memory_stats(struct zv_sink *sink, const struct report_stats *stats);

#endif
