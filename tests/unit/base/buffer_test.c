#include "base/buffer.h"

#include <string.h>

#include "base/slice.h"
#include "support/fail_memory.h"
#include "support/test.h"

static void test_append(void **state)
{
    (void)state;
    struct zv_buffer buffer = {.limit = 1000};
    for (int i = 0; i < 100; i++) {
        assert_true(zv_buffer_append(&buffer, "0123456789", 10));
        assert_int_equal(buffer.data[buffer.size], 0);
    }
    assert_int_equal(buffer.size, 1000);
    assert_true(zv_buffer_append(&buffer, NULL, 0));
    assert_false(zv_buffer_append(&buffer, "x", 1)); /* full: all or nothing */
    assert_null(zv_buffer_reserve(&buffer, 1));
    assert_null(zv_buffer_reserve(&buffer, SIZE_MAX));
    assert_int_equal(buffer.size, 1000);
    zv_buffer_free(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.limit, 1000); /* may be used again */
    assert_true(zv_buffer_append(&buffer, "again", 5));
    assert_string_equal(buffer.data, "again");
    zv_buffer_free(&buffer);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct zv_buffer buffer = {.limit = 4096};
    char text[300];
    memset(text, 'a', sizeof text);
    fail_memory_start(2);
    assert_true(zv_buffer_append(&buffer, text, 200));
    assert_false(zv_buffer_append(&buffer, text, 300));
    assert_int_equal(buffer.size, 200);
    assert_true(zv_buffer_append(&buffer, text, 300));
    zv_buffer_free(&buffer);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
}

static void test_sink(void **state)
{
    (void)state;
    struct zv_buffer buffer = {.limit = 2000};
    struct zv_sink sink = zv_buffer_sink(&buffer);
    zv_sink_text(&sink, "a");
    zv_sink_write(&sink, NULL, 0);
    zv_sink_print(&sink, "%s", "b");
    zv_sink_repeat(&sink, '-', 130);
    zv_sink_repeat(&sink, '-', 0);
    zv_sink_print(&sink, "%600d", 7); /* longer than the buffer on the stack */
    assert_false(sink.failed);
    assert_int_equal(sink.written, 732);
    assert_int_equal(buffer.size, 732);
    assert_memory_equal(buffer.data, "ab--", 4);
    assert_int_equal(buffer.data[731], '7');
    zv_sink_print(&sink, "%2000d", 7);
    assert_true(sink.failed);
    zv_sink_text(&sink, "dropped"); /* after a failure nothing more, though it would fit */
    assert_int_equal(buffer.size, 732);
    assert_int_equal(sink.written, 732);
    zv_buffer_free(&buffer);
}

static void test_read_slice(void **state)
{
    (void)state;
    for (size_t step = 1; step < 8; step++) {
        struct zv_slice rest = zv_slice_of("hello");
        unsigned char got[8] = {0};
        size_t count = 0;
        ptrdiff_t part;
        while ((part = zv_read_slice(&rest, got + count, step < 5 - count ? step : 5 - count + 1)) >
               0) {
            count += (size_t)part;
        }
        assert_int_equal(part, 0);
        assert_int_equal(count, 5);
        assert_memory_equal(got, "hello", 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_sink),
        cmocka_unit_test(test_read_slice),
    };
    return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
