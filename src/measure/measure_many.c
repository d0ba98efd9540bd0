/* Several devices at once, a thread each; and a new process for a condition. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "measure/measure.h"

/* What a thread works on: nothing of it is shared. */
struct task {
    struct measure_run *run;
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
    task->status =
        measure_run_here(task->run, task->condition, task->place, &task->arena, &task->err);
    return NULL;
}

/* The phases into the caller's arena. */
static enum zv_status collect(struct task *task, struct zv_arena *arena, struct zv_error *err)
{
    const size_t count = task->run->phase_count;
    if (task->status != ZV_OK) {
        return zv_fail(err, task->status, "%s%s%s", task->place->device,
                       task->err.text[0] != 0 ? ": " : "", task->err.text);
    }
    struct zv_phase *const phases = zv_arena_array(arena, count, sizeof *phases);
    if (phases == NULL) {
        return zv_fail_memory(err, "phases");
    }
    memcpy(phases, task->run->phases, count * sizeof *phases);
    task->run->phases = phases;
    return ZV_OK;
}

enum zv_status measure_run_devices(struct measure_run *runs,
                                   const struct measure_condition *condition,
                                   const struct measure_place *places, size_t count,
                                   struct zv_arena *arena, struct zv_error *err)
{
    if (count == 1) {
        return measure_run_here(runs, condition, places, arena, err);
    }
    static const struct task empty;
    struct task *const tasks = zv_memory_alloc(count * sizeof *tasks);
    enum zv_status status = tasks != NULL ? ZV_OK : zv_fail_memory(err, "devices");
    for (size_t i = 0; i < count && tasks != NULL; i++) {
        tasks[i] = empty;
        tasks[i].run = &runs[i];
        tasks[i].condition = condition;
        tasks[i].place = &places[i];
        tasks[i].is_started = pthread_create(&tasks[i].thread, NULL, work, &tasks[i]) == 0;
        if (!tasks[i].is_started) {
            tasks[i].status = zv_fail(&tasks[i].err, ZV_E_NOMEM, "no thread for it");
        }
    }
    for (size_t i = 0; i < count && tasks != NULL; i++) {
        if (tasks[i].is_started) {
            (void)pthread_join(tasks[i].thread, NULL);
        }
        const enum zv_status its = collect(&tasks[i], arena, err);
        status = status == ZV_OK ? its : status;
        zv_arena_free(&tasks[i].arena);
    }
    zv_memory_free(tasks);
    return status;
}

/* ---- a new process: the same program, forked, tells its runs through a pipe ---- */

static bool write_all(int to, const void *data, size_t size)
{
    const char *at = data;
    while (size != 0) {
        const ssize_t count = write(to, at, size);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool read_all(int from, void *data, size_t size)
{
    char *at = data;
    while (size != 0) {
        const ssize_t count = read(from, at, size);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Both sides are one program: what is told are its own structures, pointers to constants with it.
 */
static bool tell(int to, enum zv_status status, const struct zv_error *err,
                 const struct measure_run *runs, size_t count)
{
    bool told = write_all(to, &status, sizeof status) && write_all(to, err, sizeof *err);
    for (size_t i = 0; i < count && told && status == ZV_OK; i++) {
        told = write_all(to, &runs[i], sizeof runs[i]) &&
               write_all(to, runs[i].phases, runs[i].phase_count * sizeof *runs[i].phases);
    }
    return told;
}

/* False when the process ended before it had told everything. */
static bool hear(int from, enum zv_status *status, struct zv_error *err, struct measure_run *runs,
                 size_t count, struct zv_arena *arena)
{
    struct zv_error its;
    if (!read_all(from, status, sizeof *status) || !read_all(from, &its, sizeof its)) {
        return false;
    }
    if (*status != ZV_OK) {
        (void)zv_fail(err, *status, "%s", its.text);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_all(from, &runs[i], sizeof runs[i])) {
            return false;
        }
        runs[i].phases = zv_arena_array(arena, runs[i].phase_count, sizeof *runs[i].phases);
        if (runs[i].phases == NULL) {
            *status = zv_fail_memory(err, "phases");
            return true;
        }
        if (!read_all(from, runs[i].phases, runs[i].phase_count * sizeof *runs[i].phases)) {
            return false;
        }
    }
    return true;
}

/* A process that died is an observation too. */
static void note_death(struct measure_run *runs, const struct measure_condition *condition,
                       size_t count, int wait_status)
{
    for (size_t i = 0; i < count; i++) {
        runs[i] = (struct measure_run){.condition = *condition};
        (void)snprintf(runs[i].failed_phase, sizeof runs[i].failed_phase, "unknown");
        (void)snprintf(runs[i].message, sizeof runs[i].message,
                       WIFSIGNALED(wait_status) ? "the process was ended by signal %d"
                                                : "the process ended with status %d and no word",
                       WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status));
    }
}

enum zv_status measure_run_process(struct measure_run *runs,
                                   const struct measure_condition *condition,
                                   const struct measure_place *places, size_t count,
                                   struct zv_arena *arena, struct zv_error *err)
{
    int ends[2];
    int wait_status = 0;
    enum zv_status status = ZV_OK;
    if (pipe(ends) != 0) {
        return zv_fail(err, ZV_E_IO, "no pipe for a new process: errno %d", errno);
    }
    const pid_t child = fork();
    if (child == 0) {
        struct zv_error its = {0};
        (void)close(ends[0]);
        status = measure_run_devices(runs, condition, places, count, arena, &its);
        _exit(tell(ends[1], status, &its, runs, count) ? 0 : 1);
    }
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return zv_fail(err, ZV_E_IO, "no new process: errno %d", errno);
    }
    const bool is_heard = hear(ends[0], &status, err, runs, count, arena);
    (void)close(ends[0]);
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    if (!is_heard) {
        note_death(runs, condition, count, wait_status);
        status = ZV_OK;
    }
    return status;
}
