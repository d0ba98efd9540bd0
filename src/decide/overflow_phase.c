/* Which phase a name, a stack or a log speaks of. */
#include <string.h>

#include "decide/overflow.h"

/* Other names of a phase, as protocols, runtimes and people call it. */
static const char *const names[ZV_PHASES] = {
    [ZV_PHASE_LOAD] = "load loading model_load start startup",
    [ZV_PHASE_PREFILL] = "prefill prompt",
    [ZV_PHASE_GENERATION] = "generation generate decode decoding",
    [ZV_PHASE_FORWARD] = "forward cold_forward warm_forward warmup loss",
    [ZV_PHASE_BACKWARD] = "backward",
    [ZV_PHASE_UPDATE] = "update optimizer step optimizer_step",
    [ZV_PHASE_EVALUATION] = "evaluation evaluate eval validation test",
    [ZV_PHASE_EXPORT] = "export save merge",
};

/*
 * Functions that are on the stack in one phase alone, as they are called in PyTorch, transformers,
 * Lightning, DeepSpeed, Accelerate and vLLM.
 */
static const char *const functions[ZV_PHASES] = {
    [ZV_PHASE_LOAD] = "from_pretrained load_state_dict _load_state_dict_into_model load_model "
                      "_load_pretrained_model load_weights load_checkpoint _apply dispatch_model "
                      "set_module_tensor_to_device initialize_cache capture_model "
                      "_load_state_dict_into_meta_model",
    [ZV_PHASE_PREFILL] = "prefill _prefill profile_run _dummy_run determine_available_memory",
    [ZV_PHASE_GENERATION] = "generate _sample _greedy_search _beam_search decode forward_decode "
                            "execute_model",
    [ZV_PHASE_FORWARD] = "forward _call_impl compute_loss training_step",
    [ZV_PHASE_BACKWARD] = "backward run_backward _engine_run_backward _execution_engine",
    [ZV_PHASE_UPDATE] = "optimizer_step _init_group _multi_tensor_adam _multi_tensor_adamw "
                        "_single_tensor_adam _single_tensor_adamw _fused_adam _fused_adamw "
                        "clip_grad_norm_ unscale_ _take_model_step",
    [ZV_PHASE_EVALUATION] = "evaluate evaluation_loop prediction_loop prediction_step validate "
                            "validation_step validation_epoch eval_epoch run_evaluation test_step",
    [ZV_PHASE_EXPORT] = "save_pretrained save_model save_checkpoint export merge_and_unload "
                        "_consolidated_16bit_state_dict zero_to_fp32 torch_onnx_export",
};

/* Outer phases rule inner ones: generate inside evaluate is evaluation. */
static const enum zv_phase ruling[] = {
    ZV_PHASE_EVALUATION, ZV_PHASE_EXPORT,     ZV_PHASE_BACKWARD, ZV_PHASE_UPDATE, ZV_PHASE_LOAD,
    ZV_PHASE_PREFILL,    ZV_PHASE_GENERATION, ZV_PHASE_FORWARD,  ZV_PHASES,
};

static bool has_word(const char *words, struct zv_slice name)
{
    struct zv_slice rest = zv_slice_of(words);
    struct zv_slice word;
    while (zv_slice_word(&rest, &word)) {
        if (zv_slice_same(word, name)) {
            return true;
        }
    }
    return false;
}

static enum zv_phase find(const char *const words[ZV_PHASES], struct zv_slice name)
{
    unsigned i = 0;
    while (i < ZV_PHASES && !has_word(words[i], name)) {
        i++;
    }
    return (enum zv_phase)i;
}

bool zv_phase_parse(struct zv_slice name, enum zv_phase *to)
{
    const enum zv_phase found = name.length != 0 ? find(names, name) : ZV_PHASES;
    if (found != ZV_PHASES) {
        *to = found;
    }
    return found != ZV_PHASES;
}

enum zv_phase zv_phase_of_function(struct zv_slice function, struct zv_slice file)
{
    if (zv_slice_equal(function, "step") && zv_slice_contains(file, "optim")) {
        return ZV_PHASE_UPDATE; /* of an optimizer, not of a scheduler or an environment */
    }
    if (zv_slice_contains(function, "autograd::Engine")) {
        return ZV_PHASE_BACKWARD; /* frames of C++ have their own names */
    }
    return function.length != 0 ? find(functions, function) : ZV_PHASES;
}

enum zv_phase zv_phase_ruling(enum zv_phase a, enum zv_phase b)
{
    size_t i = 0;
    while (ruling[i] != a && ruling[i] != b) {
        i++;
    }
    return ruling[i];
}
