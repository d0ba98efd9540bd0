"""What torchtune's own models allocate and free in two steps of a recipe, without a card.

    pip install --no-deps --target LIB torchtune==0.6.1 torchao==0.9.0
    LD_PRELOAD=$PWD/libcuda.so.1 PYTHONPATH=LIB python tests/tooling/step_torchtune.py tests/data/steps/torchtune > events.tsv

(libcuda.so.1: see step_parallel.py, whose form the rows have.) Reads cases.tsv in the folder: the name of a
config there, the builder, and settings as data/steps/torchtune.step calls them. The loop is that of
recipes/full_finetune_single_device.py, or lora_finetune_single_device.py with rank=; packages that torchtune
imports for data and tokenizers are stand-ins.
"""
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import sys
import types

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from step_cases import each_in_a_process, row_of
from step_parallel import DTYPES, OPTIMIZERS, Events, Recorder, stand_ins


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Packages that no model needs."""

    names = ("datasets", "tiktoken", "sentencepiece", "blobfile", "kagglehub", "PIL", "omegaconf", "torchdata")

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        any_of = classmethod(lambda cls, _: cls)
        module.__getattr__ = lambda name: type(name, (), {"__class_getitem__": any_of})
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


def model_of(folder, config_name, builder, case):
    with open(os.path.join(folder, config_name + ".json")) as f:
        c = json.load(f)
    lora = "rank" in case
    models = importlib.import_module(f"torchtune.models.{builder}._component_builders")
    named = dict(
        vocab_size=c["vocab_size"],
        num_layers=c["num_hidden_layers"],
        num_heads=c["num_attention_heads"],
        num_kv_heads=c["num_key_value_heads"],
        embed_dim=c["hidden_size"],
        intermediate_dim=c["intermediate_size"],
        max_seq_len=int(case.get("context", "256")),
    )
    if "head_dim" in c and builder.startswith("gemma"):
        named["head_dim"] = c["head_dim"]
    if builder.startswith("gemma2"):
        named["sliding_window_size"] = c["sliding_window"]
        named["query_pre_attn_scalar"] = c["head_dim"]
    if builder == "qwen2":
        named["tie_word_embeddings"] = c["tie_word_embeddings"]
    if lora:
        named.update(lora_attn_modules=["q_proj", "v_proj"], lora_rank=int(case["rank"]), lora_alpha=16)
    torch.set_default_dtype(DTYPES[case.get("weights", "bf16")])
    torch.set_default_device("cuda")
    model = getattr(models, ("lora_" if lora else "") + builder)(**named)
    torch.set_default_device("cpu")
    torch.set_default_dtype(torch.float32)
    if lora:
        for name, p in model.named_parameters():
            p.requires_grad_("lora_" in name)
    model.train()
    return model


def scale_grads(model, scaler):
    for p in model.parameters():
        if p.grad is not None:
            p.grad *= scaler


def steps(model, case, events):
    optimizer = OPTIMIZERS[case.get("optimizer", "adamw_foreach")](p for p in model.parameters() if p.requires_grad)
    batch, tokens = int(case["batch"]), int(case["tokens"])
    accumulation = int(case.get("accumulation", "1"))
    chunks = int(case.get("chunks", "0"))
    if chunks:
        from torchtune.modules.loss import CEWithChunkedOutputLoss

        loss_fn = CEWithChunkedOutputLoss(num_output_chunks=chunks)
        model.set_num_output_chunks(chunks)
    else:
        loss_fn = torch.nn.CrossEntropyLoss(ignore_index=-100)
    torch.set_default_device("cuda")
    ignored = torch.full((batch, 1), -100)
    torch.set_default_device("cpu")
    events.begin()

    def loss_step(of):
        labels = of.pop("labels")
        logits = model(**of)
        labels = torch.hstack((labels[..., 1:], ignored[: labels.shape[0]]))
        if not isinstance(logits, list):
            labels = labels.reshape(-1)
            logits = logits.reshape(-1, logits.size(-1))
        loss = loss_fn(logits, labels)
        del logits
        return loss

    running_loss = 0
    num_tokens = 0
    for _ in range(2):
        for _ in range(accumulation):
            events.say("batch")
            torch.set_default_device("cuda")
            of = {name: torch.empty(batch, tokens, dtype=torch.int64) for name in ("tokens", "labels")}
            torch.set_default_device("cpu")
            current_num_tokens = (of["labels"] != -100).sum()
            num_tokens += current_num_tokens
            current_loss = loss_step(of) * current_num_tokens
            running_loss += current_loss
            events.say("backward")
            current_loss.backward()
        events.say("optimizer")
        scale_grads(model, 1 / num_tokens)
        if "clip" in case:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=float(case["clip"]))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        logged = 2.0 / num_tokens  # running_loss.item(), which has no value here
        running_loss = 0
        num_tokens = 0
    events.told = False


def run(folder, words):
    case = dict(word.split("=") for word in words[2:])
    events = Events()
    stand_ins(events)
    sys.meta_path.append(Missing())
    with FakeTensorMode(allow_non_fake_inputs=True), Recorder(events):
        steps(model_of(folder, words[0], words[1], case), case, events)
    print(row_of(words, events.said), flush=True)
    os._exit(0)


def main():
    folder = sys.argv[1]
    if len(sys.argv) > 2:  # one case: stand-ins are for one process
        run(folder, sys.argv[2:])
    each_in_a_process(folder, __file__, f"torch {torch.__version__}, torchtune 0.6.1")


main()
