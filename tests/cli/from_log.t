# A start log alone: its readings, each with its line and precision, and what stays unaccounted for.
$ zirve estimate --from-log tests/data/logs/llamacpp-2026.log
start log of llama.cpp 8101, complete: lines 1 to 38
model Gpt-Oss-20B, architecture gpt-oss, context 8192, sequences 4, batch 2048,
micro-batch 512, K f16, V f16, layers on cards 25, of 25

GPU 0, CUDA0                                   GiB         GB  known
  weights                                     5.37       5.77  measured
    log line 17: 5500.12 MiB ± 0.005
  KV cache                                    0.11       0.12  measured
    log line 29: 112.00 MiB ± 0.005
  KV cache, sliding layers                    0.01       0.01  measured
    log line 33: 12.00 MiB ± 0.005
  compute buffer                              0.41       0.44  measured
    log line 36: 420.08 MiB ± 0.005
  not accounted for                           0.57       0.61  measured
    log line 38: 579 MiB ± 0.5: total less free less the runtime's own
    (context, libraries, other programs)
  at least                                    6.47       6.94  nothing assumed
  expected                                    6.47       6.94  with assumptions

GPU 1, CUDA1                                   GiB         GB  known
  weights                                     4.98       5.35  measured
    log line 18: 5100.50 MiB ± 0.005
  KV cache                                    0.08       0.08  measured
    log line 30: 80.00 MiB ± 0.005
  KV cache, sliding layers                    0.01       0.01  measured
    log line 34: 12.00 MiB ± 0.005
  not accounted for                                         ?  unknown
    the log does not say what was free afterwards
  at least                                    5.07       5.44  nothing assumed
  expected                                    5.07       5.44  with assumptions
  plus 1 unknown item

host memory                                    GiB         GB  known
  weights                                     0.57       0.62  measured
    log line 19: 586.82 MiB ± 0.005
  output buffer                            0.00300    0.00322  measured
    log line 27: 3.07 MiB ± 0.005
  compute buffer                              0.02       0.02  measured
    log line 37: 22.02 MiB ± 0.005
  at least                                    0.60       0.64  nothing assumed
  expected                                    0.60       0.64  with assumptions

Devices, as the log says:
  GPU 0 CUDA0, total 24123 MiB ± 0.5 (line 38), free before 23860 MiB ± 0.5
  (line 7), free afterwards 17500 MiB ± 0.5 (line 38)
  GPU 1 CUDA1, total 24123 MiB ± 0.5 (line 4), free before unknown, free
  afterwards unknown
# Beside a model: what is calculated for the same job, in bytes.
$ zirve estimate --from-log tests/data/logs/llamacpp-2026.log $M/gpt-oss-20b/config.json --unit MiB
start log of llama.cpp 8101, complete: lines 1 to 38
model Gpt-Oss-20B, architecture gpt-oss, context 8192, sequences 4, batch 2048,
micro-batch 512, K f16, V f16, layers on cards 25, of 25
family gpt_oss: 20,914,757,184 parameters, bf16, quantised: mxfp4
serve with llama.cpp b8101: 4 sequences of 2,048 tokens

GPU 0, CUDA0                                              MiB  known
  weights                                             5500.12  measured
    log line 17: 5500.12 MiB ± 0.005
  KV cache                                             112.00  measured
    log line 29: 112.00 MiB ± 0.005
  KV cache, sliding layers                              12.00  measured
    log line 33: 12.00 MiB ± 0.005
  compute buffer                                       420.08  measured
    log line 36: 420.08 MiB ± 0.005
  not accounted for                                    579.00  measured
    log line 38: 579 MiB ± 0.5: total less free less the runtime's own
    (context, libraries, other programs)
  at least                                            6623.20  nothing assumed
  expected                                            6623.20  with assumptions

GPU 1, CUDA1                                              MiB  known
  weights                                             5100.50  measured
    log line 18: 5100.50 MiB ± 0.005
  KV cache                                              80.00  measured
    log line 30: 80.00 MiB ± 0.005
  KV cache, sliding layers                              12.00  measured
    log line 34: 12.00 MiB ± 0.005
  not accounted for                                         ?  unknown
    the log does not say what was free afterwards
  compute buffer                                       398.38  assumed
    floor: (201088 vocabulary + 2880 hidden) x 512 tokens x 4 B; there is no
    closed form
  device context and libraries                         286.10  assumed
    about, with lazy loading (pytorch/pytorch#107667)
  at least                                            5192.50  nothing assumed
  expected                                            5876.98  with assumptions
  plus 1 unknown item

host memory                                               MiB  known
  weights                                              586.82  measured
    log line 19: 586.82 MiB ± 0.005
  output buffer                                          3.07  measured
    log line 27: 3.07 MiB ± 0.005
  compute buffer                                        22.02  measured
    log line 37: 22.02 MiB ± 0.005
  loading: file pages (reclaimable)                  13123.76  not counted
    the file is mapped: pages of tensors that went to a card are not needed
    again, those of the host's weights are counted there
  at least                                             611.91  nothing assumed
  expected                                             611.91  with assumptions

Devices, as the log says:
  GPU 0 CUDA0, total 24123 MiB ± 0.5 (line 38), free before 23860 MiB ± 0.5
  (line 7), free afterwards 17500 MiB ± 0.5 (line 38)
  GPU 1 CUDA1, total 24123 MiB ± 0.5 (line 4), free before unknown, free
  afterwards unknown

Beside what is calculated, in bytes:
                                                 calculated         measured       difference
  weights, all cards                         12,602,997,888   11,115,555,717 -1,487,442,171 B
  weights, host                               1,158,266,880      615,325,368   -542,941,512 B
  KV cache, all cards                           226,492,416      226,492,416              0 B  equal as printed
  compute buffer, activations, all cards        835,452,928      440,485,806   -394,967,122 B  (assumed)
  compute buffer, activations, host              22,675,456       23,089,644       +414,188 B  (assumed)
  output buffer, host                             3,217,408        3,219,128         +1,720 B  equal as printed

Not valid if:
  a sequence grows past 2048 tokens, or more than 4 run at once
  another version of the runtime, other kernels or attention backend
  the compute buffer is larger than its floor, as in most published starts
$ zirve estimate --from-log - <tests/data/logs/sglang.log
start log of sglang, complete: lines 1 to 8
model org/model, architecture Qwen2ForCausalLM, context 32768, sequences 2048,
batch 8192, pool tokens 46611, tp 2

GPU 0, TP0                                     GiB         GB  known
  weights                                    15.54      16.69  measured
    log line 3: 15.54 GB ± 0.005
  KV cache, keys                              1.42       1.52  measured
    log line 4: 1.42 GB ± 0.005
  KV cache, values                            1.42       1.52  measured
    log line 4: 1.42 GB ± 0.005
  not accounted for                           1.97       2.12  measured
    free before loading less free at the end, 21850646118 B, less the readings
    above, 19735374725 B
  at least                                   20.35      21.85  nothing assumed
  expected                                   20.35      21.85  with assumptions

GPU 1, TP1                                     GiB         GB  known
  KV cache, keys                              1.42       1.52  measured
    log line 5: 1.42 GB ± 0.005
  KV cache, values                            1.42       1.52  measured
    log line 5: 1.42 GB ± 0.005
  not accounted for                                         ?  unknown
    the log does not say what was free before and afterwards
  at least                                    2.84       3.05  nothing assumed
  expected                                    2.84       3.05  with assumptions
  plus 1 unknown item

Devices, as the log says:
  GPU 0 TP0, total unknown, free before 21.80 GB ± 0.005 (line 2), free
  afterwards 1.45 GB ± 0.005 (line 7)
  GPU 1 TP1, total unknown, free before unknown, free afterwards unknown
$ zirve estimate --from-log tests/data/logs/vllm-v0.log --card "RTX 3090"
start log of vllm 0.6.4.post1, complete: lines 1 to 8
model org/model, context 40000, K auto, V auto, tp 2, pp 1

each of GPU 0 to 1                             GiB         GB  known
  weights                                     7.51       8.06  measured
    log line 3: 7.5100 GB ± 0.00005
  activations, profiled peak                  2.53       2.72  measured
    log line 6: 2.53GiB ± 0.005
  context, libraries, communication           0.39       0.42  measured
    log line 6: 0.39GiB ± 0.005
  KV cache pool                               3.76       4.04  measured
    log line 6: 3.76GiB ± 0.005
  rest of the runtime's share                 0.01       0.01  measured
    the share of the card, 15247133901 B, less the readings above, 15236396482 B
  at least                                   14.20      15.25  nothing assumed
  expected                                   14.20      15.25  with assumptions

RTX 3090
  23.58 GiB (25.32 GB); the one published reading of what a runtime sees
  FITS by calculation, with a margin of 9.38 GiB (10.07 GB). A calculation never
  proves that a job runs.

Devices, as the log says:
  GPU 0, total 15.77GiB ± 0.005 (line 5), free before unknown, free afterwards
  unknown
$ zirve estimate --from-log tests/data/logs/vllm-v1.log --json | sed -n '1,12p;/"comparisons"/,$p'
{
  "schema": "zirve.estimate/1",
  "model": null,
  "job": {
    "task": "serve",
    "runtime": null,
    "version": null,
    "context_tokens": 120000,
    "sequences": 1
  },
  "items": [
    {
    "comparisons": [],
    "readings": [
      {
        "id": "weights",
        "device": "TP0",
        "host": false,
        "sliding": false,
        "bytes": 16385300234,
        "half_unit_bytes": 5368709,
        "printed": "15.26 GiB",
        "line": 3
      },
      {
        "id": "weights",
        "device": "TP1",
        "host": false,
        "sliding": false,
        "bytes": 16385300234,
        "half_unit_bytes": 5368709,
        "printed": "15.26 GiB",
        "line": 4
      },
      {
        "id": "cuda_graph_estimate",
        "device": "TP0",
        "host": false,
        "sliding": false,
        "bytes": 386547057,
        "half_unit_bytes": 5368709,
        "printed": "0.36 GiB",
        "line": 6
      },
      {
        "id": "kv_available",
        "device": "TP0",
        "host": false,
        "sliding": false,
        "bytes": 7376606331,
        "half_unit_bytes": 5368709,
        "printed": "6.87 GiB",
        "line": 7
      },
      {
        "id": "kv_available",
        "device": "TP1",
        "host": false,
        "sliding": false,
        "bytes": 7387343749,
        "half_unit_bytes": 5368709,
        "printed": "6.88 GiB",
        "line": 8
      },
      {
        "id": "cuda_graph",
        "device": "TP0",
        "host": false,
        "sliding": false,
        "bytes": 118111601,
        "half_unit_bytes": 5368709,
        "printed": "0.11 GiB",
        "line": 12
      }
    ]
  },
  "assumptions": [],
  "invalid_if": []
}
# A start that ended out of memory; a log that stops; no log at all.
$ zirve estimate --from-log tests/data/logs/vllm-oom.log
start log of vllm 0.11.0, ended out of memory: lines 4 to 5
model m, context 221000

The start ran out of memory:
  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 136.00 MiB. GPU
  0 has a total capacity of 22.36 GiB of which 120.88 MiB is free. Including
  non-PyTorch memory
  asked for 136.00 MiB ± 0.005 (line 5)
  total 22.36 GiB ± 0.005 (line 5)
  free 120.88 MiB ± 0.005 (line 5)

Of the log:
  2 starts in the file: the last one, number 2, was read (lines 4 to 5)
? 6
$ head -n 18 tests/data/logs/llamacpp-2026.log | zirve estimate --from-log -
start log of llama.cpp 8101, incomplete: lines 1 to 18
model Gpt-Oss-20B, architecture gpt-oss, layers on cards 25, of 25

GPU 0, CUDA0                                   GiB         GB  known
  weights                                     5.37       5.77  measured
    log line 17: 5500.12 MiB ± 0.005
  in use before loading                       0.26       0.28  measured
    total less free, log lines 3 and 7: others, and what this process had taken
  not accounted for                                         ?  unknown
    the log does not say what was free afterwards
  at least                                    5.63       6.04  nothing assumed
  expected                                    5.63       6.04  with assumptions
  plus 1 unknown item

GPU 1, CUDA1                                   GiB         GB  known
  weights                                     4.98       5.35  measured
    log line 18: 5100.50 MiB ± 0.005
  not accounted for                                         ?  unknown
    the log does not say what was free afterwards
  at least                                    4.98       5.35  nothing assumed
  expected                                    4.98       5.35  with assumptions
  plus 1 unknown item

Devices, as the log says:
  GPU 0 CUDA0, total 24123 MiB ± 0.5 (line 3), free before 23860 MiB ± 0.5
  (line 7), free afterwards unknown
  GPU 1 CUDA1, total 24123 MiB ± 0.5 (line 4), free before unknown, free
  afterwards unknown

Of the log:
  the log ends before the start is complete
? 6
$ zirve estimate --from-log $M/llama-3.1-8b/config.json
zirve estimate: tests/data/models/llama-3.1-8b/config.json: no line of a start log we know: expected one of llama.cpp, ik_llama.cpp, vLLM or SGLang
? 4
$ zirve estimate --from-log tests/data/logs/sglang.log --grid
zirve estimate: --from-log and --grid: one or the other
? 64
$ zirve estimate --from-log /nonexistent
zirve estimate: /nonexistent: cannot be opened: No such file or directory
? 3
# vLLM beside a model: what loading took, and the tokens of the measured pool.
$ zirve estimate --from-log tests/data/logs/vllm-beside.log $M/llama-3.1-8b/config.json | sed -n '/^Beside/,/^$/p'
Beside what is calculated, in bytes:
                                                 calculated         measured       difference
  weights, GPU 0                             16,094,076,928   16,094,208,826       +131,898 B  (assumed)
  tokens in the measured pool                        40,464           40,432              -32  equal as printed

# A log of another model.
$ zirve estimate --from-log tests/data/logs/llamacpp-2026.log $M/llama-3.1-8b/config.json | head -1
zirve: the log is of a model of 24 layers, the one given has 32: another model?
start log of llama.cpp 8101, complete: lines 1 to 38
# vLLM's last line says how the share was used; what was read there adds up as far as it is printed.
$ zirve estimate --from-log tests/data/logs/vllm-usage.log --unit GiB
start log of vllm 0.10.2, complete: lines 1 to 8
model org/model, context 4096, K fp8, V fp8, pool tokens 31120

GPU 0                                                     GiB  known
  weights                                               15.00  measured
    log line 3: 15.0000 GiB ± 0.00005
  KV cache pool                                          1.90  measured
    log line 4: 1.90 GiB ± 0.005
  CUDA graphs                                            0.50  measured
    log line 7: 0.50 GiB ± 0.005
  activations, profiled peak                             1.86  measured
    log line 8: 1.86 GiB ± 0.005
  context, libraries, communication                      0.12  measured
    log line 8: 0.12 GiB ± 0.005
  rest of the runtime's share                            0.00  measured
    the share of the card, 20272245637 B, is the readings above as far as they
    are printed
  at least                                              19.38  nothing assumed
  expected                                              19.38  with assumptions

Devices, as the log says:
  GPU 0, total 23.60 GiB ± 0.005 (line 8), free before 23.10 GiB ± 0.005 (line
  8), free afterwards unknown
$ zirve estimate --from-log tests/data/logs/vllm-consumed.log --unit GiB
start log of vllm, complete: lines 1 to 5
context 131072, pool tokens 460496

GPU 0                                                     GiB  known
  weights                                               15.00  measured
    log line 1: 15.0 GiB ± 0.05
  KV cache pool                                         56.21  measured
    log line 2: 56.21 GiB ± 0.005
  CUDA graphs                                            0.23  measured
    log line 4: 0.23 GiB ± 0.005
  activations, profiled peak                             1.44  measured
    log line 5: 1.44 GiB ± 0.005
  rest of the runtime's share                            0.26  measured
    the share of the card, 78286516388 B, less the readings above, 78007343514 B
  at least                                              73.14  nothing assumed
  expected                                              73.14  with assumptions

Devices, as the log says:
  GPU 0, total 79.25 GiB ± 0.005 (line 5), free before 78.84 GiB ± 0.005 (line
  5), free afterwards unknown
# A start that was refused for want of free memory.
$ zirve estimate --from-log tests/data/logs/vllm-refused.log --unit GiB
start log of vllm, ended out of memory: lines 1 to 2

The start ran out of memory:
  (EngineCore pid=26) ValueError: Free memory on device cuda:0 (15.32/22.04 GiB)
  on startup is less than desired GPU memory utilization (0.88, 19.39 GiB).
  Decrease GPU memory utilization or reduce GPU memory used by other processes.
? 6
# SGLang: a latent cache has no halves; the last free reading counts, graphs are in it.
$ zirve estimate --from-log tests/data/logs/sglang-latent.log --unit GiB
start log of sglang, complete: lines 1 to 6
architecture Glm4MoeLiteForCausalLM, context 202752, sequences 2048, batch 8192,
pool tokens 383872

GPU 0, TP0                                                GiB  known
  weights                                               28.80  measured
    log line 2: 28.80 GB ± 0.005
  CUDA graphs                                            0.80  measured
    log line 5: 0.80 GB ± 0.005
  KV cache                                              19.36  measured
    log line 3: 19.36 GB ± 0.005
  not accounted for                                      1.44  measured
    free before loading less free at the end, 54116587929 B, less the readings
    above, 52570399703 B
  at least                                              50.40  nothing assumed
  expected                                              50.40  with assumptions

Devices, as the log says:
  GPU 0 TP0, total unknown, free before 60.60 GB ± 0.005 (line 1), free
  afterwards 10.20 GB ± 0.005 (line 6)
$ zirve estimate --from-log tests/data/logs/sglang-pools.log --unit GiB
start log of sglang, complete: lines 1 to 7
model org/model, architecture OrgForCausalLM, pool tokens 375360, tp 1

GPU 0                                                     GiB  known
  weights                                               18.00  measured
    log line 2: 18.00 GB ± 0.005
  KV cache, sliding layers                               8.38  measured
    log line 4: 8.38 GB ± 0.005
  KV cache, sliding layers                               5.59  measured
    log line 4: 5.59 GB ± 0.005
  KV cache, keys                                         2.15  measured
    log line 5: 2.15 GB ± 0.005
  KV cache, values                                       1.43  measured
    log line 5: 1.43 GB ± 0.005
  recurrent state, convolution                           0.07  measured
    log line 6: 0.07GB ± 0.005
  recurrent state, scan                                  3.05  measured
    log line 6: 3.05GB ± 0.005
  recurrent state, drafted steps                         4.75  measured
    log line 6: 4.75GB ± 0.005
  recurrent state, drafted steps                         0.43  measured
    log line 6: 0.43GB ± 0.005
  not accounted for                                         ?  unknown
    the log does not say what was free before and afterwards
  at least                                              43.85  nothing assumed
  expected                                              43.85  with assumptions
  plus 1 unknown item

Devices, as the log says:
  GPU 0, total unknown, free before unknown, free afterwards 22.01 GB ± 0.005
  (line 7)
# Metal: mapped and private buffers lie on one device.
$ zirve estimate --from-log tests/data/logs/llamacpp-metal.log --unit GiB
start log of llama.cpp 7800, complete: lines 1 to 9
K f16, V f16, layers on cards 33, of 33

GPU 0, MTL0                                               GiB  known
  weights                                                4.30  measured
    log line 4: 4403.49 MiB ± 0.005
  KV cache                                               0.50  measured
    log line 6: 512.00 MiB ± 0.005
  compute buffer                                         0.25  measured
    log line 8: 258.50 MiB ± 0.005
  not accounted for                                         ?  unknown
    the log does not say what was free afterwards
  at least                                               5.05  nothing assumed
  expected                                               5.05  with assumptions
  plus 1 unknown item

host memory                                               GiB  known
  weights                                                0.28  measured
    log line 3: 281.81 MiB ± 0.005
  output buffer                                       0.00191  measured
    log line 5: 1.96 MiB ± 0.005
  compute buffer                                         0.02  measured
    log line 9: 16.01 MiB ± 0.005
  at least                                               0.29  nothing assumed
  expected                                               0.29  with assumptions

Devices, as the log says:
  GPU 0 MTL0, total unknown, free before unknown, free afterwards unknown
# 2023: one figure for what of the weights is on cards, one for the rest.
$ zirve estimate --from-log tests/data/logs/llamacpp-2023.log --unit MiB
start log of llama.cpp 1407, complete: lines 1 to 27
architecture llama, context 4096, layers on cards 35, of 35

GPU 0                                                     MiB  known
  weights                                             3718.38  measured
    log line 18: 3718.38 MB ± 0.005
  compute buffer                                       281.88  measured
    log line 25: 281.88 MB ± 0.005
  KV cache                                            2048.00  measured
    log line 24: 2048.00 MB ± 0.005
  not accounted for                                         ?  unknown
    the log does not say what was free afterwards
  at least                                            6048.26  nothing assumed
  expected                                            6048.26  with assumptions
  plus 1 unknown item

host memory                                               MiB  known
  weights                                               70.42  measured
    log line 14: 70.42 MB ± 0.005
  at least                                              70.42  nothing assumed
  expected                                              70.42  with assumptions

Devices, as the log says:
  GPU 0, total unknown, free before unknown, free afterwards unknown
