/* One need of one offer. Room-internal. */
#ifndef ZIRVE_DECIDE_JUDGE_H
#define ZIRVE_DECIDE_JUDGE_H

#include "decide/choose.h"

/* What can be said of a document before any offer is looked at. */
struct choose_document {
    const char *refused[ZV_NEED_KINDS]; /* NULL: it is proof of what it says */
    const struct zv_card *card;         /* NULL: none, or not in the table */
};

struct choose_documents {
    struct choose_document *items; /* one for each of the input's evidence */
};

enum zv_status judge_documents(struct choose_documents *documents,
                               const struct zv_choose_input *input, struct zv_arena *arena,
                               struct zv_error *err);

/* arena NULL: the state alone, no text. Text stays NULL when the arena is full. */
struct zv_judgement judge_need(const struct zv_choice *choice, const struct zv_candidate *candidate,
                               enum zv_need_kind kind, struct zv_arena *arena);

/* Bytes that a runtime may use of what the card allocates. */
uint64_t judge_usable(const struct zv_required *required, uint64_t capacity);

#endif
