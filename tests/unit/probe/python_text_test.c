/* Lines of version.py, pyvenv.cfg and patchlevel.h. */
#include "probe/python_text.h"

#include "support/test.h"

static const struct {
    const char *text;
    const char *key;
    const char *value; /* NULL: none */
} rows[] = {
    {"__version__ = '2.6.0+cu124'\n", "__version__", "2.6.0+cu124"},
    {"__all__ = ['__version__']\n__version__ = \"2.0\"  # x\n", "__version__", "2.0"},
    {"cuda: Optional[str] = '12.4'\r\n", "cuda", "12.4"},
    {"cuda = None\n", "cuda", "None"},
    {"cuda_home = '/usr'\ncuda = '11.8'", "cuda", "11.8"},
    {"version = 3.11.7\n", "version", "3.11.7"},
    {"version_info = 3.11.7.final.0\n", "version", NULL},
    {"version = \n", "version", NULL},
    {"version = '3.1\n", "version", NULL},
    {"version", "version", NULL},
    {"", "version", NULL},
    {"version = 0123456789012345678901234567890123456789012345678901234567890123456789\n",
     "version", NULL},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_slice value = {0};
        const bool found = python_text_value(zv_slice_of(rows[i].text), rows[i].key, &value);
        if (found != (rows[i].value != NULL) || (found && !zv_slice_equal(value, rows[i].value))) {
            fail_msg("row %zu: %d \"%.*s\"", i, (int)found, (int)value.length, value.at);
        }
    }
}

static void test_defines(void **state)
{
    (void)state;
    struct zv_slice value;
    assert_true(python_text_define(zv_slice_of("/* x */\n#define PY_MICRO 7\n#define PY_VERSION  "
                                               "        \"3.11.7\"\n"),
                                   "PY_VERSION", &value));
    assert_true(zv_slice_equal(value, "3.11.7"));
    assert_false(python_text_define(zv_slice_of("#define PY_VERSION"), "PY_VERSION", &value));
    assert_false(python_text_define(zv_slice_of("# define"), "PY_VERSION", &value));
}

/* Every prefix of a file gives a value of the file, or none. */
static void test_prefixes(void **state)
{
    (void)state;
    static const char text[] = "__version__ = '2.6.0'\ncuda: Optional[str] = '12.4'\n";
    for (size_t length = 0; length < sizeof text; length++) {
        struct zv_slice value;
        if (python_text_value((struct zv_slice){text, length}, "cuda", &value)) {
            assert_true(length >= sizeof text - 2 && zv_slice_equal(value, "12.4"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_defines),
        cmocka_unit_test(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
