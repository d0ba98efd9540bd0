#!/usr/bin/env python3
"""Writes tests/data/snapshots: small memory snapshots by hand, one for each generation and each oddity that
public files have. Every one is consistent: its end state follows from its history. Run it again after changing
it; the result is committed."""
import pathlib
import pickle

HERE = pathlib.Path(__file__).resolve().parents[1] / "data" / "snapshots"
MIB = 1 << 20
SMALL, LARGE = 0x7F0000000000, 0x7F0000200000


def frame(name, line, filename="/home/user/train.py"):
    return {"filename": filename, "name": name, "line": line}


MAIN = frame("main", 90)
STEP = [frame("step", 41), MAIN]
LOAD = [frame("load", 12, "C:\\users\\user\\model.py"), frame("??", 2**64 - 1, "??"), MAIN]


def block(address, size, requested, state, frames, generation):
    out = {"address": address, "size": size, "requested_size": requested, "state": state}
    if generation == 0:
        del out["address"]
        out["history"] = [{"addr": address, "real_size": requested, "frames": frames}] if frames else []
    else:
        out["frames"] = frames
    return out


def segment(address, size, kind, blocks, generation, **more):
    used = [b for b in blocks if b["state"] != "inactive"]
    out = {"device": 0, "address": address, "total_size": size,
           "allocated_size": sum(b["size"] for b in used if b["state"] == "active_allocated"),
           "active_size": sum(b["size"] for b in used), "requested_size": sum(b["requested_size"] for b in used),
           "stream": 0, "segment_type": kind, "blocks": blocks}
    if generation >= 1:
        out.update({"segment_pool_id": (0, 0), "is_expandable": False, "frames": []})
    out.update(more)
    return out


class Events:
    def __init__(self, generation):
        self.generation, self.list, self.time = generation, [], 1700000000000000

    def add(self, action, addr, size, frames=None, stream=0, **more):
        event = {"action": action, "addr": addr, "size": size, "stream": stream}
        if action == "oom":
            del event["addr"]
        self.time += 1000
        if self.generation >= 2:
            event["time_us"] = self.time
        if self.generation >= 5:
            event["compile_context"] = "N/A"
        if self.generation >= 6:
            event["user_metadata"] = ""
        if frames:
            event["frames"] = frames
        event.update(more)
        self.list.append(event)

    def free(self, addr, size):
        self.add("free_requested", addr, size)
        self.add("free_completed", addr, size)


def settings(conf=""):
    return {"PYTORCH_CUDA_ALLOC_CONF": conf, "max_split_size": -1, "garbage_collection_threshold": 0.0,
            "expandable_segments": "expandable" in conf, "roundup_power2_divisions": {"1": 0, "2": 0}}


def whole(generation):
    """A parameter of 1000 bytes lived before the record; a step allocates 3 MiB, frees it, and keeps 600 bytes."""
    events = Events(generation)
    events.add("segment_alloc", LARGE, 20 * MIB, STEP)
    events.add("alloc", LARGE, 3 * MIB, STEP)
    events.add("alloc", SMALL + 1024, 600, STEP)
    events.free(LARGE, 3 * MIB)
    small = [block(SMALL, 1024, 1000, "active_allocated", LOAD, generation),
             block(SMALL + 1024, 1024, 600, "active_allocated", STEP, generation),
             block(SMALL + 2048, 2 * MIB - 2048, 77, "inactive", [], generation)]
    large = [block(LARGE, 20 * MIB, 3 * MIB, "inactive", [], generation)]
    out = {"segments": [segment(SMALL, 2 * MIB, "small", small, generation),
                        segment(LARGE, 20 * MIB, "large", large, generation)],
           "device_traces": [events.list]}
    if generation >= 3:
        out["allocator_settings"] = settings()
    if generation >= 4:
        start = 1700000000000500
        out["external_annotations"] = [
            {"name": "Optimizer.step#SGD.step", "stage": "START", "device": 0, "time_us": start},
            {"name": "Optimizer.step#SGD.step", "stage": "END", "device": 0, "time_us": start + 9000}]
    return out


def second_device():
    out = whole(6)
    for one in out["segments"]:
        one["device"] = 1
    out["device_traces"].insert(0, [])
    return out


def pending():
    """A block that stream 7 used too: freed, but not complete when the record ends."""
    events = Events(6)
    events.add("free_requested", SMALL, 1000)
    blocks = [block(SMALL, 1024, 1000, "active_pending_free", LOAD, 6),
              block(SMALL + 1024, 2 * MIB - 1024, 0, "inactive", [], 6)]
    return {"segments": [segment(SMALL, 2 * MIB, "small", blocks, 6)], "device_traces": [events.list],
            "allocator_settings": settings()}


def expandable():
    """One reservation, mapped twice; the first block lived before the record."""
    events = Events(6)
    events.add("segment_map", LARGE + 20 * MIB, 20 * MIB, STEP)
    events.add("alloc", LARGE + 15 * MIB, 15 * MIB, STEP)
    blocks = [block(LARGE, 15 * MIB, 15 * MIB, "active_allocated", LOAD, 6),
              block(LARGE + 15 * MIB, 15 * MIB, 15 * MIB, "active_allocated", STEP, 6),
              block(LARGE + 30 * MIB, 10 * MIB, 0, "inactive", [], 6)]
    one = segment(LARGE, 40 * MIB, "large", blocks, 6, is_expandable=True)
    return {"segments": [one], "device_traces": [events.list],
            "allocator_settings": settings("expandable_segments:True")}


def failed():
    """A request of 4 GiB in an optimizer's first step, 1 GiB free on the card."""
    out = whole(6)
    stack = [frame("step", 233, "/opt/torch/optim/adamw.py"), frame("wrapper", 484, "/opt/torch/optim/optimizer.py")]
    out["device_traces"][0].append({"action": "oom", "device_free": 1 << 30, "size": 4 << 30, "stream": 0,
                                    "time_us": 1700000000009000, "compile_context": "N/A", "user_metadata": "",
                                    "frames": stack + STEP})
    return out


def no_segments():
    """As a tool leaves it that keeps events alone: blocks whose segments nobody wrote down."""
    events = Events(6)
    events.add("alloc", LARGE, 3 * MIB, STEP)
    events.add("alloc", LARGE + 3 * MIB, 2 * MIB, LOAD)
    events.add("alloc", SMALL + 512, 600, STEP)
    events.free(LARGE + 3 * MIB, 2 * MIB)
    events.free(LARGE, 3 * MIB)
    events.free(SMALL + 512, 600)
    return {"segments": [], "device_traces": [events.list], "allocator_settings": settings()}


def main():
    HERE.mkdir(parents=True, exist_ok=True)
    for generation in range(7):
        protocol = {0: 2, 1: 3, 2: 5}.get(generation, 4)
        (HERE / f"gen{generation}.pickle").write_bytes(pickle.dumps(whole(generation), protocol))
    (HERE / "bare-list.pickle").write_bytes(pickle.dumps(whole(1)["segments"], 4))
    (HERE / "second-device.pickle").write_bytes(pickle.dumps(second_device(), 4))
    (HERE / "pending.pickle").write_bytes(pickle.dumps(pending(), 4))
    (HERE / "expandable.pickle").write_bytes(pickle.dumps(expandable(), 4))
    (HERE / "failed.pickle").write_bytes(pickle.dumps(failed(), 4))
    (HERE / "no-segments.pickle").write_bytes(pickle.dumps(no_segments(), 4))
    (HERE / "empty.pickle").write_bytes(pickle.dumps({"segments": [], "device_traces": [[]]}, 4))


main()
