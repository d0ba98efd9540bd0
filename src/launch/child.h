/* A started child: its group, its pipes, the terminal. Room-internal. */
#ifndef ZIRVE_LAUNCH_CHILD_H
#define ZIRVE_LAUNCH_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "zirve/error.h"

struct child {
    pid_t pid;     /* its group has the same number */
    int pipes[2];  /* its output and errors, to read; -1: closed */
    int signals;   /* ours, as a signalfd */
    int terminal;  /* 0: standard input is one and we had it; -1: not */
    sigset_t mask; /* ours before */
    bool has_mask;
};

/* Blocks our signals and starts command in a group of its own, which gets the terminal if we had
 * it. Errors: ZV_E_NOT_FOUND, ZV_E_IO, with where = command[0]. child_close in any case. */
enum zv_status child_start(struct child *child, char *const *command, struct zv_error *err);

/* To its whole group, and wakes it to take it. */
void child_signal(const struct child *child, int number);

/* It stopped at the terminal: so do we, until we are woken, and it is woken then. */
void child_pause(const struct child *child);

/* Reaps those of the group that ended: whether any is still running. */
bool child_remains(const struct child *child);

/* Kills what is left of the group and waits for it (five seconds at most): false when something
 * would not go. */
bool child_clear(const struct child *child);

/* Takes the terminal back, closes, unblocks. */
void child_close(struct child *child);

#endif
