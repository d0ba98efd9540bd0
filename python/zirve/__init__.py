"""What does this stretch of a PyTorch program take of the GPU?

    import zirve

    with zirve.phase("forward", batch=2, context=128):
        loss = model(inputs)
    zirve.save("measures.json")

A phase waits for the device, reads what is allocated, reserved and free, resets PyTorch's peaks,
runs, waits again, and keeps peaks, levels, time and how it went. The result has the schema
zirve.measure/1, as `zirve measure` writes it. Only PyTorch's own counters are read: nothing is
installed into the program and nothing is downloaded.

Without PyTorch, or without a GPU that PyTorch can use, the program stops with exit code 2. A result
of the processor is never taken for one of a GPU.

Standard library only; PyTorch is the program's own.
"""

from .command import Answer, CommandMissing, command
from .lab import lab
from .phases import NoDevice, Session, phase, reset, result, save

__all__ = ["Answer", "CommandMissing", "NoDevice", "Session", "command", "lab", "phase", "reset",
           "result", "save"]
__version__ = "0.1.0"
