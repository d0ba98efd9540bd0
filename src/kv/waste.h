/*
 * Waste: what a policy sets aside and nobody writes, summed over requests one by one, in closed
 * form. Times are decode steps: a slot held for t steps counts t.
 */
#ifndef ZIRVE_KV_WASTE_H
#define ZIRVE_KV_WASTE_H

#include "kv/figures.h"
#include "kv/reservation.h"
#include "zirve/error.h"

/* Pages of block tokens, each request alone. Errors of all: the source's, ZV_E_OVERFLOW. */
enum zv_status kv_waste_paged(struct kv_figures *to, struct zv_request_source source,
                              uint64_t block, struct zv_error *err);

enum zv_status kv_waste_contiguous(struct kv_figures *to, struct zv_request_source source,
                                   const struct kv_reservation *how, struct zv_error *err);

/* Static batching: so many requests start together, padded to the longest prompt and answer. */
enum zv_status kv_waste_static(struct kv_figures *to, struct zv_request_source source,
                               uint64_t batch, struct zv_error *err);

/*
 * How many requests, in the order of the file and at their full length, go into slots before the
 * first that does not. block 0: contiguous, by how; else pages of so many tokens.
 */
enum zv_status kv_fit(struct kv_figures *to, struct zv_request_source source, uint64_t slots,
                      uint64_t block, const struct kv_reservation *how, struct zv_error *err);

#endif
