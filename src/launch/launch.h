/*
 * Launch: what became of a command?
 *
 *   command ──► child in a process group of its own
 *                 stdin   ours, the terminal with it
 *                 stdout ──┬──► ours, byte by byte
 *                 stderr ──┤
 *                          └──► tail: last lines, first out-of-memory line
 *   end ──► exit status or signal, judged: passed · out of memory · partial · failed · timed out ·
 *           stopped
 *
 * Signals that reach us go on to the child's group. Ours are blocked meanwhile: one launch at a
 * time, of a process with one thread. What a program took is not watched here.
 */
#ifndef ZIRVE_LAUNCH_LAUNCH_H
#define ZIRVE_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "launch/tail.h"
#include "zirve/arena.h"
#include "zirve/error.h"

enum zv_launch_outcome {
    ZV_LAUNCH_PASSED,        /* exit status 0, and nothing said that memory ran out */
    ZV_LAUNCH_OUT_OF_MEMORY, /* another end, and the output or the kernel says why */
    ZV_LAUNCH_PARTIAL,       /* exit status 0, but a request failed on the way */
    ZV_LAUNCH_FAILED,        /* another end, memory not named */
    ZV_LAUNCH_TIMED_OUT,     /* ended by us */
    ZV_LAUNCH_STOPPED        /* ended by a signal that was sent to us or typed */
};

struct zv_launch {
    char *const *command;  /* ends with NULL; found by PATH */
    uint64_t timeout_ms;   /* 0: none; then SIGTERM, and SIGKILL five seconds later */
    size_t kept_lines;     /* of its output */
    bool output_to_stderr; /* its standard output goes to ours for errors */
    bool alone;            /* what it leaves running is ended: the next needs the card */
};

struct zv_launched {
    enum zv_launch_outcome outcome;
    bool exited; /* status is meant, else signal */
    int status;  /* 0 to 255 */
    int signal;
    uint64_t wall_ms;
    bool left_running;     /* members of its group outlived it */
    uint64_t kernel_kills; /* that the kernel made meanwhile for want of host memory, anywhere */
    enum zv_oom_memory memory; /* that ran out; of OUT_OF_MEMORY and PARTIAL */
    struct zv_tail tail;
};

/* Errors: ZV_E_NOT_FOUND, ZV_E_IO (cannot be started, with where = the command; our own output
 * cannot be written), ZV_E_NOMEM. */
enum zv_status zv_launch_run(struct zv_launched *launched, const struct zv_launch *launch,
                             struct zv_arena *arena, struct zv_error *err);

const char *zv_launch_outcome_name(enum zv_launch_outcome outcome); /* "out of memory" */

/* The code that a shell would give: the status, 128 + signal, 124 when it ran out of time. */
int zv_launched_code(const struct zv_launched *launched);

#endif
