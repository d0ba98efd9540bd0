#include "trace/op_list.h"

#include <string.h>

#include "support/test.h"

static void test_every_line(void **state)
{
    (void)state;
    static const char text[] =
        "a 1 2 3\n\n# words\n  f 18446744073709551615\ts \r\n"
        "s 4 5\ny\ny 6\ne\nr\nF 0.25\nC a:b , c\nC\np 7 no_split use_on_oom\n"
        "q 7\nb 7\nb 7 1\nn 7\nE 7\nc 1\nc 0";
    static const struct {
        enum zv_op_kind kind;
        uint64_t line;
        uint64_t id;
        uint64_t stream;
    } rows[] = {
        {ZV_OP_ALLOCATE, 1, 1, 3},
        {ZV_OP_RECORD_STREAM, 5, 4, 5},
        {ZV_OP_FINISH, 6, 0, ZV_OP_ALL_STREAMS},
        {ZV_OP_FINISH, 7, 0, 6},
        {ZV_OP_EMPTY_CACHE, 8, 0, 0},
        {ZV_OP_RESET_PEAKS, 9, 0, 0},
        {ZV_OP_SET_FRACTION, 10, 0, 0},
        {ZV_OP_SET_CONF, 11, 0, 0},
        {ZV_OP_SET_CONF, 12, 0, 0},
        {ZV_OP_POOL_RETAIN, 13, 7, 0},
        {ZV_OP_POOL_RELEASE, 14, 7, 0},
        {ZV_OP_POOL_BEGIN, 15, 7, ZV_OP_ALL_STREAMS},
        {ZV_OP_POOL_BEGIN, 16, 7, 1},
        {ZV_OP_POOL_END, 17, 7, 0},
        {ZV_OP_POOL_EMPTY, 18, 7, 0},
        {ZV_OP_CAPTURE, 19, 0, 0},
        {ZV_OP_CAPTURE, 20, 0, 0},
    };
    struct zv_op_reader reader;
    struct zv_op op;
    bool more;
    zv_op_reader_open(&reader, zv_slice_of(text));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_error err = {0};
        if (i == 1) { /* the fourth line has a word too many */
            assert_int_equal(zv_op_read(&reader, &op, &more, &err), ZV_E_SYNTAX);
            assert_int_equal(err.line, 4);
        }
        assert_int_equal(zv_op_read(&reader, &op, &more, NULL), ZV_OK);
        assert_true(more);
        assert_int_equal(op.kind, rows[i].kind);
        assert_int_equal(reader.line, rows[i].line);
        assert_int_equal(op.id, rows[i].id);
        assert_int_equal(op.stream, rows[i].stream);
        if (rows[i].line == 11) {
            assert_true(zv_slice_equal(op.conf, "a:b , c"));
        }
    }
    assert_int_equal(zv_op_read(&reader, &op, &more, NULL), ZV_OK);
    assert_false(more);
}

static void test_bad_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum zv_status status;
    } rows[] = {
        {"x", ZV_E_SYNTAX},
        {"aa 1 2 3", ZV_E_SYNTAX},
        {"a", ZV_E_SYNTAX},
        {"a 1", ZV_E_SYNTAX},
        {"a 1 2", ZV_E_SYNTAX},
        {"a 1 2 3 4", ZV_E_SYNTAX},
        {"a -1 2 3", ZV_E_SYNTAX},
        {"a 1 2.5 3", ZV_E_SYNTAX},
        {"a 1 0x10 3", ZV_E_SYNTAX},
        {"a 18446744073709551616 2 3", ZV_E_SYNTAX},
        {"a 1 281474976710657 0", ZV_E_LIMIT},
        {"a 1 2 65536", ZV_E_LIMIT},
        {"f", ZV_E_SYNTAX},
        {"s 1", ZV_E_SYNTAX},
        {"y x", ZV_E_SYNTAX},
        {"e 1", ZV_E_SYNTAX},
        {"F", ZV_E_SYNTAX},
        {"F -0.1", ZV_E_SYNTAX},
        {"F 1.01", ZV_E_SYNTAX},
        {"F nan", ZV_E_SYNTAX},
        {"p 1 quick", ZV_E_SYNTAX},
        {"c 2", ZV_E_SYNTAX},
        {"c", ZV_E_SYNTAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_op_reader reader;
        struct zv_op op;
        bool more;
        struct zv_error err = {0};
        zv_op_reader_open(&reader, zv_slice_of(rows[i].text));
        assert_int_equal(zv_op_read(&reader, &op, &more, &err), rows[i].status);
        assert_int_equal(err.line, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_line),
                                       cmocka_unit_test(test_bad_lines)};
    return cmocka_run_group_tests_name("op_list", tests, NULL, NULL);
}
