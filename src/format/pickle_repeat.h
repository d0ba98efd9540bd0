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

/*
 * Behind the MARK above a fresh list, from is in the input: how many bytes from there to behind the
 * APPENDS are known, and the payload of the handle they were folded to. 0: none.
 */
size_t pickle_repeat(struct zv_pickle *p, const unsigned char *from, uint32_t *payload);

/* At an APPENDS: the list became this handle. Errors: ZV_E_NOMEM. */
enum zv_status pickle_remember(struct zv_pickle *p, uint32_t payload, struct zv_error *err);

/* A put-aside handle changes: bytes no longer tell. */
void pickle_forget_repeats(struct zv_pickle *p);

#endif
