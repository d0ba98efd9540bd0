/*
 * Whole model folders out of headers: copies a folder into a new temporary one; NAME.header becomes
 * NAME at its full length, of which only the header is stored (the rest is a hole in the file).
 *
 *     char folder[SPARSE_MODEL_PATH];
 *     assert_true(sparse_model_make("llama-3.1-8b", folder));    below tests/data/models
 *     ... zv_model_open(..., folder, ...) ...
 *     sparse_model_remove(folder);
 */
#ifndef ZIRVE_TESTS_SPARSE_MODEL_H
#define ZIRVE_TESTS_SPARSE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { SPARSE_MODEL_PATH = 512 };

/* name is below tests/data/models of the source tree, or an absolute path; a folder with all that
 * is below it, or one *.header file, which is then alone in the new folder. */
bool sparse_model_make(const char *name, char folder[SPARSE_MODEL_PATH]);

/* Removes what sparse_model_make made. */
void sparse_model_remove(const char *folder);

/* The whole file's length, from the header alone; 0 when it is neither safetensors nor GGUF. */
uint64_t sparse_model_length(const char *header_path);

#endif
