#include "decide/offers.h"

#include <string.h>

#include "base/units.h"
#include "support/fail_memory.h"
#include "support/test.h"

static const struct zv_offers_options at_day = {20786, false}; /* 2026-11-29 */

static const char own[] = "card,count,days,price,currency,memory,available\n"
                          "RTX 4090,2,3,47.14,USD,24GB,2026-12-01\n";
static const char sky[] = "Region,Price,AcceleratorName,AcceleratorCount,GpuInfo\n"
                          "r,1.5,A100-80GB,1.0,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 80}}]}\"\n"
                          "r,1.5,V100,8,\"{'Gpus': [{'MemoryInfo': {'SizeInMiB': 16384}}], "
                          "'TotalGpuMemoryInMiB': 16384}\"\n"
                          "r,1.5,,,\nr,,L4,1,\nr,nan,L4,1,\nr,2,L4,0.5,\n";
static const char hunt[] = "gpu_name,gpu_count,gpu_memory,price,spot\nRTX4090,1,24.0,0.4,False\n"
                           "RTX4090,1,24.0,0.2,True\n,0,,0.1,False\n";
static const char vast[] = "[{\"gpu_name\": \"RTX 4090\", \"num_gpus\": 4, \"gpu_ram\": 24564,\n"
                           "\"dph_base\": 1.25, \"id\": 7}]";
static const char yaml[] = "schema: zirve.offers/1\noffers:\n"
                           "  - {card: L4, price: 5, currency: EUR, days: 1, memory: 24GB}\n";

static enum zv_status read_text(const char *text, size_t length, const char *name,
                                struct zv_offers *offers, struct zv_arena *arena)
{
    return zv_offers_read(offers, (struct zv_slice){text, length}, name, &at_day, arena, NULL);
}

static void test_formats(void **state)
{
    (void)state;
    struct zv_arena arena = {0};
    struct zv_offers offers = {0};
    assert_int_equal(read_text(own, strlen(own), "own.csv", &offers, &arena), ZV_OK);
    assert_int_equal(read_text(sky, strlen(sky), "sky.csv", &offers, &arena), ZV_OK);
    assert_int_equal(read_text(hunt, strlen(hunt), "hunt.csv", &offers, &arena), ZV_OK);
    assert_int_equal(read_text(vast, strlen(vast), "vast.json", &offers, &arena), ZV_OK);
    assert_int_equal(read_text(yaml, strlen(yaml), "own.yaml", &offers, &arena), ZV_OK);
    static const struct {
        const char *card;
        uint32_t count;
        uint64_t memory;
        uint64_t nano;
        uint32_t days;
        uint64_t line;
    } rows[] = {
        {"RTX 4090", 2, 24000000000, 47140000000, 3, 2},
        {"A100-80GB", 1, 80000000000, 1500000000, 0, 2}, /* "SizeInMiB" that is GB */
        {"V100", 8, 16384 * ZV_MIB, 1500000000, 0, 3},   /* the total is that of one card */
        {"RTX4090", 1, 24000000000, 400000000, 0, 2},
        {"RTX 4090", 4, 24564 * ZV_MIB, 1250000000, 0, 1},
        {"L4", 1, 24000000000, 5000000000, 1, 3},
    };
    assert_int_equal(offers.count, sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < offers.count; i++) {
        const struct zv_offer *const offer = &offers.items[i];
        assert_true(zv_slice_equal(offer->card, rows[i].card));
        assert_int_equal(offer->count, rows[i].count);
        assert_true(offer->memory_bytes == rows[i].memory);
        assert_true(offer->price.nano == rows[i].nano);
        assert_int_equal(offer->batch_days, rows[i].days);
        assert_int_equal(offer->line, rows[i].line);
    }
    assert_int_equal(offers.mended, 1);
    assert_int_equal(offers.without_card, 3);
    assert_int_equal(offers.without_price, 3);
    zv_arena_free(&arena);
}

static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *name;
    } rows[] = {
        {own, "a.csv"}, {sky, "a.csv"}, {hunt, "a.csv"}, {vast, "a.json"}, {yaml, "a.yaml"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t whole = strlen(rows[i].text);
        for (size_t length = 0; length <= whole; length++) {
            struct zv_arena arena = {0};
            struct zv_offers offers = {0};
            struct zv_error err = {0};
            const struct zv_slice part = {rows[i].text, length};
            const enum zv_status status =
                zv_offers_read(&offers, part, rows[i].name, &at_day, &arena, &err);
            assert_true(status == ZV_OK || (err.status == status && err.where[0] != 0));
            zv_arena_free(&arena);
        }
        for (size_t n = 1;; n++) {
            struct zv_arena arena = {0};
            struct zv_offers offers = {0};
            fail_memory_start(n);
            const enum zv_status status =
                read_text(rows[i].text, whole, rows[i].name, &offers, &arena);
            zv_arena_free(&arena);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats),
                                       cmocka_unit_test(test_hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
