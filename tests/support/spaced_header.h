/*
 * Two readers of one text: a safetensors file, and the same with a blank behind every comma between
 * the tokens of its header. None of its entries then looks as writers write it, so that the reader
 * of JSON reads them all; both must say the same.
 */
#ifndef ZIRVE_TESTS_SPACED_HEADER_H
#define ZIRVE_TESTS_SPACED_HEADER_H

#include "base/slice.h"

/* NULL when both readings agree, errors with their places included; or what differs. */
const char *spaced_header_differs(struct zv_slice input);

#endif
