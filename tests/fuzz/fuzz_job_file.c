/* Any bytes as a job file with its needs and evidence: a job or an error with its line. */
#include <stdlib.h>

#include "decide/choose.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct zv_job_file job;
    struct zv_arena arena = {0};
    struct zv_error err = {0};
    struct zv_needs needs;
    struct zv_evidence_list evidence = {0};
    struct zv_required required = {0};
    enum zv_status status =
        zv_job_file_read(&job, (struct zv_slice){(const char *)data, size}, &arena, &err);
    if (status == ZV_OK) {
        status = zv_needs_read(&needs, zv_yaml_find(job.root, "needs"),
                               zv_yaml_find(job.root, "quality"), 20786, &err);
    }
    if (status == ZV_OK) {
        status = zv_evidence_read(&evidence, zv_yaml_find(job.root, "evidence"), "f", &arena, &err);
    }
    if (status == ZV_OK) {
        status = zv_variations_read(&required, zv_yaml_find(job.root, "margin"), &err);
    }
    if (status != ZV_OK && (err.status != status || err.line == 0)) {
        abort();
    }
    const struct zv_declared declared = {&job, 1, 20786};
    for (size_t i = 0; status == ZV_OK && i < evidence.count; i++) {
        for (unsigned need = 0; need < ZV_NEED_KINDS; need++) {
            const struct zv_evidence *const one = &evidence.items[i];
            if (zv_evidence_refuse(one, (enum zv_need_kind)need, &declared, &arena) == NULL &&
                !zv_evidence_can_prove(one->kind, (enum zv_need_kind)need)) {
                abort();
            }
        }
    }
    zv_arena_free(&arena);
    return 0;
}
