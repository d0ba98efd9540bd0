#include "base/library.h"

#include "support/test.h"

struct functions {
    double (*root)(double);
    void (*none)(void);
    void (*other)(void);
};

static void test_open(void **state)
{
    (void)state;
    static const char *const none[] = {"libzirve-none.so.1", "libzirve-none.so", NULL};
    static const char *const some[] = {"libzirve-none.so.1", "libm.so.6", "libz.so.1", NULL};
    const char *name = NULL;
    assert_null(zv_library_open("/nonexistent/libzirve-none.so"));
    assert_null(zv_library_open_any(none, &name));
    assert_string_equal(name, none[0]);
    void *const library = zv_library_open_any(some, &name);
    assert_non_null(library);
    assert_string_equal(name, some[1]);
    zv_library_close(library);
}

static void test_load(void **state)
{
    (void)state;
    static const struct zv_library_symbol symbols[] = {
        ZV_LIBRARY_SYMBOL(struct functions, other, "",
                          true), /* no such function in it: not asked */
        ZV_LIBRARY_SYMBOL(struct functions, none, "zirve_no_such_function", false),
        ZV_LIBRARY_SYMBOL(struct functions, root, "sqrt", true),
        ZV_LIBRARY_SYMBOL(struct functions, none, "zirve_no_such_function", true),
    };
    struct functions functions = {0};
    void *const library = zv_library_open("libm.so.6");
    assert_non_null(library);
    assert_null(zv_library_load(library, symbols, 3, &functions));
    assert_true(functions.root(9) == 3);
    assert_true(functions.none == NULL);
    assert_string_equal(zv_library_load(library, symbols, 4, &functions), symbols[3].name);
    assert_null(zv_library_emulated(library));
    zv_library_close(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_open), cmocka_unit_test(test_load)};
    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
