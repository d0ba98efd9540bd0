#include <stddef.h>

#include "step/step.h"

enum {
    OLDER_WORKSPACE = 8519680, /* of cuBLAS (CUDABlas.cpp: 2 x 4 MiB and 8 x 16 KiB) */
    HOPPER_WORKSPACE = 32 * 1024 * 1024,
    HOPPER = 9
};

bool zv_step_card_of(struct step_card *to, const struct zv_card *card)
{
    const struct zv_card_kernels *const kernels = card != NULL ? &card->kernels : NULL;
    *to = (struct step_card){108, 2048, OLDER_WORKSPACE, 0};
    if (kernels == NULL || kernels->capability == NULL || kernels->processors == 0) {
        return false;
    }
    const bool is_hopper = kernels->capability->major == HOPPER;
    *to = (struct step_card){.processors = kernels->processors,
                             .threads_per_processor = kernels->capability->threads,
                             .workspace_bytes = is_hopper ? HOPPER_WORKSPACE : OLDER_WORKSPACE};
    return true;
}
