/* Levers: the table of changes that zv_advise tries. Room-internal. */
#ifndef ZIRVE_ESTIMATE_LEVERS_H
#define ZIRVE_ESTIMATE_LEVERS_H

#include "estimate/question.h"

/* A question to change. job and model are copies, and the question's input points at them. */
struct variant {
    struct zv_question question;
    struct zv_job job;
    struct zv_model model;
    const struct zv_estimate *now; /* the unchanged answer: sizes after defaults */
    const char *name;              /* may be replaced by one with values in it */
    struct zv_arena *arena;        /* for words; as long as the advice */
    struct zv_arena *scratch;      /* for a changed model; until the variant is answered */
};

/* Runtimes a lever is for, as bits; others do not list it. */
enum {
    FOR_PLAIN = 1 << ZV_RUNTIME_NONE | 1 << ZV_RUNTIME_TRANSFORMERS,
    FOR_VLLM = 1 << ZV_RUNTIME_VLLM,
    FOR_SGLANG = 1 << ZV_RUNTIME_SGLANG,
    FOR_SERVERS = FOR_VLLM | FOR_SGLANG,
    FOR_LLAMACPP = 1 << ZV_RUNTIME_LLAMACPP | 1 << ZV_RUNTIME_IK_LLAMACPP,
    FOR_RANKS = FOR_PLAIN | FOR_SERVERS,
    FOR_ALL = FOR_RANKS | FOR_LLAMACPP
};

/* Makes the change; NULL when made, else why there is nothing to change (or lever_absent: the row
 * is left out). */
typedef const char *lever_change(struct variant *variant);
extern const char lever_absent[];

struct lever {
    const char *id;
    const char *name;
    const char *note;
    const char *nothing; /* the reason when it changes no byte */
    unsigned runtimes;
    lever_change *change;
};

extern const struct lever serve_levers[];
extern const size_t serve_lever_count;
extern const struct lever train_levers[];
extern const size_t train_lever_count;

/* name with values; the arena's lack of memory leaves the plain name. */
void variant_name(struct variant *variant, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Changes that serving and training share. */
const char *change_weights(struct variant *variant, const char *name);
const char *change_tp(struct variant *variant);
const char *change_pp(struct variant *variant);

#endif
