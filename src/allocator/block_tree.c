/* Height-balanced trees (AVL) threaded through the blocks themselves: no memory of their own. */
#include "allocator/block.h"

static bool is_before(const struct block *a, const struct block *b)
{
    return a->size != b->size ? a->size < b->size : a->address < b->address;
}

static void replace_child(struct block *blocks, uint32_t *root, uint32_t old, uint32_t by)
{
    const uint32_t parent = blocks[old].parent;
    if (parent == 0) {
        *root = by;
    } else {
        blocks[parent].child[blocks[parent].child[1] == old] = by;
    }
    blocks[by].parent = parent;
}

/* Turns at down to side; its child on the other side comes up. */
static void rotate(struct block *blocks, uint32_t *root, uint32_t at, int side)
{
    const uint32_t up = blocks[at].child[!side];
    const uint32_t middle = blocks[up].child[side];
    replace_child(blocks, root, at, up);
    blocks[at].child[!side] = middle;
    blocks[middle].parent = at; /* block 0 takes this when there is none */
    blocks[up].child[side] = at;
    blocks[at].parent = up;
}

/* at leans by two; returns what stands in its place afterwards. */
static uint32_t rebalance(struct block *blocks, uint32_t *root, uint32_t at)
{
    const int heavy = blocks[at].balance > 0;
    const int8_t sign = heavy ? 1 : -1;
    const uint32_t child = blocks[at].child[heavy];
    if (blocks[child].balance != -sign) {
        rotate(blocks, root, at, !heavy);
        const bool even = blocks[child].balance == 0; /* only after a removal */
        blocks[at].balance = (int8_t)(even ? sign : 0);
        blocks[child].balance = (int8_t)(even ? -sign : 0);
        return child;
    }
    const uint32_t inner = blocks[child].child[!heavy];
    rotate(blocks, root, child, heavy);
    rotate(blocks, root, at, !heavy);
    const int8_t leaned = blocks[inner].balance;
    blocks[at].balance = (int8_t)(leaned == sign ? -sign : 0);
    blocks[child].balance = (int8_t)(leaned == -sign ? sign : 0);
    blocks[inner].balance = 0;
    return inner;
}

static void link_below(struct block *blocks, uint32_t *root, uint32_t at, uint32_t parent, int side)
{
    blocks[at].child[0] = 0;
    blocks[at].child[1] = 0;
    blocks[at].parent = parent;
    blocks[at].balance = 0;
    if (parent == 0) {
        *root = at;
        return;
    }
    blocks[parent].child[side] = at;
    while (parent != 0) {
        blocks[parent].balance =
            (int8_t)(blocks[parent].balance + (blocks[parent].child[1] == at ? 1 : -1));
        if (blocks[parent].balance == 0) {
            return;
        }
        if (blocks[parent].balance != 1 && blocks[parent].balance != -1) {
            (void)rebalance(blocks, root, parent);
            return;
        }
        at = parent;
        parent = blocks[at].parent;
    }
}

void block_tree_insert(struct block *blocks, uint32_t *root, uint32_t at)
{
    uint32_t parent = 0;
    int side = 0;
    for (uint32_t below = *root; below != 0; below = blocks[below].child[side]) {
        parent = below;
        side = is_before(&blocks[below], &blocks[at]);
    }
    link_below(blocks, root, at, parent, side);
}

void block_tree_insert_by_address(struct block *blocks, uint32_t *root, uint32_t at)
{
    uint32_t parent = 0;
    int side = 0;
    for (uint32_t below = *root; below != 0; below = blocks[below].child[side]) {
        parent = below;
        side = blocks[below].address < blocks[at].address;
    }
    link_below(blocks, root, at, parent, side);
}

/* The subtree on a side of at became lower by one. */
static void shrink(struct block *blocks, uint32_t *root, uint32_t at, int side)
{
    while (at != 0) {
        const int8_t before = blocks[at].balance;
        blocks[at].balance = (int8_t)(before + (side ? -1 : 1));
        if (before == 0) {
            return; /* the other side keeps the height */
        }
        if (blocks[at].balance != 0) {
            at = rebalance(blocks, root, at);
            if (blocks[at].balance != 0) {
                return;
            }
        }
        const uint32_t parent = blocks[at].parent;
        side = blocks[parent].child[1] == at;
        at = parent;
    }
}

void block_tree_remove(struct block *blocks, uint32_t *root, uint32_t at)
{
    const struct block node = blocks[at];
    uint32_t start = node.parent;
    int side = blocks[start].child[1] == at; /* unread when start is 0 */
    if (node.child[0] == 0 || node.child[1] == 0) {
        replace_child(blocks, root, at, node.child[0] | node.child[1]);
        shrink(blocks, root, start, side);
        return;
    }
    const uint32_t next = block_tree_end(blocks, node.child[1], 0);
    if (next == node.child[1]) {
        start = next;
        side = 1;
    } else {
        start = blocks[next].parent;
        side = 0;
        replace_child(blocks, root, next, blocks[next].child[1]);
        blocks[next].child[1] = node.child[1];
        blocks[node.child[1]].parent = next;
    }
    replace_child(blocks, root, at, next);
    blocks[next].child[0] = node.child[0];
    blocks[node.child[0]].parent = next;
    blocks[next].balance = node.balance;
    shrink(blocks, root, start, side);
}

uint32_t block_tree_at_least(const struct block *blocks, uint32_t root, uint64_t size)
{
    uint32_t found = 0;
    while (root != 0) {
        const bool enough = blocks[root].size >= size;
        found = enough ? root : found;
        root = blocks[root].child[!enough];
    }
    return found;
}

uint32_t block_tree_step(const struct block *blocks, uint32_t at, int side)
{
    if (blocks[at].child[side] != 0) {
        return block_tree_end(blocks, blocks[at].child[side], !side);
    }
    uint32_t parent = blocks[at].parent;
    while (parent != 0 && blocks[parent].child[side] == at) {
        at = parent;
        parent = blocks[at].parent;
    }
    return parent;
}
