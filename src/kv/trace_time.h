/* Times as traces write them. Room-internal. */
#ifndef ZIRVE_KV_TRACE_TIME_H
#define ZIRVE_KV_TRACE_TIME_H

#include "kv/request_trace.h"

/*
 * "2023-11-16 18:17:03.9799600" (also with T, and with Z or +hh:mm at the end) or a number of
 * units, as ticks of 100 ns; what is finer is cut off. False when it is neither or does not fit.
 */
bool kv_trace_time(struct zv_slice text, enum zv_time_unit unit, uint64_t *ticks);

#endif
