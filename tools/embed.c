/* embed OUT FOLDER FILE...: writes one C file that holds the files' bytes, named relative to
 * FOLDER. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_below(const char *path, const char *folder)
{
    const char *const found = strstr(path, "data/");
    const size_t length = strlen(folder);
    if (strncmp(path, folder, length) == 0 && path[length] == '/') {
        return path + length + 1;
    }
    const char *last = found; /* a path relative to the build folder: after the last "data/" */
    for (const char *next = found; next != NULL; next = strstr(next + 1, "data/")) {
        last = next;
    }
    return last != NULL ? last + strlen("data/") : path;
}

static int embed(FILE *out, const char *path, int index)
{
    FILE *const in = fopen(path, "rb");
    if (in == NULL) {
        perror(path);
        return -1;
    }
    (void)fprintf(out, "static const unsigned char file_%d[] = {", index);
    int size = 0;
    for (int c = fgetc(in); c != EOF; c = fgetc(in)) {
        (void)fprintf(out, size++ % 24 == 0 ? "\n%d," : "%d,", c);
    }
    (void)fprintf(out, "0};\n");
    (void)fclose(in);
    return size;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        (void)fprintf(stderr, "usage: embed OUT FOLDER FILE...\n");
        return EXIT_FAILURE;
    }
    FILE *const out = fopen(argv[1], "wb");
    int *const sizes = calloc((size_t)argc, sizeof *sizes);
    if (out == NULL || sizes == NULL) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    (void)fprintf(out, "#include \"base/data.h\"\n");
    for (int i = 3; i < argc; i++) {
        sizes[i] = embed(out, argv[i], i);
        if (sizes[i] < 0) {
            return EXIT_FAILURE;
        }
    }
    (void)fprintf(out, "const struct zv_data_file zv_data_files[] = {\n");
    for (int i = 3; i < argc; i++) {
        (void)fprintf(out, "    {\"%s\", file_%d, %d},\n", name_below(argv[i], argv[2]), i,
                      sizes[i]);
    }
    (void)fprintf(out, "};\nconst size_t zv_data_file_count = %d;\n", argc - 3);
    free(sizes);
    return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
