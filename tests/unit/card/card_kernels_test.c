/* What kernels see of a card: the built-in table, row by row. */
#include "base/data.h"
#include "base/text_table.h"
#include "card/card.h"
#include "support/test.h"

static struct zv_arena arena;
static struct zv_card_table cards;
static struct zv_table rows;

static int load(void **state)
{
    (void)state;
    const struct zv_slice none = {0};
    return zv_card_table_load(&cards, none, none, &arena, NULL) == ZV_OK &&
                   zv_table_read(&rows, zv_data_find("card_kernels.tsv"), &arena, NULL) == ZV_OK
               ? 0
               : -1;
}

static int unload(void **state)
{
    (void)state;
    zv_arena_free(&arena);
    return 0;
}

static struct zv_slice cell(size_t row, const char *column)
{
    return zv_table_cell(&rows, row, zv_table_column(&rows, column));
}

/* One card a row, one row a card, and it says where it comes from. */
static void test_rows_and_cards(void **state)
{
    (void)state;
    assert_true(rows.row_count > 100);
    for (size_t i = 0; i < rows.row_count; i++) {
        size_t found = 0;
        size_t same = 0;
        for (size_t k = 0; k < cards.count; k++) {
            found += zv_slice_same(cards.cards[k].name, cell(i, "card"));
        }
        for (size_t k = 0; k < rows.row_count; k++) {
            same += zv_slice_same(cell(k, "card"), cell(i, "card"));
        }
        if (found != 1 || same != 1 || cell(i, "source").length == 0) {
            fail_msg("line %u: %.*s: %zu cards, %zu rows", (unsigned)rows.lines[i],
                     (int)cell(i, "card").length, cell(i, "card").at, found, same);
        }
    }
}

/* A compute capability is NVIDIA's; all of its cards have one. */
static void test_vendors(void **state)
{
    (void)state;
    for (size_t k = 0; k < cards.count; k++) {
        const struct zv_card *const card = &cards.cards[k];
        if (zv_slice_equal(card->vendor, "NVIDIA") != (card->kernels.capability != NULL)) {
            fail_msg("%.*s", (int)card->name.length, card->name.at);
        }
    }
}

/* "data sheet: 16384 CUDA cores, 128 a multiprocessor" */
static void test_sources_give_the_count(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t i = 0; i < rows.row_count; i++) {
        struct zv_slice rest = cell(i, "source");
        struct zv_slice word;
        uint64_t numbers[2] = {0};
        uint64_t processors = 0;
        size_t count = 0;
        if (!zv_slice_starts(rest, "data sheet:")) {
            continue;
        }
        while (zv_slice_word(&rest, &word) && count < 2) {
            count += zv_slice_u64(word, &numbers[count]);
        }
        assert_true(zv_slice_u64(cell(i, "processors"), &processors));
        if (numbers[0] == 0 || numbers[0] != processors * numbers[1]) {
            fail_msg("line %u", (unsigned)rows.lines[i]);
        }
        checked++;
    }
    assert_true(checked > 80);
}

static const struct {
    const char *name;
    uint32_t major;
    uint32_t minor;
    uint32_t processors; /* 0: not known */
    uint32_t threads;
} known[] = {
    {"RTX 4090", 8, 9, 128, 1536},
    {"NVIDIA H100 PCIe", 9, 0, 114, 2048},
    {"H100", 9, 0, 132, 2048},
    {"A100 80GB", 8, 0, 108, 2048},
    {"1g.10gb H100", 9, 0, 16, 2048},
    {"T4", 7, 5, 40, 1024},
    {"B200", 10, 0, 148, 2048},
    {"GB200", 10, 0, 0, 2048},
    {"RTX 5090", 12, 0, 170, 1536},
    {"RTX 5090 Laptop", 12, 0, 82, 1536},
    {"RTX 3080 Ti", 8, 6, 80, 1536},
    {"RTX 3080 10GB", 8, 6, 68, 1536},
    {"H800", 9, 0, 0, 2048},
    {"H20", 9, 0, 78, 2048},
    {"K80", 3, 7, 13, 2048},
    {"RTX 2070", 7, 5, 0, 1024},
    {"Jetson AGX Thor", 11, 0, 20, 1536},
};

static void test_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct zv_card *card = NULL;
        struct zv_error err = {0};
        if (zv_card_find(&cards, known[i].name, &card, &err) != ZV_OK) {
            fail_msg("%s", err.text);
        }
        const struct zv_card_kernels *const kernels = &card->kernels;
        if (kernels->capability == NULL || kernels->capability->major != known[i].major ||
            kernels->capability->minor != known[i].minor ||
            kernels->processors != known[i].processors ||
            kernels->capability->threads != known[i].threads) {
            fail_msg("%s", known[i].name);
        }
    }
}

/* A user's row of a built-in name changes its size, not its multiprocessors; a new card has none.
 */
static void test_cards_of_a_user(void **state)
{
    (void)state;
    struct zv_card_table own;
    struct zv_arena memory = {0};
    const struct zv_card *card = NULL;
    const struct zv_slice text =
        zv_slice_of("name\tvendor\tnominal\tneeds\nRTX 4090\tNVIDIA\t48GB\t4090\n"
                    "My Card\tNVIDIA\t10GB\tmine\n");
    assert_int_equal(zv_card_table_load(&own, text, (struct zv_slice){0}, &memory, NULL), ZV_OK);
    assert_int_equal(zv_card_find(&own, "4090", &card, NULL), ZV_OK);
    assert_true(card->user);
    assert_int_equal(card->kernels.processors, 128);
    assert_int_equal(zv_card_find(&own, "mine", &card, NULL), ZV_OK);
    assert_null(card->kernels.capability);
    assert_int_equal(card->kernels.processors, 0);
    zv_arena_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_and_cards),         cmocka_unit_test(test_vendors),
        cmocka_unit_test(test_sources_give_the_count), cmocka_unit_test(test_by_name),
        cmocka_unit_test(test_cards_of_a_user),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
