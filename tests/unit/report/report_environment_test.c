/* Metrics of every kind of machine follow the grammar; what is not known has no series. */
#include "report/report_environment.h"

#include <string.h>

#include "base/buffer.h"
#include "support/openmetrics.h"
#include "support/test.h"

enum { LIMIT = 1 << 20 };

static struct zv_buffer buffer;

static void render(const struct report_environment *machine)
{
    buffer = (struct zv_buffer){.limit = LIMIT};
    struct zv_sink sink = zv_buffer_sink(&buffer);
    report_environment_metrics(&sink, machine);
    assert_false(sink.failed);
}

static bool says(const char *line)
{
    return strstr(buffer.data, line) != NULL;
}

static void check(size_t expected)
{
    size_t samples = 0;
    const char *const wrong =
        openmetrics_check((struct zv_slice){buffer.data, buffer.size}, &samples);
    if (wrong != NULL) {
        fail_msg("%s in\n%s", wrong, buffer.data);
    }
    assert_int_equal(samples, expected);
}

static void test_nothing(void **state)
{
    (void)state;
    static struct zv_environment env;
    render(&(struct report_environment){.env = &env});
    check(2);
    assert_true(says("\nzirve_environment_usable 0\n"));
    zv_buffer_free(&buffer);
}

/* Two devices of which nothing tells them apart, names that need escapes, slices, processes. */
static void test_devices(void **state)
{
    (void)state;
    static struct zv_environment env;
    static struct zv_probed_slice slice = {.gpu_instance = 1, .compute_instance = 0};
    static const struct zv_gpu_process processes[] = {
        {.pid = 7, .name = "a\"b\\c\nd", .instance = 1, .used = {.known = true, .value = 5}},
        {.pid = 8, .instance = ZV_PROBE_NO_INSTANCE},
        {.pid = 7, .instance = 2, .used = {.known = true, .value = 6}},
    };
    slice.readings[ZV_PROBE_CAPACITY] = (struct zv_probed){.known = true, .value = 10};
    env = (struct zv_environment){.device_count = 2, .source_count = 1, .emulated = true};
    env.sources[0] = (struct zv_probe_source){.what = "NVML", .answers = true};
    env.devices[0] = (struct zv_probed_device){
        .backend = "CUDA",
        .instances = &slice,
        .instance_count = 1,
        .processes = {.known = true, .items = processes, .count = 3},
    };
    env.devices[0].readings[ZV_PROBE_USED] = (struct zv_probed){.known = true, .value = UINT64_MAX};
    env.devices[1].unusable = "lost";
    render(&(struct report_environment){.env = &env, .usable = true});
    check(2 + 2 + 2 + 1 + 1 + 2 + 1);
    assert_true(says("zirve_environment_emulated 1\n"));
    assert_true(says("zirve_device_used_bytes{gpu=\"0\",uuid=\"\",bus_id=\"\"} "
                     "18446744073709551615\n"));
    assert_true(says("pid=\"7\",process=\"a\\\"b\\\\c\\nd\"} 5\n"));
    assert_true(says("zirve_device_usable{gpu=\"1\",uuid=\"\",bus_id=\"\"} 0\n"));
    assert_false(says("pid=\"8\""));
    assert_false(says("zirve_device_used_bytes{gpu=\"1\""));
    zv_buffer_free(&buffer);
    render(&(struct report_environment){.env = &env, .only = &env.devices[1]});
    check(2 + 1 + 1 + 1);
    assert_true(says("zirve_device_info{gpu=\"1\""));
    zv_buffer_free(&buffer);
}

/* The checker refuses what is wrong. */
static void test_checker(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "# TYPE a gauge\na 1\n",
        "# TYPE a gauge\na 1\n# EOF",
        "# TYPE a gauge\na 1\n# EOF\na 2\n# EOF\n",
        "a 1\n# EOF\n",
        "# TYPE a gauge\na 1\na 1\n# EOF\n",
        "# TYPE a gauge\nb 1\n# EOF\n",
        "# TYPE a info\na 1\n# EOF\n",
        "# TYPE a gauge\na 1.5\n# EOF\n",
        "# TYPE a gauge\na{b=\"c} 1\n# EOF\n",
        "# TYPE a gauge\na{b=\"\\c\"} 1\n# EOF\n",
        "# TYPE a gauge\na{b=c} 1\n# EOF\n",
        "# TYPE a_bytes gauge\na_bytes 1\n# EOF\n",
        "# TYPE a gauge\n# UNIT a bytes\na 1\n# EOF\n",
        "# TYPE a gauge\na 1\n# HELP a b\n# EOF\n",
        "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\n# EOF\n",
    };
    size_t samples;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (openmetrics_check(zv_slice_of(texts[i]), &samples) == NULL) {
            fail_msg("row %zu passes", i);
        }
    }
    assert_null(openmetrics_check(
        zv_slice_of("# TYPE a_bytes gauge\n# UNIT a_bytes bytes\n# HELP a_bytes b c\n"
                    "a_bytes{b=\"c\\\"\",d=\"\"} 1\na_bytes 2\n# EOF\n"),
        &samples));
    assert_int_equal(samples, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_checker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
