# The lab exercise on an emulated card: exact counters, nothing timed, and it says so.
$ zirve measure --emulate 4090 --batch 1 --context 16 --width 64 --dtype float32 --warmup 1 --repeats 2
batch 1, context 16, width 64, depth 2, float32: 8320 parameters, 33280 bytes;
inference; warmup 1, repeats 2; empty_cache never called

cuda:0 RTX 4090, EMULATED by zirve-emulate 0.1.0; CUDA driver 13000; 23.51 GiB
  (25.25 GB); compute capability 8.9
  allocator: zirve, policy caching, profile torch-2.14, settings none; the
  device has virtual memory management
  kernels: unchecked: emulated

  bytes                           allocated      |                reserved      
  phase                      peak     at its end |           peak     at its end
  model_load               33,792         33,792 |      2,097,152      2,097,152
  inputs                   37,888         37,888 |      2,097,152      2,097,152
  cold_forward             46,080         37,888 |      2,097,152      2,097,152
  warmup                   46,080         37,888 |      2,097,152      2,097,152
  warm_forward x2          46,080         37,888 |      2,097,152      2,097,152

  free on the device: 25,246,564,352 before, 25,244,467,200 after

Emulated: the counters of the allocator on a card that is not there. Nothing was
computed and nothing was timed; no card was measured.
allocated and reserved are two counters of the same memory: they are not added.
A peak is the largest value since its phase began; the difference of two peaks
is no difference at one instant, and peak less baseline is not the volume of
temporaries.
context is a dimension of this small network and no language model's length: no
conclusion on what another model needs or whether a card has room for it.
A gap between these counters and a reading of the system alone proves no leak.
cold_forward is not the start of a server.
Waiting at phase boundaries can change the usual overlap: --unsynchronised runs
the whole loop once more without them.
$ zirve measure --emulate 4090 --train --unit KiB | sed -n '/^ *KiB/,/^$/p'
  KiB                             allocated      |                reserved      
  phase                      peak     at its end |           peak     at its end
  model_load                33.00          33.00 |        2048.00        2048.00
  inputs                    41.00          41.00 |        2048.00        2048.00
  forward                   49.00          49.00 |        2048.00        2048.00
  loss                      50.50          49.50 |        2048.00        2048.00
  backward                  78.00          74.00 |        2048.00        2048.00
  first_update             140.00         107.00 |        2048.00        2048.00
  warmup                   144.00         107.00 |        2048.00        2048.00
  updates x2               144.00         107.00 |        2048.00        2048.00
  evaluation               123.00         107.00 |        2048.00        2048.00
  export                   107.00         107.00 |        2048.00        2048.00

$ zirve measure --emulate 4090 --train --optimizer sgd --dtype bfloat16 --alloc-conf expandable_segments:True --width 2048 | sed -n '/^batch/,/^$/p;/^ *bytes/,/^$/p'
batch 1, context 16, width 2048, depth 2, bfloat16: 8392704 parameters, 16785408
bytes; training with sgd; warmup 1, repeats 2; empty_cache never called
bytes; training with sgd; warmup 1, repeats 2; empty_cache never called


  bytes                           allocated      |                reserved      
  phase                      peak     at its end |           peak     at its end
  model_load           16,785,408     16,785,408 |     23,068,672     23,068,672
  inputs               16,916,480     16,916,480 |     23,068,672     23,068,672
  forward              17,047,552     17,047,552 |     23,068,672     23,068,672
  loss                 17,049,088     17,048,064 |     23,068,672     23,068,672
  backward             33,767,424     33,701,888 |     44,040,192     44,040,192
  first_update         33,701,888     16,916,480 |     44,040,192     44,040,192
  warmup               33,767,424     16,916,480 |     44,040,192     44,040,192
  updates x2           33,767,424     16,916,480 |     44,040,192     44,040,192
  evaluation           17,178,624     16,916,480 |     44,040,192     44,040,192
  export               16,916,480     16,916,480 |     44,040,192     44,040,192

$ zirve measure --emulate 4090 --warmup 1 --repeats 1 --json
{
  "schema": "zirve.measure/1",
  "zirve": "0.1.0",
  "known": "emulated",
  "outcome": "complete",
  "exercise": {
    "batch": 1,
    "context": 16,
    "width": 64,
    "depth": 2,
    "dtype": "float32",
    "parameters": 8320,
    "parameter_bytes": 33280,
    "train": false,
    "optimizer": null,
    "warmup": 1,
    "repeats": 1,
    "seed": 0,
    "alloc_conf": null,
    "empty_cache": "never"
  },
  "series": {
    "processes": 1,
    "repeats_in_each": 1,
    "devices": 1
  },
  "search": null,
  "cautions": [
    "Emulated: the counters of the allocator on a card that is not there. Nothing was computed and nothing was timed; no card was measured.",
    "allocated and reserved are two counters of the same memory: they are not added. A peak is the largest value since its phase began; the difference of two peaks is no difference at one instant, and peak less baseline is not the volume of temporaries.",
    "context is a dimension of this small network and no language model's length: no conclusion on what another model needs or whether a card has room for it.",
    "A gap between these counters and a reading of the system alone proves no leak.",
    "cold_forward is not the start of a server.",
    "Waiting at phase boundaries can change the usual overlap: --unsynchronised runs the whole loop once more without them."
  ],
  "runs": [
    {
      "process": 1,
      "batch": 1,
      "context": 16,
      "width": 64,
      "synchronised": true,
      "device": {
        "name": "cuda:0",
        "backend": "CUDA",
        "model": "RTX 4090",
        "total_bytes": 25246564352,
        "memory_bytes": 25246564352,
        "free_bytes_at_start": 25246564352,
        "driver_version": 13000,
        "compute_capability": "8.9",
        "compute_capability_assumed": false,
        "virtual_memory": true,
        "emulated_by": "zirve-emulate 0.1.0"
      },
      "allocator": {
        "engine": "zirve",
        "policy": "caching",
        "profile": "torch-2.14",
        "settings": null,
        "alloc_retries": 0,
        "ooms": 0
      },
      "kernels": "unchecked: emulated",
      "outcome": "complete",
      "failed_phase": null,
      "message": null,
      "phases": [
        {
          "name": "model_load",
          "repeat": 1,
          "dimensions": {
            "batch": 1,
            "context": 16,
            "width": 64,
            "depth": 2,
            "rows": 16
          },
          "before": {
            "allocated_bytes": 0,
            "reserved_bytes": 0,
            "device_free_bytes": 25246564352,
            "device_total_bytes": 25246564352
          },
          "peak": {
            "allocated_bytes": 33792,
            "reserved_bytes": 2097152
          },
          "after": {
            "allocated_bytes": 33792,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "duration_ns": null,
          "succeeded": true,
          "message": null
        },
        {
          "name": "inputs",
          "repeat": 1,
          "dimensions": {
            "batch": 1,
            "context": 16,
            "width": 64,
            "depth": 2,
            "rows": 16
          },
          "before": {
            "allocated_bytes": 33792,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "peak": {
            "allocated_bytes": 37888,
            "reserved_bytes": 2097152
          },
          "after": {
            "allocated_bytes": 37888,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "duration_ns": null,
          "succeeded": true,
          "message": null
        },
        {
          "name": "cold_forward",
          "repeat": 1,
          "dimensions": {
            "batch": 1,
            "context": 16,
            "width": 64,
            "depth": 2,
            "rows": 16,
            "forwards": 1
          },
          "before": {
            "allocated_bytes": 37888,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "peak": {
            "allocated_bytes": 46080,
            "reserved_bytes": 2097152
          },
          "after": {
            "allocated_bytes": 37888,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "duration_ns": null,
          "succeeded": true,
          "message": null
        },
        {
          "name": "warmup",
          "repeat": 1,
          "dimensions": {
            "batch": 1,
            "context": 16,
            "width": 64,
            "depth": 2,
            "rows": 16,
            "forwards": 1
          },
          "before": {
            "allocated_bytes": 37888,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "peak": {
            "allocated_bytes": 46080,
            "reserved_bytes": 2097152
          },
          "after": {
            "allocated_bytes": 37888,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "duration_ns": null,
          "succeeded": true,
          "message": null
        },
        {
          "name": "warm_forward",
          "repeat": 1,
          "dimensions": {
            "batch": 1,
            "context": 16,
            "width": 64,
            "depth": 2,
            "rows": 16,
            "forwards": 1
          },
          "before": {
            "allocated_bytes": 37888,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "peak": {
            "allocated_bytes": 46080,
            "reserved_bytes": 2097152
          },
          "after": {
            "allocated_bytes": 37888,
            "reserved_bytes": 2097152,
            "device_free_bytes": 25244467200,
            "device_total_bytes": 25246564352
          },
          "duration_ns": null,
          "succeeded": true,
          "message": null
        }
      ]
    }
  ]
}
# A failed phase is kept, with its last values: partial.
$ zirve measure --emulate 100MiB --width 2048 --train
batch 1, context 16, width 2048, depth 2, float32: 8392704 parameters, 33570816
bytes; training with adam; warmup 1, repeats 2; empty_cache never called

cuda:0 100MiB, EMULATED by zirve-emulate 0.1.0; CUDA driver 13000; 100.00 MiB
  (104.86 MB); compute capability 8.0 (assumed)
  allocator: zirve, policy caching, profile torch-2.14, settings none; the
  device has virtual memory management
  kernels: not reached

  bytes                           allocated      |                reserved      
  phase                      peak     at its end |           peak     at its end
  model_load           33,570,816     33,570,816 |     35,651,584     35,651,584
  inputs               33,832,960     33,832,960 |     35,651,584     35,651,584
  forward              34,095,104     34,095,104 |     35,651,584     35,651,584
  loss                 34,096,640     34,095,616 |     35,651,584     35,651,584
  backward             67,534,848     67,403,776 |     69,206,016     69,206,016
  first_update        100,974,592    100,974,592 |    102,760,448    102,760,448

  free on the device: 104,857,600 before, 2,097,152 after
  FAILED in first_update: out of memory: 16777216 bytes asked for; allocated
  100974592, reserved 102760448, free on the device 2097152 of 104857600

Emulated: the counters of the allocator on a card that is not there. Nothing was
computed and nothing was timed; no card was measured.
allocated and reserved are two counters of the same memory: they are not added.
A peak is the largest value since its phase began; the difference of two peaks
is no difference at one instant, and peak less baseline is not the volume of
temporaries.
context is a dimension of this small network and no language model's length: no
conclusion on what another model needs or whether a card has room for it.
A gap between these counters and a reading of the system alone proves no leak.
A failure in evaluation or export is not mended by a smaller training batch.
A partial peak is not the need: the failed phase shows its last values.
Waiting at phase boundaries can change the usual overlap: --unsynchronised runs
the whole loop once more without them.
? 6
$ zirve measure --emulate 4090,fault=copy@1 --json | grep -E '"(outcome|failed_phase|message|name)"'
  "outcome": "partial",
        "name": "cuda:0",
      "outcome": "partial",
      "failed_phase": "inputs",
      "message": "cuMemcpyHtoD_v2 says 700, an illegal memory access was encountered",
          "name": "model_load",
          "message": null
          "name": "inputs",
          "message": "cuMemcpyHtoD_v2 says 700, an illegal memory access was encountered"
$ zirve measure --emulate 4090,fault=lost@12 | grep -A1 FAILED
  FAILED in warmup: cuLaunchKernel says 46, device is lost

# The result goes into a file, the table to standard output; an existing file is refused.
$ zirve measure --emulate 4090 -o $TMP/measures.json | tail -n 3; head -n 4 $TMP/measures.json
cold_forward is not the start of a server.
Waiting at phase boundaries can change the usual overlap: --unsynchronised runs
the whole loop once more without them.
{
  "schema": "zirve.measure/1",
  "zirve": "0.1.0",
  "known": "emulated",
$ zirve measure --emulate 4090 -o $TMP/measures.json
zirve measure: TMP/measures.json: exists already and is not overwritten
? 3
# Several devices, several processes, the whole loop.
$ zirve measure --emulate 4090 --emulate 24GB,vmm=no --device cuda:0,hip:1 --series 2 --unsynchronised --empty-cache between
batch 1, context 16, width 64, depth 2, float32: 8320 parameters, 33280 bytes;
inference; warmup 1, repeats 2; empty_cache between phases

cuda:0 RTX 4090, EMULATED by zirve-emulate 0.1.0; CUDA driver 13000; 23.51 GiB
  (25.25 GB); compute capability 8.9
  allocator: zirve, policy caching, profile torch-2.14, settings none; the
  device has virtual memory management
  kernels: unchecked: emulated

  bytes                           allocated      |                reserved      
  phase                      peak     at its end |           peak     at its end
  model_load               33,792         33,792 |      2,097,152      2,097,152
  inputs                   37,888         37,888 |      2,097,152      2,097,152
  cold_forward             46,080         37,888 |      2,097,152      2,097,152
  warmup                   46,080         37,888 |      2,097,152      2,097,152
  warm_forward x2          46,080         37,888 |      2,097,152      2,097,152

  free on the device: 25,246,564,352 before, 25,244,467,200 after

cuda:1 24GB, EMULATED by zirve-emulate 0.1.0; HIP driver 70000000; 22.35 GiB
  (24.00 GB)
  allocator: zirve, policy caching, profile torch-2.14, settings none; plain
  allocations: no virtual memory management
  kernels: unchecked: emulated

  bytes                           allocated      |                reserved      
  phase                      peak     at its end |           peak     at its end
  model_load               33,792         33,792 |      2,097,152      2,097,152
  inputs                   37,888         37,888 |      2,097,152      2,097,152
  cold_forward             46,080         37,888 |      2,097,152      2,097,152
  warmup                   46,080         37,888 |      2,097,152      2,097,152
  warm_forward x2          46,080         37,888 |      2,097,152      2,097,152

  free on the device: 24,000,000,000 before, 23,997,902,848 after

cuda:0: the whole loop without phase boundaries, in a process of its own
                         allocated peak |      reserved peak | time
  whole loop                     46,080 |          2,097,152 | unknown
  the phases above               46,080 |          2,097,152 | unknown

cuda:1: the whole loop without phase boundaries, in a process of its own
                         allocated peak |      reserved peak | time
  whole loop                     46,080 |          2,097,152 | unknown
  the phases above               46,080 |          2,097,152 | unknown

  process     batch context width             allocated peak |   reserved peak
    1 cuda:0  1 x 16 x 64          complete           46,080 |       2,097,152
    1 cuda:1  1 x 16 x 64          complete           46,080 |       2,097,152
    2 cuda:0  1 x 16 x 64          complete           46,080 |       2,097,152
    2 cuda:1  1 x 16 x 64          complete           46,080 |       2,097,152

Emulated: the counters of the allocator on a card that is not there. Nothing was
computed and nothing was timed; no card was measured.
allocated and reserved are two counters of the same memory: they are not added.
A peak is the largest value since its phase began; the difference of two peaks
is no difference at one instant, and peak less baseline is not the volume of
temporaries.
context is a dimension of this small network and no language model's length: no
conclusion on what another model needs or whether a card has room for it.
A gap between these counters and a reading of the system alone proves no leak.
cold_forward is not the start of a server.
empty_cache frees no live tensor, and calling it between phases changed the
conditions: compare with nothing that did not.
Repeats within one process are no new processes; their order is as listed.
Each device has its own readings: several GPUs are not one pool.
HIP answers here; PyTorch calls such a device torch.cuda too.
# A search: every try a process of its own.
$ zirve measure --emulate 1GiB --width 4096 --search batch --batch 16 | sed -n '/^ *process/,$p'
  process     batch context width             allocated peak |   reserved peak
    1 cuda:0  16 x 16 x 4096       complete      146,833,408 |     157,286,400
    2 cuda:0  32 x 16 x 4096       complete      159,416,320 |     178,257,920
    3 cuda:0  64 x 16 x 4096       complete      184,582,144 |     186,646,528
    4 cuda:0  128 x 16 x 4096      complete      234,913,792 |     236,978,176
    5 cuda:0  256 x 16 x 4096      complete      335,577,088 |     337,641,472
    6 cuda:0  512 x 16 x 4096      complete      536,903,680 |     538,968,064
    7 cuda:0  1024 x 16 x 4096     complete      939,556,864 |     941,621,248
    8 cuda:0  2048 x 16 x 4096     FAILED        671,121,408 |     673,185,792
  FAILED in cold_forward: out of memory: 536870912 bytes asked for; allocated
  671121408, reserved 673185792, free on the device 400556032 of 1073741824
    9 cuda:0  1536 x 16 x 4096     FAILED        939,556,864 |     941,621,248
  FAILED in cold_forward: out of memory: 402653184 bytes asked for; allocated
  939556864, reserved 941621248, free on the device 132120576 of 1073741824
   10 cuda:0  1280 x 16 x 4096     FAILED        805,339,136 |     807,403,520
  FAILED in cold_forward: out of memory: 335544320 bytes asked for; allocated
  805339136, reserved 807403520, free on the device 266338304 of 1073741824
   11 cuda:0  1152 x 16 x 4096     complete    1,040,220,160 |   1,042,284,544
   12 cuda:0  1216 x 16 x 4096     FAILED        771,784,704 |     773,849,088
  FAILED in cold_forward: out of memory: 318767104 bytes asked for; allocated
  771784704, reserved 773849088, free on the device 299892736 of 1073741824
   13 cuda:0  1184 x 16 x 4096     complete    1,065,385,984 |   1,067,450,368
   14 cuda:0  1200 x 16 x 4096     FAILED        763,396,096 |     765,460,480
  FAILED in cold_forward: out of memory: 314572800 bytes asked for; allocated
  763396096, reserved 765460480, free on the device 308281344 of 1073741824
   15 cuda:0  1192 x 16 x 4096     complete    1,071,677,440 |   1,073,741,824
   16 cuda:0  1196 x 16 x 4096     FAILED        763,396,096 |     765,460,480
  FAILED in cold_forward: out of memory: 313524224 bytes asked for; allocated
  763396096, reserved 765460480, free on the device 308281344 of 1073741824
   17 cuda:0  1194 x 16 x 4096     FAILED        760,250,368 |     765,460,480
  FAILED in cold_forward: out of memory: 312999936 bytes asked for; allocated
  760250368, reserved 765460480, free on the device 308281344 of 1073741824
   18 cuda:0  1193 x 16 x 4096     FAILED        759,726,080 |     765,460,480
  FAILED in cold_forward: out of memory: 312737792 bytes asked for; allocated
  759726080, reserved 765460480, free on the device 308281344 of 1073741824

batch: 1192 is the largest that passed, 1193 the smallest that failed

Emulated: the counters of the allocator on a card that is not there. Nothing was
computed and nothing was timed; no card was measured.
allocated and reserved are two counters of the same memory: they are not added.
A peak is the largest value since its phase began; the difference of two peaks
is no difference at one instant, and peak less baseline is not the volume of
temporaries.
context is a dimension of this small network and no language model's length: no
conclusion on what another model needs or whether a card has room for it.
A gap between these counters and a reading of the system alone proves no leak.
cold_forward is not the start of a server.
A partial peak is not the need: the failed phase shows its last values.
Waiting at phase boundaries can change the usual overlap: --unsynchronised runs
the whole loop once more without them.
Repeats within one process are no new processes; their order is as listed.
$ zirve measure --emulate 100MiB --search width --json | grep -A 4 '"search"'
  "search": {
    "dimension": "width",
    "largest_passed": 3547,
    "smallest_failed": 3548
  },
$ zirve measure --emulate 4090,fault=launch@9 --search batch | grep -A1 '^batch: '
batch: nothing passed, 1 the smallest that failed; STOPPED by a failure that was
not for memory
$ zirve measure --emulate 10MiB --width 4096 --search batch | grep '^batch: '
batch: nothing passed, 1 the smallest that failed
# No GPU: nothing is written.
$ ZIRVE_LIBRARIES=/nonexistent zirve measure --device hip:0 -o $TMP/none.json; ls $TMP/none.json
zirve measure: no usable GPU: /nonexistent/libamdhip64.so is not there
ls: cannot access 'TMP/none.json': No such file or directory
? 2
$ ZIRVE_EMULATE_LIBRARY=/nonexistent.so zirve measure --emulate 4090
zirve measure: no usable GPU: /nonexistent.so is not there
? 2
# Mistakes.
$ zirve measure --width 0
zirve measure: --width 0: expected 1 to 1048576
? 64
$ zirve measure --dtype int8
zirve measure: --dtype int8: expected one of float32, float16, bfloat16
? 64
$ zirve measure --emulate nosuch
zirve measure: no card 'nosuch' in the table: 'zirve cards list' shows them; or give a size such as 24GB
? 3
$ zirve measure --emulate 4090 --device cuda:3
zirve measure: no usable GPU 3: the CUDA driver has 1
? 2
$ zirve measure --emulate 4090 --device cuda:0,cuda:0
zirve measure: --device cuda:0,cuda:0: cuda:0 is named twice
? 64
$ zirve measure --emulate 4090 --emulate T4 --device cuda:0,hip:0
zirve measure: --device cuda:0,hip:0: cuda:0 is named twice
? 64
$ zirve measure --device cuda:0,gpu
zirve measure: device 'gpu': expected cuda:N or hip:N, such as cuda:0
? 64
$ ZIRVE_LIBRARIES=/nonexistent zirve measure
zirve measure: no usable GPU: /nonexistent/libcuda.so.1 is not there, nor is libamdhip64.so
? 2
# The card's own capability, a card's without one that is known, one of two that were said.
$ for card in 4090 H100 MI300X 24GB 24GB,cc=9.0 4090,cc=7.5; do zirve measure --emulate "$card" --json | grep '"compute_capability'; done
        "compute_capability": "8.9",
        "compute_capability_assumed": false,
        "compute_capability": "9.0",
        "compute_capability_assumed": false,
        "compute_capability": "8.0",
        "compute_capability_assumed": true,
        "compute_capability": "8.0",
        "compute_capability_assumed": true,
        "compute_capability": "9.0",
        "compute_capability_assumed": false,
        "compute_capability": "7.5",
        "compute_capability_assumed": false,
$ zirve measure --emulate P100
zirve measure: model_load: compute capability 6.0: the kernels need 7.0 or later
? 4
$ zirve measure --emulate 4090,vmm=maybe
zirve measure: no usable GPU: cuInit says 100, no device is there: emulated card: vmm=maybe: expected yes or no
? 2
$ zirve measure --device gpu
zirve measure: device 'gpu': expected cuda:N or hip:N, such as cuda:0
? 64
$ zirve measure --emulate 4090 --alloc-conf nonsense
zirve measure: allocator setting nonsense: not known to torch-2.14 (expected key:value pairs, separated by commas)
? 3
$ zirve measure --emulate 4090,vmm=no --alloc-conf backend:cudaMallocAsync
zirve measure: a stream-ordered pool: the device has no virtual memory management
? 4
$ zirve measure --emulate 4090 --optimizer sgd
zirve measure: --optimizer is for training: add --train, or leave it out
? 64
$ zirve measure --emulate 4090,cc=6.1
zirve measure: model_load: compute capability 6.1: the kernels need 7.0 or later
? 4
$ zirve measure --emulate 4090 --search batch --series 2
zirve measure: --search makes a new process a try: without --series and --unsynchronised
? 64
$ zirve measure --torch 1.13
zirve measure: --torch 1.13: expected a version of PyTorch from 2.1 on
? 64
$ zirve measure mesures.json
zirve measure: 'mesures.json': measure takes options only
? 64
# Another card is another --emulate; a field that is none is no missing GPU.
$ zirve measure --emulate 4090,H100
zirve measure: --emulate 4090,H100: 'H100' is no FIELD=VALUE of docs/FORMATS.md; one more card is one more --emulate
? 64
$ zirve measure --emulate 4090,colour=red
zirve measure: --emulate 4090,colour=red: 'colour=red' is no FIELD=VALUE of docs/FORMATS.md; one more card is one more --emulate
? 64
$ zirve measure --emulate 4090 --emulate H100 --device cuda:0,cuda:1 --unit MiB | grep -E "EMULATED|model_load"
cuda:0 RTX 4090, EMULATED by zirve-emulate 0.1.0; CUDA driver 13000; 24077.00
  model_load                 0.03           0.03 |           2.00           2.00
cuda:1 H100 80GB, EMULATED by zirve-emulate 0.1.0; CUDA driver 13000; 81090.56
  model_load                 0.03           0.03 |           2.00           2.00
