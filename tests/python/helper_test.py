"""The helper against a PyTorch that is none (fake/torch): protocol, result, exit codes."""

import json
import os
import subprocess
import sys
import tempfile

import tap

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "python")
FAKE = os.path.join(HERE, "fake")


def run(words, torch=True, folder=None, **variables):
    """Another Python with the helper, and with the fake PyTorch or none at all."""
    path = [PACKAGE] + ([FAKE] if torch else [])
    known = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(path),
             "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-S", *words], env=dict(known, **variables), cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          check=False)


def measure(*words, **more):
    """The exit status, the result that was written or None, what was said."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(["-m", "zirve", "measure", *words, "--output", "result.json"], folder=folder,
                   **more)
        left = os.listdir(folder)
        if not left:
            return done.returncode, None, done.stderr
        assert left == ["result.json"], left
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
            return done.returncode, json.load(file), done.stderr


def script(text, **more):
    done = run(["-c", text], **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_without_pytorch():
    code, result, words = measure(torch=False)
    assert (code, result) == (2, None), (code, result)
    assert "PyTorch cannot be imported" in words, words
    done = run(["-c", "import zirve, sys\nwith zirve.phase('forward', batch=2): print('ran')"],
               torch=False)
    assert (done.returncode, done.stdout) == (2, ""), done


def test_nothing_that_downloads_is_loaded():
    done = run(["-c", "import zirve, sys\nprint(sorted({'socket', 'ssl', 'urllib.request', "
                      "'http.client'} & set(sys.modules)))"], torch=False)
    assert done.stdout == "[]\n", done


def test_without_gpu():
    code, result, words = measure(FAKE_TORCH="no gpu")
    assert (code, result) == (2, None), (code, result)
    assert "2.6.0+fake, built for CUDA, finds none" in words, words


def test_the_processor_is_no_gpu():
    for device in ("cpu", "cuda:1"):
        code, result, words = measure("--device", device)
        assert (code, result) == (2, None), (device, code, result)
        assert "no usable GPU" in words and "nothing was measured" in words, words


def test_small_case():
    """Batch 1, context 16, width 64, float32: two layers of 16,384 + 512 bytes, rows of 4,096."""
    code, result, words = measure("--batch", "1", "--context", "16", "--width", "64", "--warmup",
                                  "1", "--repeats", "2")
    assert code == 0, words
    assert result["schema"] == "zirve.measure/1" and result["known"] == "measured"
    assert result["exercise"]["parameters"] == 8320
    run_ = result["runs"][0]
    assert run_["device"]["backend"] == "CUDA" and run_["device"]["name"] == "cuda:0"
    assert [one["name"] for one in run_["phases"]] == [
        "model_load", "inputs", "cold_forward", "warmup", "warm_forward", "warm_forward"]
    assert [one["repeat"] for one in run_["phases"]] == [1, 1, 1, 1, 1, 2]
    load, inputs, cold = run_["phases"][:3]
    assert load["before"]["allocated_bytes"] == 0
    assert load["after"]["allocated_bytes"] == 2 * (16384 + 512)
    assert inputs["peak"]["allocated_bytes"] == 33792 + 4096
    assert cold["peak"]["allocated_bytes"] == 37888 + 2 * 4096
    assert cold["after"]["allocated_bytes"] == 37888
    assert cold["peak"]["reserved_bytes"] == 2 << 20
    assert cold["dimensions"] == {"batch": 1, "context": 16, "width": 64, "depth": 2, "rows": 16,
                                  "forwards": 1}
    assert cold["duration_ns"] >= 0 and cold["message"] is None


def test_training():
    code, result, words = measure("--train", "--warmup", "0", "--repeats", "1")
    assert code == 0, words
    phases = {one["name"]: one for one in result["runs"][0]["phases"]}
    assert list(phases) == ["model_load", "inputs", "forward", "loss", "backward", "first_update",
                            "updates", "evaluation", "export"]
    kept = phases["first_update"]
    grown = kept["after"]["allocated_bytes"] - kept["before"]["allocated_bytes"]
    assert grown == 33792, grown  # Adam's two states come, the gradients go


def test_failure_is_kept():
    code, result, words = measure("--width", "2048", FAKE_TORCH_LIMIT=str(20 << 20))
    assert code == 6, (code, words)
    run_ = result["runs"][0]
    assert result["outcome"] == run_["outcome"] == "partial"
    assert run_["failed_phase"] == "model_load" and "out of memory" in run_["message"]
    last = run_["phases"][-1]
    assert last["succeeded"] is False
    assert last["peak"]["allocated_bytes"] == 16777216 + 8192
    assert run_["allocator"]["ooms"] == 1
    assert any("partial peak" in text for text in result["cautions"])


def test_existing_result():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("kept")
        done = run(["-m", "zirve", "measure", "-o", path])
        assert done.returncode == 3 and "not overwritten" in done.stderr, done
        with open(path, encoding="utf-8") as file:
            assert file.read() == "kept"


def test_usage():
    for words in (["measure", "--batch", "0"], ["measure", "--dtype", "int8"], []):
        done = run(["-m", "zirve", *words])
        assert done.returncode == 64, (words, done)


PROTOCOL = """
import json, torch, zirve
with zirve.phase("forward", batch=2) as really:
    torch.CALLS.append("work")
    really["tokens"] = 7
print(json.dumps([torch.CALLS, zirve.result()["runs"][0]["phases"][0]["dimensions"]]))
"""


def test_protocol():
    """Wait, levels, reset, work, wait, peaks, levels; nothing read in between."""
    calls, dimensions = script(PROTOCOL)
    first = calls.index("synchronize")
    levels = ["free", "allocated", "reserved"]
    assert calls[first:] == (["synchronize"] + levels + ["reset", "work", "synchronize", "peak",
                                                         "peak reserved"] + levels), calls
    assert dimensions == {"batch": 2, "tokens": 7}


FAILING = """
import json, torch, zirve
kept = []
for name, work in (("first", lambda: 1), ("second", lambda: 1 // 0)):
    try:
        with zirve.phase(name):
            work()
    except (RuntimeError, ZeroDivisionError) as error:
        kept.append(type(error).__name__)
print(json.dumps([kept, zirve.result()]))
"""


def test_failures():
    kept, result = script(FAILING)
    assert kept == ["ZeroDivisionError"]
    phases = result["runs"][0]["phases"]
    assert [one["succeeded"] for one in phases] == [True, False]
    assert phases[1]["message"].startswith("ZeroDivisionError: ")
    kept, result = script(FAILING, FAKE_TORCH="lost")
    phases = result["runs"][0]["phases"]
    assert kept == ["RuntimeError"], kept  # the wait before the second phase
    assert phases[1]["message"] == "RuntimeError: CUDA error: device is lost"
    assert phases[1]["peak"]["allocated_bytes"] is None and phases[1]["duration_ns"] is None


def test_peaks_that_cannot_be_reset_are_unknown():
    _, result = script(FAILING, FAKE_TORCH="no reset")
    assert result["runs"][0]["phases"][0]["peak"] == {"allocated_bytes": None,
                                                      "reserved_bytes": None}


def test_hip_is_told_apart():
    _, result = script(FAILING, FAKE_TORCH="hip")
    assert result["runs"][0]["device"]["backend"] == "HIP"
    assert any("HIP answers here" in text for text in result["cautions"])


def test_misuse():
    done = run(["-c", """
import zirve
for bad in ("two", 2.0, True, -1):
    try:
        with zirve.phase("x", batch=bad):
            print("ran")
    except TypeError:
        print("refused")
try:
    with zirve.phase("x"):
        with zirve.phase("y"):
            print("ran")
except RuntimeError as error:
    print(error)
"""])
    assert done.stdout == "refused\n" * 4 + "phase x is not over: one at a time\n", done


tap.main(globals())
