#include "decide/evidence.h"

#include <string.h>

#include "support/test.h"

/* The table, row by row: what a kind of document can prove, and nothing else. */
static void test_table(void **state)
{
    (void)state;
    static const char *const rows[ZV_EVIDENCE_KINDS] = {
        [ZV_EVIDENCE_OFFER] = "price delivery host_ram region",
        [ZV_EVIDENCE_MEASUREMENT] = "memory load compatibility latency",
        [ZV_EVIDENCE_QUALITY] = "quality",
        [ZV_EVIDENCE_ENVIRONMENT] = "host_ram environment interconnect",
        [ZV_EVIDENCE_DELIVERY] = "delivery",
    };
    for (unsigned kind = 0; kind < ZV_EVIDENCE_KINDS; kind++) {
        const char *const proves = rows[kind] != NULL ? rows[kind] : "";
        for (unsigned need = 0; need < ZV_NEED_KINDS; need++) {
            struct zv_slice rest = zv_slice_of(proves);
            struct zv_slice word;
            bool listed = false;
            while (zv_slice_word(&rest, &word)) {
                listed = listed || zv_slice_equal(word, zv_need_name((enum zv_need_kind)need));
            }
            assert_int_equal(
                zv_evidence_can_prove((enum zv_evidence_kind)kind, (enum zv_need_kind)need),
                listed);
        }
    }
}

static const char *refuse(const char *document, enum zv_need_kind need, struct zv_arena *arena)
{
    static struct zv_job_file job;
    static const char text[] = "schema: zirve.job/1\nmodel: {revision: r1}\n"
                               "formats: {storage: nf4}\nsizes: {context: 8192}\n"
                               "covers: [load, export]\n";
    struct zv_evidence_list list = {0};
    const struct zv_yaml_value *root;
    struct zv_error err = {0};
    assert_int_equal(zv_job_file_read(&job, zv_slice_of(text), arena, &err), ZV_OK);
    assert_int_equal(zv_yaml_read(&root, zv_slice_of(document), arena, &err), ZV_OK);
    assert_int_equal(zv_evidence_read(&list, root, "e.yaml", arena, &err), ZV_OK);
    const struct zv_declared declared = {&job, 1, 20786}; /* 2026-11-29 */
    return zv_evidence_refuse(&list.items[0], need, &declared, arena);
}

#define RUN                                                                                        \
    "id: a, kind: measurement, document: d, version: 1, card: L4, revision: r1, storage: nf4, "

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *document;
        enum zv_need_kind need;
        const char *why; /* NULL: it is a proof */
    } rows[] = {
        {"[{" RUN "date: 2026-11-29, processed: {context: 8192}, covers: [export, load]}]",
         ZV_NEED_LOAD, NULL},
        {"[{" RUN "date: 2026-11-29, processed: {context: 9000}, covers: [export, load]}]",
         ZV_NEED_MEMORY, NULL},
        {"[{" RUN "date: 2026-11-29, processed: {context: 8192}, covers: [load]}]", ZV_NEED_LOAD,
         "does not cover export"},
        {"[{" RUN "date: 2026-11-29, processed: {context: 8192}, outcome: failed}]", ZV_NEED_LOAD,
         NULL}, /* a failure is one wherever it fell */
        {"[{" RUN "date: 2026-11-30, processed: {context: 8192}}]", ZV_NEED_LOAD, "after today"},
        {"[{" RUN "processed: {context: 8192}}]", ZV_NEED_LOAD, "no date"},
        {"[{id: a, kind: measurement, date: 2026-11-01, version: 1}]", ZV_NEED_LOAD,
         "without a document"},
        {"[{id: a, kind: measurement, date: 2026-11-01, document: d}]", ZV_NEED_LOAD, "no version"},
        {"[{id: a, kind: quality, date: 2026-11-01, document: d, version: 1, revision: r1, "
         "storage: bf16, value: 0.9}]",
         ZV_NEED_QUALITY, "another storage format"},
        {"[{id: a, kind: quality, date: 2026-11-01, document: d, version: 1, revision: r1, "
         "storage: nf4, value: 0.9}]",
         ZV_NEED_QUALITY, NULL},
        {"[{id: a, kind: quality, date: 2026-11-01, document: d, version: 1, revision: r1, "
         "storage: nf4, value: 0.9, outcome: partial}]",
         ZV_NEED_QUALITY, "not done in full"},
        {"[{id: a, kind: quality, date: 2026-11-01, document: d, version: 1}]", ZV_NEED_MEMORY,
         "cannot prove this"},
        {"[{id: a, kind: stock, date: 2026-11-01, document: d, version: 1}]", ZV_NEED_DELIVERY,
         "no delivery"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        const char *const why = refuse(rows[i].document, rows[i].need, &arena);
        if (rows[i].why == NULL) {
            assert_null(why);
        } else {
            assert_non_null(why);
            assert_non_null(strstr(why, rows[i].why));
        }
        zv_arena_free(&arena);
    }
}

static void test_bad_documents(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } rows[] = {
        {"{a: 1}", "list of documents"},
        {"[{kind: offer}]", "with id and kind"},
        {"[{id: a}]", "with id and kind"},
        {"[{id: a, kind: rumour}]", "kind: expected"},
        {"[{id: a, kind: offer, date: soon}]", "date: expected"},
        {"[{id: a, kind: offer, outcome: well}]", "outcome: expected"},
        {"[{id: a, kind: measurement, processed: {contxt: 1}}]", "processed"},
        {"[{id: a, kind: measurement, peak: lots}]", "peak: expected"},
        {"[{id: a, kind: measurement, count: 0}]", "count: expected"},
        {"[{id: a, kind: measurement, phases: [{outcome: failed}]}]", "with a name"},
        {"[{id: a, kind: measurement, phases: [{name: x, peak: 1}]}]", "a phase has"},
        {"[{id: a, kind: measurement, colour: red}]", "'colour' is no key"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct zv_arena arena = {0};
        struct zv_error err = {0};
        struct zv_evidence_list list = {0};
        const struct zv_yaml_value *root;
        assert_int_equal(zv_yaml_read(&root, zv_slice_of(rows[i].text), &arena, &err), ZV_OK);
        assert_int_equal(zv_evidence_read(&list, root, "e", &arena, &err), ZV_E_SYNTAX);
        assert_int_equal(err.line, 1);
        assert_non_null(strstr(err.text, rows[i].says));
        zv_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bad_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
