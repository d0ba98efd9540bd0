#include "base/data.h"
#include "base/text_table.h"
#include "step/step.h"

enum {
    OLDER_WORKSPACE = 8519680, /* of cuBLAS (CUDABlas.cpp: 2 x 4 MiB and 8 x 16 KiB) */
    HOPPER_WORKSPACE = 32 * 1024 * 1024,
    HOPPER = 90
};

enum zv_status zv_step_card_find(struct step_card *to, bool *found, struct zv_slice words,
                                 struct zv_arena *arena, struct zv_error *err)
{
    struct zv_table table;
    *to = (struct step_card){108, 2048, OLDER_WORKSPACE, 0};
    *found = false;
    const enum zv_status status =
        zv_table_read(&table, zv_data_find("card_kernels.tsv"), arena, err);
    for (size_t i = 0; status == ZV_OK && i < table.row_count; i++) {
        struct zv_slice rest = words;
        struct zv_slice word;
        uint64_t values[3] = {0};
        for (int k = 0; k < 3; k++) {
            (void)zv_slice_u64(zv_table_cell(&table, i, k + 1), &values[k]);
        }
        while (zv_slice_word(&rest, &word)) {
            if (zv_slice_same(word, zv_table_cell(&table, i, 0))) {
                *to = (struct step_card){.processors = (uint32_t)values[0],
                                         .threads_per_processor = (uint32_t)values[1],
                                         .workspace_bytes = values[2] == HOPPER ? HOPPER_WORKSPACE
                                                                                : OLDER_WORKSPACE};
                *found = true;
            }
        }
    }
    return status;
}
