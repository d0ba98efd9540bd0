# Names as people write them; three sizes kept apart; unknown stays unknown.
$ zirve cards show 4090
RTX 4090 (NVIDIA)

  nominal   24 GB = 22.35 GiB   vendor data sheet
  driver    23.99 GiB (25.76 GB)
            printed "24564 MiB" by nvidia-smi
            source: vllm-project/vllm#7768
  runtime   23.51 GiB (25.25 GB)
            printed "24077 MiB" by llama.cpp breakdown total
            source: ggml-org/llama.cpp tools/fit-params README
  runtime   23.64 GiB (25.38 GB)
            printed "23.64 GiB" by torch OOM total capacity
            source: 3DTopia/Phidias-Diffusion#8
  runtime   23.65 GiB (25.39 GB)
            printed "23.65 GiB" by torch OOM total capacity
            source: TRI-ML/packnet-sfm#250
  runtime   23.68 GiB (25.43 GB)
            printed "23.68 GiB" by torch OOM total capacity
            source: zai-org/CogVideo#36
  compute   capability 8.9, 128 multiprocessors of 1536 threads
            source: data sheet: 16384 CUDA cores, 128 a multiprocessor
$ zirve cards show NVIDIA GeForce RTX 4090 --json
{
  "schema": "zirve.cards/1",
  "cards": [
    {
      "name": "RTX 4090",
      "vendor": "NVIDIA",
      "nominal_bytes": 24000000000,
      "nominal_source": "vendor data sheet",
      "unified": false,
      "driver_bytes": [
        25757220864,
        25757220864
      ],
      "runtime_bytes": [
        25246564352,
        25426206392
      ],
      "compute_capability": "8.9",
      "multiprocessors": 128,
      "threads_per_multiprocessor": 1536,
      "compute_source": "data sheet: 16384 CUDA cores, 128 a multiprocessor",
      "readings": [
        {
          "kind": "driver",
          "bytes": 25757220864,
          "printed": "24564 MiB",
          "by": "nvidia-smi",
          "source": "vllm-project/vllm#7768"
        },
        {
          "kind": "runtime",
          "bytes": 25246564352,
          "printed": "24077 MiB",
          "by": "llama.cpp breakdown total",
          "source": "ggml-org/llama.cpp tools/fit-params README"
        },
        {
          "kind": "runtime",
          "bytes": 25383256719,
          "printed": "23.64 GiB",
          "by": "torch OOM total capacity",
          "source": "3DTopia/Phidias-Diffusion#8"
        },
        {
          "kind": "runtime",
          "bytes": 25393994138,
          "printed": "23.65 GiB",
          "by": "torch OOM total capacity",
          "source": "TRI-ML/packnet-sfm#250"
        },
        {
          "kind": "runtime",
          "bytes": 25426206392,
          "printed": "23.68 GiB",
          "by": "torch OOM total capacity",
          "source": "zai-org/CogVideo#36"
        }
      ]
    }
  ]
}
$ zirve cards show RTX4090 --unit MiB
RTX 4090 (NVIDIA)

  nominal   24 GB = 22.35 GiB   vendor data sheet
  driver    24564.00 MiB
            printed "24564 MiB" by nvidia-smi
            source: vllm-project/vllm#7768
  runtime   24077.00 MiB
            printed "24077 MiB" by llama.cpp breakdown total
            source: ggml-org/llama.cpp tools/fit-params README
  runtime   24207.36 MiB
            printed "23.64 GiB" by torch OOM total capacity
            source: 3DTopia/Phidias-Diffusion#8
  runtime   24217.60 MiB
            printed "23.65 GiB" by torch OOM total capacity
            source: TRI-ML/packnet-sfm#250
  runtime   24248.32 MiB
            printed "23.68 GiB" by torch OOM total capacity
            source: zai-org/CogVideo#36
  compute   capability 8.9, 128 multiprocessors of 1536 threads
            source: data sheet: 16384 CUDA cores, 128 a multiprocessor
$ zirve cards show 24GB
24GB (by hand)

  nominal   24 GB = 22.35 GiB   given by hand
  driver    unknown
  runtime   unknown
  compute   unknown
$ zirve cards show T4
T4 (NVIDIA)

  nominal   16 GB = 14.90 GiB   vendor data sheet
  driver    15.00 GiB (16.11 GB)
            printed "15360 MiB" by nvidia-smi
            source: modal-labs/modal-client#2797
  runtime   unknown
  compute   capability 7.5, 40 multiprocessors of 1024 threads
            source: data sheet: 2560 CUDA cores, 64 a multiprocessor
$ zirve cards show H800 | tail -n 2
  compute   capability 9.0, an unknown number of multiprocessors of 2048 threads
            source: Hopper: 9.0 in the CUDA programming guide
$ zirve cards show H800 --json | grep -E "compute|multiproc"
      "compute_capability": "9.0",
      "multiprocessors": null,
      "threads_per_multiprocessor": 2048,
      "compute_source": "Hopper: 9.0 in the CUDA programming guide",
$ zirve cards show MI300X --json | grep -E "compute|multiproc"
      "compute_capability": null,
      "multiprocessors": null,
      "threads_per_multiprocessor": null,
      "compute_source": null,
$ zirve cards show A100
zirve cards: card 'A100' could be: A100 80GB, A100 40GB
? 64
$ zirve cards show RTX 6000
zirve cards: card 'RTX 6000' could be: RTX PRO 6000 Blackwell, RTX 6000 Ada, Quadro RTX 6000
? 64
$ zirve cards show nosuch
zirve cards: no card 'nosuch' in the table: 'zirve cards list' shows them; or give a size such as 24GB
? 3
$ zirve cards 24GB
24GB (by hand)

  nominal   24 GB = 22.35 GiB   given by hand
  driver    unknown
  runtime   unknown
  compute   unknown
$ zirve cards list a100
zirve cards: list takes no name: 'zirve cards a100' shows one card
? 64
$ zirve cards frobnicate
zirve cards: no card 'frobnicate' in the table: 'zirve cards list' shows them; or give a size such as 24GB
? 3
$ zirve cards list --json | grep -c '"name"'
139
$ mkdir -p $TMP/none/zirve && printf 'name\tnominal\nMy Card\t10GB\n' >$TMP/none/zirve/cards.tsv && zirve cards show my card
My Card ()

  nominal   10 GB = 9.31 GiB   
  driver    unknown
  runtime   unknown
  compute   unknown
$ printf 'name\tnominal\nMy Card\tlots\n' >$TMP/none/zirve/cards.tsv; zirve cards show my card; rm -r $TMP/none
zirve cards: TMP/none/zirve/cards.tsv: line 2: column nominal: expected a size such as 24GB
$ zirve cards -o $TMP/result && zirve cards -o $TMP/result
zirve cards: TMP/result: exists already and is not overwritten
? 3
