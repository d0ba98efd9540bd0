"""What one rank of a data-parallel job allocates and frees in two steps, without a card.

    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so.1 tests/tooling/fake_cuda.c
    LD_PRELOAD=$PWD/libcuda.so.1 python tests/tooling/step_parallel.py tests/data/steps/parallel | gzip -9n > events.tsv.gz

A transformers model is wrapped by PyTorch's own code and trained on fake CUDA tensors, in a process
group that is none (a config named …_lora: with peft's adapters). Reads cases.tsv in the folder: the name
of a config there, its class, and settings as data/steps/parallel.step calls them. Writes for each case a
line with these and the births (bytes, and @ the stream where it is not the default one), and deaths (- and
the number of the birth) of all storages from the wrapping on, a resize being one of both; & and the
number of a birth is record_stream() in another stream than its own; words are instants.

liger=true takes liger-kernel 0.8.5 (pip install --no-deps --target LIB, PYTHONPATH=LIB).

Not as on a card, and put right here: gradients are added in place where nothing else holds the first
(fake tensors, as all subclasses, are not); streams and events are stand-ins; FSDP1 is told that there is a
card, and the numbers of storages for their addresses, by which it knows what is sharded. A fake parameter
that comes from the host does not know where it is: FSDP1's moves are replaced (move), and in no case.
What kernels take for themselves is not seen.
"""
import contextlib
import json
import os
import sys
import types
import weakref

import torch
import torch.distributed as dist
import transformers
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from step_cases import each_in_a_process, row_of
from step_saved import Again, run_again
from step_stand_ins import no_kernels, no_padding

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "none": None}


class Stream:
    """Stands for a CUDA stream: only its number matters."""

    count = 0
    current = None

    def __init__(self, *_, **__):
        self.number = Stream.count
        Stream.count += 1

    def wait_event(self, event):
        pass

    wait_stream = wait_event

    def record_event(self, event=None):
        return Event()

    def synchronize(self):
        pass


class Event:
    def __init__(self, *_, **__):
        pass

    def record(self, stream=None):
        pass

    wait = record

    def synchronize(self):
        pass

    def query(self):
        return True


@contextlib.contextmanager
def on(stream):
    before = Stream.current
    Stream.current = stream if stream is not None else before
    try:
        yield
    finally:
        Stream.current = before


class Events:
    """Births, resizes and deaths of storages in the order in which they happen."""

    def __init__(self):
        self.said = []
        self.number_of = {}
        self.born_count = 0
        self.made_in = []
        self.known = {}
        self.told = False

    def see(self, storage):
        cdata = storage._cdata
        if cdata not in self.known:
            self.known[cdata] = weakref.ref(storage, lambda _: self.gone(cdata))
            if storage.nbytes() != 0:
                self.born(cdata, storage.nbytes())

    def gone(self, cdata):
        self.known.pop(cdata, None)
        self.died(cdata)

    def born(self, cdata, size):
        self.number_of[cdata] = self.born_count
        self.born_count += 1
        stream = Stream.current.number
        self.made_in.append(stream)
        self.say(f"{size}@{stream}" if stream else str(size))

    def died(self, cdata):
        number = self.number_of.pop(cdata, None)
        if number is not None:
            self.say(f"-{number}")

    def used(self, storage, stream):
        """record_stream(); nothing where the storage was made in that stream."""
        number = self.number_of.get(storage._cdata)
        if number is not None and self.made_in[number] != stream.number:
            self.say(f"&{number}@{stream.number}")

    def say(self, word):
        if self.told:
            self.said.append(word)

    def begin(self):
        """From here on; births are counted from 0, those before are -N."""
        self.told = True
        self.number_of = {c: n - self.born_count for c, n in self.number_of.items()}
        self.born_count = 0
        self.made_in = []


def is_of_reducer(tensors, named):
    """Numbers of buckets and of used parameters on the host, whose values PyTorch's reducer reads."""
    if not tensors:
        return named.get("dtype") == torch.int32 and str(named.get("device", "cpu")) == "cpu"
    return all(type(t) is torch.Tensor and t.dtype == torch.int32 for t in tensors)


class Recorder(TorchDispatchMode):
    def __init__(self, events):
        super().__init__()
        self.events = events

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented
        name = func.overloadpacket.__name__
        if func.namespace == "c10d":  # PyTorch's own reducer asks for these
            return self.collective(func, args, kwargs or {})
        named = kwargs or {}
        if name == "is_pinned":
            return True
        if name == "wait_tensor":  # gives back what it waits for
            return args[0]
        tensors = [t for t in tree_leaves(args) if isinstance(t, torch.Tensor)]
        if is_of_reducer(tensors, named) and (tensors or name.startswith(("empty", "zeros"))):
            with unset_fake_temporarily():
                return func(*args, **{k: v for k, v in named.items() if k != "pin_memory"})
        if name == "copy_" and type(args[0]) is torch.Tensor:
            return args[0]  # and gets back from the first rank
        in_backward = torch._C._current_autograd_node() is not None and not (Again.running or torch.is_grad_enabled())
        if name == "add" and in_backward:  # with gradients a checkpoint runs forward again
            storage = args[0].untyped_storage()
            if torch._C._storage_Use_Count(storage._cdata) <= 2:  # the tensor's, and this one
                args[0].add_(args[1])
                return args[0]
        out = func(*args, **(kwargs or {}))
        seeds = "scaled_dot_product" in name and not name.endswith("backward")  # on the host, as none is used
        for t in tree_leaves(out)[:2] if seeds else tree_leaves(out):
            if type(t).__name__ == "FakeTensor" and t.device.type == "cuda":
                self.events.see(t.untyped_storage())
        return out


    def collective(self, func, args, kwargs):
        """Done at once: the same of a tensor on the host, whose handle is given back."""
        with unset_fake_temporarily():
            work = func([torch.empty(1)], *args[1:], **kwargs)[1]
        return args[0], work


class Done:
    def wait(self, *_):
        return True

    def is_completed(self):
        return True


def stand_ins(events):
    torch.cuda.is_available = lambda: False
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 8
    Stream.current = Stream()
    torch.cuda.Stream = Stream
    torch.cuda.Event = Event
    torch.cuda.stream = on
    torch.cuda.current_stream = lambda device=None: Stream.current
    torch.cuda.synchronize = lambda device=None: None
    resize = torch.UntypedStorage.resize_

    def resize_(storage, size):
        before = storage.nbytes()
        if before != 0 and size == 0:
            events.died(storage._cdata)
        out = resize(storage, size)
        if before == 0 and size != 0 and storage._cdata in events.known:
            events.born(storage._cdata, size)
        return out

    torch.UntypedStorage.resize_ = resize_

    def nothing(*_, async_op=False, **__):
        return Done() if async_op else None

    for name in ("all_gather_into_tensor", "reduce_scatter_tensor", "all_reduce", "broadcast", "barrier"):
        setattr(dist, name, nothing)
        setattr(dist.distributed_c10d, name, nothing)
    no_padding()


def model_of(folder, config_name, cls, case):
    with open(os.path.join(folder, config_name + ".json")) as f:
        values = json.load(f)
    config = transformers.AutoConfig.for_model(**values)
    config._attn_implementation = "eager"
    config.use_cache = False
    torch.set_default_dtype(DTYPES[case.get("weights", "f32")])
    torch.set_default_device("cpu" if case.get("shards_from") == "host" else "cuda")
    model = getattr(transformers, cls)(config)
    if config_name.endswith("_lora"):
        import peft

        adapters = peft.LoraConfig(r=8, lora_alpha=8, lora_dropout=0, target_modules=["q_proj", "v_proj"])
        peft.inject_adapter_in_model(adapters, model)
    torch.set_default_device("cpu")
    torch.set_default_dtype(torch.float32)
    for name, weight in model.named_parameters():
        if any(name == end or name.endswith("." + end) for end in case.get("frozen", "none").split(",")):
            weight.requires_grad_(False)
    model.train()
    if "checkpoint" in case:
        run_again(model, case.get("selective", "reentrant" if case.get("reentrant") == "true" else "full"))
    return model


def use_liger():
    """use_liger_kernel but for the loss, whose kernels read values; kernels do nothing, on 108 multiprocessors."""
    no_kernels()
    torch.cuda.get_device_properties = lambda *a: types.SimpleNamespace(multi_processor_count=108, major=8, minor=0)
    version, transformers.__version__ = transformers.__version__, "5.0.0"  # which 0.8.5 asks for, not the kernels
    from liger_kernel.transformers.rms_norm import LigerRMSNorm
    from liger_kernel.transformers.rope import liger_rotary_pos_emb
    from liger_kernel.transformers.swiglu import LigerSwiGLUMLP

    transformers.__version__ = version
    llama = transformers.models.llama.modeling_llama
    llama.apply_rotary_pos_emb, llama.LlamaRMSNorm, llama.LlamaMLP = liger_rotary_pos_emb, LigerRMSNorm, LigerSwiGLUMLP


def layers_of(model):
    base = model.base_model
    return base.layers if hasattr(base, "layers") else base.h


def wrap_fsdp2(model, case, mesh, events):
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    policy = dict(
        param_dtype=DTYPES[case.get("low_weights", "none")],
        reduce_dtype=DTYPES[case.get("reduce_type", "none")],
        cast_forward_inputs=case.get("cast_inputs", "true") == "true",
    )
    named = dict(
        mesh=mesh,
        mp_policy=MixedPrecisionPolicy(**policy),
        reshard_after_forward=case.get("reshard", "true") == "true",
    )
    for layer in layers_of(model):
        fully_shard(layer, **named)
    named["mp_policy"] = MixedPrecisionPolicy(output_dtype=DTYPES[case.get("low_outputs", "none")], **policy)
    fully_shard(model, **named)
    return model, lambda last: model.set_requires_gradient_sync(last)


class Handle:
    """What FSDP1 takes for torch.cuda: the stand-ins, and a card that is there."""

    def is_available(self):
        return True

    def __getattr__(self, name):
        return getattr(torch.cuda, name)


def addresses():
    """A fake tensor has none, but FSDP1 asks whether two are the same."""

    def of_storage(storage):
        return storage._cdata if storage.nbytes() else 0

    torch.UntypedStorage.data_ptr = of_storage
    FakeTensor.data_ptr = lambda tensor: of_storage(tensor.untyped_storage())


def move(params, buffers, device):
    """_move_states_to_device; a fake parameter does not see that its data are on another device."""
    with torch.no_grad():
        for t in params + buffers:
            t.data = t.to(device)
            t.fake_device = device


def wrap_fsdp1(model, case, mesh, events):
    from torch.distributed.fsdp import _common_utils, _flat_param, _init_utils, _runtime_utils
    from torch.distributed.fsdp import BackwardPrefetch, FullyShardedDataParallel, MixedPrecision, ShardingStrategy
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    addresses()
    _init_utils._move_states_to_device = move
    _common_utils._FSDPDeviceHandle.from_device = lambda device: Handle()
    for module in (_flat_param, _runtime_utils):
        module._no_dispatch_record_stream = lambda tensor, stream: events.used(tensor.untyped_storage(), stream)
    precision = None
    if any(DTYPES[case.get(name, "none")] for name in ("low_weights", "reduce_type", "low_buffers")):
        precision = MixedPrecision(
            param_dtype=DTYPES[case.get("low_weights", "none")],
            reduce_dtype=DTYPES[case.get("reduce_type", "none")],
            buffer_dtype=DTYPES[case.get("low_buffers", "none")],
        )
    prefetch = {"before": BackwardPrefetch.BACKWARD_PRE, "after": BackwardPrefetch.BACKWARD_POST, "none": None}
    replicas = int(case.get("replicas", "1"))
    if case.get("reshard") == "false":
        strategy = ShardingStrategy._HYBRID_SHARD_ZERO2 if replicas > 1 else ShardingStrategy.SHARD_GRAD_OP
    else:
        strategy = ShardingStrategy.HYBRID_SHARD if replicas > 1 else ShardingStrategy.FULL_SHARD
    wrapped = FullyShardedDataParallel(
        model,
        auto_wrap_policy=ModuleWrapPolicy({type(layers_of(model)[0])}),
        sharding_strategy=strategy,
        device_mesh=mesh if replicas > 1 else None,
        mixed_precision=precision,
        backward_prefetch=prefetch[case.get("prefetch", "before")],
        forward_prefetch=case.get("prefetch_forward") == "true",
        limit_all_gathers=case.get("limit_gathers", "true") == "true",
        use_orig_params=case.get("original_params") == "true",
        sync_module_states=case.get("sync_states") == "true",
        device_id=0,
    )
    for module in FullyShardedDataParallel.fsdp_modules(wrapped) if case.get("widens") == "true" else ():
        weights = module._flat_param  # as in accelerate's prepare_model()
        if weights.dtype != torch.float32 and weights.requires_grad:
            weights.data = weights.data.to(torch.float32)
            module._handle._orig_param_dtype = torch.float32
    no_sync = []

    def syncs(last):
        while no_sync:
            no_sync.pop().__exit__(None, None, None)
        if not last:
            no_sync.append(wrapped.no_sync())
            no_sync[0].__enter__()

    return wrapped, syncs


def wrap_ddp(model, case, mesh, events):
    import torch.nn.parallel.distributed as parallel

    parallel._verify_param_shape_across_processes = lambda *_: None
    wrapped = parallel.DistributedDataParallel(
        model,
        gradient_as_bucket_view=case.get("bucket_views") == "true",
        find_unused_parameters=case.get("find_unused") == "true",
        bucket_cap_mb=int(case.get("bucket_mib", "0")) or None,
    )

    def reduced(_, bucket):  # a handle of the fake group has no tensors to give
        future = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future

    wrapped.register_comm_hook(None, reduced)

    def syncs(last):
        wrapped.require_backward_grad_sync = last

    return wrapped, syncs


OPTIMIZERS = {
    "adamw_foreach": lambda p: torch.optim.AdamW(p, foreach=True),
    "adamw_fused": lambda p: torch.optim.AdamW(p, fused=True),
    "adamw_loop": lambda p: torch.optim.AdamW(p, foreach=False),
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, foreach=True),
    "sgd_momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, foreach=True),
    "sgd_loop": lambda p: torch.optim.SGD(p, lr=0.1, foreach=False),
}


def clip(model, norm):
    if hasattr(model, "clip_grad_norm_"):  # FSDP1's own
        model.clip_grad_norm_(norm)
    else:
        torch.nn.utils.clip_grad_norm_(model.parameters(), norm)


def steps(model, case, syncs, events):
    optimizer = OPTIMIZERS[case.get("optimizer", "adamw_foreach")](model.parameters())
    batch, tokens = int(case["batch"]), int(case["tokens"])
    accumulation = int(case.get("accumulation", "1"))
    for _ in range(2):
        for m in range(accumulation):
            events.say("batch")
            torch.set_default_device("cuda")
            ids = torch.empty(batch, tokens, dtype=torch.int64)
            mask = torch.ones(batch, tokens, dtype=torch.int64)
            labels = torch.empty(batch, tokens, dtype=torch.int64)
            torch.set_default_device("cpu")
            syncs(case.get("sync") != "last" or m + 1 == accumulation)
            out = model(input_ids=ids, attention_mask=mask, labels=labels)
            events.say("backward")
            out.loss.backward()
        if "clip" in case:
            events.say("clip")
            clip(model, float(case["clip"]))
        events.say("optimizer")
        optimizer.step()
        optimizer.zero_grad()
    events.told = False


def run(folder, words):
    case = dict(word.split("=") for word in words[2:])
    events = Events()
    stand_ins(events)
    ranks = int(case["ranks"])
    replicas = int(case.get("replicas", "1"))
    dist.init_process_group(
        "fake",
        store=FakeStore(),
        rank=int(case.get("this_rank", "0")),
        world_size=ranks * replicas,
    )
    mesh = (
        init_device_mesh("cuda", (ranks,))
        if replicas == 1
        else init_device_mesh("cuda", (replicas, ranks), mesh_dim_names=("replicate", "shard"))
    )
    if case.get("liger") == "true":
        use_liger()
    with FakeTensorMode(allow_non_fake_inputs=True), Recorder(events):
        model = model_of(folder, words[0], words[1], case)
        events.begin()
        model, syncs = {"fsdp1": wrap_fsdp1, "fsdp2": wrap_fsdp2, "ddp": wrap_ddp}[case["parallel"]](model, case, mesh, events)
        steps(model, case, syncs, events)
    print(row_of(words, events.said), flush=True)
    os._exit(0)


def main():
    folder = sys.argv[1]
    if len(sys.argv) > 2:  # one case: stand-ins are for one process
        run(folder, sys.argv[2:])
    each_in_a_process(folder, __file__, f"torch {torch.__version__}, transformers {transformers.__version__}")


if __name__ == "__main__":
    main()
