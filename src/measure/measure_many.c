/* Several devices at once, a thread each; and a new process for a condition. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "measure/measure_run.h"

/* What a thread works on: nothing of it is shared. */
struct task {
    struct measure_run *run;
    struct zv_phase *phases;
    const struct measure_condition *condition;
    const struct measure_place *place;
    struct zv_arena arena;
    struct zv_error err;
    enum zv_status status;
    pthread_t thread;
    bool is_started;
};

static void *work(void *argument)
{
    struct task *const task = argument;
    task->status = measure_run_into(task->run, task->phases, task->condition, task->place,
                                    &task->arena, &task->err);
    return NULL;
}

/* runs[i] has its phases at phases + i × most. */
static enum zv_status run_devices(struct measure_run *runs, struct zv_phase *phases,
                                  const struct measure_condition *condition,
                                  const struct measure_place *places, size_t count,
                                  struct zv_error *err)
{
    static const struct task empty;
    const size_t most = measure_most_phases(condition);
    struct task *const tasks = zv_memory_alloc(count * sizeof *tasks);
    enum zv_status status = tasks != NULL ? ZV_OK : zv_fail_memory(err, "devices");
    for (size_t i = 0; i < count && tasks != NULL; i++) {
        tasks[i] = empty;
        tasks[i].run = &runs[i];
        tasks[i].phases = phases + i * most;
        tasks[i].condition = condition;
        tasks[i].place = &places[i];
        tasks[i].is_started =
            count > 1 && pthread_create(&tasks[i].thread, NULL, work, &tasks[i]) == 0;
        if (count > 1 && !tasks[i].is_started) {
            tasks[i].status = zv_fail(&tasks[i].err, ZV_E_NOMEM, "no thread for it");
        } else if (count == 1) {
            (void)work(&tasks[i]);
        }
    }
    for (size_t i = 0; i < count && tasks != NULL; i++) {
        if (tasks[i].is_started) {
            (void)pthread_join(tasks[i].thread, NULL);
        }
        if (tasks[i].status != ZV_OK) {
            const bool named = count > 1;
            status = status != ZV_OK ? status : tasks[i].status;
            (void)zv_fail(err, tasks[i].status, "%s%s%s", named ? places[i].device : "",
                          named ? ": " : "", tasks[i].err.text);
        }
        zv_arena_free(&tasks[i].arena);
    }
    zv_memory_free(tasks);
    return status;
}

enum zv_status measure_run_devices(struct measure_run *runs,
                                   const struct measure_condition *condition,
                                   const struct measure_place *places, size_t count,
                                   struct zv_arena *arena, struct zv_error *err)
{
    struct zv_phase *const phases =
        zv_arena_array(arena, count, measure_most_phases(condition) * sizeof *phases);
    return phases != NULL ? run_devices(runs, phases, condition, places, count, err)
                          : zv_fail_memory(err, "phases");
}

/* ---- a new process: the same program, forked; its runs grow in memory that both see, so that what
 * it had when it died is there ---- */

struct shared {
    bool is_done;
    enum zv_status status;
    struct zv_error err;
    struct measure_run runs[MEASURE_MOST_DEVICES];
    struct zv_phase phases[];
};

/* A process that died is an observation too: the phase that it was in has failed. */
static void note_death(struct shared *shared, const struct measure_condition *condition,
                       size_t count, int wait_status)
{
    char message[ZV_PHASE_MESSAGE];
    const bool by_signal = WIFSIGNALED(wait_status);
    (void)snprintf(message, sizeof message,
                   by_signal ? "the process was ended by signal %d"
                             : "the process ended with status %d and no word",
                   by_signal ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status));
    for (size_t i = 0; i < count; i++) {
        struct measure_run *const run = &shared->runs[i];
        struct zv_phase *const last =
            run->phase_count != 0 ? &run->phases[run->phase_count - 1] : NULL;
        run->condition = *condition;
        run->is_complete = false;
        run->check = MEASURE_CHECK_NOT_REACHED;
        (void)snprintf(run->failed_phase, sizeof run->failed_phase, "%s",
                       last != NULL ? last->name : "opening the device");
        (void)snprintf(run->message, sizeof run->message, "%s", message);
        if (last != NULL) {
            last->succeeded = false;
            (void)snprintf(last->message, sizeof last->message, "%s", message);
        }
    }
}

/* Out of the shared memory into the caller's arena. */
static enum zv_status keep(struct measure_run *runs, const struct shared *shared, size_t count,
                           struct zv_arena *arena, struct zv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        runs[i] = shared->runs[i];
        struct zv_phase *const phases =
            zv_arena_array(arena, runs[i].phase_count, sizeof *runs[i].phases);
        if (phases == NULL) {
            return zv_fail_memory(err, "phases");
        }
        if (runs[i].phase_count != 0) {
            memcpy(phases, runs[i].phases, runs[i].phase_count * sizeof *phases);
        }
        runs[i].phases = phases;
    }
    return ZV_OK;
}

static enum zv_status run_child(struct shared *shared, const struct measure_condition *condition,
                                const struct measure_place *places, size_t count,
                                struct zv_error *err)
{
    int wait_status = 0;
    const pid_t child = fork();
    if (child == 0) {
        shared->status =
            run_devices(shared->runs, shared->phases, condition, places, count, &shared->err);
        shared->is_done = true;
        _exit(0);
    }
    if (child < 0) {
        return zv_fail(err, ZV_E_IO, "no new process: errno %d", errno);
    }
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    if (!shared->is_done) {
        note_death(shared, condition, count, wait_status);
        return ZV_OK;
    }
    return shared->status == ZV_OK ? ZV_OK : zv_fail(err, shared->status, "%s", shared->err.text);
}

enum zv_status measure_run_process(struct measure_run *runs,
                                   const struct measure_condition *condition,
                                   const struct measure_place *places, size_t count,
                                   struct zv_arena *arena, struct zv_error *err)
{
    const size_t size =
        sizeof(struct shared) + count * measure_most_phases(condition) * sizeof(struct zv_phase);
    if (count > MEASURE_MOST_DEVICES) {
        return zv_fail(err, ZV_E_LIMIT, "more than %d devices", (int)MEASURE_MOST_DEVICES);
    }
    struct shared *const shared =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return zv_fail_memory(err, "runs");
    }
    enum zv_status status = run_child(shared, condition, places, count, err);
    if (status == ZV_OK) {
        status = keep(runs, shared, count, arena, err);
    }
    (void)munmap(shared, size);
    return status;
}
