#include "format/unpack.h"

#include <stdlib.h>
#include <string.h>

#include "support/fail_memory.h"
#include "support/test.h"

/* "hello hello hello\n" as gzip and as zstd wrote it. */
static const char gzip[] =
    "\x1f\x8b\x08\0\0\0\0\0\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\0"
    "\x3b\x7c\x8a\xdf\x12\0\0\0";
static const char zstd[] =
    "\x28\xb5\x2f\xfd\x04\x58\x6d\0\0\x38\x68\x65\x6c\x6c\x6f\x20\x0a\x01\0\x31\x4a"
    "\x11\xa3\xaa\x74\xce";
static const char plain[] = "hello hello hello\n";
enum { GZIP_BYTES = sizeof gzip - 1, ZSTD_BYTES = sizeof zstd - 1, PLAIN_BYTES = 18 };

static void check(struct zv_slice input, unsigned times, size_t step)
{
    struct zv_unpacker unpacker;
    char out[4 * PLAIN_BYTES] = {0};
    size_t size = 0;
    assert_int_equal(zv_unpack_open(&unpacker, input, NULL), ZV_OK);
    for (;;) {
        const ptrdiff_t got = zv_unpack_read(&unpacker, (unsigned char *)out + size, step);
        assert_true(got >= 0);
        if (got == 0) {
            break;
        }
        size += (size_t)got;
        assert_true(size <= sizeof out - step);
    }
    assert_int_equal(size, times * PLAIN_BYTES);
    for (unsigned i = 0; i < times; i++) {
        assert_memory_equal(out + (size_t)i * PLAIN_BYTES, plain, PLAIN_BYTES);
    }
    zv_unpack_close(&unpacker);
}

static void test_reads(void **state)
{
    (void)state;
    char twice[2 * GZIP_BYTES];
    char twice_zstd[2 * ZSTD_BYTES];
    static const char skipped[] = "\x5d\x2a\x4d\x18\x03\0\0\0abc"; /* a frame of no content */
    char after_skipped[sizeof skipped - 1 + ZSTD_BYTES];
    memcpy(after_skipped, skipped, sizeof skipped - 1);
    memcpy(after_skipped + sizeof skipped - 1, zstd, ZSTD_BYTES);
    memcpy(twice, gzip, GZIP_BYTES);
    memcpy(twice + GZIP_BYTES, gzip, GZIP_BYTES);
    memcpy(twice_zstd, zstd, ZSTD_BYTES);
    memcpy(twice_zstd + ZSTD_BYTES, zstd, ZSTD_BYTES);
    for (size_t step = 1; step <= PLAIN_BYTES; step++) {
        check((struct zv_slice){plain, PLAIN_BYTES}, 1, step);
        check((struct zv_slice){gzip, GZIP_BYTES}, 1, step);
        check((struct zv_slice){zstd, ZSTD_BYTES}, 1, step);
        check((struct zv_slice){twice, sizeof twice}, 2, step);
        check((struct zv_slice){twice_zstd, sizeof twice_zstd}, 2, step);
        check((struct zv_slice){after_skipped, sizeof after_skipped}, 1, step);
    }
}

static void test_damage(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        size_t magic;
    } rows[] = {{gzip, GZIP_BYTES, 2}, {zstd, ZSTD_BYTES, 4}};
    for (size_t row = 0; row < 2; row++) {
        for (size_t length = rows[row].magic; length < rows[row].length; length++) {
            struct zv_buffer out = {.limit = 1 << 24};
            struct zv_error err = {0};
            const struct zv_slice cut = {rows[row].bytes, length};
            assert_int_equal(zv_unpack_all(cut, &out, &err), ZV_E_SYNTAX);
            assert_true(err.has_offset && err.offset <= length);
            zv_buffer_free(&out);
        }
        for (size_t at = rows[row].magic; at < rows[row].length; at++) {
            char changed[64];
            struct zv_buffer out = {.limit = 1 << 24};
            memcpy(changed, rows[row].bytes, rows[row].length);
            changed[at] = (char)(changed[at] ^ 0x55);
            (void)zv_unpack_all((struct zv_slice){changed, rows[row].length}, &out, NULL);
            zv_buffer_free(&out);
        }
    }
}

static void test_limit(void **state)
{
    (void)state;
    struct zv_buffer out = {.limit = 1 << 10};
    assert_int_equal(zv_unpack_all((struct zv_slice){gzip, GZIP_BYTES}, &out, NULL), ZV_E_LIMIT);
    zv_buffer_free(&out);
}

static void test_memory(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        const struct zv_slice input = {which == 0 ? gzip : zstd,
                                       which == 0 ? (size_t)GZIP_BYTES : (size_t)ZSTD_BYTES};
        for (size_t n = 1;; n++) {
            struct zv_buffer out = {.limit = 1 << 24};
            fail_memory_start(n);
            const enum zv_status status = zv_unpack_all(input, &out, NULL);
            zv_buffer_free(&out);
            fail_memory_stop();
            assert_int_equal(fail_memory.blocks, 0);
            assert_int_equal(status, fail_memory.failed != 0 ? ZV_E_NOMEM : ZV_OK);
            if (fail_memory.failed == 0) {
                break;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_limit), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("unpack", tests, NULL, NULL);
}
