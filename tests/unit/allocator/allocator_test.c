/* The public interface: what each policy does, what is refused, and what a failure leaves behind.
 */
#include "zirve/allocator.h"

#include "support/allocator_calls.h"
#include "support/fail_memory.h"
#include "support/test.h"

#define MIB (UINT64_C(1) << 20)

/* Request, block handed out, segment taken: each boundary of the rules. */
static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *conf;
        uint64_t bytes;
        uint64_t block;
        uint64_t segment;
    } rows[] = {
        {"", 1, 512, 2 * MIB},
        {"", 512, 512, 2 * MIB},
        {"", 513, 1024, 2 * MIB},
        {"", MIB, MIB, 2 * MIB},
        {"", MIB + 1, MIB + 512, 20 * MIB},
        {"", 10 * MIB - 512, 10 * MIB - 512, 20 * MIB},
        {"", 10 * MIB, 10 * MIB, 10 * MIB},
        {"", 10 * MIB + 1, 10 * MIB + 512, 12 * MIB},
        {"", 11 * MIB, 12 * MIB, 12 * MIB}, /* the rest is not above 1 MiB */
        {"", 19 * MIB, 20 * MIB, 20 * MIB},
        {"", 21 * MIB - 1, 22 * MIB, 22 * MIB},
        {"expandable_segments:True", 1, 512, 2 * MIB},
        {"expandable_segments:True", 5 * MIB, 5 * MIB, 20 * MIB},
        {"expandable_segments:True", 21 * MIB, 21 * MIB, 40 * MIB},
        {"roundup_power2_divisions:4", 4 * MIB + 1, 5 * MIB, 20 * MIB},
        {"roundup_power2_divisions:4", 2048, 2048, 2 * MIB},
        {"roundup_power2_divisions:4", 2049, 2560, 2 * MIB},
        {"roundup_power2_divisions:1", 4 * MIB + 1, 4 * MIB + 512, 20 * MIB},
        {"roundup_power2_divisions:[2:4,>:1]", 1500000, 1572864, 20 * MIB},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_allocator *const allocator =
            allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, rows[i].conf, 1000 * MIB);
        const struct zv_allocation got = allocator_take(allocator, rows[i].bytes, 0);
        const struct zv_usage usage = zv_allocator_usage(allocator);
        assert_int_equal(usage.allocated_bytes, rows[i].block);
        assert_int_equal(usage.reserved_bytes, rows[i].segment);
        assert_int_equal(usage.requested_bytes, rows[i].bytes);
        allocator_give(allocator, got);
        assert_int_equal(zv_allocator_empty_cache(allocator, NULL), ZV_OK);
        assert_int_equal(allocator_reserved(allocator), 0);
        zv_allocator_close(allocator);
    }
}

static void test_size_zero_is_nothing(void **state)
{
    (void)state;
    for (int policy = 0; policy < ZV_POLICY_COUNT; policy++) {
        struct zv_allocator *const allocator =
            allocator_open_with((enum zv_policy)policy, ZV_TORCH_2_6, NULL, 100 * MIB);
        const struct zv_allocation got = allocator_take(allocator, 0, 0);
        assert_int_equal(got.address, 0);
        allocator_give(allocator, got);
        assert_int_equal(zv_allocator_record_stream(allocator, got, 3, NULL), ZV_OK);
        assert_int_equal(allocator_stats(allocator).counters[ZV_STAT_ALLOCATION][0].allocated, 0);
        zv_allocator_close(allocator);
    }
}

static void test_what_is_refused(void **state)
{
    (void)state;
    for (int policy = 0; policy < ZV_POLICY_COUNT; policy++) {
        struct zv_allocator *const allocator =
            allocator_open_with((enum zv_policy)policy, ZV_TORCH_2_6, NULL, 100 * MIB);
        struct zv_allocation got = allocator_take(allocator, 1000, 0);
        struct zv_allocation other;
        assert_int_equal(zv_allocator_malloc(allocator, (UINT64_C(1) << 48) + 1, 0, &other, NULL),
                         ZV_E_LIMIT);
        assert_int_equal(other.address, 0);
        allocator_give(allocator, got);
        assert_int_equal(zv_allocator_free(allocator, got, NULL), ZV_E_USAGE);
        assert_int_equal(zv_allocator_record_stream(allocator, got, 1, NULL), ZV_E_USAGE);
        other = allocator_take(allocator, 1000, 0); /* the same place: the old handle stays dead */
        assert_int_equal(zv_allocator_free(allocator, got, NULL), ZV_E_USAGE);
        got.block = 1000000;
        assert_int_equal(zv_allocator_free(allocator, got, NULL), ZV_E_USAGE);
        allocator_give(allocator, other);
        assert_int_equal(zv_allocator_set_fraction(allocator, 1.5, NULL), ZV_E_USAGE);
        assert_int_equal(zv_allocator_set_conf(allocator, "what:1", NULL), ZV_E_SYNTAX);
        assert_int_equal(zv_allocator_set_conf(allocator, "backend:cudaMallocAsync", NULL),
                         ZV_E_UNSUPPORTED);
        if (policy != ZV_POLICY_CACHING) {
            assert_int_equal(zv_allocator_pool_retain(allocator, 1, 0, NULL), ZV_E_UNSUPPORTED);
        }
        zv_allocator_close(allocator);
    }
    struct zv_allocator *allocator;
    const struct zv_allocator_options none = {.capacity_bytes = 0};
    assert_int_equal(zv_allocator_open(&allocator, &none, NULL), ZV_E_LIMIT);
    assert_null(allocator);
    const struct zv_allocator_options wild = {.policy = (enum zv_policy)17, .capacity_bytes = MIB};
    assert_int_equal(zv_allocator_open(&allocator, &wild, NULL), ZV_E_USAGE);
    zv_allocator_close(NULL);
}

/* One stream too many, and the list of a stream that nobody had before. */
static void test_streams(void **state)
{
    (void)state;
    struct zv_allocator *const allocator =
        allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, NULL, UINT64_C(1) << 40);
    enum zv_status status = ZV_OK;
    uint64_t stream = 0;
    while (status == ZV_OK) {
        struct zv_allocation got;
        status = zv_allocator_malloc(allocator, 512, stream * 7919, &got, NULL);
        stream += status == ZV_OK;
    }
    assert_int_equal(status, ZV_E_LIMIT);
    assert_int_equal(stream, 1024);
    assert_int_equal(allocator_reserved(allocator), stream * 2 * MIB);
    assert_int_equal(zv_allocator_check(allocator, NULL), ZV_OK);
    zv_allocator_close(allocator);
}

/* 5 GB free in four holes, none of them 2 GB: only expandable segments can serve it. */
static void test_a_hole_too_small(void **state)
{
    (void)state;
    static const char *const confs[] = {"", "expandable_segments:True"};
    for (int i = 0; i < 2; i++) {
        struct zv_allocator *const allocator =
            allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, confs[i], UINT64_C(6600000000));
        struct zv_allocation holes[4];
        for (int k = 0; k < 4; k++) {
            allocator_give(allocator, allocator_take(allocator, 1500000000, 0));
            assert_int_not_equal(allocator_take(allocator, 250000000, 0).address, 0);
            holes[k] = allocator_take(allocator, 1250000000, 0);
        }
        for (int k = 0; k < 4; k++) {
            allocator_give(allocator, holes[k]);
        }
        const struct zv_usage usage = zv_allocator_usage(allocator);
        assert_true(usage.reserved_bytes - usage.active_bytes >= UINT64_C(5000000000));
        const struct zv_allocation got = allocator_take(allocator, 2000000000, 0);
        assert_int_equal(got.address != 0, i == 1);
        assert_int_equal(allocator_stats(allocator).num_ooms, i == 0);
        assert_int_equal(zv_allocator_check(allocator, NULL), ZV_OK);
        zv_allocator_close(allocator);
    }
}

/* What no address range can hold asks for a new range each time the driver is asked. */
static void test_more_than_a_range(void **state)
{
    (void)state;
    struct zv_allocator *const allocator =
        allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, "expandable_segments:True", 100 * MIB);
    for (unsigned i = 1; i <= 40; i++) {
        assert_int_equal(allocator_take(allocator, 1000 * MIB, 0).address, 0);
        assert_int_equal(allocator_stats(allocator).num_ooms, i);
    }
    assert_int_equal(zv_allocator_check(allocator, NULL), ZV_OK);
    zv_allocator_close(allocator);
}

/* An oversize block serves a request only with less slack than max_non_split_rounding. */
static void test_slack_of_oversize_blocks(void **state)
{
    (void)state;
    static const char conf[] = "max_split_size_mb:24,max_non_split_rounding_mb:22";
    for (uint64_t more = 0; more <= 512; more += 512) {
        struct zv_allocator *const allocator =
            allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, conf, 1000 * MIB);
        allocator_give(allocator, allocator_take(allocator, 46 * MIB, 0));
        const struct zv_allocation got = allocator_take(allocator, 24 * MIB + more, 0);
        assert_int_equal(allocator_reserved(allocator), more == 0 ? 70 * MIB : 46 * MIB);
        assert_int_equal(allocator_stats(allocator).oversize_allocations.current, 1);
        allocator_give(allocator, got);
        zv_allocator_close(allocator);
    }
}

/* On a full card oversize blocks go back, the largest first, until there is enough. */
static void test_oversize_blocks_go_back(void **state)
{
    (void)state;
    struct zv_allocator *const allocator =
        allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, "max_split_size_mb:24", 130 * MIB);
    struct zv_allocation cached[3];
    for (uint64_t i = 0; i < 3; i++) {
        cached[i] = allocator_take(allocator, (30 + 10 * i) * MIB, 0);
    }
    for (int i = 0; i < 3; i++) {
        allocator_give(allocator, cached[i]);
    }
    assert_int_not_equal(allocator_take(allocator, 60 * MIB, 0).address, 0);
    assert_int_equal(allocator_reserved(allocator), (30 + 60) * MIB);
    assert_int_equal(allocator_stats(allocator).num_alloc_retries, 0);
    zv_allocator_close(allocator);
}

static void test_memory_fraction(void **state)
{
    (void)state;
    for (int profile = 0; profile < ZV_TORCH_COUNT; profile++) {
        struct zv_allocator *const allocator =
            allocator_open_with(ZV_POLICY_CACHING, (enum zv_torch_profile)profile, NULL, 100 * MIB);
        assert_int_equal(zv_allocator_set_fraction(allocator, 0.5, NULL), ZV_OK);
        assert_int_not_equal(allocator_take(allocator, 40 * MIB, 0).address, 0);
        assert_int_equal(allocator_take(allocator, 20 * MIB, 0).address, 0);
        /* the limit was in the way, not the card: no driver call failed */
        struct zv_driver_calls calls;
        zv_allocator_get_calls(allocator, &calls);
        assert_int_equal(calls.allocate_failed, 0);
        assert_int_equal(zv_allocator_set_fraction(allocator, 1.0, NULL), ZV_OK);
        assert_int_not_equal(allocator_take(allocator, 20 * MIB, 0).address, 0);
        zv_allocator_close(allocator);
    }
}

/* Later versions: turned away before anything is given back, and counted apart. */
static void test_throw_on_oom(void **state)
{
    (void)state;
    struct zv_allocator *const allocator = allocator_open_with(
        ZV_POLICY_CACHING, ZV_TORCH_2_14, "throw_on_cudamalloc_oom:True", 100 * MIB);
    allocator_give(allocator, allocator_take(allocator, 60 * MIB, 0));
    assert_int_equal(allocator_take(allocator, 80 * MIB, 0).address, 0);
    struct zv_memory_stats stats = allocator_stats(allocator);
    assert_int_equal(stats.num_oom_rejections, 1);
    assert_int_equal(stats.num_ooms, 0);
    assert_int_equal(stats.num_alloc_retries, 0);
    assert_int_equal(allocator_reserved(allocator), 60 * MIB);
    zv_allocator_close(allocator);
    /* with a fraction in the same settings the ordinary limit comes first */
    struct zv_allocator *const limited = allocator_open_with(
        ZV_POLICY_CACHING, ZV_TORCH_2_14,
        "throw_on_cudamalloc_oom:True,per_process_memory_fraction:0.5", 100 * MIB);
    assert_int_equal(allocator_take(limited, 60 * MIB, 0).address, 0);
    stats = allocator_stats(limited);
    assert_int_equal(stats.num_oom_rejections, 0);
    assert_int_equal(stats.num_ooms, 1);
    zv_allocator_close(limited);
}

static void test_large_segments(void **state)
{
    (void)state;
    struct zv_allocator *const allocator = allocator_open_with(
        ZV_POLICY_CACHING, ZV_TORCH_2_14, "large_segment_size_mb:64", 1000 * MIB);
    (void)allocator_take(allocator, 5 * MIB, 0);
    assert_int_equal(allocator_reserved(allocator), 64 * MIB);
    zv_allocator_close(allocator);
}

static void test_resets(void **state)
{
    (void)state;
    struct zv_allocator *const allocator =
        allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, NULL, 100 * MIB);
    const struct zv_allocation kept = allocator_take(allocator, 1024, 0);
    allocator_give(allocator, allocator_take(allocator, 4096, 0));
    zv_allocator_reset_peaks(allocator);
    zv_allocator_reset_accumulated(allocator);
    const struct zv_counter *counter;
    struct zv_memory_stats stats = allocator_stats(allocator);
    counter = &stats.counters[ZV_STAT_ALLOCATED_BYTES][ZV_STAT_SMALL_POOL];
    assert_int_equal(counter->current, 1024);
    assert_int_equal(counter->peak, 1024);
    assert_int_equal(counter->allocated, 0);
    assert_int_equal(counter->freed, 0);
    allocator_give(allocator, kept);
    stats = allocator_stats(allocator);
    assert_int_equal(counter->freed, 1024);
    assert_int_equal(counter->current, 0);
    assert_int_equal(stats.counters[ZV_STAT_ACTIVE][ZV_STAT_ALL].freed, 1);
    zv_allocator_close(allocator);
}

/* A block that another stream uses comes back when the host has waited for a point after its free.
 */
static void test_work_until(void **state)
{
    (void)state;
    struct zv_allocator *const allocator =
        allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, NULL, 100 * MIB);
    const uint64_t before = zv_allocator_queued(allocator);
    const struct zv_allocation a = allocator_take(allocator, 20 * MIB, 0);
    assert_int_equal(zv_allocator_record_stream(allocator, a, 1, NULL), ZV_OK);
    allocator_give(allocator, a);
    assert_int_equal(zv_allocator_finish_until(allocator, before, NULL), ZV_OK);
    allocator_give(allocator, allocator_take(allocator, 20 * MIB, 0));
    assert_int_equal(allocator_reserved(allocator), 40 * MIB);
    assert_int_equal(zv_allocator_finish_until(allocator, zv_allocator_queued(allocator), NULL),
                     ZV_OK);
    const struct zv_allocation b = allocator_take(allocator, 20 * MIB, 0);
    const struct zv_allocation c = allocator_take(allocator, 20 * MIB, 0);
    assert_int_equal(allocator_reserved(allocator), 40 * MIB);
    allocator_give(allocator, b);
    allocator_give(allocator, c);
    zv_allocator_close(allocator);
}

/* The n-th allocation of host memory fails: an error or nothing changes, and nothing leaks. */
static enum zv_status exercise(const char *conf, enum zv_policy policy)
{
    const struct zv_allocator_options options = {
        .policy = policy, .conf = conf, .capacity_bytes = 200 * MIB};
    struct zv_allocator *allocator;
    struct zv_allocation live[400] = {{0}};
    enum zv_status status = zv_allocator_open(&allocator, &options, NULL);
    if (status != ZV_OK) {
        return status;
    }
    for (unsigned i = 0; i < 400 && status == ZV_OK; i++) {
        status = zv_allocator_malloc(allocator, 512 + i * UINT64_C(3001), i % 3, &live[i], NULL);
        if (status == ZV_OK && i % 4 == 0) {
            status = zv_allocator_record_stream(allocator, live[i], (i + 1) % 3, NULL);
        }
        if (status == ZV_OK && i >= 20) {
            status = zv_allocator_free(allocator, live[i - 20], NULL);
        }
        assert_int_equal(zv_allocator_check(allocator, NULL), ZV_OK);
    }
    if (status == ZV_OK) {
        status = zv_allocator_empty_cache(allocator, NULL);
    }
    if (status == ZV_OK && policy == ZV_POLICY_CACHING) {
        status = zv_allocator_pool_retain(allocator, 3, 0, NULL);
    }
    assert_int_equal(zv_allocator_check(allocator, NULL), ZV_OK);
    zv_allocator_close(allocator);
    return status;
}

static void test_host_memory_fails(void **state)
{
    (void)state;
    static const char *const confs[] = {"", "expandable_segments:True"};
    for (int i = 0; i < 2 * ZV_POLICY_COUNT; i++) {
        for (size_t n = 1;; n++) {
            fail_memory_start(n);
            const enum zv_status status = exercise(confs[i % 2], (enum zv_policy)(i / 2));
            fail_memory_stop();
            assert_int_equal(fail_memory.blocks, 0);
            if (fail_memory.failed == 0) {
                assert_int_equal(status, ZV_OK);
                break;
            }
            assert_int_equal(status, ZV_E_NOMEM);
        }
    }
}

/* Once warm, no event allocates host memory. */
static void test_no_allocation_per_event(void **state)
{
    (void)state;
    fail_memory_start(0);
    struct zv_allocator *const allocator =
        allocator_open_with(ZV_POLICY_CACHING, ZV_TORCH_2_6, NULL, UINT64_C(1) << 40);
    struct zv_allocation live[64] = {{0}};
    size_t warm = 0;
    for (unsigned i = 0; i < 20000; i++) {
        struct zv_allocation *const at = &live[i * UINT64_C(2654435761) % 64];
        allocator_give(allocator, *at);
        *at = allocator_take(allocator, 1 + i * UINT64_C(40503) % (30 * MIB), i % 2);
        if (i == 10000) {
            warm = fail_memory.calls;
        }
    }
    assert_int_equal(fail_memory.calls, warm);
    zv_allocator_close(allocator);
    fail_memory_stop();
    assert_int_equal(fail_memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_size_zero_is_nothing),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_a_hole_too_small),
        cmocka_unit_test(test_slack_of_oversize_blocks),
        cmocka_unit_test(test_oversize_blocks_go_back),
        cmocka_unit_test(test_memory_fraction),
        cmocka_unit_test(test_throw_on_oom),
        cmocka_unit_test(test_large_segments),
        cmocka_unit_test(test_more_than_a_range),
        cmocka_unit_test(test_resets),
        cmocka_unit_test(test_work_until),
        cmocka_unit_test(test_host_memory_fails),
        cmocka_unit_test(test_no_allocation_per_event),
    };
    return cmocka_run_group_tests_name("allocator", tests, NULL, NULL);
}
