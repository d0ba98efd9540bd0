#include "simcard/range_tree.h"

#include "base/checked.h"
#include "base/memory.h"

/* Recomputes what a node knows about its subtree. */
static void refresh(struct range_tree *tree, uint32_t at)
{
    struct range_node *const node = &tree->nodes[at];
    const struct range_node *const left = &tree->nodes[node->child[0]];
    const struct range_node *const right = &tree->nodes[node->child[1]];
    node->height = 1 + (left->height > right->height ? left->height : right->height);
    node->longest_hole = zv_larger(node->used ? 0 : node->length,
                                   zv_larger(left->longest_hole, right->longest_hole));
}

/* Turns the node down to side; returns the child that came up in its place. */
static uint32_t rotate(struct range_tree *tree, uint32_t at, int side)
{
    const uint32_t up = tree->nodes[at].child[!side];
    tree->nodes[at].child[!side] = tree->nodes[up].child[side];
    tree->nodes[up].child[side] = at;
    refresh(tree, at);
    refresh(tree, up);
    return up;
}

static int32_t lean(const struct range_tree *tree, uint32_t at)
{
    const uint32_t *const child = tree->nodes[at].child;
    return tree->nodes[child[1]].height - tree->nodes[child[0]].height;
}

static uint32_t balance(struct range_tree *tree, uint32_t at)
{
    refresh(tree, at);
    const int32_t leaning = lean(tree, at);
    if (leaning >= -1 && leaning <= 1) {
        return at;
    }
    const int heavy = leaning > 0;
    const int32_t inner = lean(tree, tree->nodes[at].child[heavy]);
    if (heavy ? inner < 0 : inner > 0) {
        tree->nodes[at].child[heavy] = rotate(tree, tree->nodes[at].child[heavy], heavy);
    }
    return rotate(tree, at, !heavy);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the tree is high, below 1.45 log2(nodes). */
static uint32_t insert(struct range_tree *tree, uint32_t at, uint32_t node)
{
    if (at == 0) {
        return node;
    }
    const int side = tree->nodes[node].start > tree->nodes[at].start;
    tree->nodes[at].child[side] = insert(tree, tree->nodes[at].child[side], node);
    return balance(tree, at);
}

static uint32_t cut_lowest(struct range_tree *tree, uint32_t at, uint32_t *lowest)
{
    if (tree->nodes[at].child[0] == 0) {
        *lowest = at;
        return tree->nodes[at].child[1];
    }
    tree->nodes[at].child[0] = cut_lowest(tree, tree->nodes[at].child[0], lowest);
    return balance(tree, at);
}

static uint32_t erase(struct range_tree *tree, uint32_t at, uint64_t start)
{
    struct range_node *const node = &tree->nodes[at];
    if (node->start != start) {
        const int side = start > node->start;
        node->child[side] = erase(tree, node->child[side], start);
        return balance(tree, at);
    }
    const uint32_t left = node->child[0];
    uint32_t right = node->child[1];
    node->child[0] = tree->unused;
    tree->unused = at;
    if (left == 0 || right == 0) {
        return left != 0 ? left : right;
    }
    uint32_t lowest;
    right = cut_lowest(tree, right, &lowest);
    tree->nodes[lowest].child[0] = left;
    tree->nodes[lowest].child[1] = right;
    return balance(tree, lowest);
}
/* NOLINTEND(misc-no-recursion) */

static bool reserve(struct range_tree *tree, uint32_t extra)
{
    if (tree->capacity - tree->count >= extra) {
        return true;
    }
    const uint32_t capacity = tree->capacity == 0 ? 64 : tree->capacity * 2;
    struct range_node *const nodes =
        capacity > UINT32_MAX / 4 ? NULL
                                  : zv_memory_resize(tree->nodes, (size_t)capacity * sizeof *nodes);
    if (nodes == NULL) {
        return false;
    }
    tree->nodes = nodes;
    tree->capacity = capacity;
    return true;
}

static void add(struct range_tree *tree, uint64_t start, uint64_t length, bool used)
{
    uint32_t at = tree->unused;
    if (at != 0) {
        tree->unused = tree->nodes[at].child[0];
    } else {
        at = tree->count++;
    }
    tree->nodes[at] = (struct range_node){.start = start, .length = length, .used = used};
    refresh(tree, at);
    tree->root = insert(tree, tree->root, at);
}

bool range_tree_open(struct range_tree *tree)
{
    *tree = (struct range_tree){0};
    if (!reserve(tree, 2)) {
        return false;
    }
    tree->nodes[0] = (struct range_node){0};
    tree->count = 1;
    add(tree, 0, RANGE_TREE_GRANULES, false);
    return true;
}

void range_tree_close(struct range_tree *tree)
{
    zv_memory_free(tree->nodes);
    *tree = (struct range_tree){0};
}

bool range_tree_take(struct range_tree *tree, uint64_t length, uint64_t *start)
{
    if (length == 0 || tree->nodes[tree->root].longest_hole < length || !reserve(tree, 2)) {
        return false;
    }
    uint32_t at = tree->root;
    for (;;) {
        const struct range_node *const node = &tree->nodes[at];
        if (tree->nodes[node->child[0]].longest_hole >= length) {
            at = node->child[0];
        } else if (!node->used && node->length >= length) {
            break;
        } else {
            at = node->child[1];
        }
    }
    const struct range_node hole = tree->nodes[at];
    tree->root = erase(tree, tree->root, hole.start);
    add(tree, hole.start, length, true);
    if (hole.length > length) {
        add(tree, hole.start + length, hole.length - length, false);
    }
    *start = hole.start;
    return true;
}

/* The node next to start on a side: the last one before it (0) or the first one after it (1). */
static uint32_t neighbour(const struct range_tree *tree, uint64_t start, int side)
{
    uint32_t found = 0;
    for (uint32_t at = tree->root; at != 0;) {
        const struct range_node *const node = &tree->nodes[at];
        const bool beyond = side ? node->start > start : node->start < start;
        found = beyond ? at : found;
        at = node->child[beyond ? !side : side];
    }
    return found;
}

static uint32_t find(const struct range_tree *tree, uint64_t start)
{
    uint32_t at = tree->root;
    while (at != 0 && tree->nodes[at].start != start) {
        at = tree->nodes[at].child[start > tree->nodes[at].start];
    }
    return at;
}

/* The length of the used range that starts at start, 0 when none does. */
static uint64_t used_length(const struct range_tree *tree, uint64_t start)
{
    const uint32_t at = find(tree, start);
    return at != 0 && tree->nodes[at].used ? tree->nodes[at].length : 0;
}

bool range_tree_give(struct range_tree *tree, uint64_t start, uint64_t *length)
{
    *length = used_length(tree, start);
    if (*length == 0) {
        return false;
    }
    struct range_node hole = tree->nodes[find(tree, start)];
    tree->root = erase(tree, tree->root, start);
    for (int side = 0; side < 2; side++) {
        const struct range_node beside = tree->nodes[neighbour(tree, start, side)];
        if (beside.length != 0 && !beside.used) {
            tree->root = erase(tree, tree->root, beside.start);
            hole.start = side == 0 ? beside.start : hole.start;
            hole.length += beside.length;
        }
    }
    add(tree, hole.start, hole.length, false);
    return true;
}
