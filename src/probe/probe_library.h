/*
 * A vendor library while it is open: its functions by name into a struct of pointers, and readings
 * from what its calls return. Room-internal.
 */
#ifndef ZIRVE_PROBE_PROBE_LIBRARY_H
#define ZIRVE_PROBE_PROBE_LIBRARY_H

#include "base/library.h"
#include "probe/probe_session.h"

struct probe_library {
    struct probe_session *session;
    struct zv_probe_source *source;
    void *handle;
    const char *name; /* the name under which it was found */
    /* The library's own words for a result, or NULL; functions is the struct of pointers. */
    const char *(*words)(const void *functions, int result);
    const void *functions;
};

/* What a call is worth whose function the library does not have; no vendor uses it. */
enum { PROBE_ABSENT = -1000000 };

/*
 * Opens the first of names (NULL-terminated) that is there and loads the symbols into functions,
 * which is all NULL before. False when there is no such library or a needed symbol is missing; the
 * source says which.
 */
bool probe_library_open(struct probe_library *library, const char *const *names,
                        const struct zv_library_symbol *symbols, size_t count, void *functions);
void probe_library_close(struct probe_library *library);

/* "nvmlInit_v2 says 9, Driver Not Loaded", or that the library has no such function. */
const char *probe_library_says(struct probe_library *library, const char *call, int result);

/* Takes value when result is 0, else the reason. */
void probe_library_reading(struct probe_library *library, struct zv_probed *reading,
                           const char *call, int result, uint64_t value);
void probe_library_word(struct probe_library *library, struct zv_probed_text *word,
                        const char *call, int result, const char *text);

/* The start of a library: whether init returned 0; the source says otherwise. */
bool probe_library_started(struct probe_library *library, const char *call, int result);

#endif
