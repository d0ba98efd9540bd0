#include "support/place_cases.h"

uint64_t place_random(uint64_t *state)
{
    uint64_t x = (*state += UINT64_C(0x9E3779B97F4A7C15));
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

void place_draw(struct zv_place_block *blocks, size_t count, const struct place_shape *shape,
                uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t birth = place_random(state) % shape->time;
        blocks[i] = (struct zv_place_block){
            .birth = birth,
            .death = birth + 1 + place_random(state) % (shape->time - birth),
            .bytes = 1 + place_random(state) % shape->bytes,
            .alignment = UINT64_C(1) << place_random(state) % shape->alignment,
        };
    }
}

/* A number from 0 to 2^bits: its logarithm is drawn, in 256ths of a bit, between which it is even.
 */
static uint64_t heavy(uint64_t drawn, uint64_t bits)
{
    const uint64_t scaled = drawn % (bits * 256);
    const uint64_t power = UINT64_C(1) << scaled / 256;
    return power + power * (scaled % 256) / 256;
}

void place_draw_heavy(struct zv_place_block *blocks, size_t count, uint64_t *state)
{
    enum { SIZE_BITS = 18, LIFE_BITS = 20 };
    for (size_t i = 0; i < count; i++) {
        const uint64_t birth = place_random(state) % (2 * count);
        const uint64_t bytes = 512 * heavy(place_random(state), SIZE_BITS);
        const uint64_t bits = 1 + place_random(state) % LIFE_BITS; /* short ones are many */
        const uint64_t life = heavy(place_random(state), bits);
        blocks[i] = (struct zv_place_block){.birth = birth, .death = birth + life, .bytes = bytes};
    }
}

/* ---- the slow way ---- */

struct stack {
    const struct zv_place_block *blocks;
    size_t count;
    uint64_t tops[8];
    bool placed[8];
    uint64_t least;
};

static bool meet(const struct zv_place_block *a, const struct zv_place_block *b)
{
    return a->birth < b->death && b->birth < a->death;
}

static void put_rest(struct stack *stack, size_t left, uint64_t height)
{
    if (height >= stack->least) {
        return;
    }
    if (left == 0) {
        stack->least = height;
        return;
    }
    for (size_t i = 0; i < stack->count; i++) {
        const struct zv_place_block *const block = &stack->blocks[i];
        const uint64_t step = block->alignment != 0 ? block->alignment : 1;
        uint64_t at = 0;
        for (size_t k = 0; k < stack->count; k++) {
            const bool below = stack->placed[k] && meet(block, &stack->blocks[k]);
            at = below && stack->tops[k] > at ? stack->tops[k] : at;
        }
        at = (at + step - 1) / step * step;
        if (stack->placed[i] || (block->fixed && at > block->offset)) {
            continue;
        }
        stack->placed[i] = true;
        stack->tops[i] = (block->fixed ? block->offset : at) + block->bytes;
        put_rest(stack, left - 1, stack->tops[i] > height ? stack->tops[i] : height);
        stack->placed[i] = false;
    }
}

uint64_t place_least_height(const struct zv_place_block *blocks, size_t count)
{
    struct stack stack = {.blocks = blocks, .count = count, .least = UINT64_MAX};
    put_rest(&stack, count, 0);
    return stack.least;
}

/* ---- boxes with a known optimum ---- */

struct box {
    uint64_t low, high; /* address */
    uint64_t birth, death;
};

enum { MAX_BOXES = 4096 };

static size_t cut_once(struct box *boxes, size_t count, uint64_t *state)
{
    struct box *const box = &boxes[place_random(state) % count];
    const uint64_t height = box->high - box->low;
    const uint64_t time = box->death - box->birth;
    struct box *const other = &boxes[count];
    if (place_random(state) % 2 == 0 ? height > 1 : time <= 1 && height > 1) {
        const uint64_t at = box->low + 1 + place_random(state) % (height - 1);
        *other = *box;
        box->high = at;
        other->low = at;
    } else if (time > 1) {
        const uint64_t at = box->birth + 1 + place_random(state) % (time - 1);
        *other = *box;
        box->death = at;
        other->birth = at;
    } else {
        return count;
    }
    return count + 1;
}

static size_t cut_pinwheel(struct box *boxes, size_t count, uint64_t *state)
{
    struct box *const box = &boxes[place_random(state) % count];
    const struct box all = *box;
    const uint64_t height = all.high - all.low;
    const uint64_t time = all.death - all.birth;
    if (height < 3 || time < 3) {
        return count;
    }
    const uint64_t y1 = all.low + 1 + place_random(state) % (height - 2);
    const uint64_t y2 = y1 + 1 + place_random(state) % (all.high - y1 - 1);
    const uint64_t x1 = all.birth + 1 + place_random(state) % (time - 2);
    const uint64_t x2 = x1 + 1 + place_random(state) % (all.death - x1 - 1);
    *box = (struct box){y1, y2, x1, x2};
    boxes[count] = (struct box){all.low, y2, all.birth, x1};
    boxes[count + 1] = (struct box){y2, all.high, all.birth, x2};
    boxes[count + 2] = (struct box){y1, all.high, x2, all.death};
    boxes[count + 3] = (struct box){all.low, y1, x1, all.death};
    return count + 4;
}

size_t place_cut_box(struct zv_place_block *blocks, size_t count, uint64_t height, uint64_t time,
                     bool pinwheels, uint64_t *state)
{
    static struct box boxes[MAX_BOXES];
    size_t made = 1;
    boxes[0] = (struct box){0, height, 0, time};
    for (size_t tries = 0; tries < 10 * count && made + 4 <= count && made + 4 <= MAX_BOXES;
         tries++) {
        made = pinwheels ? cut_pinwheel(boxes, made, state) : cut_once(boxes, made, state);
    }
    for (size_t i = 0; i < made; i++) {
        blocks[i] = (struct zv_place_block){.birth = boxes[i].birth,
                                            .death = boxes[i].death,
                                            .bytes = boxes[i].high - boxes[i].low};
    }
    return made;
}

bool place_is_valid(const struct zv_place_block *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (meet(&blocks[i], &blocks[k]) &&
                blocks[i].offset < blocks[k].offset + blocks[k].bytes &&
                blocks[k].offset < blocks[i].offset + blocks[i].bytes) {
                return false;
            }
        }
    }
    return true;
}
