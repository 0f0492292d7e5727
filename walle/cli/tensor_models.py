"""Models of the tensor engine for `walle tensor`: import them, read them from files, read shapes of their inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from walle.cli.errors import CommandFailed, FileMalformed, WrongUsage
from walle.tensor.importing import ImportFailed, ModelRefused, import_onnx
from walle_task.tensor.faults import GraphMalformed
from walle_task.tensor.graph import Graph
from walle_task.tensor.model_file import ModelFileMalformed, load

_SHAPE: Final = re.compile(r"(.+)=(|[0-9]{1,10}(?:,[0-9]{1,10}){0,31})", re.DOTALL)


def imported(model: Path, target: Path) -> Graph:
    """Import an ONNX model into a file; return its graph. Raises FileMalformed, CommandFailed."""
    try:
        return import_onnx(model, target)
    except GraphMalformed as error:
        raise FileMalformed(f"{model} cannot be imported:", [fault.text for fault in error.faults]) from None
    except ModelRefused as error:
        raise FileMalformed(f"{model} cannot be imported:", [str(error)]) from None
    except (ImportFailed, OSError) as error:
        raise CommandFailed(f"{model} was not imported: {error}") from None


def read_model(model: Path) -> Graph:
    """Return the graph of an imported model, or of an ONNX model (.onnx). Raises FileMalformed, CommandFailed."""
    if model.suffix == ".onnx":
        with TemporaryDirectory() as folder:
            return imported(model, Path(folder, "model.walle"))
    try:
        return load(model)
    except GraphMalformed as error:
        raise FileMalformed(f"{model} is no model:", [fault.text for fault in error.faults]) from None
    except ModelFileMalformed as error:
        raise FileMalformed(f"{model} is no model:", [str(error)]) from None
    except OSError as error:
        raise CommandFailed(f"{model} cannot be read: {error.strerror}") from None


def read_shapes(given: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the shapes that options give inputs, as in `x=1,3,224,224`; nothing behind = is no axis."""
    shapes = {}
    for text in given:
        found = _SHAPE.fullmatch(text)
        if found is None:
            raise WrongUsage(f"expected --shape to be as in x=1,3,224,224, found {text!r}")
        name, axes = found.groups()
        shapes[name] = tuple(map(int, axes.split(","))) if axes else ()
    return shapes
