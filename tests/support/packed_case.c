#include "support/packed_case.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"

enum { TAR_BLOCK = 512, TAR_SIZE_AT = 124, TAR_SIZE_LENGTH = 11 };

static size_t octal(const char *digits, size_t length)
{
    size_t value = 0;
    for (size_t i = 0; i < length && digits[i] >= '0' && digits[i] <= '7'; i++) {
        value = value * 8 + (size_t)(digits[i] - '0');
    }
    return value;
}

static struct zv_slice *member(struct zv_conformance_input *input, const char *name)
{
    const struct {
        const char *name;
        struct zv_slice *to;
    } members[] = {{"case.json", &input->case_json},
                   {"ops.txt", &input->ops},
                   {"expected.tsv", &input->expected},
                   {"events.tsv", &input->events}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(name, members[i].name) == 0) {
            return members[i].to;
        }
    }
    return NULL;
}

static bool find_members(struct packed_case *to, size_t size)
{
    size_t at = 0;
    while (at + TAR_BLOCK <= size && to->bytes[at] != 0) {
        const size_t length = octal(to->bytes + at + TAR_SIZE_AT, TAR_SIZE_LENGTH);
        struct zv_slice *const slice = member(&to->input, to->bytes + at);
        if (length > size - at - TAR_BLOCK) {
            return false;
        }
        if (slice != NULL) {
            *slice = (struct zv_slice){to->bytes + at + TAR_BLOCK, length};
        }
        at += TAR_BLOCK + (length + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    return to->input.case_json.length != 0 && to->input.ops.length != 0 &&
           to->input.expected.length != 0 && to->input.events.length != 0;
}

bool packed_case_open(struct packed_case *to, const char *path)
{
    struct zv_file file;
    *to = (struct packed_case){0};
    if (zv_file_open(&file, path, NULL) != ZV_OK) {
        return false;
    }
    const unsigned long long size = ZSTD_getFrameContentSize(file.data, file.size);
    if (size < (unsigned long long)1 << 30) { /* the two error values are huge */
        to->bytes = malloc((size_t)size + 1);
    }
    const bool unpacked = to->bytes != NULL && ZSTD_decompress(to->bytes, (size_t)size, file.data,
                                                               file.size) == (size_t)size;
    zv_file_close(&file);
    if (!unpacked || !find_members(to, (size_t)size)) {
        packed_case_close(to);
        return false;
    }
    return true;
}

void packed_case_close(struct packed_case *packed)
{
    free(packed->bytes);
    *packed = (struct packed_case){0};
}
