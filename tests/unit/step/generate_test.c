/* Generation: what the cache comes to, and the phases it is told in. */
#include <stdio.h>
#include <string.h>

#include "support/step_peak.h"
#include "support/test.h"

enum {
    PROMPT = 300,
    ANSWER = 40,
    TEXT = 2560, /* of 300 tokens in 8 bytes, rounded up */
    WORKSPACE = 8519680,
    SLACK = 4 << 20,
    CACHE_ROW = 28 * 2 * 8 * 128 * 2 /* bytes a token of Qwen3-0.6B in bf16 */
};

static struct zv_step_result run_model(const char *config, const char *settings)
{
    struct zv_step_result result = {0};
    struct zv_error err = {0};
    char text[256];
    (void)snprintf(text, sizeof text, "tokens=%d generate=%d %s", PROMPT, ANSWER, settings);
    const struct step_case of = {.config = config, .habit = "generate", .settings = text};
    if (step_case_run(&of, &result, &err) != ZV_OK) {
        fail_msg("%s:%llu: %s", err.where, (unsigned long long)err.line, err.text);
    }
    return result;
}

static struct zv_step_result run(const char *settings)
{
    return run_model("data/published/qwen3-0.6b.json", settings);
}

static void test_phases(void **state)
{
    (void)state;
    static const char *const names[] = {"loading", "prefill", "decode"};
    const struct zv_step_result result = run("");
    uint64_t events = 0;
    assert_int_equal(result.phase_count, 3);
    assert_false(result.trains);
    for (size_t i = 0; i < result.phase_count; i++) {
        const struct step_phase *const phase = &result.phases[i];
        assert_true(zv_slice_equal(phase->name, names[i]));
        assert_true(phase->peak_allocated_bytes >= phase->end_allocated_bytes);
        assert_true(phase->peak_reserved_bytes >= phase->peak_active_bytes);
        assert_true(phase->peak_allocated_bytes <= result.peak_allocated_bytes);
        events += phase->events;
    }
    assert_int_equal(events, result.events);
    assert_int_equal(result.phases[1].begin_allocated_bytes, result.phases[0].end_allocated_bytes);
    assert_int_equal(result.phases[2].end_allocated_bytes, result.end_allocated_bytes);
}

/* The tokens that are left out change nothing in what is there at the end. */
static void test_every_token(void **state)
{
    (void)state;
    const struct zv_step_result some = run("");
    const struct zv_step_result all = run("every=true");
    assert_true(all.events > 2 * some.events);
    assert_in_range(all.end_allocated_bytes + 65536 - some.end_allocated_bytes, 0, 131072);
}

/* A static cache is whole from its first use; the last token's keys and values are never made. */
static void test_caches(void **state)
{
    (void)state;
    const struct zv_step_result grows = run("");
    const struct zv_step_result whole = run("cache=static");
    const uint64_t weights = grows.phases[0].end_allocated_bytes;
    /* the text and its padding are there after loading, and gone at the end */
    const uint64_t more = whole.end_allocated_bytes - weights - WORKSPACE + 2 * TEXT;
    const uint64_t added = grows.end_allocated_bytes - weights - WORKSPACE + 2 * TEXT;
    /* blocks are rounded up, and keep what is too little to be cut off */
    assert_in_range(more - (uint64_t)CACHE_ROW * (PROMPT + ANSWER), 0, SLACK);
    assert_in_range(added - (uint64_t)CACHE_ROW * (PROMPT + ANSWER - 1), 0, SLACK);
}

/* Packed in 8 bits, with scales and zeros of 128 columns and an index. */
static void test_gptq(void **state)
{
    (void)state;
    const uint64_t linear = 28 * (uint64_t)15728640;
    const uint64_t plain = run("").phases[0].end_allocated_bytes;
    const uint64_t packed = run("quantize=gptq bits=8").phases[0].end_allocated_bytes;
    const uint64_t saved = linear - linear / 128 * 3 - UINT64_C(28) * 10240 * 4;
    assert_in_range(plain - packed + SLACK - saved, 0, 2 * SLACK);
}

/* T5: an answer's keys and values, and those of the encoder's output, which are made once. */
static void test_encoder(void **state)
{
    (void)state;
    static const char *const caches[] = {"", "every=true", "cache=static"};
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        const struct zv_step_result result =
            run_model("tests/data/models/t5-base/config.json", caches[i]);
        const uint64_t weights = result.phases[0].end_allocated_bytes;
        const uint64_t tokens = PROMPT + ANSWER - (i != 2);
        const uint64_t row = UINT64_C(12) * 2 * 12 * 64 * 2; /* of 12 layers, in bf16 */
        const uint64_t added = result.end_allocated_bytes - weights - WORKSPACE + 2 * TEXT;
        assert_in_range(added - row * tokens, 0, SLACK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases), cmocka_unit_test(test_every_token),
        cmocka_unit_test(test_caches), cmocka_unit_test(test_gptq), cmocka_unit_test(test_encoder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
