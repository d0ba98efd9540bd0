# Published figures against the formulas: none may be off.
$ zirve selftest | tail -n 1
399 exact, 101 within 3 %, 0 off, 511 unchecked
$ zirve selftest | grep -E '^  (kv_cache|kv_tokens|gpu_blocks|state) '
  gpu_blocks                            5      0      0         4      0.00 %
  kv_cache                             80      0      0         0      0.00 %
  kv_tokens                            15      0      0         6      0.00 %
  state                                 2      0      0         0      0.00 %
$ zirve selftest --json | head -n 8
{
  "schema": "zirve.selftest/1",
  "counts": {
    "exact": 399,
    "within": 101,
    "off": 0,
    "unchecked": 511
  },
$ zirve selftest -v | grep -A 2 'vllm_start-025 kv_tokens'
vllm_start-025 kv_tokens: exact
    predicted 130288..130320, measured 130304 tokens; given the measured free
    memory
$ zirve selftest -v | grep -A 2 -E 'training_peak-0(12|15) '
training_peak-012 step_peak: exact
    predicted 14.14, measured 14.14 GB; a step of litgpt run op by op (litgpt
    LoRA)
--
training_peak-015 step_peak: exact
    predicted OOM, measured OOM; a step of litgpt run op by op (litgpt LoRA)

$ echo '{"id":"a","kind":"llamacpp_load","model":"m","arch":"llama","config":{"layers":2,"kv_heads":2,"head_dim":64},"runtime":"llama.cpp","version":"b8101","settings":{"n_ctx":1024},"measured":{"kv":"KV self size = 9.00 MiB"},"citable":true}' | zirve selftest -
item                                exact within    off unchecked   worst error
  kv_cache                              0      0      1         0     88.89 %

runtime                             exact within    off unchecked   worst error
  llama.cpp                             0      0      1         0     88.89 %

architecture                        exact within    off unchecked   worst error
  llama                                 0      0      1         0     88.89 %

a kv_cache: off
    predicted 1.00, measured 9.00 MiB

0 exact, 0 within 3 %, 1 off, 0 unchecked
? 1
$ echo '{"id":"a"' | zirve selftest -
zirve selftest: -: line 1: byte 9: JSON: unexpected end
? 3
$ zirve selftest /no/such/file
zirve selftest: /no/such/file: cannot be opened: No such file or directory
? 3
$ zirve selftest | grep -E '^  fair set'
  fair set: training                       58   0.07 %   0.41 %   0.73 % 8 of 8
  fair set: inference                      49   0.04 %   0.67 %   3.70 % 3 of 3
