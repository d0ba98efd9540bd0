# Storage and computation apart: weights as a scheme or a type would have them, and QLoRA on top.
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --quantization nf4 | head -12
family llama: 8,030,261,248 parameters, bf16, quantised: nf4
stored as bf16, 14.96 GiB (16.06 GB)
serve: 1 sequence of 4,096 tokens

GPU 0                                          GiB         GB  known
  weights                                     5.61       6.03  calculated
    token embedding                           0.98       1.05
    output projection                         0.98       1.05
    norms                                  0.00050    0.00053
    attention                                 0.70       0.75
    MLP                                       2.95       3.17
  KV cache                                    0.50       0.54  calculated
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --quantization q8_0 --unit MiB | grep weights
  weights                                             8137.64  calculated
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --dtype f32 | head -8
family llama: 8,030,261,248 parameters, f32
stored as bf16, 14.96 GiB (16.06 GB)
serve: 1 sequence of 4,096 tokens

GPU 0                                          GiB         GB  known
  weights                                    29.92      32.12  calculated
    token embedding                           1.96       2.10
    output projection                         1.96       2.10
$ zirve estimate $M/llama-3.1-8b-fp8-dynamic/config.json --context 4096 --quantization fp8 --runtime vllm@0.19.0 | head -6
family llama: 2,795,573,248 parameters, bf16, quantised: compressed-tensors
serve with vllm 0.19.0: 1 sequence of 4,096 tokens

GPU 0                                          GiB         GB  known
  weights                                     3.58       3.85  calculated
    token embedding                           0.98       1.05
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --quantization q4_K_M | grep -m 1 weights
  weights                                     4.58       4.91  calculated
$ zirve estimate $M/llama-3.1-8b/config.json --context 4096 --quantization nonsense
zirve estimate: "nonsense" is no element type that weights can be held in
? 4
$ zirve estimate $M/llama-3.1-8b-bnb-nf4/config.json --context 4096 --quantization awq
zirve estimate: the model is quantised already
? 4
$ zirve estimate $M/llama-3.1-8b/config.json --quantization nf4-dq --task train --seq-length 512 --lora-rank 16 --lora-targets all-linear | sed -n 5,20p
GPU 0                                          GiB         GB  known
  weights                                     5.47       5.87  calculated
    token embedding                           0.98       1.05
    output projection                         0.98       1.05
    norms                                  0.00050    0.00053
    attention                                 0.64       0.69
    MLP                                       2.71       2.91
    LoRA weights                              0.16       0.17
  gradients                                   0.16       0.17  calculated
    41943040 trained values x 4 B
  optimizer states                            0.31       0.34  calculated
    adamw: 2 states of 41943040 values
  temporaries of the update                   0.16       0.17  assumed
    all of the trained values once more, 4 B each
  saved activations                           2.13       2.28  assumed
    512 tokens x 4460544 B: every layer's saved tensors
$ zirve estimate $M/llama-3.1-8b-bnb-nf4/config.json --task train --seq-length 512
zirve estimate: quantised weights do not train: adapters beside them do (--lora-rank)
? 64
$ zirve estimate $M/gpt2/config.json --runtime vllm@0.19.0 | head -4
family gpt2: 124,439,808 parameters, f16
stored as f32, 474.70 MiB (497.76 MB)
serve with vllm 0.19.0: 1 sequence of 1,024 tokens

# How transformers keeps its cache; replicas share the sequences out; attention data parallel within tp.
$ zirve estimate $M/llama-3.1-8b/config.json --runtime transformers@4.51.3 --context 32k --cache offloaded | grep -A1 'KV cache'
  KV cache, two layers                        0.25       0.27  calculated
    the layer in use and the one fetched ahead, 32768 tokens, bf16
--
  KV cache, offloaded                         4.00       4.29  calculated
    32 layers on the host
$ zirve estimate $M/llama-3.1-8b/config.json --runtime transformers@4.51.3 --context 32k --cache quantized | grep -A2 'KV cache'
  KV cache, quantized                         1.14       1.22  assumed
    4 bits a value, a scale and a shift per 64, the last 128 tokens in bf16
    (transformers QuantizedCacheConfig)
$ zirve estimate $M/llama-3.1-8b/config.json --runtime vllm@0.19.0 --context 4096 --concurrency 10 --dp 4 | grep -B1 -A2 'KV cache\|shared out'
    MLP                                      10.50      11.27
  KV cache                                    1.50       1.61  calculated
    3 sequences x 256 blocks of 16 tokens x 2097152 B (1 group of 32 layers),
    bf16
--
Assumed because it was not given:
  10 sequences shared out over 4 replicas: 3 each
  page, tokens: 16, the runtime's default
  tokens of one step (max_num_batched_tokens): 2048, the runtime's default
$ zirve estimate $M/deepseek-v3-fp8/config.json --command "python -m sglang.launch_server --model-path DeepSeek-V3 --tp 8 --dp 8 --enable-dp-attention --context-length 32768" --runtime sglang@0.5.5 --concurrency 64 | sed -n 3,14p

each of GPU 0 to 7                             GiB         GB  known
  weights                                    87.84      94.32  calculated
    token embedding                           0.22       0.23
    output projection                         0.22       0.23
    norms                                  0.00187    0.00201
    attention                                10.63      11.42
    MLP                                       0.14       0.15
    expert router                             0.20       0.21
    routed experts                           76.14      81.76
    shared experts                            0.30       0.32
  KV cache                                   17.16      18.42  calculated
# llama.cpp: what the context is rounded up to depends on flash attention before November 2025, slots are streams
# since July, and the sliding cache kept a whole batch in May
$ for v in b5439 b5630 b6327 b8101; do for fa in on off; do zirve estimate --command "llama-server -m $M/gemma-2-2b/config.json -c 30000 -np 3 -fa $fa -ngl 99" --runtime llama.cpp@$v --unit MiB 2>/dev/null | grep -E -A1 "^  KV cache" | tr -s ' \n' ' '; echo "($v, $fa)"; done; done
 KV cache 1534.00 calculated 30208 cells in 1 stream, K f16, V f16 KV cache, sliding layers 728.00 calculated 14336 cells: window and one batch, K f16, V f16 (b5439, on)
 KV cache 1524.25 calculated 30016 cells in 1 stream, K f16, V f16 KV cache, sliding layers 728.00 calculated 14336 cells: window and one batch, K f16, V f16 (b5439, off)
 KV cache 1534.00 calculated 30208 cells in 1 stream, K f16, V f16 KV cache, sliding layers 650.00 calculated 12800 cells: window and one micro-batch, K f16, V f16 (b5630, on)
 KV cache 1524.25 calculated 30016 cells in 1 stream, K f16, V f16 KV cache, sliding layers 650.00 calculated 12800 cells: window and one micro-batch, K f16, V f16 (b5630, off)
 KV cache 1560.00 calculated 30720 cells in 3 streams, K f16, V f16 KV cache, sliding layers 702.00 calculated 13824 cells: window and one micro-batch, K f16, V f16 (b6327, on)
 KV cache 1525.88 calculated 30048 cells in 3 streams, K f16, V f16 KV cache, sliding layers 702.00 calculated 13824 cells: window and one micro-batch, K f16, V f16 (b6327, off)
 KV cache 1560.00 calculated 30720 cells in 3 streams, K f16, V f16 KV cache, sliding layers 702.00 calculated 13824 cells: window and one micro-batch, K f16, V f16 (b8101, on)
 KV cache 1560.00 calculated 30720 cells in 3 streams, K f16, V f16 KV cache, sliding layers 702.00 calculated 13824 cells: window and one micro-batch, K f16, V f16 (b8101, off)
$ zirve estimate --command "llama-server -m $M/llama-3.1-8b/config.json -c 4096" --runtime llama.cpp@b4458 | sed -n '/^Assumed/,/^$/p'
Assumed because it was not given:
  sequences at once: 1 slot, the server's default
  micro-batch (n_ubatch): 512, the runtime's default
  layers on cards: all; without -ngl this version keeps 0 there

# A model that no table serves: its cache is taken from the usual keys, and that is an assumption.
$ printf '{"model_type":"brandnew","hidden_size":256,"vocab_size":1000,"max_position_embeddings":4096,"num_hidden_layers":4,"num_attention_heads":4,"num_key_value_heads":2,"intermediate_size":512}' >$TMP/new.json; zirve estimate $TMP/new.json --context 1k --unit B | grep -A1 "KV cache"
  KV cache                                            2097152  assumed
    4 layers, 1024 tokens x 1 sequence, bf16
