# The figures of the mission: 13.04, 17.04 and 19.04 GiB, 1 and 4 GiB of KV cache, 24 GB = 22.35 GiB.
$ zirve estimate --parameters 7000000000 --bits 16 --reserve-gib 4
7,000,000,000 values of 16 bits
  weights only           13.04 GiB (14.00 GB)       calculated
    7000000000 values x 16 bits
  reserve                4.00 GiB (4.29 GB)         assumed
    given by the user
  indicative envelope    17.04 GiB (18.29 GB)       assumed
$ zirve estimate --parameters 7000000000 --bits 16,8,4 --reserve-gib 6 --unit GiB
7,000,000,000 values of 16 bits
  weights only           13.04 GiB                  calculated
    7000000000 values x 16 bits
  reserve                6.00 GiB                   assumed
    given by the user
  indicative envelope    19.04 GiB                  assumed

7,000,000,000 values of 8 bits
  weights only           6.52 GiB                   calculated
    7000000000 values x 8 bits
  reserve                6.00 GiB                   assumed
    given by the user
  indicative envelope    12.52 GiB                  assumed

7,000,000,000 values of 4 bits
  weights only           3.26 GiB                   assumed
    7000000000 values x 4 bits, uniform storage assumed (no scales, nothing kept
    wider)
  reserve                6.00 GiB                   assumed
    given by the user
  indicative envelope    9.26 GiB                   assumed
$ zirve estimate --layers 32 --kv-heads 8 --head-dim 128 --context 8192 --kv-bits 16 --sequences 1,4
by hand
  KV cache               1.00 GiB (1.07 GB)         calculated
    2 (K and V) x 32 layers x 8 KV heads x 128 x 8192 tokens x 16 bits x 1
    sequence

by hand
  KV cache               4.00 GiB (4.29 GB)         calculated
    2 (K and V) x 32 layers x 8 KV heads x 128 x 8192 tokens x 16 bits x 4
    sequences
$ zirve estimate --parameters 7e9 --bits 16 --reserve-gib 4 --card 16GB
zirve: 16GB is taken literally; a real card of that name allows less or more
7,000,000,000 values of 16 bits
  weights only           13.04 GiB (14.00 GB)       calculated
    7000000000 values x 16 bits
  reserve                4.00 GiB (4.29 GB)         assumed
    given by the user
  indicative envelope    17.04 GiB (18.29 GB)       assumed
  16GB: 14.90 GiB (16.00 GB); size given by hand, taken literally; a real card
  of that name allows less or more. Cannot tell by calculation, 2.14 GiB (2.29
  GB) missing.
? 6
$ zirve estimate --parameters 7e9 --bits 16 --card 4090 --json
{
  "schema": "zirve.estimate/1",
  "formats": [
    {
      "parameters": 7000000000,
      "bits": 16,
      "sequences": null,
      "items": [
        {
          "id": "weights",
          "name": "weights only",
          "group": "weights",
          "scope": 0,
          "phase": null,
          "bytes": 14000000000,
          "known": "calculated",
          "basis": "7000000000 values x 16 bits"
        }
      ],
      "totals": [
        {
          "scope": 0,
          "devices": [
            0,
            0
          ],
          "role": "",
          "at_least_bytes": 14000000000,
          "expected_bytes": 14000000000,
          "phase": null,
          "unknown": []
        }
      ],
      "fit": {
        "card": "RTX 4090",
        "capacity_low_bytes": 25246564352,
        "capacity_high_bytes": 25426206392,
        "capacity_known": "measured",
        "capacity_basis": "lowest of 4 published readings of what a runtime sees",
        "unified": false,
        "usable_bytes": 25246564352,
        "verdict": "fits",
        "by": "calculation",
        "scope": 0,
        "margin_bytes": 11246564352
      }
    }
  ]
}
$ zirve estimate --parameters 7e9 --bits 0
zirve estimate: --bits 0: expected whole numbers above 0, at most 16
? 64
$ zirve estimate --parameters 18446744073709551615 --bits 64
zirve estimate: the weights pass 2^64 bytes
? 3
$ zirve estimate --layers 32
zirve estimate: a KV cache by hand needs --layers, --kv-heads, --head-dim and --context
? 64
$ zirve estimate --parameters 7e9 --bits 16 --item a=15000000TiB --item b=15000000TiB
zirve estimate: the reserve passes 2^64 bytes
? 3
