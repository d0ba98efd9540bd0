/* RFC 4648, section 10. */
#include "base/base64.h"

#include <string.h>

#include "base/buffer.h"
#include "support/test.h"

static void test_known_texts(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"", ""},
                                          {"f", "Zg=="},
                                          {"fo", "Zm8="},
                                          {"foo", "Zm9v"},
                                          {"foob", "Zm9vYg=="},
                                          {"fooba", "Zm9vYmE="},
                                          {"foobar", "Zm9vYmFy"},
                                          {"\xff\xfe\xfb", "//77"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_buffer text = {.limit = 64};
        struct zv_sink sink = zv_buffer_sink(&text);
        struct zv_base64 out = {.sink = &sink};
        for (const char *c = rows[i][0]; *c != 0; c++) {
            zv_base64_put(&out, (unsigned char)*c);
        }
        zv_base64_end(&out);
        assert_int_equal(text.size, strlen(rows[i][1]));
        assert_int_equal(text.size == 0 ? 0 : memcmp(text.data, rows[i][1], text.size), 0);
        zv_buffer_free(&text);
    }
}

/* Longer than what waits in it. */
static void test_long_text(void **state)
{
    (void)state;
    struct zv_buffer text = {.limit = 1 << 20};
    struct zv_sink sink = zv_buffer_sink(&text);
    struct zv_base64 out = {.sink = &sink};
    for (int i = 0; i < 30000; i++) {
        zv_base64_put(&out, 0);
    }
    zv_base64_end(&out);
    assert_int_equal(text.size, 40000);
    for (size_t i = 0; i < text.size; i++) {
        assert_int_equal(text.data[i], 'A');
    }
    zv_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_texts),
        cmocka_unit_test(test_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
