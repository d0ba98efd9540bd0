#include "decide/overflow.h"

#include <stdio.h>
#include <string.h>

#include "estimate/levers.h"
#include "support/test.h"

/* The tables hold together: every phase has suspects and changes, every lever exists. */
static void tables(void **state)
{
    (void)state;
    for (unsigned phase = 0; phase < ZV_PHASES; phase++) {
        enum zv_phase parsed = ZV_PHASES;
        size_t changes = 0;
        assert_non_null(zv_phase_facts[phase].suspects[0]);
        assert_true(zv_phase_parse(zv_slice_of(zv_phase_facts[phase].name), &parsed));
        assert_int_equal(parsed, phase);
        for (size_t i = 0; i < zv_change_count; i++) {
            changes += (zv_changes[i].phases & 1U << phase) != 0;
        }
        assert_true(changes >= 3);
    }
    for (size_t i = 0; i < zv_change_count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(zv_changes[i].id, zv_changes[k].id);
        }
        const bool trains_only = strcmp(zv_changes[i].id, "micro_batch") == 0;
        const unsigned evaluation = 1U << ZV_PHASE_EVALUATION | 1U << ZV_PHASE_EXPORT;
        assert_true(!trains_only || (zv_changes[i].phases & evaluation) == 0);
    }
}

static bool is_lever(struct zv_slice word)
{
    const struct zv_change one = {.levers = word.at};
    bool found = false;
    for (size_t i = 0; i < serve_lever_count; i++) {
        found = found || zv_change_has_lever(&one, serve_levers[i].id);
    }
    for (size_t i = 0; i < train_lever_count; i++) {
        found = found || zv_change_has_lever(&one, train_levers[i].id);
    }
    return found;
}

/* What a change names is there to be asked. */
static void levers_exist(void **state)
{
    (void)state;
    for (size_t i = 0; i < zv_change_count; i++) {
        struct zv_slice rest = zv_slice_of(zv_changes[i].levers);
        struct zv_slice word;
        while (zv_slice_word(&rest, &word)) {
            char name[64] = "";
            memcpy(name, word.at, word.length < 63 ? word.length : 63);
            print_message("# %s\n", name);
            assert_true(is_lever(zv_slice_of(name)));
        }
    }
}

static void levers(void **state)
{
    (void)state;
    const struct zv_change change = {.levers = "kv_cache. swa.window"};
    const struct zv_change none = {.levers = NULL};
    assert_true(zv_change_has_lever(&change, "kv_cache.fp8"));
    assert_true(zv_change_has_lever(&change, "swa.window"));
    assert_false(zv_change_has_lever(&change, "swa"));
    assert_false(zv_change_has_lever(&change, "swa.window.more"));
    assert_false(zv_change_has_lever(&none, "swa.window"));
}

static const struct {
    const char *function;
    const char *file;
    enum zv_phase phase;
} functions[] = {
    {"backward", "torch/_tensor.py", ZV_PHASE_BACKWARD},
    {"step", "/opt/torch/optim/adamw.py", ZV_PHASE_UPDATE},
    {"step", "/home/user/environment.py", ZV_PHASES},
    {"evaluation_loop", "", ZV_PHASE_EVALUATION},
    {"from_pretrained", "", ZV_PHASE_LOAD},
    {"torch::autograd::Engine::evaluate_function", "??", ZV_PHASE_BACKWARD},
    {"my_function", "", ZV_PHASES},
    {"", "", ZV_PHASES},
};

static void stacks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        assert_int_equal(zv_phase_of_function(zv_slice_of(functions[i].function),
                                              zv_slice_of(functions[i].file)),
                         functions[i].phase);
    }
    assert_int_equal(zv_phase_ruling(ZV_PHASE_FORWARD, ZV_PHASE_EVALUATION), ZV_PHASE_EVALUATION);
    assert_int_equal(zv_phase_ruling(ZV_PHASE_GENERATION, ZV_PHASE_EVALUATION),
                     ZV_PHASE_EVALUATION);
    assert_int_equal(zv_phase_ruling(ZV_PHASES, ZV_PHASE_FORWARD), ZV_PHASE_FORWARD);
    assert_int_equal(zv_phase_ruling(ZV_PHASES, ZV_PHASES), ZV_PHASES);
}

#define FRAME(file, function) "  File \"" file "\", line 1, in " function "\n"
#define OOM                   "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB.\n"
#define BEGIN                 "Traceback (most recent call last):\n"

static const struct {
    const char *text;
    enum zv_status status;
    enum zv_phase phase;
    bool named;
} texts[] = {
    {BEGIN FRAME("a.py", "forward") OOM, ZV_OK, ZV_PHASE_FORWARD, true},
    {BEGIN FRAME("a.py", "evaluate") FRAME("a.py", "generate") FRAME("a.py", "forward") OOM, ZV_OK,
     ZV_PHASE_EVALUATION, true},
    /* an earlier traceback is another failure's */
    {BEGIN FRAME("a.py", "evaluate") "ValueError: x\n" BEGIN FRAME("a.py", "backward") OOM, ZV_OK,
     ZV_PHASE_BACKWARD, true},
    /* what comes after the message is another's too */
    {OOM BEGIN FRAME("a.py", "backward"), ZV_OK, ZV_PHASES, true},
    {"[rank0]: " FRAME("optim/sgd.py", "step") "[rank0]: " OOM, ZV_OK, ZV_PHASE_UPDATE, true},
    {"nothing\n", ZV_OK, ZV_PHASES, false},
    {"", ZV_OK, ZV_PHASES, false},
    {"{\"schema\": \"zirve.run/1\",\n\"outcome\": \"passed\"}", ZV_E_USAGE, ZV_PHASES, false},
    {"{\"schema\": \"zirve.run/1\",\n\"outcome\": ", ZV_E_SYNTAX, ZV_PHASES, false},
    {"{\"schema\": \"zirve.run/1\",\n\"outcome\": \"out of memory\", \"memory\": {\"text\": \"CUDA "
     "out "
     "of memory\"}, \"last_lines\": [{\"text\": 3}, {\"text\": \"bye\"}]}",
     ZV_OK, ZV_PHASES, true},
    {"{\"schema\": \"zirve.run/1\",\n\"outcome\": \"out of memory\", \"memory\": {\"text\": null}}",
     ZV_OK, ZV_PHASES, true},
    {"{\"schema\": \"zirve.run_search/1\",\n\"tries\": [{\"answer\": \"passes\"}]}", ZV_E_USAGE,
     ZV_PHASES, false},
    {"schema: zirve.measure/1\nphases:\n  - {name: model_load, outcome: passed}\n  - {name: "
     "optimizer_step, outcome: failed, message: CUDA out of memory}\n",
     ZV_OK, ZV_PHASE_UPDATE, true},
    {"{\"schema\": \"zirve.measure/1\",\n\"runs\": [{\"failed_phase\": null}, {\"failed_phase\": "
     "\"cold_forward\", \"message\": \"out of memory: 7 bytes asked for; allocated 3\"}]}",
     ZV_OK, ZV_PHASE_FORWARD, true},
    {"{\"schema\": \"zirve.measure/1\",\n\"runs\": [{\"failed_phase\": null}]}", ZV_E_USAGE,
     ZV_PHASES, false},
    {"schema: zirve.measure/1\nphases: []\n", ZV_E_USAGE, ZV_PHASES, false},
    {"{\"schema\": \"zirve.explain/1\",\n\"verdict\": {\"kind\": \"capacity\", "
     "\"requested_bytes\": 7}}",
     ZV_OK, ZV_PHASES, true},
};

static void reading(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_overflow overflow;
        print_message("# text %zu\n", i);
        assert_int_equal(zv_overflow_read(&overflow, zv_slice_of(texts[i].text), &arena, NULL),
                         texts[i].status);
        assert_int_equal(overflow.phase, texts[i].phase);
        assert_int_equal(overflow.memory_named, texts[i].named);
        zv_arena_free(&arena);
    }
}

/* Every prefix, and every allocation that fails, ends with a status. */
static void bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (size_t length = 0; length <= strlen(texts[i].text); length++) {
            struct zv_arena arena = {0};
            struct zv_overflow overflow;
            (void)zv_overflow_read(&overflow, (struct zv_slice){texts[i].text, length}, &arena,
                                   NULL);
            zv_arena_free(&arena);
        }
    }
    for (size_t limit = 0; limit < 6000; limit += 8) {
        struct zv_arena arena = {.limit = limit + 1};
        struct zv_overflow overflow;
        (void)zv_overflow_read(&overflow, zv_slice_of(texts[1].text), &arena, NULL);
        zv_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables),       cmocka_unit_test(levers),
                                       cmocka_unit_test(levers_exist), cmocka_unit_test(stacks),
                                       cmocka_unit_test(reading),      cmocka_unit_test(bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
