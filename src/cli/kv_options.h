/* zirve kv: its options, read. */
#ifndef ZIRVE_CLI_KV_OPTIONS_H
#define ZIRVE_CLI_KV_OPTIONS_H

#include "cli/options.h"
#include "kv/compare.h"
#include "zirve/arena.h"

enum { KV_OPTION_COUNT = 35, KV_MAX_VALUES = 8, KV_MAX_SCENARIOS = 8, KV_MAX_REPLICAS = 1024 };

/* Of a simulation: a page takes 16 bytes of host memory, with keys 64. */
#define KV_MAX_PAGES (UINT64_C(1) << 26)
extern const struct option_spec kv_options[KV_OPTION_COUNT];

/* A comma-separated list of an option's values; one empty value when it is not given. */
struct kv_values {
    const char *at[KV_MAX_VALUES];
    size_t count;
};

/* What a list of values makes a scenario each of; every one is crossed with the others. */
enum kv_dimension { KV_CACHE_DTYPE, KV_TP, KV_CONTEXT, KV_WINDOW, KV_REPLICAS, KV_DIMENSION_COUNT };

/* The option of a dimension, and the word for it before a value. */
const char *kv_dimension_option(enum kv_dimension dimension);
const char *kv_dimension_word(enum kv_dimension dimension);

struct kv_settings {
    struct zv_kv_input input;
    const char *path; /* of the trace */
    struct count_list blocks;
    bool blocks_given;
    struct kv_values varied[KV_DIMENSION_COUNT];
    enum zv_kv_eviction evictions[KV_MAX_VALUES]; /* of prefix caching */
    size_t eviction_count;
    uint64_t pages; /* by hand; 0: from --model and --card */
    uint64_t max_sequences;
    uint64_t step_tokens;
    uint64_t watermark_pages;
    uint64_t batch;
    uint64_t cache_ids;     /* that prefixes may hold: of 512 tokens … */
    uint64_t cache_bytes;   /* … or so many bytes; both 0: what pages hold */
    enum zv_kv_kind states; /* how recurrent states are kept for prefixes */
    bool with_prefixes;     /* prefix caching where the trace has ids */
    bool without_prefixes;  /* … and without */
    bool paged_only;
    int rules; /* -1: those of the runtime's version; 0 before 2026, 1 after */
    bool searches;
};

/* Errors: ZV_E_USAGE. */
enum zv_status kv_settings_of(struct kv_settings *to, const struct arguments *args,
                              struct zv_arena *arena, struct zv_error *err);

/* Scenarios: the product of the lists; values[] are those of one of them. */
size_t kv_scenario_count(const struct kv_settings *settings);
void kv_scenario_values(const struct kv_settings *settings, size_t index,
                        const char *values[KV_DIMENSION_COUNT]);

/* Tokens of --window: 0 for "none". False for anything else that is no count. */
bool kv_window_parse(const char *value, uint64_t *tokens);

/* Arguments for zirve estimate: what this verb shares with it, with one value of each list. */
enum zv_status kv_estimate_arguments(struct arguments *to, const struct arguments *args,
                                     const char *const values[KV_DIMENSION_COUNT],
                                     struct zv_error *err);

#endif
