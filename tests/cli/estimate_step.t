# A training step op by op: peaks over what is not stated, when, what holds it, what would lower it.
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework plain --micro-batch 1 --seq-length 2048
Training step, run op by op as plain does it
  peak allocated                 120.69 GiB (129.59 GB) to 164.22 GiB (176.33 GB)
  peak active                    120.69 GiB (129.59 GB) to 164.22 GiB (176.33 GB)
  peak reserved                  123.15 GiB (132.24 GB) to 169.21 GiB (181.69 GB)
  The peak is reached in the backward pass, in linear, at event 27799 of 33295.
  checkpoint is not stated (false | true): highest with false; true alone takes
  39.50 GiB (42.41 GB) less.
  accumulation is not stated (1 | 2): highest with 2; 1 alone takes 29.83 GiB
  (32.03 GB) less.
  optimizer is not stated (adamw_foreach | adamw_fused | adamw_loop): highest
  with adamw_fused; adamw_foreach alone takes 145.50 KiB (148.99 kB) less.
  attention is not stated (sdpa | eager): eager alone reserves 380.00 MiB
  (398.46 MB) less, and allocates the same.
  reentrant is not stated (false | true): alone it makes no difference.
  weights is f32: framework's default (torch 2.6).
  autocast is none: framework's default (torch 2.6).
  loss is logits: framework's default (transformers 4.57).

Phases, each with its own peak allocated and what it leaves
  loading      29.92 GiB (32.12 GB)       leaves 29.92 GiB (32.12 GB)
  training     164.22 GiB (176.33 GB)     leaves 89.76 GiB (96.38 GB)

What holds it
  weights                        29.92 GiB (32.12 GB)
  inputs                         48.00 KiB (49.15 kB)
  gradients                      29.92 GiB (32.12 GB)
  optimizer states               59.83 GiB (64.24 GB)
  cuBLAS workspace               16.25 MiB (17.04 MB)
  saved for backward             40.10 GiB (43.05 GB)
  in use for the moment          4.45 GiB (4.77 GB)
  rounding of the allocator      145.61 KiB (149.10 kB)

Activations by the operation that made them
    saved: safe_softmax          16.00 GiB (17.18 GB)       32 tensors
    saved: *                     9.56 GiB (10.27 GB)        228 tensors
    saved: linear                7.00 GiB (7.52 GB)         64 tensors
    saved: silu                  3.50 GiB (3.76 GB)         32 tensors
    in use: linear               2.97 GiB (3.19 GB)         3 tensors
    saved: +                     2.00 GiB (2.15 GB)         64 tensors
    saved: reshape               1.00 GiB (1.07 GB)         32 tensors
    saved: contiguous            1.00 GiB (1.07 GB)         32 tensors
    in use: cross_entropy        1002.00 MiB (1050.67 MB)   2 tensors
    in use: cat                  512.00 MiB (536.87 MB)     64 tensors

Activations by the layer that made them
    in no layer                  4.04 GiB (4.34 GB)         12 tensors
    layers 0 to 31, each         1.27 GiB (1.36 GB)         19 tensors

What would lower it, each by itself
  weights=bf16                   -88.62 GiB (95.16 GB)
    weights, gradients and states in bf16
  optimizer=sgd                  -59.83 GiB (64.24 GB)
    an optimizer without states
  optimizer=adafactor            -59.82 GiB (64.23 GB)
    a row and a column of states for each matrix
  optimizer=paged_adamw_8bit     -59.60 GiB (63.99 GB)
    states in 8 bits, the large ones in managed memory, which the host holds
    where the card is full
  optimizer=adamw_8bit           -44.64 GiB (47.93 GB)
    the optimizer's states in 8 bits (bitsandbytes)
  checkpoint=true                -39.50 GiB (42.41 GB)
    recompute each layer in the backward pass
  in_backward=true               -29.92 GiB (32.12 GB)
    each gradient used and freed in the backward pass, with one micro-batch an
    optimizer step
  autocast=bf16                  -11.76 GiB (12.62 GB)
    activations in bf16 by autocast

  Basis: calculated, 33295 allocations and frees of a program (docs/STEP.md) on
  the allocator engine; kernels of an A100 (no --card, or one whose kernels are
  not known). Outside it: the CUDA context, compiled graphs, offloading, several
  cards.
# All is stated, a card, its fit.
$ zirve estimate data/published/llama-3.2-3b.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 2 --checkpointing none --optimizer adamw_fused --set chunks=8 | sed -n "2,3p"
  peak allocated                 26.49 GiB (28.44 GB)
  peak active                    26.49 GiB (28.44 GB)
$ zirve estimate data/published/llama-3.2-3b.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 5 --checkpointing none --optimizer adamw_fused --set chunks=8 | sed -n "2,3p"
  peak allocated                 26.49 GiB (28.44 GB)
  peak active                    26.49 GiB (28.44 GB)
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 2 --seq-length 4096 --set packed=true --card 24GB
zirve: 24GB is taken literally; a real card of that name allows less or more
Training step, run op by op as torchtune does it
  out of memory whatever the open settings are: there is no peak, the figures
  are those until then
  peak allocated                 at least 22.13 GiB (23.76 GB)
  peak active                    at least 22.13 GiB (23.76 GB)
  peak reserved                  at least 22.34 GiB (23.99 GB)
  24GB offers 22.35 GiB (24.00 GB): the step runs out of memory.
  The peak is reached in a forward pass or an update, in linear of layer 13, at
  event 1362 of 1362.
  checkpoint is not stated (false | true).
  chunks is not stated (0 | 8).
  accumulation is not stated (1 | 2).
  optimizer is not stated (adamw_fused | adamw_foreach | adamw_loop).
  release is 6: framework's default (torchtune 0.6).
  clip is 0: framework's default (torchtune 0.4).

What holds it
  weights                        6.05 GiB (6.49 GB)
  inputs                         192.00 KiB (196.61 kB)
  cuBLAS workspace               8.13 MiB (8.52 MB)
  saved for backward             15.81 GiB (16.97 GB)
  in use for the moment          272.00 MiB (285.21 MB)
  rounding of the allocator      513.47 KiB (525.79 kB)

Activations by the operation that made them
    saved: to                    4.59 GiB (4.93 GB)         70 tensors
    saved: *                     4.25 GiB (4.56 GB)         41 tensors
    saved: linear                3.25 GiB (3.49 GB)         26 tensors
    saved: silu                  1.63 GiB (1.74 GB)         13 tensors
    saved: reshape               1.31 GiB (1.41 GB)         28 tensors
    saved: flex                  682.50 MiB (715.65 MB)     28 tensors
    in use: linear               176.00 MiB (184.55 MB)     2 tensors
    saved: empty                 112.00 MiB (117.44 MB)     28 tensors
    in use: +                    96.00 MiB (100.66 MB)      3 tensors
    saved: rsqrt                 896.00 KiB (917.50 kB)     28 tensors

Activations by the layer that made them
    in no layer                  32 B                       3 tensors
    layers 0 to 11, each         1.16 GiB (1.25 GB)         19 tensors
    layer 12                     1.21 GiB (1.30 GB)         20 tensors
    layer 13                     904.81 MiB (948.76 MB)     18 tensors

  On a card without end the peak allocated would be 68.61 GiB (73.67 GB) at
  most.

What would lower it, each by itself
  checkpoint=true                -31.30 GiB (33.61 GB)
    recompute each layer in the backward pass
  full=false                     -28.23 GiB (30.31 GB)
    train LoRA adapters only
  optimizer=sgd                  -11.97 GiB (12.85 GB)
    an optimizer without states
  optimizer=adafactor            -11.97 GiB (12.85 GB)
    a row and a column of states for each matrix
  optimizer=paged_adamw_8bit     -11.87 GiB (12.75 GB)
    states in 8 bits, the large ones in managed memory, which the host holds
    where the card is full
  in_backward=true               -5.98 GiB (6.43 GB)
    each gradient used and freed in the backward pass, with one micro-batch an
    optimizer step
  optimizer=adamw_8bit           -5.89 GiB (6.32 GB)
    the optimizer's states in 8 bits (bitsandbytes)
  chunks=8                       -5.37 GiB (5.77 GB)
    the output projection and the loss in chunks
  None of them alone is enough. It goes in with checkpoint=true, full=false
  together: peak allocated 19.23 GiB (20.65 GB).

  Basis: calculated, 1362 allocations and frees of a program (docs/STEP.md) on
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
  "cases": 1,
  "cases_out_of_memory": 0,
  "lowest": {
    "peak_allocated_bytes": 8930655744,
    "peak_active_bytes": 8930655744,
    "peak_reserved_bytes": 9189720064,
    "segments": 290,
    "events": 15381,
    "out_of_memory": false,
    "failed_request_bytes": null,
    "end_allocated_bytes": 6470646272,
    "managed_bytes": 0,
    "phases": [
      {
        "name": "loading",
        "begin_allocated_bytes": 0,
        "peak_allocated_bytes": 6435199488,
        "peak_active_bytes": 6435199488,
        "peak_reserved_bytes": 6482296832,
        "end_allocated_bytes": 6435199488,
        "events": 367
      },
      {
        "name": "training",
        "begin_allocated_bytes": 6435199488,
        "peak_allocated_bytes": 8930655744,
        "peak_active_bytes": 8930655744,
        "peak_reserved_bytes": 9189720064,
        "end_allocated_bytes": 6470646272,
        "events": 15014
      }
    ],
    "part_not_run": null,
    "outside": []
  },
  "highest": {
    "peak_allocated_bytes": 8930655744,
    "peak_active_bytes": 8930655744,
    "peak_reserved_bytes": 9189720064,
    "segments": 290,
    "events": 15381,
    "out_of_memory": false,
    "failed_request_bytes": null,
    "end_allocated_bytes": 6470646272,
    "managed_bytes": 0,
    "phases": [
      {
        "name": "loading",
        "begin_allocated_bytes": 0,
        "peak_allocated_bytes": 6435199488,
        "peak_active_bytes": 6435199488,
        "peak_reserved_bytes": 6482296832,
        "end_allocated_bytes": 6435199488,
        "events": 367
      },
      {
        "name": "training",
        "begin_allocated_bytes": 6435199488,
        "peak_allocated_bytes": 8930655744,
        "peak_active_bytes": 8930655744,
        "peak_reserved_bytes": 9189720064,
        "end_allocated_bytes": 6470646272,
        "events": 15014
      }
    ],
    "part_not_run": null,
    "outside": []
  },
  "active_bytes": {
    "lowest": 8930655744,
    "highest": 8930655744
  },
  "reserved_bytes": {
    "lowest": 9189720064,
    "highest": 9189720064
  },
  "open": [],
  "defaults": [
    {
      "setting": "autocast",
      "value": "none",
      "of": "transformers 4.57"
    },
    {
      "setting": "attention",
      "value": "sdpa",
      "of": "transformers 4.57"
    },
    {
      "setting": "loss",
      "value": "logits",
      "of": "transformers 4.57"
    },
    {
      "setting": "checkpoint",
      "value": "false",
      "of": "transformers 4.57"
    },
    {
      "setting": "accumulation",
      "value": "1",
      "of": "transformers 4.57"
    },
    {
      "setting": "clip",
      "value": "1.0",
      "of": "transformers 4.57"
    }
  ],
  "when": {
    "event": 10620,
    "backward": true,
    "layer": null,
    "operation": "cross_entropy"
  },
  "held": {
    "activation_bytes": 2434842632,
    "weight_bytes": 6434674944,
    "input_bytes": 0,
    "gradient_bytes": 0,
    "state_bytes": 18350528,
    "workspace_bytes": 17039360,
    "exchanged_bytes": 0,
    "saved_bytes": 1909506048,
    "temporary_bytes": 525336584,
    "rounding_bytes": 25748280
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
  "layers": [
    {
      "layer": null,
      "saved_bytes": 269223936,
      "temporary_bytes": 525336584,
      "tensors": 9
    },
    {
      "layer": 0,
      "saved_bytes": 52512768,
      "temporary_bytes": 0,
      "tensors": 14
    },
    {
      "layer": 1,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 2,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 3,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 4,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 5,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 6,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 7,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 8,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 9,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 10,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 11,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 12,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 13,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 14,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 15,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 16,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 17,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 18,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 19,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 20,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 21,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 22,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 23,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 24,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 25,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 26,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    },
    {
      "layer": 27,
      "saved_bytes": 58806272,
      "temporary_bytes": 0,
      "tensors": 16
    }
  ],
  "levers": [
    {
      "setting": "checkpoint",
      "value": "true",
      "what": "recompute each layer in the backward pass",
      "peak_allocated_bytes": 7353292288,
      "managed_bytes": 0,
      "saved_bytes": 1577363456
    },
    {
      "setting": "loss",
      "value": "fused",
      "what": "the loss without logits (Liger's fused linear cross entropy)",
      "peak_allocated_bytes": 8174106112,
      "managed_bytes": 0,
      "saved_bytes": 756549632
    },
    {
      "setting": "autocast",
      "value": "bf16",
      "what": "activations in bf16 by autocast",
      "peak_allocated_bytes": 8761671168,
      "managed_bytes": 0,
      "saved_bytes": 168984576
    },
    {
      "setting": "optimizer",
      "value": "sgd",
      "what": "an optimizer without states",
      "peak_allocated_bytes": 8912248320,
      "managed_bytes": 0,
      "saved_bytes": 18407424
    },
    {
      "setting": "optimizer",
      "value": "adafactor",
      "what": "a row and a column of states for each matrix",
      "peak_allocated_bytes": 8913509888,
      "managed_bytes": 0,
      "saved_bytes": 17145856
    },
    {
      "setting": "optimizer",
      "value": "adamw_8bit",
      "what": "the optimizer's states in 8 bits (bitsandbytes)",
      "peak_allocated_bytes": 8916952576,
      "managed_bytes": 0,
      "saved_bytes": 13703168
    },
    {
      "setting": "optimizer",
      "value": "paged_adamw_8bit",
      "what": "states in 8 bits, the large ones in managed memory, which the host holds where the card is full",
      "peak_allocated_bytes": 8916952576,
      "managed_bytes": 0,
      "saved_bytes": 13703168
    }
  ],
  "needed_bytes": 8930655744,
  "levers_together": [],
  "together_peak_allocated_bytes": null
}
# What is missing or makes no sense.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework plain --seq-length 512
zirve estimate: steps/plain.step: line 39: column 22: the step needs batch: state it with --micro-batch
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework none --micro-batch 1
zirve estimate: there is no program steps/none.step
? 3
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework plain --micro-batch 1 --seq-length 8 --set nothing=1
zirve estimate: --set nothing=1: the step has no setting "nothing"
? 64
$ zirve estimate tests/data/models/mamba-130m/config.json --task train --framework plain --micro-batch 1 --seq-length 8
zirve estimate: families/mamba.family does not say what the model does in a step (no [step …] sections, docs/STEP.md)
? 4
$ zirve estimate data/published/llama-3.2-3b.json --framework plain
zirve estimate: steps/plain.step: line 39: column 22: the step needs batch: state it with --micro-batch
? 64
# What a step op by op cannot answer is refused by its name; nothing is left out without a word.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 64 --grid
zirve estimate: --grid: not with --framework: it makes no table: run it for each value
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 64 --zero 3
zirve estimate: --zero: not with --framework: it has no program for DeepSpeed: --fsdp, or --dp alone for DDP
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 64 --item "CUDA context=400MiB"
zirve estimate: --item: not with --framework: it counts what the step allocates alone
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 64 --context 8k
zirve estimate: --context: not with --framework: the prompt is --seq-length, the answer --set generate=TOKENS
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 64 --lora-targets q_proj
zirve estimate: --lora-targets sets targets: with the other settings the step never asks for it: leave it out
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 64 --optimizer lamb
zirve estimate: --optimizer lamb: the step knows no such "optimizer"; it knows adamw_foreach, adamw_fused, adamw_loop, adamw_bnb, adamw_8bit, paged_adamw, paged_adamw_8bit, adam_foreach, adam_fused, adam_loop, sgd, sgd_momentum, sgd_loop, sgd_fused, adafactor, adafactor_foreach, adafactor_transformers, lion, lion_bnb, lion_8bit, paged_lion, paged_lion_8bit, none
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 64 --fused-loss
zirve estimate: --fused-loss sets loss: with the other settings the step never asks for it: leave it out
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 64 --set "chunks=3"
zirve estimate: --set chunks=3: the step knows no such "chunks"; it knows 0 | 8
? 64
# The largest micro-batch that goes in, whatever is open.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --seq-length 2k --card "A100 80GB" --search batch | sed -n '1,/^What/p'
largest batch: 4
  with 5 it runs out of memory: a request of 4.89 GiB (5.25 GB) fails
  9 values tried, 105 steps run; what follows is of 4

Training step, run op by op as torchtune does it
  peak allocated                 25.95 GiB (27.86 GB) to 68.39 GiB (73.43 GB)
  peak active                    25.95 GiB (27.86 GB) to 68.39 GiB (73.43 GB)
  peak reserved                  29.11 GiB (31.26 GB) to 72.33 GiB (77.66 GB)
  A100 80GB offers 79.50 GiB (85.36 GB): the step goes in.
  The peak is reached in the backward pass, in cross_entropy, at event 25440 of
  31005.
  checkpoint is not stated (false | true): highest with false; true alone takes
  31.09 GiB (33.38 GB) less.
  accumulation is not stated (1 | 2): highest with 2; 1 alone takes 5.98 GiB
  (6.43 GB) less.
  chunks is not stated (0 | 8): highest with 0; 8 alone takes 5.37 GiB (5.77 GB)
  less.
  optimizer is not stated (adamw_fused | adamw_foreach | adamw_loop): highest
  with adamw_fused; adamw_loop alone takes 127.00 KiB (130.05 kB) less.
  release is 6: framework's default (torchtune 0.6).
  packed is false: framework's default (torchtune 0.4).
  clip is 0: framework's default (torchtune 0.4).

What holds it
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --lora-rank 8 --checkpointing full --accumulation 1 --optimizer adamw-fused --set chunks=8 --card 4090 --search context --json | sed -n '/"search"/,/}/p'
  "search": {
    "setting": "tokens",
    "value": 16975,
    "limit": 131072,
    "at_limit": false,
    "next_value": 16976,
    "failed_request_bytes": 1088636928,
    "contrary_value": null,
    "values": 32,
    "runs": 32
  },
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --search context
zirve estimate: --search needs --card: what should it fit?
? 64
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework torchtune --micro-batch 1 --seq-length 8 --card 4090 --search batch
zirve estimate: --search batch finds the largest: leave out --micro-batch
? 64
# No case of what is open goes in: there is no lowest.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework plain --micro-batch 1 --seq-length 512 --card 8GB 2>&1 | sed -n '1,/^What/p'
zirve: 8GB is taken literally; a real card of that name allows less or more
Training step, run op by op as plain does it
  out of memory: there is no peak, the figures are those until then
  peak allocated                 at least 7.38 GiB (7.92 GB)
  peak active                    at least 7.38 GiB (7.92 GB)
  peak reserved                  at least 7.38 GiB (7.92 GB)
  8GB offers 7.45 GiB (8.00 GB): the step runs out of memory.
  The peak is reached in a forward pass or an update, in allocate, at event 145
  of 145.
  weights is f32: framework's default (torch 2.6).

Phases, each with its own peak allocated and what it leaves
  loading      7.38 GiB (7.92 GB)         leaves 7.38 GiB (7.92 GB)

What holds it
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework plain --micro-batch 1 --seq-length 512 --card 8GB --json 2>/dev/null | sed -n '/"cases/,/"lowest"/p'
  "cases": 1,
  "cases_out_of_memory": 1,
  "lowest": {
# After training: an evaluation pass and an export are phases with peaks of their own.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework transformers --micro-batch 1 --seq-length 512 --dtype bf16 --optimizer adamw_fused --set evaluate=2 --set export=f32 | sed -n '/^Phases/,/^$/p'
Phases, each with its own peak allocated and what it leaves
  loading      5.98 GiB (6.43 GB)         leaves 5.98 GiB (6.43 GB)
  training     25.42 GiB (27.30 GB)       leaves 17.97 GiB (19.30 GB)
  evaluation   18.64 GiB (20.01 GB)       leaves 17.97 GiB (19.30 GB)
  export       29.94 GiB (32.15 GB)       leaves 17.97 GiB (19.30 GB)

# Generation: prompt and answer are phases; what states are is the cache.
$ zirve estimate data/published/qwen3-0.6b.json --task train --framework generate --seq-length 6144 --set generate=2048 | sed -n '1,/^$/p;/^Phases/,/^$/p;/keys and/p'
Generation, run op by op as generate does it
  peak allocated                 2.02 GiB (2.17 GB)
  peak active                    2.02 GiB (2.17 GB)
  peak reserved                  2.35 GiB (2.52 GB)
  The peak is reached in a forward pass or an update, in cat of layer 21, at
  event 22347 of 23114.

Phases, each with its own peak allocated and what it leaves
  loading      1.11 GiB (1.19 GB)         leaves 1.11 GiB (1.19 GB)
  prefill      1.93 GiB (2.07 GB)         leaves 1.77 GiB (1.91 GB)
  decode       2.02 GiB (2.17 GB)         leaves 1.99 GiB (2.14 GB)

  keys and values                895.86 MiB (939.38 MB)
$ zirve estimate data/published/qwen3-0.6b.json --task train --framework generate --seq-length 64
zirve estimate: steps/generate.step: line 166: column 18: the step needs generate: state it with --set generate=VALUE
? 64
# One rank of several: what is gathered and reduced, in streams of their own; NCCL is named as unknown.
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework torchtune --micro-batch 1 --seq-length 2048 --dp 8 --fsdp --checkpointing full --set chunks=8 --optimizer adamw_fused --accumulation 1 --card h100
Training step, run op by op as torchtune does it
  peak allocated                 12.12 GiB (13.01 GB)
  peak active                    12.12 GiB (13.01 GB)
  peak reserved                  18.91 GiB (20.30 GB)
  H100 80GB offers 79.19 GiB (85.03 GB): the step goes in.
  The peak is reached in the backward pass, in * of layer 1, at event 26662 of
  27177.
  release is 6: framework's default (torchtune 0.6).
  packed is false: framework's default (torchtune 0.4).
  clip is 0: framework's default (torchtune 0.4).
  fsdp_version is 2: framework's default (torchtune 0.4).
  shards_from is host: framework's default (torch's recipes: the meta device).
  low_weights is none: framework's default (torch 2.6).
  reduce_type is none: framework's default (torch 2.6).
  reshard is true: framework's default (torch 2.6).
  sync is every: framework's default (torch).

What holds it
  weights                        1.93 GiB (2.07 GB)
  inputs                         16.00 KiB (16.38 kB)
  gradients                      2.83 GiB (3.04 GB)
  optimizer states               3.74 GiB (4.02 GB)
  cuBLAS workspace               64.00 MiB (67.11 MB)
  shared with other ranks        3.18 GiB (3.41 GB)
  saved for backward             208.27 MiB (218.38 MB)
  in use for the moment          176.02 MiB (184.57 MB)
  rounding of the allocator      3.14 MiB (3.30 MB)

Activations by the operation that made them
    in use: *                    128.02 MiB (134.23 MB)     7 tensors
    saved: to                    96.00 MiB (100.66 MB)      4 tensors
    in use: to                   48.00 MiB (50.33 MB)       2 tensors
    saved: *                     32.00 MiB (33.55 MB)       1 tensor
    saved: reshape               32.00 MiB (33.55 MB)       2 tensors
    saved: flash                 16.25 MiB (17.04 MB)       2 tensors
    saved: embedding             16.00 MiB (16.78 MB)       1 tensor
    saved: +                     16.00 MiB (16.78 MB)       1 tensor
    saved: rsqrt                 16.00 KiB (16.38 kB)       2 tensors
    in use: empty                16 B                       2 tensors

Activations by the layer that made them
    in no layer                  32.00 MiB (33.55 MB)       9 tensors
    layer 0                      16.00 MiB (16.78 MB)       1 tensor
    layer 1                      336.28 MiB (352.62 MB)     17 tensors

What would lower it, each by itself
  full=false                     -5.38 GiB (5.77 GB)
    train LoRA adapters only
  optimizer=sgd                  -3.74 GiB (4.02 GB)
    an optimizer without states
  optimizer=adafactor            -3.74 GiB (4.01 GB)
    a row and a column of states for each matrix
  optimizer=paged_adamw_8bit     -3.71 GiB (3.99 GB)
    states in 8 bits, the large ones in managed memory, which the host holds
    where the card is full
  optimizer=adamw_8bit           -1.83 GiB (1.97 GB)
    the optimizer's states in 8 bits (bitsandbytes)
  in_backward=true               -135.12 MiB (141.69 MB)
    each gradient used and freed in the backward pass, with one micro-batch an
    optimizer step

  Basis: calculated, 27177 allocations and frees of a program (docs/STEP.md) on
  the allocator engine; kernels of H100 80GB. Outside it: the CUDA context,
  compiled graphs, offloading, tensor, pipeline and context parallelism.
  Not in it and unknown: NCCL's communicators and their buffers, which are not
  from PyTorch's allocator.
$ zirve estimate data/published/llama-3.2-3b.json --task train --framework transformers --micro-batch 1 --seq-length 2048 --dp 8 --autocast --optimizer adamw_fused
Training step, run op by op as transformers does it
  peak allocated                 65.52 GiB (70.35 GB)
  peak active                    65.52 GiB (70.35 GB)
  peak reserved                  71.41 GiB (76.68 GB)
  The peak is reached in the backward pass, in cross_entropy, at event 11975 of
  18298.
  weights is f32: framework's default (transformers 4.57).
  attention is sdpa: framework's default (transformers 4.57).
  loss is logits: framework's default (transformers 4.57).
  checkpoint is false: framework's default (transformers 4.57).
  accumulation is 1: framework's default (transformers 4.57).
  sync is last: framework's default (transformers 4.57).
  clip is 1.0: framework's default (transformers 4.57).
  bucket_views is false: framework's default (torch 2.6).
  find_unused is false: framework's default (torch 2.6).

Phases, each with its own peak allocated and what it leaves
  loading      23.94 GiB (25.70 GB)       leaves 23.94 GiB (25.70 GB)
  training     65.52 GiB (70.35 GB)       leaves 47.89 GiB (51.42 GB)

What holds it
  weights                        11.97 GiB (12.85 GB)
  inputs                         16.00 KiB (16.38 kB)
  optimizer states               23.94 GiB (25.70 GB)
  cuBLAS workspace               16.25 MiB (17.04 MB)
  shared with other ranks        11.97 GiB (12.85 GB)
  saved for backward             15.67 GiB (16.82 GB)
  in use for the moment          1.96 GiB (2.10 GB)
  rounding of the allocator      3.12 MiB (3.28 MB)

Activations by the operation that made them
    saved: linear                9.39 GiB (10.08 GB)        394 tensors
    saved: *                     2.21 GiB (2.38 GB)         87 tensors
    in use: cross_entropy        1.96 GiB (2.10 GB)         3 tensors
    saved: +                     1.31 GiB (1.41 GB)         56 tensors
    saved: cross_entropy         1002.00 MiB (1050.67 MB)   1 tensor
    saved: flash                 901.25 MiB (945.03 MB)     140 tensors
    saved: silu                  896.00 MiB (939.52 MB)     28 tensors
    saved: embedding             24.00 MiB (25.17 MB)       1 tensor
    saved: rsqrt                 456.00 KiB (466.94 kB)     57 tensors
    in use: backward             4 B                        1 tensor

Activations by the layer that made them
    in no layer                  3.73 GiB (4.01 GB)         12 tensors
    layers 0 to 27, each         508.20 MiB (532.89 MB)     27 tensors

What would lower it, each by itself
  full=false                     -39.12 GiB (42.01 GB)
    train LoRA adapters only
  weights=bf16                   -31.58 GiB (33.90 GB)
    weights, gradients and states in bf16
  optimizer=sgd                  -23.94 GiB (25.70 GB)
    an optimizer without states
  optimizer=adafactor            -23.93 GiB (25.70 GB)
    a row and a column of states for each matrix
  optimizer=paged_adamw_8bit     -23.86 GiB (25.61 GB)
    states in 8 bits, the large ones in managed memory, which the host holds
    where the card is full
  optimizer=adamw_8bit           -15.67 GiB (16.82 GB)
    the optimizer's states in 8 bits (bitsandbytes)
  checkpoint=true                -4.16 GiB (4.47 GB)
    recompute each layer in the backward pass

  Basis: calculated, 18298 allocations and frees of a program (docs/STEP.md) on
  the allocator engine; kernels of an A100 (no --card, or one whose kernels are
  not known). Outside it: the CUDA context, compiled graphs, offloading, tensor,
  pipeline and context parallelism.
  Not in it and unknown: NCCL's communicators and their buffers, which are not
  from PyTorch's allocator.
# The first FSDP is what Accelerate takes; a plain loop has both. What it cannot hold in one vector is refused.
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework transformers --micro-batch 1 --seq-length 2048 --dp 8 --fsdp --autocast --optimizer adamw_fused
Training step, run op by op as transformers does it
  peak allocated                 28.45 GiB (30.55 GB)
  peak active                    28.45 GiB (30.55 GB) to 28.91 GiB (31.04 GB)
  peak reserved                  33.85 GiB (36.35 GB) to 36.32 GiB (39.00 GB)
  The peak is reached in the backward pass, in cross_entropy, at event 12643 of
  19131.
  card_lags is not stated (false | true): highest with true; false alone takes
  244.00 KiB (249.86 kB) less.
  weights is f32: framework's default (transformers 4.57).
  attention is sdpa: framework's default (transformers 4.57).
  loss is logits: framework's default (transformers 4.57).
  checkpoint is false: framework's default (transformers 4.57).
  accumulation is 1: framework's default (transformers 4.57).
  fsdp_version is 1: framework's default (accelerate 1.12).
  low_weights is none: framework's default (accelerate 1.12, FSDP1: as
  autocast).
  original_params is true: framework's default (transformers 4.57).
  prefetch is none: framework's default (transformers 4.57).
  sync_states is true: framework's default (transformers 4.57).
  sync is last: framework's default (transformers 4.57).
  clip is 1.0: framework's default (transformers 4.57).
  shards_from is host: framework's default (torch's recipes: the meta device).
  reduce_type is none: framework's default (torch 2.6).
  reshard is true: framework's default (torch 2.6).
  low_buffers is none: framework's default (torch 2.6).

Phases, each with its own peak allocated and what it leaves
  loading      11.57 GiB (12.42 GB)       leaves 3.74 GiB (4.02 GB)
  training     28.45 GiB (30.55 GB)       leaves 14.98 GiB (16.08 GB)

What holds it
  weights                        3.74 GiB (4.02 GB)
  inputs                         16.00 KiB (16.38 kB)
  optimizer states               7.48 GiB (8.03 GB)
  cuBLAS workspace               16.25 MiB (17.04 MB)
  shared with other ranks        1.96 GiB (2.10 GB)
  saved for backward             13.30 GiB (14.28 GB)
  in use for the moment          1.96 GiB (2.10 GB)
  rounding of the allocator      3.79 MiB (3.97 MB)

Activations by the operation that made them
    saved: linear                3.50 GiB (3.76 GB)         64 tensors
    saved: to                    3.05 GiB (3.27 GB)         132 tensors
    saved: *                     2.77 GiB (2.97 GB)         97 tensors
    in use: cross_entropy        1.96 GiB (2.10 GB)         3 tensors
    saved: silu                  1.75 GiB (1.88 GB)         32 tensors
    saved: cross_entropy         1002.00 MiB (1050.67 MB)   1 tensor
    saved: flash                 520.00 MiB (545.26 MB)     64 tensors
    saved: +                     512.00 MiB (536.87 MB)     32 tensors
    saved: cat                   256.00 MiB (268.44 MB)     64 tensors
    saved: rsqrt                 520.00 KiB (532.48 kB)     65 tensors

Activations by the layer that made them
    in no layer                  3.00 GiB (3.22 GB)         11 tensors
    layers 0 to 31, each         392.27 MiB (411.32 MB)     17 tensors

What would lower it, each by itself
  checkpoint=true                -8.10 GiB (8.69 GB)
    recompute each layer in the backward pass
  full=false                     -7.52 GiB (8.07 GB)
    train LoRA adapters only
  optimizer=sgd                  -7.48 GiB (8.03 GB)
    an optimizer without states
  optimizer=paged_adamw_8bit     -7.46 GiB (8.01 GB)
    states in 8 bits, the large ones in managed memory, which the host holds
    where the card is full
  optimizer=adamw_8bit           -4.85 GiB (5.21 GB)
    the optimizer's states in 8 bits (bitsandbytes)
  optimizer=adafactor            -3.74 GiB (4.02 GB)
    a row and a column of states for each matrix
  loss=fused                     -1.17 GiB (1.26 GB)
    the loss without logits (Liger's fused linear cross entropy)
  weights=bf16                   -1.96 MiB (2.05 MB)
    weights, gradients and states in bf16

  Basis: calculated, 19131 allocations and frees of a program (docs/STEP.md) on
  the allocator engine; kernels of an A100 (no --card, or one whose kernels are
  not known). Outside it: the CUDA context, compiled graphs, offloading, tensor,
  pipeline and context parallelism.
  Not in it and unknown: NCCL's communicators and their buffers, which are not
  from PyTorch's allocator.
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework plain --micro-batch 1 --seq-length 2048 --dp 8 --fsdp --attention sdpa --checkpointing none --accumulation 1 --optimizer adamw_fused
Training step, run op by op as plain does it
  peak allocated                 61.40 GiB (65.93 GB)
  peak active                    61.40 GiB (65.93 GB) to 62.21 GiB (66.80 GB)
  peak reserved                  73.22 GiB (78.62 GB) to 77.95 GiB (83.70 GB)
  The peak is reached in the backward pass, in safe_softmax of layer 31, at
  event 14205 of 20071.
  fsdp_version is not stated (1 | 2): highest with 2; 1 alone takes 129.00 KiB
  (132.10 kB) less.
  card_lags is not stated (false | true): alone it makes no difference.
  weights is f32: framework's default (torch 2.6).
  autocast is none: framework's default (torch 2.6).
  loss is logits: framework's default (transformers 4.57).
  shards_from is host: framework's default (torch's recipes: the meta device).
  low_weights is none: framework's default (torch 2.6).
  reduce_type is none: framework's default (torch 2.6).
  reshard is true: framework's default (torch 2.6).
  sync is every: framework's default (torch).
  low_buffers is none: framework's default (torch 2.6).
  original_params is false: framework's default (torch 2.6).
  limit_gathers is true: framework's default (torch 2.6).
  prefetch is before: framework's default (torch 2.6).
  sync_states is false: framework's default (torch 2.6).

Phases, each with its own peak allocated and what it leaves
  loading      3.74 GiB (4.02 GB)         leaves 3.74 GiB (4.02 GB)
  training     61.40 GiB (65.93 GB)       leaves 11.23 GiB (12.06 GB)

What holds it
  weights                        3.74 GiB (4.02 GB)
  inputs                         48.00 KiB (49.15 kB)
  gradients                      2.68 GiB (2.87 GB)
  optimizer states               7.48 GiB (8.03 GB)
  cuBLAS workspace               16.25 MiB (17.04 MB)
  shared with other ranks        5.54 GiB (5.95 GB)
  saved for backward             39.41 GiB (42.31 GB)
  in use for the moment          2.54 GiB (2.73 GB)
  rounding of the allocator      145.61 KiB (149.10 kB)

Activations by the operation that made them
    saved: safe_softmax          16.00 GiB (17.18 GB)       32 tensors
    saved: *                     9.33 GiB (10.02 GB)        223 tensors
    saved: linear                6.78 GiB (7.28 GB)         62 tensors
    saved: silu                  3.39 GiB (3.64 GB)         31 tensors
    saved: +                     1.94 GiB (2.08 GB)         62 tensors
    in use: linear               1002.00 MiB (1050.67 MB)   1 tensor
    saved: reshape               992.00 MiB (1040.19 MB)    31 tensors
    saved: contiguous            992.00 MiB (1040.19 MB)    31 tensors
    in use: matmul               544.00 MiB (570.43 MB)     2 tensors
    in use: cat                  512.00 MiB (536.87 MB)     64 tensors

Activations by the layer that made them
    in no layer                  1.04 GiB (1.12 GB)         7 tensors
    layers 0 to 30, each         1.27 GiB (1.36 GB)         19 tensors
    layer 31                     1.67 GiB (1.80 GB)         11 tensors

What would lower it, each by itself
  weights=bf16                   -37.66 GiB (40.44 GB)
    weights, gradients and states in bf16
  checkpoint=true                -35.36 GiB (37.97 GB)
    recompute each layer in the backward pass
  autocast=bf16                  -12.65 GiB (13.59 GB)
    activations in bf16 by autocast
  optimizer=sgd                  -7.48 GiB (8.03 GB)
    an optimizer without states
  optimizer=adafactor            -7.47 GiB (8.02 GB)
    a row and a column of states for each matrix
  optimizer=paged_adamw_8bit     -7.45 GiB (8.00 GB)
    states in 8 bits, the large ones in managed memory, which the host holds
    where the card is full
  optimizer=adamw_8bit           -5.57 GiB (5.99 GB)
    the optimizer's states in 8 bits (bitsandbytes)
  loss=fused                     -374.71 MiB (392.91 MB)
    the loss without logits (Liger's fused linear cross entropy)

  Basis: calculated, 20071 allocations and frees of a program (docs/STEP.md) on
  the allocator engine; kernels of an A100 (no --card, or one whose kernels are
  not known). Outside it: the CUDA context, compiled graphs, offloading, tensor,
  pipeline and context parallelism.
  Not in it and unknown: NCCL's communicators and their buffers, which are not
  from PyTorch's allocator.
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework transformers --micro-batch 1 --seq-length 2048 --dp 8 --fsdp --quantization nf4 --lora-rank 8
zirve estimate: steps/fsdp1.step: line 80: column 3: FSDP1 cannot join weights in 4 bits to one vector
? 64
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework transformers --micro-batch 1 --seq-length 2048 --dp 8 --fsdp --lora-rank 8 --set original_params=false
zirve estimate: steps/fsdp1.step: line 150: column 3: FSDP1 wants all weights of a unit to train, or none: original_params=true
? 64
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework torchtune --micro-batch 1 --seq-length 2048 --dp 8 --fsdp --checkpointing none --set original_params=true
zirve estimate: --set original_params: with the other settings the step never asks for it: leave it out
? 64
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework torchtune --micro-batch 1 --seq-length 2048 --fsdp
zirve estimate: --fsdp shares out over data-parallel ranks: add --dp N, a rank for each card
? 64
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework torchtune --micro-batch 1 --seq-length 2048 --fsdp --dp 8 --set this_rank=8
zirve estimate: steps/parallel.step: line 33: column 1: this_rank is none of the ranks: they are counted from 0
? 64
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --task train --framework torchtune --micro-batch 1 --seq-length 2048 --zero 3 --dp 8
zirve estimate: --zero: not with --framework: it has no program for DeepSpeed: --fsdp, or --dp alone for DDP
? 64
# Layers run again: all of each, all but chosen operations, every third.
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing full | sed -n '/peak allocated/p;/peak reserved/p;/saved for/p'
  peak allocated                 62.30 GiB (66.90 GB)
  peak reserved                  64.00 GiB (68.72 GB)
  saved for backward             12.45 GiB (13.37 GB)
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing selective --set selective=op | sed -n '/peak allocated/p;/peak reserved/p;/saved for/p'
  peak allocated                 89.37 GiB (95.96 GB)
  peak reserved                  93.63 GiB (100.53 GB)
  saved for backward             39.52 GiB (42.43 GB)
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing selective --set selective=products | sed -n '/peak allocated/p;/peak reserved/p;/saved for/p'
  peak allocated                 108.37 GiB (116.36 GB)
  peak reserved                  112.38 GiB (120.66 GB)
  saved for backward             58.52 GiB (62.83 GB)
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing selective --set selective=3 | sed -n '/peak allocated/p;/peak reserved/p;/saved for/p'
  peak allocated                 136.60 GiB (146.67 GB)
  peak reserved                  142.63 GiB (153.14 GB)
  saved for backward             86.75 GiB (93.15 GB)
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing selective --set selective=flash,silu | sed -n '/peak allocated/p;/peak reserved/p;/saved for/p'
  peak allocated                 80.37 GiB (86.29 GB)
  peak reserved                  83.38 GiB (89.52 GB)
  saved for backward             30.52 GiB (32.77 GB)
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing none | sed -n '/peak allocated/p;/peak reserved/p;/saved for/p'
  peak allocated                 170.37 GiB (182.93 GB)
  peak reserved                  176.32 GiB (189.32 GB)
  saved for backward             120.52 GiB (129.41 GB)
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing selective
zirve estimate: steps/checkpoints.step: line 12: column 44: the step needs selective: state it with --set selective=op, products, a number of layers, or operations (mm,flash)
? 64
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing selective --set selective=flush
zirve estimate: steps/torchtune.step: line 254: column 14: selective: "flush" is no operation that a checkpoint keeps (op, products, a number of layers, or of mm, addmm, bmm, baddbmm, convolution, flash, efficient, add, sub, mul, div, to, dropout, softmax, layer_norm, max, neg, exp, sigmoid, tanh, relu, sqrt, rsqrt, reciprocal, log, pow, square, silu, gelu, sin, cos, erf; with /N: of N results the first)
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework transformers --micro-batch 1 --seq-length 512 --lora-rank 8 --lora-targets nosuch
zirve estimate: steps/adapters.step: line 8: column 1: --lora-targets: no linear module of this model has such a name (transformers' names, as q_proj,v_proj, or all-linear)
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 512 --lora-rank 8 --lora-targets output_proj
zirve estimate: steps/adapters.step: line 8: column 1: --lora-targets: no linear module of this model has such a name (transformers' names, as q_proj,v_proj, or all-linear)
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --task train --micro-batch 1 --seq-length 512 --lora-rank 8 --lora-targets nosuch
zirve estimate: --lora-targets nosuch: none of this model's modules; it has q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj
? 64
$ zirve estimate tests/data/models/falcon-mamba-7b/config.json --task train --micro-batch 1 --seq-length 512 --lora-rank 8
zirve estimate: --lora-targets: the usual modules are not in this model; it has in_proj, x_proj, dt_proj, out_proj
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --task train --micro-batch 1 --seq-length 512 --lora-rank 0
zirve estimate: --lora-rank 0: expected at least 1
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --context 1k --tp 0
zirve estimate: --tp 0: expected at least 1
? 64
$ zirve estimate tests/data/models/llama-3.1-8b/config.json --framework torchtune --micro-batch 2 --seq-length 8192 --optimizer adamw-fused --set chunks=8 --set in_backward=true --checkpointing selective --set selective=0
zirve estimate: steps/checkpoints.step: line 13: column 3: selective=0: of how many layers one is run again must be 1 or more
? 64
# torchtitan's own: what its configuration says is the default, the rest is stated.
$ zirve estimate data/published/llama-3.1-8b.json --framework torchtitan --micro-batch 2 --seq-length 8192 --dp 8 --fsdp --card "H100 NVL 94GB" | sed -n '1,/^What holds/p'
Training step, run op by op as torchtitan does it
  peak allocated                 68.70 GiB (73.76 GB)
  peak active                    68.70 GiB (73.76 GB)
  peak reserved                  82.52 GiB (88.61 GB)
  H100 NVL 94GB offers 87.04 GiB (93.46 GB): the step goes in.
  The peak is reached in the backward pass, in cross_entropy, at event 15053 of
  23484.
  low_weights is bf16: framework's default (torchtitan 2024-12).
  reduce_type is f32: framework's default (torchtitan 2024-12).
  checkpoint is selective: framework's default (torchtitan 2024-12,
  llama3_8b.toml).
  selective is op: framework's default (torchtitan 2024-12, llama3_8b.toml).
  optimizer is adamw_foreach: framework's default (torchtitan 2024-12).
  clip is 1.0: framework's default (torchtitan 2024-12).
  shards_from is host: framework's default (torch's recipes: the meta device).
  reshard is true: framework's default (torch 2.6).
  sync is every: framework's default (torch).

What holds it
$ zirve estimate data/published/llama-3.1-8b.json --framework torchtitan --micro-batch 2 --seq-length 8192 --dp 8 --fsdp --card "H100 NVL 94GB" --checkpointing full | sed -n '/peak reserved/p;/goes in/p'
  peak reserved                  54.71 GiB (58.75 GB)
  H100 NVL 94GB offers 87.04 GiB (93.46 GB): the step goes in.
$ zirve estimate data/published/llama-3.1-8b.json --framework torchtitan --micro-batch 2 --seq-length 8192 --dp 8 --fsdp --accumulation 4
zirve estimate: --accumulation sets accumulation: with the other settings the step never asks for it: leave it out
? 64
# What a setting does not take, and what is stated twice.
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set weights=bananas
zirve estimate: --set weights=bananas: the step knows no such "weights"; it knows bf16, f16, f32
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set weights=i8
zirve estimate: --set weights=i8: the step knows no such "weights"; it knows bf16, f16, f32
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set steps=-1
zirve estimate: --set steps=-1: the step knows no such "steps"; it knows whole numbers below 2^63
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set clip=much
zirve estimate: --set clip=much: the step knows no such "clip"; it knows 0, decimal
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set steps=18446744073709551616
zirve estimate: --set steps=18446744073709551616: the step knows no such "steps"; it knows whole numbers below 2^63
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set clip=1.0 --set clip=2.0
zirve estimate: clip is stated twice: 1.0 by --set and 2.0 by --set
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set checkpoint=true
zirve estimate: checkpoint is stated twice: false by --checkpointing and true by --set
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --dp 4 --fsdp --set parallel=ddp
zirve estimate: parallel is stated twice: fsdp by --fsdp and ddp by --set
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --dp 4 --fsdp --set replicas=0
zirve estimate: steps/parallel.step: line 32: column 1: replicas must be 1 or more: the groups of ranks, not those in one
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --lora-rank 8 --set full=true
zirve estimate: full is stated twice: false by --lora-rank and true by --set
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set "packed=true|"
zirve estimate: --set packed=true|: the step knows no such "packed"; it knows false, true
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set packed=maybe
zirve estimate: --set packed=maybe: the step knows no such "packed"; it knows false, true
? 64
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework torchtune --micro-batch 1 --seq-length 64 --accumulation 1 --checkpointing none --optimizer adamw_fused --set chunks=0 --set selective=op
zirve estimate: --set selective: with the other settings the step never asks for it: leave it out
? 64
# litgpt builds its models itself.
$ zirve estimate tests/data/models/llama-3.2-1b/config.json --framework litgpt --micro-batch 1 --seq-length 64
zirve estimate: steps/litgpt.step: line 47: column 1: litgpt builds its own models: state litgpt's config, model_type litgpt (docs/STEP.md)
? 64
$ zirve estimate $M/gemma-3-4b/config.json --framework transformers --micro-batch 1 --seq-length 64 --accumulation 1 --optimizer sgd | tail -4
  not known). Outside it: the CUDA context, compiled graphs, offloading, several
  cards.
  Not in it: the pass of the vision part. Its weights are there, but nothing
  goes through them: a step on text alone.
# What is quantised already has no program.
$ zirve estimate tests/data/models/llama-3.1-8b-fp8-dynamic/config.json --framework plain --micro-batch 1 --seq-length 64
zirve estimate: the weights are quantised (compressed-tensors, quantization_config), and no program says what a step does with them: state the model they were made from, with --set quantize=... where the framework knows it
? 4
$ zirve estimate tests/data/models/llama-3.1-8b-awq-int4/config.json --framework generate --seq-length 64
zirve estimate: the weights are quantised (awq, quantization_config), and no program says what a step does with them: state the model they were made from, with --set quantize=... where the framework knows it
? 4
# What the model cannot do.
$ zirve estimate tests/data/models/gpt2/config.json --framework transformers --micro-batch 1 --seq-length 5000 --accumulation 1
zirve estimate: steps/usual.step: line 67: column 1: more tokens than the model has positions for
? 64
$ zirve estimate tests/data/models/roberta-base/config.json --framework transformers --micro-batch 1 --seq-length 513 --accumulation 1
zirve estimate: steps/usual.step: line 67: column 1: more tokens than the model has positions for
? 64
$ zirve estimate tests/data/models/vit-base-patch16-in21k/config.json --framework generate --seq-length 64
zirve estimate: steps/generate.step: line 139: column 8: head: this program asks it of the model, and families/vit.family does not say it
? 4
$ zirve estimate $M/qwen2-vl-2b/config.json --framework transformers --micro-batch 1 --seq-length 64 --accumulation 1 --optimizer sgd | sed -n '2p;/Not in it/,$p'
  peak allocated                 15.80 GiB (16.96 GB)
  Not in it: the pass of the vision part. Its weights are there, but nothing
  goes through them: a step on text alone.
