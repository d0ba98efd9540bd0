/* The words of zirve/allocator.h: names of enums, versions, environment variables. */
#include "base/slice.h"
#include "zirve/allocator.h"

const char *zv_policy_name(enum zv_policy policy)
{
    static const char *const names[] = {"caching", "cuda-malloc-async", "direct"};
    return (unsigned)policy < ZV_POLICY_COUNT ? names[policy] : "?";
}

const char *zv_torch_profile_name(enum zv_torch_profile profile)
{
    static const char *const names[] = {"torch-2.6", "torch-2.14"};
    return (unsigned)profile < ZV_TORCH_COUNT ? names[profile] : "?";
}

const char *zv_allocator_action_name(enum zv_allocator_action action)
{
    static const char *const names[] = {
        "alloc",        "free_requested", "free_completed", "segment_alloc",
        "segment_free", "segment_map",    "segment_unmap",  "oom"};
    return (unsigned)action < ZV_ACTION_COUNT ? names[action] : "?";
}

const char *zv_alloc_conf_find(enum zv_torch_profile profile,
                               const char *(*look)(void *context, const char *name), void *context)
{
    static const char *const names[] = {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF",
                                        "PYTORCH_ALLOC_CONF"};
    const size_t count = profile == ZV_TORCH_2_6 ? 1 : sizeof names / sizeof names[0];
    const char *found = NULL;
    for (size_t i = 0; i < count && found == NULL; i++) {
        found = look(context, names[i]);
    }
    return found;
}

bool zv_torch_profile_parse(const char *text, enum zv_torch_profile *to)
{
    static const char *const prefixes[] = {"torch-", "torch ", "PyTorch-", "PyTorch ", "v"};
    struct zv_slice rest = zv_slice_of(text);
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (zv_slice_starts(rest, prefixes[i])) {
            const size_t length = zv_slice_of(prefixes[i]).length;
            rest = (struct zv_slice){rest.at + length, rest.length - length};
        }
    }
    uint64_t major;
    uint64_t minor;
    if (!zv_slice_u64(zv_slice_cut(&rest, '.'), &major) ||
        !zv_slice_u64(zv_slice_cut(&rest, '.'), &minor) || major < 2 || (major == 2 && minor < 1)) {
        return false;
    }
    *to = major == 2 && minor < 10 ? ZV_TORCH_2_6 : ZV_TORCH_2_14;
    return true;
}
