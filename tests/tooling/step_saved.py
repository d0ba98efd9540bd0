"""What PyTorch does with memory in a training step of a transformers model, without a card.

    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so.1 tests/tooling/fake_cuda.c
    LD_PRELOAD=$PWD/libcuda.so.1 python tests/tooling/step_saved.py tests/data/steps/saved [CONFIG…]

The model runs on fake CUDA tensors (FakeTensorMode): every operation is dispatched as on a card, so
CUDA's choices (dropout with a bool mask, fp32 statistics, the attention kernel of an A100, autocast)
are PyTorch's own, but nothing is computed. fake_cuda.c answers the few calls that ask for a device.

Reads cases.tsv in the folder (config, class, batch, tokens or - for images, weights, autocast,
attention, cache) and writes beside it:

saved.tsv   the case, the number and bytes of what is left when inputs and outputs are gone (gradients, what a
            model keeps), and the sizes of all storages that are alive after the forward pass with its inputs
            and output, as count*bytes
events.tsv.gz  the case, and each storage as it is made and freed: bytes, or -k for the k-th before the
            next one to be made; what one operation makes is in the order of its results; "|" after the
            forward pass and after backward

Parameters and buffers are left out. With configs named, their rows go to standard output, one event
a line with the operation that made it (what a Python object's death frees has none).

What a kernel allocates for itself is not seen here: it is below the dispatcher.
A mixture of experts asks the card which experts a token goes to, which no fake tensor knows: the
case's last column is then "nocache+balanced" (as evenly as it goes) or "nocache+one" (all to the same
ones). "nocache+reentrant" and "nocache+full" run each layer again in backward (torch.utils.checkpoint),
"nocache+op" and the other names of POLICIES without what the operations of that policy gave.
"nocache+lora:q_proj,v_proj" trains adapters of rank 8 alone (peft, its defaults; all-linear for every
module that it would take), "nocache+lora-drop:…" with dropout.
"""
import collections
import contextlib
import functools
import gzip
import itertools
import json
import os
import sys
import weakref

import peft
import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import checkpoint
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from step_cases import cases_of
from step_stand_ins import no_padding

ROUTINGS = ("one", "balanced")
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
ONE_USE = 4  # of a tensor in __torch_dispatch__ that nothing else holds
# of FunctionsManual.cpp, which does it out of place for subclasses of Tensor
IN_PLACE = {
    torch.ops.aten.index_put.default: torch.ops.aten.index_put_.default,
    torch.ops.aten.scatter.src: torch.ops.aten.scatter_.src,
    torch.ops.aten.scatter_add.default: torch.ops.aten.scatter_add_.default,
}
# the seeds of an unused generator are on the host
FLASH = ("_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention")

aten = torch.ops.aten
ATTENTION = [
    aten._scaled_dot_product_efficient_attention.default,
    aten._scaled_dot_product_flash_attention.default,
]
# what is kept: all results of an operation, or of every second one the first
POLICIES = {
    # torchtitan parallelisms/parallelize_llama.py, torchtune training/_activation_checkpointing.py
    "op": (ATTENTION + [aten.max.default], [aten.mm.default]),
    "products": (ATTENTION + [aten.mm.default, aten.bmm.default, aten.addmm.default], []),
    "pointwise": ([aten.silu.default, aten.gelu.default, aten.mul.Tensor, aten.native_dropout.default], []),
}


def selective(name):
    """As torchtitan's selective_checkpointing_context_fn: the count begins anew with each region."""
    always, second = POLICIES[name]
    seen = collections.Counter()

    def policy(ctx, func, *_args, **_kwargs):
        seen[ctx.is_recompute, func] += 1
        kept = func in always or func in second and seen[ctx.is_recompute, func] % 2
        wanted = checkpoint.CheckpointPolicy
        return wanted.MUST_SAVE if kept else wanted.PREFER_RECOMPUTE

    return checkpoint.create_selective_checkpoint_contexts(policy)


class Again(contextlib.ExitStack):
    """Around what is run again."""

    running = False

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __enter__(self):
        Again.running = True
        self.callback(setattr, Again, "running", False)
        return self.enter_context(self.inner)


def contexts(how):
    none = contextlib.nullcontext()
    first, again = selective(how) if how in POLICIES else (none, none)
    return first, Again(again)


def run_again(model, how):
    if how:
        settings = {"use_reentrant": how == "reentrant"}
        if how != "reentrant":
            settings["context_fn"] = functools.partial(contexts, how)
        model.gradient_checkpointing_enable(settings)


def with_adapters(model, word):
    """"lora:names" or "lora-drop:names"; the model itself without a word."""
    if not word:
        return model
    how, names = word.split(":")
    names = names if names == "all-linear" else names.split(",")
    dropout = 0.1 if how == "lora-drop" else 0.0
    return peft.get_peft_model(model, peft.LoraConfig(r=8, target_modules=names, lora_dropout=dropout))


class Experts:
    """The answers that depend on values: which experts are used, and by how many tokens."""

    def __init__(self, config, how):
        config = config.get_text_config()
        self.count = 0
        for name in ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"):
            self.count = self.count or getattr(config, name, 0)
        self.used = getattr(config, "num_experts_per_tok", 0) or getattr(config, "moe_k", 0)
        self.how = how
        self.at = 0
        self.model = config.model_type
        self.numbers = self.empty = iter(())

    def rows(self, tokens):
        """Of each expert in turn."""
        if self.how == "one":
            return [tokens * (e < self.used) for e in range(self.count)]
        each, more = divmod(tokens * self.used, self.count)
        return [each + (e < more) for e in range(self.count)]


    def routed(self, tokens):
        """What is asked about from here on: sizes of all experts, or where each one's tokens begin and end."""
        self.at = 0
        self.left = self.rows(tokens)
        if self.model.startswith("granitemoe"):
            self.numbers = iter(self.left)
        if self.model == "deepseek_v2":
            ends = list(itertools.accumulate(self.left))
            bounds = [(end - n, end) for n, end in zip(self.left, ends) if n]
            self.empty = iter([not n for n in self.left])
            self.numbers = iter([at for pair in bounds for at in pair if at])


class Events(TorchDispatchMode):
    """Each storage's birth, by the operation that made it, and its death."""

    def __init__(self, own, experts):
        super().__init__()
        self.ids = {t.untyped_storage()._cdata: None for t in own}
        self.references = {}
        self.events = []
        self.made = 0
        self.in_backward = False
        self.experts = experts

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        out = self.answer(name, args)
        # what is run again in backward has a graph, gradients have none
        in_backward = self.in_backward and not (Again.running or torch.is_grad_enabled())
        if out is None and in_backward and func is torch.ops.aten.add.Tensor:
            out = self.accumulate(*args)
        if out is None and in_backward and func in IN_PLACE:
            out = IN_PLACE[func](*args)
        if out is None and self.is_mask_of_scores(func, args):
            out = torch.ops.aten.add_.Tensor(*args)
        if out is None:
            out = func(*args, **(kwargs or {}))
        leaves = tree_leaves(out)
        born = {}
        for t in leaves[:2] if name in FLASH else leaves:
            if isinstance(t, torch.Tensor) and t.device.type == "cuda":
                storage = t.untyped_storage()
                if storage._cdata not in self.ids and storage.nbytes():
                    born[storage._cdata] = storage
        for storage in born.values():
            self.note(storage, name)
        return out

    def answer(self, name, args):
        """What depends on values; None for all else."""
        experts = self.experts
        if name == "nonzero" and args[0].dim() == 1:  # which experts are used
            experts.left = [n for n in experts.left if n]
            return torch.empty(len(experts.left), 1, dtype=torch.int64, device=args[0].device)
        if name == "nonzero" and args[0].dim() == 2:  # an expert's tokens
            rows = experts.left[experts.at]
            experts.at += 1
            return torch.empty(rows, 2, dtype=torch.int64, device=args[0].device)
        if name == "_local_scalar_dense" and args[0].dtype == torch.bool:
            return next(experts.empty, False)
        if name == "_local_scalar_dense":
            return next(experts.numbers, min(experts.at, experts.count - 1))
        if name == "topk":
            experts.routed(args[0].shape[0])
        return None

    def accumulate(self, old, new):
        """InputBuffer.cpp adds in place what nothing else holds, but not in subclasses of Tensor,
        as fake tensors are: so it is done here."""
        storage = torch._C._storage_Use_Count(old.untyped_storage()._cdata)
        alone = old._use_count() == ONE_USE and storage == 1 and not old._is_view()
        if alone and torch._prims_common.is_non_overlapping_and_dense(old):
            return torch.ops.aten.add_.Tensor(old, new)
        return None

    @staticmethod
    def is_mask_of_scores(func, args):
        """_scaled_dot_product_attention_math: attn.add_(mask), but add() for subclasses."""
        return (
            func is torch.ops.aten.add.Tensor
            and isinstance(args[1], torch.Tensor)
            and (args[0].dim(), args[1].dim()) == (4, 2)
        )

    def note(self, storage, name):
        cdata, number = storage._cdata, self.made
        self.made += 1
        self.ids[cdata] = number
        self.events.append((number, storage.nbytes(), name))

        def gone(_):
            self.events.append((number, None, ""))
            del self.ids[cdata], self.references[number]

        self.references[number] = weakref.ref(storage, gone)

    def mark(self):
        self.events.append(None)

    def alive(self):
        sizes = {}
        for event in filter(None, self.events):
            sizes[event[0]] = event[1]
        return [bytes_ for bytes_ in sizes.values() if bytes_ is not None]


def inputs_of(model, config, case):
    cls, batch, tokens = case[1], int(case[2]), int(case[3].replace("-", "0"))
    if "pixel" in model.main_input_name:
        side = config.image_size
        labels = torch.empty(batch, dtype=torch.int64)
        pixels = torch.empty(batch, config.num_channels, side, side, dtype=model.dtype)
        return {"pixel_values": pixels, "labels": labels}
    if model.main_input_name == "input_features":
        length = 2 * config.max_source_positions
        sound = torch.empty(batch, config.num_mel_bins, length, dtype=model.dtype)
        return {"input_features": sound, "labels": torch.empty(batch, tokens, dtype=torch.int64)}
    ids = torch.empty(batch, tokens, dtype=torch.int64)
    padding = torch.ones(batch, tokens, dtype=torch.int64)
    shape = (batch,) if "SequenceClassification" in cls else (batch, tokens)
    return {
        "input_ids": ids,
        "attention_mask": padding,
        "labels": torch.empty(shape, dtype=torch.int64),
    }


def forward(model, inputs, autocast):
    torch.set_default_device("cpu")  # what a model makes without a device is on the host
    if autocast == "none":
        return model(**inputs)
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", DTYPES[autocast])
    torch.autocast_increment_nesting()
    torch.set_autocast_cache_enabled(True)
    try:
        return model(**inputs)
    finally:
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        torch.set_autocast_enabled("cuda", False)


def config_path(folder, name):
    """In the folder, or in "saved" beside it."""
    path = os.path.join(folder, name + ".json")
    return path if os.path.exists(path) else os.path.join(folder, "..", "saved", name + ".json")


def run(folder, case):
    config_name, cls, _, _, weights, autocast, attention, more = case
    cache, *words = more.split("+")
    routing = next((word for word in words if word in ROUTINGS), "")
    lora = next((word for word in words if word.startswith("lora")), "")
    again = next((word for word in words if word not in (*ROUTINGS, lora)), "")
    with open(config_path(folder, config_name)) as f:
        values = json.load(f)
    config = transformers.AutoConfig.for_model(**values)
    config._attn_implementation = attention
    config.get_text_config().use_cache = config.use_cache = cache == "cache"
    torch.set_default_dtype(DTYPES[weights])
    with FakeTensorMode(allow_non_fake_inputs=True):
        torch.set_default_device("cuda")
        model = getattr(transformers, cls)(config)
        model.train()
        torch.set_default_dtype(torch.float32)  # what a model makes on its way is not of its weights' type
        run_again(model, again)
        model = with_adapters(model, lora)
        own = list(model.parameters()) + list(model.buffers())
        live = Events(own, Experts(config, routing))
        with live:
            inputs = inputs_of(model, config, case)
            out = forward(model, inputs, autocast)
            live.mark()
            alive = live.alive()
            live.in_backward = True
            out.loss.backward()
            live.mark()
        events = list(live.events)
        del out, inputs
        left = live.alive()
    torch.set_default_device("cpu")
    return alive, left, events


def saved_text(alive, left):
    sizes = collections.Counter(alive)
    return [str(len(left)), str(sum(left)), " ".join(f"{n}*{size}" for size, n in sorted(sizes.items()))]


def event_texts(events):
    made = 0
    for event in events:
        if event is None:
            yield "|", ""
        elif event[1] is not None:
            made += 1
            yield str(event[1]), event[2]
        else:
            yield str(event[0] - made), ""


def one_hot(x, num_classes):
    """As on a card; for subclasses of Tensor it is a comparison with a range."""
    out = torch.zeros(*x.shape, num_classes, dtype=torch.int64, device=x.device)
    return out.scatter_(-1, x.unsqueeze(-1), 1)


def patch():
    torch.nn.functional.one_hot = one_hot
    torch.cuda.amp.common.amp_definitely_not_available = lambda: False
    torch.cuda.is_bf16_supported = lambda *_: True
    torch.cuda.is_available = lambda: False
    no_padding()


def main():
    patch()
    folder, wanted = sys.argv[1], sys.argv[2:]
    head = f"# torch {torch.__version__}, transformers {transformers.__version__}: tests/tooling/step_saved.py"
    rows = {"saved.tsv": [head], "events.tsv.gz": [head]}
    for case in cases_of(folder):
        if wanted and case[0] not in wanted and "@".join(case) not in wanted:
            continue
        try:
            alive, left, events = run(folder, case)
        except Exception as error:
            print("FAILED", case, repr(error)[:400], file=sys.stderr)
            if wanted:
                raise
            continue
        saved = "\t".join(case + saved_text(alive, left))
        if wanted:
            print(saved)
            for text, name in event_texts(events):
                print(f"{text}\t{name}")
        else:
            print(case, file=sys.stderr)
        rows["saved.tsv"].append(saved)
        rows["events.tsv.gz"].append("\t".join(case + [" ".join(x for x, _ in event_texts(events))]))
    for name in rows if not wanted else ():
        if name == "saved.tsv" and not os.path.exists(os.path.join(folder, name)):
            continue  # a folder has it or not
        text = ("\n".join(rows[name]) + "\n").encode()
        with open(os.path.join(folder, name), "wb") as f:
            f.write(gzip.compress(text, 9, mtime=0) if name.endswith(".gz") else text)


if __name__ == "__main__":
    main()
