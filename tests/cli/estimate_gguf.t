# A GGUF file is sized by llama.cpp's rules: the cache of sliding layers apart, the embedding on the host.
$ cp $M/gguf/gemma3-4b-q4_k_m.gguf.header $TMP/gemma.gguf && chmod +w $TMP/gemma.gguf && truncate -s $(awk '$1 == "gemma3-4b-q4_k_m" { print $7 }' $M/expected_gguf.tsv) $TMP/gemma.gguf
$ zirve estimate $TMP/gemma.gguf --context 32k --card 3090
zirve: a GGUF file: llama.cpp's rules are taken; --runtime names another
zirve: no version given: the newest known, llama.cpp b10864
gemma3-4b-q4_k_m, family gemma3: 3,880,263,168 parameters
serve with llama.cpp b10864: 1 sequence of 32,768 tokens

GPU 0                                          GiB         GB  known
  weights                                     2.31       2.48  calculated
    output projection                         0.51       0.55
    norms                                  0.00137    0.00147
    attention                                 0.29       0.31
    MLP                                       1.51       1.62
  KV cache                                    0.63       0.67  calculated
    32768 cells in 1 stream, K f16, V f16
  KV cache, sliding layers                    0.17       0.18  calculated
    1536 cells: window and one micro-batch, K f16, V f16
  compute buffer                              0.51       0.54  assumed
    floor: (262208 vocabulary + 2560 hidden) x 512 tokens x 4 B; there is no
    closed form
  device context and libraries                0.28       0.30  assumed
    about, with lazy loading (pytorch/pytorch#107667)
  at least                                    3.11       3.34  nothing assumed
  expected                                    3.89       4.18  with assumptions

host memory                                    GiB         GB  known
  weights                                     0.51       0.55  calculated
  output buffer (pinned)                   0.00098    0.00105  calculated
    262208 values x 4 B x 1 sequence
  host compute buffer (pinned)                0.07       0.07  assumed
    floor: (32768 cells + 2560 hidden) x 512 tokens x 4 B, mask and embedding
    rows; layers on the host add to it
  loading: file pages (reclaimable)           2.31       2.48  not counted
    the file is mapped: pages of tensors that went to a card are not needed
    again, those of the host's weights are counted there
  at least                                    0.51       0.55  nothing assumed
  expected                                    0.58       0.62  with assumptions

RTX 3090
  23.58 GiB (25.32 GB); the one published reading of what a runtime sees
  FITS by calculation, with a margin of 19.69 GiB (21.14 GB). A calculation
  never proves that a job runs.

Assumed because it was not given:
  sequences at once: 1, not given
  micro-batch (n_ubatch): 512, the runtime's default

Not valid if:
  a sequence grows past 32768 tokens, or more than 1 run at once
  another version of the runtime, other kernels or attention backend
  the compute buffer is larger than its floor, as in most published starts
$ zirve estimate $TMP/gemma.gguf --context 32k --cache-type-k q8_0 --cache-type-v q8_0 --swa-full --unit MiB | grep cache
zirve: a GGUF file: llama.cpp's rules are taken; --runtime names another
zirve: no version given: the newest known, llama.cpp b10864
  KV cache                                             340.00  calculated
  KV cache, sliding layers                            1972.00  calculated
$ zirve estimate $TMP/gemma.gguf --context 32k --runtime llama.cpp@b99999999
zirve estimate: llama.cpp b99999999 is not a known version: the newest known is b10864
? 4
$ zirve estimate $TMP/gemma.gguf --context 32k --runtime llama.cpp@b99999999 --assume | sed -n 2p
zirve: llama.cpp b99999999 is not known: the rules of b10864 are assumed
serve with llama.cpp b10864: 1 sequence of 32,768 tokens
$ zirve estimate --command "llama-server -m $TMP/gemma.gguf -c 65536 -np 4 -ngl 20 -ub 1024" --card 3090 --unit MiB | head -40
zirve: no version given: the newest known, llama.cpp b10864
gemma3-4b-q4_k_m, family gemma3: 3,880,263,168 parameters
serve with llama.cpp b10864: 4 sequences of 16,384 tokens

GPU 0                                                     MiB  known
  weights                                             1558.69  calculated
    output projection                                  525.13
    norms                                                0.79
    attention                                          166.76
    MLP                                                866.02
  KV cache                                             768.00  calculated
    65536 cells in 4 streams, K f16, V f16
  KV cache, sliding layers                             512.00  calculated
    8192 cells: window and one micro-batch, K f16, V f16
  compute buffer                                      1034.25  assumed
    floor: (262208 vocabulary + 2560 hidden) x 1024 tokens x 4 B; there is no
    closed form
  device context and libraries                         286.10  assumed
    about, with lazy loading (pytorch/pytorch#107667)
  at least                                            2838.69  nothing assumed
  expected                                            4159.04  with assumptions

host memory                                               MiB  known
  weights                                             1334.75  calculated
    token embedding                                    525.13
    norms                                                0.62
    attention                                          131.07
    MLP                                                677.93
  KV cache                                             512.00  calculated
    65536 cells in 4 streams, K f16, V f16
  KV cache, sliding layers                             416.00  calculated
    8192 cells: window and one micro-batch, K f16, V f16
  output buffer (pinned)                                 4.00  calculated
    262208 values x 4 B x 4 sequences
  host compute buffer (pinned)                         266.00  assumed
    floor: (65536 cells + 2560 hidden) x 1024 tokens x 4 B, mask and embedding
    rows; layers on the host add to it
  loading: file pages (reclaimable)                   2368.34  not counted
    the file is mapped: pages of tensors that went to a card are not needed
    again, those of the host's weights are counted there
  at least                                            2266.75  nothing assumed
$ truncate -s 1000 $TMP/gemma.gguf; zirve estimate $TMP/gemma.gguf
zirve estimate: TMP/gemma.gguf: byte 8: GGUF: 444 tensors cannot be in the 984 bytes that follow
? 3
$ printf 'GGUF\001\000\000\000' > $TMP/old.gguf; zirve estimate $TMP/old.gguf
zirve estimate: TMP/old.gguf: byte 4: GGUF version 1 (August 2023 only): versions 2 and 3 are read, convert the model again
? 4
