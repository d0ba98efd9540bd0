#include "explain/oom_message.h"

#include <string.h>

#include "support/test.h"

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)

/* Wordings of PyTorch by age, and what follows from their figures. */
static const struct {
    const char *text;
    uint64_t requested;
    uint64_t allocated; /* 0: unknown */
    uint64_t unallocated;
    bool kind_known;
    enum zv_cause_kind kind;
} rows[] = {
    {"{\"error\": \"CUDA out of memory. Tried to allocate 32.00 MiB.\"}", 32 * MIB, 0, 0, false,
     ZV_CAUSE_CAPACITY},
    /* more than there are bytes */
    {"CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 10000000 TiB "
     "of which 0 bytes is free. Of the allocated memory 10000000 TiB is allocated by PyTorch, and "
     "10000000 TiB is reserved by PyTorch but unallocated.",
     GIB, UINT64_C(10000000) << 40, UINT64_C(10000000) << 40, false, ZV_CAUSE_CAPACITY},
    {"RuntimeError: CUDA out of memory. Tried to allocate 32.00 MiB (GPU 0; 8.00 GiB total "
     "capacity; "
     "6.50 GiB already allocated; 21.00 MiB free; 256.00 MiB cached)",
     32 * MIB, 13 * GIB / 2, 256 * MIB, true, ZV_CAUSE_FRAGMENTATION},
    {"CUDA out of memory. Tried to allocate 2.25 GiB (GPU 0; 6.00 GiB total capacity; 768.00 MiB "
     "already allocated; 3.00 GiB free; 1.25 GiB reserved in total by PyTorch)",
     9 * GIB / 4, 768 * MIB, GIB / 2, true, ZV_CAUSE_LIMIT},
    {"Tried to allocate 20.00 MiB (GPU 1; 5.75 GiB total capacity; 4.50 GiB already allocated; "
     "6.00 "
     "MiB free; 4.50 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory "
     "try",
     20 * MIB, 9 * GIB / 2, 0, true, ZV_CAUSE_OUTSIDE},
    {"CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacty of 4.00 GiB of "
     "which "
     "41.50 MiB is free. Including non-PyTorch memory, this process has 3.50 GiB memory in use. Of "
     "the allocated memory 2.50 GiB is allocated by PyTorch, and 2.00 MiB is reserved by PyTorch "
     "but "
     "unallocated.",
     4 * GIB, 5 * GIB / 2, 2 * MIB, true, ZV_CAUSE_CAPACITY},
    {"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.00 GiB. GPU 3 has a total "
     "capacity of 64.00 GiB of which 0 bytes is free. Process 7 has 40.00 GiB memory in use. Of "
     "the "
     "allocated memory 20.00 GiB is allocated by PyTorch, with 1.00 GiB allocated in private pools "
     "(e.g., CUDA Graphs), and 512.00 MiB is reserved by PyTorch but unallocated.",
     GIB, 20 * GIB, 512 * MIB, true, ZV_CAUSE_OUTSIDE},
    /* wrapped by a log, indented, coloured */
    {"\x1b[36m(EngineCore pid=9)\x1b[0m \x1b[1;31mCUDA out of memory. Tried to allocate 4.00 "
     "GiB.\r\n"
     "    GPU 0 has a total capacity\n\t  of \x1b[1m4.00 GiB\x1b[0m of which\n     41.50 MiB is "
     "free. Of "
     "the\n   allocated memory\n   2.50 GiB is allocated by PyTorch, and 2.00 MiB is reserved\n   "
     "by "
     "PyTorch but\n   unallocated.",
     4 * GIB, 5 * GIB / 2, 2 * MIB, true, ZV_CAUSE_CAPACITY},
    /* the last message that says how much */
    {"Tried to allocate 32.00 MiB.\nTried to allocate more than 1EB memory.", 32 * MIB, 0, 0, false,
     ZV_CAUSE_CAPACITY},
    {"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8345.50 MiB on device 0: cudaMalloc "
     "failed: out of memory",
     16691 * MIB / 2, 0, 0, false, ZV_CAUSE_PEAK},
};

static void test_wordings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_oom_message message;
        assert_true(zv_oom_message_find(&message, zv_slice_of(rows[i].text)));
        assert_int_equal(message.requested.bytes, rows[i].requested);
        assert_int_equal(message.allocated.bytes, rows[i].allocated);
        assert_int_equal(message.unallocated.bytes, rows[i].unallocated);
        assert_int_equal(message.kind_known, rows[i].kind_known);
        if (rows[i].kind_known && message.kind != rows[i].kind) {
            fail_msg("row %zu: %s", i, zv_cause_name(message.kind));
        }
    }
}

static void test_pieces(void **state)
{
    (void)state;
    struct zv_oom_message message;
    assert_true(zv_oom_message_find(
        &message,
        zv_slice_of("a\nb\nTried to allocate 1.00 GiB (GPU 0; 2.00 GiB total\ncapacity")));
    assert_int_equal(message.line, 3);
    assert_int_equal(message.requested.within_bytes, GIB / 200);
    assert_false(message.kind_known);
    assert_false(zv_oom_words_find(&message, zv_slice_of("all is well\n")));
    assert_true(zv_oom_words_find(&message, zv_slice_of("a\nRuntimeError: CUDA error: out of "
                                                        "memory\nb\n")));
    assert_int_equal(message.line, 2);
    assert_string_equal(message.sign->words, "CUDA error: out of memory");
    /* More than the card has, whatever was free. */
    assert_true(zv_oom_message_find(
        &message,
        zv_slice_of("XPU out of memory. Tried to allocate 12.00 GiB. GPU 0 has a total "
                    "capacity of 11.50 GiB. Of the allocated memory 1.00 GiB is allocated "
                    "by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.")));
    assert_true(message.kind_known);
    assert_int_equal(message.kind, ZV_CAUSE_CAPACITY);
    assert_int_equal(message.missing_bytes, UINT64_C(3) << 29);
    assert_false(zv_oom_message_find(&message, zv_slice_of("")));
    assert_false(zv_oom_message_find(&message, zv_slice_of("out of memory")));
    assert_false(zv_oom_message_find(&message, zv_slice_of("Tried to allocate many GiB")));
    assert_false(zv_oom_message_find(&message, zv_slice_of("allocating 1.00 MiB: fine")));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) { /* every prefix */
        for (size_t length = 0; length < strlen(rows[i].text); length++) {
            (void)zv_oom_message_find(&message, (struct zv_slice){rows[i].text, length});
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wordings),
                                       cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests_name("oom_message", tests, NULL, NULL);
}
