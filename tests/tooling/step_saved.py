"""What PyTorch holds after a forward pass of a transformers model, without a card.

    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so.1 tests/tooling/fake_cuda.c
    LD_PRELOAD=$PWD/libcuda.so.1 python tests/tooling/step_saved.py tests/data/steps/saved > saved.tsv

The model runs on fake CUDA tensors (FakeTensorMode): every operation is dispatched as on a card, so
CUDA's choices (dropout with a bool mask, fp32 statistics, the attention kernel of an A100, autocast)
are PyTorch's own, but nothing is computed. fake_cuda.c answers the few calls that ask for a device.

Reads cases.tsv in the folder (config, class, batch, tokens, weights, autocast, attention, cache) and
writes for each: these, the number and bytes of the gradients after backward, and the sizes of all
storages that are alive after the forward pass with its inputs and output, as count*bytes. Parameters
and buffers are left out.
"""
import collections
import json
import os
import sys

import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
FLASH = ("_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention")


class Live(TorchDispatchMode):
    """Weak references to every storage that an operation made."""

    def __init__(self):
        super().__init__()
        self.storages = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        leaves = tree_leaves(out)
        if name in FLASH:  # the seeds of an unused generator are on the host
            leaves = leaves[:2]
        for t in leaves:
            if isinstance(t, torch.Tensor) and t.device.type == "cuda":
                s = t.untyped_storage()
                ref = StorageWeakRef(s)
                self.storages[ref.cdata] = (ref, s.nbytes(), name, tuple(t.shape), t.dtype)
        return out

    def alive(self, but):
        return [
            x[1:]
            for x in self.storages.values()
            if not x[0].expired() and x[0].cdata not in but
        ]


def run(folder, case, verbose):
    config_name, cls, batch, tokens, weights, autocast, attention, cache = case
    with open(os.path.join(folder, config_name + ".json")) as f:
        values = json.load(f)
    config = transformers.AutoConfig.for_model(**values)
    config._attn_implementation = attention
    config.use_cache = cache == "cache"
    torch.set_default_dtype(DTYPES[weights])
    batch, tokens = int(batch), int(tokens)
    with FakeTensorMode(allow_non_fake_inputs=True):
        torch.set_default_device("cuda")
        model = getattr(transformers, cls)(config)
        model.train()
        inputs = {}
        live = Live()
        with live:
            if "pixel" in model.main_input_name:
                side = config.image_size
                inputs["pixel_values"] = torch.empty(batch, config.num_channels, side, side)
                inputs["labels"] = torch.empty(batch, dtype=torch.int64)
            else:
                inputs["input_ids"] = torch.empty(batch, tokens, dtype=torch.int64)
                inputs["attention_mask"] = torch.ones(batch, tokens, dtype=torch.int64)
                shape = (batch,) if "Classification" in cls else (batch, tokens)
                inputs["labels"] = torch.empty(shape, dtype=torch.int64)
            torch.set_default_device("cpu")  # what a model makes without a device is on the host
            if autocast != "none":
                torch.set_autocast_enabled("cuda", True)
                torch.set_autocast_dtype("cuda", DTYPES[autocast])
                torch.autocast_increment_nesting()
                torch.set_autocast_cache_enabled(True)
            try:
                out = model(**inputs)
            finally:
                if autocast != "none":
                    if torch.autocast_decrement_nesting() == 0:
                        torch.clear_autocast_cache()
                    torch.set_autocast_enabled("cuda", False)
        kept = list(model.parameters()) + list(model.buffers())
        own = {StorageWeakRef(t.untyped_storage()).cdata for t in kept}
        alive = live.alive(own)
        if verbose:
            for x in alive:
                print(x, file=sys.stderr)
        out.loss.backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
    torch.set_default_device("cpu")
    sizes = collections.Counter(x[0] for x in alive)
    text = " ".join(f"{n}*{size}" for size, n in sorted(sizes.items()))
    total = sum(g.untyped_storage().nbytes() for g in grads)
    return "\t".join(case + [str(len(grads)), str(total), text])


def main():
    torch.cuda.is_available = lambda: False
    # no value can be read: a batch without padding, as attention_mask.all() would say
    import transformers.masking_utils as masks

    ignore = masks._ignore_causal_mask_sdpa
    masks._ignore_causal_mask_sdpa = lambda padding, *rest: ignore(None, *rest)
    torch_all = torch.all
    torch.all = lambda x, *rest, **named: torch_all(x, *rest, **named) if rest or named else True
    folder = sys.argv[1]
    wanted = sys.argv[2:]
    versions = f"torch {torch.__version__}, transformers {transformers.__version__}"
    print(f"# {versions}: tests/tooling/step_saved.py")
    with open(os.path.join(folder, "cases.tsv")) as f:
        for line in f:
            if line[0] == "#" or not line.strip():
                continue
            case = line.split()
            if wanted and case[0] not in wanted:
                continue
            try:
                print(run(folder, case, bool(os.environ.get("VERBOSE"))), flush=True)
            except Exception as error:
                print("FAILED", case, repr(error)[:400], file=sys.stderr)
                if os.environ.get("VERBOSE"):
                    raise


main()
