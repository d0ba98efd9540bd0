# The seeds' example: two candidates to verify, not admissible ones.
$ zirve choose tests/data/decide/job.yaml --offers tests/data/decide/offers.csv --today 2026-11-29
tests/data/decide/job.yaml
  needed of one card: 19.04 GiB (20.44 GB) expected, at least 13.04 GiB (14.00
  GB); calculated from the job file. Cards: 1.
  for 3 days; as of 2026-11-29

to verify: 2

1. 1 x RTX 4090, 47.14 USD  tests/data/decide/offers.csv line 2
     usable 23.51 GiB (25.25 GB) (lowest of 4 published readings of what a
     runtime sees); margin 4.47 GiB (4.80 GB); first day unknown
     memory         to verify   no reading of a run on this card; calculated:
                                19.04 GiB of 23.51 GiB
     load           to verify   no run of the declared load on this card
                                (context 8192, concurrency 4)
     compatibility  to verify   no run on this card with the job's driver,
                                backend and extensions
     quality        to verify   no quality criterion with its minimum, and no
                                evaluation

2. 1 x RTX 6000 Ada, 55.71 USD  tests/data/decide/offers.csv line 3
     usable 47.37 GiB (50.86 GB) (the one published reading of what a runtime
     sees); margin 28.33 GiB (30.42 GB); first day unknown
     memory         to verify   no reading of a run on this card; calculated:
                                19.04 GiB of 47.37 GiB
     load           to verify   no run of the declared load on this card
                                (context 8192, concurrency 4)
     compatibility  to verify   no run on this card with the job's driver,
                                backend and extensions
     quality        to verify   no quality criterion with its minimum, and no
                                evaluation

In order of total cost, then margin, then first day. Prices make no order of
speed; a calculation, a nominal size or declared stock proves nothing that runs.
? 6
$ zirve choose tests/data/decide/job.yaml --offers tests/data/decide/offers.csv --today 2026-11-29 --json
{
  "schema": "zirve.choose/1",
  "subject": "tests/data/decide/job.yaml",
  "today": "2026-11-29",
  "days": 3,
  "required": {
    "at_least_bytes": 14000000000,
    "expected_bytes": 20442450944,
    "variation_bytes": 0,
    "unknown_items": 0,
    "devices": 1,
    "source": "calculated from the job file",
    "variations": []
  },
  "counts": {
    "admissible": 0,
    "to_verify": 2,
    "excluded": 0,
    "rows_without_card": 0,
    "rows_without_price": 0
  },
  "candidates": [
    {
      "state": "to verify",
      "rank": 1,
      "cost_nano": 47140000000,
      "currency": "USD",
      "usable_bytes": 25246564352,
      "usable_basis": "lowest of 4 published readings of what a runtime sees",
      "margin_bytes": 4804113408,
      "offer": {
        "id": "",
        "card": "RTX 4090",
        "count": 1,
        "price": "47.14 USD",
        "batch_days": 3,
        "memory_bytes": 24000000000,
        "host_ram_bytes": null,
        "available": null,
        "valid_until": null,
        "region": "",
        "document": "catalog page",
        "document_date": "2026-11-20",
        "file": "tests/data/decide/offers.csv",
        "line": 2
      },
      "needs": [
        {
          "need": "memory",
          "strength": "mandatory",
          "limit": null,
          "state": "to verify",
          "why": "no reading of a run on this card; calculated: 19.04 GiB of 23.51 GiB",
          "proof": null
        },
        {
          "need": "load",
          "strength": "mandatory",
          "limit": null,
          "state": "to verify",
          "why": "no run of the declared load on this card (context 8192, concurrency 4)",
          "proof": null
        },
        {
          "need": "compatibility",
          "strength": "mandatory",
          "limit": null,
          "state": "to verify",
          "why": "no run on this card with the job's driver, backend and extensions",
          "proof": null
        },
        {
          "need": "quality",
          "strength": "mandatory",
          "limit": null,
          "state": "to verify",
          "why": "no quality criterion with its minimum, and no evaluation",
          "proof": null
        }
      ]
    },
    {
      "state": "to verify",
      "rank": 2,
      "cost_nano": 55710000000,
      "currency": "USD",
      "usable_bytes": 50864324608,
      "usable_basis": "the one published reading of what a runtime sees",
      "margin_bytes": 30421873664,
      "offer": {
        "id": "",
        "card": "RTX 6000 Ada",
        "count": 1,
        "price": "55.71 USD",
        "batch_days": 3,
        "memory_bytes": 48000000000,
        "host_ram_bytes": null,
        "available": null,
        "valid_until": null,
        "region": "",
        "document": "catalog page",
        "document_date": "2026-11-20",
        "file": "tests/data/decide/offers.csv",
        "line": 3
      },
      "needs": [
        {
          "need": "memory",
          "strength": "mandatory",
          "limit": null,
          "state": "to verify",
          "why": "no reading of a run on this card; calculated: 19.04 GiB of 47.37 GiB",
          "proof": null
        },
        {
          "need": "load",
          "strength": "mandatory",
          "limit": null,
          "state": "to verify",
          "why": "no run of the declared load on this card (context 8192, concurrency 4)",
          "proof": null
        },
        {
          "need": "compatibility",
          "strength": "mandatory",
          "limit": null,
          "state": "to verify",
          "why": "no run on this card with the job's driver, backend and extensions",
          "proof": null
        },
        {
          "need": "quality",
          "strength": "mandatory",
          "limit": null,
          "state": "to verify",
          "why": "no quality criterion with its minimum, and no evaluation",
          "proof": null
        }
      ]
    }
  ]
}
? 6
# A calculation fits, yet proves nothing; a run of the declared load and an evaluation do. A tie is said; a preference decides nothing; currencies are lists of their own.
$ zirve choose tests/data/decide/job-quality.yaml --offers tests/data/decide/offers-dated.csv --evidence tests/data/decide/proven.yaml --today 2026-11-29
tests/data/decide/job-quality.yaml
  needed of one card: 19.04 GiB (20.44 GB) expected, at least 13.04 GiB (14.00
  GB); calculated from the job file. Cards: 1.
  margin for longer input: 512.00 MiB (536.87 MB), measured, run-1
  margin for other users of the card: 300.00 MiB (314.57 MB), assumed
  margin for export: 64.00 MiB (67.11 MB), assumed: no document of a run is
  called run-7
  for 3 days; as of 2026-11-29

admissible: 2

1 tied. 1 x RTX 4090, 47.14 USD  a eu tests/data/decide/offers-dated.csv line 2
     usable 23.64 GiB (25.38 GB) (as the device of the proven run reported it);
     margin 2.67 GiB (2.87 GB); first day 2026-12-01
     memory         admissible  proven by run-1 (runs/4090.json, version 1)
     load           admissible  proven by run-1 (runs/4090.json, version 1)
     compatibility  admissible  proven by run-1 (runs/4090.json, version 1)
     quality        admissible  proven by eval-1 (eval/report.pdf, version 3)
     price          admissible  stated by the offer (offer 17)
     delivery       admissible  stated by the offer (offer 17)
     interconnect   to verify   no document states it (a preference)

1 tied. 1 x RTX 4090, 47.14 USD  d us tests/data/decide/offers-dated.csv line 5
     usable 23.64 GiB (25.38 GB) (as the device of the proven run reported it);
     margin 2.67 GiB (2.87 GB); first day 2026-12-01
     memory         admissible  proven by run-1 (runs/4090.json, version 1)
     load           admissible  proven by run-1 (runs/4090.json, version 1)
     compatibility  admissible  proven by run-1 (runs/4090.json, version 1)
     quality        admissible  proven by eval-1 (eval/report.pdf, version 3)
     price          admissible  stated by the offer (offer 20)
     delivery       admissible  stated by the offer (offer 20)
     interconnect   to verify   no document states it (a preference)

to verify: 1

1. 2 x RTX 4090, 60.00 EUR  c eu tests/data/decide/offers-dated.csv line 4
     usable 23.64 GiB (25.38 GB) (as the device of the proven run reported it);
     margin 2.67 GiB (2.87 GB); first day 2026-12-02
     memory         admissible  proven by run-1 (runs/4090.json, version 1)
     load           admissible  proven by run-1 (runs/4090.json, version 1)
     compatibility  admissible  proven by run-1 (runs/4090.json, version 1)
     quality        admissible  proven by eval-1 (eval/report.pdf, version 3)
     price          to verify   the cost is in EUR, the limit in USD (--rate
                                joins them)
     delivery       admissible  stated by the offer (offer "19")
     interconnect   to verify   no document states it (a preference)

excluded: 1

1. 1 x RTX 6000 Ada, 55.71 USD  b eu tests/data/decide/offers-dated.csv line 3
     usable 47.37 GiB (50.86 GB) (the one published reading of what a runtime
     sees); margin 27.48 GiB (29.50 GB); first day 2026-12-20
     price          excluded    the offer itself misses 50 USD
     delivery       excluded    the offer itself misses 2026-12-15

In order of total cost, then margin, then first day. Prices make no order of
speed; a calculation, a nominal size or declared stock proves nothing that runs.
$ zirve choose tests/data/decide/job-quality.yaml --offers tests/data/decide/offers-dated.csv --evidence tests/data/decide/proven.yaml --today 2026-11-29 --rate EUR:USD=1.05 | grep '^[0-9]'
1 tied. 1 x RTX 4090, 47.14 USD  a eu tests/data/decide/offers-dated.csv line 2
1 tied. 1 x RTX 4090, 47.14 USD  d us tests/data/decide/offers-dated.csv line 5
1. 1 x RTX 6000 Ada, 55.71 USD  b eu tests/data/decide/offers-dated.csv line 3
2. 2 x RTX 4090, 63.00 USD  c eu tests/data/decide/offers-dated.csv line 4
# The documents have run out.
$ zirve choose tests/data/decide/job-quality.yaml --offers tests/data/decide/offers-dated.csv --evidence tests/data/decide/proven.yaml --today 2027-03-01 --days 3
zirve choose: tests/data/decide/job-quality.yaml: line 9: column 18: delivery.by: expected a date such as 2026-12-15, not before today
? 3
$ sed s/2026-12/2027-12/g tests/data/decide/offers-dated.csv >$TMP/later.csv; sed s/2026-12/2027-12/g tests/data/decide/job-quality.yaml >$TMP/later.yaml; zirve choose $TMP/later.yaml --offers $TMP/later.csv --evidence tests/data/decide/proven.yaml --today 2027-03-01 --top 1 | grep 'no proof' -A 1
     memory         to verify   run-1 is no proof: not current: it was valid
                                until 2027-02-28
     load           to verify   run-1 is no proof: not current: it was valid
                                until 2027-02-28
     compatibility  to verify   run-1 is no proof: not current: it was valid
                                until 2027-02-28
# What is no proof, and why.
$ for f in cut partial shorter silent other pair small sum sheet shelf wish dry; do zirve choose tests/data/decide/job.yaml --offers tests/data/decide/offers.csv --evidence tests/data/decide/refused-$f.yaml --today 2026-11-29 --json | grep -m 1 'no proof'; done
          "why": "cut is no proof: the run cut its data: another load",
          "why": "partial is no proof: the run is partial: its peak is not the need",
          "why": "shorter is no proof: another load: context 4096 processed, 8192 declared",
          "why": "silent is no proof: it does not say how much concurrency was processed; declared 4",
          "why": "other is no proof: on another revision: r2, the job's is r1",
          "why": "pair is no proof: run on 2 cards, the job's layout takes 1",
          "why": "small is no proof: the lab exercise runs a small network, not the job",
          "why": "sum is no proof: a calculation proves no run",
          "why": "sheet is no proof: a nominal capacity proves nothing that runs",
          "why": "shelf is no proof: declared stock proves no delivery",
          "why": "wish is no proof: an environment asked for proves no installation",
          "why": "dry is no proof: an emulated run proves no real one",
# A proven failure excludes; the other card stays to be verified.
$ zirve choose tests/data/decide/job.yaml --offers tests/data/decide/offers.csv --evidence tests/data/decide/failed.yaml --today 2026-11-29 | tail -n 14
                                evaluation

excluded: 1

1. 1 x RTX 4090, 47.14 USD  tests/data/decide/offers.csv line 2
     usable 23.51 GiB (25.25 GB) (lowest of 4 published readings of what a
     runtime sees); margin 4.47 GiB (4.80 GB); first day unknown
     memory         excluded    run-9 shows that it fails in generation: CUDA
                                out of memory
     load           excluded    run-9 shows that it fails in generation: CUDA
                                out of memory

In order of total cost, then margin, then first day. Prices make no order of
speed; a calculation, a nominal size or declared stock proves nothing that runs.
# What cannot fit is excluded by calculation; several cards are no pool.
$ printf 'schema: zirve.job/1\nmodel: {parameters: 70e9, bits: 16}\ndays: 3\n' >$TMP/big.yaml; zirve choose $TMP/big.yaml --offers tests/data/decide/vms.csv --today 2026-11-29
TMP/big.yaml
  needed of one card: 130.39 GiB (140.00 GB) expected, at least 130.39 GiB
  (140.00 GB); calculated from the job file. Cards: 1.
  for 3 days; as of 2026-11-29

excluded: 3

1. 1 x A100-80GB, 136.08 USD  1x_A100-80GB CA tests/data/decide/vms.csv line 4
     usable 79.50 GiB (85.36 GB) (no reading of what a runtime sees: the
     driver's total less 512 MiB, the most that any card in the table falls
     short of its driver's total); margin 50.89 GiB (54.64 GB) missing; first
     day unknown
     memory         excluded    at least 130.39 GiB are needed of one card,
                                which gives at most 80.00 GiB

2. 1 x A100, 264.24 USD  g1 us-east tests/data/decide/vms.csv line 2
     usable 39.50 GiB (42.41 GB) (the one published reading of what a runtime
     sees); margin 90.89 GiB (97.59 GB) missing; first day unknown
     memory         excluded    at least 130.39 GiB are needed of one card,
                                which gives at most 39.50 GiB

3. 8 x V100, 1762.56 USD  p3 us-east tests/data/decide/vms.csv line 3
     usable 15.77 GiB (16.93 GB) (the one published reading of what a runtime
     sees); margin 114.62 GiB (123.07 GB) missing; first day unknown
     memory         excluded    at least 130.39 GiB are needed of one card,
                                which gives at most 15.77 GiB; several cards are
                                no pool without a layout (tp, pp)

Rows left out: 1 without a card, 1 without a price of this kind.
Rows whose MiB are GB, taken as such: 1.
In order of total cost, then margin, then first day. Prices make no order of
speed; a calculation, a nominal size or declared stock proves nothing that runs.
? 1
# A layout takes several cards.
$ printf 'schema: zirve.job/1\nmodel: {path: %s/llama-3.1-8b/config.json}\nestimate: {tp: 2, runtime: vllm@0.19.0}\nsizes: {context: 8192, concurrency: 4}\n' "$PWD/$M" >$TMP/tp.yaml; zirve choose $TMP/tp.yaml --offers tests/data/decide/vms.csv --days 3 --today 2026-11-29
TMP/tp.yaml
  needed of one card: 12.10 GiB (12.99 GB) expected, at least 9.48 GiB (10.18
  GB); calculated from the job file. Cards: 2.
  for 3 days; as of 2026-11-29

to verify: 1

1. 8 x V100, 1762.56 USD  p3 us-east tests/data/decide/vms.csv line 3
     usable 14.19 GiB (15.24 GB) (the one published reading of what a runtime
     sees); margin 2.09 GiB (2.25 GB); first day unknown
     memory         to verify   no reading of a run on this card; calculated:
                                12.10 GiB of 14.19 GiB
     load           to verify   no run of the declared load on this card
                                (context 8192, concurrency 4)
     compatibility  to verify   no run on this card with the job's driver,
                                backend and extensions
     quality        to verify   no quality criterion with its minimum, and no
                                evaluation

excluded: 2

1. 1 x A100-80GB, 136.08 USD  1x_A100-80GB CA tests/data/decide/vms.csv line 4
     usable 71.55 GiB (76.83 GB) (no reading of what a runtime sees: the
     driver's total less 512 MiB, the most that any card in the table falls
     short of its driver's total); margin 59.45 GiB (63.83 GB); first day
     unknown
     memory         excluded    the job's layout takes 2 cards, the offer has 1

2. 1 x A100, 264.24 USD  g1 us-east tests/data/decide/vms.csv line 2
     usable 35.55 GiB (38.17 GB) (the one published reading of what a runtime
     sees); margin 23.45 GiB (25.18 GB); first day unknown
     memory         excluded    the job's layout takes 2 cards, the offer has 1

Rows left out: 1 without a card, 1 without a price of this kind.
Rows whose MiB are GB, taken as such: 1.
In order of total cost, then margin, then first day. Prices make no order of
speed; a calculation, a nominal size or declared stock proves nothing that runs.
? 6
# Other people's catalogs.
$ zirve choose tests/data/decide/job.yaml --offers tests/data/decide/vms.csv --today 2026-11-29 --json | grep -E '"(card|cost_nano|memory_bytes|usable_bytes|count|rows.*)"'
    "rows_without_card": 1,
    "rows_without_price": 1
      "cost_nano": 136080000000,
      "usable_bytes": 85362475008,
        "card": "A100-80GB",
        "count": 1,
        "memory_bytes": 80000000000,
      "cost_nano": 264240000000,
      "usable_bytes": 42412802048,
        "card": "A100",
        "count": 1,
        "memory_bytes": 42949672960,
      "cost_nano": 1762560000000,
      "usable_bytes": 16932908564,
        "card": "V100",
        "count": 8,
        "memory_bytes": 17179869184,
$ zirve choose tests/data/decide/job.yaml --offers tests/data/decide/vms.csv --spot --today 2026-11-29 | grep '^[0-9]'
1. 4 x Trainium9, 14.40 USD  trn us-east tests/data/decide/vms.csv line 6
2. 1 x A100, 79.20 USD  g1 us-east tests/data/decide/vms.csv line 2
$ zirve choose tests/data/decide/job.yaml --offers tests/data/decide/gpuhunt.csv --offers tests/data/decide/vast.json --offers tests/data/decide/offers.yaml --today 2026-11-29 | grep -E '^[0-9]|usable|state|:'
  needed of one card: 19.04 GiB (20.44 GB) expected, at least 13.04 GiB (14.00
  GB); calculated from the job file. Cards: 1.
to verify: 5
1. 1 x RTX 4090, 23.04 USD  1001 Norway, NO tests/data/decide/vast.json line 2
     usable 23.51 GiB (25.25 GB) (lowest of 4 published readings of what a
     memory         to verify   no reading of a run on this card; calculated:
2. 1 x RTX4090, 31.68 USD  one eu tests/data/decide/gpuhunt.csv line 2
     usable 23.51 GiB (25.25 GB) (lowest of 4 published readings of what a
     memory         to verify   no reading of a run on this card; calculated:
3. 1 x RTX 4090, 46.50 USD  tests/data/decide/offers.yaml line 4
     usable 23.51 GiB (25.25 GB) (lowest of 4 published readings of what a
     memory         to verify   no reading of a run on this card; calculated:
4. 1 x L40S, 60.00 USD  tests/data/decide/offers.yaml line 3
     usable 44.49 GiB (47.77 GB) (no reading of what a runtime sees: the
     memory         to verify   no reading of a run on this card; calculated:
5. 1 x MI300X, 215.28 USD  mi eu tests/data/decide/gpuhunt.csv line 5
     usable 178.31 GiB (191.46 GB) (no reading of what a runtime sees: the
     memory         to verify   no reading of a run on this card; calculated:
excluded: 1
1. 2 x Odd Card, 7.20 USD  1002 tests/data/decide/vast.json line 3
     usable 12.00 GiB (12.88 GB) (as the offer states it; the card is not in the
Rows left out: 1 without a card, 1 without a price of this kind.
# A kept estimate has no declared load.
$ zirve estimate --parameters 7e9 --bits 16 --reserve-gib 6 --json -o $TMP/kept.json && zirve choose $TMP/kept.json --offers tests/data/decide/offers.csv --today 2026-11-29 | head -n 14
TMP/kept.json
  needed of one card: 19.04 GiB (20.44 GB) expected, at least 13.04 GiB (14.00
  GB); calculated, from the kept estimate. Cards: 1.
  for 3 days; as of 2026-11-29

to verify: 2

1. 1 x RTX 4090, 47.14 USD  tests/data/decide/offers.csv line 2
     usable 23.51 GiB (25.25 GB) (lowest of 4 published readings of what a
     runtime sees); margin 4.47 GiB (4.80 GB); first day unknown
     memory         to verify   no reading of a run on this card; calculated:
                                19.04 GiB of 23.51 GiB
     load           to verify   no load is declared (sizes: in a job file), so
                                none can run
# Bad input: one line with file, line, column.
$ printf 'card,days,price,currency\nRTX 4090,3,-1,USD\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 2: column price: '-1': expected a price that is not negative
? 3
$ printf 'card,days,price,currency\nRTX 4090,3,1,ZZZ\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 2: column currency: 'ZZZ': expected a currency's code such as USD or EUR
? 3
$ printf 'card,days,price\nRTX 4090,3,1\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 1: column currency is missing
? 3
$ printf 'card,days,price,currency,memory\n\nRTX 4090,3,1,USD,24\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 3: column memory: '24': expected a size with its unit such as 24GB or 64GiB
? 3
$ printf 'card,days,price,currency,memory\nRTX 4090,3,1,USD,24000GB\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 2: column memory: 24000.00 GB, but RTX 4090 has 24 GB: another unit, or another card
? 3
$ printf 'card,days,price,currency,memory\nRTX 4090,3,1,USD,24GB\nRTX 4090,3,1,USD,16GB\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 3: column memory: 16.00 GB, but RTX 4090 has 24 GB: another unit, or another card
? 3
$ printf 'instance_name,location,price,gpu_count,gpu_name,gpu_memory\none,eu,1,1,H100,64\ntwo,eu,1,1,L4,48\n' >$TMP/odd.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/odd.csv | grep -A3 usable
     usable 59.60 GiB (64.00 GB) (the smaller of two: the offer states 64.00 GB,
     H100 80GB has 80 GB); margin 40.57 GiB (43.56 GB); first day unknown
     memory         to verify   no reading of a run on this card; calculated:
                                19.04 GiB of 59.60 GiB
--
     usable 21.99 GiB (23.62 GB) (the smaller of two: the offer states 48.00 GB,
     L4 has 24 GB); margin 2.96 GiB (3.17 GB); first day unknown
     memory         to verify   no reading of a run on this card; calculated:
                                19.04 GiB of 21.99 GiB
$ printf 'card,days,price,currency,available\nRTX 4090,3,1,USD,2026-11-01\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv --today 2026-11-29
zirve choose: TMP/bad.csv: line 2: column available: '2026-11-01': expected a day not before 2026-11-29 (--today sets the day)
? 3
$ printf 'card,days,price,currency,document_date\nRTX 4090,3,1,USD,2026-12-01\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv --today 2026-11-29
zirve choose: TMP/bad.csv: line 2: column document_date: '2026-12-01': expected a day not after 2026-11-29 (--today sets the day)
? 3
$ printf 'card,days,price,currency,colour\nRTX 4090,3,1,USD,red\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 1: column names: 'colour': expected a column of docs/JOBS.md
? 3
$ printf 'card,days,price,currency\nRTX 4090,3,1\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 2: CSV: 3 cells, but the header names 4 columns
? 3
$ printf 'a,b\n1,2\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 1: no table of offers that is known: expected a column card (own), AcceleratorName (SkyPilot) or gpu_name (gpuhunt)
? 4
$ printf '{"offers": [{"gpu_ram": 1,\n "gpu_name": "x"}]}' >$TMP/bad.json; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.json
zirve choose: TMP/bad.json: line 1: expected an offer with gpu_name and num_gpus
? 3
$ printf '[\n{"gpu_ram": }]' >$TMP/bad.json; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.json
zirve choose: TMP/bad.json: line 2: JSON: missing value
? 3
$ printf 'AcceleratorName,AcceleratorCount,Price\nV100,1,-3\n' >$TMP/bad.csv; zirve choose tests/data/decide/job.yaml --offers $TMP/bad.csv
zirve choose: TMP/bad.csv: line 2: column Price: '-3': expected a price that is not negative
? 3
$ printf 'schema: zirve.job/1\nneeds: {memry: mandatory}\n' >$TMP/bad.yaml; zirve choose $TMP/bad.yaml --offers tests/data/decide/offers.csv
zirve choose: TMP/bad.yaml: line 2: column 16: 'memry' is no need: expected memory, load, compatibility, quality, price, delivery, host_ram, environment, interconnect, latency or region
? 3
$ printf 'schema: zirve.job/1\nneeds: {delivery: {by: 2026-01-01}}\n' >$TMP/bad.yaml; zirve choose $TMP/bad.yaml --offers tests/data/decide/offers.csv --today 2026-11-29
zirve choose: TMP/bad.yaml: line 2: column 24: delivery.by: expected a date such as 2026-12-15, not before today
? 3
$ printf 'schema: zirve.job/1\nneeds: {price: mandatory}\n' >$TMP/bad.yaml; zirve choose $TMP/bad.yaml --offers tests/data/decide/offers.csv
zirve choose: TMP/bad.yaml: line 2: column 16: price: expected {at_most: an amount such as 100 USD, for the whole job}
? 3
$ printf 'schema: zirve.job/1\nmargin: 20%%\n' >$TMP/bad.yaml; zirve choose $TMP/bad.yaml --offers tests/data/decide/offers.csv
zirve choose: TMP/bad.yaml: line 2: column 9: margin: expected a list of named variations, never a percentage
? 3
$ printf 'schema: zirve.job/1\nevidence:\n  - {id: x, kind: hearsay}\n' >$TMP/bad.yaml; zirve choose $TMP/bad.yaml --offers tests/data/decide/offers.csv
zirve choose: TMP/bad.yaml: line 3: column 19: kind: expected offer, measurement, quality, environment, delivery, calculation, emulation, nominal, stock, request or lab
? 3
$ printf 'schema: zirve.job/1\nestimate: {contxt: 1}\n' >$TMP/bad.yaml; zirve choose $TMP/bad.yaml --offers tests/data/decide/offers.csv
zirve choose: TMP/bad.yaml: line 2: column 20: contxt: no option of 'zirve estimate'
? 3
$ printf 'schema: zirve.job/1\nestimate: {card: 4090}\n' >$TMP/bad.yaml; zirve estimate $TMP/bad.yaml
zirve estimate: TMP/bad.yaml: line 2: column 18: card: asks something of the job: give it on the command line
? 3
$ printf 'schema: zirve.job/1\nmodel: {parameters: 7e9}\nestimate: {bits: 4}\n' >$TMP/two.yaml; zirve estimate $TMP/two.yaml --bits 8 --unit GiB
7,000,000,000 values of 8 bits
  weights only           6.52 GiB                   calculated
    7000000000 values x 8 bits
$ printf 'schema: zirve.job/1\nmodel: {parameters: 7e9, bits: 16}\nestimate: {bits: 4}\n' >$TMP/two.yaml; zirve estimate $TMP/two.yaml
zirve estimate: TMP/two.yaml: line 3: column 18: bits: is set twice in this file
? 3
$ printf 'schema: zirve.job/1\nmodel: {path: %s/llama-3.1-8b/config.json}\nsizes: {context: 8192, concurrency: 4}\n' "$PWD/$M" >$TMP/of.yaml; zirve estimate $TMP/of.yaml --card 4090 --search context --unit GiB | head -n 4
family llama: 8,030,261,248 parameters, bf16
serve: 4 sequences of 9,511 tokens

GPU 0                                                     GiB  known
$ zirve choose tests/data/decide/job.yaml
zirve choose: expected --offers FILE or --card NAME to choose from
? 64
$ zirve choose --offers tests/data/decide/offers.csv
zirve choose: expected one job file, kept estimate or record
? 64
$ zirve choose tests/data/decide/job.yaml --offers tests/data/decide/offers.csv --rate USD=1
zirve choose: --rate USD=1: expected FROM:TO=RATE such as USD:EUR=0.92
? 64
$ zirve choose tests/data/decide/job.yaml --offers tests/data/decide/offers.csv --today tomorrow
zirve choose: --today tomorrow: expected a date such as 2026-11-29
? 64
$ zirve choose $TMP/kept.json --offers tests/data/decide/offers.yaml
zirve choose: for how many days? give --days, or days: in the job file; these prices are for different times
? 64
$ zirve choose tests/data/decide/proven.yaml --offers tests/data/decide/offers.csv
zirve choose: tests/data/decide/proven.yaml: line 1: column 1: no job file: expected 'schema: zirve.job/1' in it
? 3
# Cards alone: what an offer must state stays to be verified; a card too small is excluded all the same.
$ sed '$a needs: {price: {at_most: 60 USD}, delivery: {by: 2026-12-15, strength: preference}}' tests/data/decide/job.yaml >$TMP/priced.yaml; zirve choose $TMP/priced.yaml --card 4090 --card 12GB --today 2026-11-29
TMP/priced.yaml
  needed of one card: 19.04 GiB (20.44 GB) expected, at least 13.04 GiB (14.00
  GB); calculated from the job file. Cards: 1.
  for 3 days; as of 2026-11-29

to verify: 1

1. 1 x 4090, cost unknown  no offer
     usable 23.51 GiB (25.25 GB) (lowest of 4 published readings of what a
     runtime sees); margin 4.47 GiB (4.80 GB); first day unknown
     memory         to verify   no reading of a run on this card; calculated:
                                19.04 GiB of 23.51 GiB
     load           to verify   no run of the declared load on this card
                                (context 8192, concurrency 4)
     compatibility  to verify   no run on this card with the job's driver,
                                backend and extensions
     quality        to verify   no quality criterion with its minimum, and no
                                evaluation
     price          to verify   a card alone: no offer states it
     delivery       to verify   a card alone: no offer states it (a preference)

excluded: 1

1. 1 x 12GB, cost unknown  no offer
     usable 11.18 GiB (12.00 GB) (size given by hand, taken literally; a real
     card of that name allows less or more); margin 7.86 GiB (8.44 GB) missing;
     first day unknown
     memory         excluded    at least 13.04 GiB are needed of one card, which
                                gives at most 12.00 GiB

In order of total cost, then margin, then first day. Prices make no order of
speed; a calculation, a nominal size or declared stock proves nothing that runs.
? 6
$ zirve choose tests/data/decide/job.yaml --card 4090 --offers tests/data/decide/offers.csv --today 2026-11-29 | grep '^[0-9t]'
tests/data/decide/job.yaml
to verify: 3
1. 1 x RTX 4090, 47.14 USD  tests/data/decide/offers.csv line 2
2. 1 x RTX 6000 Ada, 55.71 USD  tests/data/decide/offers.csv line 3
1. 1 x 4090, cost unknown  no offer
$ zirve choose tests/data/decide/job.yaml --card 4090 --today 2026-11-29 --json | grep -A16 '"offer"'
      "offer": {
        "id": "",
        "card": "4090",
        "count": 1,
        "price": null,
        "batch_days": null,
        "memory_bytes": null,
        "host_ram_bytes": null,
        "available": null,
        "valid_until": null,
        "region": "",
        "document": "",
        "document_date": null,
        "file": null,
        "line": null
      },
      "needs": [
$ zirve choose tests/data/decide/job.yaml --card 4090 --evidence tests/data/decide/failed.yaml --today 2026-11-29 | tail -n 7
     memory         excluded    run-9 shows that it fails in generation: CUDA
                                out of memory
     load           excluded    run-9 shows that it fails in generation: CUDA
                                out of memory

In order of total cost, then margin, then first day. Prices make no order of
speed; a calculation, a nominal size or declared stock proves nothing that runs.
$ zirve choose tests/data/decide/job.yaml --card 40900 --today 2026-11-29
zirve choose: no card '40900' in the table; near: RTX 4000 Ada, RTX 4090, RTX 4090 Laptop, RTX 4080 SUPER, RTX 4080, RTX 4080 Laptop, RTX 4070 Ti SUPER, RTX 4070 Ti, RTX 4070 SUPER, RTX 4070, RTX 4060 Ti 16GB, RTX 4060 Ti 8GB, RTX 4060, RTX 4060 Laptop; or give a size such as 24GB
? 3
$ zirve choose tests/data/decide/job.yaml
zirve choose: expected --offers FILE or --card NAME to choose from
? 64
