/* What a recorded run tells: verdict, instant, who held it. Text and JSON ("zirve.explain/1"). */
#ifndef ZIRVE_REPORT_REPORT_EXPLAIN_H
#define ZIRVE_REPORT_REPORT_EXPLAIN_H

#include <stddef.h>

#include "base/stream.h"
#include "explain/against.h"
#include "explain/cause.h"
#include "explain/difference.h"
#include "explain/engine_message.h"
#include "explain/groups.h"
#include "explain/habits.h"
#include "explain/heap.h"
#include "explain/heap_parts.h"
#include "explain/oom_message.h"
#include "explain/record.h"
#include "format/json_writer.h"
#include "report/style.h"

struct report_groups {
    const char *by; /* one of zv_group_words */
    struct zv_groups groups;
};

struct report_explain {
    const struct zv_record *record;
    const struct zv_cause *verdict;
    const struct zv_heap *cause_heap; /* of the verdict's instant */
    const struct zv_heap *heap;       /* of the instant shown, which may not be the verdict's */
    const struct report_groups *groups;
    size_t group_count;
    const struct zv_groups *holders; /* at the verdict's instant by frame; of a timeline category */
    const struct zv_groups *roles;   /* at the verdict's instant; NULL: not told */
    const struct zv_heap_parts *parts; /* of heap, NULL without one */
    const char *path;                  /* as the user gave it, for what to do next; NULL: nothing */
    size_t top;                        /* rows of a table */
    bool with_segments;
    bool with_habits; /* they are shown too */
};

void report_explain_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_explain *explain);
void report_explain_json(struct zv_sink *sink, const struct report_explain *explain);

/* The first sentences: why memory ran out, or where the peak was; folded, ends the line. */
void report_verdict_text(struct zv_sink *sink, const struct report_style *style,
                         const struct report_explain *explain);

/* "replay: exact 7,946/7,946 ..." or where it left the record, folded. */
void report_proof_text(struct zv_sink *sink, const struct report_style *style,
                       const struct zv_record *record);
/* "recorded", "emulated", "calculated": how the events are known, in a sentence. */
const char *report_known_word(enum zv_trace_known known);
/* Members of an open object: how the events are known, and what made them (null: a recorder). */
void report_known_json(struct zv_json_writer *json, const struct zv_trace *trace);
/* Who wrote it, or that it is emulated or calculated and by what; under which settings. */
void report_source_text(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_record *record);
/* Members of an open object: exact, events ... */
void report_proof_json(struct zv_json_writer *json, const struct zv_record *record);

/* What expandable segments do not go together with, each fact with its source. */
void report_caveats_text(struct zv_sink *sink, const struct report_style *style);
void report_caveats_json(struct zv_json_writer *json);

/* Every segment of a heap, fullest last. */
void report_segments_text(struct zv_sink *sink, const struct report_style *style,
                          const struct zv_record *record, const struct zv_heap *heap, size_t top);

void report_difference_text(struct zv_sink *sink, const struct report_style *style,
                            const struct zv_difference *difference, size_t top);
void report_difference_json(struct zv_sink *sink, const struct zv_difference *difference);

/* An estimate beside the record ("zirve.explain_against/1"). */
void report_against_text(struct zv_sink *sink, const struct report_style *style,
                         const struct zv_against *against);
void report_against_json(struct zv_sink *sink, const struct zv_against *against);

/* Over the whole record ("zirve.explain_habits/1"). */
void report_habits_text(struct zv_sink *sink, const struct report_style *style,
                        const struct zv_habits *habits, size_t top);
void report_habits_json(struct zv_sink *sink, const struct zv_habits *habits);

/* An engine's own words ("zirve.explain_engine/1"). */
void report_engine_message_text(struct zv_sink *sink, const struct report_style *style,
                                const struct zv_engine_message *message);
void report_engine_message_json(struct zv_sink *sink, const struct zv_engine_message *message);

/* A pasted message ("zirve.explain_message/1"). */
void report_oom_message_text(struct zv_sink *sink, const struct report_style *style,
                             const struct zv_oom_message *message);
void report_oom_message_json(struct zv_sink *sink, const struct zv_oom_message *message);

#endif
