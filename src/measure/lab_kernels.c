#include "measure/lab_kernels.h"

#include <string.h>

#include "allocator/device_calls.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/library.h"
#include "base/memory.h"

enum { THREADS = 256, MOST_BLOCKS = 65535, LEAST_COMPUTE_MAJOR = 7 };

static const char *const names[LAB_KERNELS] = {
#define LAB_KERNEL_ROW(kernel, name) [kernel] = (name),
    LAB_KERNEL_LIST(LAB_KERNEL_ROW)
#undef LAB_KERNEL_ROW
};

const char *lab_kernel_name(enum lab_kernel kernel)
{
    return names[kernel];
}

/* A built-in text with its end; NULL when memory is short. */
static char *text_of(const char *name)
{
    const struct zv_slice data = zv_data_find(name);
    char *const text = zv_memory_alloc(data.length + 1);
    if (text != NULL) {
        memcpy(text, data.at, data.length);
        text[data.length] = 0;
    }
    return text;
}

static enum zv_status load_module(struct lab_kernels *kernels, struct zv_device *device,
                                  const void *image, struct zv_error *err)
{
    if (!device_bind(device) || !device_check(device, DEVICE_CALL_module_load,
                                              device->calls.module_load(&kernels->module, image))) {
        kernels->module = NULL;
        return device_failure(device, err);
    }
    for (int i = 0; i < LAB_KERNELS; i++) {
        if (!device_check(
                device, DEVICE_CALL_function,
                device->calls.function(&kernels->functions[i], kernels->module, names[i]))) {
            return device_failure(device, err);
        }
    }
    return ZV_OK;
}

/* ---- HIP's runtime compiler ---- */

struct compiler {
    int (*create)(void **program, const char *source, const char *name, int headers,
                  const char **texts, const char **header_names);
    int (*compile)(void *program, int count, const char **options);
    int (*size)(void *program, size_t *bytes);
    int (*code)(void *program, char *code);
    int (*destroy)(void **program);
};

static bool find(void *library, struct compiler *compiler)
{
    static const struct zv_library_symbol symbols[] = {
        ZV_LIBRARY_SYMBOL(struct compiler, create, "hiprtcCreateProgram", true),
        ZV_LIBRARY_SYMBOL(struct compiler, compile, "hiprtcCompileProgram", true),
        ZV_LIBRARY_SYMBOL(struct compiler, size, "hiprtcGetCodeSize", true),
        ZV_LIBRARY_SYMBOL(struct compiler, code, "hiprtcGetCode", true),
        ZV_LIBRARY_SYMBOL(struct compiler, destroy, "hiprtcDestroyProgram", true),
    };
    return library != NULL &&
           zv_library_load(library, symbols, sizeof symbols / sizeof symbols[0], compiler) == NULL;
}

/* The library that was named, HIP's own, or the compiler's under its known names. */
static bool find_compiler(const struct zv_device *device, struct compiler *compiler)
{
    static const char *const known[] = {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6",
                                        "libhiprtc.so.5", NULL};
    const char *name;
    if (device->compiler != NULL) {
        return find(zv_library_open(device->compiler), compiler);
    }
    return find(device->library, compiler) || find(zv_library_open_any(known, &name), compiler);
}

static enum zv_status compile(struct lab_kernels *kernels, struct zv_device *device,
                              const char *source, struct zv_error *err)
{
    struct compiler compiler = {0};
    void *program = NULL;
    size_t size = 0;
    if (!find_compiler(device, &compiler)) {
        return zv_fail(err, ZV_E_DEVICE, "HIP's runtime compiler (libhiprtc.so) is not there");
    }
    const int created = compiler.create(&program, source, "lab_kernels", 0, NULL, NULL);
    int result = created != 0 ? created : compiler.compile(program, 0, NULL);
    result = result != 0 ? result : compiler.size(program, &size);
    char *const code = result == 0 ? zv_memory_alloc(size + 1) : NULL;
    enum zv_status status = ZV_OK;
    if (result != 0) {
        status = zv_fail(err, ZV_E_DEVICE, "HIP's runtime compiler says %d of our kernels", result);
    } else if (code == NULL) {
        status = zv_fail_memory(err, "kernels");
    } else {
        result = compiler.code(program, code);
        status = result == 0 ? load_module(kernels, device, code, err)
                             : zv_fail(err, ZV_E_DEVICE, "HIP's runtime compiler gives no code: %d",
                                       result);
    }
    zv_memory_free(code);
    if (created == 0) {
        (void)compiler.destroy(&program);
    }
    return status;
}

enum zv_status lab_kernels_load(struct lab_kernels *kernels, struct zv_device *device,
                                struct zv_error *err)
{
    const struct zv_device_facts *const facts = &device->facts;
    *kernels = (struct lab_kernels){0};
    if (!device->is_hip && facts->compute_major < LEAST_COMPUTE_MAJOR) {
        return zv_fail(err, ZV_E_UNSUPPORTED,
                       "compute capability %u.%u: the kernels need 7.0 or later",
                       facts->compute_major, facts->compute_minor);
    }
    char *const text =
        text_of(device->is_hip ? "measure/lab_kernels.c" : "measure/lab_kernels.ptx");
    if (text == NULL) {
        return zv_fail_memory(err, "kernels");
    }
    const enum zv_status status = device->is_hip ? compile(kernels, device, text, err)
                                                 : load_module(kernels, device, text, err);
    zv_memory_free(text);
    return status;
}

void lab_kernels_unload(struct lab_kernels *kernels, struct zv_device *device)
{
    if (kernels->module != NULL && device_bind(device)) {
        (void)device->calls.module_unload(kernels->module);
    }
    *kernels = (struct lab_kernels){0};
}

enum zv_status lab_launch(const struct lab_kernels *kernels, struct zv_device *device,
                          enum lab_kernel kernel, uint64_t elements, void **parameters,
                          struct zv_error *err)
{
    const uint64_t wanted = elements / THREADS + (elements % THREADS != 0);
    const unsigned blocks = wanted < MOST_BLOCKS ? (unsigned)wanted : MOST_BLOCKS;
    return device_bind(device) &&
                   device_check(device, DEVICE_CALL_launch,
                                device->calls.launch(kernels->functions[kernel], blocks, 1, 1,
                                                     THREADS, 1, 1, 0, 0, parameters, NULL))
               ? ZV_OK
               : device_failure(device, err);
}
