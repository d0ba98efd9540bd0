# A training step op by op: peaks over what is not stated, when, what holds it, what would lower it.
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework plain --micro-batch 1 --seq-length 2048
Training step, run op by op as plain does it
  peak allocated                 120.69 GiB (129.59 GB) to 150.57 GiB (161.67 GB)
  peak active                    120.69 GiB (129.59 GB) to 150.57 GiB (161.67 GB)
  peak reserved                  138.85 GiB (149.09 GB) to 163.83 GiB (175.92 GB)
  The peak is reached in a forward pass or an update, in like, at event 7937 of
  16171.
  optimizer is not stated (adamw_foreach | adamw_fused | adamw_loop): lowest
  with adamw_fused, highest with adamw_foreach.

Phases, each with its own peak allocated and what it leaves
  loading      29.92 GiB (32.12 GB)       leaves 29.92 GiB (32.12 GB)
  training     150.57 GiB (161.67 GB)     leaves 89.76 GiB (96.38 GB)

What holds it
  weights                        29.92 GiB (32.12 GB)
  inputs                         32.00 KiB (32.77 kB)
  gradients                      29.92 GiB (32.12 GB)
  optimizer states               59.83 GiB (64.24 GB)
  cuBLAS workspace               16.25 MiB (17.04 MB)
  saved for backward             0 B
  in use for the moment          30.89 GiB (33.17 GB)
  rounding of the allocator      508 B

Activations by the operation that made them
    in use: like                 29.92 GiB (32.12 GB)       291 tensors
    in use: linear               1002.00 MiB (1050.67 MB)   1 tensors
    in use: cross_entropy        4 B                        1 tensors

What would lower it, each by itself
  optimizer=sgd                  -89.71 GiB (96.33 GB)
    an optimizer without states
  weights=bf16                   -75.28 GiB (80.83 GB)
    weights, gradients and states in bf16
  optimizer=adamw_fused          -29.88 GiB (32.09 GB)
    a fused optimizer: no temporary copy of all parameters
  autocast=bf16                  -500.00 MiB (524.29 MB)
    activations in bf16 by autocast

  Basis: calculated, 16171 allocations and frees of a program (docs/STEP.md) on
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
    "peak_allocated_bytes": 9049144320,
    "peak_active_bytes": 9049144320,
    "peak_reserved_bytes": 9592373248,
    "segments": 276,
    "events": 15224,
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
        "peak_allocated_bytes": 9049144320,
        "peak_active_bytes": 9049144320,
        "peak_reserved_bytes": 9592373248,
        "end_allocated_bytes": 6470645760,
        "events": 14858
      }
    ]
  },
  "highest": {
    "peak_allocated_bytes": 9049144320,
    "peak_active_bytes": 9049144320,
    "peak_reserved_bytes": 9592373248,
    "segments": 276,
    "events": 15224,
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
        "peak_allocated_bytes": 9049144320,
        "peak_active_bytes": 9049144320,
        "peak_reserved_bytes": 9592373248,
        "end_allocated_bytes": 6470645760,
        "events": 14858
      }
    ]
  },
  "open": [],
  "when": {
    "event": 10653,
    "backward": true,
    "layer": null,
    "operation": "cross_entropy"
  },
  "held": {
    "activation_bytes": 2552283144,
    "weight_bytes": 6434674688,
    "input_bytes": 0,
    "gradient_bytes": 0,
    "state_bytes": 18350528,
    "workspace_bytes": 17039360,
    "saved_bytes": 2026946560,
    "temporary_bytes": 525336584,
    "rounding_bytes": 26796600
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
      "operation": "reshape",
      "saved": true,
      "bytes": 176160768,
      "tensors": 56
    },
    {
      "operation": "flash",
      "saved": true,
      "bytes": 89456640,
      "tensors": 56
    },
    {
      "operation": "contiguous",
      "saved": true,
      "bytes": 88080384,
      "tensors": 28
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
      "saved_bytes": 1695856640
    },
    {
      "setting": "autocast",
      "value": "bf16",
      "what": "activations in bf16 by autocast",
      "peak_allocated_bytes": 8878980096,
      "saved_bytes": 170164224
    },
    {
      "setting": "optimizer",
      "value": "sgd",
      "what": "an optimizer without states",
      "peak_allocated_bytes": 9030736896,
      "saved_bytes": 18407424
    }
  ]
}
# What is missing or makes no sense.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework plain --seq-length 512
zirve estimate: steps/plain.step: line 29: column 20: the step needs batch: state it
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
Phases, each with its own peak allocated and what it leaves
  loading      5.98 GiB (6.43 GB)         leaves 5.98 GiB (6.43 GB)
  training     25.42 GiB (27.30 GB)       leaves 17.97 GiB (19.30 GB)
  evaluation   18.59 GiB (19.96 GB)       leaves 17.97 GiB (19.30 GB)
  export       29.94 GiB (32.15 GB)       leaves 17.97 GiB (19.30 GB)

