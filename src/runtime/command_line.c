#include "runtime/command_line.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "runtime/option_table.h"
#include "runtime/shell_words.h"
#include "runtime/version_text.h"
#include "runtime/versions.h"

enum { MAX_EXTRAS = 256 };

/* A program we know: how its words begin, and whose options follow. */
struct program {
    const char *name; /* base name, without ".exe" */
    const char *then; /* word that must follow, or NULL */
    const char *shown;
    enum zv_runtime_kind kind;
    const struct option_rows *options;
    bool positional_model; /* the first word that is no option names the model */
    bool lists;
};

static const struct program programs[] = {
    {"vllm", "serve", "vllm serve", ZV_RUNTIME_VLLM, &options_vllm, true, false},
    {"vllm", "bench", "vllm bench", ZV_RUNTIME_VLLM, &options_vllm, false, false},
    {"vllm.entrypoints.openai.api_server", NULL, "vllm api_server", ZV_RUNTIME_VLLM, &options_vllm,
     true, false},
    {"vllm.entrypoints.api_server", NULL, "vllm api_server", ZV_RUNTIME_VLLM, &options_vllm, false,
     false},
    {"sglang", "serve", "sglang serve", ZV_RUNTIME_SGLANG, &options_sglang, true, false},
    {"sglang.launch_server", NULL, "sglang.launch_server", ZV_RUNTIME_SGLANG, &options_sglang,
     false, false},
    {"sglang.bench_one_batch", NULL, "sglang.bench_one_batch", ZV_RUNTIME_SGLANG, &options_sglang,
     false, false},
    {"llama-bench", NULL, "llama-bench", ZV_RUNTIME_LLAMACPP, &options_llamacpp, false, true},
    {"llama-", NULL, NULL, ZV_RUNTIME_LLAMACPP, &options_llamacpp, false, false},
    {"llama", "serve", "llama serve", ZV_RUNTIME_LLAMACPP, &options_llamacpp, false, false},
};

enum { VLLM_PROGRAM = 2, LLAMA_PROGRAM = 8 }; /* indexes into programs */

/* Container images whose arguments are a program's options. */
static const struct {
    const char *part;
    size_t program;
} images[] = {{"vllm-openai", VLLM_PROGRAM},
              {"llama.cpp:server", LLAMA_PROGRAM},
              {"llama.cpp:light", LLAMA_PROGRAM}};

struct reader {
    struct shell_words words;
    size_t at;
    struct option_target target;
    const struct program *program;
    const struct option_row *many; /* the option that takes the words that follow */
    struct zv_command_extra extras[MAX_EXTRAS];
    size_t extra_count;
    struct zv_arena *arena;
    struct zv_error *err;
};

static struct zv_slice word_at(const struct reader *reader, size_t at)
{
    return at < reader->words.count && !reader->words.at[at].ends ? reader->words.at[at].text
                                                                  : (struct zv_slice){0};
}

static struct zv_slice base_name(struct zv_slice path)
{
    for (size_t i = path.length; i > 0; i--) {
        if (path.at[i - 1] == '/' || path.at[i - 1] == '\\') {
            path.at += i;
            path.length -= i;
            break;
        }
    }
    if (zv_slice_ends(path, ".exe")) {
        path.length -= 4;
    }
    return path;
}

static const struct program *program_at(const struct reader *reader, size_t at)
{
    const struct zv_slice word = word_at(reader, at);
    const struct zv_slice base = base_name(word);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const struct program *const one = &programs[i];
        const bool same = one->shown == NULL ? zv_slice_starts(base, one->name) &&
                                                   base.length > 6 && !zv_slice_contains(base, ".")
                                             : zv_slice_equal(base, one->name);
        if (same && (one->then == NULL || zv_slice_equal(word_at(reader, at + 1), one->then))) {
            return one;
        }
    }
    if (zv_slice_equal(word, "./main") || zv_slice_equal(word, "./server")) {
        return &programs[LLAMA_PROGRAM]; /* their names until June 2024 */
    }
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        if (zv_slice_contains(word, images[i].part)) {
            return &programs[images[i].program];
        }
    }
    return NULL;
}

static enum zv_status add_extra(struct reader *reader, struct zv_slice name, struct zv_slice value,
                                const char *why)
{
    if (reader->extra_count == MAX_EXTRAS) {
        return zv_fail(reader->err, ZV_E_LIMIT, "more than %d options that are not understood",
                       MAX_EXTRAS);
    }
    reader->extras[reader->extra_count++] =
        (struct zv_command_extra){.name = name, .value = value, .matters = true, .why = why};
    return ZV_OK;
}

/* The version in an image's tag: "vllm/vllm-openai:v0.19.0", "llama.cpp:server-cuda-b4719". */
static void version_of_image(struct reader *reader, struct zv_slice word)
{
    struct zv_slice tag = word;
    (void)zv_slice_cut(&tag, ':');
    while (zv_slice_contains(tag, "-b")) {
        (void)zv_slice_cut(&tag, '-');
    }
    struct version version;
    if (reader->target.job->runtime_version.length == 0 && tag.length != 0 &&
        (tag.at[0] == 'v' || tag.at[0] == 'b') && version_read(&version, tag, false)) {
        reader->target.job->runtime_version = tag;
    }
}

/* "0,1" is two cards, "all" says nothing. */
static void count_devices(struct reader *reader, struct zv_slice list)
{
    uint32_t count = 0;
    if (list.length == 0 || zv_slice_equal_nocase(list, "all")) {
        return;
    }
    while (list.length != 0) {
        count += zv_slice_trim(zv_slice_cut(&list, ',')).length != 0;
    }
    reader->target.command->devices = count;
}

static enum zv_status apply(struct reader *reader, const struct option_row *row,
                            struct zv_slice written, struct zv_slice value)
{
    if (row->set != NULL) {
        reader->target.passed = false;
        const enum zv_status status = row->set(&reader->target, row, value, reader->err);
        const bool told = status == ZV_OK && reader->target.passed && row->why != NULL;
        return told ? add_extra(reader, written, value, row->why) : status;
    }
    if (row->why != NULL) {
        return add_extra(reader, written, value, row->why);
    }
    reader->target.command->harmless_count++;
    return ZV_OK;
}

/* NAME=VALUE before the program, or after -e. */
static enum zv_status environment(struct reader *reader, struct zv_slice name,
                                  struct zv_slice value, const struct option_rows *options)
{
    static const char *const visible[] = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                          "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"};
    static const char *const matters[] = {"VLLM_",
                                          "SGL_",
                                          "SGLANG_",
                                          "GGML_",
                                          "LLAMA_",
                                          "PYTORCH_CUDA_ALLOC_CONF",
                                          "PYTORCH_ALLOC_CONF"};
    for (size_t i = 0; i < sizeof visible / sizeof visible[0]; i++) {
        if (zv_slice_equal(name, visible[i])) {
            count_devices(reader, value);
            return ZV_OK;
        }
    }
    if (zv_slice_equal(name, "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS")) {
        reader->target.command->graphs_estimate_given =
            option_yes_no(value, &reader->target.command->graphs_estimate);
        return ZV_OK;
    }
    char dollar[80] = "$";
    if (name.length < sizeof dollar - 1) {
        memcpy(dollar + 1, name.at, name.length);
        const struct option_row *const row =
            option_row_find(options, (struct zv_slice){dollar, name.length + 1});
        if (row != NULL) {
            return apply(reader, row, name, value);
        }
    }
    for (size_t i = 0; i < sizeof matters / sizeof matters[0]; i++) {
        if (zv_slice_starts(name, matters[i])) {
            return add_extra(reader, name, value,
                             "an environment variable that is not in the table");
        }
    }
    reader->target.command->harmless_count++;
    return ZV_OK;
}

/* Splits NAME=VALUE where NAME is that of a variable. */
static bool assignment(struct zv_slice word, struct zv_slice *name, struct zv_slice *value)
{
    size_t length = 0;
    while (length < word.length && word.at[length] != '=') {
        const char c = word.at[length];
        if (!((c >= 'A' && c <= 'Z') || c == '_' || (length > 0 && zv_is_digit(c)))) {
            return false;
        }
        length++;
    }
    if (length == 0 || length == word.length) {
        return false;
    }
    *name = (struct zv_slice){word.at, length};
    *value = (struct zv_slice){word.at + length + 1, word.length - length - 1};
    return true;
}

/* What stands before the program: variables, and docker's --gpus '"device=0,1"'. */
static enum zv_status read_prefix(struct reader *reader, size_t program)
{
    for (size_t i = 0; i < program; i++) {
        struct zv_slice word = word_at(reader, i);
        struct zv_slice name;
        struct zv_slice value;
        if (assignment(word, &name, &value)) {
            const enum zv_status status =
                environment(reader, name, value, reader->program->options);
            if (status != ZV_OK) {
                return status;
            }
        }
        for (size_t at = 0; at + 7 < word.length; at++) {
            if (memcmp(word.at + at, "device=", 7) == 0) {
                struct zv_slice list = {word.at + at + 7, word.length - at - 7};
                list = zv_slice_cut(&list, '"');
                count_devices(reader, list);
            }
        }
    }
    return ZV_OK;
}

static enum zv_status find_program(struct reader *reader)
{
    /* All before it is skipped: docker, sudo, "export A=1; cd x &&"; its variables hold. */
    for (size_t i = 0; i < reader->words.count; i++) {
        const struct program *const program = program_at(reader, i);
        if (program == NULL) {
            continue;
        }
        reader->program = program;
        reader->target.lists = program->lists;
        reader->target.job->runtime = program->kind;
        if (zv_slice_contains(word_at(reader, i), "ik_llama")) {
            reader->target.job->runtime = ZV_RUNTIME_IK_LLAMACPP;
        }
        reader->target.command->program =
            program->shown != NULL ? zv_slice_of(program->shown) : base_name(word_at(reader, i));
        reader->at = i + (program->then != NULL ? 2 : 1);
        version_of_image(reader, word_at(reader, i));
        return read_prefix(reader, i);
    }
    return zv_fail(reader->err, ZV_E_SYNTAX,
                   "no program we know: expected vllm serve, vllm.entrypoints.openai.api_server, "
                   "sglang.launch_server, llama-server, llama-cli or llama-bench");
}

/* Whether the next word can be the value of an option whose value may be left out. */
static bool is_maybe_value(struct zv_slice word)
{
    bool yes;
    return option_yes_no(word, &yes) || zv_slice_equal_nocase(word, "auto") ||
           zv_slice_starts(word, "0,") || zv_slice_starts(word, "1,");
}

static bool is_option(struct zv_slice word)
{
    return word.length > 1 && word.at[0] == '-' && !zv_is_digit(word.at[1]);
}

/* Whether the command goes on at the reader's place. */
static bool has_word(const struct reader *reader)
{
    return reader->words.at != NULL && reader->at < reader->words.count &&
           !reader->words.at[reader->at].ends;
}

/* An option we have no row for: its value is the next word when that is no option. */
static enum zv_status unknown_option(struct reader *reader, struct zv_slice name,
                                     struct zv_slice value, bool has_value)
{
    if (!has_value && has_word(reader) && !is_option(word_at(reader, reader->at))) {
        value = word_at(reader, reader->at++);
    }
    return add_extra(reader, name, value, "not in the table of known options");
}

static const struct option_row *find_row(const struct reader *reader, struct zv_slice name)
{
    const struct option_row *row = option_row_find(reader->program->options, name);
    if (row == NULL && zv_slice_starts(name, "--")) { /* "--compilation-config.level" */
        struct zv_slice rest = name;
        row = option_row_find(reader->program->options, zv_slice_cut(&rest, '.'));
        row = rest.length != 0 ? row : NULL;
    }
    if (row == NULL && zv_slice_starts(name, "-O") && reader->program->kind == ZV_RUNTIME_VLLM) {
        row = option_row_find(reader->program->options, zv_slice_of("-O"));
    }
    return row;
}

static enum zv_status read_option(struct reader *reader, struct zv_slice word)
{
    struct zv_slice value = word;
    const struct zv_slice name = zv_slice_cut(&value, '=');
    const bool has_value = name.length < word.length;
    const struct option_row *const row = find_row(reader, name);
    reader->many = NULL;
    if (row == NULL) {
        return unknown_option(reader, name, value, has_value);
    }
    const struct zv_slice next = word_at(reader, reader->at);
    if (row->value == VALUE_ONE && !has_value) {
        const bool attached = name.length > 2 && zv_slice_starts(name, "-O");
        if (!attached && next.length == 0) {
            return option_bad(row, next, "a value after it", reader->err);
        }
        value = next;
        reader->at += attached ? 0 : 1;
    } else if (row->value == VALUE_MAYBE && !has_value && is_maybe_value(next)) {
        value = next;
        reader->at++;
    } else if (row->value == VALUE_MANY) {
        reader->many = row;
        if (!has_value) {
            reader->target.command->harmless_count += row->set == NULL && row->why == NULL;
            return row->why != NULL ? add_extra(reader, name, next, row->why) : ZV_OK;
        }
    }
    return apply(reader, row, name, value);
}

static enum zv_status read_operand(struct reader *reader, struct zv_slice word)
{
    struct zv_slice *const model = &reader->target.job->serve.model_path;
    if (reader->many != NULL) {
        return reader->many->set != NULL
                   ? reader->many->set(&reader->target, reader->many, word, reader->err)
                   : ZV_OK;
    }
    if (reader->program->positional_model && model->length == 0) {
        *model = word;
        return ZV_OK;
    }
    return add_extra(reader, word, (struct zv_slice){0}, "a word that belongs to no option");
}

/* What only the whole command decides. */
static void conclude(struct reader *reader)
{
    struct option_target *const target = &reader->target;
    struct zv_job *const job = target->job;
    if (target->lists) { /* llama-bench runs a 512-token prompt and 128 tokens unless told else */
        const uint64_t prompt = target->bench_prompt;
        uint64_t most = prompt > target->bench_generate ? prompt : target->bench_generate;
        most = most > target->bench_pair ? most : target->bench_pair;
        if (!zv_add(most, target->bench_depth, &job->serve.context_tokens)) {
            job->serve.context_tokens = UINT64_MAX;
        }
        job->serve.sequences = 1;
    }
    if (zv_runtime_is_llamacpp(job->runtime) && job->serve.sequences == 0 &&
        !zv_slice_contains(target->command->program, "serve")) {
        job->serve.sequences = 1; /* slots are the server's; llama-cli answers one */
    }
    if (target->expert_parallel) {
        job->ep = (job->tp != 0 ? job->tp : 1) * (job->dp != 0 ? job->dp : 1);
    }
    if (job->runtime == ZV_RUNTIME_SGLANG && job->serve.block_tokens > 1) {
        job->serve.num_blocks /= job->serve.block_tokens; /* --max-total-tokens, in pages */
    }
}

static enum zv_status read_words(struct reader *reader)
{
    enum zv_status status = ZV_OK;
    while (status == ZV_OK && has_word(reader)) {
        const struct zv_slice word = word_at(reader, reader->at++);
        status = is_option(word) ? read_option(reader, word) : read_operand(reader, word);
    }
    return status;
}

static enum zv_status keep_extras(struct reader *reader, struct zv_command *command)
{
    struct zv_command_extra *const kept =
        zv_arena_array(reader->arena, reader->extra_count, sizeof *kept);
    if (kept == NULL) {
        return zv_fail_memory(reader->err, "a command line");
    }
    if (reader->extra_count != 0) {
        memcpy(kept, reader->extras, reader->extra_count * sizeof *kept);
    }
    command->extras = kept;
    command->extra_count = reader->extra_count;
    command->model = reader->target.job->serve.model_path;
    return ZV_OK;
}

enum zv_status zv_command_read(struct zv_command *command, struct zv_job *job, struct zv_slice text,
                               struct zv_arena *arena, struct zv_error *err)
{
    *command = (struct zv_command){0};
    struct reader reader = {
        .target = {.job = job, .command = command, .bench_prompt = 512, .bench_generate = 128},
        .arena = arena,
        .err = err};
    job->task = ZV_TASK_SERVE;
    enum zv_status status = shell_split(&reader.words, text, arena, err);
    if (status == ZV_OK) {
        status = find_program(&reader);
    }
    if (status == ZV_OK) {
        status = read_words(&reader);
    }
    if (status == ZV_OK) {
        conclude(&reader);
        job->serve.context_is_total = /* llama.cpp shares its context out */
            zv_runtime_is_llamacpp(job->runtime);
        job->devices = command->devices;
        status = keep_extras(&reader, command);
    }
    if (status != ZV_OK) {
        (void)zv_fail_where(err, "command line");
    }
    return status;
}
