/* Two lists of requests, aligned. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "trace/requests.h"

enum { PIECE = 256, DIAGONALS = 2 * PIECE + 3 };
#define NO_PARTNER UINT32_MAX
#define UNREACHED  (-1)

struct aligner {
    const struct zv_request_list *a;
    const struct zv_request_list *b;
    bool rounded;
    uint32_t *partner; /* of each request of A: index in B, or NO_PARTNER */
    /* furthest[d][k + PIECE + 1]: how far into A d edits lead on diagonal k (A's less B's index) */
    int32_t (*furthest)[DIAGONALS];
};

static uint64_t size_of(const struct aligner *aligner, const struct zv_request *request)
{
    const uint64_t above = request->bytes % 512;
    return aligner->rounded && above != 0 ? request->bytes - above + 512 : request->bytes;
}

static bool same_size(const struct aligner *aligner, size_t a, size_t b)
{
    return size_of(aligner, &aligner->a->at[a]) == size_of(aligner, &aligner->b->at[b]);
}

struct place {
    size_t a;
    size_t b;
};

/* How diagonal k is reached from the row before: from_b, by passing over a request of B. */
struct step {
    bool from_b;
    int32_t a; /* how far into A; UNREACHED when neither way stays among the requests */
};

static struct step step_to(const int32_t *before, int k, struct place rest)
{
    const int at = k + PIECE + 1;
    const int32_t over_b = before[at + 1];
    const int32_t over_a = before[at - 1] == UNREACHED ? UNREACHED : before[at - 1] + 1;
    const bool b_fits = over_b != UNREACHED && (int64_t)over_b - k <= (int64_t)rest.b;
    const bool a_fits = over_a != UNREACHED && (size_t)over_a <= rest.a;
    if (b_fits && (!a_fits || over_b >= over_a)) {
        return (struct step){true, over_b};
    }
    return (struct step){false, a_fits ? over_a : UNREACHED};
}

static struct place rest_of(const struct aligner *aligner, struct place from)
{
    return (struct place){aligner->a->count - from.a, aligner->b->count - from.b};
}

/* One more edit on every diagonal; true when both ends are reached, on *reached. */
static bool extend(struct aligner *aligner, struct place from, int edits, int *reached)
{
    int32_t *const now = aligner->furthest[edits];
    const struct place rest = rest_of(aligner, from);
    memset(now, 0xff, sizeof aligner->furthest[edits]);
    for (int k = -edits; k <= edits; k += 2) {
        int32_t x = edits == 0 ? 0 : step_to(aligner->furthest[edits - 1], k, rest).a;
        if (x == UNREACHED) {
            continue;
        }
        while ((size_t)x < rest.a && (size_t)(x - k) < rest.b &&
               same_size(aligner, from.a + (size_t)x, from.b + (size_t)(x - k))) {
            x++;
        }
        now[k + PIECE + 1] = x;
        if ((size_t)x == rest.a && (size_t)(x - k) == rest.b) {
            *reached = k;
            return true;
        }
    }
    return false;
}

/* The diagonal that got furthest. */
static int best_diagonal(const struct aligner *aligner, int edits)
{
    int best = 0;
    int64_t most = -1;
    for (int k = -edits; k <= edits; k += 2) {
        const int32_t x = aligner->furthest[edits][k + PIECE + 1];
        if (x != UNREACHED && 2 * (int64_t)x - k > most) {
            most = 2 * (int64_t)x - k;
            best = k;
        }
    }
    return best;
}

/* Follows the edits back and pairs what lies on the diagonals between them; returns the end. */
static struct place pair_back(struct aligner *aligner, struct place from, int edits, int k)
{
    const struct place rest = rest_of(aligner, from);
    int32_t x = aligner->furthest[edits][k + PIECE + 1];
    const struct place end = {from.a + (size_t)x, from.b + (size_t)(x - k)};
    for (int d = edits; d >= 0; d--) {
        const struct step step =
            d == 0 ? (struct step){false, 0} : step_to(aligner->furthest[d - 1], k, rest);
        for (; x > step.a; x--) {
            aligner->partner[from.a + (size_t)x - 1] = (uint32_t)(from.b + (size_t)(x - 1 - k));
        }
        x -= !step.from_b && d != 0;
        k += step.from_b ? 1 : -1;
    }
    return end;
}

static void align(struct aligner *aligner)
{
    struct place at = {0, 0};
    while (at.a < aligner->a->count && at.b < aligner->b->count) {
        int edits = 0;
        int reached = 0;
        while (!extend(aligner, at, edits, &reached)) {
            if (edits == PIECE) {
                reached = best_diagonal(aligner, edits);
                break;
            }
            edits++;
        }
        at = pair_back(aligner, at, edits, reached);
    }
}

/* Between two pairs: what A has there and what B has there are pairs of another size, in order. */
static void pair_rest(struct aligner *aligner)
{
    size_t b = 0;
    for (size_t a = 0; a < aligner->a->count;) {
        size_t end = a;
        while (end < aligner->a->count && aligner->partner[end] == NO_PARTNER) {
            end++;
        }
        const size_t b_end = end < aligner->a->count ? aligner->partner[end] : aligner->b->count;
        for (; a < end && b < b_end; a++, b++) {
            aligner->partner[a] = (uint32_t)b;
        }
        a = end + 1;
        b = b_end + 1;
    }
}

/* For each number of requests of A and of B: how many pairs are complete by then. */
static void count_pairs(const struct aligner *aligner, uint32_t *in_a, uint32_t *in_b)
{
    const size_t a_count = aligner->a->count;
    const size_t b_count = aligner->b->count;
    memset(in_a, 0, (a_count + 1) * sizeof *in_a);
    memset(in_b, 0, (b_count + 1) * sizeof *in_b);
    for (size_t a = 0; a < a_count; a++) {
        const bool paired = aligner->partner[a] != NO_PARTNER;
        in_a[a + 1] = in_a[a] + paired;
        if (paired) {
            in_b[aligner->partner[a] + 1] = 1;
        }
    }
    for (size_t b = 0; b < b_count; b++) {
        in_b[b + 1] += in_b[b];
    }
}

static bool same_life(const struct zv_request *a, const struct zv_request *b, const uint32_t *in_a,
                      const uint32_t *in_b)
{
    if (a->freed_at == ZV_REQUEST_KEPT || b->freed_at == ZV_REQUEST_KEPT) {
        return a->freed_at == b->freed_at;
    }
    return in_a[a->freed_at] == in_b[b->freed_at];
}

static void note(struct zv_request_comparison *to, enum zv_request_change change, size_t a,
                 size_t b)
{
    to->counts[change]++;
    if (change == ZV_REQUEST_EQUAL) {
        to->common += to->difference_count == 0;
        return;
    }
    if (to->difference_count < ZV_REQUEST_DIFFERENCES) {
        to->differences[to->difference_count] = (struct zv_request_difference){change, a, b};
    }
    to->difference_count++;
}

static void tell(struct zv_request_comparison *to, const struct aligner *aligner,
                 const uint32_t *in_a, const uint32_t *in_b)
{
    const size_t a_count = aligner->a->count;
    size_t b = 0;
    for (size_t a = 0; a < a_count; a++) {
        const size_t partner = aligner->partner[a];
        if (partner == NO_PARTNER) {
            note(to, ZV_REQUEST_ONLY_A, a, b);
            continue;
        }
        for (; b < partner; b++) {
            note(to, ZV_REQUEST_ONLY_B, a, b);
        }
        const bool lives = !to->lifetimes_compared ||
                           same_life(&aligner->a->at[a], &aligner->b->at[b], in_a, in_b);
        note(to,
             !same_size(aligner, a, b) ? ZV_REQUEST_SIZE
             : lives                   ? ZV_REQUEST_EQUAL
                                       : ZV_REQUEST_LIFETIME,
             a, b);
        b++;
    }
    for (; b < aligner->b->count; b++) {
        note(to, ZV_REQUEST_ONLY_B, a_count, b);
    }
}

enum zv_status zv_requests_compare(struct zv_request_comparison *to,
                                   const struct zv_request_list *a, const struct zv_request_list *b,
                                   struct zv_error *err)
{
    struct aligner aligner = {.a = a, .b = b, .rounded = a->sizes_of_blocks || b->sizes_of_blocks};
    *to = (struct zv_request_comparison){.rounded = aligner.rounded,
                                         .lifetimes_compared =
                                             !a->lifetimes_unknown && !b->lifetimes_unknown};
    aligner.partner = zv_memory_alloc((a->count + 1) * sizeof *aligner.partner);
    aligner.furthest = zv_memory_alloc((PIECE + 1) * sizeof *aligner.furthest);
    uint32_t *const in_a = zv_memory_alloc((a->count + 1) * sizeof *in_a);
    uint32_t *const in_b = zv_memory_alloc((b->count + 1) * sizeof *in_b);
    enum zv_status status = ZV_OK;
    if (aligner.partner == NULL || aligner.furthest == NULL || in_a == NULL || in_b == NULL) {
        status = zv_fail_memory(err, "requests");
    } else {
        memset(aligner.partner, 0xff, (a->count + 1) * sizeof *aligner.partner);
        align(&aligner);
        pair_rest(&aligner);
        count_pairs(&aligner, in_a, in_b);
        tell(to, &aligner, in_a, in_b);
    }
    zv_memory_free(in_b);
    zv_memory_free(in_a);
    zv_memory_free(aligner.furthest);
    zv_memory_free(aligner.partner);
    return status;
}
