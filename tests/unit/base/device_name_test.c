/* Names of devices, in and out. */
#include "base/device_name.h"

#include <string.h>

#include "support/test.h"

static const struct {
    const char *text;
    bool is_taken;
    bool is_hip;
    uint32_t index;
    const char *shown;
} rows[] = {
    {"cuda:0", true, false, 0, "cuda:0"},
    {"cuda:15", true, false, 15, "cuda:15"},
    {"3", true, false, 3, "cuda:3"},
    {"hip:0", true, true, 0, "cuda:0"},
    {"hip:2147483647", true, true, INT32_MAX, "cuda:2147483647"},
    {"cuda:2147483648", false, false, 0, NULL},
    {"cuda:", false, false, 0, NULL},
    {"cuda", false, false, 0, NULL},
    {"cuda:-1", false, false, 0, NULL},
    {"cuda:0 ", false, false, 0, NULL},
    {"CUDA:0", false, false, 0, NULL},
    {"hip", false, false, 0, NULL},
    {"hip:x", false, false, 0, NULL},
    {"hip:cuda:0", false, false, 0, NULL},
    {"gpu:0", false, false, 0, NULL},
    {"", false, false, 0, NULL},
    {NULL, false, false, 0, NULL},
};

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_device_name name = {0};
        struct zv_error err = {0};
        char shown[ZV_DEVICE_NAME_TEXT] = "";
        const enum zv_status status = zv_device_name_read(&name, zv_slice_of(rows[i].text), &err);
        if (!rows[i].is_taken) {
            assert_int_equal(status, ZV_E_USAGE);
            assert_non_null(strstr(err.text, "expected cuda:N or hip:N, such as cuda:0"));
            continue;
        }
        assert_int_equal(status, ZV_OK);
        zv_device_name_print(shown, name.index);
        assert_int_equal(name.is_hip, rows[i].is_hip);
        assert_int_equal(name.index, rows[i].index);
        assert_string_equal(shown, rows[i].shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
