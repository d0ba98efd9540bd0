#include "model/dtype.h"

#include <string.h>

#include "support/test.h"

static void test_names(void **state)
{
    static const struct {
        const char *text;
        enum zv_dtype dtype;
        const char *name;
    } rows[] = {
        {"bfloat16", ZV_DTYPE_BF16, "bf16"},
        {"BF16", ZV_DTYPE_BF16, "bf16"},
        {"torch.bfloat16", ZV_DTYPE_BF16, "bf16"},
        {"float16", ZV_DTYPE_F16, "f16"},
        {"F8_E4M3", ZV_DTYPE_F8_E4M3, "fp8_e4m3"},
        {"fp8", ZV_DTYPE_F8_E4M3, "fp8_e4m3"},
        {"int8", ZV_DTYPE_I8, "i8"},
        {"q8_0", ZV_DTYPE_GGML + 8, "q8_0"},
        {"Q4_K", ZV_DTYPE_GGML + 12, "q4_K"},
        {"q2_k", ZV_DTYPE_GGML + 10, "q2_K"},
        {"nonsense", ZV_DTYPE_UNKNOWN, "unknown"},
        {"", ZV_DTYPE_UNKNOWN, "unknown"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(zv_dtype_parse(zv_slice_of(rows[i].text)), rows[i].dtype);
        assert_string_equal(zv_dtype_name(rows[i].dtype), rows[i].name);
    }
}

static void test_bytes(void **state)
{
    static const struct {
        enum zv_dtype dtype;
        uint64_t elements;
        bool ok;
        uint64_t bytes;
    } rows[] = {
        {ZV_DTYPE_F32, 3, true, 12},          {ZV_DTYPE_F4, 6, true, 3},
        {ZV_DTYPE_F4, 7, false, 0},           {ZV_DTYPE_GGML + 8, 64, true, 68},
        {ZV_DTYPE_GGML + 8, 33, false, 0},    {ZV_DTYPE_GGML + 12, 256, true, 144},
        {ZV_DTYPE_GGML + 500, 256, false, 0}, {ZV_DTYPE_UNKNOWN, 1, false, 0},
        {ZV_DTYPE_F64, UINT64_MAX, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t bytes = 0;
        assert_int_equal(zv_dtype_bytes(rows[i].dtype, rows[i].elements, &bytes), rows[i].ok);
        assert_int_equal(bytes, rows[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
