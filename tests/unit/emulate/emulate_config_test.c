/* The text that says which cards are emulated. */
#include <string.h>

#include "emulate/emulate.h"
#include "support/test.h"

static void test_all_fields(void **state)
{
    (void)state;
    static struct emulated_card cards[EMULATED_DEVICES];
    uint32_t count;
    assert_int_equal(
        emulated_config_read(
            cards, &count,
            " name=RTX 4090,total=25246564352,used=1048576,cc=8.9,processors=128,vmm=no,"
            "integrated=yes,events=delayed,fault=oom@5,fault=copy@2+;total=1 ",
            NULL),
        ZV_OK);
    assert_int_equal(count, 2);
    assert_string_equal(cards[0].name, "RTX 4090");
    assert_int_equal(cards[0].total_bytes, 25246564352);
    assert_int_equal(cards[0].used_bytes, 1048576);
    assert_int_equal(cards[0].compute_major, 8);
    assert_int_equal(cards[0].compute_minor, 9);
    assert_int_equal(cards[0].processors, 128);
    assert_true(cards[0].is_integrated);
    assert_false(cards[0].assumes_compute);
    assert_false(cards[0].assumes_processors);
    assert_false(cards[0].has_vmm);
    assert_true(cards[0].delays_events);
    assert_int_equal(cards[0].fault_count, 2);
    assert_int_equal(cards[0].faults[0].kind, EMULATED_FAULT_OOM);
    assert_int_equal(cards[0].faults[0].at, 5);
    assert_false(cards[0].faults[0].onward);
    assert_int_equal(cards[0].faults[1].kind, EMULATED_FAULT_COPY);
    assert_true(cards[0].faults[1].onward);
    assert_string_equal(cards[1].name, "card");
    assert_int_equal(cards[1].compute_major, 8);
    assert_int_equal(cards[1].processors, 108);
    assert_true(cards[1].assumes_compute);
    assert_true(cards[1].assumes_processors);
    assert_false(cards[1].is_integrated);
    assert_true(cards[1].has_vmm);
    assert_false(cards[1].delays_events);
}

static const struct {
    const char *text;
    const char *words;
} refused[] = {
    {"", "names no emulated card"},
    {NULL, "names no emulated card"},
    {";", "expected total="},
    {"name=x", "card x: expected total="},
    {"total=0", "total=0: expected bytes above 0"},
    {"total=24GB", "total=24GB: expected bytes above 0"},
    {"total=1,used=2", "with at least used="},
    {"total=1,used=", "used=: expected bytes"},
    {"total=1,cc=8", "cc=8: expected a compute capability"},
    {"total=1,cc=8.x", "cc=8.x: expected"},
    {"total=1,processors=0", "processors=0: expected 1 to 65535"},
    {"total=1,processors=65536", "expected 1 to 65535"},
    {"total=1,processors=", "expected 1 to 65535"},
    {"total=1,integrated=perhaps", "integrated=perhaps: expected yes or no"},
    {"total=1,vmm=maybe", "vmm=maybe: expected yes or no"},
    {"total=1,events=late", "events=late: expected prompt or delayed"},
    {"total=1,fault=oom", "fault=oom: expected oom, copy"},
    {"total=1,fault=oom@0", "fault=oom@0: expected"},
    {"total=1,fault=ooh@1", "fault=ooh@1: expected"},
    {"total=1,colour=red", "'colour=red': expected name, total"},
    {"total=1,name=", "name=: expected a name"},
    {"total=1,fault=oom@1,fault=oom@1,fault=oom@1,fault=oom@1,fault=oom@1,fault=oom@1,"
     "fault=oom@1,fault=oom@1,fault=oom@1",
     "at most 8"},
};

static void test_refused(void **state)
{
    (void)state;
    static struct emulated_card cards[EMULATED_DEVICES];
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct zv_error err = {0};
        uint32_t count = 7;
        const enum zv_status status = emulated_config_read(cards, &count, refused[i].text, &err);
        if (status != ZV_E_SYNTAX || count != 0 || strstr(err.text, refused[i].words) == NULL) {
            fail_msg("%s: %d, %s", refused[i].text, (int)status, err.text);
        }
    }
}

/* Sixteen cards are the most; every prefix of a text is read or refused, nothing else. */
static void test_limits(void **state)
{
    (void)state;
    static struct emulated_card cards[EMULATED_DEVICES];
    char text[256] = "";
    uint32_t count;
    for (int i = 0; i < EMULATED_DEVICES; i++) {
        (void)strncat(text, "total=9;", sizeof text - strlen(text) - 1);
    }
    assert_int_equal(emulated_config_read(cards, &count, text, NULL), ZV_OK);
    assert_int_equal(count, EMULATED_DEVICES);
    (void)strncat(text, "total=9;", sizeof text - strlen(text) - 1);
    assert_int_equal(emulated_config_read(cards, &count, text, NULL), ZV_E_LIMIT);
    const char whole[] =
        "name=a,total=9,used=1,cc=8.0,processors=9,vmm=yes,events=prompt,fault=lost@12+";
    for (size_t length = 0; length < sizeof whole; length++) {
        (void)memcpy(text, whole, length);
        text[length] = 0;
        const enum zv_status status = emulated_config_read(cards, &count, text, NULL);
        assert_true(status == ZV_OK ? count == 1 : status == ZV_E_SYNTAX && count == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fields),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
