#include "format/yaml.h"

#include <stdio.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

static void test_tree(void **state)
{
    (void)state;
    static const char text[] = "# a job\nmodel: ./m # path\nsizes:\n  context: 8192\n"
                               "  on: yes\nlist: [a, \"~\", ~, {x: 'it''s'}]\nempty:\n";
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    const struct zv_yaml_value *root;
    assert_int_equal(zv_yaml_read(&root, zv_slice_of(text), &arena, &err), ZV_OK);
    assert_int_equal(zv_yaml_count(root), 4);
    struct zv_slice slice;
    assert_true(zv_yaml_text(zv_yaml_find(root, "model"), &slice));
    assert_true(zv_slice_equal(slice, "./m"));
    const struct zv_yaml_value *const context =
        zv_yaml_find(zv_yaml_find(root, "sizes"), "context");
    assert_int_equal(context->line, 4);
    assert_int_equal(context->column, 12);
    bool truth = false;
    assert_true(zv_yaml_bool(zv_yaml_find(zv_yaml_find(root, "sizes"), "on"), &truth) && truth);
    const struct zv_yaml_value *const list = zv_yaml_find(root, "list");
    assert_int_equal(zv_yaml_item(list, 1)->kind, ZV_YAML_TEXT);
    assert_int_equal(zv_yaml_item(list, 2)->kind, ZV_YAML_NULL);
    assert_true(zv_yaml_text(zv_yaml_find(zv_yaml_item(list, 3), "x"), &slice));
    assert_true(zv_slice_equal(slice, "it's"));
    assert_null(zv_yaml_item(list, 4));
    assert_int_equal(zv_yaml_find(root, "empty")->kind, ZV_YAML_NULL);
    assert_string_equal(zv_yaml_kind_name(list), "a list");
    assert_string_equal(zv_yaml_kind_name(NULL), "nothing");
    assert_int_equal(zv_yaml_read(&root, zv_slice_of("# nothing\n"), &arena, &err), ZV_OK);
    assert_int_equal(root->kind, ZV_YAML_NULL);
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
        {"a: 1\nb: 2\na: 3\n", ZV_E_SYNTAX, 3, "twice"},
        {"a: &x 1\nb: *x\n", ZV_E_SYNTAX, 1, "anchors"},
        {"a: *x\n", ZV_E_SYNTAX, 1, "anchors"},
        {"a: !!int 1\n", ZV_E_SYNTAX, 1, "anchors"},
        {"a: 1\n---\nb: 2\n", ZV_E_SYNTAX, 2, "second document"},
        {"? [a]\n: 1\n", ZV_E_SYNTAX, 1, "no text"},
        {"a: [1, 2\n", ZV_E_SYNTAX, 2, "YAML"},
        {"a:\n\t- 1\n", ZV_E_SYNTAX, 2, "YAML"},
        {"a: \"x\\0y\"\n", ZV_E_SYNTAX, 1, "NUL"},
        {"\xff\xfe", ZV_E_SYNTAX, 1, "YAML"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", ZV_E_LIMIT, 1, "levels"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const struct zv_yaml_value *root;
        assert_int_equal(zv_yaml_read(&root, zv_slice_of(rows[i].text), &arena, &err),
                         rows[i].status);
        assert_int_equal(err.line, rows[i].line);
        assert_non_null(strstr(err.text, rows[i].says));
        assert_null(root);
        zv_arena_free(&arena);
    }
}

static const char sample[] = "a: {b: [1, 2], c: \"x\"}\nd:\n  - e: f\n  - g\n";

static void test_prefixes(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof sample; length++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        const struct zv_yaml_value *root;
        const enum zv_status status =
            zv_yaml_read(&root, (struct zv_slice){sample, length}, &arena, &err);
        assert_true(status == ZV_OK || (status == ZV_E_SYNTAX && err.line != 0));
        zv_arena_free(&arena);
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct zv_arena arena = {0};
        const struct zv_yaml_value *root;
        fail_memory_start(n);
        const enum zv_status status = zv_yaml_read(&root, zv_slice_of(sample), &arena, NULL);
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
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
