"""As much of PyTorch as the helper touches, over counters in place of a card.

FAKE_TORCH holds words: "no gpu", "hip", "lost" (every wait fails from the third on), "no reset".
FAKE_TORCH_LIMIT: bytes that the card has. Requests are rounded to 512 bytes, segments are 2 MiB.
"""

import os
import types

__version__ = "2.6.0+fake"
CALLS = []  # what the helper asked, in order


def word(name):
    return name in os.environ.get("FAKE_TORCH", "")


LIMIT = int(os.environ.get("FAKE_TORCH_LIMIT", 24 << 30))
version = types.SimpleNamespace(cuda=None if word("hip") else "12.4",
                                hip="6.2" if word("hip") else None)
float32, float16, bfloat16 = "float32", "float16", "bfloat16"
SIZES = {float32: 4, float16: 2, bfloat16: 2}


class OutOfMemoryError(RuntimeError):
    pass


class Heap:
    allocated = reserved = peak_allocated = peak_reserved = waits = retries = ooms = 0


def take(size):
    size = -(-size // 512) * 512
    reserved = max(Heap.reserved, -(-(Heap.allocated + size) // (2 << 20)) * (2 << 20))
    if reserved > LIMIT:
        Heap.retries += 1
        Heap.ooms += 1
        raise OutOfMemoryError("CUDA out of memory. Tried to allocate %d bytes" % size)
    Heap.allocated += size
    Heap.reserved = reserved
    Heap.peak_allocated = max(Heap.peak_allocated, Heap.allocated)
    Heap.peak_reserved = max(Heap.peak_reserved, reserved)
    return size


class Tensor:
    def __init__(self, shape, dtype=float32, device=None):
        self.shape, self.dtype, self.device = tuple(shape), dtype, device
        self.grad, self.held, self.inputs = None, 0, ()
        if device is not None:
            size = SIZES[dtype]
            for extent in self.shape:
                size *= extent
            self.held = take(size)

    def __del__(self):
        Heap.allocated -= self.held

    def like(self, shape=None):
        return Tensor(self.shape if shape is None else shape, self.dtype, self.device)

    def div(self, _):
        return self

    def to(self, device, dtype):
        return Tensor(self.shape, dtype, device)

    def requires_grad_(self, _):
        return self

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.shape, self.dtype)

    def backward(self):
        for value in LEAVES:
            value.grad = value.like()


LEAVES = []


def randn(shape):
    return Tensor(shape)


def relu(values):
    return values.like()


class no_grad:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def linear(values, weight, bias):
    for leaf in (weight, bias):
        if leaf not in LEAVES:
            LEAVES.append(leaf)
    return values.like((values.shape[0], weight.shape[0]))


nn = types.SimpleNamespace(functional=types.SimpleNamespace(
    linear=linear, mse_loss=lambda values, target: values.like(())))


class Optimizer:
    def __init__(self, values, lr):
        del lr
        self.values, self.states = values, None

    def step(self):
        if self.states is None:
            self.states = [value.like() for value in self.values for _ in range(self.kept)]

    def zero_grad(self, set_to_none):
        assert set_to_none
        for value in self.values:
            value.grad = None


optim = types.SimpleNamespace(SGD=type("SGD", (Optimizer,), {"kept": 0}),
                              Adam=type("Adam", (Optimizer,), {"kept": 2}))


def manual_seed(_):
    return None


class device:
    def __init__(self, name):
        kind, _, index = str(name).partition(":")
        self.type, self.index = kind, int(index) if index else None

    def __str__(self):
        return self.type if self.index is None else "%s:%d" % (self.type, self.index)


def synchronize(_):
    CALLS.append("synchronize")
    Heap.waits += 1
    if word("lost") and Heap.waits > 2:
        raise RuntimeError("CUDA error: device is lost")


def read(name, value):
    def call(_):
        CALLS.append(name)
        return value()
    return call


def reset(_):
    CALLS.append("reset")
    if word("no reset"):
        raise NotImplementedError("this allocator has no peaks")
    Heap.peak_allocated, Heap.peak_reserved = Heap.allocated, Heap.reserved


cuda = types.SimpleNamespace(
    is_available=lambda: not word("no gpu"), device_count=lambda: 1, current_device=lambda: 0,
    synchronize=synchronize, reset_peak_memory_stats=reset,
    memory_allocated=read("allocated", lambda: Heap.allocated),
    memory_reserved=read("reserved", lambda: Heap.reserved),
    max_memory_allocated=read("peak", lambda: Heap.peak_allocated),
    max_memory_reserved=read("peak reserved", lambda: Heap.peak_reserved),
    mem_get_info=read("free", lambda: (LIMIT - Heap.reserved, LIMIT)),
    memory_stats=lambda _: {"num_alloc_retries": Heap.retries, "num_ooms": Heap.ooms},
    get_allocator_backend=lambda: "native", get_device_name=lambda _: "Fake GPU 24GB",
    get_device_capability=lambda _: (8, 9),
    get_device_properties=lambda _: types.SimpleNamespace(total_memory=LIMIT))
