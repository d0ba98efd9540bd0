"""What stands for a card where PyTorch's own code and packages ask for one, for every recorder."""
import types

import torch


def no_padding():
    """No value can be read: a batch without padding, as attention_mask.all() would say."""
    import transformers.masking_utils as masks

    ignore = masks._ignore_causal_mask_sdpa
    masks._ignore_causal_mask_sdpa = lambda padding, *rest: ignore(None, *rest)
    torch_all = torch.all
    torch.all = lambda x, *rest, **named: torch_all(x, *rest, **named) if rest or named else True


def no_kernels():
    """Triton's kernels do nothing, on a card of compute capability 8.0."""
    import triton

    class Driver:
        def __getattr__(self, name):
            return lambda *a, **k: types.SimpleNamespace(backend="cuda", arch=80, warp_size=32)

    triton.runtime.driver.set_active(Driver())
    triton.runtime.jit.KernelInterface.__getitem__ = lambda self, grid: lambda *a, **k: None
    torch.cuda.get_device_capability = lambda *a: (8, 0)
