/* zirve kv: its options, read. */
#ifndef ZIRVE_CLI_KV_OPTIONS_H
#define ZIRVE_CLI_KV_OPTIONS_H

#include "cli/options.h"
#include "kv/compare.h"
#include "zirve/arena.h"

enum { KV_OPTION_COUNT = 31, KV_MAX_VALUES = 8, KV_MAX_SCENARIOS = 8 };

/* Of a simulation: a page takes 16 bytes of host memory, with keys 64. */
#define KV_MAX_PAGES (UINT64_C(1) << 26)
extern const struct option_spec kv_options[KV_OPTION_COUNT];

/* A comma-separated list of an option's values; one empty value when it is not given. */
struct kv_values {
    const char *at[KV_MAX_VALUES];
    size_t count;
};

struct kv_settings {
    struct zv_kv_input input;
    const char *path; /* of the trace */
    struct count_list blocks;
    struct kv_values kv_dtypes;
    struct kv_values tps;
    struct kv_values contexts;
    uint64_t pages; /* by hand; 0: from --model and --card */
    uint64_t max_sequences;
    uint64_t step_tokens;
    uint64_t watermark_pages;
    uint64_t batch;
    uint64_t cache_ids;
    bool with_prefixes;    /* prefix caching where the trace has ids */
    bool without_prefixes; /* … and without */
    bool paged_only;
    int rules; /* -1: those of the runtime's version; 0 before 2026, 1 after */
    bool searches;
};

/* Errors: ZV_E_USAGE. */
enum zv_status kv_settings_of(struct kv_settings *to, const struct arguments *args,
                              struct zv_arena *arena, struct zv_error *err);

/* Arguments for zirve estimate: what this verb shares with it, with one value of each list. */
enum zv_status kv_estimate_arguments(struct arguments *to, const struct arguments *args,
                                     const char *kv_dtype, const char *tp, const char *context,
                                     struct zv_error *err);

#endif
