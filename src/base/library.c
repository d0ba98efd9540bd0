#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

void *zv_library_open(const char *path)
{
    (void)pthread_mutex_lock(&loading);
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    (void)pthread_mutex_unlock(&loading);
    return library;
}

void zv_library_close(void *library)
{
    (void)pthread_mutex_lock(&loading);
    (void)dlclose(library);
    (void)pthread_mutex_unlock(&loading);
}

void *zv_library_open_any(const char *const *names, const char **name)
{
    void *library = NULL;
    *name = names[0];
    for (size_t i = 0; names[i] != NULL && library == NULL; i++) {
        library = zv_library_open(names[i]);
        *name = library != NULL ? names[i] : names[0];
    }
    return library;
}

/* ISO C has no cast from an object pointer to a function's. */
bool zv_library_find(void *library, const char *name, void *to)
{
    void *const symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

const char *zv_library_load(void *library, const struct zv_library_symbol *symbols, size_t count,
                            void *functions)
{
    const char *missing = NULL;
    for (size_t i = 0; i < count; i++) {
        if (symbols[i].name[0] != 0 &&
            !zv_library_find(library, symbols[i].name, (char *)functions + symbols[i].offset) &&
            symbols[i].needed && missing == NULL) {
            missing = symbols[i].name;
        }
    }
    return missing;
}

const char *zv_library_emulated(void *library)
{
    const char *(*emulated)(void) = NULL;
    return zv_library_find(library, "zirve_emulated", &emulated) && emulated != NULL ? emulated()
                                                                                     : NULL;
}
