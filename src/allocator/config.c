#include "allocator/config.h"

#include "allocator/config_tokens.h"
#include "base/fail.h"

#define MIB (UINT64_C(1) << 20)

enum { DEFAULT_LARGE_SEGMENT_MB = 20 };

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* MiB as bytes, without overflow. */
static uint64_t mib(uint64_t value)
{
    return (value < UINT64_MAX / MIB ? value : UINT64_MAX / MIB) * MIB;
}

/* max_split_size_mb and max_non_split_rounding_mb. 2.6: above 20; later: a large segment or more.
 */
static enum zv_status parse_limit(struct config_tokens *tokens, const char *key,
                                  uint64_t floor_bytes, uint64_t *to, struct zv_error *err)
{
    uint64_t value = 0;
    const enum zv_status status = config_parse_integer(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    if (config_is_new(tokens) ? mib(value) < floor_bytes : value <= DEFAULT_LARGE_SEGMENT_MB) {
        return config_wrong(err, key,
                            config_is_new(tokens) ? "MB, at least large_segment_size_mb (20)"
                                                  : "MB, above 20");
    }
    *to = mib(value);
    return ZV_OK;
}

/* Entry of a size in MB: log2, at most the last one. */
static size_t division_entry(uint64_t size_mb)
{
    const size_t entry = 63 - (size_t)__builtin_clzll(size_mb);
    return entry < CONFIG_DIVISIONS ? entry : CONFIG_DIVISIONS - 1;
}

static void fill(struct allocator_config *config, size_t from, size_t to, uint64_t divisions)
{
    for (size_t i = from; i < to; i++) {
        config->divisions[i] = divisions;
    }
}

/* One "size:divisions" of the list; *last is the entry set last, SIZE_MAX before the first. */
static enum zv_status parse_division(struct config_tokens *tokens, struct allocator_config *config,
                                     const char *key, size_t *last, struct zv_error *err)
{
    const struct zv_slice size = tokens->token[tokens->at++];
    uint64_t divisions = 0;
    uint64_t size_mb = 0;
    const enum zv_status status = config_parse_integer(tokens, key, &divisions, err);
    if (status != ZV_OK) {
        return status;
    }
    if (divisions != 0 && !is_power_of_two(divisions)) {
        return config_wrong(err, key, "0 or a power of two after ':'");
    }
    if (zv_slice_equal(size, ">")) {
        const size_t from = *last == SIZE_MAX ? 0 : *last + config_is_new(tokens);
        fill(config, from, CONFIG_DIVISIONS, divisions);
        return ZV_OK;
    }
    if (!config_integer(tokens, size, &size_mb) || !is_power_of_two(size_mb)) {
        return config_wrong(err, key, "a size in MB that is a power of two, or '>'");
    }
    const size_t entry = division_entry(size_mb);
    if (*last == SIZE_MAX) {
        fill(config, 0, entry, divisions);
    }
    config->divisions[entry] = divisions;
    *last = entry;
    return ZV_OK;
}

static enum zv_status parse_divisions(struct config_tokens *tokens, struct allocator_config *config,
                                      const char *key, struct zv_error *err)
{
    struct zv_slice value = {0};
    enum zv_status status = config_next(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    if (!zv_slice_equal(value, "[")) {
        uint64_t divisions;
        if (!config_integer(tokens, value, &divisions) || !is_power_of_two(divisions)) {
            return config_wrong(err, key, "a power of two or a list [size:divisions,...]");
        }
        fill(config, 0, CONFIG_DIVISIONS, divisions);
        return ZV_OK;
    }
    size_t last = SIZE_MAX;
    while (tokens->at < tokens->count && !zv_slice_equal(tokens->token[tokens->at], "]")) {
        status = parse_division(tokens, config, key, &last, err);
        if (status == ZV_OK && tokens->at < tokens->count &&
            !zv_slice_equal(tokens->token[tokens->at], "]")) {
            status = config_expect(tokens, ",", key, err);
        }
        if (status != ZV_OK) {
            return status;
        }
    }
    return config_expect(tokens, "]", key, err);
}

static enum zv_status parse_gc(struct config_tokens *tokens, struct allocator_config *config,
                               const char *key, struct zv_error *err)
{
    double value = 0;
    const enum zv_status status = config_parse_real(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    if (!(value > 0 && value < 1)) {
        return config_wrong(err, key, "a number above 0 and below 1");
    }
    config->gc_threshold = value;
    return ZV_OK;
}

static enum zv_status parse_fraction(struct config_tokens *tokens, struct allocator_config *config,
                                     const char *key, struct zv_error *err)
{
    double value = 0;
    const enum zv_status status = config_parse_real(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    if (!(value >= 0 && value <= 1)) {
        return config_wrong(err, key, "a number from 0 to 1");
    }
    config->fraction = value;
    return ZV_OK;
}

static enum zv_status parse_backend(struct config_tokens *tokens, struct allocator_config *config,
                                    const char *key, struct zv_error *err)
{
    struct zv_slice value = {0};
    const enum zv_status status = config_next(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    config->backend_async = zv_slice_equal(value, "cudaMallocAsync");
    return config->backend_async || zv_slice_equal(value, "native")
               ? ZV_OK
               : config_wrong(err, key, "native or cudaMallocAsync");
}

/* Keys that are read and checked but move no device memory. */
static enum zv_status parse_threads(struct config_tokens *tokens, struct allocator_config *config,
                                    const char *key, struct zv_error *err)
{
    (void)config;
    uint64_t value = 0;
    const enum zv_status status = config_parse_integer(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    return is_power_of_two(value) && value <= 128
               ? ZV_OK
               : config_wrong(err, key, "a power of two up to 128");
}

static enum zv_status parse_host_size(struct config_tokens *tokens, struct allocator_config *config,
                                      const char *key, struct zv_error *err)
{
    (void)config;
    uint64_t value = 0;
    return config_parse_integer(tokens, key, &value, err);
}

static enum zv_status parse_other_bool(struct config_tokens *tokens,
                                       struct allocator_config *config, const char *key,
                                       struct zv_error *err)
{
    (void)config;
    bool value;
    return config_parse_bool(tokens, key, &value, err);
}

static enum zv_status parse_max_split(struct config_tokens *tokens, struct allocator_config *config,
                                      const char *key, struct zv_error *err)
{
    return parse_limit(tokens, key, config->large_segment_bytes, &config->max_split_bytes, err);
}

static enum zv_status parse_rounding(struct config_tokens *tokens, struct allocator_config *config,
                                     const char *key, struct zv_error *err)
{
    return parse_limit(tokens, key, config->large_segment_bytes,
                       &config->max_non_split_rounding_bytes, err);
}

static enum zv_status parse_expandable(struct config_tokens *tokens,
                                       struct allocator_config *config, const char *key,
                                       struct zv_error *err)
{
    return config_parse_bool(tokens, key, &config->expandable_segments, err);
}

static enum zv_status parse_throw(struct config_tokens *tokens, struct allocator_config *config,
                                  const char *key, struct zv_error *err)
{
    return config_parse_bool(tokens, key, &config->throw_on_oom, err);
}

/* Read before all other keys, wherever it stands. */
static enum zv_status parse_large_segment(struct config_tokens *tokens,
                                          struct allocator_config *config, const char *key,
                                          struct zv_error *err)
{
    uint64_t value = 0;
    const enum zv_status status = config_parse_integer(tokens, key, &value, err);
    if (status != ZV_OK) {
        return status;
    }
    if (value <= 10 || value > UINT32_MAX) {
        return config_wrong(err, key, "MB, above 10");
    }
    config->large_segment_bytes = mib(value);
    return ZV_OK;
}

struct key {
    const char *name;
    enum zv_status (*parse)(struct config_tokens *tokens, struct allocator_config *config,
                            const char *key, struct zv_error *err);
    bool only_new;
};

static const struct key keys[] = {
    {"backend", parse_backend, false},
    {"max_split_size_mb", parse_max_split, false},
    {"max_non_split_rounding_mb", parse_rounding, false},
    {"garbage_collection_threshold", parse_gc, false},
    {"roundup_power2_divisions", parse_divisions, false},
    {"expandable_segments", parse_expandable, false},
    {"release_lock_on_cudamalloc", parse_other_bool, false},
    {"release_lock_on_hipmalloc", parse_other_bool, false},
    {"pinned_use_cuda_host_register", parse_other_bool, false},
    {"pinned_use_hip_host_register", parse_other_bool, false},
    {"pinned_num_register_threads", parse_threads, false},
    {"pinned_use_background_threads", parse_other_bool, false},
    {"pinned_reserve_segment_size_mb", parse_host_size, true},
    {"pinned_free_catch_all", parse_other_bool, true},
    {"pinned_max_round_threshold_mb", parse_host_size, true},
    {"pinned_max_cached_size_mb", parse_host_size, true},
    {"large_segment_size_mb", parse_large_segment, true},
    {"per_process_memory_fraction", parse_fraction, true},
    {"throw_on_cudamalloc_oom", parse_throw, true},
    {"graph_capture_record_stream_reuse", parse_other_bool, true},
};

static const struct key *find_key(const struct config_tokens *tokens, struct zv_slice name)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (zv_slice_equal(name, keys[i].name) && (config_is_new(tokens) || !keys[i].only_new)) {
            return &keys[i];
        }
    }
    return NULL;
}

static enum zv_status parse_pairs(struct config_tokens *tokens, struct allocator_config *config,
                                  struct zv_error *err)
{
    while (tokens->at < tokens->count) {
        const struct zv_slice name = tokens->token[tokens->at++];
        const struct key *const key = find_key(tokens, name);
        if (key == NULL) {
            return zv_fail(err, ZV_E_SYNTAX,
                           "allocator setting %.*s: not known to %s (expected key:value pairs, "
                           "separated by commas)",
                           (int)(name.length < 64 ? name.length : 64), name.at,
                           zv_torch_profile_name(tokens->profile));
        }
        enum zv_status status = key->parse(tokens, config, key->name, err);
        if (status == ZV_OK && tokens->at < tokens->count) {
            status = config_expect(tokens, ",", key->name, err);
        }
        if (status != ZV_OK) {
            return status;
        }
    }
    return ZV_OK;
}

/* The size of large segments decides what other keys may say, so it is looked for first. */
static enum zv_status parse_first(struct config_tokens *tokens, struct allocator_config *config,
                                  struct zv_error *err)
{
    enum zv_status status = ZV_OK;
    for (size_t i = 0; config_is_new(tokens) && i < tokens->count && status == ZV_OK; i++) {
        if (zv_slice_equal(tokens->token[i], "large_segment_size_mb")) {
            tokens->at = i + 1;
            status = parse_large_segment(tokens, config, "large_segment_size_mb", err);
        }
    }
    tokens->at = 0;
    return status;
}

void allocator_config_init(struct allocator_config *config, enum zv_torch_profile profile)
{
    *config = (struct allocator_config){
        .profile = profile,
        .max_split_bytes = UINT64_MAX,
        .max_non_split_rounding_bytes = DEFAULT_LARGE_SEGMENT_MB * MIB,
        .large_segment_bytes = DEFAULT_LARGE_SEGMENT_MB * MIB,
        .fraction = 1,
    };
}

enum zv_status allocator_config_parse(struct allocator_config *config, struct zv_slice text,
                                      struct zv_error *err)
{
    struct allocator_config next = *config;
    struct config_tokens tokens = {.profile = config->profile};
    enum zv_status status = config_cut(&tokens, text, err);
    if (status == ZV_OK) {
        status = parse_first(&tokens, &next, err);
    }
    if (status != ZV_OK) {
        return status;
    }
    next.max_split_bytes = UINT64_MAX;
    next.gc_threshold = 0;
    fill(&next, 0, CONFIG_DIVISIONS, 0);
    if (config_is_new(&tokens)) {
        next.max_non_split_rounding_bytes = next.large_segment_bytes;
    }
    status = parse_pairs(&tokens, &next, err);
    next.rounds_to_divisions = false;
    for (size_t i = 0; i < CONFIG_DIVISIONS; i++) {
        next.rounds_to_divisions = next.rounds_to_divisions || next.divisions[i] > 1;
    }
    if (status == ZV_OK) {
        *config = next;
    }
    return status;
}
