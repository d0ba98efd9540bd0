/* cmocka 1.1.5's header needs these four included first, and clang-format would sort them apart. */
#ifndef ZIRVE_TESTS_TEST_H
#define ZIRVE_TESTS_TEST_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#endif
