/*
 * Address ranges handed out lowest first: a height-balanced tree of used ranges and holes, in
 * granules, that remembers the longest hole below every node. All operations take logarithmic time.
 *
 *     | used | hole | used | used | hole ................................ |
 *     0                                                    RANGE_TREE_GRANULES
 *
 * Two holes never touch. Internal to the room.
 */
#ifndef ZIRVE_SIMCARD_RANGE_TREE_H
#define ZIRVE_SIMCARD_RANGE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#define RANGE_TREE_GRANULES (UINT64_C(1) << 40)

struct range_node {
    uint64_t start;        /* granules */
    uint64_t length;       /* granules */
    uint64_t longest_hole; /* in this subtree */
    uint32_t child[2];     /* indices, 0 = none; child[0] links the unused nodes */
    int32_t height;
    bool used;
};

struct range_tree {
    struct range_node *nodes; /* nodes[0] is the empty subtree */
    uint32_t count;
    uint32_t capacity;
    uint32_t unused; /* head of the list of unused nodes */
    uint32_t root;
};

/* One hole that covers everything. False when host memory is short. */
bool range_tree_open(struct range_tree *tree);
void range_tree_close(struct range_tree *tree);

/* The lowest place where length granules fit. False when host memory is short or nothing fits. */
bool range_tree_take(struct range_tree *tree, uint64_t length, uint64_t *start);

/* Gives back a range by its start; false when no used range starts there. *length is its length. */
bool range_tree_give(struct range_tree *tree, uint64_t start, uint64_t *length);

#endif
