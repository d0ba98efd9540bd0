/* The allocator over a device by dlopen: the emulated driver against the engine's own card. */
#include "zirve/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fail_memory.h"
#include "support/test.h"
#include "zirve/allocator.h"

static char library[512];

static int find_library(void **state)
{
    (void)state;
    const char *const folder = getenv("ZIRVE_EMULATE_DIR");
    (void)snprintf(library, sizeof library, "%s/libzirve-emulate.so", folder != NULL ? folder : "");
    return folder != NULL ? 0 : -1;
}

static struct zv_device *open_device(const char *name, const char *cards)
{
    const struct zv_device_options options = {.name = name, .library = library};
    struct zv_device *device;
    struct zv_error err = {0};
    assert_int_equal(setenv("ZIRVE_EMULATED_CARDS", cards, 1), 0);
    if (zv_device_open(&device, &options, &err) != ZV_OK) {
        fail_msg("%s", err.text);
    }
    return device;
}

static void test_facts(void **state)
{
    (void)state;
    struct zv_device *device =
        open_device("cuda:1", "total=9;name=RTX 4090,total=2097152000,used=2097152,cc=8.9");
    const struct zv_device_facts *facts = zv_device_facts(device);
    assert_string_equal(facts->backend, "CUDA");
    assert_string_equal(facts->name, "RTX 4090");
    assert_int_equal(facts->total_bytes, 2097152000);
    assert_int_equal(facts->memory_bytes, 2097152000);
    assert_int_equal(facts->free_bytes, 2097152000 - 2097152);
    assert_int_equal(facts->compute_major, 8);
    assert_int_equal(facts->compute_minor, 9);
    assert_true(facts->has_vmm);
    assert_true(facts->is_emulated);
    assert_string_equal(facts->emulated_by, "zirve-emulate " ZV_VERSION);
    zv_device_close(device);
    device = open_device("hip:0", "name=MI300X,total=2097152000,vmm=no");
    facts = zv_device_facts(device);
    assert_string_equal(facts->backend, "HIP");
    assert_string_equal(facts->name, "MI300X");
    assert_int_equal(facts->compute_major, 0);
    assert_false(facts->has_vmm);
    zv_device_close(device);
}

/* A folder with the emulated driver under this name, or under both. */
static void make_folder(char to[64], const char *first, const char *second)
{
    char path[128];
    (void)snprintf(to, 64, "/tmp/zirve-device-XXXXXX");
    assert_non_null(mkdtemp(to));
    (void)snprintf(path, sizeof path, "%s/%s", to, first);
    assert_int_equal(symlink(library, path), 0);
    if (second != NULL) {
        (void)snprintf(path, sizeof path, "%s/%s", to, second);
        assert_int_equal(symlink(library, path), 0);
    }
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"libcuda.so.1", "libamdhip64.so", "libamdhip64.so.6"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* cuda:N is PyTorch's name for HIP's devices too. */
static void test_names_of_both_backends(void **state)
{
    (void)state;
    static const struct {
        const char *first;
        const char *second;
        const char *name;
        const char *backend; /* NULL: refused */
        const char *words;
    } cases[] = {
        {"libcuda.so.1", "libamdhip64.so", "cuda:0", "CUDA", NULL},
        {"libcuda.so.1", "libamdhip64.so", "0", "CUDA", NULL},
        {"libcuda.so.1", "libamdhip64.so", "hip:0", "HIP", NULL},
        {"libamdhip64.so", NULL, "cuda:0", "HIP", NULL},
        {"libamdhip64.so.6", NULL, "cuda:0", "HIP", NULL},
        {"libamdhip64.so", NULL, "hip:0", "HIP", NULL},
        {"libamdhip64.so", NULL, "cuda:1", NULL, "no usable GPU 1: the HIP driver has 1"},
        {"libcuda.so.1", NULL, "cuda:1", NULL, "no usable GPU 1: the CUDA driver has 1"},
        {"libcuda.so.1", NULL, "hip:0", NULL, "libamdhip64.so is not there; libcuda.so.1 is"},
        {"neither", NULL, "cuda:0", NULL, "libcuda.so.1 is not there, nor is libamdhip64.so"},
        {"neither", NULL, "hip:0", NULL, "libamdhip64.so is not there"},
    };
    assert_int_equal(setenv("ZIRVE_EMULATED_CARDS", "total=943718400", 1), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char folder[64];
        struct zv_error err = {0};
        struct zv_device *device;
        make_folder(folder, cases[i].first, cases[i].second);
        const struct zv_device_options options = {.name = cases[i].name, .folder = folder};
        const enum zv_status status = zv_device_open(&device, &options, &err);
        if (cases[i].backend != NULL) {
            assert_int_equal(status, ZV_OK);
            assert_int_equal(err.status, ZV_OK);
            assert_string_equal(zv_device_facts(device)->backend, cases[i].backend);
        } else if (status != ZV_E_DEVICE || strstr(err.text, cases[i].words) == NULL) {
            fail_msg("%s: %d, %s", cases[i].name, (int)status, err.text);
        } else {
            assert_null(device);
        }
        zv_device_close(device);
        char neither[128];
        (void)snprintf(neither, sizeof neither, "%s/neither", folder);
        (void)unlink(neither);
        remove_folder(folder);
    }
}

/* What an emulated driver was told is what is read; what it was not told is assumed, and said so.
 */
static void test_assumed(void **state)
{
    (void)state;
    struct zv_device *device = open_device("cuda:0", "total=943718400,cc=9.0");
    assert_int_equal(zv_device_facts(device)->compute_major, 9);
    assert_false(zv_device_facts(device)->assumes_compute);
    zv_device_close(device);
    device = open_device("cuda:0", "total=943718400");
    assert_int_equal(zv_device_facts(device)->compute_major, 8);
    assert_true(zv_device_facts(device)->assumes_compute);
    zv_device_close(device);
}

static void test_refused(void **state)
{
    (void)state;
    const char *const fakes = getenv("ZIRVE_FAKE_DIR");
    char fake[512];
    (void)snprintf(fake, sizeof fake, "%s/fake_nvml_new.so", fakes != NULL ? fakes : "");
    const struct {
        const char *name;
        const char *library;
        const char *cards;
        enum zv_status status;
        const char *words;
    } cases[] = {
        {"cuda", library, "total=9", ZV_E_USAGE, "expected cuda:N or hip:N"},
        {"gpu:0", library, "total=9", ZV_E_USAGE, "device 'gpu:0': expected"},
        {"cuda:x", library, "total=9", ZV_E_USAGE, "expected"},
        {"cuda:0", "/nonexistent.so", "total=9", ZV_E_DEVICE, "/nonexistent.so is not there"},
        {"cuda:0", fake, "total=9", ZV_E_DEVICE, "has no cuInit"},
        {"hip:0", fake, "total=9", ZV_E_DEVICE, "has no hipInit"},
        {"cuda:1", library, "total=9", ZV_E_DEVICE, "no usable GPU 1: the CUDA driver has 1"},
        {"cuda:0", library, "total=x", ZV_E_DEVICE, "cuInit says 100, no device is there: emul"},
        {"cuda:0", library, "total=9,fault=lost@1", ZV_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct zv_error err = {0};
        struct zv_device *device;
        const struct zv_device_options options = {.name = cases[i].name,
                                                  .library = cases[i].library};
        assert_int_equal(setenv("ZIRVE_EMULATED_CARDS", cases[i].cards, 1), 0);
        const enum zv_status status = zv_device_open(&device, &options, &err);
        if (status != cases[i].status || strstr(err.text, cases[i].words) == NULL) {
            fail_msg("%s: %d, %s", cases[i].name, (int)status, err.text);
        }
        zv_device_close(device);
    }
}

/* ---- the same requests over the device and over the engine's own card ---- */

enum { LIVE = 96, STEPS = 6000 };

struct side {
    struct zv_allocator *allocator;
    struct zv_allocation live[LIVE];
    struct zv_allocator_event last;
    uint64_t events;
};

static void on_event(void *context, const struct zv_allocator_event *event)
{
    struct side *const side = context;
    side->last = *event;
    side->events++;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* Mostly small, some large, now and then huge. */
static uint64_t random_size(uint64_t *seed)
{
    const uint64_t kind = next_random(seed) % 16;
    const uint64_t limit = kind < 10   ? UINT64_C(1) << 18
                           : kind < 15 ? UINT64_C(1) << 23
                                       : UINT64_C(1) << 27;
    return 1 + next_random(seed) % limit;
}

static void one_step(struct side *side, uint64_t *seed)
{
    const size_t at = next_random(seed) % LIVE;
    const uint64_t what = next_random(seed) % 256;
    if (what == 0) {
        assert_int_equal(zv_allocator_empty_cache(side->allocator, NULL), ZV_OK);
    } else if (what == 1) {
        zv_allocator_reset_peaks(side->allocator);
    } else if (side->live[at].address != 0) {
        assert_int_equal(zv_allocator_free(side->allocator, side->live[at], NULL), ZV_OK);
        side->live[at] = (struct zv_allocation){0};
    } else {
        assert_int_equal(
            zv_allocator_malloc(side->allocator, random_size(seed), 0, &side->live[at], NULL),
            ZV_OK);
    }
}

static void run_both(const char *cards, const char *name, const char *conf, enum zv_policy policy)
{
    static struct side sides[2];
    struct zv_device *const device = open_device(name, cards);
    struct zv_driver driver;
    zv_device_driver(device, &driver);
    for (int i = 0; i < 2; i++) {
        sides[i] = (struct side){0};
        struct zv_allocator_options options = {.policy = policy,
                                               .profile = ZV_TORCH_2_14,
                                               .conf = conf,
                                               .capacity_bytes = UINT64_C(200) << 20,
                                               .driver = i == 0 ? &driver : NULL,
                                               .on_event = on_event,
                                               .context = &sides[i]};
        assert_int_equal(zv_allocator_open(&sides[i].allocator, &options, NULL), ZV_OK);
    }
    uint64_t seeds[2] = {5, 5};
    for (int step = 0; step < STEPS; step++) {
        struct zv_memory_stats stats[2];
        for (int i = 0; i < 2; i++) {
            one_step(&sides[i], &seeds[i]);
            zv_allocator_get_stats(sides[i].allocator, &stats[i]);
        }
        if (memcmp(&stats[0], &stats[1], sizeof stats[0]) != 0 ||
            sides[0].events != sides[1].events || sides[0].last.action != sides[1].last.action ||
            sides[0].last.size_bytes != sides[1].last.size_bytes ||
            zv_allocator_device_free(sides[0].allocator) !=
                zv_allocator_device_free(sides[1].allocator)) {
            fail_msg("%s, %s: step %d differs", name, conf != NULL ? conf : "", step);
        }
    }
    assert_true(sides[0].events > STEPS / 2);
    for (int i = 0; i < 2; i++) {
        struct zv_memory_stats stats;
        zv_allocator_get_stats(sides[i].allocator, &stats);
        assert_true(stats.num_ooms > 0 || policy == ZV_POLICY_ASYNC); /* the card did fill up */
        zv_allocator_close(sides[i].allocator);
    }
    zv_device_close(device);
}

static void test_same_as_the_engine(void **state)
{
    (void)state;
    const char vmm[] = "total=209715200";
    const char plain[] = "total=209715200,vmm=no";
    run_both(vmm, "cuda:0", NULL, ZV_POLICY_CACHING);
    run_both(vmm, "cuda:0", "expandable_segments:True", ZV_POLICY_CACHING);
    run_both(vmm, "hip:0", "expandable_segments:True", ZV_POLICY_CACHING);
    run_both(plain, "cuda:0", "max_split_size_mb:64", ZV_POLICY_CACHING);
    run_both(plain, "hip:0", NULL, ZV_POLICY_DIRECT);
    run_both(vmm, "cuda:0", NULL, ZV_POLICY_ASYNC);
}

/* Without virtual memory management there are plain allocations, whatever is configured. */
static void test_without_vmm(void **state)
{
    (void)state;
    struct zv_device *const device = open_device("cuda:0", "total=943718400,vmm=no");
    struct zv_driver driver;
    struct zv_allocator *allocator;
    struct zv_allocation block;
    struct zv_memory_stats stats;
    struct zv_error err = {0};
    zv_device_driver(device, &driver);
    assert_null(driver.reserve);
    struct zv_allocator_options options = {.conf = "expandable_segments:True", .driver = &driver};
    assert_int_equal(zv_allocator_open(&allocator, &options, NULL), ZV_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(zv_allocator_malloc(allocator, 1000, 0, &block, NULL), ZV_OK);
        zv_allocator_get_stats(allocator, &stats);
        assert_int_equal(stats.counters[ZV_STAT_SEGMENT][ZV_STAT_ALL].current, 1);
        assert_int_equal(zv_allocator_free(allocator, block, NULL), ZV_OK);
        assert_int_equal(zv_allocator_set_conf(allocator, "expandable_segments:True", NULL), ZV_OK);
    }
    zv_allocator_close(allocator);
    options = (struct zv_allocator_options){.policy = ZV_POLICY_ASYNC, .driver = &driver};
    assert_int_equal(zv_allocator_open(&allocator, &options, &err), ZV_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "no virtual memory management"));
    zv_device_close(device);
}

/* What the driver refuses for another reason than room ends the request, with the driver's text. */
static void test_driver_fails(void **state)
{
    (void)state;
    const char *const confs[] = {NULL, "expandable_segments:True"};
    for (int i = 0; i < 4; i++) {
        struct zv_device *const device = open_device(
            "cuda:0", i < 2 ? "total=943718400,fault=lost@2" : "total=943718400,fault=oom@2+");
        struct zv_driver driver;
        struct zv_allocator *allocator;
        struct zv_allocation block;
        struct zv_memory_stats stats;
        struct zv_error err = {0};
        zv_device_driver(device, &driver);
        const struct zv_allocator_options options = {.conf = confs[i % 2], .driver = &driver};
        assert_int_equal(zv_allocator_open(&allocator, &options, NULL), ZV_OK);
        assert_int_equal(zv_allocator_malloc(allocator, 1000, 0, &block, NULL), ZV_OK);
        const enum zv_status status =
            zv_allocator_malloc(allocator, UINT64_C(15) << 20, 0, &block, &err);
        assert_int_equal(block.address, 0);
        zv_allocator_get_stats(allocator, &stats);
        if (i < 2) {
            assert_int_equal(status, ZV_E_DEVICE);
            assert_non_null(strstr(err.text, "says 46, device is lost"));
            assert_int_equal(zv_device_synchronise(device, NULL), ZV_E_DEVICE);
        } else {
            assert_int_equal(status, ZV_OK);
            assert_int_equal(stats.num_ooms, 1);
            assert_int_equal(zv_device_synchronise(device, NULL), ZV_OK);
        }
        zv_allocator_close(allocator);
        zv_device_close(device);
    }
}

/* A block that another stream uses comes back after that stream's event. */
static void test_events(void **state)
{
    (void)state;
    struct zv_device *const device = open_device("cuda:0", "total=943718400,events=delayed");
    struct zv_driver driver;
    struct zv_allocator *allocator;
    struct zv_allocation block;
    struct zv_allocation again;
    zv_device_driver(device, &driver);
    const struct zv_allocator_options options = {.driver = &driver};
    assert_int_equal(zv_allocator_open(&allocator, &options, NULL), ZV_OK);
    for (int round = 0; round < 3; round++) { /* events are used again */
        assert_int_equal(zv_allocator_malloc(allocator, 1000, 0, &block, NULL), ZV_OK);
        assert_int_equal(zv_allocator_record_stream(allocator, block, 77, NULL), ZV_OK);
        assert_int_equal(zv_allocator_free(allocator, block, NULL), ZV_OK);
        assert_int_equal(zv_allocator_malloc(allocator, 1000, 0, &again, NULL), ZV_OK);
        assert_int_not_equal(again.address, block.address);
        assert_int_equal(zv_allocator_free(allocator, again, NULL), ZV_OK);
        assert_int_equal(zv_device_synchronise(device, NULL), ZV_OK);
        assert_int_equal(zv_allocator_malloc(allocator, 1000, 0, &again, NULL), ZV_OK);
        assert_int_equal(again.address, block.address);
        assert_int_equal(zv_allocator_free(allocator, again, NULL), ZV_OK);
    }
    zv_allocator_close(allocator);
    zv_device_close(device);
}

/* Host memory that runs out: an error, nothing lost. */
static void test_no_host_memory(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        struct zv_device *device;
        const struct zv_device_options options = {.name = "cuda:0", .library = library};
        (void)setenv("ZIRVE_EMULATED_CARDS", "total=943718400", 1);
        fail_memory_start(n);
        const enum zv_status status = zv_device_open(&device, &options, NULL);
        zv_device_close(device);
        fail_memory_stop();
        assert_int_equal(fail_memory.blocks, 0);
        if (fail_memory.failed == 0) {
            assert_int_equal(status, ZV_OK);
            break;
        }
        assert_int_equal(status, ZV_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_names_of_both_backends),
        cmocka_unit_test(test_assumed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_same_as_the_engine),
        cmocka_unit_test(test_without_vmm),
        cmocka_unit_test(test_driver_fails),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_no_host_memory),
    };
    return cmocka_run_group_tests(tests, find_library, NULL);
}
