"""A pipeline archive written into a folder, by who has trained it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from walle.schema import Problems
from walle.whitebox.archive.cascade import Cascade
from walle.whitebox.archive.contents import check_contents
from walle.whitebox.archive.document import (
    ArchiveMalformed,
    Sample,
    Statistics,
    document_of,
    read_document,
    read_samples,
    samples_document_of,
)
from walle.whitebox.archive.files import DOCUMENT, SAMPLES, parameter_path
from walle.whitebox.graph import DTYPES, Graph, Parameter

Array = npt.NDArray[Any]


def parameter_of(array: npt.ArrayLike, dtype: str) -> tuple[Parameter, Array]:
    """Return an array as a type of `walle.whitebox.graph.DTYPES`, in C order, and the reference to it."""
    if dtype not in DTYPES:
        raise ValueError(f"expected one of {', '.join(DTYPES)}, found {dtype!r}")
    stored = np.ascontiguousarray(array, np.dtype(dtype))
    return Parameter(sha256(stored.data).hexdigest(), dtype, stored.shape), stored


def write_archive(
    folder: Path,
    graph: Graph,
    arrays: Mapping[str, Array],
    statistics: Statistics,
    samples: Sequence[Sample] = (),
    *,
    cascade: Cascade | None = None,
) -> None:
    """Write an archive into a folder, which may have other files. Raises ArchiveMalformed for what cannot be read back.

    `arrays` are those that the graph refers to, by digest. Files of parameters that the folder has already are kept if
    they are parameters of this graph, and removed if not.
    """
    content = _json(document_of(graph, statistics, cascade))
    archive = read_document(content)
    data = {digest: arrays[digest].tobytes() for digest in archive.array_sizes}
    problems = Problems(DOCUMENT)
    check_contents(archive.graph, archive.types, data, problems)
    if problems.found:
        raise ArchiveMalformed(problems.all)
    files = {parameter_path(digest): content for digest, content in data.items()}
    if samples:
        files[SAMPLES] = _json(samples_document_of(tuple(samples)))
        read_samples(files[SAMPLES], graph)
    _write(folder, {DOCUMENT: content, **files})


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for old in (folder / parameter_path("x")).parent.glob("*"):
        if old.relative_to(folder).as_posix() not in files:
            old.unlink()


def _json(document: object) -> bytes:
    return json.dumps(document, indent=1, allow_nan=False).encode() + b"\n"
