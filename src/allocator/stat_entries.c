/* torch.cuda.memory_stats(): flat names in sorted order, and their values. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "zirve/allocator.h"

enum { PARTS = 4, POOLS = 3 };

/* Parts and pools in the order of their names. */
static const char *const part_names[PARTS] = {"allocated", "current", "freed", "peak"};
static const char *const pool_names[POOLS] = {"all", "large_pool", "small_pool"};
static const enum zv_stat_pool pools[POOLS] = {ZV_STAT_ALL, ZV_STAT_LARGE_POOL, ZV_STAT_SMALL_POOL};

enum entry_kind {
    BY_POOL, /* a counter for each pool */
    ALONE,   /* one counter */
    NUMBER
};

struct group {
    const char *name;
    enum entry_kind kind;
    enum zv_stat stat; /* BY_POOL */
    size_t offset;     /* else: in struct zv_memory_stats */
    bool only_new;     /* not in torch-2.6 */
};

#define AT(member) offsetof(struct zv_memory_stats, member)

static const struct group groups[] = {
    {"active", BY_POOL, ZV_STAT_ACTIVE, 0, false},
    {"active_bytes", BY_POOL, ZV_STAT_ACTIVE_BYTES, 0, false},
    {"allocated_bytes", BY_POOL, ZV_STAT_ALLOCATED_BYTES, 0, false},
    {"allocation", BY_POOL, ZV_STAT_ALLOCATION, 0, false},
    {"inactive_split", BY_POOL, ZV_STAT_INACTIVE_SPLIT, 0, false},
    {"inactive_split_bytes", BY_POOL, ZV_STAT_INACTIVE_SPLIT_BYTES, 0, false},
    {"max_split_size", NUMBER, ZV_STAT_COUNT, AT(max_split_size), false},
    {"num_alloc_retries", NUMBER, ZV_STAT_COUNT, AT(num_alloc_retries), false},
    {"num_device_alloc", NUMBER, ZV_STAT_COUNT, AT(num_device_alloc), false},
    {"num_device_free", NUMBER, ZV_STAT_COUNT, AT(num_device_free), false},
    {"num_oom_rejections", NUMBER, ZV_STAT_COUNT, AT(num_oom_rejections), true},
    {"num_ooms", NUMBER, ZV_STAT_COUNT, AT(num_ooms), false},
    {"num_sync_all_streams", NUMBER, ZV_STAT_COUNT, AT(num_sync_all_streams), false},
    {"oversize_allocations", ALONE, ZV_STAT_COUNT, AT(oversize_allocations), false},
    {"oversize_segments", ALONE, ZV_STAT_COUNT, AT(oversize_segments), false},
    {"requested_bytes", BY_POOL, ZV_STAT_REQUESTED_BYTES, 0, false},
    {"reserved_bytes", BY_POOL, ZV_STAT_RESERVED_BYTES, 0, false},
    {"segment", BY_POOL, ZV_STAT_SEGMENT, 0, false},
};

static unsigned entries_of(const struct group *group)
{
    return group->kind == BY_POOL ? POOLS * PARTS : group->kind == ALONE ? PARTS : 1;
}

static int64_t part_of(const struct zv_counter *counter, unsigned part)
{
    const int64_t parts[PARTS] = {counter->allocated, counter->current, counter->freed,
                                  counter->peak};
    return parts[part];
}

static void fill(const struct zv_memory_stats *stats, const struct group *group, unsigned index,
                 struct zv_stat_entry *to)
{
    const unsigned char *const member = (const unsigned char *)stats + group->offset;
    const unsigned part = index % PARTS;
    struct zv_counter counter;
    switch (group->kind) {
    case BY_POOL:
        (void)snprintf(to->name, sizeof to->name, "%s.%s.%s", group->name,
                       pool_names[index / PARTS], part_names[part]);
        to->value = part_of(&stats->counters[group->stat][pools[index / PARTS]], part);
        break;
    case ALONE:
        (void)snprintf(to->name, sizeof to->name, "%s.%s", group->name, part_names[part]);
        memcpy(&counter, member, sizeof counter);
        to->value = part_of(&counter, part);
        break;
    case NUMBER:
        (void)snprintf(to->name, sizeof to->name, "%s", group->name);
        memcpy(&to->value, member, sizeof to->value);
        break;
    }
}

bool zv_memory_stats_entry(const struct zv_memory_stats *stats, enum zv_torch_profile profile,
                           unsigned index, struct zv_stat_entry *to)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (groups[i].only_new && profile == ZV_TORCH_2_6) {
            continue;
        }
        const unsigned count = entries_of(&groups[i]);
        if (index < count) {
            fill(stats, &groups[i], index, to);
            return true;
        }
        index -= count;
    }
    return false;
}

bool zv_pool_stats_entry(const struct zv_pool_stats *stats, unsigned index,
                         struct zv_stat_entry *to)
{
    if (index >= POOLS * PARTS) {
        return false;
    }
    (void)snprintf(to->name, sizeof to->name, "reserved_bytes_by_private_pools.0_%llu.%s.%s",
                   (unsigned long long)stats->id, pool_names[index / PARTS],
                   part_names[index % PARTS]);
    to->value = part_of(&stats->reserved_bytes[pools[index / PARTS]], index % PARTS);
    return true;
}
