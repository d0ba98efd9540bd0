/*
 * How fast a profiler's trace is read: MB/s, and heap bytes (goal: 700 MB/s in 8 MiB, the table of
 * its memory events apart). bench_profiler FILE             reads it several times, prints the best
 *     bench_profiler --make MB FILE [DEVICES]   writes one as Kineto does: operators with shapes,
 *                                     Python functions, kernels, and a memory event in sixteen
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_speed.h"
#include "trace/profiler.h"

static void put_memory(FILE *to, uint64_t number, uint64_t devices)
{
    const bool frees = number / 16 % 2 != 0;
    (void)fprintf(to,
                  "  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": "
                  "\"[memory]\", \"pid\": 3066193, \"tid\": 3066193,\n    \"ts\": %" PRIu64
                  ",\n    \"args\": {\n      \"Total Reserved\": 2097152, \"Total Allocated\": %d, "
                  "\"Bytes\": %d, \"Addr\": 139637976727552, \"Device Id\": %" PRIu64
                  ", \"Device Type\": "
                  "1, \"Ev Idx\": %" PRIu64 "\n    }\n  }",
                  UINT64_C(1716980583323397) + number, frees ? 0 : 4096, frees ? -4096 : 4096,
                  number / 32 % devices, number);
}

static void put_event(FILE *to, uint64_t number, uint64_t devices)
{
    const uint64_t time = UINT64_C(1716980583323397) + number;
    switch (number % 16) {
    case 0:
        put_memory(to, number, devices);
        break;
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
        (void)fprintf(
            to,
            "  {\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": "
            "\"torch/nn/modules/module.py(%d): _call_impl\", \"pid\": 3066193, \"tid\": 3066193,\n"
            "    \"ts\": %" PRIu64
            ", \"dur\": 282848,\n    \"args\": {\n      \"Python parent id\": "
            "%" PRIu64 ", \"Python id\": %" PRIu64 ", \"Ev Idx\": %" PRIu64 "\n    }\n  }",
            (int)(number % 900), time, number - 1, number, number);
        break;
    case 6:
    case 7:
    case 8:
        (void)fprintf(
            to,
            "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": "
            "\"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
            "at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>)\", \"pid\": 0, "
            "\"tid\": 7,\n    \"ts\": %" PRIu64 ", \"dur\": 2,\n    \"args\": {\n      \"External "
            "id\": %" PRIu64 ", \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
            "\"correlation\": 3313, \"registers per thread\": 16, \"shared memory\": 0, \"blocks "
            "per SM\": 0.037037, \"warps per SM\": 0.148148, \"grid\": [4, 1, 1], \"block\": [128, "
            "1, 1], \"est. achieved occupancy %%\": 0\n    }\n  }",
            time, number);
        break;
    default:
        (void)fprintf(
            to,
            "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::index_select\", "
            "\"pid\": 3066193, \"tid\": 3066193,\n    \"ts\": %" PRIu64 ", \"dur\": 282732,\n    "
            "\"args\": {\n      \"External id\": %" PRIu64 ",\"Concrete Inputs\": [\"\", \"0\", "
            "\"\"], \"Input type\": [\"float\", \"Scalar\", \"long int\"], \"Input Dims\": "
            "[[1000000, 1024], [], [10]], \"Ev Idx\": %" PRIu64 "\n    }\n  }",
            time, number, number);
        break;
    }
}

static int make(uint64_t bytes, const char *path, uint64_t devices)
{
    FILE *const to = fopen(path, "wb");
    if (to == NULL) {
        perror(path);
        return EXIT_FAILURE;
    }
    (void)fputs("{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n", to);
    for (uint64_t number = 0; (uint64_t)ftell(to) < bytes; number++) {
        (void)fputs(number != 0 ? ",\n" : "", to);
        put_event(to, number, devices);
    }
    (void)fputs("\n  ],\n  \"traceName\": \"bench\"\n}\n", to);
    return fclose(to) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "--make") == 0) {
        const uint64_t devices = argc == 5 ? strtoull(argv[4], NULL, 10) : 1;
        return make(strtoull(argv[2], NULL, 10) * 1000000, argv[3], devices != 0 ? devices : 1);
    }
    return argc == 2 ? print_read_speed("bench_profiler", argv[1], zv_profiler_read)
                     : EXIT_SUCCESS; /* nothing to measure */
}
