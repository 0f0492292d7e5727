"""Runs the code of a task, in its own process and in its sandbox. Everything here may be seen by the task."""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import io
import json
import math
import os
import random
import socket
import sys
import traceback
import types
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from walle.container.worker import memory
from walle.container.worker.tensors import Arrays
from walle.container.worker.wire import LENGTH, MAX_SHARED_TENSORS

_MESSAGE: Final = 2000
_FRAMES: Final = 64
INSTALLED_AT: Final = "/bundle"
"""The folder that bytecode names as its sources', wherever the bundle is."""


class UndeclaredMetric(ValueError):
    """The task reported a metric that task.toml does not declare."""


class OutputInvalid(ValueError):
    """What the entry point returned cannot be an output."""


class Models:
    """The declared models of a task, each made ready when it is asked for the first time.

    `calibration` is what is known of this machine, and `keeps` says whether there are further runs. `used` are the
    backends of those that the present run asked for.
    """

    def __init__(
        self, declared: Mapping[str, Mapping[str, Any]], calibration: Mapping[str, Any], *, keeps: bool
    ) -> None:
        self._declared, self._calibration, self._keeps = declared, calibration, keeps
        self._ready: dict[str, Any] = {}
        self.used: dict[str, str] = {}

    def ready(self, name: str, path_of: Callable[[str], Path]) -> Any:
        if name not in self._declared:
            raise KeyError(f"expected a model that task.toml declares, {', '.join(self._declared) or 'none'}: {name}")
        if name not in self._ready:
            declared, library = self._declared[name], importlib.import_module("walle_task.tensor.task_models")
            self._ready[name] = library.ready_model(
                path_of(declared["file"]),
                declared["shapes"],
                exact=not declared["int8"],
                keeps=self._keeps,
                calibration=self._calibration,
            )
            if reason := self._ready[name].uncalibrated:
                _print(f"model {name}: the rates of a reference device decided what runs it, as {reason}\n")
        self.used[name] = self._ready[name].backend
        return self._ready[name]


class Context:
    """What the entry point gets beside its inputs (docs/task-format.md)."""

    def __init__(
        self,
        bundle: Path,
        scratch: Path,
        fallbacks: Mapping[str, str],
        metrics: frozenset[str],
        *,
        arrays: Arrays,
        models: Models,
    ) -> None:
        self._bundle, self._fallbacks, self._declared, self._arrays = bundle, fallbacks, metrics, arrays
        self._models = models
        self.scratch = scratch
        self.metrics: dict[str, float] = {}

    def path(self, name: str) -> Path:
        """The path of a file of the bundle; raises FileNotFoundError when there is none of that name."""
        for candidate in (name, self._fallbacks.get(name)):
            if candidate and _stays_inside(candidate) and (self._bundle / candidate).exists():
                return self._bundle / candidate
        raise FileNotFoundError(f"no file {name} in the bundle")

    def metric(self, name: str, value: float) -> None:
        """Report a number under a name that task.toml declares; the last value counts."""
        if name not in self._declared:
            raise UndeclaredMetric(f"{name} is not declared under [metrics]")
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"metric {name}: expected a finite number, found {number}")
        self.metrics[name] = number

    def tensor(self, name: str) -> Any:
        """The array of an output tensor in memory shared with the app: what is written there is not copied.

        It has the declared dtype and shape. Raises KeyError where the app did not ask for arrays.
        """
        return self._arrays.output(name)

    def model(self, name: str) -> Any:
        """The model that task.toml declares under [models], ready to run: `run` takes and returns arrays by name.

        It runs on the backend that costs least on this device. Raises KeyError for a name that is not declared.
        """
        return self._models.ready(name, self.path)

    def log(self, text: object) -> None:
        """Write a line to the log of this run."""
        print(text, file=sys.stderr, flush=True)


def _stays_inside(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/")


Answer = dict[str, Any]


def _answer_of(run: Callable[[], Answer], bundle: str) -> Answer:
    """The answer of `run`, or the failure that ended it; raises nothing, not even SystemExit."""
    try:
        return run()
    except MemoryError:
        memory.allow_reporting()
        return _out_of_memory()
    except ModuleNotFoundError as error:
        return _failure("import-missing", error, bundle)
    except OutputInvalid as error:
        return {"error_class": "output-invalid", "message": str(error)[:_MESSAGE]}
    except BaseException as error:
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return _out_of_memory()
        return _failure(f"exception:{type(error).__name__}", error, bundle)


def _out_of_memory() -> Answer:
    return {"error_class": "memory-limit", "message": "the task ran out of memory"}


def _failure(error_class: str, error: BaseException, bundle: str) -> Answer:
    frames = traceback.extract_tb(error.__traceback__, _FRAMES)
    _print("".join(traceback.format_exception(error, limit=-_FRAMES)))
    own = (f"{bundle}/", f"{INSTALLED_AT}/")
    places = ((f, folder) for f in reversed(frames) for folder in own if f.filename.startswith(folder))
    where, folder = next(places, (None, ""))
    place = f" ({where.filename.removeprefix(folder)}:{where.lineno})" if where else ""
    text = "".join(traceback.format_exception_only(error)).strip()
    return {"error_class": error_class, "message": (text[: _MESSAGE - len(place)] + place)}


def _print(text: str) -> None:
    """Write to the log, even when the task has replaced or closed its standard streams."""
    with contextlib.suppress(OSError):
        os.write(2, text.encode("utf-8", "backslashreplace"))


def load(entry_point: str) -> Callable[[Any, Context], Any] | Answer:
    """The function that `module:function` names, or the answer that says that it is missing."""
    module_name, _, function_name = entry_point.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            return {"error_class": "entry-point-missing", "message": f"no module {module_name} in the bundle"}
        raise
    function = getattr(module, function_name, None)
    if not callable(function):
        message = f"module {module_name} has no function {function_name}"
        return {"error_class": "entry-point-missing", "message": message}
    return function  # type: ignore[no-any-return]


class Program:
    """A task, which is loaded in its first run and called in each.

    `missing` is the answer to all of them where a module that the task requires is not there.
    """

    def __init__(
        self,
        entry_point: str,
        context: Context,
        *,
        arrays: Arrays,
        models: Models,
        missing: Answer | None,
        output_limit: int,
    ) -> None:
        self._entry_point, self._context, self._arrays, self._models = entry_point, context, arrays, models
        self._missing, self._output_limit = missing, output_limit
        self._function: Callable[[Any, Context], Any] | None = None

    def run(self, read_inputs: Callable[[], bytearray], handles: list[int], bundle: str) -> tuple[bytes, bool]:
        """Run the task once: a line of JSON that says what became of it, and its output as JSON; whether it failed."""
        self._context.metrics, self._models.used = {}, {}
        answer = _answer_of(lambda: self._call(read_inputs(), handles), bundle)
        output = answer.pop("output", "")
        told = {"metrics": self._context.metrics, "backends": self._models.used}
        content = f"{json.dumps(answer | told)}\n{output}".encode()
        return content, "error_class" in answer

    def _call(self, inputs: bytearray, handles: list[int]) -> Answer:
        if self._missing is not None:
            return self._missing
        if self._function is None:
            loaded = load(self._entry_point)
            if isinstance(loaded, dict):
                return loaded
            self._function = loaded
        values, shared = json.loads(inputs)
        inputs.clear()
        self._arrays.read_inputs(values, shared, handles)
        output = self._function(values, self._context)
        if not isinstance(output, dict):
            raise OutputInvalid(f"expected a dict of outputs, found a {type(output).__name__}")
        output = dict(output)
        moved = self._arrays.share_outputs(output)
        text = _encoded(output)
        if len(text) > self._output_limit:
            message = f"expected at most {self._output_limit} bytes of output, found {len(text)}"
            return {"error_class": "output-too-large", "message": message}
        return {"output": text, "tensors": moved}


def serve(channel: socket.socket, program: Program, bundle: str, scratch: str, *, keep: bool) -> None:
    """Answer the inputs that come over a channel: once, or with `keep` until it closes or a run fails."""
    while True:
        header, handles, _, _ = socket.recv_fds(channel, LENGTH.size, MAX_SHARED_TENSORS)
        if not header:
            return
        os.chdir(scratch)
        answer, failed = program.run(partial(_receive, channel, *LENGTH.unpack(header)), handles, bundle)
        _flush()
        channel.sendall(LENGTH.pack(len(answer)) + answer)
        if failed or not keep:
            return


def _receive(channel: socket.socket, length: int) -> bytearray:
    """The inputs of a run as JSON, of this length; raises EOFError when the channel closes before their end."""
    content = bytearray(length)
    with memoryview(content) as view:
        received = 0
        while received < length:
            arrived = channel.recv_into(view[received:])
            if arrived == 0:
                raise EOFError("the inputs of the run are not complete")
            received += arrived
    return content


def _encoded(output: dict[Any, Any]) -> str:
    try:
        return json.dumps(output, separators=(",", ":"), allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise OutputInvalid(f"the output is not JSON data: {error}") from error


def _plain(value: Any) -> Any:
    """Arrays and scalars of numpy, and whatever else offers `tolist`, as plain lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not JSON data")


def preload(names: tuple[str, ...]) -> Answer | None:
    """Load the modules that the task requires; the answer that says so when one is not installed or fails to load."""
    for name in names:
        try:
            importlib.import_module(name)
        except MemoryError:
            return _out_of_memory()
        except ImportError as error:
            _print("".join(traceback.format_exception(error)))
            return {"error_class": "import-missing", "message": f"the required module {name} is not installed"}
        except BaseException as error:
            return _failure(f"exception:{type(error).__name__}", error, "")
    return None


def forget_the_worker() -> None:
    """Leave of the worker's modules only what the standard library is: nothing that the task names is of Walle."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "walle"]:
        del sys.modules[name]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.argv[:] = [""]


def let_in_the_bundle(bundle: str, module_paths: tuple[str, ...]) -> None:
    """Make the bundle's modules importable, before those that are installed."""
    standard = [path for path in sys.path if path not in module_paths]
    sys.path[:] = [bundle, *standard, *module_paths]
    importlib.invalidate_caches()
    gc.enable()
    # Forked from one launcher, all runs would otherwise draw the same numbers.
    random.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def set_streams() -> None:
    """Standard streams over handles 0 to 2, written line by line so that a killed task leaves its last words."""
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), "utf-8")
    for name, handle in (("stdout", 1), ("stderr", 2)):
        raw = io.BufferedWriter(io.FileIO(handle, "w", closefd=False))
        setattr(sys, name, io.TextIOWrapper(raw, "utf-8", "backslashreplace", line_buffering=True))


def _flush() -> None:
    """Write out what the task left in its streams, whatever it has made of them."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def set_environment(scratch: str) -> None:
    """The few variables that a task sees."""
    os.environ.clear()
    os.environ |= {"HOME": scratch, "TMPDIR": scratch, **ENVIRONMENT}


# Libraries otherwise start a thread per core in every run, and joblib starts processes.
ENVIRONMENT: Final[Mapping[str, str]] = {
    "LANG": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "JOBLIB_MULTIPROCESSING": "0",
}
