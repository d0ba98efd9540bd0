/* What files of a Python installation say; syntax only. Room-internal. */
#ifndef ZIRVE_PROBE_PYTHON_TEXT_H
#define ZIRVE_PROBE_PYTHON_TEXT_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * The value of a line "key = value" (pyvenv.cfg), or of an assignment to key in a Python file
 * ("__version__ = '2.6.0'", "cuda: Optional[str] = '12.4'"): without quotes, as it stands; "None"
 * stays "None". False when there is no such line, or what stands there is longer than a version.
 */
bool python_text_value(struct zv_slice text, const char *key, struct zv_slice *value);

/* The value of "#define NAME "text"" (patchlevel.h). */
bool python_text_define(struct zv_slice text, const char *name, struct zv_slice *value);

#endif
