"""Phases: the counters of PyTorch before, at the peak and after a stretch of a program.

allocated and reserved are two counters of the same memory and are never added. A peak is the
largest value since its phase began. A reading that nobody gives is None, never 0.
"""

import contextlib
import ctypes
import json
import os
import sys
import tempfile
import time

SCHEMA = "zirve.measure/1"
VERSION = "0.1.0"


class NoDevice(SystemExit):
    """Nothing can be measured here: no PyTorch, or no GPU that it can use. Exit code 2."""

    def __init__(self, message):
        super().__init__(2)
        self.message = message

    def __str__(self):
        return self.message


def stop(message):
    """Says why nothing can be measured and ends the program with exit code 2."""
    print("zirve: " + message, file=sys.stderr)
    raise NoDevice(message)


def torch_with_gpu():
    """The program's PyTorch, if it can use a GPU; else exit code 2."""
    try:
        import torch
    except ImportError as error:
        stop("no usable GPU: PyTorch cannot be imported (%s); nothing was measured" % error)
    if not torch.cuda.is_available():
        built = backend_of(torch) or "the processor alone"
        stop("no usable GPU: PyTorch %s, built for %s, finds none; nothing was measured"
             % (torch.__version__, built))
    return torch


def backend_of(torch):
    """'HIP' or 'CUDA' by what PyTorch was built for: the name torch.cuda is the same for both."""
    if getattr(torch.version, "hip", None):
        return "HIP"
    return "CUDA" if getattr(torch.version, "cuda", None) else None


def emulated_by():
    """What the driver's library says of itself when it is an emulation, else None."""
    for name in (None, "libcuda.so.1", "libamdhip64.so"):
        try:
            if hasattr(ctypes.CDLL(name), "zirve_emulated"):
                return "zirve"
        except OSError:
            continue
    return None


def ask(function, *arguments):
    """A reading, or None when this PyTorch or this allocator does not give it."""
    try:
        return function(*arguments)
    except (AssertionError, AttributeError, NotImplementedError, RuntimeError):
        return None


class Counters:
    """The native counters of one device."""

    def __init__(self, torch, device):
        self.torch = torch
        self.device = torch.device(device)
        if self.device.type != "cuda":
            stop("no usable GPU: %s is none; nothing was measured" % self.device)
        index = torch.cuda.current_device() if self.device.index is None else self.device.index
        if index >= torch.cuda.device_count():
            stop("no usable GPU cuda:%d: PyTorch finds %d; nothing was measured"
                 % (index, torch.cuda.device_count()))
        self.index = index
        self.emulated_by = emulated_by()

    def synchronise(self):
        self.torch.cuda.synchronize(self.index)

    def levels(self):
        cuda = self.torch.cuda
        free, total = ask(cuda.mem_get_info, self.index) or (None, None)
        return {"allocated_bytes": ask(cuda.memory_allocated, self.index),
                "reserved_bytes": ask(cuda.memory_reserved, self.index),
                "device_free_bytes": free, "device_total_bytes": total}

    def reset_peaks(self):
        """False when the peaks cannot be reset: they are then not of the phase."""
        try:
            self.torch.cuda.reset_peak_memory_stats(self.index)
        except (AssertionError, AttributeError, NotImplementedError, RuntimeError):
            return False
        return True

    def peaks(self):
        cuda = self.torch.cuda
        return {"allocated_bytes": ask(cuda.max_memory_allocated, self.index),
                "reserved_bytes": ask(cuda.max_memory_reserved, self.index)}

    def facts(self):
        """The device, as PyTorch says it."""
        cuda = self.torch.cuda
        free, total = ask(cuda.mem_get_info, self.index) or (None, None)
        capability = ask(cuda.get_device_capability, self.index)
        properties = ask(cuda.get_device_properties, self.index)
        return {"name": "cuda:%d" % self.index, "backend": backend_of(self.torch),
                "model": ask(cuda.get_device_name, self.index),
                "total_bytes": getattr(properties, "total_memory", None), "memory_bytes": total,
                "free_bytes_at_start": free, "driver_version": None,
                "compute_capability": "%d.%d" % capability if capability else None,
                "compute_capability_assumed": False,
                "virtual_memory": None, "emulated_by": self.emulated_by}

    def allocator(self):
        stats = ask(self.torch.cuda.memory_stats, self.index) or {}
        kind = ask(self.torch.cuda.get_allocator_backend)
        names = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")
        settings = ["%s=%s" % (name, os.environ[name]) for name in names if name in os.environ]
        policies = {"native": "caching", "cudaMallocAsync": "cuda-malloc-async"}
        return {"engine": "PyTorch " + self.torch.__version__,
                "policy": policies.get(kind, kind), "profile": None,
                "settings": " ".join(settings) or None,
                "alloc_retries": stats.get("num_alloc_retries"), "ooms": stats.get("num_ooms")}


def check_dimensions(dimensions):
    for name, value in dimensions.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise TypeError("%s=%r: a dimension is a whole number" % (name, value))


class Session:
    """The phases of one device in one process; exit code 2 without such a device."""

    def __init__(self, device="cuda", exercise=None):
        self.counters = Counters(torch_with_gpu(), device)
        self.exercise = exercise
        self.facts = self.counters.facts()
        self.phases = []
        self.open = None

    @contextlib.contextmanager
    def phase(self, name, repeat=None, **dimensions):
        """Measures what runs inside. A failure is kept with the last readings, and raised on.

        What comes back from `with` are the dimensions: a program that knows only inside what it
        really processed writes it there.
        """
        check_dimensions(dimensions)
        if self.open is not None:
            raise RuntimeError("phase %s is not over: one at a time" % self.open)
        if repeat is None:
            repeat = 1 + sum(one["name"] == name for one in self.phases)
        one = {"name": name, "repeat": repeat, "dimensions": dimensions}
        self.open = name
        failure = None
        has_peaks = False
        started = None
        try:
            self.counters.synchronise()
            one["before"] = self.counters.levels()
            has_peaks = self.counters.reset_peaks()
            started = time.perf_counter_ns()
            yield dimensions
            check_dimensions(dimensions)
        except BaseException as error:
            failure = error
            raise
        finally:
            self.open = None
            self._end(one, started, has_peaks, failure)

    def _end(self, one, started, has_peaks, failure):
        """Waits, then reads; that the wait fails is a failure of the phase as well."""
        waited = None
        try:
            self.counters.synchronise()
        except RuntimeError as error:
            waited = error
        timed = started is not None and not self.counters.emulated_by
        duration = time.perf_counter_ns() - started if timed else None
        if "before" not in one:
            one["before"] = self.counters.levels()
        one["peak"] = (self.counters.peaks() if has_peaks
                       else {"allocated_bytes": None, "reserved_bytes": None})
        one["after"] = self.counters.levels()
        one["duration_ns"] = duration
        wrong = failure if failure is not None else waited
        one["succeeded"] = wrong is None
        one["message"] = None if wrong is None else "%s: %s" % (type(wrong).__name__, wrong)
        self.phases.append(one)
        if failure is None and waited is not None:
            raise waited

    def run(self):
        """This session as a run of a result."""
        failed = next((one for one in self.phases if not one["succeeded"]), None)
        sizes = self.exercise or {}
        return {"process": 1, "batch": sizes.get("batch"), "context": sizes.get("context"),
                "width": sizes.get("width"), "synchronised": True, "device": self.facts,
                "allocator": self.counters.allocator(), "kernels": "PyTorch's",
                "outcome": "complete" if failed is None else "partial",
                "failed_phase": failed and failed["name"], "message": failed and failed["message"],
                "phases": self.phases}


CAUTIONS = (
    (lambda runs: any(run["device"]["emulated_by"] for run in runs),
     "Emulated: counters on a card that is not there. Nothing was computed and nothing was timed; "
     "no card was measured."),
    (lambda runs: True,
     "allocated and reserved are two counters of the same memory: they are not added. A peak is "
     "the largest value since its phase began; the difference of two peaks is no difference at one "
     "instant, and peak less baseline is not the volume of temporaries."),
    (lambda runs: True,
     "PyTorch's counters see what its allocator holds: a gap to a reading of the system, which has "
     "contexts, libraries and other processes too, proves no leak."),
    (lambda runs: any(run["allocator"]["policy"] != "caching" for run in runs),
     "With a stream-ordered pool the reserved peak may be an upper bound."),
    (lambda runs: any(run["outcome"] == "partial" for run in runs),
     "A partial peak is not the need: the failed phase shows its last values."),
    (lambda runs: True,
     "Waiting at phase boundaries can change the usual overlap: time the whole program without "
     "phases as well."),
    (lambda runs: len(runs) > 1,
     "Each device has its own readings: several GPUs are not one pool."),
    (lambda runs: any(run["device"]["backend"] == "HIP" for run in runs),
     "HIP answers here; PyTorch calls such a device torch.cuda too."),
)

_session = None


def phase(name, repeat=None, **dimensions):
    """A phase on the current device; dimensions are what is really processed (batch=2)."""
    global _session
    if _session is None:
        _session = Session()
    return _session.phase(name, repeat, **dimensions)


def reset():
    """Forgets the phases of this process: a new series of conditions."""
    global _session
    _session = None


def result(*sessions):
    """The result (zirve.measure/1) of the sessions, or of phase()'s own."""
    if not sessions:
        if _session is None:
            raise RuntimeError("no phase was measured")
        sessions = (_session,)
    runs = [session.run() for session in sessions]
    exercise = sessions[0].exercise
    emulated = any(run["device"]["emulated_by"] for run in runs)
    complete = all(run["outcome"] == "complete" for run in runs)
    return {"schema": SCHEMA, "zirve": VERSION, "known": "emulated" if emulated else "measured",
            "outcome": "complete" if complete else "partial", "exercise": exercise,
            "series": {"processes": 1, "repeats_in_each": exercise and exercise["repeats"],
                       "devices": len(runs)},
            "search": None, "cautions": [text for applies, text in CAUTIONS if applies(runs)],
            "runs": runs}


def save(path, *sessions):
    """Writes the result. FileExistsError when path is there: results are never overwritten."""
    text = json.dumps(result(*sessions), indent=2) + "\n"
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".", dir=folder)
    try:
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.link(temporary, path)  # refuses a name that is taken
    finally:
        os.unlink(temporary)
