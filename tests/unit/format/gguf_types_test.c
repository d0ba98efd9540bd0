#include "format/gguf_types.h"

#include <string.h>

#include "support/test.h"

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t id;
        const char *name;
        uint64_t row;
        uint64_t rows;
        uint64_t bytes; /* 0: refused */
    } rows[] = {
        {0, "F32", 3, 5, 60},
        {2, "Q4_0", 32, 1, 18},
        {2, "Q4_0", 4096, 4096, 9437184}, /* 4.5 bits */
        {8, "Q8_0", 4096, 1, 4352},
        {12, "Q4_K", 4096, 1, 2304},
        {14, "Q6_K", 256, 1, 210},
        {19, "IQ1_S", 256, 1, 50},
        {30, "BF16", 7, 1, 14},
        {34, "TQ1_0", 256, 1, 54},
        {35, "TQ2_0", 256, 1, 66},
        {36, "I2_S", 2560, 640, 409632}, /* 2 bits and 32 bytes */
        {39, "MXFP4", 2880, 1, 1530},
        {40, "NVFP4", 64, 1, 36},
        {42, "Q2_0", 64, 1, 18},
        {144, "IQ4_KS", 4096, 2, 4360},
        {145, "IQ2_KS", 256, 1, 72},
        {219, "IQ1_S_R4", 32, 4, 32},
        {399, "Q8_K_R8", 256, 1, 258},
        {2, "Q4_0", 33, 1, 0},
        {4, "Q4_2", 32, 1, 0},
        {0, "F32", UINT64_C(1) << 62, 1, 0},
        {0, "F32", UINT64_C(1) << 32, UINT64_C(1) << 32, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct zv_gguf_type *const type = zv_gguf_type_find(rows[i].id);
        assert_non_null(type);
        assert_string_equal(type->name, rows[i].name);
        uint64_t bytes = 0;
        assert_int_equal(zv_gguf_type_bytes(type, rows[i].row, rows[i].rows, &bytes),
                         rows[i].bytes != 0);
        assert_int_equal(bytes, rows[i].bytes);
    }
}

static void test_table(void **state)
{
    (void)state;
    assert_null(zv_gguf_type_find(43));
    assert_null(zv_gguf_type_find(UINT32_MAX));
    assert_null(zv_gguf_type_named(zv_slice_of("q4")));
    assert_int_equal(zv_gguf_type_named(zv_slice_of("q4_k"))->id, 12);
    assert_null(zv_gguf_type_at(zv_gguf_type_count()));
    for (size_t i = 0; i < zv_gguf_type_count(); i++) {
        const struct zv_gguf_type *const type = zv_gguf_type_at(i);
        assert_ptr_equal(zv_gguf_type_find(type->id), type);
        assert_ptr_equal(zv_gguf_type_named(zv_slice_of(type->name)), type);
        assert_true(i == 0 || type->id > zv_gguf_type_at(i - 1)->id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_table)};
    return cmocka_run_group_tests_name("gguf_types", tests, NULL, NULL);
}
