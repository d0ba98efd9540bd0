# A training step op by op: peaks over what is not stated, when, what holds it, what would lower it.
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework plain --micro-batch 1 --seq-length 2048
Training step, run op by op as plain does it
  peak allocated                 134.39 GiB (144.30 GB) to 151.07 GiB (162.21 GB)
  peak active                    134.39 GiB (144.30 GB) to 151.07 GiB (162.21 GB)
  peak reserved                  141.16 GiB (151.57 GB) to 160.27 GiB (172.09 GB)
  The peak is reached in a forward pass or an update, in like, at event 8192 of
  16811.
  optimizer is not stated (adamw_foreach | adamw_fused | adamw_loop): lowest
  with adamw_loop, highest with adamw_foreach.

Phases, each with its own peak allocated and what it leaves
  loading      29.92 GiB (32.12 GB)       leaves 29.92 GiB (32.12 GB)
  training     151.07 GiB (162.21 GB)     leaves 89.76 GiB (96.38 GB)

What holds it
  weights                        29.92 GiB (32.12 GB)
  inputs                         48.00 KiB (49.15 kB)
  gradients                      29.92 GiB (32.12 GB)
  optimizer states               59.83 GiB (64.24 GB)
  cuBLAS workspace               16.25 MiB (17.04 MB)
  saved for backward             0 B
  in use for the moment          31.39 GiB (33.71 GB)
  rounding of the allocator      508 B

Activations by the operation that made them
    in use: like                 29.92 GiB (32.12 GB)       291 tensors
    in use: linear               1002.00 MiB (1050.67 MB)   1 tensors
    in use: cat                  512.00 MiB (536.87 MB)     64 tensors
    in use: cross_entropy        4 B                        1 tensors

What would lower it, each by itself
  optimizer=sgd                  -76.51 GiB (82.16 GB)
    an optimizer without states
  weights=bf16                   -75.53 GiB (81.10 GB)
    weights, gradients and states in bf16
  optimizer=adamw_fused          -16.68 GiB (17.91 GB)
    a fused optimizer: no temporary copy of all parameters
  autocast=bf16                  -628.00 MiB (658.51 MB)
    activations in bf16 by autocast
  checkpoint=true                -512.00 MiB (536.87 MB)
    recompute each layer in the backward pass

  Basis: calculated, 16811 allocations and frees of a program (docs/STEP.md) on
  the allocator engine; kernels of an A100 (no --card, or one whose kernels are
  not known). Outside it: the CUDA context, compiled graphs, offloading, several
  cards.
# All is stated, a card, its fit.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 2 --seq-length 4096 --set packed=true --card 24GB
zirve: 24GB is taken literally; a real card of that name allows less or more
Training step, run op by op as torchtune does it
  out of memory: the figures are those until then
  peak allocated                 22.14 GiB (23.77 GB)
  peak active                    22.14 GiB (23.77 GB)
  peak reserved                  22.27 GiB (23.91 GB)
  24GB offers 22.35 GiB (24.00 GB): the step runs out of memory.
  The peak is reached in a forward pass or an update, in linear of layer 14, at
  event 1498 of 1498.

What holds it
  weights                        6.05 GiB (6.49 GB)
  inputs                         192.00 KiB (196.61 kB)
  cuBLAS workspace               8.13 MiB (8.52 MB)
  saved for backward             15.69 GiB (16.85 GB)
  in use for the moment          400.00 MiB (419.43 MB)
  rounding of the allocator      512.00 KiB (524.29 kB)

Activations by the operation that made them
    saved: to                    4.92 GiB (5.28 GB)         75 tensors
    saved: linear                3.63 GiB (3.89 GB)         29 tensors
    saved: *                     3.16 GiB (3.39 GB)         44 tensors
    saved: silu                  1.75 GiB (1.88 GB)         14 tensors
    saved: reshape               1.41 GiB (1.51 GB)         30 tensors
    saved: flex                  731.25 MiB (766.77 MB)     30 tensors
    in use: linear               176.00 MiB (184.55 MB)     2 tensors
    in use: silu                 128.00 MiB (134.22 MB)     1 tensors
    saved: empty                 120.00 MiB (125.83 MB)     30 tensors
    in use: +                    96.00 MiB (100.66 MB)      2 tensors

  Basis: calculated, 1498 allocations and frees of a program (docs/STEP.md) on
  the allocator engine; kernels of an A100 (no --card, or one whose kernels are
  not known). Outside it: the CUDA context, compiled graphs, offloading, several
  cards.
? 1
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework transformers --micro-batch 1 --seq-length 512 --lora-rank 8 --dtype bf16 --optimizer adamw_fused --json
{
  "schema": "zirve.step/1",
  "model": "llama",
  "framework": "transformers",
  "known": "calculated",
  "kernels_of": "an A100 (no --card, or one whose kernels are not known)",
  "capacity_bytes": null,
  "alloc_conf": null,
  "settings": {
    "batch": "1",
    "tokens": "512",
    "rank": "8",
    "weights": "bf16",
    "optimizer": "adamw_fused",
    "full": "false"
  },
  "lowest": {
    "peak_allocated_bytes": 8930655232,
    "peak_active_bytes": 8930655232,
    "peak_reserved_bytes": 9189720064,
    "segments": 290,
    "events": 14892,
    "out_of_memory": false,
    "failed_request_bytes": null,
    "end_allocated_bytes": 6470645760,
    "phases": [
      {
        "name": "loading",
        "begin_allocated_bytes": 0,
        "peak_allocated_bytes": 6435198976,
        "peak_active_bytes": 6435198976,
        "peak_reserved_bytes": 6482296832,
        "end_allocated_bytes": 6435198976,
        "events": 366
      },
      {
        "name": "training",
        "begin_allocated_bytes": 6435198976,
        "peak_allocated_bytes": 8930655232,
        "peak_active_bytes": 8930655232,
        "peak_reserved_bytes": 9189720064,
        "end_allocated_bytes": 6470645760,
        "events": 14526
      }
    ]
  },
  "highest": {
    "peak_allocated_bytes": 8930655232,
    "peak_active_bytes": 8930655232,
    "peak_reserved_bytes": 9189720064,
    "segments": 290,
    "events": 14892,
    "out_of_memory": false,
    "failed_request_bytes": null,
    "end_allocated_bytes": 6470645760,
    "phases": [
      {
        "name": "loading",
        "begin_allocated_bytes": 0,
        "peak_allocated_bytes": 6435198976,
        "peak_active_bytes": 6435198976,
        "peak_reserved_bytes": 6482296832,
        "end_allocated_bytes": 6435198976,
        "events": 366
      },
      {
        "name": "training",
        "begin_allocated_bytes": 6435198976,
        "peak_allocated_bytes": 8930655232,
        "peak_active_bytes": 8930655232,
        "peak_reserved_bytes": 9189720064,
        "end_allocated_bytes": 6470645760,
        "events": 14526
      }
    ]
  },
  "open": [],
  "when": {
    "event": 10375,
    "backward": true,
    "layer": null,
    "operation": "cross_entropy"
  },
  "held": {
    "activation_bytes": 2434842632,
    "weight_bytes": 6434674688,
    "input_bytes": 0,
    "gradient_bytes": 0,
    "state_bytes": 18350528,
    "workspace_bytes": 17039360,
    "saved_bytes": 1909506048,
    "temporary_bytes": 525336584,
    "rounding_bytes": 25748024
  },
  "activations": [
    {
      "operation": "to",
      "saved": true,
      "bytes": 704905216,
      "tensors": 114
    },
    {
      "operation": "cross_entropy",
      "saved": false,
      "bytes": 525336580,
      "tensors": 3
    },
    {
      "operation": "linear",
      "saved": true,
      "bytes": 470679552,
      "tensors": 112
    },
    {
      "operation": "cross_entropy",
      "saved": true,
      "bytes": 262668288,
      "tensors": 1
    },
    {
      "operation": "silu",
      "saved": true,
      "bytes": 234881024,
      "tensors": 28
    },
    {
      "operation": "flash",
      "saved": true,
      "bytes": 89456640,
      "tensors": 56
    },
    {
      "operation": "+",
      "saved": true,
      "bytes": 88080384,
      "tensors": 28
    },
    {
      "operation": "cat",
      "saved": true,
      "bytes": 58720256,
      "tensors": 56
    },
    {
      "operation": "rsqrt",
      "saved": true,
      "bytes": 114688,
      "tensors": 56
    },
    {
      "operation": "backward",
      "saved": false,
      "bytes": 4,
      "tensors": 1
    }
  ],
  "levers": [
    {
      "setting": "checkpoint",
      "value": "true",
      "what": "recompute each layer in the backward pass",
      "peak_allocated_bytes": 7353287680,
      "saved_bytes": 1577367552
    },
    {
      "setting": "autocast",
      "value": "bf16",
      "what": "activations in bf16 by autocast",
      "peak_allocated_bytes": 8761670656,
      "saved_bytes": 168984576
    },
    {
      "setting": "optimizer",
      "value": "sgd",
      "what": "an optimizer without states",
      "peak_allocated_bytes": 8912247808,
      "saved_bytes": 18407424
    }
  ]
}
# What is missing or makes no sense.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework plain --seq-length 512
zirve estimate: steps/plain.step: line 30: column 22: the step needs batch: state it
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework none --micro-batch 1
zirve estimate: there is no program steps/none.step
? 3
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework plain --micro-batch 1 --seq-length 8 --set nothing=1
zirve estimate: the step has no setting "nothing"
? 64
$ zirve estimate tests/data/models/bloom-560m/config.json --task train --framework plain --micro-batch 1 --seq-length 8
zirve estimate: families/bloom.family does not say what the model does in a step (no [step …] sections, docs/STEP.md)
? 3
$ zirve estimate data/published/llama-3.2-3b.json --framework plain
zirve estimate: --framework is for training: add --task train, or leave it out
? 64
# After training: an evaluation pass and an export are phases with peaks of their own.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework transformers --micro-batch 1 --seq-length 512 --dtype bf16 --optimizer adamw_fused --set evaluate=2 --set export=f32 | sed -n '/^Phases/,/^$/p'
zirve estimate: steps/after.step: line 27: column 20: 2 variables for a list of 3
