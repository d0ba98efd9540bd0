"""The notebook as it is delivered: no outputs, and every cell runs. ZIRVE is the command."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

import tap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NOTEBOOK = os.path.join(ROOT, "python", "notebooks", "memory_lab.ipynb")


def cells(kind):
    with open(NOTEBOOK, encoding="utf-8") as file:
        return [cell for cell in json.load(file)["cells"] if cell["cell_type"] == kind]


def execute(torch):
    """What the cells print, run in order in one namespace; nothing may be left behind."""
    kept = {name: module for name, module in sys.modules.items()
            if name.partition(".")[0] not in ("zirve", "torch")}
    path, folder = list(sys.path), os.getcwd()
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as work:
        os.symlink(os.path.join(ROOT, "python"), os.path.join(work, "python"))
        os.chdir(work)
        if torch:
            sys.path.insert(0, os.path.join(HERE, "fake"))
        else:
            kept["torch"] = sys.modules["torch"] = None  # as if it were not installed
        try:
            namespace = {"__name__": "__main__"}
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                for number, cell in enumerate(cells("code")):
                    exec(compile("".join(cell["source"]), "cell %d" % number, "exec"), namespace)
            assert os.listdir(work) == ["python"], os.listdir(work)
        finally:
            os.chdir(folder)
            sys.path[:] = path
            for name in set(sys.modules) - set(kept):
                if name.partition(".")[0] in ("zirve", "torch"):
                    del sys.modules[name]
            sys.modules.pop("torch", None)
    return printed.getvalue()


def test_delivered_without_outputs():
    assert len(cells("code")) >= 6
    for cell in cells("code"):
        assert cell["outputs"] == [] and cell["execution_count"] is None


def test_cells_without_gpu():
    text = execute(torch=False)
    assert "weights only   13.04 GiB (14.00 GB)     calculated" in text, text
    assert "together       17.04 GiB (18.29 GB)" in text, text
    assert "exit status 2, measured\n" in text, text  # environment: nothing there
    assert "libcuda.so.1 is not there" in text, text
    assert "PyTorch cannot be imported" in text, text
    helper, _, command = text.partition("zirve measure --device cuda:0: ")
    assert "cold_forward" not in helper, text
    assert command.startswith("exit status 2 zirve measure: no usable GPU"), text
    assert "cuda:0 RTX 4090 CUDA emulated" in command, text
    assert " measured\n" not in command, text


def test_cells_with_pytorch():
    """A PyTorch that is none: the table of the helper."""
    text = execute(torch=True)
    assert "cuda:0 Fake GPU 24GB CUDA measured" in text, text
    assert text.count("warm_forward") >= 5, text


def form(value):
    """What a result consists of: names of members, whatever their values."""
    if isinstance(value, list):
        return form(value[0]) if value else None
    return {key: form(one) for key, one in value.items()} if isinstance(value, dict) else None


def test_same_form_and_figures_as_the_command():
    """One schema, two writers; the requests of the small case are the same as well."""
    words = ["measure", "--batch", "1", "--context", "16", "--width", "64"]
    ours = subprocess.run([os.environ["ZIRVE"], *words, "--emulate", "4090", "--json"],
                          stdout=subprocess.PIPE, check=True)
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "result.json")
        known = dict(os.environ, PYTHONPATH=os.pathsep.join(
            [os.path.join(ROOT, "python"), os.path.join(HERE, "fake")]))
        subprocess.run([sys.executable, "-S", "-m", "zirve", *words, "-o", path], env=known,
                       stdout=subprocess.DEVNULL, check=True)
        with open(path, encoding="utf-8") as file:
            helper = json.load(file)
    command = json.loads(ours.stdout.decode())
    assert form(helper) == form(command), (form(helper), form(command))
    assert helper["exercise"] == command["exercise"]
    for one, other in zip(helper["runs"][0]["phases"], command["runs"][0]["phases"]):
        for key in ("name", "repeat", "dimensions", "peak"):
            assert one[key] == other[key], (one, other)


if not os.access(os.environ.get("ZIRVE", ""), os.X_OK):
    print("1..0 # SKIP ZIRVE does not name the command")
    sys.exit(0)
os.environ["ZIRVE_LIBRARIES"] = "/nonexistent"  # this machine may have a GPU
os.environ["ZIRVE_ROOT"] = "/nonexistent"
tap.main(globals())
