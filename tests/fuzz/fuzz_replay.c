/* Any text as an op list: it runs or it is refused at a line, and the allocator stays sound. */
#include <stdlib.h>

#include "allocator/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct zv_slice ops = {(const char *)data, size};
    for (int policy = 0; policy < ZV_POLICY_COUNT; policy++) {
        const struct zv_allocator_options options = {
            .policy = (enum zv_policy)policy,
            .profile = policy == 0 && size % 2 == 0 ? ZV_TORCH_2_6 : ZV_TORCH_2_14,
            .capacity_bytes = UINT64_C(1) << 30};
        struct zv_replay replay;
        struct zv_error err = {0};
        if (zv_replay_open(&replay, &options, NULL, &err) != ZV_OK) {
            abort();
        }
        const enum zv_status status = zv_replay_run(&replay, ops, NULL, &err);
        if (status != err.status || (status != ZV_OK && (err.line == 0 || err.text[0] == 0)) ||
            status == ZV_E_BUG) {
            abort();
        }
        if (zv_allocator_check(replay.allocator, NULL) != ZV_OK) {
            abort();
        }
        zv_replay_close(&replay);
    }
    return 0;
}
