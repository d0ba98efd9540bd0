#include "emulate/emulate.h"

#include <stdlib.h>

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    struct emulated_device devices[EMULATED_DEVICES];
    uint32_t count;
    struct zv_error err;
} emulated = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static void start(void)
{
    static struct emulated_card cards[EMULATED_DEVICES];
    const char *const text = getenv("ZIRVE_EMULATED_CARDS"); /* NOLINT(concurrency-mt-unsafe) */
    uint32_t count = 0;
    enum zv_status status = emulated_config_read(cards, &count, text, &emulated.err);
    for (uint32_t i = 0; i < count && status == ZV_OK; i++) {
        struct emulated_device *const device = &emulated.devices[i];
        device->card = cards[i];
        status = zv_simcard_open(&device->memory, cards[i].total_bytes, cards[i].used_bytes,
                                 &emulated.err);
    }
    emulated.count = status == ZV_OK ? count : 0;
}

/* Programs may load the library again and find it as new. */
__attribute__((destructor)) static void stop(void)
{
    for (uint32_t i = 0; i < emulated.count; i++) {
        zv_simcard_close(&emulated.devices[i].memory);
    }
    emulated_memory_close();
    emulated_work_close();
}

int emulated_start(void)
{
    (void)pthread_once(&emulated.once, start);
    return emulated.count != 0 ? EMULATED_OK : EMULATED_NO_DEVICE;
}

uint32_t emulated_count(void)
{
    return emulated.count;
}

const char *emulated_problem(void)
{
    return emulated.err.text;
}

struct emulated_device *emulated_device(uint32_t index)
{
    return index < emulated.count ? &emulated.devices[index] : NULL;
}

void emulated_lock(void)
{
    (void)pthread_mutex_lock(&emulated.lock);
}

void emulated_unlock(void)
{
    (void)pthread_mutex_unlock(&emulated.lock);
}

static _Thread_local bool has_current;
static _Thread_local uint32_t current;

bool emulated_current(uint32_t *index)
{
    *index = current;
    return has_current;
}

void emulated_set_current(bool is_set, uint32_t index)
{
    has_current = is_set;
    current = index;
}

static const struct {
    int result;
    const char *cuda;
    const char *hip;
    const char *sentence;
} results[] = {
#define EMULATED_RESULT_ROW(name, value, cuda, hip, sentence) {name, cuda, hip, sentence},
    EMULATED_RESULT_LIST(EMULATED_RESULT_ROW)
#undef EMULATED_RESULT_ROW
};

const char *emulated_result_name(int result, bool hip)
{
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        if (results[i].result == result) {
            return hip ? results[i].hip : results[i].cuda;
        }
    }
    return NULL;
}

const char *emulated_result_sentence(int result)
{
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        if (results[i].result == result) {
            return results[i].sentence;
        }
    }
    return NULL;
}

static bool is_hit(const struct emulated_device *device, enum emulated_fault_kind kind)
{
    for (uint32_t i = 0; i < device->card.fault_count; i++) {
        const struct emulated_fault *const fault = &device->card.faults[i];
        if (fault->kind == kind && (device->calls[kind] == fault->at ||
                                    (fault->onward && device->calls[kind] > fault->at))) {
            return true;
        }
    }
    return false;
}

int emulated_enter(struct emulated_device *device, enum emulated_fault_kind kind)
{
    static const int results_of[EMULATED_FAULT_COUNT] = {
        [EMULATED_FAULT_OOM] = EMULATED_OUT_OF_MEMORY,
        [EMULATED_FAULT_COPY] = EMULATED_ILLEGAL_ADDRESS,
        [EMULATED_FAULT_LAUNCH] = EMULATED_LAUNCH_FAILED,
        [EMULATED_FAULT_LOST] = EMULATED_OK, /* other calls: only whether it is there */
    };
    if (kind != EMULATED_FAULT_LOST) {
        device->calls[kind]++;
        device->calls[EMULATED_FAULT_LOST]++;
        device->is_lost = device->is_lost || is_hit(device, EMULATED_FAULT_LOST);
    }
    if (device->is_lost) {
        return EMULATED_UNAVAILABLE;
    }
    return kind != EMULATED_FAULT_LOST && is_hit(device, kind) ? results_of[kind] : EMULATED_OK;
}
