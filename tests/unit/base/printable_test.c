#include "base/printable.h"

#include <string.h>

#include "base/buffer.h"
#include "support/test.h"

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *name;  /* as one line */
        const char *lines; /* as several */
    } rows[] = {
        {"", "", ""},
        {"plain ~", "plain ~", "plain ~"},
        {"a\tb\nc\r", "a?b?c?", "a\tb\nc?"},
        {"\x1b[31m\x7f", "?[31m?", "?[31m?"},
        {"\xc2\x9b"
         "31m\xc2\xa0",
         "??31m\xc2\xa0", "??31m\xc2\xa0"}, /* C1; no-break space stays */
        {"\xe2\x80\xae\xe2\x80\xaf", "???\xe2\x80\xaf", "???\xe2\x80\xaf"}, /* U+202E */
        {"\xe2\x81\xa6\xe2\x81\xa5", "???\xe2\x81\xa5", "???\xe2\x81\xa5"}, /* U+2066 */
        {"\xe2\x80\x8e\xe2\x80\x8d", "???\xe2\x80\x8d", "???\xe2\x80\x8d"}, /* U+200E; a joiner */
        {"\xe2\x80\xa8\xd8\x9c\xd8\x9b", "?????\xd8\x9b", "?????\xd8\x9b"}, /* U+2028, U+061C */
        {"\xff\xe2\x82", "???", "???"},                                     /* no UTF-8 */
        {"\xed\xa0\x80\xf0\x9f\x98\x80", "???\xf0\x9f\x98\x80", "???\xf0\x9f\x98\x80"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64] = "";
        struct zv_buffer buffer = {.limit = sizeof text};
        struct zv_sink sink = zv_buffer_sink(&buffer);
        memcpy(text, rows[i].text, strlen(rows[i].text));
        zv_sink_printable(&sink, text, strlen(text));
        assert_int_equal(buffer.size, strlen(rows[i].lines));
        assert_memory_equal(buffer.size != 0 ? buffer.data : "", rows[i].lines, buffer.size);
        zv_make_printable(text);
        assert_string_equal(text, rows[i].name);
        zv_buffer_free(&buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
