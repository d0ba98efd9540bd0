#!/bin/sh
# catalog.sh ROWS: a SkyPilot catalog of that many offers, as its own files look, in prices and regions that differ.
set -u
awk -v rows="$1" 'BEGIN {
    print "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone"
    split("A100 A100-80GB A10G H100 L4 L40S T4 V100 RTX4090 RTX6000-Ada", name, " ")
    split("40960 81920 24576 81920 24576 49152 16384 16384 24576 49152", mib, " ")
    for (i = 0; i < rows; i++) {
        card = 1 + i % 10
        count = 2 ^ (int(i / 10) % 4)
        memory = mib[card]
        info = "\"{\047Gpus\047: [{\047Name\047: \047" name[card] "\047, \047Count\047: " count ".0, \047MemoryInfo\047: " \
            "{\047SizeInMiB\047: " memory "}}], \047TotalGpuMemoryInMiB\047: " memory * count "}\""
        printf "type-%d,%s,%d.0,%d.0,%d.0,%s,%d.%04d,%d.%03d,region-%d,region-%d%c\n", i % 997, name[card], count,
            8 * count, 64 * count, info, 1 + i % 37, i * 7919 % 9973, 1 + i % 17, i * 31 % 997, i % 61, i % 61, 97 + i % 3
    }
}'
