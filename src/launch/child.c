#include "launch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

enum { CLEAR_TRIES = 500, CLEAR_MS = 10 };

static enum zv_status fail_start(const char *command, int number, struct zv_error *err)
{
    const enum zv_status status = number == ENOENT ? ZV_E_NOT_FOUND : ZV_E_IO;
    (void)zv_fail(err, status, "cannot be started: %s",
                  strerror(number)); /* NOLINT(concurrency-mt-unsafe): one thread */
    (void)zv_fail_where(err, command);
    return status;
}

/* SIGPIPE too: a reader of ours that went away is a failed write, not our end. */
static bool block_signals(struct child *child)
{
    static const int numbers[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                  SIGUSR1, SIGUSR2, SIGTTOU, SIGPIPE};
    sigset_t set;
    (void)signal(SIGCHLD, SIG_DFL); /* ignored, nobody would learn how the child ended */
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        (void)sigaddset(&set, numbers[i]);
    }
    child->has_mask = pthread_sigmask(SIG_BLOCK, &set, &child->mask) == 0;
    child->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return child->has_mask && child->signals >= 0;
}

/* Its signals are as ours were, SIGPIPE as every program expects it. */
static int set_attributes(const struct child *child, posix_spawnattr_t *attributes)
{
    sigset_t defaults;
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGPIPE);
    int number = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    number = number == 0 ? posix_spawnattr_setpgroup(attributes, 0) : number;
    number = number == 0 ? posix_spawnattr_setsigmask(attributes, &child->mask) : number;
    return number == 0 ? posix_spawnattr_setsigdefault(attributes, &defaults) : number;
}

static int spawn(struct child *child, char *const *command, const int writes[2])
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int number = posix_spawnattr_init(&attributes);
    if (number != 0) {
        return number;
    }
    number = posix_spawn_file_actions_init(&actions);
    if (number == 0) {
        number = set_attributes(child, &attributes);
        for (int i = 0; number == 0 && i < 2; i++) {
            number = posix_spawn_file_actions_adddup2(&actions, writes[i], i + 1);
        }
        if (number == 0 && child->terminal >= 0) {
            number = posix_spawn_file_actions_addtcsetpgrp_np(&actions, child->terminal);
        }
        if (number == 0) {
            number = posix_spawnp(&child->pid, command[0], &actions, &attributes, command, environ);
        }
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)posix_spawnattr_destroy(&attributes);
    return number;
}

/* A pipe whose ends are above 2, so that no standard stream that we lack is mistaken for one. */
static bool open_pipe(int *reads, int *writes)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    *reads = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
    *writes = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    (void)close(ends[0]);
    (void)close(ends[1]);
    return *reads >= 0 && *writes >= 0 &&
           fcntl(*reads, F_SETFL, O_NONBLOCK) == 0; /* a reading end is ours alone */
}

enum zv_status child_start(struct child *child, char *const *command, struct zv_error *err)
{
    int writes[2] = {-1, -1};
    *child = (struct child){.pid = -1, .pipes = {-1, -1}, .signals = -1, .terminal = -1};
    int number = 0;
    if (!block_signals(child) || !open_pipe(&child->pipes[0], &writes[0]) ||
        !open_pipe(&child->pipes[1], &writes[1])) {
        number = errno;
    }
    if (number == 0) {
        child->terminal = tcgetpgrp(STDIN_FILENO) == getpgrp() ? STDIN_FILENO : -1;
        number = spawn(child, command, writes);
    }
    for (int i = 0; i < 2; i++) {
        if (writes[i] >= 0) {
            (void)close(writes[i]);
        }
    }
    return number == 0 ? ZV_OK : fail_start(command[0], number, err);
}

void child_signal(const struct child *child, int number)
{
    (void)kill(-child->pid, number);
    (void)kill(-child->pid, SIGCONT);
}

void child_pause(const struct child *child)
{
    if (child->terminal < 0) {
        return; /* whoever stopped it wakes it */
    }
    (void)tcsetpgrp(child->terminal, getpgrp());
    (void)raise(SIGSTOP);
    if (tcgetpgrp(child->terminal) == getpgrp()) {
        (void)tcsetpgrp(child->terminal, child->pid);
    }
    (void)kill(-child->pid, SIGCONT);
}

bool child_remains(const struct child *child)
{
    while (waitpid(-child->pid, NULL, WNOHANG) > 0) { /* those left behind became ours */
    }
    return kill(-child->pid, 0) == 0;
}

bool child_clear(const struct child *child)
{
    const struct timespec pause = {0, (long)CLEAR_MS * 1000000};
    if (kill(-child->pid, SIGKILL) != 0) {
        return true;
    }
    for (int i = 0; i < CLEAR_TRIES; i++) {
        if (!child_remains(child)) {
            return true;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

void child_close(struct child *child)
{
    if (child->terminal >= 0) {
        (void)tcsetpgrp(child->terminal, getpgrp());
    }
    for (int i = 0; i < 2; i++) {
        if (child->pipes[i] >= 0) {
            (void)close(child->pipes[i]);
        }
    }
    if (child->signals >= 0) {
        (void)close(child->signals);
    }
    if (child->has_mask) {
        (void)pthread_sigmask(SIG_SETMASK, &child->mask, NULL);
    }
}
