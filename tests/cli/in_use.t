# What others use, given or read off a live device (here: folders and libraries that are not the real ones).
$ zirve estimate --parameters 7e9 --card 4090 --in-use 12GiB
7,000,000,000 values of 16 bits
  weights only           13.04 GiB (14.00 GB)       calculated
    7000000000 values x 16 bits
  RTX 4090: 23.51 GiB (25.25 GB); lowest of 4 published readings of what a
  runtime sees. Does not fit by calculation, 1.53 GiB (1.64 GB) missing.
? 1
$ zirve estimate --parameters 7e9 --card 4090 --in-use much
zirve estimate: --in-use much: expected a size such as 3GiB, or auto
? 64
$ ZIRVE_LIBRARIES=/nonexistent ZIRVE_ROOT=/nonexistent zirve estimate --parameters 7e9 --card 4090 --in-use auto
zirve estimate: no usable GPU 0: libnvidia-ml.so.1 is not there; libamd_smi.so is not there; librocm_smi64.so is not there; /sys/class/drm/card*/device/mem_info_vram_total: none
? 2
$ mkdir -p $TMP/sys/class/drm/card1/device && cd $TMP/sys/class/drm/card1/device && echo 17163091968 >mem_info_vram_total && echo 4294967296 >mem_info_vram_used
$ ZIRVE_LIBRARIES=/nonexistent ZIRVE_ROOT=$TMP zirve estimate --parameters 7e9 --card 4090 --in-use auto
zirve: device 0: 4.00 GiB of 15.98 GiB in use (/sys/class/drm/card1/device/mem_info_vram_used)
7,000,000,000 values of 16 bits
  weights only           13.04 GiB (14.00 GB)       calculated
    7000000000 values x 16 bits
  RTX 4090: 23.51 GiB (25.25 GB); lowest of 4 published readings of what a
  runtime sees. Fits by calculation, 6.47 GiB (6.95 GB) to spare.
$ ZIRVE_LIBRARIES=/nonexistent ZIRVE_ROOT=$TMP zirve estimate --parameters 7e9 --card 4090 --in-use auto --device 3
zirve estimate: no usable GPU 3: libnvidia-ml.so.1 is not there; libamd_smi.so is not there; librocm_smi64.so is not there; amdgpu driver has 1
? 2
# A slice of a card; a card whose memory is the processor's too.
$ zirve estimate $M/llama-3.2-1b/config.json --context 4096 --card "A100 3g.20gb" | sed -n '/^A100/,/^$/p'
A100 40GB MIG 3g.20gb
  19.00 GiB (20.40 GB) to 19.50 GiB (20.94 GB); no reading of what a runtime
  sees: the driver's total less 512 MiB, the most that any card in the table
  falls short of its driver's total
  FITS by calculation, with a margin of 16.07 GiB (17.26 GB). A calculation
  never proves that a job runs.

$ zirve estimate $M/llama-3.2-1b/config.json --context 4096 --card GB10 | sed -n '/^GB10/,/^$/p'
GB10 (DGX Spark)
  118.71 GiB (127.46 GB) to 119.21 GiB (128.00 GB); no reading of what a runtime
  sees: the nominal size less 512 MiB, the most that any card in the table falls
  short of its driver's total
  The processor and the system use the same memory; give what the system uses
  with --in-use (auto reads it).
  FITS by calculation, with a margin of 115.78 GiB (124.32 GB). A calculation
  never proves that a job runs.

$ zirve estimate $M/llama-3.2-1b/config.json --context 4096 --card GB10 --in-use 100GiB | sed -n '/^GB10/,/^$/p'
GB10 (DGX Spark)
  118.71 GiB (127.46 GB) to 119.21 GiB (128.00 GB); no reading of what a runtime
  sees: the nominal size less 512 MiB, the most that any card in the table falls
  short of its driver's total
  The processor and the system use the same memory.
  usable: 18.71 GiB (20.09 GB); others use 100.00 GiB (107.37 GB)
  FITS by calculation, with a margin of 15.78 GiB (16.95 GB). A calculation
  never proves that a job runs.

