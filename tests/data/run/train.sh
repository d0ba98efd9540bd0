#!/bin/sh
# A program for searches: --batch N needs more than there is above FITS (24) and below AGAIN (none),
# and breaks for another reason at BAD (none).
echo 'step 1 loss 3.2'
if [ "$2" -eq "${BAD:-0}" ]; then
    echo 'ValueError: batch must divide 100' >&2
    exit 2
fi
if [ "$2" -gt "${FITS:-24}" ] && [ "$2" -lt "${AGAIN:-1000}" ]; then
    echo "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate $2.00 MiB." >&2
    exit 1
fi
echo "batch $2: step 10 loss 2.1"
