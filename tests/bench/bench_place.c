/*
 * Heights and nodes of placements that are too long for a unit test, a row each: name, nodes,
 * height and load in bytes, processor time.
 *
 *     bench_place files FOLDER      benchmark files of the field at their capacity
 *     bench_place cut               boxes that were cut up: the optimum is known
 *     bench_place repeated N [SEED] N blocks of training steps, one after the other
 *     bench_place random N [SEED]   N blocks, sizes and lives heavy-tailed
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "clock.h"
#include "place/place_csv.h"
#include "support/place_cases.h"

enum { LARGEST = 1 << 24 };

static int place(const char *name, struct zv_place_block *blocks, size_t count)
{
    const struct zv_place_options options = {0};
    struct zv_place_result result;
    struct zv_error err = {0};
    uint64_t height = 0;
    const double start = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    enum zv_status status = zv_place_run(blocks, count, &options, &result, &err);
    const double took = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - start;
    status = status == ZV_OK ? zv_place_check(blocks, count, &height, &err) : status;
    if (status != ZV_OK || height != result.height_bytes) {
        (void)fprintf(stderr, "%s: %s\n", name, err.text);
        return EXIT_FAILURE;
    }
    (void)printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %.0f ms\n", name, result.nodes, height,
                 result.load_bytes, took);
    return EXIT_SUCCESS;
}

static int run_files(const char *folder)
{
    static const char *const names[] = {"A", "B", "C", "E", "F", "G", "H", "I"};
    int code = EXIT_SUCCESS;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && code == EXIT_SUCCESS; i++) {
        struct zv_arena arena = {0};
        struct zv_file file;
        struct place_table table;
        struct zv_error err = {0};
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s.1048576.csv", folder, names[i]);
        if (zv_file_open(&file, path, &err) != ZV_OK) {
            (void)fprintf(stderr, "%s: %s\n", path, err.text);
            return EXIT_FAILURE;
        }
        code = zv_place_csv_read(&table, zv_file_slice(&file), &arena, &err) == ZV_OK
                   ? place(names[i], table.blocks, table.count)
                   : EXIT_FAILURE;
        zv_file_close(&file);
        zv_arena_free(&arena);
    }
    return code;
}

static int run_cut(void)
{
    enum { BOXES = 8, MOST = 120, HEIGHT = 1 << 20, SPAN = 1000 };
    struct zv_place_block blocks[MOST];
    uint64_t state = 1;
    int code = EXIT_SUCCESS;
    for (int i = 0; i < BOXES && code == EXIT_SUCCESS; i++) {
        const size_t count = place_cut_box(blocks, MOST, HEIGHT, SPAN, i % 2 == 1, &state);
        code = place(i % 2 == 1 ? "pinwheels" : "straight", blocks, count);
    }
    return code;
}

/* A step: activations that are freed in the reverse order of their making, with what is needed only
 * for a moment beside each; weights and what the optimizer keeps are there all the time. */
static size_t put_step(struct zv_place_block *blocks, size_t most, uint64_t *clock, uint64_t *state)
{
    enum { LAYERS = 60 };
    const uint64_t start = *clock;
    const uint64_t end = start + 10 * LAYERS;
    size_t count = 0;
    for (uint64_t layer = 0; layer < LAYERS; layer++) {
        const uint64_t forward = start + 4 * layer;
        const uint64_t backward = end - 4 * layer - 4;
        for (int part = 0; part < 3 && count < most; part++) {
            const uint64_t bytes = 512 * (1 + place_random(state) % 4096);
            blocks[count++] = (struct zv_place_block){
                .birth = forward + (uint64_t)part, .death = backward + 4, .bytes = bytes};
        }
        for (uint64_t at = forward; count < most; at = backward) {
            const uint64_t bytes = 512 * (1 + place_random(state) % 8192);
            blocks[count++] =
                (struct zv_place_block){.birth = at + 1, .death = at + 3, .bytes = bytes};
            if (at == backward) {
                break;
            }
        }
    }
    *clock = end + 2;
    return count;
}

static void fill_repeated(struct zv_place_block *blocks, size_t count, uint64_t seed)
{
    uint64_t clock = 1;
    const size_t kept = count < 400 ? count : 400;
    uint64_t state = seed;
    for (size_t at = kept; at < count;) {
        uint64_t same = 2; /* every step is the same step */
        at += put_step(blocks + at, count - at, &clock, &same);
    }
    for (size_t i = 0; i < kept; i++) {
        blocks[i] = (struct zv_place_block){.death = clock,
                                            .bytes = 512 * (1 + place_random(&state) % 65536)};
    }
}

static void fill_random(struct zv_place_block *blocks, size_t count, uint64_t seed)
{
    place_draw_heavy(blocks, count, &seed);
}

int main(int argc, char **argv)
{
    const bool is_drawn = argc == 3 || argc == 4;
    const uint64_t count = is_drawn ? strtoull(argv[2], NULL, 10) : 0;
    const uint64_t seed = argc == 4 ? strtoull(argv[3], NULL, 10) : 1;
    if (argc == 3 && strcmp(argv[1], "files") == 0) {
        return run_files(argv[2]);
    }
    if (argc == 2 && strcmp(argv[1], "cut") == 0) {
        return run_cut();
    }
    const bool is_random = is_drawn && strcmp(argv[1], "random") == 0;
    if (count == 0 || count > LARGEST || (!is_random && strcmp(argv[1], "repeated") != 0)) {
        (void)fprintf(stderr, "usage: bench_place files FOLDER | cut | repeated N [SEED] |"
                              " random N [SEED]\n");
        return 64;
    }
    struct zv_place_block *const blocks = calloc(count, sizeof *blocks);
    if (blocks == NULL) {
        return EXIT_FAILURE;
    }
    (is_random ? fill_random : fill_repeated)(blocks, count, seed);
    const int code = place(argv[1], blocks, count);
    free(blocks);
    return code;
}
