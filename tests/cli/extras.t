# What a serving job holds beside the model.
$ zirve estimate $M/llama-3.1-8b/config.json --runtime vllm@0.6.6 --context 8192 --tp 2 --draft $M/llama-3.2-1b/config.json --max-loras 2 --max-lora-rank 32 --cpu-offload-gb 2
family llama: 8,030,261,248 parameters, bf16
serve with vllm 0.6.6: 1 sequence of 8,192 tokens

each of GPU 0 to 1                             GiB         GB  known
  weights                                     6.87       7.37  assumed
    token embedding                           0.49       0.53
    output projection                         0.49       0.53
    norms                                  0.00034    0.00037
    attention                                 0.86       0.92
    MLP                                       3.61       3.88
    draft model weights                       1.21       1.30
    LoRA slots                                0.21       0.23
  KV cache                                    0.50       0.54  calculated
    1 sequence x 512 blocks of 16 tokens x 1048576 B (1 group of 32 layers),
    bf16
  activations, prefill                        0.45       0.49  assumed
    8192 tokens x 29696 values of the widest layer x 2 B
  activations, decode                      0.00006    0.00006  assumed
    1 token x 29696 values of the widest layer x 2 B
  logits and sampling                         0.43       0.46  assumed
    256 sequences x 128256 vocabulary x 14 B (with three float32 copies)
  hidden states kept                          0.13       0.13  assumed
    8192 tokens x 2 x 4096 hidden x 2 B
  draft: KV cache                             0.13       0.13  calculated
    1 sequence x 512 blocks of 16 tokens x 262144 B (1 group of 16 layers), bf16
  rotary table                                0.03       0.03  assumed
    131072 positions x 128 values x 2 B: every value of a head is turned
  context, libraries, communication           0.39       0.42  assumed
    seen with vllm 0.6.4, Llama-3.1-8B, tp 2 (vllm-project/vllm#11251 (mces89
    2024-12-21))
  at least                                    7.28       7.82  nothing assumed
  expected (in sampling)                      8.46       9.09  upper bound*

host memory                                    GiB         GB  known
  weights                                     4.06       4.36  assumed
  swap space for KV blocks (pinned)           8.00       8.59  assumed
    4294967296 B a card x 2 cards, the runtime's default
  loading: file pages (reclaimable)          14.96      16.06  not counted
    safetensors shards are mapped and copied tensor by tensor
  process and libraries                                     ?  unknown
    no published figure
  at least                                    0.00       0.00  nothing assumed
  expected                                   12.06      12.95  with assumptions
  plus 1 unknown item

* the sum for the phase that needs most, of maxima that need not fall together:
an upper bound, as far as the assumptions hold

Assumed because it was not given:
  sequences at once: 1, not given
  page, tokens: 16, the runtime's default
  tokens of one step: 8192, by the runtime's formula
  the runtime may use 0.90 of the card, its default
  sequences it may run (max_num_seqs): 256, the runtime's default
  the draft runs between the model's steps: its activations lie within the
  model's
  the draft model lies whole on the cards, with the model's context

Not valid if:
  CUDA graphs find no room in the share of the card that is left to others
  a sequence grows past 8192 tokens, or more than 1 run at once
  another version of the runtime, other kernels or attention backend
  the checkpoint is a pickle (.bin, .pt): loading then holds a whole shard in
  host memory
$ zirve estimate $M/llama-3.1-8b/config.json --runtime llama.cpp@b8101 --context 8192 --n-gpu-layers 20 --no-mmap --draft $M/llama-3.2-1b/config.json
family llama: 8,030,261,248 parameters, bf16
serve with llama.cpp b8101: 1 sequence of 8,192 tokens

GPU 0                                          GiB         GB  known
  weights                                    11.00      11.81  calculated
    output projection                         0.98       1.05
    norms                                  0.00030    0.00032
    attention                                 1.48       1.59
    MLP                                       6.23       6.69
    draft model weights                       2.30       2.47
  KV cache                                    0.59       0.64  calculated
    8192 cells in 1 stream, K f16, V f16
  compute buffer                              0.25       0.27  assumed
    floor: (128256 vocabulary + 4096 hidden) x 512 tokens x 4 B; there is no
    closed form
  draft: KV cache                             0.25       0.27  calculated
    8192 cells in 1 stream, K f16, V f16
  draft: compute buffer                       0.25       0.27  assumed
    floor: (128256 vocabulary + 2048 hidden) x 512 tokens x 4 B; there is no
    closed form
  device context and libraries                0.28       0.30  assumed
    about, with lazy loading (pytorch/pytorch#107667)
  at least                                   11.84      12.72  nothing assumed
  expected                                   12.62      13.55  with assumptions

host memory                                    GiB         GB  known
  weights                                     6.75       7.25  calculated
    token embedding                           0.98       1.05
    norms                                  0.00020    0.00021
    attention                                 1.02       1.09
    MLP                                       4.27       4.58
    draft model weights                       0.49       0.53
  KV cache                                    0.41       0.44  calculated
    8192 cells in 1 stream, K f16, V f16
  output buffer (pinned)                   0.00048    0.00051  calculated
    128256 values x 4 B x 1 sequence
  draft: output buffer (pinned)            0.00048    0.00051  calculated
    128256 values x 4 B x 1 sequence
  host compute buffer (pinned)                0.02       0.03  assumed
    floor: (8192 cells + 4096 hidden) x 512 tokens x 4 B, mask and embedding
    rows; layers on the host add to it
  loading: one tensor in transit              0.98       1.05  assumed
    without mmap each tensor is read into host memory and copied to its card
  at least                                    7.16       7.68  nothing assumed
  expected (in load)                          8.16       8.76  with assumptions

Assumed because it was not given:
  sequences at once: 1, not given
  micro-batch (n_ubatch): 512, the runtime's default
  the draft model lies whole on the cards, with the model's context

Not valid if:
  a sequence grows past 8192 tokens, or more than 1 run at once
  another version of the runtime, other kernels or attention backend
  the compute buffer is larger than its floor, as in most published starts
$ zirve estimate $M/gemma-3-4b/config.json --runtime vllm@0.11.0 --context 8192 --source-tokens 4096 | sed -n '/tower/,/widest/p'
    vision or audio tower                     0.78       0.83
    projector                              0.00550    0.00590
  KV cache                                    0.51       0.55  calculated
    1 sequence x 1670 blocks of 16 tokens x 327680 B (7 groups of 5 layers),
    bf16
  activations, prefill                        0.14       0.15  assumed
    2048 tokens x 35840 values of the widest layer x 2 B
  activations, tower                          0.08       0.09  assumed
    4096 tokens x 10912 values of the widest layer x 2 B
$ zirve estimate $M/gemma-3-4b/config.json --runtime vllm@0.11.0 --context 8192 --language-model-only | grep -c tower
0
? 1
# Files of a pasted line that are not here are named; files of an option must be.
$ zirve estimate --command "vllm serve $M/llama-3.2-1b/config.json --max-model-len 4096 --lora-modules a=org/adapter" | head -1
zirve: org/adapter of the command line is not here: not counted (give --lora)
zirve: no version given: the newest known, vllm 0.33.0
family llama: 1,235,814,400 parameters, bf16
$ zirve estimate $M/llama-3.2-1b/config.json --draft /nonexistent
zirve estimate: /nonexistent: cannot be opened: No such file or directory
? 3
$ zirve estimate $M/llama-3.2-1b/config.json --cpu-offload-gb lots
zirve estimate: --cpu-offload-gb lots: expected GiB such as 4 or 1.5
? 64
# A context that the user itemises stands instead of the assumed one, it is not added to it.
$ zirve estimate $M/llama-3.1-8b/config.json --context 1k --item "CUDA context=450MiB:measured" --item "desktop=300MiB" --unit MiB | grep -A1 -i -E "context|desktop"
  CUDA context                                         450.00  measured
    given by the user
  desktop                                              300.00  assumed
    given by the user
# Layers that attend to the image alone keep nothing of the text.
$ zirve estimate $M/llama-3.2-11b-vision/config.json --context 8k --source-tokens 6404 --unit MiB | grep -A1 "KV cache"
  KV cache                                            1024.00  calculated
    32 layers, 8192 tokens x 1 sequence, bf16
--
  KV cache, cross attention                            200.13  calculated
    8 layers, 6404 encoder tokens x 1 sequence, bf16
$ zirve estimate $M/jamba-v0.1/config.json --context 8k --unit MiB | grep -A1 -E "KV cache|recurrent"
  KV cache                                             128.00  calculated
    4 layers, 8192 tokens x 1 sequence, bf16
  recurrent state                                        8.75  calculated
    bf16, 1 sequence
# States as transformers keeps them, counted in its own caches: conv_states [2 layers, 128, 4] and ssm_states
# [2, 128, 8] in bf16; conv_states [3, 128, 4] in bf16 and recurrent_states [3, 4, 16, 16] in f32.
$ printf '{"model_type":"mamba","vocab_size":64,"hidden_size":64,"state_size":8,"num_hidden_layers":2,"conv_kernel":4,"expand":2}' >$TMP/mamba.json; zirve estimate $TMP/mamba.json --dtype bf16 --runtime transformers@4.57 --context 32 --unit B | grep "recurrent state"
  recurrent state                                        6144  calculated
$ printf '{"model_type":"qwen3_next","vocab_size":64,"hidden_size":64,"intermediate_size":128,"num_hidden_layers":4,"num_attention_heads":4,"num_key_value_heads":2,"head_dim":16,"linear_num_key_heads":2,"linear_num_value_heads":4,"linear_key_head_dim":16,"linear_value_head_dim":16,"num_experts":2,"moe_intermediate_size":32,"shared_expert_intermediate_size":32}' >$TMP/delta.json; zirve estimate $TMP/delta.json --dtype bf16 --runtime transformers@4.57 --context 32 --unit B | grep -E "recurrent state|KV cache"
  KV cache                                               4096  calculated
  recurrent state                                       15360  calculated
# Falcon 40B: transformers caches keys and values of 128 heads, vLLM of 8.
$ for r in transformers@4.57 vllm@0.9.2; do zirve estimate $M/falcon-40b/config.json --runtime $r --context 96 --concurrency 1 --unit MiB | grep "KV cache  "; done
  KV cache                                             180.00  calculated
  KV cache                                              11.25  calculated
