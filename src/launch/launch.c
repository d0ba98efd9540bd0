#include "launch/launch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "launch/child.h"

enum {
    GRACE_MS = 5000, /* between SIGTERM and SIGKILL */
    QUIET_MS = 200   /* after its end: output of those it left behind */
};

#define FOREVER UINT64_MAX

/* One launch while it goes on. */
struct watch {
    const struct zv_launch *launch;
    struct zv_launched *launched;
    struct child child;
    uint64_t started; /* ms */
    uint64_t next;    /* ms, when something is due; FOREVER: nothing */
    bool terminated;  /* by us, for its time was over */
    bool killed;
    bool over; /* it ended */
    bool told; /* to end, by a signal that went through us */
    bool write_failed;
};

static uint64_t now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The kernel's count of processes that it ended for want of memory; 0 where it keeps none. */
static uint64_t kernel_kills(void)
{
    static const char key[] = "oom_kill ";
    char line[128];
    uint64_t count = 0;
    FILE *const file = fopen("/proc/vmstat", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, sizeof key - 1) == 0) {
            const struct zv_slice number = zv_slice_of(line + sizeof key - 1);
            (void)zv_slice_u64(zv_slice_trim(number), &count);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return count;
}

static bool write_all(int to, const char *data, size_t size)
{
    while (size != 0) {
        const ssize_t count = write(to, data, size);
        if (count >= 0) {
            data += count;
            size -= (size_t)count;
        } else if (errno == EAGAIN) { /* a terminal that somebody set so */
            struct pollfd wait = {.fd = to, .events = POLLOUT};
            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* The child sees a closed pipe as it would without us. */
static void close_pipe(struct watch *watch, unsigned stream)
{
    (void)close(watch->child.pipes[stream]);
    watch->child.pipes[stream] = -1;
}

static void pass_on(struct watch *watch, unsigned stream)
{
    static char data[1 << 16];
    const int to = stream == 0 && !watch->launch->output_to_stderr ? STDOUT_FILENO : STDERR_FILENO;
    const ssize_t count = read(watch->child.pipes[stream], data, sizeof data);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count <= 0) {
        close_pipe(watch, stream);
        return;
    }
    zv_tail_feed(&watch->launched->tail, stream, data, (size_t)count);
    if (!write_all(to, data, (size_t)count)) {
        watch->write_failed = watch->write_failed || errno != EPIPE;
        close_pipe(watch, stream);
    }
    if (watch->over) {
        watch->next = now_ms() + QUIET_MS;
    }
}

/* Looks whether it ended; its number stays taken until it is reaped at the end. */
static void look(struct watch *watch)
{
    siginfo_t info = {0};
    if (watch->over ||
        waitid(P_PID, (id_t)watch->child.pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return;
    }
    if (info.si_code == CLD_STOPPED) {
        (void)waitid(P_PID, (id_t)watch->child.pid, &info, WSTOPPED | WNOHANG);
        child_pause(&watch->child);
        return;
    }
    struct zv_launched *const to = watch->launched;
    to->exited = info.si_code == CLD_EXITED;
    *(to->exited ? &to->status : &to->signal) = info.si_status;
    to->wall_ms = now_ms() - watch->started;
    watch->over = true;
    watch->next = now_ms() + QUIET_MS;
    if (watch->launch->alone || watch->terminated) {
        (void)child_clear(&watch->child);
    }
}

static void take_signals(struct watch *watch)
{
    struct signalfd_siginfo info;
    while (read(watch->child.signals, &info, sizeof info) == (ssize_t)sizeof info) {
        const int number = (int)info.ssi_signo;
        if (number == SIGCHLD) {
            look(watch);
        } else if (number != SIGPIPE && number != SIGTTOU && !watch->over) {
            watch->told = watch->told || (number != SIGUSR1 && number != SIGUSR2);
            child_signal(&watch->child, number);
        }
    }
}

static void take_time(struct watch *watch)
{
    if (now_ms() < watch->next || watch->over) {
        return;
    }
    child_signal(&watch->child, watch->terminated ? SIGKILL : SIGTERM);
    watch->killed = watch->terminated;
    watch->terminated = true;
    watch->next = watch->killed ? FOREVER : now_ms() + GRACE_MS;
}

static int wait_ms(const struct watch *watch)
{
    const uint64_t now = now_ms();
    if (watch->next == FOREVER) {
        return -1;
    }
    const uint64_t left = watch->next > now ? watch->next - now : 0;
    return left < 1000000 ? (int)left : 1000000;
}

/* Until it ended and its output is through, or silent although somebody holds the pipes. */
static void follow(struct watch *watch)
{
    struct child *const child = &watch->child;
    while (!watch->over || child->pipes[0] >= 0 || child->pipes[1] >= 0) {
        struct pollfd fds[] = {{.fd = child->pipes[0], .events = POLLIN},
                               {.fd = child->pipes[1], .events = POLLIN},
                               {.fd = child->signals, .events = POLLIN}};
        const int ready = poll(fds, 3, wait_ms(watch));
        if (ready == 0 && watch->over) {
            break;
        }
        for (unsigned i = 0; ready > 0 && i < 2; i++) {
            if (fds[i].fd >= 0 && fds[i].revents != 0) {
                pass_on(watch, i);
            }
        }
        take_signals(watch);
        take_time(watch);
    }
}

/* What its end means. */
static void judge(const struct watch *watch)
{
    struct zv_launched *const to = watch->launched;
    const bool clean = to->exited && to->status == 0;
    const bool typed = !to->exited && watch->child.terminal >= 0 &&
                       (to->signal == SIGINT || to->signal == SIGQUIT);
    if (to->tail.sign != NULL) {
        to->memory = to->tail.sign->memory;
    }
    if (watch->told || typed) {
        to->outcome = ZV_LAUNCH_STOPPED;
    } else if (watch->terminated) {
        to->outcome = ZV_LAUNCH_TIMED_OUT;
    } else if (to->tail.sign != NULL) {
        to->outcome = clean ? ZV_LAUNCH_PARTIAL : ZV_LAUNCH_OUT_OF_MEMORY;
    } else if (clean) {
        to->outcome = ZV_LAUNCH_PASSED;
    } else if (!to->exited && to->signal == SIGKILL && to->kernel_kills != 0) {
        to->outcome = ZV_LAUNCH_OUT_OF_MEMORY;
        to->memory = ZV_OOM_HOST;
    } else {
        to->outcome = ZV_LAUNCH_FAILED;
    }
}

enum zv_status zv_launch_run(struct zv_launched *launched, const struct zv_launch *launch,
                             struct zv_arena *arena, struct zv_error *err)
{
    struct watch watch = {.launch = launch, .launched = launched, .next = FOREVER};
    const uint64_t kills = kernel_kills();
    memset(launched, 0, sizeof *launched);
    enum zv_status status = zv_tail_make(&launched->tail, launch->kept_lines, arena, err);
    if (status != ZV_OK) {
        return status;
    }
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the child leaves behind is ours to wait for */
    watch.started = now_ms();
    status = child_start(&watch.child, launch->command, err);
    if (status == ZV_OK) {
        watch.next = launch->timeout_ms != 0 ? watch.started + launch->timeout_ms : FOREVER;
        follow(&watch);
        zv_tail_end(&launched->tail);
        launched->left_running = child_remains(&watch.child);
        const uint64_t after = kernel_kills();
        launched->kernel_kills = after > kills ? after - kills : 0;
        judge(&watch);
        if (watch.write_failed) {
            status = zv_fail(err, ZV_E_IO, "what the command prints cannot be written");
        }
    }
    child_close(&watch.child);
    return status;
}

const char *zv_launch_outcome_name(enum zv_launch_outcome outcome)
{
    static const char *const names[] = {"passed", "out of memory", "partial",
                                        "failed", "timed out",     "stopped"};
    return names[outcome];
}

int zv_launched_code(const struct zv_launched *launched)
{
    if (launched->outcome == ZV_LAUNCH_TIMED_OUT) {
        return 124;
    }
    return launched->exited ? launched->status : 128 + launched->signal;
}
