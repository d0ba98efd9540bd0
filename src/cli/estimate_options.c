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

static const char by_hand[] = "By hand, without a model file";
static const char job[] = "Job";
static const char parallel[] = "Several cards";
static const char runtime[] = "Runtime";
const char estimate_train_group[] = "Training (--task train)";
const char estimate_step_group[] = "Step by step (--framework)";
static const char card[] = "Card and reserve";
static const char answer[] = "Answer";

const struct option_spec estimate_options[] = {
    /* their number stands in the header */
    VALUE(job, "task", NULL, "TASK", "serve (default; also infer) or train"),
    VALUE(job, "context", "ctx-size max-model-len context-length max-context n-ctx", "TOKENS",
          "tokens of one sequence, prompt and answer: 8192 or 8k"),
    VALUE(job, "concurrency", "sequences parallel batch", "N", "sequences at once"),
    VALUE(job, "dtype", "torch-dtype", "TYPE", "type to load and compute in: bf16, f16, f32, auto"),
    VALUE(job, "quantization", "quant load-in", "METHOD",
          "weights as if quantised: nf4, nf4-dq, int8, gptq, awq, fp8, mxfp4, nvfp4, q8_0 ..."),
    VALUE(job, "kv-cache-dtype", "cache-type-k ctk", "TYPE", "type of cached keys (and values)"),
    VALUE(job, "cache-type-v", "ctv", "TYPE", "type of cached values, when another"),
    VALUE(job, "draft", "model-draft speculative-draft-model-path", "MODEL",
          "draft model for speculative decoding"),
    VALUE(job, "mmproj", NULL, "FILE", "vision projector kept in a file of its own"),
    FLAG(job, "no-mmproj-offload", NULL, "llama.cpp: the projector file on the host"),
    LIST(job, "lora", NULL, "DIR", "LoRA adapter that is served; repeatable"),
    VALUE(job, "max-loras", "max-loras-per-batch", "N", "adapter slots of vLLM and SGLang"),
    VALUE(job, "max-lora-rank", NULL, "R", "rank that each slot holds"),
    FLAG(job, "mtp", "draft-layers", "draft with the model's own multi-token-prediction layers"),
    FLAG(job, "language-model-only", NULL, "towers of a multimodal model are not loaded"),
    VALUE(job, "source-tokens", NULL, "TOKENS",
          "of one encoder input: source text, audio frames, image patches"),

    VALUE(card, "card", "gpu", "NAME|SIZE", "a card's name, or a size taken literally (24GB)"),
    VALUE(card, "in-use", NULL, "BYTES|auto",
          "what others use of the card; auto reads the live device"),
    VALUE(card, "device", NULL, "N", "the device that --in-use auto reads (0)"),
    LIST(card, "item", NULL, "NAME=SIZE[:KNOWN]",
         "a share of the reserve: \"CUDA context=450MiB:assumed\"; repeatable"),
    LIST(card, "host-item", NULL, "NAME=SIZE[:KNOWN]", "the same in host memory; repeatable"),
    VALUE(card, "items", NULL, "FILE", "items from a file, one NAME=SIZE[:KNOWN] a line"),

    FLAG(answer, "advise", NULL, "what could be changed, ranked by what each change alone saves"),
    VALUE(answer, "search", NULL, "SIZE",
          "the largest context, concurrency, micro-batch or seq-length that fits --card (batch: "
          "sequences served or trained at once); batch or "
          "context with --framework"),
    FLAG(answer, "grid", NULL,
         "a table of fits from lists (a,b,c) of --quantization, --context, --concurrency and "
         "--card; of --seq-length and --micro-batch for training"),
    FLAG(answer, "verbose", "v", "the basis of every figure"),

    VALUE(
        runtime, "runtime", NULL, "NAME[@VERSION]",
        "transformers, vllm, sglang, llama.cpp, ik_llama.cpp; the newest known version by default"),
    FLAG(runtime, "assume", NULL, "an unknown version: use the rules of the nearest known one"),
    VALUE(runtime, "from-log", NULL, "FILE",
          "a start log (- for standard input): its readings take the place of assumptions"),
    VALUE(runtime, "command", NULL, "LINE",
          "the runtime's own command line, as you would paste it; a MODEL beside it takes the "
          "place of the one it names"),
    VALUE(runtime, "gpu-memory-utilization", "mem-fraction-static", "FRACTION",
          "share of the card that the runtime may use"),
    VALUE(runtime, "max-num-seqs", "max-running-requests", "N",
          "sequences it may run at once: a cap that widens its buffers, not a load"),
    VALUE(runtime, "max-num-batched-tokens", "chunked-prefill-size batch-size b", "TOKENS",
          "tokens of one step"),
    VALUE(runtime, "block-size", "page-size", "TOKENS", "tokens of a KV page"),
    FLAG(runtime, "enforce-eager", "disable-cuda-graph", "no CUDA graphs"),
    VALUE(runtime, "ubatch-size", "ub", "TOKENS", "llama.cpp: micro-batch"),
    VALUE(runtime, "n-gpu-layers", "ngl gpu-layers", "N", "llama.cpp: layers on cards"),
    VALUE(runtime, "n-cpu-moe", "ncmoe", "N",
          "llama.cpp: experts of the first N layers on the host"),
    VALUE(runtime, "tensor-split", "ts", "P,P...", "llama.cpp: proportions of the cards"),
    FLAG(runtime, "no-kv-offload", "nkvo", "llama.cpp: cache on the host"),
    FLAG(runtime, "swa-full", NULL, "llama.cpp: sliding layers keep the whole context"),
    FLAG(runtime, "kv-unified", "kvu", "llama.cpp: one cache for all sequences"),
    VALUE(runtime, "attention", "attn-implementation flash-attn fa", "KIND",
          "flash, sdpa or eager (on and off for llama.cpp)"),
    VALUE(runtime, "cpu-offload-gb", NULL, "GIB", "vLLM, SGLang: weights of a card on the host"),
    VALUE(runtime, "swap-space", NULL, "GIB", "vLLM before 0.8: swapped blocks, GiB a card"),
    FLAG(runtime, "no-mmap", NULL, "llama.cpp: read the file instead of mapping it"),
    VALUE(runtime, "cache", "cache-implementation", "KIND",
          "transformers: dynamic (default), static, offloaded or quantized"),

    VALUE(parallel, "tp", "tensor-parallel-size tp-size", "N", "tensor parallelism"),
    VALUE(parallel, "pp", "pipeline-parallel-size pp-size", "N", "pipeline stages"),
    VALUE(parallel, "ep", "expert-parallel-size ep-size", "N", "ranks that share the experts"),
    VALUE(parallel, "dp", "data-parallel-size dp-size", "N",
          "data-parallel replicas, or ranks of training"),
    VALUE(parallel, "gpus", "devices", "N", "llama.cpp: cards the layers are spread over"),

    VALUE(estimate_train_group, "micro-batch", "per-device-train-batch-size micro-batch-size", "N",
          "sequences of one forward pass"),
    VALUE(estimate_train_group, "seq-length", "max-seq-length seq-len", "TOKENS",
          "tokens of a training sequence"),
    VALUE(estimate_train_group, "accumulation", "gradient-accumulation-steps", "N",
          "micro-batches of a step"),
    VALUE(estimate_train_group, "optimizer", "optim", "NAME",
          "adamw, adamw-fused, adamw-8bit, paged-adamw-8bit, sgd, adafactor, lion, muon ..."),
    VALUE(estimate_train_group, "gradient-dtype", NULL, "TYPE",
          "type of gradients, when not the weights'"),
    VALUE(estimate_train_group, "optimizer-dtype", NULL, "TYPE", "type of optimizer states"),
    FLAG(estimate_train_group, "master-weights", NULL, "a float32 copy of the trained weights"),
    FLAG(estimate_train_group, "no-master-weights", NULL, "none, where ZeRO would keep one"),
    FLAG(estimate_train_group, "autocast", "mixed-precision",
         "compute in 16 bits, keep weights as they are"),
    VALUE(estimate_train_group, "lora-rank", "lora-r", "R", "train LoRA adapters of this rank"),
    VALUE(estimate_train_group, "lora-targets", "target-modules", "NAMES",
          "q_proj,v_proj ... or all-linear (default: the query and value projections)"),
    VALUE(estimate_train_group, "zero", "zero-stage", "STAGE",
          "ZeRO 1, 2 or 3 over the --dp ranks"),
    FLAG(estimate_train_group, "fsdp", NULL, "fully sharded over the --dp ranks"),
    VALUE(
        estimate_train_group, "checkpointing", "gradient-checkpointing activation-checkpointing",
        "HOW",
        "none, selective or full; with --framework selective needs --set selective=op, products, a "
        "number of layers or names of operations"),
    FLAG(estimate_train_group, "fused-loss", NULL,
         "logits are never materialised (chunked or fused loss)"),

    VALUE(estimate_step_group, "framework", NULL, "NAME",
          "run it op by op as this framework does: plain, transformers, torchtune, torchtitan, "
          "litgpt "
          "... for training, generate for inference (docs/STEP.md)"),
    LIST(estimate_step_group, "set", NULL, "NAME=VALUE",
         "with --framework: a setting of its program, which has no option of its own"),
    VALUE(estimate_step_group, "trace", NULL, "FILE",
          "with --framework: write the step's allocations and frees as an op list, for replay, "
          "explain and place"),
    VALUE(estimate_step_group, "alloc-conf", NULL, "CONF",
          "with --framework: PYTORCH_ALLOC_CONF of the step"),

    VALUE(by_hand, "parameters", NULL, "N", "number of values: 7000000000 or 7e9"),
    VALUE(by_hand, "bits", NULL, "B[,B...]", "bits of one stored value; several make a row each"),
    VALUE(by_hand, "reserve-gib", NULL, "R", "reserve in GiB, added to the weights"),
    VALUE(by_hand, "layers", NULL, "N", "KV cache by hand: layers"),
    VALUE(by_hand, "kv-heads", NULL, "N", "KV heads of a layer (not query heads)"),
    VALUE(by_hand, "head-dim", NULL, "N", "values of one head"),
    VALUE(by_hand, "kv-bits", NULL, "B", "bits of one cached value (16)"),
};
