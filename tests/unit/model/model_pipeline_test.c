#include <stdio.h>

#include "model/model.h"
#include "support/sparse_model.h"
#include "support/test.h"

static void test_pipelines(void **state)
{
    static const struct {
        const char *name;
        uint64_t parameters;
        enum zv_model_source source;
    } rows[] = {
        {"stable-diffusion-v1-5", UINT64_C(859520964) + 83653863 + 123060480,
         ZV_SOURCE_SAFETENSORS},
        {"stable-diffusion-xl", UINT64_C(2567463684) + 83653863 + 123060480 + 694659840,
         ZV_SOURCE_CONFIG},
        {"stable-diffusion-3-medium",
         UINT64_C(2084951104) + 83819683 + 123650304 + 694659840 + 4762310656, ZV_SOURCE_CONFIG},
        {"flux-1-dev", UINT64_C(11901408320) + 83819683 + 123060480 + 4762310656, ZV_SOURCE_CONFIG},
        {"pixart-sigma", UINT64_C(610856096) + 83653863 + 4762310656, ZV_SOURCE_CONFIG},
        {"flux-1-dev-reduced", UINT64_C(1026971200) + 83819683 + 123060480 + 4762310656,
         ZV_SOURCE_SAFETENSORS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char folder[SPARSE_MODEL_PATH];
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_model model;
        struct zv_model_files *files = NULL;
        assert_true(sparse_model_make(rows[i].name, folder));
        if (zv_model_open(&model, &files, folder, &arena, &err) != ZV_OK) {
            print_error("%s: %s\n", rows[i].name, err.text);
            fail();
        }
        assert_true(model.diffusion);
        assert_false(model.causal);
        assert_int_equal(model.parameters, rows[i].parameters);
        assert_int_equal(model.source, rows[i].source);
        assert_int_equal(model.layer_count, 0);
        assert_true(model.encoder_layer_count >= 12);
        uint64_t parts[ZV_PART_COUNT] = {0};
        for (size_t t = 0; t < model.tensor_count; t++) {
            parts[model.tensors[t].part] +=
                model.tensors[t].elements * zv_tensor_copies(&model.tensors[t]);
        }
        assert_int_equal(parts[ZV_PART_DENOISER] + parts[ZV_PART_VAE] + parts[ZV_PART_ENCODER],
                         model.parameters);
        zv_model_close(files);
        zv_arena_free(&arena);
        sparse_model_remove(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipelines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
