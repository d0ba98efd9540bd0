/* What the files of the naive allocator share: chunks and segments, the card, waiting, giving back.
 */
#ifndef ZIRVE_TESTS_NAIVE_INNER_H
#define ZIRVE_TESTS_NAIVE_INNER_H

#include "support/naive_allocator.h"

#define NAIVE_MIB          (UINT64_C(1) << 20)
#define NAIVE_MALLOC_BASE  (UINT64_C(1) << 48)
#define NAIVE_RESERVE_BASE (UINT64_C(1) << 60)

enum { NAIVE_NOWHERE = NAIVE_CHUNKS };

/* naive_state.c */
size_t naive_new_chunk(struct naive *n, struct naive_chunk chunk);
size_t naive_new_segment(struct naive *n, struct naive_segment segment);
void naive_emit(struct naive *n, enum zv_allocator_action action, uint64_t address, uint64_t size,
                unsigned stream);
size_t naive_before(const struct naive *n, size_t at);
size_t naive_after(const struct naive *n, size_t at);
bool naive_is_whole(const struct naive *n, size_t at);
bool naive_in_reservation(const struct naive *n, size_t at);
uint64_t naive_granules(uint64_t size);
uint64_t naive_card_used(const struct naive *n);
uint64_t naive_card_place(const struct naive *n, uint64_t size);
void naive_finish_all(struct naive *n);
size_t naive_next_free(const struct naive *n, unsigned pool, unsigned stream, uint64_t size,
                       uint64_t address);
void naive_make_free(struct naive *n, size_t at);
void naive_merge(struct naive *n, size_t at, enum naive_state state);
void naive_complete(struct naive *n, size_t at);
bool naive_holds_events(const struct naive *n);
void naive_wait_on_streams(struct naive *n, size_t at);
void naive_look_at_events(struct naive *n);
void naive_queue_deferred(struct naive *n);

/* naive_release.c */
void naive_free_segment(struct naive *n, size_t at);
void naive_release_cached(struct naive *n);

#endif
