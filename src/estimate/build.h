/* Building an estimate: shared state of the room's parts. The first failure sticks; adding after it
 * does nothing, so that a part need not look after every line. Room-internal. */
#ifndef ZIRVE_ESTIMATE_BUILD_H
#define ZIRVE_ESTIMATE_BUILD_H

#include "estimate/estimate.h"
#include "estimate/plan.h"

struct build {
    const struct zv_estimate_input *in;
    struct zv_estimate *out;
    struct zv_arena *arena;
    struct zv_error *err;
    enum zv_status status;
    struct plan plan;
};

/* What an item is, without its figure. */
struct build_item {
    int scope;
    const char *id;
    const char *name;
    const char *group;
    const char *phase;
};

void build_add(struct build *build, struct build_item item, uint64_t bytes, enum zv_known known,
               const char *basis, ...) __attribute__((format(printf, 5, 6)));
/* Pages of a mapped file: there while the system has room, in no total. */
void build_add_pages(struct build *build, struct build_item item, uint64_t bytes,
                     const char *basis);
void build_unknown(struct build *build, struct build_item item, const char *why);
void build_assume(struct build *build, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void build_invalid(struct build *build, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void build_fail(struct build *build, enum zv_status status);

/* Checked products and sums: on overflow the build fails and 0 is returned. */
uint64_t build_mul(struct build *build, uint64_t a, uint64_t b);
uint64_t build_sum(struct build *build, uint64_t a, uint64_t b);

/* "token" + build_s(1), "token" + build_s(2) */
static inline const char *build_s(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Parts of the room, in the order they run. */
void build_plan(struct build *build);
void build_weights(struct build *build);
void build_serve(struct build *build);
void build_train(struct build *build);
void build_host(struct build *build);
void build_user_items(struct build *build);

#endif
