/* What nearly all opcodes of a large file are, without the checks of the rare ones. Room-internal.
 */
#ifndef ZIRVE_FORMAT_PICKLE_USUAL_H
#define ZIRVE_FORMAT_PICKLE_USUAL_H

#include "format/pickle.h"

/* Runs opcodes as long as they are usual and right; stops before any other. */
enum zv_status pickle_run_usual(struct zv_pickle *p, struct zv_error *err);

#endif
