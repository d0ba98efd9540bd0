/* Replays saved inputs without a fuzzing engine, so the corpus is a regression test everywhere. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *folder, const char *name)
{
    static uint8_t buffer[1 << 22];
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return -1;
    }
    const size_t size = fread(buffer, 1, sizeof buffer, file);
    (void)fclose(file);
    uint8_t *const exact =
        malloc(size + 1); /* its own block, so that a read past the end is seen */
    if (exact == NULL) {
        return -1;
    }
    memcpy(exact, buffer, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

int main(int argc, char **argv)
{
    int count = 0;
    DIR *const folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        (void)fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return EXIT_FAILURE;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            if (replay(argv[1], entry->d_name) < 0) {
                return EXIT_FAILURE;
            }
            count++;
        }
    }
    (void)closedir(folder);
    (void)printf("%d inputs replayed\n", count);
    return count != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
