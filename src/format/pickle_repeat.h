/*
 * Lists of references that the file has had before, byte for byte: most of a memory snapshot is
 * stacks, and most stacks occur again. Room-internal.
 *
 * The bytes from behind the MARK to the APPENDS say what a list holds as long as they are only
 * fetches of put-aside handles and no such entry changes; then they are compared and not read.
 */
#ifndef ZIRVE_FORMAT_PICKLE_REPEAT_H
#define ZIRVE_FORMAT_PICKLE_REPEAT_H

#include "format/pickle.h"

enum { PICKLE_MOST_HEAD = 7 }; /* bytes */

struct pickle_list {
    size_t head;                     /* bytes from EMPTY_LIST to behind the MARK */
    size_t memo;                     /* entry plus 1, 0: not put aside */
    size_t width;                    /* from EMPTY_LIST to behind APPENDS; 0: nothing is run */
    struct zv_pickle_value value;    /* of whoever takes it */
    struct zv_pickle_value on_stack; /* so that it can be filled once more */
};

/*
 * At an EMPTY_LIST, more than PICKLE_MOST_HEAD bytes before the end, with depth values on the
 * stack: the whole list when it holds put-aside handles alone. Errors as pickle_fill, and
 * ZV_E_NOMEM.
 */
enum zv_status pickle_run_list(struct zv_pickle *p, const unsigned char *at, size_t depth,
                               struct pickle_list *list, struct zv_error *err);

/* A put-aside handle changes: bytes no longer tell. */
void pickle_forget_repeats(struct zv_pickle *p);

#endif
