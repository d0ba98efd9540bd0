/*
 * A product of matrices: element r, c of to is the sum over k of a at r × a_row + k × a_inner times
 * b at k × b_inner + c × b_column, plus bias at c. Strides in values. Room-internal.
 */
#ifndef ZIRVE_MEASURE_LAB_MATMUL_H
#define ZIRVE_MEASURE_LAB_MATMUL_H

#include "measure/lab.h"

struct lab_matmul {
    uint64_t to; /* addresses; bias 0: none */
    uint64_t a;
    uint64_t b;
    uint64_t bias;
    uint64_t rows;
    uint64_t columns;
    uint64_t inner;
    uint64_t a_row;
    uint64_t a_inner;
    uint64_t b_inner;
    uint64_t b_column;
};

enum zv_status lab_multiply(struct lab *lab, const struct lab_matmul *product,
                            struct zv_error *err);

#endif
