/* Phases, their suspects, and the changes that can mend them: two tables. */
#include "decide/overflow.h"

#include <string.h>

#define IN(phase) (1U << ZV_PHASE_##phase)
#define PHASE(name)                                                                                \
    {                                                                                              \
        true, name                                                                                 \
    }
#define ALL_THE_TIME                                                                               \
    {                                                                                              \
        true, NULL                                                                                 \
    }

/* What is live during forward is what backward begins with: an estimate counts it there. */
const struct zv_phase_facts zv_phase_facts[ZV_PHASES] = {
    [ZV_PHASE_LOAD] = {"load",
                       {"the weights themselves, in the format that is stored",
                        "a second copy of them while they are read, cast or moved",
                        "what the runtime takes when it starts: context, cache, graphs"},
                       NULL,
                       true,
                       ALL_THE_TIME,
                       ALL_THE_TIME},
    [ZV_PHASE_PREFILL] = {"prefill",
                          {"activations of the longest prompt, or of all prompts of a step",
                           "attention scores that are materialised",
                           "logits of every position where only the last is needed"},
                          NULL,
                          true,
                          PHASE("prefill"),
                          ALL_THE_TIME},
    [ZV_PHASE_GENERATION] = {"generation",
                             {"the KV cache: it grows with context and with sequences at once",
                              "old and new cache of a layer while it grows",
                              "beams or candidates kept side by side"},
                             NULL,
                             true,
                             PHASE("decode"),
                             ALL_THE_TIME},
    [ZV_PHASE_FORWARD] = {"forward",
                          {"activations kept for backward", "logits and loss in 32 bits",
                           "attention scores that are materialised"},
                          NULL,
                          true,
                          PHASE("prefill"),
                          PHASE("backward")},
    [ZV_PHASE_BACKWARD] = {"backward",
                           {"activations of the micro-batch, still live when gradients arrive",
                            "gradients, first made here",
                            "what is computed again under checkpointing"},
                           NULL,
                           true,
                           ALL_THE_TIME,
                           PHASE("backward")},
    [ZV_PHASE_UPDATE] =
        {"update",
         {"optimizer states, made in the first step",
          "temporaries of the update over all parameters at once", "master weights in 32 bits"},
         "A smaller micro-batch does not mend the update: nothing here grows with it.",
         true,
         ALL_THE_TIME,
         PHASE("update")},
    [ZV_PHASE_EVALUATION] = {"evaluation",
                             {"an evaluation batch or length of its own, larger than in training",
                              "activations kept because gradients are recorded",
                              "outputs of all batches kept on the card for the metric",
                              "optimizer states and gradients that stay meanwhile"},
                             "A smaller training batch does not mend evaluation.",
                             false,
                             {0},
                             {0}},
    [ZV_PHASE_EXPORT] = {"export",
                         {"a second copy of the weights: gathered, merged or cast",
                          "a traced graph with its own constants",
                          "training state that stays meanwhile"},
                         "A smaller training batch does not mend export.",
                         false,
                         {0},
                         {0}},
};

const struct zv_change zv_changes[] = {
    {"load.once", "read the weights straight onto the card, shard by shard",
     "nothing but the time to load, measure it", false, IN(LOAD), NULL},
    {"weights.format", "weights in fewer bits", "kernels of that format must run on this card",
     true, IN(LOAD) | IN(PREFILL) | IN(GENERATION),
     "weights.fp8 weights.int8 weights.awq "
     "weights.nf4 weights.q8_0 weights.q4_K_M weights.q4_0 qlora"},
    {"context", "a shorter context",
     "longer requests are refused or cut: a run that cut data does not validate the load", false,
     IN(PREFILL) | IN(GENERATION), "context.half"},
    {"concurrency", "fewer sequences at once", "requests wait longer", false,
     IN(PREFILL) | IN(GENERATION), "concurrency."},
    {"step", "smaller prefill steps", "longer until the first token: measure it", false,
     IN(PREFILL), "step.half ubatch.half"},
    {"kv_cache", "another cache: fewer bits, windows only, on the host",
     "speed changes: measure it", true, IN(GENERATION), "kv_cache. swa.window"},
    {"micro_batch", "a smaller micro-batch, accumulated to the same batch",
     "more passes a step: measure its time", false, IN(FORWARD) | IN(BACKWARD), "micro_batch.one"},
    {"checkpointing", "activation checkpointing", "layers are computed again: measure a step",
     false, IN(FORWARD) | IN(BACKWARD), "checkpointing."},
    {"seq_length", "shorter sequences",
     "texts are cut: a run that cut data does not validate the load", false,
     IN(FORWARD) | IN(BACKWARD), "seq_length.half"},
    {"loss", "a fused loss: logits never materialised", "compare the losses", false,
     IN(FORWARD) | IN(BACKWARD), "loss.fused"},
    {"attention", "flash attention instead of eager", "the card must have the kernels", false,
     IN(PREFILL) | IN(FORWARD) | IN(BACKWARD), "attention.flash"},
    {"gradients", "gradients in 16 bits", "sums lose digits", true, IN(BACKWARD) | IN(UPDATE),
     "gradients.bf16"},
    {"optimizer", "a smaller optimizer: 8-bit, factored or paged states",
     "paged states move over the bus: measure a step", true, IN(UPDATE),
     "optimizer.8bit optimizer.paged optimizer.factored"},
    {"update.fused", "an update without temporaries: fused, or foreach off",
     "foreach off is slower: measure a step", false, IN(UPDATE), "optimizer.fused"},
    {"adapters", "train adapters only (LoRA)", "what is learned differs", true,
     IN(BACKWARD) | IN(UPDATE), "lora qlora"},
    {"shard", "share out over data-parallel ranks (ZeRO, FSDP)",
     "more cards of the same kind, and traffic every step", false,
     IN(LOAD) | IN(BACKWARD) | IN(UPDATE), "zero1 zero2 zero3 fsdp"},
    {"evaluation.batch", "a smaller evaluation batch", "evaluation takes longer", false,
     IN(EVALUATION), NULL},
    {"evaluation.no_grad", "evaluate without recording gradients (inference mode)", "nothing",
     false, IN(EVALUATION), NULL},
    {"evaluation.outputs", "take outputs off the card batch by batch, or keep the metric alone",
     "copies over the bus: measure the evaluation", false, IN(EVALUATION), NULL},
    {"evaluation.process", "evaluate from a checkpoint in a process of its own",
     "writing and reading it, and a start-up", false, IN(EVALUATION), NULL},
    {"export.host", "gather, merge and cast on the host", "host memory for it, and time", false,
     IN(EXPORT), NULL},
    {"export.shards", "write each rank's shard instead of gathering",
     "the file must be joined later, on a machine with room", false, IN(EXPORT), NULL},
    {"export.process", "export from a checkpoint in a process of its own",
     "writing and reading it, and a start-up", false, IN(EXPORT), NULL},
    {"host", "a part of it on the host", "it is read over the bus: measure the speed", false,
     IN(LOAD) | IN(GENERATION), "layers.host experts.host weights.host"},
    {"start.cache", "shorter or fewer requests: the runtime sizes its cache for them",
     "longer requests are refused: a run that cut data does not validate the load", false, IN(LOAD),
     "context.half concurrency."},
    {"start", "less that the runtime takes when it starts: no CUDA graphs, no draft model",
     "each token takes longer: measure it", false, IN(LOAD), "graphs.none draft.none"},
    {"cards", "more cards of the same kind, with a layout that divides it",
     "their price, and traffic between them", false,
     IN(LOAD) | IN(PREFILL) | IN(GENERATION) | IN(FORWARD) | IN(BACKWARD) | IN(UPDATE),
     "tp.double pp.double gpus.double"},
};
const size_t zv_change_count = sizeof zv_changes / sizeof zv_changes[0];

bool zv_change_has_lever(const struct zv_change *change, const char *lever)
{
    struct zv_slice rest = zv_slice_of(change->levers);
    struct zv_slice word;
    while (zv_slice_word(&rest, &word)) {
        const bool family = zv_slice_ends(word, ".");
        if (family ? strncmp(lever, word.at, word.length) == 0 : zv_slice_equal(word, lever)) {
            return true;
        }
    }
    return false;
}
