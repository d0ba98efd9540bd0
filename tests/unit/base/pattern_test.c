#include "base/pattern.h"

#include <string.h>

#include "support/test.h"

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum zv_status status;
        const char *says;
    } rows[] = {
        {"", ZV_OK, ""},
        {"blk\\.([0-9]|[1-3][0-9]){1,2}\\.ffn_.*_exps", ZV_OK, ""},
        {"x{1,255}", ZV_OK, ""},
        {"x{30}{30}", ZV_OK, ""},
        {"\\{32767", ZV_OK, ""}, /* a brace, no repeat */
        {"(x{1,255}){1,255}", ZV_E_LIMIT, "written out"},
        {"((x{1,255}){1,255}){1,255}", ZV_E_LIMIT, "written out"},
        {"x{99999999999999999999}", ZV_E_LIMIT, "written out"},
        {"(a*)*\\1", ZV_E_UNSUPPORTED, "reference back"},
        {"(", ZV_E_USAGE, "expected a regular expression"},
        {"x{2,1}", ZV_E_USAGE, "expected a regular expression"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        regex_t regex;
        struct zv_error err = {0};
        assert_int_equal(zv_pattern_compile(&regex, rows[i].text, &err), rows[i].status);
        assert_non_null(strstr(err.text, rows[i].says));
        if (rows[i].status == ZV_OK) {
            regfree(&regex);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
