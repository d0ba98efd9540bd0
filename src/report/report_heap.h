/* The heap at an instant as text: the parts of what zirve explain shows. */
#ifndef ZIRVE_REPORT_REPORT_HEAP_H
#define ZIRVE_REPORT_REPORT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/heap_parts.h"
#include "report/report_explain.h"

enum { REPORT_SHARE_TEXT = 16, REPORT_INSTANT_TEXT = 160 };

/* " 12.5%", rounded. */
void report_share(char to[REPORT_SHARE_TEXT], uint64_t part, uint64_t whole);

/* "after event 3 of 5, 0.002 s into the record". */
void report_instant(char to[REPORT_INSTANT_TEXT], const struct zv_record *record, size_t event);

/* "0", "0x55d0c4a8", "unknown". */
void report_stream(char *to, size_t size, const struct zv_trace *trace, bool is_known,
                   uint16_t stream);

/* Counters of the whole. */
void report_usage_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_record *record, const struct zv_heap *heap);

/* The same by pool and stream, a row each, at most top. */
void report_parts_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_record *record, const struct zv_heap_parts *parts,
                       size_t top);

/* Who holds it; a stack with where it was called from. */
void report_groups_text(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_record *record, const struct report_groups *one,
                        size_t top);

/* Segments with room that live blocks keep; nothing where little is unused. */
void report_fragmentation_text(struct zv_sink *sink, const struct report_style *style,
                               const struct report_explain *explain);

#endif
