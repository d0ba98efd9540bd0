"""What happens around a model in a training step, storage by storage, without a card.

    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so.1 tests/tooling/fake_cuda.c
    LD_PRELOAD=$PWD/libcuda.so.1 python tests/tooling/step_optimizer.py \
        tests/data/steps/optim/cases.txt > events.tsv

Runs PyTorch's own backward pass, clip_grad_norm_, gradient scaler and step() of real optimizers, or
losses, on fake CUDA tensors (see step_saved.py). Each line of cases.txt is the settings of a run of two
steps (of the program zirve/steps/optim.step beside it, which does the same); what is written after them
is every storage's birth (+bytes) and death (-its number), in order. The operators of PyTorch are seen,
what a kernel allocates by itself is not; kernels of bitsandbytes and Liger are not run.
"""
import importlib.util
import sys
import types
import weakref

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from step_stand_ins import no_kernels

IN_PLACE = ("_fused_sgd_", "_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_")
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


class Events(TorchDispatchMode):
    def __init__(self, parameters):
        super().__init__()
        self.count = 0
        self.known = {p.untyped_storage()._cdata: 0 for p in parameters}
        self.lines = []

    def __torch_dispatch__(self, func, kinds, args=(), kwargs=None):
        if func is torch.ops.aten._local_scalar_dense.default:
            return 0.0 if args[0].device.type == "cuda" else 1.0  # no value can be read
        if func.overloadpacket.__name__ in IN_PLACE:
            # kernels that fake tensors have none of; they make no tensor
            return args[0] if func._schema.returns else None
        out = func(*args, **(kwargs or {}))
        for t in tree_leaves(out):
            if isinstance(t, torch.Tensor) and t.device.type == "cuda":
                self.see(t.untyped_storage())
        return out

    def see(self, storage):
        key = storage._cdata
        if storage.nbytes() == 0 or key in self.known:
            return
        self.count += 1
        self.known[key] = self.count
        self.lines.append(f"+{storage.nbytes()}")
        weakref.finalize(storage, self.dead, key)

    def dead(self, key):
        self.lines.append(f"-{self.known.pop(key)}")


def bitsandbytes():
    """bitsandbytes.optim whose kernels do nothing and whose managed memory is the host's."""
    import bitsandbytes.functional as F
    import bitsandbytes.optim as optim
    import bitsandbytes.optim.optimizer as base

    def paged(*shape, dtype=torch.float32, device=None):
        out = torch.empty(*shape, dtype=dtype, device="cpu")
        out.is_paged = True
        return out

    F.get_paged = paged
    F.fill = F.prefetch_tensor = lambda *a, **k: None
    F.optimizer_update_32bit = F.optimizer_update_8bit_blockwise = lambda *a, **k: None
    base.sync_gpu = lambda *a: None
    return optim


def optimizer_of(name, parameters, on):
    decay = 0.1 if on("decay") else 0.0
    momentum = {"momentum": 0.9} if on("momentum") else {}
    if name.startswith(("adamw_bnb", "adamw_8bit", "paged_adamw", "lion_bnb", "lion_8bit", "paged_lion")):
        optim = bitsandbytes()
        cls = optim.AdamW if "adamw" in name else optim.Lion
        bits = 8 if name.endswith("8bit") else 32
        return cls(parameters, optim_bits=bits, is_paged=name.startswith("paged"))
    if name == "adafactor_transformers":
        from transformers import Adafactor

        return Adafactor(parameters, lr=1e-3, scale_parameter=False, relative_step=False)
    if name == "lion":
        from lion_pytorch import Lion

        return Lion(parameters)
    kind, _, how = name.partition("_")
    flags = {"loop": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}
    how = flags[how or ("foreach" if kind == "sgd" else "loop")]
    if kind == "sgd":
        return torch.optim.SGD(parameters, nesterov=on("nesterov"), weight_decay=decay, **momentum, **how)
    if kind == "adafactor":
        return torch.optim.Adafactor(parameters, **how)
    if kind == "adam":
        return torch.optim.Adam(parameters, weight_decay=decay, **how)
    return torch.optim.AdamW(parameters, **how)


def train(settings, parameters, events):
    def on(name):
        return settings.get(name, "false") not in ("false", "none", "0")

    a, b, c, d = parameters
    name = settings["optimizer"]
    inward = on("in_backward")
    if inward:
        each = {p: optimizer_of(name, [p], on) for p in parameters}

        def hook(p):
            each[p].step()
            each[p].zero_grad()

        for p in parameters:
            p.register_post_accumulate_grad_hook(hook)
    else:
        optimizer = optimizer_of(name, parameters, on)
    scaler = torch.amp.GradScaler("cuda", enabled=on("scaler"))
    if on("scaler"):
        scaler._enabled, scaler._init_scale, scaler._scale = True, 1.0, None
        scaler._growth_factor, scaler._backoff_factor, scaler._growth_interval = 2.0, 0.5, 2000
        scaler._init_growth_tracker, scaler._growth_tracker = 0, None
    for _ in range(2):
        x = torch.empty(8, 64, dtype=a.dtype, device="cuda")
        h = torch.nn.functional.linear(x, a)
        h = torch.nn.functional.linear(h, b, c)
        h = h * d
        loss = h.mean()
        scaler.scale(loss).backward()
        if on("scaler"):
            scaler.unscale_(optimizer)
        if on("clip"):
            by_list = settings.get("clip_foreach") != "false"
            torch.nn.utils.clip_grad_norm_(parameters, 1.0, foreach=by_list)
        if not inward:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad(set_to_none=settings.get("set_to_none") != "false")
    return list(events.lines)  # before anything dies with this function


def liger(h, w, labels):
    no_kernels()
    torch.equal = lambda *a: True
    import liger_kernel.ops.fused_linear_cross_entropy as module

    # torch.tensor(1.0, device=…) would copy from the host: the same one tensor
    module.torch = types.SimpleNamespace(
        **{**vars(torch), "tensor": lambda value, device: torch.full((), value, device=device)}
    )
    from liger_kernel.transformers.model.loss_utils import LigerForCausalLMLoss

    return LigerForCausalLMLoss(h, w, labels, h.size(-1))


def transformers_loss(h, w, labels):
    from transformers.loss.loss_utils import ForCausalLMLoss

    logits = torch.nn.functional.linear(h, w)
    return ForCausalLMLoss(logits, labels, w.size(0))


def torchtune_chunks(h, w, labels):
    import torchtune_loss as module

    logits = [torch.nn.functional.linear(chunk, w) for chunk in h.chunk(8, dim=1)]
    return module.CEWithChunkedOutputLoss()(logits, labels)


LOSSES = {"liger": liger, "transformers": transformers_loss, "chunked": torchtune_chunks}


def lose(settings, parameters, events):
    a, w = parameters
    low = settings.get("autocast", "none")
    for _ in range(2):
        x = torch.empty(2, 96, 512, dtype=a.dtype, device="cuda")
        labels = torch.empty(2, 96, dtype=torch.int64, device="cuda")
        with torch.autocast("cuda", dtype=TYPES.get(low, torch.bfloat16), enabled=low != "none"):
            h = torch.nn.functional.linear(x, a)
            loss = LOSSES[settings["criterion"]](h, w, labels)
        loss.backward()
        a.grad = w.grad = None
    return list(events.lines)


def run(line):
    settings = dict(x.split("=") for x in line.split())
    weights, small = TYPES[settings["weights"]], TYPES[settings.get("small", settings["weights"])]
    with FakeTensorMode(allow_non_fake_inputs=True):
        shapes = [((96, 64), weights), ((1200, 96), weights), ((1200,), weights), ((1200,), small)]
        if "criterion" in settings:
            shapes = [((512, 512), weights), ((4000, 512), weights)]
        parameters = [torch.nn.Parameter(torch.empty(*s, dtype=t, device="cuda")) for s, t in shapes]
        if settings.get("frozen") == "true":
            parameters[1].requires_grad_(False)
        events = Events(parameters)
        with events:
            return " ".join((lose if "criterion" in settings else train)(settings, parameters, events))


def main():
    # the file alone: the package wants more than is needed here
    spec = importlib.util.find_spec("torchtune")
    if spec:
        path = spec.submodule_search_locations[0] + "/modules/loss/ce_chunked_output_loss.py"
        spec = importlib.util.spec_from_file_location("torchtune_loss", path)
        sys.modules["torchtune_loss"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["torchtune_loss"])
    torch.cuda.is_available = lambda: False
    torch.cuda.is_bf16_supported = lambda *a: True
    torch.amp.grad_scaler.torch.cuda.amp.common.amp_definitely_not_available = lambda: False
    print(f"# torch {torch.__version__}: tests/tooling/step_optimizer.py")
    wanted = sys.argv[2:]
    with open(sys.argv[1]) as f:
        for line in f:
            line = line.split("#")[0].strip()
            if line and all(w in line.split() for w in wanted):
                print(f"{line}\t{run(line)}", flush=True)


main()
