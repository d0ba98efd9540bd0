/* Dicts whose keys are compared and not looked up: nobody can tell but by the time it takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/pickle_twice.h"
#include "support/test.h"

enum { TEXTS = 6, DICTS = 60, PROGRAMS = 8000, FAR = 300, ROOM = 1 << 16 };

struct program {
    unsigned char bytes[ROOM];
    size_t length;
    uint32_t seed;
    unsigned memo; /* entries that MEMOIZE has made */
};

static uint32_t below(struct program *program, uint32_t count)
{
    program->seed = program->seed * 1664525 + 1013904223;
    return (program->seed >> 8) % count;
}

static void put(struct program *program, const char *bytes, size_t length)
{
    assert_true(program->length + length <= ROOM);
    memcpy(program->bytes + program->length, bytes, length);
    program->length += length;
}

static void put_byte(struct program *program, unsigned byte)
{
    const char as = (char)byte;
    put(program, &as, 1);
}

static void memoize(struct program *program)
{
    put_byte(program, 0x94);
    program->memo++;
}

static void fetch(struct program *program, unsigned index)
{
    index = index == TEXTS ? FAR : index;
    put_byte(program, index < 256 ? 'h' : 'j');
    put_byte(program, index & 255);
    if (index >= 256) {
        put_byte(program, index >> 8);
        put(program, "\0\0", 2);
    }
}

static void text(struct program *program, unsigned which)
{
    put_byte(program, 0x8c);
    put_byte(program, 3);
    put_byte(program, 'a' + which);
    put(program, "xy", 2);
}

static void dict(struct program *program, const unsigned *shape, unsigned keys, unsigned depth);

static void list(struct program *program, bool is_put)
{
    const uint32_t how = is_put ? below(program, 8) : 8;
    put_byte(program, ']');
    if (how == 0) {
        put(program, "r", 1); /* mostly where nothing is */
        put_byte(program, below(program, 256));
        put(program, "\2\0\0", 3);
        program->memo++;
    } else if (how == 1 && program->memo > 100) {
        put(program, "q", 1);
        put_byte(program, 100 + below(program, 156));
        program->memo++;
    } else if (how < 8) {
        memoize(program);
    }
    const unsigned count = below(program, 12);
    if (count == 0) {
        return;
    }
    put_byte(program, '(');
    for (unsigned i = 0; i < count; i++) {
        fetch(program, below(program, 8) == 0 ? below(program, program->memo) : TEXTS + 1 + i % 3);
    }
    put_byte(program, 'e');
    if (below(program, 10) == 0) { /* filled once more */
        const bool is_one = below(program, 2) == 0;
        put(program, is_one ? "K\7a" : "(K\7e", is_one ? 3 : 4);
    }
}

static void value(struct program *program, unsigned kind, unsigned depth)
{
    static const char *const atoms[] = {"K\1",  "M\1\2",      "J\1\2\3\4", "N",
                                        "\x88", "\x8a\2\1\2", ")"};
    static const unsigned lengths[] = {2, 3, 5, 1, 1, 4, 1};
    if (kind < 7) {
        put(program, atoms[kind], lengths[kind]);
    } else if (kind < 10) {
        fetch(program, below(program, program->memo));
    } else if (kind < 12) {
        text(program, below(program, TEXTS));
        memoize(program);
    } else if (kind < 15 || depth == 0) {
        list(program, kind != 12);
    } else {
        const unsigned shape[] = {1, 0};
        dict(program, shape, 2, depth - 1);
    }
}

static void dict(struct program *program, const unsigned *shape, unsigned keys, unsigned depth)
{
    put_byte(program, '}');
    if (below(program, 16) != 0) {
        memoize(program);
    }
    put_byte(program, '(');
    for (unsigned i = 0; i < keys; i++) {
        const bool is_other = below(program, 40) == 0;
        fetch(program, is_other ? below(program, program->memo) : shape[i]);
        value(program, below(program, 4) != 0 ? shape[i] % 7 + i % 9 : below(program, 16), depth);
    }
    put_byte(program, 'u');
}

static void build(struct program *program, uint32_t seed)
{
    *program = (struct program){.seed = seed};
    put(program, "\x80\4](", 4);
    for (unsigned i = 0; i < TEXTS; i++) {
        text(program, i);
        memoize(program);
    }
    text(program, TEXTS);
    put(program, "r\x2c\1\0\0", 5); /* FAR: MEMOIZE goes on behind TEXTS */
    program->memo++;
    for (unsigned i = 0; i < 3; i++) { /* what lists hold */
        put(program, "}", 1);
        memoize(program);
        put(program, "(h\0K\1u", 6);
    }
    const unsigned shape[] = {0, FAR, 2, 3, 4, 5, below(program, TEXTS)};
    const unsigned keys = 1 + below(program, 7);
    for (unsigned i = 0; i < DICTS; i++) {
        const bool is_shorter = below(program, 12) == 0;
        dict(program, shape, is_shorter ? 1 + below(program, keys) : keys, 2);
        if (below(program, 60) == 0) {
            put(program, "h\1q\2\x30", 5); /* another text for a key */
        }
    }
    put(program, "e.", 2);
    const uint32_t damage = below(program, 4);
    if (damage == 0) {
        program->bytes[below(program, (uint32_t)program->length)] =
            (unsigned char)below(program, 256);
    } else if (damage == 1) {
        program->length = below(program, (uint32_t)program->length);
    }
}

/* In memory of exactly its length, so that a read past the end is seen. */
static bool reads_the_same(const unsigned char *bytes, size_t length, size_t *with_places)
{
    char *const exact = malloc(length != 0 ? length : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, length);
    const bool is_same = pickle_twice((struct zv_slice){exact, length}, with_places);
    free(exact);
    return is_same;
}

static void test_programs(void **state)
{
    (void)state;
    static struct program program;
    size_t all = 0;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        size_t with_places = 0;
        build(&program, seed);
        if (!reads_the_same(program.bytes, program.length, &with_places)) {
            fail_msg("program %u", seed);
        }
        all += with_places;
    }
    assert_true(all > 10 * PROGRAMS); /* the last 270 bytes of a file are read byte by byte */
}

/* Real files; nearly every dict of theirs is like one before. */
static void test_snapshots(void **state)
{
    (void)state;
    static const char *const names[] = {"gen0", "gen3", "gen6", "pending", "second-device"};
    const char *const root = getenv("ZIRVE_SOURCE_DIR"); /* NOLINT(concurrency-mt-unsafe) */
    size_t all = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        struct zv_file file;
        size_t with_places = 0;
        (void)snprintf(path, sizeof path, "%s/tests/data/snapshots/%s.pickle",
                       root != NULL ? root : ".", names[i]);
        assert_int_equal(zv_file_open(&file, path, NULL), ZV_OK);
        assert_true(pickle_twice(zv_file_slice(&file), &with_places));
        all += with_places;
        zv_file_close(&file);
    }
    assert_true(all != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs),
                                       cmocka_unit_test(test_snapshots)};
    return cmocka_run_group_tests_name("pickle_shapes", tests, NULL, NULL);
}
