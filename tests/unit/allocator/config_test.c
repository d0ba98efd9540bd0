/* PYTORCH_ALLOC_CONF as each version reads it. */
#include "allocator/config.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

#define MIB (UINT64_C(1) << 20)

/* The settings as one line: split, rounding, segment, gc, fraction, flags, divisions. */
static void describe(const struct allocator_config *config, char to[512])
{
    int used = snprintf(
        to, 512, "split=%lld rounding=%llu segment=%llu gc=%g fraction=%g%s%s%s div=",
        config->max_split_bytes == UINT64_MAX ? -1LL : (long long)(config->max_split_bytes / MIB),
        (unsigned long long)(config->max_non_split_rounding_bytes / MIB),
        (unsigned long long)(config->large_segment_bytes / MIB), config->gc_threshold,
        config->fraction, config->expandable_segments ? " expandable" : "",
        config->backend_async ? " async" : "", config->throw_on_oom ? " throw" : "");
    for (size_t i = 0; i < CONFIG_DIVISIONS; i++) {
        used += snprintf(to + used, 512 - (size_t)used, "%s%llu", i != 0 ? "," : "",
                         (unsigned long long)config->divisions[i]);
    }
}

#define ZERO    "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
#define DEFAULT "split=-1 rounding=20 segment=20 gc=0 fraction=1 div=" ZERO

struct row {
    const char *text;
    const char *old; /* torch-2.6: the settings, or "!" and part of the error */
    const char *new; /* torch-2.14; NULL: the same */
};

static const struct row rows[] = {
    {"", DEFAULT, NULL},
    {"expandable_segments:True",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 expandable div=" ZERO, NULL},
    {" expandable_segments : True ",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 expandable div=" ZERO, NULL},
    {"expandable_segments:\tTrue", "!True or False",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 expandable div=" ZERO},
    {"expandable_segments:true", "!True or False", NULL},
    {"expandable_segments:1", "!True or False", NULL},
    {"expandable_segments", "!':'", NULL},
    {"expandable_segments:", "!a value", NULL},
    {"expandable_segments:False,", DEFAULT, NULL},
    {",expandable_segments:False", "!not known", NULL},
    {"max_split_size_mb:21", "split=21 rounding=20 segment=20 gc=0 fraction=1 div=" ZERO, NULL},
    {"max_split_size_mb:20", "!above 20",
     "split=20 rounding=20 segment=20 gc=0 fraction=1 div=" ZERO},
    {"max_split_size_mb:19", "!above 20", "!at least"},
    {"max_split_size_mb:128abc", "split=128 rounding=20 segment=20 gc=0 fraction=1 div=" ZERO,
     NULL},
    {"max_split_size_mb:abc", "!whole number", NULL},
    /* a negative int becomes a huge size; a huge one does not fit an int */
    {"max_split_size_mb:-1",
     "split=17592186044415 rounding=20 segment=20 gc=0 fraction=1 div=" ZERO, NULL},
    {"max_split_size_mb:3000000000", "!whole number",
     "split=3000000000 rounding=20 segment=20 gc=0 fraction=1 div=" ZERO},
    {"max_split_size_mb;64", "!not known", NULL},
    {"max_split_size_mb,64", "!':'", "split=64 rounding=20 segment=20 gc=0 fraction=1 div=" ZERO},
    {"max_split_size_mb:64:expandable_segments:True", "!','",
     "split=64 rounding=20 segment=20 gc=0 fraction=1 expandable div=" ZERO},
    {"max_non_split_rounding_mb:32", "split=-1 rounding=32 segment=20 gc=0 fraction=1 div=" ZERO,
     NULL},
    {"max_non_split_rounding_mb:20", "!above 20", DEFAULT},
    {"garbage_collection_threshold:0.8",
     "split=-1 rounding=20 segment=20 gc=0.8 fraction=1 div=" ZERO, NULL},
    {"garbage_collection_threshold:0", "!above 0 and below 1", NULL},
    {"garbage_collection_threshold:1", "!above 0 and below 1", NULL},
    {"garbage_collection_threshold:1.0", "!above 0 and below 1", NULL},
    {"garbage_collection_threshold:nan", "!above 0 and below 1", NULL},
    {"roundup_power2_divisions:8",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 div=8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8", NULL},
    {"roundup_power2_divisions:3", "!power of two", NULL},
    {"roundup_power2_divisions:0", "!power of two", NULL},
    {"roundup_power2_divisions:[64:8,256:4,1024:2,>:1]",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 div=8,8,8,8,8,8,8,0,4,0,1,1,1,1,1,1",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 div=8,8,8,8,8,8,8,0,4,0,2,1,1,1,1,1"},
    {"roundup_power2_divisions:[65536:2]",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 div=2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2", NULL},
    {"roundup_power2_divisions:[>:4]",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 div=4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4", NULL},
    {"roundup_power2_divisions:[3:4]", "!power of two", NULL},
    {"roundup_power2_divisions:[4:3]", "!power of two", NULL},
    {"roundup_power2_divisions:[4:0]", DEFAULT, NULL},
    {"roundup_power2_divisions:[4:2", "!']'", NULL},
    {"backend:native", DEFAULT, NULL},
    {"backend:cudaMallocAsync", "split=-1 rounding=20 segment=20 gc=0 fraction=1 async div=" ZERO,
     NULL},
    {"backend:other", "!native or cudaMallocAsync", NULL},
    {"pinned_num_register_threads:8", DEFAULT, NULL},
    {"pinned_num_register_threads:256", "!up to 128", NULL},
    {"pinned_use_cuda_host_register:True,release_lock_on_cudamalloc:True", DEFAULT, NULL},
    {"roundup_bypass_threshold_mb:64", "!not known", NULL},
    {"unknown:1", "!not known", NULL},
    /* keys of later versions */
    {"large_segment_size_mb:40", "!not known",
     "split=-1 rounding=40 segment=40 gc=0 fraction=1 div=" ZERO},
    {"max_split_size_mb:30,large_segment_size_mb:40", "!not known", "!at least"},
    {"max_split_size_mb:40,large_segment_size_mb:40", "!not known",
     "split=40 rounding=40 segment=40 gc=0 fraction=1 div=" ZERO},
    {"large_segment_size_mb:10", "!not known", "!above 10"},
    {"per_process_memory_fraction:0.5", "!not known",
     "split=-1 rounding=20 segment=20 gc=0 fraction=0.5 div=" ZERO},
    {"per_process_memory_fraction:1.5", "!not known", "!from 0 to 1"},
    {"throw_on_cudamalloc_oom:True", "!not known",
     "split=-1 rounding=20 segment=20 gc=0 fraction=1 throw div=" ZERO},
    {"pinned_max_cached_size_mb:64,graph_capture_record_stream_reuse:True", "!not known", DEFAULT},
};

static void test_each_text_in_each_version(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int profile = 0; profile < ZV_TORCH_COUNT; profile++) {
            const char *const want =
                profile == ZV_TORCH_2_6 || rows[i].new == NULL ? rows[i].old : rows[i].new;
            struct allocator_config config;
            struct zv_error err = {0};
            char got[512];
            allocator_config_init(&config, (enum zv_torch_profile)profile);
            const enum zv_status status =
                allocator_config_parse(&config, zv_slice_of(rows[i].text), &err);
            describe(&config, got);
            if (want[0] == '!') {
                if (status != ZV_E_SYNTAX || strstr(err.text, want + 1) == NULL) {
                    fail_msg("%s (%d): %s", rows[i].text, profile, err.text);
                }
                assert_string_equal(got, DEFAULT); /* unchanged */
            } else if (status != ZV_OK || strcmp(got, want) != 0) {
                fail_msg("%s (%d):\n  got  %s %s\n  want %s", rows[i].text, profile, got, err.text,
                         want);
            }
        }
    }
}

/* A second parse resets split limit, divisions and threshold; later versions the rounding too. */
static void test_what_a_parse_resets(void **state)
{
    (void)state;
    for (int profile = 0; profile < ZV_TORCH_COUNT; profile++) {
        struct allocator_config config;
        char got[512];
        allocator_config_init(&config, (enum zv_torch_profile)profile);
        const char *const first =
            "max_split_size_mb:64,max_non_split_rounding_mb:30,expandable_segments:True,"
            "garbage_collection_threshold:0.5,roundup_power2_divisions:4";
        assert_int_equal(allocator_config_parse(&config, zv_slice_of(first), NULL), ZV_OK);
        assert_int_equal(allocator_config_parse(&config, zv_slice_of(""), NULL), ZV_OK);
        describe(&config, got);
        assert_string_equal(
            got, profile == ZV_TORCH_2_6
                     ? "split=-1 rounding=30 segment=20 gc=0 fraction=1 expandable div=" ZERO
                     : "split=-1 rounding=20 segment=20 gc=0 fraction=1 expandable div=" ZERO);
    }
}

static const char *look(void *context, const char *name)
{
    const char *const *const variables = context;
    for (size_t i = 0; variables[i] != NULL; i += 2) {
        if (strcmp(variables[i], name) == 0) {
            return variables[i + 1];
        }
    }
    return NULL;
}

static void test_the_environment(void **state)
{
    (void)state;
    const char *none[] = {NULL};
    const char *new_name[] = {"PYTORCH_ALLOC_CONF", "new", NULL};
    const char *both[] = {"PYTORCH_ALLOC_CONF", "new", "PYTORCH_CUDA_ALLOC_CONF", "old", NULL};
    const char *hip[] = {"PYTORCH_ALLOC_CONF", "new", "PYTORCH_HIP_ALLOC_CONF", "hip", NULL};
    assert_null(zv_alloc_conf_find(ZV_TORCH_2_14, look, none));
    assert_null(zv_alloc_conf_find(ZV_TORCH_2_6, look, new_name));
    assert_string_equal(zv_alloc_conf_find(ZV_TORCH_2_14, look, new_name), "new");
    assert_string_equal(zv_alloc_conf_find(ZV_TORCH_2_14, look, both), "old");
    assert_string_equal(zv_alloc_conf_find(ZV_TORCH_2_6, look, both), "old");
    assert_string_equal(zv_alloc_conf_find(ZV_TORCH_2_14, look, hip), "hip");
    assert_null(zv_alloc_conf_find(ZV_TORCH_2_6, look, hip));
}

static void test_versions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int profile; /* -1: none */
    } versions[] = {{"2.6", ZV_TORCH_2_6},
                    {"PyTorch 2.6.0", ZV_TORCH_2_6},
                    {"torch-2.9.1", ZV_TORCH_2_6},
                    {"v2.10.0", ZV_TORCH_2_14},
                    {"torch-2.14", ZV_TORCH_2_14},
                    {"2.6.0+cu124", ZV_TORCH_2_6},
                    {"3.0", ZV_TORCH_2_14},
                    {"2.0", -1},
                    {"1.13", -1},
                    {"", -1},
                    {"2", -1},
                    {"nightly", -1}};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        enum zv_torch_profile profile = ZV_TORCH_COUNT;
        const bool known = zv_torch_profile_parse(versions[i].text, &profile);
        assert_int_equal(known, versions[i].profile >= 0);
        assert_true(!known || (int)profile == versions[i].profile);
    }
}

static void test_limits_of_the_text(void **state)
{
    (void)state;
    static char text[40000];
    struct allocator_config config;
    allocator_config_init(&config, ZV_TORCH_2_6);
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(allocator_config_parse(&config, zv_slice_of(text), NULL), ZV_E_LIMIT);
    memset(text, ',', sizeof text - 1);
    assert_int_equal(allocator_config_parse(&config, zv_slice_of(text), NULL), ZV_E_LIMIT);
    text[300] = 0;
    memset(text, '9', 300);
    memcpy(text, "max_split_size_mb:", 18);
    assert_int_equal(allocator_config_parse(&config, zv_slice_of(text), NULL), ZV_E_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_text_in_each_version),
        cmocka_unit_test(test_what_a_parse_resets), cmocka_unit_test(test_the_environment),
        cmocka_unit_test(test_versions), cmocka_unit_test(test_limits_of_the_text)};
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
