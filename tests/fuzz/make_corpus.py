#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets for json_tree, safetensors and gguf: small and valid, so that
a changed byte is never far from a rule. Run it again after changing it; the result is committed."""
import gzip
import json
import pathlib
import pickle
import struct

HERE = pathlib.Path(__file__).resolve().parent / "corpus"


def save(target, name, data):
    folder = HERE / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def json_tree():
    save("json_tree", "config", '{"architectures":["X"],"hidden_size":4096,"rope_theta":1e6,"eps":1e-05,'
         '"tie":false,"quant":null,"limit":[0.0,Infinity],"n":[NaN,-Infinity]}')
    save("json_tree", "many", json.dumps({f"k{i}": i for i in range(12)}))
    save("json_tree", "escapes", '["\\u00e9\\ud83d\\ude00\\n\\"\\\\\\/","é\U0001f600"]')
    save("json_tree", "numbers", "[0,-0,1.5e3,18446744073709551615,-9223372036854775808,1E-2]")
    save("json_tree", "deep", "[" * 20 + "{}" + "]" * 20)
    save("json_tree", "scalar", " true ")


def safetensors_file(tensors, metadata=None, data=None, pad=0):
    header = {} if metadata is None else {"__metadata__": metadata}
    end = 0
    for name, dtype, shape, size in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header, separators=(",", ":")).encode() + b" " * pad
    return struct.pack("<Q", len(text)) + text + bytes(end if data is None else data)


def safetensors():
    save("safetensors", "empty", safetensors_file([]))
    save("safetensors", "two", safetensors_file([("a", "BF16", [2, 3], 12), ("b", "F32", [], 4)],
                                                {"format": "pt"}, pad=3))
    save("safetensors", "odd", safetensors_file([("a", "F4", [4], 2), ("z", "U8", [0, 9], 0), ("x", "Q9", [3], 5)]))
    swapped = ('{"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},'
               '"a":{"data_offsets":[0,1],"shape":[1],"dtype":"I8"}}').encode()
    save("safetensors", "swapped", struct.pack("<Q", len(swapped)) + swapped + bytes(2))
    save("safetensors", "usual", safetensors_file(
        [(f"layers.0.experts.{i}.down_proj.weight{s}", t, d, n)
         for i in range(3) for s, t, d, n in (("", "F8_E4M3", [2, 3], 6), ("_scale_inv", "F32", [1, 1], 4))],
        {"format": "pt"}))
    save("safetensors", "truncated", safetensors_file([("a", "F64", [2], 16)], data=15))
    word = b'{"a":{"dtype":"F32","shape":[t,1'
    save("safetensors", "word", struct.pack("<Q", len(word)) + word)


def index():
    shard = "model-0000{}-of-00002.safetensors"
    names = {f"layers.{i % 3}.experts.{i}.w": shard.format(1 + i // 4) for i in range(8)}
    save("index", "usual", json.dumps({"metadata": {"total_size": 96}, "weight_map": names}, indent=2))
    save("index", "after", json.dumps({"weight_map": names, "metadata": {"total_size": 9.6e1, "x": [1, {}]}}))
    save("index", "escapes", '{"weight\\u005fmap":{"a\\u0062":"x.safetensors","ab2":"\\u0078.safetensors"},"n":NaN}')
    save("index", "twice", '{"weight_map":{"a.1":"x","a.01":"x","a.1":"y"}}')
    save("index", "again", '{"weight_map":{"a":"x"},"metadata":{"total_size":1},"weight_map":{"b":"x"}}')


def decide():
    save("record_entry", "job", json.dumps({
        "schema": "zirve.record/1", "entry": 1, "kind": "job", "known": "assumed", "date": "2026-11-29",
        "name": "job.yaml", "file": "files/0001-job.yaml", "bytes": 12, "sha256": "0" * 64, "previous": None,
        "note": "first"}, indent=2))
    save("record_entry", "outside", '{"schema":"zirve.record/1","entry":1,"kind":"log","bytes":0,"date":null,'
         '"name":null,"file":"files/../../x","sha256":"' + "0" * 64 + '","previous":null,"note":null}')
    oom = "CUDA out of memory. Tried to allocate 2.00 GiB"
    save("overflow", "text", "Traceback (most recent call last):\n  File \"a.py\", line 1, in evaluate\n"
         f"  File \"b.py\", line 2, in forward\n{oom}\n")
    save("overflow", "run", json.dumps({"schema": "zirve.run/1", "outcome": "out of memory", "memory": {"text": oom},
                                        "last_lines": [{"stream": "error", "text": "bye"}]}, indent=2))
    save("overflow", "search", json.dumps({"schema": "zirve.run_search/1", "tries": [
        {"answer": "passes"}, {"answer": "does not", "outcome": "out of memory", "memory": {"text": oom}}]}, indent=2))
    save("overflow", "phases", f"schema: zirve.evidence/1\nevidence:\n- outcome: failed\n  phases:\n"
         f"  - {{name: load, outcome: passed}}\n  - {{name: backward, outcome: failed, message: '{oom}'}}\n")
    save("overflow", "verdict", '{"schema": "zirve.explain/1",\n"verdict": {"kind": "capacity", "requested_bytes": 7}}')


def pickle_files():
    tree = {"a": [1, 300, -2, 70000, 2**63, 2**64 - 1, -2**63], "t": ("x", (), (1,), (1, 2), (1, 2, 3, 4)),
            "f": 1.5, "n": None, "b": [True, False], "d": {}, "l": [], "long": "y" * 300, "raw": b"z"}
    shared = [{"frame": i} for i in range(3)]
    tree["shared"] = [shared, shared, shared[1:]]
    for protocol in 2, 3, 4, 5:
        save("pickle", f"tree-{protocol}", pickle.dumps(tree, protocol))
    loop = []
    loop.append(loop)
    save("pickle", "loop", pickle.dumps(loop, 4))
    save("pickle", "packed.gz", gzip.compress(pickle.dumps(shared, 4), mtime=0))
    save("pickle", "code", pickle.dumps(print, 2))


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def gguf_file(version, pairs, tensors, alignment=32, data=0):
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs))
    for key, kind, value in pairs:
        out += text(key) + struct.pack("<I", kind) + value
    for name, shape, kind, offset in tensors:
        out += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        out += struct.pack("<IQ", kind, offset)
    return out + bytes(-len(out) % alignment) + bytes(data)


def gguf():
    u32, boolean, string, array, f64 = 4, 7, 8, 9, 12
    words = struct.pack("<IQ", string, 2) + text("a") + text("bc")
    nested = struct.pack("<IQ", array, 1) + struct.pack("<IQ", 0, 3) + b"\1\2\3"
    save("gguf", "empty", gguf_file(3, [], []))
    save("gguf", "values", gguf_file(2, [("general.architecture", string, text("llama")), ("w", array, words),
                                         ("n", array, nested), ("b", boolean, b"\1"),
                                         ("d", f64, struct.pack("<d", 1.5))], []))
    save("gguf", "tensors", gguf_file(3, [("general.alignment", u32, struct.pack("<I", 8))],
                                      [("q", [32, 2], 8, 0), ("f", [2], 0, 72), ("u", [3], 77, 80)], 8, 96))
    save("gguf", "split", gguf_file(3, [("split.no", 2, b"\1\0"), ("split.count", 2, b"\2\0"),
                                        ("split.tensors.count", 5, struct.pack("<i", 4))], [("t", [], 0, 0)], 32, 4))
    save("gguf", "big_endian", b"GGUF" + struct.pack(">IQQ", 3, 0, 0))


json_tree()
index()
safetensors()
gguf()
pickle_files()
decide()
