#include "runtime/versions.h"

static const struct {
    const char *text;
    enum zv_runtime_kind kind;
} spellings[] = {
    /* the first of a kind is its name */
    {"none", ZV_RUNTIME_NONE},
    {"transformers", ZV_RUNTIME_TRANSFORMERS},
    {"hf", ZV_RUNTIME_TRANSFORMERS},
    {"huggingface", ZV_RUNTIME_TRANSFORMERS},
    {"vllm", ZV_RUNTIME_VLLM},
    {"sglang", ZV_RUNTIME_SGLANG},
    {"sgl", ZV_RUNTIME_SGLANG},
    {"llama.cpp", ZV_RUNTIME_LLAMACPP},
    {"llamacpp", ZV_RUNTIME_LLAMACPP},
    {"llama-cpp", ZV_RUNTIME_LLAMACPP},
    {"llama_cpp", ZV_RUNTIME_LLAMACPP},
    {"llama-server", ZV_RUNTIME_LLAMACPP},
    {"ik_llama.cpp", ZV_RUNTIME_IK_LLAMACPP},
    {"ik_llama", ZV_RUNTIME_IK_LLAMACPP},
    {"ik-llama", ZV_RUNTIME_IK_LLAMACPP},
    {"ik-llama.cpp", ZV_RUNTIME_IK_LLAMACPP},
    {"ik", ZV_RUNTIME_IK_LLAMACPP},
};

const char *zv_runtime_name(enum zv_runtime_kind kind)
{
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (spellings[i].kind == kind) {
            return spellings[i].text;
        }
    }
    return "none";
}

bool zv_runtime_parse(struct zv_slice text, enum zv_runtime_kind *kind, struct zv_slice *version)
{
    struct zv_slice rest = zv_slice_trim(text);
    const struct zv_slice name = zv_slice_cut(&rest, '@');
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (zv_slice_equal_nocase(name, spellings[i].text)) {
            *kind = spellings[i].kind;
            *version = rest;
            return true;
        }
    }
    return false;
}

bool zv_runtime_is_llamacpp(enum zv_runtime_kind kind)
{
    return kind == ZV_RUNTIME_LLAMACPP || kind == ZV_RUNTIME_IK_LLAMACPP;
}
