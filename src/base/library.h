/*
 * A library of others while the program runs: opened by name, its functions into a struct of
 * pointers. Nothing is linked against it, and its absence is an answer.
 */
#ifndef ZIRVE_BASE_LIBRARY_H
#define ZIRVE_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct zv_library_symbol {
    const char *name; /* empty: this library has no such function */
    size_t offset;    /* of the pointer in the struct */
    bool needed;      /* without it nothing can be done */
};

#define ZV_LIBRARY_SYMBOL(struct_type, member, symbol, is_needed)                                  \
    {                                                                                              \
        (symbol), offsetof(struct_type, member), (is_needed)                                       \
    }

/* The library at a path, or of a name that the loader finds; NULL: dlerror says why. Opening and
 * closing wait for each other: what one thread closes another may open at the same place. */
void *zv_library_open(const char *path);
void zv_library_close(void *library);

/* The first of names (NULL-terminated) that loads, or NULL; *name says which. */
void *zv_library_open_any(const char *const *names, const char **name);

/* Stores a function of this name in the pointer to points at; NULL and false without one. */
bool zv_library_find(void *library, const char *name, void *to);

/* Stores all of them in the struct; those that are not there are NULL. Returns the first that is
 * needed and missing, or NULL. */
const char *zv_library_load(void *library, const struct zv_library_symbol *symbols, size_t count,
                            void *functions);

/* What an emulated library calls itself, whatever card it shows; NULL of any other. */
const char *zv_library_emulated(void *library);

#endif
