/* bench_command N COMMAND...: least and median wall time of N runs, and the largest resident set.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The time of one run, or a negative number when it did not end by itself. */
static double run(char **words, long *resident_kib)
{
    const double start = clock_ms(CLOCK_MONOTONIC);
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_RDWR);
        (void)dup2(null, STDOUT_FILENO);
        (void)dup2(null, STDERR_FILENO);
        (void)execv(words[0], words);
        _exit(127);
    }
    int state;
    struct rusage usage;
    if (child < 0 || wait4(child, &state, 0, &usage) != child || !WIFEXITED(state) ||
        WEXITSTATUS(state) == 127) {
        return -1;
    }
    *resident_kib = usage.ru_maxrss > *resident_kib ? usage.ru_maxrss : *resident_kib;
    return clock_ms(CLOCK_MONOTONIC) - start;
}

int main(int argc, char **argv)
{
    const long count = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (count < 1 || count > 100000) {
        (void)fprintf(stderr, "usage: bench_command N COMMAND...\n");
        return 64;
    }
    double *const times = calloc((size_t)count, sizeof *times);
    long resident = 0;
    for (long i = 0; times != NULL && i < count; i++) {
        times[i] = run(argv + 2, &resident);
        if (times[i] < 0) {
            (void)fprintf(stderr, "bench_command: %s did not run\n", argv[2]);
            return 1;
        }
    }
    if (times == NULL) {
        return 1;
    }
    qsort(times, (size_t)count, sizeof *times, by_value);
    (void)printf("  %.2f ms least, %.2f ms median, %.1f MiB resident at most:", times[0],
                 times[count / 2], (double)resident / 1024);
    for (int i = 3; i < argc; i++) {
        (void)printf(" %s", argv[i]);
    }
    (void)printf("\n");
    free(times);
    return 0;
}
