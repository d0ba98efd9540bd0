# A machine without a GPU: what was looked for and what was found instead.
$ mkdir -p $TMP/none/sys/class/drm/card0/device $TMP/none/lib && echo 0x1a03 >$TMP/none/sys/class/drm/card0/device/vendor
$ env -i ZIRVE_LIBRARIES=$TMP/none/lib ZIRVE_ROOT=$TMP/none PATH=${PATH%%:*} zirve environment
no usable GPU

looked for
  NVML                  libnvidia-ml.so.1 is not there
  AMD SMI               libamd_smi.so is not there
  ROCm SMI              librocm_smi64.so is not there
  amdgpu driver         card0 is of PCI vendor 0x1a03
  CUDA driver           libcuda.so.1 is not there
  HIP runtime           libamdhip64.so is not there
  NVIDIA kernel driver  /proc/driver/nvidia/version is not there
  AMD compute driver    /sys/class/kfd/kfd/topology/nodes is not there

settings
  none that change what memory a GPU program takes or sees

Python, by its files
  none found

One look at one instant: used is what all processes held then. Several devices
are not one pool. A device that is listed is no proof that a job runs on it.
? 2
$ ZIRVE_LIBRARIES=$TMP/none/lib ZIRVE_ROOT=$TMP/none zirve environment --device cuda:0 | head -n 1
no usable GPU cuda:0: no runtime lists it
$ env -i ZIRVE_LIBRARIES=$TMP/none/lib ZIRVE_ROOT=$TMP/none PATH=${PATH%%:*} zirve environment --device cuda:0 --json | head -n 6
{
  "schema": "zirve.environment/1",
  "known": "measured",
  "asked_for": "cuda:0",
  "usable": false,
  "devices": [],
$ zirve environment --device gpu
zirve environment: device 'gpu': expected cuda:N or hip:N, such as cuda:0
? 64
$ zirve environment cuda:0
zirve environment: takes no operand: 'cuda:0'
? 64
# NVIDIA: NVML and the CUDA driver (fakes), joined by the PCI address. 4243 does not tell what it holds.
$ mkdir -p $TMP/nv/lib $TMP/nv/proc/4242 && ln -s $ZIRVE_FAKE_DIR/fake_nvml_new.so $TMP/nv/lib/libnvidia-ml.so.1 && ln -s $ZIRVE_FAKE_DIR/fake_cuda_new.so $TMP/nv/lib/libcuda.so.1 && echo python3 >$TMP/nv/proc/4242/comm
$ mkdir -p $TMP/venv/lib/python3.11/site-packages/torch && echo version = 3.11.7 >$TMP/venv/pyvenv.cfg && printf "__version__ = '2.6.0+cu124'\ncuda = '12.4'\nhip = None\n" >$TMP/venv/lib/python3.11/site-packages/torch/version.py
$ env -i VIRTUAL_ENV=$TMP/venv PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True ZIRVE_LIBRARIES=$TMP/nv/lib ZIRVE_ROOT=$TMP/nv PATH=${PATH%%:*} zirve environment
usable: 1 of 1 device

cuda:0  Fake GPU 24GB  (CUDA)
  capacity              22.35 GiB (24.00 GB)     nvmlDeviceGetMemoryInfo_v2
  for a program         21.98 GiB (23.60 GB)     cuDeviceTotalMem_v2
  used                  3.26 GiB (3.50 GB)       nvmlDeviceGetMemoryInfo_v2
  free                  18.63 GiB (20.00 GB)     nvmlDeviceGetMemoryInfo_v2
  driver's own          476.84 MiB (500.00 MB)   nvmlDeviceGetMemoryInfo_v2
  virtual memory management: yes
  integrated: no
  cut into slices (MIG): no
  UUID                  GPU-00010200-0405-0607-0809-0a0b0c0d0e0f
  PCI address           0000:01:00.0
  architecture          8.9
  processes             2
        4242  python3          1.86 GiB (2.00 GB)       compute
        4243  (not here)       holds an unknown amount  compute

looked for
  NVML                  550.54.14, 1 device
  AMD SMI               libamd_smi.so is not there
  ROCm SMI              librocm_smi64.so is not there
  amdgpu driver         /sys/class/drm/card*/device/mem_info_vram_total: none
  CUDA driver           CUDA 12.4, 1 device
  HIP runtime           libamdhip64.so is not there
  NVIDIA kernel driver  /proc/driver/nvidia/version is not there
  AMD compute driver    /sys/class/kfd/kfd/topology/nodes is not there

settings
  PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True

Python, by its files
  3.11.7                TMP/venv
                        PyTorch 2.6.0+cu124, built for CUDA 12.4

One look at one instant: used is what all processes held then. Several devices
are not one pool. A device that is listed is no proof that a job runs on it.
# A device in slices, seen alone.
$ FAKE_GPU=mig ZIRVE_LIBRARIES=$TMP/nv/lib ZIRVE_ROOT=$TMP/nv zirve environment --device cuda:0 --unit MiB | sed -n '1,/^looked/p'
usable: cuda:0

cuda:0  Fake GPU 24GB  (CUDA)
  capacity              22888.18 MiB             nvmlDeviceGetMemoryInfo_v2
  used                  3337.86 MiB              nvmlDeviceGetMemoryInfo_v2
  free                  19073.49 MiB             nvmlDeviceGetMemoryInfo_v2
  driver's own          476.84 MiB               nvmlDeviceGetMemoryInfo_v2
  virtual memory management: yes
  integrated: no
  cut into slices (MIG): yes
  UUID                  GPU-00010200-0405-0607-0809-0a0b0c0d0e0f
  PCI address           0000:01:00.0
  architecture          8.9
  processes             2
        4242  python3          1907.35 MiB              compute, slice 1
        4243  (not here)       holds an unknown amount  compute, slice 1
  not known: for a program (CUDA lists a slice of it)
  slice 1/0  Fake GPU MIG 1g.10gb
  capacity              9536.74 MiB              nvmlDeviceGetMemoryInfo_v2
  used                  3337.86 MiB              nvmlDeviceGetMemoryInfo_v2
  free                  5722.05 MiB              nvmlDeviceGetMemoryInfo_v2
  driver's own          476.84 MiB               nvmlDeviceGetMemoryInfo_v2
  UUID                  MIG-00010200-0405-0607-0809-0a0b0c0d0e0f
  slice 2/0  Fake GPU MIG 1g.10gb
  capacity              9536.74 MiB              nvmlDeviceGetMemoryInfo_v2
  for a program         9155.27 MiB              cuDeviceTotalMem_v2
  used                  3337.86 MiB              nvmlDeviceGetMemoryInfo_v2
  free                  5722.05 MiB              nvmlDeviceGetMemoryInfo_v2
  driver's own          476.84 MiB               nvmlDeviceGetMemoryInfo_v2
  UUID                  MIG-00010201-0405-0607-0809-0a0b0c0d0e0f

looked for
# Two, one of which was lost; the names that PyTorch gives are CUDA's.
$ FAKE_GPU='two second lost' ZIRVE_LIBRARIES=$TMP/nv/lib ZIRVE_ROOT=$TMP/nv zirve environment | sed -n '1,/^looked/p'
usable: 2 of 3 devices

cuda:1  Fake GPU 24GB  (CUDA)
  capacity              22.35 GiB (24.00 GB)     nvmlDeviceGetMemoryInfo_v2
  for a program         21.98 GiB (23.60 GB)     cuDeviceTotalMem_v2
  used                  3.26 GiB (3.50 GB)       nvmlDeviceGetMemoryInfo_v2
  free                  18.63 GiB (20.00 GB)     nvmlDeviceGetMemoryInfo_v2
  driver's own          476.84 MiB (500.00 MB)   nvmlDeviceGetMemoryInfo_v2
  virtual memory management: yes
  integrated: no
  cut into slices (MIG): no
  UUID                  GPU-00010200-0405-0607-0809-0a0b0c0d0e0f
  PCI address           0000:01:00.0
  architecture          8.9
  processes             2
        4242  python3          1.86 GiB (2.00 GB)       compute
        4243  (not here)       holds an unknown amount  compute

GPU  name not known  (not usable)
  not usable            nvmlDeviceGetHandleByIndex_v2 says 15, GPU is lost
  not known: model, UUID, PCI address, architecture, capacity, for a program,
  used, free, driver's own, virtual memory management, integrated, cut into
  slices (MIG), processes (nvmlDeviceGetHandleByIndex_v2 says 15, GPU is lost)

cuda:0  Fake GPU by CUDA  (CUDA)
  for a program         44.33 GiB (47.60 GB)     cuDeviceTotalMem_v2
  virtual memory management: yes
  integrated: no
  UUID                  GPU-00010201-0405-0607-0809-0a0b0c0d0e0f
  PCI address           0000:82:00.0
  architecture          8.9
  not known: capacity, used, free, processes (nobody to ask)

looked for
# The driver's library works, the compute driver does not.
$ env -i FAKE_GPU='no fabric refused' ZIRVE_LIBRARIES=$TMP/nv/lib ZIRVE_ROOT=$TMP/nv PATH=${PATH%%:*} zirve environment
no usable GPU

GPU  name not known  (not usable)
  not usable            cuInit says 802, system not yet initialized
  capacity              22.35 GiB (24.00 GB)     nvmlDeviceGetMemoryInfo_v2
  used                  3.26 GiB (3.50 GB)       nvmlDeviceGetMemoryInfo_v2
  free                  18.63 GiB (20.00 GB)     nvmlDeviceGetMemoryInfo_v2
  driver's own          476.84 MiB (500.00 MB)   nvmlDeviceGetMemoryInfo_v2
  cut into slices (MIG): no
  UUID                  GPU-00010200-0405-0607-0809-0a0b0c0d0e0f
  PCI address           0000:01:00.0
  architecture          8.9
  not known: model (nvmlDeviceGetName says 4, Insufficient Permissions)
  not known: processes (nvmlDeviceGetComputeRunningProcesses_v3 says 4,
  Insufficient Permissions)

looked for
  NVML                  550.54.14, 1 device
  AMD SMI               libamd_smi.so is not there
  ROCm SMI              librocm_smi64.so is not there
  amdgpu driver         /sys/class/drm/card*/device/mem_info_vram_total: none
  CUDA driver           cuInit says 802, system not yet initialized
  HIP runtime           libamdhip64.so is not there
  NVIDIA kernel driver  /proc/driver/nvidia/version is not there
  AMD compute driver    /sys/class/kfd/kfd/topology/nodes is not there

settings
  none that change what memory a GPU program takes or sees

Python, by its files
  none found

One look at one instant: used is what all processes held then. Several devices
are not one pool. A device that is listed is no proof that a job runs on it.
? 2
# An older driver: used counts what the driver keeps.
$ mkdir -p $TMP/old/lib && ln -s $ZIRVE_FAKE_DIR/fake_nvml_old.so $TMP/old/lib/libnvidia-ml.so.1 && ln -s $ZIRVE_FAKE_DIR/fake_cuda_old.so $TMP/old/lib/libcuda.so.1
$ ZIRVE_LIBRARIES=$TMP/old/lib ZIRVE_ROOT=$TMP/nv zirve environment | sed -n '1,/^looked/p'
usable: 1 of 1 device

cuda:0  Fake GPU 24GB  (CUDA)
  capacity              22.35 GiB (24.00 GB)     nvmlDeviceGetMemoryInfo
  for a program         21.98 GiB (23.60 GB)     cuDeviceTotalMem_v2
  used                  3.73 GiB (4.00 GB)       nvmlDeviceGetMemoryInfo
  free                  18.63 GiB (20.00 GB)     nvmlDeviceGetMemoryInfo
  integrated: no
  used counts what the driver keeps for itself
  UUID                  GPU-00010200-0405-0607-0809-0a0b0c0d0e0f
  PCI address           0000:01:00.0
  architecture          8.9
  processes             2
        4242  python3          1.86 GiB (2.00 GB)       compute
        4243  (not here)       holds an unknown amount  compute
  not known: driver's own (libnvidia-ml.so.1 has no nvmlDeviceGetMemoryInfo_v2)
  not known: virtual memory management (cuDeviceGetAttribute (virtual memory
  management) says 1)
  not known: cut into slices (MIG) (libnvidia-ml.so.1 has no
  nvmlDeviceGetMigMode)

looked for
# AMD: PyTorch's name is cuda:0 there too; the backend is HIP.
$ mkdir -p $TMP/amd/lib && for n in libamd_smi.so libamdhip64.so; do ln -s $ZIRVE_FAKE_DIR/fake_amd_new.so $TMP/amd/lib/$n; done
$ ZIRVE_LIBRARIES=$TMP/amd/lib ZIRVE_ROOT=$TMP/none zirve environment --json | sed -n '2,/looked_for/p'
  "schema": "zirve.environment/1",
  "known": "measured",
  "asked_for": null,
  "usable": true,
  "devices": [
    {
      "backend": "HIP",
      "ordinal": 0,
      "driver_of": "AMD",
      "usable": true,
      "not_usable_because": null,
      "used_counts_reserved": false,
      "model": "Fake Instinct by HIP",
      "uuid": "f8ff73bf-0000-1000-80ff-eb47a027de4d",
      "bus_id": "0000:03:00.0",
      "architecture": null,
      "capacity_bytes": 17163091968,
      "runtime_capacity_bytes": 17095983104,
      "used_bytes": 1310720,
      "free_bytes": null,
      "reserved_bytes": null,
      "virtual_memory_management": true,
      "integrated": null,
      "mig": null,
      "sources": {
        "model": "hipDeviceGetName",
        "uuid": "amdsmi_get_gpu_device_uuid",
        "bus_id": "amdsmi_get_gpu_device_bdf",
        "capacity_bytes": "amdsmi_get_gpu_memory_total",
        "runtime_capacity_bytes": "hipDeviceTotalMem",
        "used_bytes": "amdsmi_get_gpu_memory_usage",
        "virtual_memory_management": "hipDeviceGetAttribute (virtual memory management)"
      },
      "unknown": {
        "architecture": null,
        "free_bytes": null,
        "reserved_bytes": null,
        "integrated": null,
        "mig": null
      },
      "architecture_assumed": false,
      "processes": null,
      "processes_source": null,
      "processes_unknown": null,
      "instances": []
    }
  ],
  "looked_for": [
# A library that is an emulation says so, and the result says it first.
$ mkdir -p $TMP/em/lib && ln -s $ZIRVE_EMULATE_DIR/libzirve-emulate.so $TMP/em/lib/libcuda.so.1
$ ZIRVE_EMULATED_CARDS='name=RTX 4090,total=25246564352,cc=8.9' ZIRVE_LIBRARIES=$TMP/em/lib ZIRVE_ROOT=$TMP/nv zirve environment | sed -n '1,/^looked/p'
usable: 1 of 1 device
EMULATED: a library that answered says that no device is behind it.

cuda:0  RTX 4090  (CUDA)
  for a program         23.51 GiB (25.25 GB)     cuDeviceTotalMem_v2
  virtual memory management: yes
  integrated: no
  UUID                  GPU-7a697276-6520-656d-756c-617465642000
  PCI address           0000:01:00.0
  architecture          8.9
  not known: capacity, used, free, processes (nobody to ask)

looked for
$ ZIRVE_EMULATED_CARDS='name=RTX 4090,total=25246564352,cc=8.9' ZIRVE_LIBRARIES=$TMP/em/lib ZIRVE_ROOT=$TMP/nv zirve environment --json -o $TMP/em.json && grep known $TMP/em.json
  "known": "emulated",
      "unknown": {
      "processes_unknown": null,
# What nobody said of an emulated card is assumed, and said so; measure says the same.
$ ZIRVE_EMULATED_CARDS='name=some card,total=25246564352' ZIRVE_LIBRARIES=$TMP/em/lib ZIRVE_ROOT=$TMP/nv zirve environment | grep architecture
  architecture          8.0 (assumed: the emulated card's is not known)
$ ZIRVE_EMULATED_CARDS='name=some card,total=25246564352' ZIRVE_LIBRARIES=$TMP/em/lib ZIRVE_ROOT=$TMP/nv zirve environment --json | grep -E '"architecture(_assumed)?": [^n"]*"?[^c]'
      "architecture": "8.0",
        "architecture": "cuDeviceGetAttribute (compute capability)",
      "architecture_assumed": true,
$ ZIRVE_EMULATED_CARDS='name=some card,total=25246564352' ZIRVE_LIBRARIES=$TMP/em/lib zirve measure --json | grep compute
    "Emulated: the counters of the allocator on a card that is not there. Nothing was computed and nothing was timed; no card was measured.",
        "compute_capability": "8.0",
        "compute_capability_assumed": true,
$ ZIRVE_EMULATED_CARDS='name=some card,total=25246564352,cc=9.0' ZIRVE_LIBRARIES=$TMP/em/lib ZIRVE_ROOT=$TMP/nv zirve environment --json | grep architecture
      "architecture": "9.0",
        "architecture": "cuDeviceGetAttribute (compute capability)",
      "architecture_assumed": false,
$ ZIRVE_EMULATED_CARDS='name=some card,total=25246564352,cc=9.0' ZIRVE_LIBRARIES=$TMP/em/lib zirve measure --json | grep compute
    "Emulated: the counters of the allocator on a card that is not there. Nothing was computed and nothing was timed; no card was measured.",
        "compute_capability": "9.0",
        "compute_capability_assumed": false,
# Names: cuda:N is HIP's where CUDA has none of that number; hip:N is HIP's alone. One is shown.
$ mkdir -p $TMP/ro/lib && ln -s $ZIRVE_EMULATE_DIR/libzirve-emulate.so $TMP/ro/lib/libamdhip64.so
$ for name in cuda:0 0 hip:0; do ZIRVE_EMULATED_CARDS='name=MI300X,total=191457755136' ZIRVE_LIBRARIES=$TMP/ro/lib zirve measure --device $name --json | grep -A1 '"name": "cuda:0"'; done
        "name": "cuda:0",
        "backend": "HIP",
        "name": "cuda:0",
        "backend": "HIP",
        "name": "cuda:0",
        "backend": "HIP",
$ for name in cuda:0 0 hip:0; do ZIRVE_EMULATED_CARDS='name=MI300X,total=191457755136' ZIRVE_LIBRARIES=$TMP/ro/lib ZIRVE_ROOT=$TMP/none zirve environment --device $name | sed -n '1,5p'; done
usable: cuda:0
EMULATED: a library that answered says that no device is behind it.

cuda:0  MI300X  (HIP)
  for a program         178.31 GiB (191.46 GB)   hipDeviceTotalMem
usable: cuda:0
EMULATED: a library that answered says that no device is behind it.

cuda:0  MI300X  (HIP)
  for a program         178.31 GiB (191.46 GB)   hipDeviceTotalMem
usable: cuda:0
EMULATED: a library that answered says that no device is behind it.

cuda:0  MI300X  (HIP)
  for a program         178.31 GiB (191.46 GB)   hipDeviceTotalMem
$ ZIRVE_EMULATED_CARDS='name=RTX 4090,total=25246564352' ZIRVE_LIBRARIES=$TMP/em/lib ZIRVE_ROOT=$TMP/none zirve environment --device hip:0 | head -n 1
no usable GPU hip:0: no runtime lists it
$ ZIRVE_EMULATED_CARDS='name=RTX 4090,total=25246564352' ZIRVE_LIBRARIES=$TMP/em/lib zirve measure --device hip:0
zirve measure: no usable GPU: TMP/em/lib/libamdhip64.so is not there; libcuda.so.1 is: cuda:0
? 2
# A record takes it; one of an emulation is no measurement.
$ zirve record new $TMP/record tests/data/decide/job.yaml && ZIRVE_LIBRARIES=$TMP/nv/lib ZIRVE_ROOT=$TMP/nv zirve environment -o $TMP/machine.json --json && zirve record add $TMP/record $TMP/machine.json && grep -E 'kind|known' $TMP/record/0002.json
  "kind": "environment",
  "known": "measured",
$ zirve record add $TMP/record $TMP/em.json && grep -E 'kind|known' $TMP/record/0003.json
  "kind": "emulation",
  "known": "emulated",
$ zirve record show $TMP/record | grep -A 7 '0002 machine.json'
  0002 machine.json                 usable: 1 device, the first Fake GPU 24GB by
                                    CUDA, 21.98 GiB for a program (measured)
  0002 may prove                    what the machine was then; not that a job
                                    runs there, and no capacity for one
  0003 em.json                      usable: 1 device, the first RTX 4090 by
                                    CUDA, 23.51 GiB for a program (emulated)
  0003 may prove                    what the machine was then; not that a job
                                    runs there, and no capacity for one
# Metrics for a textfile collector: the file is replaced, also when there is no GPU any more.
$ ZIRVE_LIBRARIES=$TMP/nv/lib ZIRVE_ROOT=$TMP/nv zirve environment --metrics $TMP/zirve.prom | head -n 1 && grep -c . $TMP/zirve.prom && grep -A 4 'TYPE zirve_device_used' $TMP/zirve.prom | sed 's/^/  /'
usable: 1 of 1 device
62
  # TYPE zirve_device_used_bytes gauge
  # UNIT zirve_device_used_bytes bytes
  # HELP zirve_device_used_bytes Memory in use, by all processes.
  zirve_device_used_bytes{gpu="0",uuid="GPU-00010200-0405-0607-0809-0a0b0c0d0e0f",bus_id="0000:01:00.0"} 3500000000
  # TYPE zirve_device_free_bytes gauge
$ ZIRVE_LIBRARIES=$TMP/none/lib ZIRVE_ROOT=$TMP/none zirve environment --metrics $TMP/zirve.prom >$TMP/text
? 2
$ sed -n 's/^/  /;1,3p;$p' $TMP/zirve.prom && ls -l $TMP/zirve.prom* | wc -l
  # TYPE zirve_environment_usable gauge
  # HELP zirve_environment_usable Whether a GPU can be used.
  zirve_environment_usable 0
  # EOF
1
$ ZIRVE_LIBRARIES=$TMP/none/lib ZIRVE_ROOT=$TMP/none zirve environment --metrics - | sed -n 's/^/  /;4,6p'
  # TYPE zirve_environment_emulated gauge
  # HELP zirve_environment_emulated Whether the devices are an emulation.
  zirve_environment_emulated 0
$ ZIRVE_LIBRARIES=$TMP/none/lib ZIRVE_ROOT=$TMP/none zirve environment --metrics $TMP/no/where.prom
zirve environment: TMP/no/where.prom: cannot be written: No such file or directory
? 3
