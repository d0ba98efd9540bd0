#include "runtime/versions.h"

#include <string.h>

#include "base/data.h"
#include "base/text_table.h"
#include "runtime/version_text.h"
#include "support/test.h"

static const struct {
    enum zv_runtime_kind kind;
    const char *asked;
    enum zv_status status;
    enum zv_version_match match;
    const char *version;
} versions[] = {
    {ZV_RUNTIME_VLLM, "0.19.0", ZV_OK, ZV_VERSION_EXACT, "0.19.0"},
    {ZV_RUNTIME_VLLM, "v0.19.0", ZV_OK, ZV_VERSION_EXACT, "0.19.0"},
    {ZV_RUNTIME_VLLM, "0.19.1", ZV_OK, ZV_VERSION_EXACT, "0.19.1"},
    {ZV_RUNTIME_VLLM, "0.6.4.post1", ZV_OK, ZV_VERSION_EXACT, "0.6.4.post1"},
    {ZV_RUNTIME_VLLM, "0.8.3.dev172", ZV_OK, ZV_VERSION_EXACT, "0.8.3.dev172"},
    {ZV_RUNTIME_VLLM, "0.8.x", ZV_OK, ZV_VERSION_EXACT, "0.8.5"},
    {ZV_RUNTIME_VLLM, "0.8", ZV_OK, ZV_VERSION_EXACT, "0.8.5"},
    {ZV_RUNTIME_VLLM, "", ZV_OK, ZV_VERSION_NEWEST, "0.33.0"},
    {ZV_RUNTIME_VLLM, "latest", ZV_OK, ZV_VERSION_NEWEST, "0.33.0"},
    {ZV_RUNTIME_VLLM, "2026-06", ZV_OK, ZV_VERSION_BY_DATE, "0.21.0"},
    {ZV_RUNTIME_VLLM, "2026-06-05", ZV_OK, ZV_VERSION_BY_DATE, "0.22.1"},
    {ZV_RUNTIME_VLLM, "0.19.9", ZV_E_UNSUPPORTED, 0, NULL},
    {ZV_RUNTIME_VLLM, "9.0.0", ZV_E_UNSUPPORTED, 0, NULL},
    {ZV_RUNTIME_VLLM, "0.0.1", ZV_E_UNSUPPORTED, 0, NULL},
    {ZV_RUNTIME_VLLM, "2019-01", ZV_E_UNSUPPORTED, 0, NULL},
    {ZV_RUNTIME_VLLM, "nineteen", ZV_E_SYNTAX, 0, NULL},
    {ZV_RUNTIME_VLLM, "0.19.0; rm", ZV_E_SYNTAX, 0, NULL},
    {ZV_RUNTIME_VLLM, "b10809", ZV_E_UNSUPPORTED, 0, NULL},
    {ZV_RUNTIME_VLLM, "99999999999999999999.1", ZV_E_SYNTAX, 0, NULL},
    {ZV_RUNTIME_SGLANG, "0.5.17", ZV_OK, ZV_VERSION_EXACT, "0.5.17"},
    {ZV_RUNTIME_SGLANG, "0.5.24", ZV_E_UNSUPPORTED, 0, NULL},
    {ZV_RUNTIME_LLAMACPP, "b10809", ZV_OK, ZV_VERSION_EXACT, "b10809"},
    {ZV_RUNTIME_LLAMACPP, "b8211-a0ed91a44", ZV_OK, ZV_VERSION_EXACT, "b8211"},
    {ZV_RUNTIME_LLAMACPP, "8211", ZV_OK, ZV_VERSION_EXACT, "b8211"},
    {ZV_RUNTIME_LLAMACPP, "v0.3.0", ZV_OK, ZV_VERSION_EXACT, "b10621"},
    {ZV_RUNTIME_LLAMACPP, "b5554", ZV_OK, ZV_VERSION_EXACT, "b5554"},
    {ZV_RUNTIME_LLAMACPP, "2025-05", ZV_OK, ZV_VERSION_BY_DATE, "b5036"},
    {ZV_RUNTIME_LLAMACPP, "b99999", ZV_E_UNSUPPORTED, 0, NULL},
    {ZV_RUNTIME_LLAMACPP, "b1", ZV_E_UNSUPPORTED, 0, NULL},
    {ZV_RUNTIME_TRANSFORMERS, "4.51.3", ZV_OK, ZV_VERSION_EXACT, "4.51.3"},
    {ZV_RUNTIME_TRANSFORMERS, "5.0.0", ZV_OK, ZV_VERSION_EXACT, "5.0.0"},
    {ZV_RUNTIME_NONE, "whatever", ZV_OK, ZV_VERSION_EXACT, ""},
};

static void test_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_runtime_rules rules;
        const enum zv_status status = zv_runtime_resolve(
            &rules, versions[i].kind, zv_slice_of(versions[i].asked), false, &arena, &err);
        if (status != versions[i].status) {
            fail_msg("%s: status %d, %s", versions[i].asked, status, err.text);
        }
        if (status == ZV_OK) {
            assert_string_equal(rules.version, versions[i].version);
            assert_int_equal(rules.match, versions[i].match);
        } else {
            assert_int_not_equal(err.text[0], 0);
        }
        zv_arena_free(&arena);
    }
}

static void test_unknown_names_the_nearest(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_runtime_rules rules;
    (void)zv_runtime_resolve(&rules, ZV_RUNTIME_VLLM, zv_slice_of("0.19.9"), false, &arena, &err);
    assert_non_null(strstr(err.text, "0.19.1"));
    assert_non_null(strstr(err.text, "0.20.2"));
    err = (struct zv_error){0};
    assert_int_equal(
        zv_runtime_resolve(&rules, ZV_RUNTIME_VLLM, zv_slice_of("0.19.9"), true, &arena, &err),
        ZV_OK);
    assert_int_equal(rules.match, ZV_VERSION_ASSUMED);
    assert_string_equal(rules.version, "0.19.1");
    assert_non_null(strstr(rules.note, "assumed"));
    zv_arena_free(&arena);
}

static const struct {
    enum zv_runtime_kind kind;
    const char *version;
    size_t rule; /* offset in struct zv_runtime_rules */
    bool known;
    uint64_t value;
} rules_at[] = {
#define RULE(name) offsetof(struct zv_runtime_rules, name)
    {ZV_RUNTIME_VLLM, "0.20.2", RULE(memory_fraction), true, 900000},
    {ZV_RUNTIME_VLLM, "0.21.0", RULE(memory_fraction), true, 920000},
    {ZV_RUNTIME_VLLM, "0.20.0", RULE(graphs_subtracted), true, 0},
    {ZV_RUNTIME_VLLM, "0.21.0", RULE(graphs_subtracted), true, 1},
    {ZV_RUNTIME_VLLM, "0.6.4.post1", RULE(swap_default_bytes), true, UINT64_C(4) << 30},
    {ZV_RUNTIME_VLLM, "0.19.0", RULE(token_form), true, 1},
    {ZV_RUNTIME_VLLM, "", RULE(token_form), true, 2},
    {ZV_RUNTIME_VLLM, "0.19.0", RULE(mla_form), false, 0},
    {ZV_RUNTIME_VLLM, "2026-05", RULE(token_form), true, 1},
    {ZV_RUNTIME_LLAMACPP, "b5553", RULE(iswa_batch), true, 1},
    {ZV_RUNTIME_LLAMACPP, "b5554", RULE(iswa_batch), true, 0},
    {ZV_RUNTIME_LLAMACPP, "b5912", RULE(kv_unified_explicit), true, 1},
    {ZV_RUNTIME_LLAMACPP, "b5913", RULE(kv_unified_explicit), true, 0},
    {ZV_RUNTIME_LLAMACPP, "2025-05", RULE(mla_form), true, 1},
    {ZV_RUNTIME_LLAMACPP, "2025-04-14", RULE(mla_form), true, 0},
    {ZV_RUNTIME_LLAMACPP, "b8211-a0ed91a44", RULE(mla_form), true, 2},
    {ZV_RUNTIME_LLAMACPP, "b10809", RULE(context_multiple), true, 256},
    {ZV_RUNTIME_LLAMACPP, "b10809", RULE(slots_default), true, 4},
    {ZV_RUNTIME_LLAMACPP, "b10809", RULE(gpu_layers_default), true, ZV_JOB_ALL_LAYERS},
    {ZV_RUNTIME_LLAMACPP, "2025-10-01", RULE(gpu_layers_default), false, 0},
    {ZV_RUNTIME_IK_LLAMACPP, "3673", RULE(iswa_cache), true, 0},
    {ZV_RUNTIME_SGLANG, "0.5.17", RULE(fraction_form), true, 2},
    {ZV_RUNTIME_TRANSFORMERS, "4.44.2", RULE(logits_all), true, 1},
    {ZV_RUNTIME_TRANSFORMERS, "4.51.3", RULE(logits_all), true, 0},
#undef RULE
};

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules_at / sizeof rules_at[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_runtime_rules rules;
        assert_int_equal(zv_runtime_resolve(&rules, rules_at[i].kind,
                                            zv_slice_of(rules_at[i].version), false, &arena, NULL),
                         ZV_OK);
        struct zv_rule rule;
        memcpy(&rule, (const char *)&rules + rules_at[i].rule, sizeof rule);
        if (rule.known != rules_at[i].known || (rule.known && rule.value != rules_at[i].value)) {
            fail_msg("row %zu: known %d, value %llu", i, rule.known,
                     (unsigned long long)rule.value);
        }
        assert_true(!rule.known || rule.source[0] != 0);
        zv_arena_free(&arena);
    }
}

/* Rows of one rule come in the order of time, because the last that applies wins. */
static void test_table_is_ordered(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_table table;
    assert_int_equal(zv_table_read(&table, zv_data_find("runtimes.tsv"), &arena, NULL), ZV_OK);
    const int runtime = zv_table_column(&table, "runtime");
    const int entry = zv_table_column(&table, "entry");
    const int date = zv_table_column(&table, "date");
    for (size_t row = 1; row < table.row_count; row++) {
        const struct zv_slice before = zv_table_cell(&table, row - 1, entry);
        const struct zv_slice here = zv_table_cell(&table, row, entry);
        int64_t day = 0;
        int64_t day_before = 0;
        assert_true(zv_table_cell(&table, row, zv_table_column(&table, "source")).length != 0);
        if (before.length == here.length && memcmp(before.at, here.at, here.length) == 0 &&
            zv_table_cell(&table, row, runtime).length ==
                zv_table_cell(&table, row - 1, runtime).length &&
            version_day(zv_table_cell(&table, row, date), &day) &&
            version_day(zv_table_cell(&table, row - 1, date), &day_before)) {
            assert_true(day_before <= day);
        }
    }
    zv_arena_free(&arena);
}

static void test_days(void **state)
{
    (void)state;
    static const char *const days[] = {"1970-01-01", "2000-02-29", "2024-12-31", "2026-09-08"};
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
        int64_t day = 0;
        char text[16];
        assert_true(version_day(zv_slice_of(days[i]), &day));
        version_day_print(text, day);
        assert_string_equal(text, days[i]);
    }
    int64_t day = 0;
    assert_true(version_day(zv_slice_of("1970-01"), &day));
    assert_int_equal(day, 0);
    assert_false(version_day(zv_slice_of("2026-13"), &day));
    assert_false(version_day(zv_slice_of("2026"), &day));
}

static void test_names(void **state)
{
    (void)state;
    enum zv_runtime_kind kind;
    struct zv_slice version;
    assert_true(zv_runtime_parse(zv_slice_of("vLLM@0.19.0"), &kind, &version));
    assert_int_equal(kind, ZV_RUNTIME_VLLM);
    assert_true(zv_slice_equal(version, "0.19.0"));
    assert_true(zv_runtime_parse(zv_slice_of("llamacpp"), &kind, &version));
    assert_int_equal(kind, ZV_RUNTIME_LLAMACPP);
    assert_int_equal(version.length, 0);
    assert_false(zv_runtime_parse(zv_slice_of("tgi"), &kind, &version));
    assert_string_equal(zv_runtime_name(ZV_RUNTIME_IK_LLAMACPP), "ik_llama.cpp");
}

static void test_constants(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_constant constant;
    bool found = false;
    const struct zv_constant_query query = {.kind = ZV_RUNTIME_VLLM,
                                            .item = "activation_peak",
                                            .version = zv_slice_of("0.19.0"),
                                            .model = zv_slice_of("llama-3.1-8b-instruct"),
                                            .tp = 1};
    assert_int_equal(zv_runtime_constant(&constant, &found, &query, &arena, NULL), ZV_OK);
    assert_true(found);
    assert_int_equal(constant.bytes, 2029372047); /* 1.89 GiB, rounded half up */
    assert_int_equal(constant.half_unit_bytes, 5368709);
    const struct zv_constant_query parallel = {
        .kind = ZV_RUNTIME_VLLM, .item = "non_torch", .version = zv_slice_of("0.20.0"), .tp = 2};
    assert_int_equal(zv_runtime_constant(&constant, &found, &parallel, &arena, NULL), ZV_OK);
    assert_true(found && constant.tp > 1);
    assert_string_equal(constant.version, "0.19.0"); /* the newest of those that are not newer */
    const struct zv_constant_query older = {
        .kind = ZV_RUNTIME_VLLM, .item = "non_torch", .version = zv_slice_of("0.9.0"), .tp = 4};
    assert_int_equal(zv_runtime_constant(&constant, &found, &older, &arena, NULL), ZV_OK);
    assert_true(found && constant.tp > 1);
    assert_string_equal(constant.version, "0.6.4");
    const struct zv_constant_query none = {.kind = ZV_RUNTIME_SGLANG, .item = "non_torch"};
    assert_int_equal(zv_runtime_constant(&constant, &found, &none, &arena, NULL), ZV_OK);
    assert_false(found);
    zv_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),  cmocka_unit_test(test_unknown_names_the_nearest),
        cmocka_unit_test(test_rules),     cmocka_unit_test(test_table_is_ordered),
        cmocka_unit_test(test_days),      cmocka_unit_test(test_names),
        cmocka_unit_test(test_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
