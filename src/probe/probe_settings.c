/* Settings in the environment that change what memory a program on a GPU takes or sees. Only these
 * names are read: an environment can hold secrets. */
#include <stdlib.h>

#include "probe/probe_session.h"

static const char *const names[] = {
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_HIP_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "PYTORCH_NO_HIP_MEMORY_CACHING",
    "PYTORCH_NVML_BASED_CUDA_CHECK",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUBLASLT_WORKSPACE_SIZE",
    "TORCH_CUBLASLT_UNIFIED_WORKSPACE",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_MODULE_LOADING",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
    "CUDA_INJECTION64_PATH",
    "NVTX_INJECTION64_PATH",
    "NVIDIA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HSA_OVERRIDE_GFX_VERSION",
    "LD_PRELOAD",
};
_Static_assert(sizeof names / sizeof names[0] <= PROBE_MAX_SETTINGS, "room for every setting");

void probe_settings(struct probe_session *session)
{
    struct zv_environment *const env = session->env;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *const value = getenv(names[i]); /* NOLINT(concurrency-mt-unsafe) */
        if (value != NULL) {
            env->settings[env->setting_count++] =
                (struct zv_setting){names[i], probe_print(session, "%s", value)};
        }
    }
}
