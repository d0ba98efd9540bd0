#include "allocator/sim_driver.h"

#include "base/fail.h"

/* Assumed nanoseconds; see docs/ALLOCATOR.md. */
enum {
    NS_ALLOCATE = 100000,
    NS_ALLOCATE_PER_GIB = 150000,
    NS_ALLOCATE_FAILED = 50000,
    NS_RELEASE = 100000,
    NS_RESERVE = 20000,
    NS_UNRESERVE = 20000,
    NS_MAP_CALL = 10000,
    NS_MAP_PAGE = 60000,
    NS_UNMAP_CALL = 20000,
    NS_UNMAP_PAGE = 30000,
    NS_INFO = 20000,
    NS_WAIT = 10000
};

static uint64_t sim_allocate(void *context, uint64_t size_bytes)
{
    struct sim_driver *const sim = context;
    const uint64_t address = zv_simcard_malloc(&sim->card, size_bytes);
    if (address == 0) {
        sim->calls.allocate_failed++;
        return 0;
    }
    sim->calls.allocate++;
    sim->allocated_bytes += size_bytes;
    return address;
}

static void sim_release(void *context, uint64_t address)
{
    struct sim_driver *const sim = context;
    (void)zv_simcard_free(&sim->card, address);
    sim->calls.release++;
}

static uint64_t sim_reserve(void *context, uint64_t size_bytes)
{
    struct sim_driver *const sim = context;
    sim->calls.reserve++;
    return zv_simcard_reserve(&sim->card, size_bytes);
}

static void sim_unreserve(void *context, uint64_t address, uint64_t size_bytes)
{
    struct sim_driver *const sim = context;
    (void)size_bytes;
    (void)zv_simcard_release(&sim->card, address);
    sim->calls.unreserve++;
}

static bool sim_map(void *context, uint64_t address, uint64_t page_bytes, uint64_t pages)
{
    struct sim_driver *const sim = context;
    if (!zv_simcard_map(&sim->card, address, page_bytes * pages)) {
        sim->calls.map_failed++;
        return false;
    }
    sim->calls.map++;
    sim->calls.map_pages += pages;
    return true;
}

static void sim_unmap(void *context, uint64_t address, uint64_t page_bytes, uint64_t pages,
                      uint64_t stream)
{
    struct sim_driver *const sim = context;
    (void)stream; /* the golden cases: unmapping completes nobody's events */
    (void)zv_simcard_unmap(&sim->card, address, page_bytes * pages);
    sim->calls.unmap++;
    sim->calls.unmap_pages += pages;
}

static void sim_memory_info(void *context, uint64_t *free_bytes, uint64_t *total_bytes)
{
    struct sim_driver *const sim = context;
    *free_bytes = zv_simcard_free_bytes(&sim->card);
    *total_bytes = sim->card.capacity_bytes;
    sim->calls.memory_info++;
}

static uint64_t sim_record(void *context, uint64_t stream)
{
    struct sim_driver *const sim = context;
    (void)stream;
    return zv_simcard_queue(&sim->card);
}

static bool sim_is_done(void *context, uint64_t stream, uint64_t event)
{
    const struct sim_driver *const sim = context;
    return zv_simcard_is_done(&sim->card, stream, event);
}

/* The caller waits for all events when it waits at all, so finishing the device says the same. */
static void sim_wait(void *context, uint64_t stream, uint64_t event)
{
    struct sim_driver *const sim = context;
    sim->calls.wait++;
    if (!zv_simcard_is_done(&sim->card, stream, event)) {
        zv_simcard_finish_device(&sim->card);
    }
}

static enum zv_status sim_failure(void *context, struct zv_error *err)
{
    const struct sim_driver *const sim = context;
    return sim->card.out_of_host_memory ? zv_fail_memory(err, "a simulated card") : ZV_OK;
}

void sim_driver_init(struct sim_driver *sim, struct zv_driver *driver)
{
    *driver = (struct zv_driver){.context = sim,
                                 .allocate = sim_allocate,
                                 .release = sim_release,
                                 .reserve = sim_reserve,
                                 .unreserve = sim_unreserve,
                                 .map = sim_map,
                                 .unmap = sim_unmap,
                                 .memory_info = sim_memory_info,
                                 .record = sim_record,
                                 .is_done = sim_is_done,
                                 .wait = sim_wait,
                                 .failure = sim_failure};
}

struct zv_driver_calls sim_driver_calls(const struct sim_driver *sim)
{
    struct zv_driver_calls calls = sim->calls;
    calls.time_ns = calls.allocate * NS_ALLOCATE +
                    (sim->allocated_bytes >> 20) * (NS_ALLOCATE_PER_GIB >> 10) +
                    calls.allocate_failed * NS_ALLOCATE_FAILED + calls.release * NS_RELEASE +
                    calls.reserve * NS_RESERVE + calls.unreserve * NS_UNRESERVE +
                    (calls.map + calls.map_failed) * NS_MAP_CALL + calls.map_pages * NS_MAP_PAGE +
                    calls.unmap * NS_UNMAP_CALL + calls.unmap_pages * NS_UNMAP_PAGE +
                    calls.memory_info * NS_INFO + calls.wait * NS_WAIT;
    return calls;
}
