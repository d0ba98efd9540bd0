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
$ ZIRVE_NVML=/nonexistent.so ZIRVE_DRM=/nonexistent zirve estimate --parameters 7e9 --card 4090 --in-use auto
zirve estimate: no usable GPU 0: /nonexistent.so is not there; /nonexistent/card*/device/mem_info_vram_total: 0 of them
? 2
$ mkdir -p $TMP/drm/card1/device && echo 17163091968 >$TMP/drm/card1/device/mem_info_vram_total && echo 4294967296 >$TMP/drm/card1/device/mem_info_vram_used
$ ZIRVE_NVML=/nonexistent.so ZIRVE_DRM=$TMP/drm zirve estimate --parameters 7e9 --card 4090 --in-use auto
zirve: device 0: 4096.00 MiB of 16368.00 MiB in use (amdgpu sysfs)
7,000,000,000 values of 16 bits
  weights only           13.04 GiB (14.00 GB)       calculated
    7000000000 values x 16 bits
  RTX 4090: 23.51 GiB (25.25 GB); lowest of 4 published readings of what a
  runtime sees. Fits by calculation, 6.47 GiB (6.95 GB) to spare.
$ ZIRVE_NVML=/nonexistent.so ZIRVE_DRM=$TMP/drm zirve estimate --parameters 7e9 --card 4090 --in-use auto --device 3
zirve estimate: no usable GPU 3: /nonexistent.so is not there; TMP/drm/card*/device/mem_info_vram_total: 1 of them
? 2
# A slice of a card; a card whose memory is the processor's too.
$ zirve estimate $M/llama-3.2-1b/config.json --context 4096 --card "A100 3g.20gb" | sed -n '/^A100/,/^$/p'
A100 40GB MIG 3g.20gb
  19.50 GiB (20.94 GB); total reported by the driver; what a runtime can
  allocate is less and unknown
  FITS by calculation, with a margin of 16.57 GiB (17.80 GB). A calculation
  never proves that a job runs.

$ zirve estimate $M/llama-3.2-1b/config.json --context 4096 --card GB10 | sed -n '/^GB10/,/^$/p'
GB10 (DGX Spark)
  119.21 GiB (128.00 GB); nominal size; what the driver reports and a runtime
  can allocate is unknown
  The processor and the system use the same memory; give what the system uses
  with --in-use (auto reads it).
  FITS by calculation, with a margin of 116.28 GiB (124.86 GB). A calculation
  never proves that a job runs.

$ zirve estimate $M/llama-3.2-1b/config.json --context 4096 --card GB10 --in-use 100GiB | sed -n '/^GB10/,/^$/p'
GB10 (DGX Spark)
  119.21 GiB (128.00 GB); nominal size; what the driver reports and a runtime
  can allocate is unknown
  The processor and the system use the same memory.
  usable: 19.21 GiB (20.63 GB); others use 100.00 GiB (107.37 GB)
  FITS by calculation, with a margin of 16.28 GiB (17.48 GB). A calculation
  never proves that a job runs.

