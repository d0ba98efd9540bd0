#include "format/safetensors_entry.h"

#include <stdlib.h>
#include <string.h>

#include "support/spaced_header.h"
#include "support/test.h"

#define ENTRY ",\"a.b\":{\"dtype\":\"BF16\",\"shape\":[20,3],\"data_offsets\":[0,120]}"

/* Reads text from memory of exactly its length: how far; 0 when it is left to the reader of JSON.
 */
static size_t read(const char *text, size_t length, struct zv_safetensors_tensor *tensor,
                   uint64_t offsets[2])
{
    char *const exact = malloc(length + 1);
    assert_non_null(exact);
    memcpy(exact + 1, text, length);
    const char *const end = safetensors_entry(exact + 1, exact + 1 + length, tensor, offsets);
    const size_t taken = end != NULL ? (size_t)(end - exact) - 1 : 0;
    free(exact);
    return taken;
}

static void test_entry(void **state)
{
    (void)state;
    struct zv_safetensors_tensor tensor;
    uint64_t offsets[2];
    assert_int_equal(read(ENTRY "x", sizeof ENTRY, &tensor, offsets), sizeof ENTRY - 1);
    assert_int_equal(tensor.name.length, 3);
    assert_int_equal(tensor.dtype.length, 4);
    assert_int_equal(tensor.type, zv_safetensors_type(zv_slice_of("BF16")));
    assert_int_equal(tensor.bits, 16);
    assert_int_equal(tensor.dims, 2);
    assert_int_equal(tensor.shape[0], 20);
    assert_int_equal(tensor.shape[1], 3);
    assert_int_equal(offsets[0], 0);
    assert_int_equal(offsets[1], 120);
    for (size_t length = 0; length < sizeof ENTRY - 1; length++) {
        assert_int_equal(read(ENTRY, length, &tensor, offsets), 0);
    }
}

/* What is taken, and what is left to the reader of JSON. */
static void test_rows(void **state)
{
    static const struct {
        const char *text;
        bool taken;
    } rows[] = {
        {",\"\":{\"dtype\":\"X\",\"shape\":[],\"data_offsets\":[0,0]}", true},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[1,1,1,1,1,1,1,1],\"data_offsets\":[0,0]}", true},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,0]}", false},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[9999999999999999999],\"data_offsets\":[0,0]}", true},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[10000000000000000000],\"data_offsets\":[0,0]}", false},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[01],\"data_offsets\":[0,0]}", false},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[1.0],\"data_offsets\":[0,0]}", false},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[1,],\"data_offsets\":[0,0]}", false},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[1],\"data_offsets\":[0,0,0]}", false},
        {",\"a\":{\"dtype\":\"X\",\"shape\":[1],\"data_offsets\":[0, 0]}", false},
        {",\"a\":{\"shape\":[1],\"dtype\":\"X\",\"data_offsets\":[0,0]}", false},
        {",\"a\\u0062\":{\"dtype\":\"X\",\"shape\":[],\"data_offsets\":[0,0]}", false},
        {",\"a\xc3\xa9\":{\"dtype\":\"X\",\"shape\":[],\"data_offsets\":[0,0]}", false},
        {",\"a\n\":{\"dtype\":\"X\",\"shape\":[],\"data_offsets\":[0,0]}", false},
        {",\"0123456789abcdef\x80\":{\"dtype\":\"X\",\"shape\":[],\"data_offsets\":[0,0]}", false},
        {", \"a\":{\"dtype\":\"X\",\"shape\":[],\"data_offsets\":[0,0]}", false},
        {",\"__metadata__\":{\"dtype\":\"X\",\"shape\":[],\"data_offsets\":[0,0]}", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct zv_safetensors_tensor tensor;
        uint64_t offsets[2];
        const size_t length = strlen(rows[i].text);
        const size_t taken = read(rows[i].text, length, &tensor, offsets);
        if (taken != (rows[i].taken ? length : 0)) {
            fail_msg("%s: %zu bytes are taken", rows[i].text, taken);
        }
    }
}

static void check(const char *text, size_t length, size_t data)
{
    char *const file = calloc(1, sizeof(uint64_t) + length + data);
    const uint64_t prefix = length;
    assert_non_null(file);
    memcpy(file, &prefix, sizeof prefix);
    memcpy(file + sizeof prefix, text, length);
    const char *const differs =
        spaced_header_differs((struct zv_slice){file, sizeof prefix + length + data});
    if (differs != NULL) {
        fail_msg("%.*s: %s differs", (int)length, text, differs);
    }
    free(file);
}

/* Any byte changed, or the text cut anywhere: as the reader of JSON alone would have it. */
static void test_every_byte(void **state)
{
    static const char text[] =
        "{\"__metadata__\":{\"format\":\"pt\"},"
        "\"model.layers.0.mlp.experts.0.down_proj.weight\":{\"dtype\":\"F8_E4M3\",\"shape\":[2,3],"
        "\"data_offsets\":[0,6]},"
        "\"model.layers.0.mlp.experts.0.down_proj.weight_scale_inv\":{\"dtype\":\"F32\",\"shape\":["
        "],\"data_offsets\":[6,10]},"
        "\"model.layers.0.mlp.experts.1.down_proj.weight\":{\"dtype\":\"F8_E4M3\",\"shape\":[2,3],"
        "\"data_offsets\":[10,16]},"
        "\"model.layers.0.mlp.experts.1.down_proj.weight_scale_inv\":{\"dtype\":\"F32\",\"shape\":["
        "],\"data_offsets\":[16,20]}}  ";
    static const unsigned char others[] = {0,   '\n', ' ', '"', '\\', ',', ':', '{',  '}',
                                           '[', ']',  '0', '1', '.',  '-', 'z', 0x80, 0xc3};
    enum { LENGTH = sizeof text - 1, DATA = 20 };
    char changed[LENGTH];
    (void)state;
    check(text, LENGTH, DATA);
    check(text, LENGTH, DATA - 1);
    check(text, LENGTH, DATA + 1);
    for (size_t at = 0; at < LENGTH; at++) {
        check(text, at, DATA);
        for (size_t i = 0; i < sizeof others; i++) {
            memcpy(changed, text, LENGTH);
            changed[at] = (char)others[i];
            check(changed, LENGTH, DATA);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entry),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_every_byte),
    };
    return cmocka_run_group_tests_name("safetensors_entry", tests, NULL, NULL);
}
