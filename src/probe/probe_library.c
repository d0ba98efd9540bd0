#include "probe/probe_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/slice.h"

enum { LIBRARY_PATH = 4096 };

static void *open_one(const struct zv_probe_places *places, const char *name)
{
    char path[LIBRARY_PATH];
    if (places->libraries == NULL) {
        return zv_library_open(name);
    }
    const int length = snprintf(path, sizeof path, "%s/%s", places->libraries, name);
    return length > 0 && length < LIBRARY_PATH ? zv_library_open(path) : NULL;
}

/* A library that is there and does not load says why: another architecture, a library that it needs
 * in turn. */
static void explain_absence(struct probe_library *library)
{
    const char *const text = dlerror(); /* NOLINT(concurrency-mt-unsafe) */
    struct zv_slice why = zv_slice_of(text);
    struct zv_slice rest = why;
    const bool about_it = zv_slice_ends(zv_slice_cut(&rest, ':'), library->name);
    if (!about_it || !zv_slice_ends(why, "No such file or directory")) {
        library->source->there = true;
        library->source->said = probe_print(library->session, "%s does not load: %s", library->name,
                                            text != NULL ? text : "");
    }
}

/* The first that loads; of those that do not, the first that is there says why. */
static bool open_any(struct probe_library *library, const char *const *names)
{
    struct zv_probe_source *const source = library->source;
    for (size_t i = 0; names[i] != NULL && library->handle == NULL; i++) {
        library->name = names[i];
        library->handle = open_one(&library->session->places, names[i]);
        if (library->handle == NULL && source->said == NULL) {
            explain_absence(library);
        }
    }
    if (library->handle != NULL) {
        source->said = NULL;
    } else if (source->said == NULL) {
        source->said = probe_print(library->session, "%s is not there", names[0]);
    }
    return library->handle != NULL;
}

bool probe_library_open(struct probe_library *library, const char *const *names,
                        const struct zv_library_symbol *symbols, size_t count, void *functions)
{
    struct zv_probe_source *const source = library->source;
    if (!open_any(library, names)) {
        return false;
    }
    library->functions = functions;
    source->there = true;
    source->place = library->name;
    if (zv_library_emulated(library->handle) != NULL) {
        library->session->env->emulated = true;
    }
    const char *const missing = zv_library_load(library->handle, symbols, count, functions);
    if (missing != NULL) {
        source->said = probe_print(library->session, "%s has no %s", library->name, missing);
        probe_library_close(library);
    }
    return missing == NULL;
}

void probe_library_close(struct probe_library *library)
{
    if (library->handle != NULL) {
        zv_library_close(library->handle);
        library->handle = NULL;
    }
}

const char *probe_library_says(struct probe_library *library, const char *call, int result)
{
    if (result == PROBE_ABSENT) {
        const struct zv_slice name = zv_slice_of(call); /* what is asked of it stands in brackets */
        return probe_print(library->session, "%s has no %.*s", library->name,
                           (int)strcspn(name.at, " "), name.at);
    }
    const char *const words =
        library->words != NULL ? library->words(library->functions, result) : NULL;
    return probe_print(library->session, "%s says %d%s%.80s", call, result,
                       words != NULL ? ", " : "", words != NULL ? words : "");
}

void probe_library_reading(struct probe_library *library, struct zv_probed *reading,
                           const char *call, int result, uint64_t value)
{
    if (result == 0) {
        reading_take(reading, value, call);
    } else if (!reading->known && reading->why == NULL) {
        reading_miss(reading, probe_library_says(library, call, result));
    }
}

void probe_library_word(struct probe_library *library, struct zv_probed_text *word,
                        const char *call, int result, const char *text)
{
    if (result == 0 && text[0] != 0) {
        if (word->text == NULL) {
            word_take(word, probe_print(library->session, "%s", text), call);
        }
    } else if (word->text == NULL && word->why == NULL) {
        word_miss(word, result == 0 ? probe_print(library->session, "%s says nothing", call)
                                    : probe_library_says(library, call, result));
    }
}

bool probe_library_started(struct probe_library *library, const char *call, int result)
{
    library->source->answers = result == 0;
    if (result != 0) {
        library->source->said = probe_library_says(library, call, result);
    }
    return result == 0;
}
