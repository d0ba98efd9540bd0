#include "explain/engine_message.h"

#include <string.h>

#include "support/test.h"

#define GIB (UINT64_C(1) << 30)

/* Wordings as they were posted (docs/FORMATS.md), and what follows from them. */
static const struct {
    const char *text;
    enum zv_engine_stop stop;
    const char *engine;
    uint64_t needed; /* 0: unknown */
    uint64_t there;  /* free or available */
    uint64_t context;
    uint64_t fits;
} rows[] = {
    {"INFO x\nValueError: Free memory on device cuda:0 (34.25/121.50 GiB) on startup is less than "
     "desired GPU memory utilization (0.8, 97.25 GiB). Decrease GPU memory",
     ZV_ENGINE_SHARE, "vLLM", 97 * GIB + GIB / 4, 34 * GIB + GIB / 4, 0, 0},
    {"Free memory on device (5.00/6.0 GiB) on startup is less than desired GPU memory utilization "
     "(0.9, 5.5 GiB).",
     ZV_ENGINE_SHARE, "vLLM", 11 * GIB / 2, 5 * GIB, 0, 0},
    {"Free memory on device cuda:0 (12.5/287.75 GiB) on startup\nis less than desired GPU memory "
     "utilization (0.92, 264.75 GiB).",
     ZV_ENGINE_SHARE, "vLLM", 264 * GIB + 3 * GIB / 4, 12 * GIB + GIB / 2, 0, 0},
    {"ValueError: No available memory for the cache blocks. Try increasing "
     "`gpu_memory_utilization` when initializing the engine.",
     ZV_ENGINE_NO_CACHE, "vLLM", 0, 0, 0, 0},
    {"ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that "
     "can be stored in KV cache (22032). Try increasing",
     ZV_ENGINE_SMALL_CACHE, "vLLM", 0, 0, 32768, 22032},
    {"To serve at least one request with the models's max seq len (131072), (4.00 GiB KV cache is "
     "needed, which is larger than the available KV cache memory (0.75 GiB). Based on the "
     "available "
     "memory, the estimated maximum model length is 21440.",
     ZV_ENGINE_SMALL_CACHE, "vLLM", 4 * GIB, 3 * GIB / 4, 131072, 21440},
    {"To serve at least one request with the models's max seq len (32768), (1.50390625 GB KV cache "
     "isneeded, which is larger than the available KV Cache memory (0.75390625 GB). Try increasing",
     ZV_ENGINE_SMALL_CACHE, "vLLM", 3 * GIB / 2, 3 * GIB / 4, 32768, 0},
    {"ValueError: To serve at least one request with the model's max seq len (131072), 48.00 GiB "
     "KV "
     "cache is needed, which is larger than the available KV cache memory (13.50 GiB).",
     ZV_ENGINE_SMALL_CACHE, "vLLM", 48 * GIB, 27 * GIB / 2, 131072, 0},
    {"RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current "
     "value: "
     "self.server_args.mem_fraction_static=0.2",
     ZV_ENGINE_NO_CACHE, "SGLang", 0, 0, 0, 0},
    {"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 144817.04 MiB on device 0: cudaMalloc "
     "failed: out of memory\nalloc_tensor_range: failed to allocate CUDA0 buffer of size "
     "151851674624\nllama_model_load: error",
     ZV_ENGINE_BUFFER, "llama.cpp", 151851674624, 0, 0, 0},
};

static void test_wordings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_engine_message message;
        if (!zv_engine_message_find(&message, zv_slice_of(rows[i].text))) {
            fail_msg("row %zu is not found", i);
        }
        const struct zv_printed there =
            message.stop == ZV_ENGINE_SHARE ? message.device_free : message.available;
        assert_int_equal(message.stop, rows[i].stop);
        assert_string_equal(message.engine, rows[i].engine);
        assert_int_equal(message.needed.known, rows[i].needed != 0);
        assert_int_equal(message.needed.bytes, rows[i].needed);
        assert_int_equal(there.known, rows[i].there != 0);
        assert_int_equal(there.bytes, rows[i].there);
        assert_int_equal(message.context.value, rows[i].context);
        assert_int_equal(message.fits.value, rows[i].fits);
        assert_int_equal(message.missing_bytes,
                         rows[i].there != 0 ? rows[i].needed - rows[i].there : 0);
    }
}

static void test_details(void **state)
{
    (void)state;
    struct zv_engine_message message;
    assert_true(zv_engine_message_find(&message, zv_slice_of(rows[0].text)));
    assert_int_equal(message.line, 2);
    assert_int_equal(message.share.value, 80);
    assert_true(zv_engine_message_find(&message, zv_slice_of(rows[8].text)));
    assert_int_equal(message.share.value, 20);
    assert_true(zv_engine_message_find(&message, zv_slice_of(rows[9].text)));
    assert_true(zv_slice_equal(message.buffer, "CUDA0"));
    assert_int_equal(message.line, 2);
    assert_false(zv_engine_message_find(&message, zv_slice_of("")));
    assert_false(zv_engine_message_find(&message, zv_slice_of("max seq len (5) is fine")));
    assert_false(zv_engine_message_find(&message, zv_slice_of("failed to allocate a thing")));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) { /* every prefix */
        for (size_t length = 0; length < strlen(rows[i].text); length++) {
            (void)zv_engine_message_find(&message, (struct zv_slice){rows[i].text, length});
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wordings),
                                       cmocka_unit_test(test_details)};
    return cmocka_run_group_tests_name("engine_message", tests, NULL, NULL);
}
