#include "model/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "base/file.h"
#include "format/json_tree.h"
#include "model/family_evaluate.h"
#include "support/test.h"

static const char config_text[] = "{\"a\": 12, \"zero\": 0, \"none\": null, \"name\": \"abc\", "
                                  "\"half\": 0.5, \"whole\": 2.0, \"neg\": -3,"
                                  " \"list\": [\"x\", \"y\", 7], \"in\": {\"b\": 5, \"yes\": "
                                  "true}, \"big\": 9223372036854775807}";

/* "v = EXPRESSION" over config_text; `to` gets the value as text. */
static void evaluate(const char *expression, char *to, size_t size)
{
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct family family;
    const char *const text =
        zv_arena_print(&arena, "[family]\nname t\n[values]\ntwelve = @a\nv = %s\n", expression);
    if (family_parse(&family, zv_slice_of(text), zv_slice_of("t.family"), &arena, &err) != ZV_OK) {
        (void)snprintf(to, size, "error: %s", err.text);
        zv_arena_free(&arena);
        return;
    }
    const struct zv_json_value *root;
    assert_int_equal(
        zv_json_tree_read(&root, zv_slice_of(config_text), ZV_JSON_STRICT, &arena, &err), ZV_OK);
    struct model_value values[2] = {{0}};
    struct family_scope scope = {.family = &family,
                                 .keys = model_keys_json(root, root),
                                 .values = values,
                                 .class_name = zv_slice_of("LlamaForCausalLM"),
                                 .layer = 1};
    assert_int_equal(family_define(&scope, FAMILY_ONCE, &err), ZV_OK);
    assert_int_equal(family_define(&scope, FAMILY_EACH_LAYER, &err), ZV_OK);
    const struct model_value *const v = &values[1];
    static const char *const kinds[] = {"absent", "null", "", "", "list", "object", "bad"};
    if (v->kind == VALUE_INTEGER) {
        (void)snprintf(to, size, "%lld", (long long)v->number);
    } else if (v->kind == VALUE_TEXT) {
        (void)snprintf(to, size, "%.*s", (int)v->text.length, v->text.at);
    } else {
        (void)snprintf(to, size, "%s", kinds[v->kind]);
    }
    zv_arena_free(&arena);
}

static const struct {
    const char *expression;
    const char *value;
} expressions[] = {
    {"1 + 2 * 3", "7"},
    {"(1 + 2) * 3", "9"},
    {"10 - 3 - 2", "5"},
    {"-2 + 5", "3"},
    {"@a / 4", "3"},
    {"@a / 5", "bad"},
    {"@a // 5", "2"},
    {"@a % 5", "2"},
    {"@a / @zero", "bad"},
    {"@neg / 2", "bad"},
    {"ceil_div(@a, 5)", "3"},
    {"align(@a, 8)", "16"},
    {"min(@a, 3) + max(@a, 3)", "15"},
    {"@missing", "absent"},
    {"@missing | 4", "4"},
    {"@none | 4", "null"},
    {"@none ?? 4", "4"},
    {"@missing ?? @none ?? 6", "6"},
    {"(@missing | 8) ?? 3", "8"},
    {"@missing ?? 2 + 3", "5"},
    {"@missing + 1", "bad"},
    {"@none * 2", "bad"},
    {"@name + 1", "bad"},
    {"@half + 1", "bad"},
    {"@half == 1 ? 2 : 3", "bad"},
    {"@whole + 1", "3"},
    {"@big + 1", "bad"},
    {"@big * 2", "bad"},
    {"@in.b", "5"},
    {"@in.yes", "1"},
    {"@in.b.c", "absent"},
    {"@/a", "12"},
    {"twelve", "12"},
    {"@list[0]", "x"},
    {"@list[i]", "y"},
    {"@list[2] + 1", "8"},
    {"@list[3]", "bad"},
    {"@none[0]", "null"},
    {"@a[0]", "bad"},
    {"count(@list)", "3"},
    {"count(@in)", "2"},
    {"count(@missing)", "0"},
    {"each(@list, 0)", "x"},
    {"each(@a, 0)", "12"},
    {"below(@list, 9)", "1"},
    {"below(@a, 9)", "bad"},
    {"portion(@a, @half)", "6"},
    {"portion(@a, @zero)", "0"},
    {"portion(@a, @missing)", "absent"},
    {"portion(@a, @name)", "bad"},
    {"portion(@half, @half)", "bad"},
    {"@name[1]", "b"},
    {"@name[3]", "bad"},
    {"count(@name)", "3"},
    {"has(@list, \"y\")", "1"},
    {"has(@list, 8)", "0"},
    {"has(@missing, 8)", "0"},
    {"has(@name, \"bc\")", "1"},
    {"exists(@none)", "0"},
    {"exists(@zero)", "1"},
    {"ends(class, \"ForCausalLM\")", "1"},
    {"starts(class, \"Bert\")", "0"},
    {"@name == \"abc\"", "1"},
    {"@name != \"abc\"", "0"},
    {"@missing == \"abc\"", "0"},
    {"@missing == null", "0"},
    {"@none == null", "1"},
    {"@a > 3 && @a < 20", "1"},
    {"@zero || @name", "1"},
    {"@zero && @half", "0"},
    {"@a || @half", "1"},
    {"!@zero", "1"},
    {"!@missing | true", "0"},
    {"true ? false ? 1 : 2 : 3", "2"},
    {"false ? 1 : false ? 2 : 3", "3"},
    {"@zero ? @half : 5", "5"},
    {"i % 2 == 1 ? \"odd\" : \"even\"", "odd"},
    {"1 +", "error: an expression is cut off, at \"\""},
    {"(1", "error: an expression with something left open, at \"\""},
    {"1)", "error: a closing sign that nothing opened, at \"\""},
    {"min(1)", "error: a function with too few or too many arguments, at \"\""},
    {"nothing + 1", "error: \"nothing\" is not defined above"},
    {"v + 1", "error: \"v\" is not defined above"},
    {"what(1)", "error: no function named \"what\""},
    {"text.hidden", "error: no part named \"text\" stands above"},
    {"\"open", "error: a text without its closing quote, at \"open\""},
    {"1 : 2", "error: a colon without its question mark, at \" 2\""},
    {"1 ? 2", "error: an expression with something left open, at \"\""},
    {"99999999999999999999", "error: a number above 2^63, at \"99999999999999999999\""},
    {"@", "error: a config key is expected after @, at \"\""},
};

static void test_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        char value[600];
        evaluate(expressions[i].expression, value, sizeof value);
        if (strcmp(value, expressions[i].value) != 0) {
            print_error("%s gives %s, not %s\n", expressions[i].expression, value,
                        expressions[i].value);
            fail();
        }
    }
}

static void test_errors_name_the_line(void **state)
{
    static const struct {
        const char *text;
        uint64_t line;
        const char *message;
    } rows[] = {
        {"hello\n", 1, "expected [family] first"},
        {"[family]\nname a\n[values]\n1x = 3\n", 4,
         "expected: name = expression, in small letters"},
        {"[family]\nname a\n[values]\nx = 3 4\n", 4, "an operator is expected, at \"4\""},
        {"[family]\nname a\n[values]\nx = 3\nx = 4\n", 5, "this name is defined already"},
        {"[family]\nname a\n[tensors\n", 3, "a section's line must end with ]"},
        {"[family]\nname a\n[tensors]\nw [1\n", 4, "expected ]"},
        {"[family]\nname a\n[tensors]\nw linear 1\n", 4, "expected: linear IN -> OUT"},
        {"[family]\nname a\n[tensors]\nw{x} [1]\n", 4, "\"x\" is not defined above"},
        {"[family]\nname a\n[tensors]\nw{ [1]\n", 4, "a name with { but no }"},
        {"[family]\nname a\n[tensors]\nw [1] as nothing\n", 4, "no such element type"},
        {"[family]\nname a\n[tensors]\nw [1,1,1,1,1,1]\n", 4, "more than 5 dimensions"},
        {"[family]\nname a\n[tensors]\nw [1] bias true\n", 4, "a bias needs linear, norm or conv"},
        {"[family]\nname a\n[tensors m. for j < 3]\n", 3, "expected: for i < COUNT"},
        {"[family]\nname a\n[parts]\nt = i at . under -\n", 4,
         "only config keys may be used here, at \" at . under -\""},
        {"[family]\nname a\n[values]\nrequire 1\n", 4, "expected: require CONDITION else SENTENCE"},
        {"[family]\n# nothing\n", 0, "a family table without a name"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct family family;
        const enum zv_status status =
            family_parse(&family, zv_slice_of(rows[i].text), zv_slice_of("t.family"), &arena, &err);
        assert_int_not_equal(status, ZV_OK);
        assert_string_equal(err.text, rows[i].message);
        assert_int_equal(err.line, rows[i].line);
        assert_string_equal(err.where, "t.family");
        zv_arena_free(&arena);
    }
}

/* Sections of other readers are left alone. */
static void test_other_sections(void **state)
{
    static const char text[] =
        "[family]\nname a\n[step train]\nx <- linear(y, \"\n[values]\nx = 3\n";
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct family family;
    (void)state;
    assert_int_equal(family_parse(&family, zv_slice_of(text), zv_slice_of("t"), &arena, &err),
                     ZV_OK);
    assert_int_equal(family.definition_count, 1);
    zv_arena_free(&arena);
}

/* The example of docs/FAMILIES.md is a table. */
static void test_documented_example(void **state)
{
    (void)state;
    char path[512];
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_file file;
    struct family family;
    (void)snprintf(path, sizeof path, "%s/docs/FAMILIES.md", getenv("ZIRVE_SOURCE_DIR"));
    assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
    const char *const text = zv_arena_copy(&arena, (const char *)file.data, file.size);
    const char *const begin = strstr(text, "```\n") + 4;
    const char *const end = strstr(begin, "```\n");
    const struct zv_slice example = {begin, (size_t)(end - begin)};
    if (family_parse(&family, example, zv_slice_of(path), &arena, &err) != ZV_OK) {
        print_error("line %llu: %s\n", (unsigned long long)err.line, err.text);
        fail();
    }
    assert_int_equal(family.section_count, 2);
    assert_int_equal(family.tensor_count, 14);
    zv_file_close(&file);
    zv_arena_free(&arena);
}

/* A user's table comes before a built-in one; an error in it names it. */
static void test_user_tables(void **state)
{
    (void)state;
    char folder[128];
    char sub[160];
    char path[256];
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct family_source source;
    (void)snprintf(folder, sizeof folder, "/tmp/zirve-config-%ld", (long)getpid());
    (void)snprintf(sub, sizeof sub, "%s/zirve", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkdir(sub, 0700), 0);
    (void)snprintf(sub, sizeof sub, "%s/zirve/families", folder);
    assert_int_equal(mkdir(sub, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/mine.family", sub);
    static const char text[] = "[family]\nname mine\nmodel_type llama brand_new\n[values]\nx = y\n";
    assert_int_equal(zv_file_create(path, zv_slice_of(text), NULL), ZV_OK);
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    static const char *const types[] = {"llama", "brand_new", "mine"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_int_equal(
            family_find(&source, zv_slice_of(types[i]), (struct zv_slice){0}, &arena, &err), ZV_OK);
        assert_true(zv_slice_equal(source.file, path));
    }
    struct family family;
    assert_int_equal(family_parse(&family, source.text, source.file, &arena, &err), ZV_E_SYNTAX);
    assert_string_equal(err.where, path);
    assert_int_equal(err.line, 5);
    assert_int_equal(
        family_find(&source, zv_slice_of("mixtral"), (struct zv_slice){0}, &arena, &err), ZV_OK);
    assert_true(zv_slice_equal(source.file, "families/mixtral.family"));
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
    (void)unlink(path);
    (void)rmdir(sub);
    (void)snprintf(sub, sizeof sub, "%s/zirve", folder);
    (void)rmdir(sub);
    (void)rmdir(folder);
    zv_arena_free(&arena);
}

/* Every built-in table parses. */
static void test_built_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < zv_data_file_count; i++) {
        const struct zv_slice name = zv_slice_of(zv_data_files[i].name);
        if (!zv_slice_starts(name, "families/")) {
            continue;
        }
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct family family;
        if (family_parse(&family, zv_data_find(zv_data_files[i].name), name, &arena, &err) !=
            ZV_OK) {
            print_error("%s:%llu: %s\n", zv_data_files[i].name, (unsigned long long)err.line,
                        err.text);
            fail();
        }
        zv_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),    cmocka_unit_test(test_errors_name_the_line),
        cmocka_unit_test(test_other_sections), cmocka_unit_test(test_documented_example),
        cmocka_unit_test(test_user_tables),    cmocka_unit_test(test_built_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
