# After a failure: the phase, its suspects, one change at a time in it. A log may begin like JSON.
$ zirve explain --advise tests/data/run/evaluation.log
OUT OF DEVICE MEMORY in evaluation (in evaluate)
  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB. GPU 0
  has a total capacity of 23.64 GiB of which 1.00 GiB is free. Including
  non-PyTorch memory, this process has 22.60 GiB memory in use. Of the allocated
  memory 20.00 GiB is allocated by PyTorch, and 1.50 GiB is reserved by Py ...

Suspects
  an evaluation batch or length of its own, larger than in training
  activations kept because gradients are recorded
  outputs of all batches kept on the card for the metric
  optimizer states and gradients that stay meanwhile

One change at a time, in this phase, then run again
  1. a smaller evaluation batch
     frees what no estimate holds: unknown
     costs: evaluation takes longer
  2. evaluate without recording gradients (inference mode)
     frees what no estimate holds: unknown
     costs: nothing
  3. take outputs off the card batch by batch, or keep the metric alone
     frees what no estimate holds: unknown
     costs: copies over the bus: measure the evaluation
  4. evaluate from a checkpoint in a process of its own
     frees what no estimate holds: unknown
     costs: writing and reading it, and a start-up

A smaller training batch does not mend evaluation.
$ zirve explain --advise tests/data/run/backward.log --job tests/data/run/train.yaml
OUT OF DEVICE MEMORY in backward (in backward)
  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0
  has a total capacity of 23.64 GiB of which 1.00 GiB is free. Of the allocated
  memory 21.50 GiB is allocated by PyTorch, and 0.30 GiB is reserved by PyTorch
  but unallocated.
It would have fitted alone on the card: what others hold, and what this process
holds outside the allocator (its context), comes first.

Suspects
  activations of the micro-batch, still live when gradients arrive
  gradients, first made here
  what is computed again under checkpointing

One change at a time, in this phase, then run again
  1. a smaller micro-batch, accumulated to the same batch
     frees 167.06 GiB (179.38 GB): micro-batch of one sequence
     costs: more passes a step: measure its time
  2. activation checkpointing
     frees 123.87 GiB (133.01 GB): checkpointing of every layer
     costs: layers are computed again: measure a step
  3. shorter sequences
     frees 95.46 GiB (102.50 GB): sequences of 2048 tokens
     costs: texts are cut: a run that cut data does not validate the load
  4. more cards of the same kind, with a layout that divides it
     frees 75.59 GiB (81.17 GB): 2 pipeline stages
     costs: their price, and traffic between them
  5. a fused loss: logits never materialised
     frees 54.30 GiB (58.30 GB): fused loss: logits never materialised
     costs: compare the losses
  6. train adapters only (LoRA)
     frees 9.34 GiB (10.03 GB): QLoRA: nf4 and adapters of rank 16
     costs: what is learned differs; show the quality again
  7. share out over data-parallel ranks (ZeRO, FSDP)
     frees 6.72 GiB (7.21 GB): ZeRO-3 over 2 ranks
     costs: more cards of the same kind, and traffic every step
  8. gradients in 16 bits
     frees 13.00 MiB (13.63 MB): gradients in bf16
     costs: sums lose digits; show the quality again
  9. flash attention instead of eager
     frees nothing: the scores are not materialised
     costs: the card must have the kernels
Freed of the 206.26 GiB (221.47 GB) that the estimate expects of one card in
this phase; what changes free does not add up.
$ zirve explain --advise tests/data/run/backward.log --job tests/data/run/train.yaml --phase update --unit GiB | sed 1,/^One/d
  1. train adapters only (LoRA)
     frees 9.34 GiB: QLoRA: nf4 and adapters of rank 16
     costs: what is learned differs; show the quality again
  2. share out over data-parallel ranks (ZeRO, FSDP)
     frees 7.54 GiB: ZeRO-3 over 2 ranks
     costs: more cards of the same kind, and traffic every step
  3. more cards of the same kind, with a layout that divides it
     frees 7.54 GiB: 2 pipeline stages
     costs: their price, and traffic between them
  4. a smaller optimizer: 8-bit, factored or paged states
     frees 0.08 GiB: paged AdamW with 8-bit states
     costs: paged states move over the bus: measure a step; show the quality
     again
  5. an update without temporaries: fused, or foreach off
     frees 0.03 GiB: fused AdamW
     costs: foreach off is slower: measure a step
  6. gradients in 16 bits
     frees 0.01 GiB: gradients in bf16
     costs: sums lose digits; show the quality again

A smaller micro-batch does not mend the update: nothing here grows with it.
Freed of the 15.36 GiB that the estimate expects of one card in this phase; what
changes free does not add up.
$ zirve explain --advise tests/data/run/backward.log --job tests/data/run/train.yaml --phase evaluation | sed -n '/^One/,$p'
One change at a time, in this phase, then run again
  1. a smaller evaluation batch
     frees what no estimate holds: unknown
     costs: evaluation takes longer
  2. evaluate without recording gradients (inference mode)
     frees what no estimate holds: unknown
     costs: nothing
  3. take outputs off the card batch by batch, or keep the metric alone
     frees what no estimate holds: unknown
     costs: copies over the bus: measure the evaluation
  4. evaluate from a checkpoint in a process of its own
     frees what no estimate holds: unknown
     costs: writing and reading it, and a start-up

A smaller training batch does not mend evaluation.
An estimate holds no items of this phase: what a change frees is unknown.
$ zirve explain --advise tests/data/run/backward.log --json | sed '/"changes"/,/"levers": \[\]/!d'
  "changes": [
    {
      "id": "micro_batch",
      "name": "a smaller micro-batch, accumulated to the same batch",
      "costs": "more passes a step: measure its time",
      "quality_again": false,
      "levers": []
$ zirve explain --advise tests/data/run/backward.log --job tests/data/run/train.yaml --json | grep -A12 '"id": "optimizer"\|"expected'
  "expected_bytes": 221470376704,
  "suspects": [
    "activations of the micro-batch, still live when gradients arrive",
    "gradients, first made here",
    "what is computed again under checkpointing"
  ],
  "warning": null,
  "changes": [
    {
      "id": "micro_batch",
      "name": "a smaller micro-batch, accumulated to the same batch",
      "costs": "more passes a step: measure its time",
      "quality_again": false,
# Of a kept result: a run, the last try of a search that ran out, phases with their readings.
$ zirve run -o $TMP/run.json -- sh -c 'cat tests/data/run/evaluation.log; exit 1' >/dev/null 2>&1; zirve explain --advise $TMP/run.json | sed 1q
OUT OF DEVICE MEMORY in evaluation (in evaluate)
$ zirve run -o $TMP/search.json --search n=1..8 -- env FITS=3 sh tests/data/run/train.sh --n {} >/dev/null 2>&1; zirve explain --advise $TMP/search.json --phase backward | sed 3q
OUT OF DEVICE MEMORY in backward (--phase)
  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 MiB.

$ zirve explain --advise tests/data/decide/failed.yaml | sed 2q
OUT OF DEVICE MEMORY in generation (the reading of phase generation)
  CUDA out of memory
$ zirve explain --json tests/data/run/backward.log >$TMP/message.json; zirve explain --advise $TMP/message.json --phase forward | sed 3q
OUT OF DEVICE MEMORY in forward (--phase)
It would have fitted alone on the card: what others hold, and what this process
holds outside the allocator (its context), comes first.
$ zirve measure --emulate 100MiB --search width --json >$TMP/measure.json; zirve explain --advise $TMP/measure.json | sed 3q
OUT OF DEVICE MEMORY in load (the reading of phase model_load)
  out of memory: 50353216 bytes asked for; allocated 50368000, reserved
  54525952, free on the device 50331648 of 104857600
# Host memory, fragmentation, a phase that nothing tells.
$ echo 'RuntimeError: DefaultCPUAllocator: can'"'"'t allocate memory: you tried to allocate 40 bytes.' | zirve explain --advise - --phase export | sed 4q
OUT OF HOST MEMORY in export (--phase)
  RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to
  allocate 40 bytes.
It is the host's memory: changes that free a card need not free the host.
$ echo 'CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.00 GiB is free. Of the allocated memory 18.00 GiB is allocated by PyTorch, and 4.50 GiB is reserved by PyTorch but unallocated.' | zirve explain --advise - --phase generation | sed 6q
OUT OF DEVICE MEMORY in generation (--phase)
  CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of
  23.64 GiB of which 1.00 GiB is free. Of the allocated memory 18.00 GiB is
  allocated by PyTorch, and 4.50 GiB is reserved by PyTorch but unallocated.
It is fragmentation: there was room, but no hole. Settings of the allocator come
first ('zirve replay SNAPSHOT --advise').
$ echo 'CUDA out of memory.' | zirve explain --advise -
OUT OF DEVICE MEMORY in a phase that is not known
  CUDA out of memory.
What to change depends on the phase: --phase load, prefill, generation, forward,
backward, update, evaluation or export says it.
? 6
$ echo 'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8345.50 MiB on device 0: cudaMalloc failed: out of memory' >$TMP/llama.log; echo 'llama_model_load: error loading model: unable to allocate CUDA0 buffer' >>$TMP/llama.log; zirve explain --advise $TMP/llama.log | sed 1q
OUT OF DEVICE MEMORY in load (error loading model)
# Of a snapshot: the stack of the request that failed.
$ zirve explain --advise tests/data/snapshots/failed.pickle | sed 8q
OUT OF DEVICE MEMORY in update (in step)

Suspects
  optimizer states, made in the first step
  temporaries of the update over all parameters at once
  master weights in 32 bits

One change at a time, in this phase, then run again
$ zirve explain --advise tests/data/snapshots/failed.pickle --json | sed 10q
{
  "schema": "zirve.advice/1",
  "phase": "update",
  "told_by": "in step",
  "memory": "device",
  "text": null,
  "verdict": "capacity",
  "requested_bytes": 4294967296,
  "expected_bytes": null,
  "suspects": [
$ zirve explain --json tests/data/snapshots/failed.pickle >$TMP/explain.json; zirve explain --advise $TMP/explain.json | sed 3q
OUT OF DEVICE MEMORY in a phase that is not known
What to change depends on the phase: --phase load, prefill, generation, forward,
backward, update, evaluation or export says it.
$ zirve run -o $TMP/bad0.json -- false 2>/dev/null; zirve explain --advise $TMP/bad0.json --phase load | sed 3q
FAILED in load (--phase)
Nothing in it says that memory ran out: you do.

# Nothing to mend, or nothing that says so.
$ zirve run -o $TMP/good.json -- true 2>/dev/null; zirve explain --advise $TMP/good.json
zirve explain: TMP/good.json: this run passed: there is nothing to mend
? 64
$ zirve run -o $TMP/bad.json -- false 2>/dev/null; zirve explain --advise $TMP/bad.json
zirve explain: TMP/bad.json: nothing in it says that memory ran out (--phase tells where it did)
? 4
$ zirve explain --advise $TMP/bad.json --phase exprot
zirve explain: --phase exprot: expected load, prefill, generation, forward, backward, update, evaluation or export
? 64
$ zirve explain --advise tests/data/decide/proven.yaml
zirve explain: tests/data/decide/proven.yaml: no phase of this result failed
? 64
$ zirve explain --advise tests/data/snapshots/gen6.pickle
zirve explain: tests/data/snapshots/gen6.pickle: no request failed in this record
? 64
$ zirve explain --advise README.md
zirve explain: README.md: nothing in it says that memory ran out (--phase tells where it did)
? 4
$ zirve explain --advise tests/data/run/backward.log --job tests/data/decide/job.yaml
zirve: tests/data/decide/job.yaml names no model: figures by hand have nothing to change
OUT OF DEVICE MEMORY in backward (in backward)
  torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0
  has a total capacity of 23.64 GiB of which 1.00 GiB is free. Of the allocated
  memory 21.50 GiB is allocated by PyTorch, and 0.30 GiB is reserved by PyTorch
  but unallocated.
It would have fitted alone on the card: what others hold, and what this process
holds outside the allocator (its context), comes first.

Suspects
  activations of the micro-batch, still live when gradients arrive
  gradients, first made here
  what is computed again under checkpointing

One change at a time, in this phase, then run again
  1. a smaller micro-batch, accumulated to the same batch
     frees: unknown without --job
     costs: more passes a step: measure its time
  2. activation checkpointing
     frees: unknown without --job
     costs: layers are computed again: measure a step
  3. shorter sequences
     frees: unknown without --job
     costs: texts are cut: a run that cut data does not validate the load
  4. a fused loss: logits never materialised
     frees: unknown without --job
     costs: compare the losses
  5. flash attention instead of eager
     frees: unknown without --job
     costs: the card must have the kernels
  6. gradients in 16 bits
     frees: unknown without --job
     costs: sums lose digits; show the quality again
  7. train adapters only (LoRA)
     frees: unknown without --job
     costs: what is learned differs; show the quality again
  8. share out over data-parallel ranks (ZeRO, FSDP)
     frees: unknown without --job
     costs: more cards of the same kind, and traffic every step
  9. more cards of the same kind, with a layout that divides it
     frees: unknown without --job
     costs: their price, and traffic between them
$ zirve explain --advise tests/data/run/backward.log --job tests/data/run/none.yaml
zirve explain: tests/data/run/none.yaml: cannot be opened: No such file or directory
? 3
# A server that sizes its cache when it starts: shorter or fewer requests are among what mends its load.
$ zirve explain tests/data/logs/vllm-oom.log --advise | sed -n '/^One change/,$p' | grep -A2 "^  [56]"
  5. shorter or fewer requests: the runtime sizes its cache for them
     frees: unknown without --job
     costs: longer requests are refused: a run that cut data does not validate
--
  6. less that the runtime takes when it starts: no CUDA graphs, no draft model
     frees: unknown without --job
     costs: each token takes longer: measure it
