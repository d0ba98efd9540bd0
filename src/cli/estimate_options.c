#include "cli/estimate_options.h"

#define VALUE(group, name, aliases, argument, help)                                                \
    {                                                                                              \
        group, name, aliases, argument, help, OPTION_VALUE                                         \
    }
#define FLAG(group, name, aliases, help)                                                           \
    {                                                                                              \
        group, name, aliases, NULL, help, OPTION_FLAG                                              \
    }
#define LIST(group, name, aliases, argument, help)                                                 \
    {                                                                                              \
        group, name, aliases, argument, help, OPTION_LIST                                          \
    }

static const char BY_HAND[] = "By hand, without a model file";
static const char JOB[] = "Job";
static const char PARALLEL[] = "Several cards";
static const char RUNTIME[] = "Runtime";
static const char TRAIN[] = "Training (--task train)";
static const char CARD[] = "Card and reserve";
static const char ANSWER[] = "Answer";

const struct option_spec estimate_options[ESTIMATE_OPTION_COUNT] = {
    VALUE(BY_HAND, "parameters", NULL, "N", "number of values: 7000000000 or 7e9"),
    VALUE(BY_HAND, "bits", NULL, "B[,B...]", "bits of one stored value; several make a row each"),
    VALUE(BY_HAND, "reserve-gib", NULL, "R", "reserve in GiB, added to the weights"),
    VALUE(BY_HAND, "layers", NULL, "N", "KV cache by hand: layers"),
    VALUE(BY_HAND, "kv-heads", NULL, "N", "KV heads of a layer (not query heads)"),
    VALUE(BY_HAND, "head-dim", NULL, "N", "values of one head"),
    VALUE(BY_HAND, "kv-bits", NULL, "B", "bits of one cached value (16)"),

    VALUE(JOB, "task", NULL, "TASK", "serve (default) or train"),
    VALUE(JOB, "context", "ctx-size max-model-len context-length max-context n-ctx", "TOKENS",
          "tokens of one sequence, prompt and answer"),
    VALUE(JOB, "concurrency", "sequences max-num-seqs parallel max-running-requests batch",
          "N[,N...]", "sequences at once"),
    VALUE(JOB, "dtype", "torch-dtype", "TYPE", "type to load and compute in: bf16, f16, f32, auto"),
    VALUE(JOB, "quantization", "quant load-in", "METHOD",
          "weights as if quantised: nf4, nf4-dq, int8, gptq, awq, fp8, mxfp4, nvfp4, q8_0 ..."),
    VALUE(JOB, "kv-cache-dtype", "cache-type-k ctk", "TYPE", "type of cached keys (and values)"),
    VALUE(JOB, "cache-type-v", "ctv", "TYPE", "type of cached values, when another"),
    VALUE(JOB, "draft", "model-draft speculative-draft-model-path", "MODEL",
          "draft model for speculative decoding"),
    VALUE(JOB, "mmproj", NULL, "FILE", "vision projector kept in a file of its own"),
    LIST(JOB, "lora", NULL, "DIR", "LoRA adapter that is served; repeatable"),

    VALUE(
        RUNTIME, "runtime", NULL, "NAME[@VERSION]",
        "transformers, vllm, sglang, llama.cpp, ik_llama.cpp; the newest known version by default"),
    FLAG(RUNTIME, "assume", NULL, "an unknown version: use the rules of the nearest known one"),
    VALUE(RUNTIME, "command", NULL, "LINE",
          "the runtime's own command line, as you would paste it"),
    VALUE(RUNTIME, "gpu-memory-utilization", "mem-fraction-static", "FRACTION",
          "share of the card that the runtime may use"),
    VALUE(RUNTIME, "max-num-batched-tokens", "chunked-prefill-size batch-size b", "TOKENS",
          "tokens of one step"),
    VALUE(RUNTIME, "block-size", "page-size", "TOKENS", "tokens of a KV page"),
    FLAG(RUNTIME, "enforce-eager", "disable-cuda-graph", "no CUDA graphs"),
    VALUE(RUNTIME, "ubatch-size", "ub", "TOKENS", "llama.cpp: micro-batch"),
    VALUE(RUNTIME, "n-gpu-layers", "ngl gpu-layers", "N", "llama.cpp: layers on cards"),
    VALUE(RUNTIME, "n-cpu-moe", "ncmoe", "N",
          "llama.cpp: experts of the first N layers on the host"),
    VALUE(RUNTIME, "tensor-split", "ts", "P,P...", "llama.cpp: proportions of the cards"),
    FLAG(RUNTIME, "no-kv-offload", "nkvo", "llama.cpp: cache on the host"),
    FLAG(RUNTIME, "swa-full", NULL, "llama.cpp: sliding layers keep the whole context"),
    FLAG(RUNTIME, "kv-unified", "kvu", "llama.cpp: one cache for all sequences"),
    VALUE(RUNTIME, "attention", "attn-implementation flash-attn fa", "KIND",
          "flash, sdpa or eager (on and off for llama.cpp)"),
    FLAG(RUNTIME, "static-cache", NULL, "transformers: cache allocated to the full context"),

    VALUE(PARALLEL, "tp", "tensor-parallel-size tp-size", "N", "tensor parallelism"),
    VALUE(PARALLEL, "pp", "pipeline-parallel-size pp-size", "N", "pipeline stages"),
    VALUE(PARALLEL, "ep", "expert-parallel-size ep-size", "N", "ranks that share the experts"),
    VALUE(PARALLEL, "dp", "data-parallel-size dp-size", "N", "data-parallel replicas or ranks"),
    VALUE(PARALLEL, "gpus", "devices", "N", "llama.cpp: cards the layers are spread over"),

    VALUE(TRAIN, "micro-batch", "per-device-train-batch-size micro-batch-size", "N",
          "sequences of one forward pass"),
    VALUE(TRAIN, "seq-length", "max-seq-length seq-len", "TOKENS", "tokens of a training sequence"),
    VALUE(TRAIN, "accumulation", "gradient-accumulation-steps", "N", "micro-batches of a step"),
    VALUE(TRAIN, "optimizer", "optim", "NAME",
          "adamw, adamw-fused, adamw-8bit, paged-adamw-8bit, sgd, adafactor, lion, muon ..."),
    VALUE(TRAIN, "gradient-dtype", NULL, "TYPE", "type of gradients, when not the weights'"),
    VALUE(TRAIN, "optimizer-dtype", NULL, "TYPE", "type of optimizer states"),
    FLAG(TRAIN, "master-weights", NULL, "a float32 copy of the trained weights"),
    FLAG(TRAIN, "autocast", "mixed-precision", "compute in 16 bits, keep weights as they are"),
    VALUE(TRAIN, "lora-rank", "lora-r", "R", "train LoRA adapters of this rank"),
    VALUE(TRAIN, "lora-targets", "target-modules", "NAMES",
          "q_proj,v_proj ... or all-linear (default: the query and value projections)"),
    VALUE(TRAIN, "zero", "zero-stage", "STAGE", "ZeRO 1, 2 or 3 over --dp ranks"),
    FLAG(TRAIN, "fsdp", NULL, "fully sharded over --dp ranks"),
    VALUE(TRAIN, "checkpointing", "gradient-checkpointing activation-checkpointing", "HOW",
          "none, selective or full"),
    FLAG(TRAIN, "fused-loss", NULL, "logits are never materialised (chunked or fused loss)"),

    VALUE(CARD, "card", "gpu", "NAME|SIZE", "a card's name, or a size taken literally (24GB)"),
    VALUE(CARD, "in-use", NULL, "BYTES", "what others use of the card"),
    LIST(CARD, "item", NULL, "NAME=SIZE[:KNOWN]",
         "a share of the reserve: \"CUDA context=450MiB:assumed\"; repeatable"),
    LIST(CARD, "host-item", NULL, "NAME=SIZE[:KNOWN]", "the same in host memory; repeatable"),
    VALUE(CARD, "items", NULL, "FILE", "items from a file, one NAME=SIZE[:KNOWN] a line"),

    FLAG(ANSWER, "verbose", "v", "the basis of every figure"),
};
