# Levers: each a changed job estimated again; those that do not help stay, with the reason.
$ zirve estimate $M/llama-3.1-8b/config.json --context 8192 --concurrency 4 --runtime vllm@0.19.0 --card 4090 --advise | sed -n '/^levers/,/^Assumed/p'
levers, one at a time: saved                   GiB         GB  alone
  weights in 4 bits (awq)                     9.62      10.33  fits
    another format is another model: check its quality again
  2 pipeline stages                           9.48      10.18  fits
    more cards of the same kind; each step waits for their link
  tensor parallelism over 2                   7.59       8.15  fits
    more cards of the same kind; each step waits for their link
  weights in 8 bits (fp8)                     6.50       6.98  fits
    another format is another model: check its quality again
  3 GiB of weights on the host                3.03       3.25  fits
    what lies on the host is read over the bus: measure the speed; host memory:
    3.03 GiB (3.25 GB) more
  KV cache in 8 bits (fp8)                    2.00       2.15  fits
    check quality again at the longest context; some attention backends do not
    take this type
  context of 4096 tokens                      2.00       2.15  fits
    longer requests are refused or cut: check your inputs
  2 sequences at once                         2.00       2.15  fits
    requests wait longer
  2 replicas                                  2.00       2.15  fits
    more throughput, and as many cards more
  3 sequences at once                         1.00       1.07  fits
    requests wait longer
  steps of 1024 tokens                        0.02       0.02  fits
    max_num_batched_tokens: long prompts take more steps, measure the time to
    the first token
  no CUDA graphs (--enforce-eager)            0.00       0.00  fits
    no figure for this runtime's graphs is known: nothing can be counted; each
    step starts its kernels one by one: measure the time of a token
  0.95 of the card for the runtime            0.00       0.00  fits
    the need is the same: only the limit moves; gpu_memory_utilization: less is
    left for other programs and for what the runtime did not plan
  On GPU 0, which needs most. Savings do not add up.

Assumed because it was not given:
$ zirve estimate $M/gpt-oss-20b/config.json --context 32k --runtime llama.cpp --card 16GB --advise 2>/dev/null | sed -n '/^levers/,/^Assumed/p'
levers, one at a time: saved                   GiB         GB  alone
  experts on the host (--cpu-moe)             9.47      10.17  fits
    what lies on the host is read over the bus: measure the speed; host memory:
    9.47 GiB (10.17 GB) more
  layers over 2 cards                         6.16       6.61  fits
    more cards of the same kind; each step waits for their link
  half of the layers on host (-ngl 12)        6.16       6.61  fits
    what lies on the host is read over the bus: measure the speed; host memory:
    6.16 GiB (6.61 GB) more
  cache on the host (--no-kv-offload)         0.77       0.82  fits
    what lies on the host is read over the bus: measure the speed; host memory:
    786.00 MiB (824.18 MB) more
  KV cache as q4_0                            0.55       0.59  fits
    check quality again at the longest context; some attention backends do not
    take this type
  context of 16384 tokens                     0.38       0.40  fits
    longer requests are refused or cut: check your inputs; host memory: 32.00
    MiB (33.55 MB) less
  KV cache as q8_0                            0.36       0.39  fits
    check quality again at the longest context; some attention backends do not
    take this type
  micro-batch of 256 tokens (-ub)             0.20       0.22  fits
    prompts are read more slowly: measure it; host memory: 34.81 MiB (36.50 MB)
    less
  flash attention instead of eager            0.00       0.00  fits
    the scores are not materialised already; check that this card has the
    kernels
  6 more change nothing here; -v lists them.
  On GPU 0, which needs most. Savings do not add up.

Assumed because it was not given:
$ zirve estimate $M/llama-3.1-8b/config.json --task train --seq-length 4096 --micro-batch 2 --dp 4 --advise --unit GiB | sed -n '/^levers/,/^Assumed/p'
levers, one at a time: saved                              GiB
  QLoRA: nf4 and adapters of rank 16                    79.39
    what is learned differs: check the quality again
  LoRA of rank 16 on every linear layer                 70.05
    what is learned differs: check the quality again
  2 pipeline stages                                     59.91
    more cards of the same kind, and traffic between them every step
  FSDP over 4 ranks                                     59.02
    more cards of the same kind, and traffic between them every step
  tensor parallelism over 2                             53.91
    more cards of the same kind, and traffic between them every step
  ZeRO-3 over 4 ranks                                   44.06
    more cards of the same kind, and traffic between them every step
  checkpointing of every layer                          41.62
    layers are computed again in backward: measure the time of a step
  ZeRO-2 over 4 ranks                                   33.65
    more cards of the same kind, and traffic between them every step
  paged AdamW with 8-bit states                         29.92
    states move to the host when the card is full: measure the time of a step,
    check the quality; host memory: 15.19 GiB more
  Adafactor                                             29.90
    what is learned differs: check the quality again
  micro-batch of one sequence                           29.37
    accumulate to keep the batch of a step; measure its time
  sequences of 2048 tokens                              29.37
    longer texts are cut: a run that cut data does not validate the load
  ZeRO-1 over 4 ranks                                   22.44
    more cards of the same kind, and traffic between them every step
  selective checkpointing                               21.11
    layers are computed again in backward: measure the time of a step
  AdamW with 8-bit states                               14.72
    what is learned differs: check the quality again
  fused loss: logits never materialised                 13.57
    compare the loss with the plain one
  6 more change nothing here; -v lists them.
  On GPU 0, which needs most. Savings do not add up.

Assumed because it was not given:
$ zirve estimate $M/gpt2/config.json --context 1024 --advise --json | sed -n '/"levers"/,/]/p'
  "levers": [
    {
      "id": "weights.nf4",
      "name": "weights in 4 bits (nf4)",
      "saved_bytes": 291955980,
      "host_saved_bytes": 0,
      "helps": true,
      "fits": null,
      "verdict": null,
      "reason": null,
      "note": "another format is another model: check its quality again"
    },
    {
      "id": "tp.double",
      "name": "tensor parallelism over 2",
      "saved_bytes": 272395776,
      "host_saved_bytes": 0,
      "helps": true,
      "fits": null,
      "verdict": null,
      "reason": null,
      "note": "more cards of the same kind; each step waits for their link"
    },
    {
      "id": "weights.int8",
      "name": "weights in 8 bits (int8)",
      "saved_bytes": 254545872,
      "host_saved_bytes": 0,
      "helps": true,
      "fits": null,
      "verdict": null,
      "reason": null,
      "note": "another format is another model: check its quality again"
    },
    {
      "id": "pp.double",
      "name": "2 pipeline stages",
      "saved_bytes": 189290982,
      "host_saved_bytes": 0,
      "helps": true,
      "fits": null,
      "verdict": null,
      "reason": null,
      "note": "more cards of the same kind; each step waits for their link"
    },
    {
      "id": "context.half",
      "name": "context of 512 tokens",
      "saved_bytes": 26738688,
      "host_saved_bytes": 0,
      "helps": true,
      "fits": null,
      "verdict": null,
      "reason": null,
      "note": "longer requests are refused or cut: check your inputs"
    },
    {
      "id": "concurrency.less",
      "name": "one sequence less at once",
      "saved_bytes": 0,
      "host_saved_bytes": 0,
      "helps": false,
      "fits": null,
      "verdict": null,
      "reason": "there is only one sequence at once",
      "note": "requests wait longer"
    },
    {
      "id": "concurrency.half",
      "name": "half of the sequences at once",
      "saved_bytes": 0,
      "host_saved_bytes": 0,
      "helps": false,
      "fits": null,
      "verdict": null,
      "reason": "there is only one sequence at once",
      "note": "requests wait longer"
    },
    {
      "id": "attention.flash",
      "name": "flash attention instead of eager",
      "saved_bytes": 0,
      "host_saved_bytes": 0,
      "helps": false,
      "fits": null,
      "verdict": null,
      "reason": "the scores are not materialised already",
      "note": "check that this card has the kernels"
    },
    {
      "id": "dp.double",
      "name": "2 replicas",
      "saved_bytes": 0,
      "host_saved_bytes": 0,
      "helps": false,
      "fits": null,
      "verdict": null,
      "reason": "every replica holds all weights",
      "note": "more throughput, and as many cards more"
    }
  ],
$ zirve estimate --parameters 7e9 --bits 16 --advise
zirve estimate: --advise needs a model: figures by hand have nothing to vary
? 64
$ zirve estimate $M/llama-3.1-8b/config.json --context 32k --runtime llama.cpp@b10864 --card 16GB --advise 2>/dev/null | sed -n '/^levers/,/^Assumed/p' | head -24
levers, one at a time: saved                   GiB         GB  alone
  weights in 4.5 bits (q4_0)                  9.92      10.65  fits
    another format is another model: check its quality again; host memory:
    720.19 MiB (755.17 MB) less
  weights as q4_K_M, about 5 bits             9.68      10.39  fits
    another format is another model: check its quality again; host memory:
    720.19 MiB (755.17 MB) less
  half of the layers on host (-ngl 16)        9.03       9.70  fits
    what lies on the host is read over the bus: measure the speed; host memory:
    9.03 GiB (9.70 GB) more
  layers over 2 cards                         8.95       9.61  fits
    more cards of the same kind; each step waits for their link
  weights in 8.5 bits (q8_0)                  6.55       7.04  fits
    another format is another model: check its quality again; host memory:
    469.69 MiB (492.50 MB) less
  cache on the host (--no-kv-offload)         4.00       4.29  fits
    what lies on the host is read over the bus: measure the speed; host memory:
    4.00 GiB (4.29 GB) more
  KV cache as q4_0                            2.88       3.09  does not fit
    check quality again at the longest context; some attention backends do not
    take this type
  context of 16384 tokens                     2.00       2.15  does not fit
    longer requests are refused or cut: check your inputs; host memory: 32.00
    MiB (33.55 MB) less
