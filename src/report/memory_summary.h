/* torch.cuda.memory_summary(), byte for byte. */
#ifndef ZIRVE_REPORT_MEMORY_SUMMARY_H
#define ZIRVE_REPORT_MEMORY_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stream.h"
#include "zirve/allocator.h"

void report_memory_summary(struct zv_sink *sink, const struct zv_memory_stats *stats,
                           unsigned device, bool abbreviated);

/* memory_stats(), one "name value" a line. */
void report_memory_stats(struct zv_sink *sink, const struct zv_memory_stats *stats,
                         enum zv_torch_profile profile);

#endif
