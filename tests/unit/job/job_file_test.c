#include "job/job_file.h"

#include <stdio.h>
#include <string.h>

#include "base/data.h"
#include "support/fail_memory.h"
#include "support/test.h"

static struct zv_job_file file;

static const char *setting(const char *option)
{
    for (size_t i = 0; i < file.setting_count; i++) {
        if (strcmp(file.settings[i].option, option) == 0) {
            return file.settings[i].value != NULL ? file.settings[i].value : "";
        }
    }
    return NULL;
}

static void test_settings(void **state)
{
    (void)state;
    static const char text[] =
        "schema: zirve.job/1\nmodel: {path: ./m, revision: \"1.10\"}\ntask: serve\n"
        "formats: {storage: nf4, compute: bf16}\n"
        "sizes: {input_tokens: 6k, output_tokens: 2048, concurrency: 4}\n"
        "estimate: {tp: 2, enforce-eager: true, no-mmap: false, lora: [a, b]}\n"
        "resident: [{name: context, bytes: 450MiB}, {name: x, host: yes}]\n"
        "covers: [load, compute]\nenvironment: {pytorch: 2.14, extensions: {a: 1}}\ndays: 3\n";
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    assert_true(zv_job_file_is(zv_slice_of(text)));
    assert_int_equal(zv_job_file_read(&file, zv_slice_of(text), &arena, &err), ZV_OK);
    assert_string_equal(file.model_path, "./m");
    assert_string_equal(setting("context"), "8192");
    assert_string_equal(setting("concurrency"), "4");
    assert_string_equal(setting("quantization"), "nf4");
    assert_string_equal(setting("tp"), "2");
    assert_string_equal(setting("enforce-eager"), "");
    assert_null(setting("no-mmap"));
    assert_string_equal(setting("lora"), "a");
    assert_string_equal(setting("item"), "context=450MiB:assumed");
    assert_string_equal(setting("host-item"), "x=unknown:assumed");
    assert_int_equal(zv_job_file_size(&file, "input_tokens"), 6144);
    assert_int_equal(zv_job_file_size(&file, "images"), 0);
    assert_int_equal(file.days, 3);
    assert_true(zv_slice_equal(zv_job_file_field(&file, "model.revision"), "1.10"));
    assert_true(zv_slice_equal(zv_job_file_field(&file, "environment.extensions.a"), "1"));
    assert_true(zv_slice_equal(zv_job_file_field(&file, "covers.1"), "compute"));
    zv_arena_free(&arena);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum zv_status status;
        unsigned line;
        const char *says;
    } rows[] = {
        {"model: x\n", ZV_E_SYNTAX, 1, "no job file"},
        {"- a\n", ZV_E_SYNTAX, 1, "no job file"},
        {"", ZV_E_SYNTAX, 1, "no job file"},
        {"schema: zirve.job/2\n", ZV_E_UNSUPPORTED, 1, "reads zirve.job/1"},
        {"schema: zirve.job/1\nsizes: {contxt: 8}\n", ZV_E_SYNTAX, 2, "column 17: 'sizes.contxt'"},
        {"schema: zirve.job/1\nmodel: x\n", ZV_E_SYNTAX, 2, "model: expected a map"},
        {"schema: zirve.job/1\nsizes: {context: -1}\n", ZV_E_SYNTAX, 2, "whole number"},
        {"schema: zirve.job/1\nsizes: {context: 0}\n", ZV_E_SYNTAX, 2, "at least 1"},
        {"schema: zirve.job/1\ntitle: [a]\n", ZV_E_SYNTAX, 2, "one value, here is a list"},
        {"schema: zirve.job/1\nestimate: {tp: {a: 1}}\n", ZV_E_SYNTAX, 2, "option's value"},
        {"schema: zirve.job/1\nestimate: [a]\n", ZV_E_SYNTAX, 2, "map of options"},
        {"schema: zirve.job/1\nresident: [{bytes: 1}]\n", ZV_E_SYNTAX, 2, "resident"},
        {"schema: zirve.job/1\nodd:\n", ZV_E_SYNTAX, 2, "no key"},
        {"schema: zirve.job/1\nsizes: {input_tokens: 18446744073709551615, output_tokens: 1}\n",
         ZV_E_OVERFLOW, 2, "2^64"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const enum zv_status status =
            zv_job_file_read(&file, zv_slice_of(rows[i].text), &arena, &err);
        if (status != rows[i].status || err.line != rows[i].line ||
            strstr(err.text, rows[i].says) == NULL) {
            (void)printf("# row %zu: %d line %d: %s\n", i, (int)status, (int)err.line, err.text);
            fail();
        }
        zv_arena_free(&arena);
    }
}

/* Many values below long keys: a limit, not a heap full of paths. */
static void test_bounded(void **state)
{
    (void)state;
    static char text[300000];
    struct zv_arena arena = {.limit = (size_t)64 << 20};
    struct zv_error err = {0};
    size_t used = (size_t)snprintf(text, sizeof text, "schema: zirve.job/1\nneeds: {a: [");
    while (used + 8 < sizeof text) {
        memcpy(text + used, "~,", 2);
        used += 2;
    }
    memcpy(text + used, "]}\n", 4);
    assert_int_equal(zv_job_file_read(&file, zv_slice_of(text), &arena, &err), ZV_E_LIMIT);
    zv_arena_free(&arena);
    (void)snprintf(text, sizeof text, "schema: zirve.job/1\nneeds: {%0200d: 1}\n", 0);
    assert_int_equal(zv_job_file_read(&file, zv_slice_of(text), &arena, NULL), ZV_E_LIMIT);
    zv_arena_free(&arena);
}

/* The file that zirve record init writes: complete, valid, and every prefix an error or a job. */
static void test_template(void **state)
{
    (void)state;
    const struct zv_slice text = zv_data_find("job.yaml");
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    assert_int_equal(zv_job_file_read(&file, text, &arena, &err), ZV_OK);
    assert_true(file.by_hand);
    assert_string_equal(setting("item"), "reserve=6GiB:assumed");
    zv_arena_free(&arena);
    for (size_t length = 0; length < text.length; length += 7) {
        err = (struct zv_error){0};
        (void)zv_job_file_read(&file, (struct zv_slice){text.at, length}, &arena, &err);
        zv_arena_free(&arena);
    }
    for (size_t n = 1;; n++) {
        fail_memory_start(n);
        const enum zv_status status = zv_job_file_read(&file, text, &arena, NULL);
        zv_arena_free(&arena);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
        if (fail_memory.failed == 0) {
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_template),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
