"""Compiled plans on a host's disk: an archive is read, optimised and compiled once, not at each start.

The file is the host's own, as its kernels are. Its first line is the SHA-256 of so many bytes that follow. These are a
line that says by what sources and of what the plan was compiled, and the image of it: one that is damaged, or of other
sources, counts as none. Behind them are the bytes of its small parameters, of which a host would otherwise open
thousands of files. Each of these has to have its own digest.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from walle.whitebox.compiling.image_document import ImageMalformed, read_image, write_image
from walle.whitebox.compiling.plan_document import compiler_digest
from walle.whitebox.runtime.parameter_store import ParameterStore
from walle.whitebox.runtime.served_plan import ServedPlan

log = logging.getLogger(__name__)

_LONGEST_LINE: Final = 100
"""The most bytes of the first line."""


@dataclass(frozen=True, slots=True)
class CompiledPlan:
    """A plan, and a record by which to tell what it costs, if its archive has one."""

    plan: ServedPlan
    sample: Mapping[str, Any] | None = None


def load_compiled(path: Path, source: str, make: Callable[[], CompiledPlan], store: ParameterStore) -> CompiledPlan:
    """Return the plan that a file has of a source, which a digest names; else make it, and keep it in the file.

    The store has its small parameters in memory then. Raises what `make` does, and ParameterUnavailable.
    """
    found = _read(path, source, store)
    if found is None:
        found = make()
        _write(path, source, found, store)
    return found


def _read(path: Path, source: str, store: ParameterStore) -> CompiledPlan | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    first, _, _ = content[:_LONGEST_LINE].partition(b"\n")
    checksum, _, length = first.partition(b" ")
    start = len(first) + 1
    end = start + int(length) if length.isdigit() else start
    checked = content[start:end]
    if sha256(checked).hexdigest().encode() != checksum:
        log.warning("%s is damaged: the plan is compiled anew", path)
        return None
    head, _, image = checked.partition(b"\n")
    said = json.loads(head)
    if (said["compiler"], said["source"]) != (compiler_digest(), source):
        return None
    small: dict[str, int] = said["small"]
    try:
        plan = ServedPlan(read_image(image))
        if end + sum(small.values()) != len(content):
            raise ImageMalformed(f"expected {sum(small.values())} bytes of parameters behind it")
    except ImageMalformed as error:
        log.warning("%s is damaged, the plan is compiled anew: %s", path, error)
        return None
    for digest, size in small.items():
        if not store.is_loaded(digest):
            store.adopt(digest, content[end : end + size])
        end += size
    return CompiledPlan(plan, said["sample"])


def _write(path: Path, source: str, compiled: CompiledPlan, store: ParameterStore) -> None:
    """Replace the file as a whole; the next start compiles anew where that fails."""
    image = write_image(compiled.plan.image)
    small = store.small(compiled.plan.image.program.parameters)
    said = {
        "compiler": compiler_digest(),
        "source": source,
        "sample": None if compiled.sample is None else dict(compiled.sample),
        "small": {digest: len(raw) for digest, raw in small.items()},
    }
    checked = json.dumps(said).encode() + b"\n" + image
    first = f"{sha256(checked).hexdigest()} {len(checked)}\n".encode()
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(b"".join([first, checked, *small.values()]))
        draft.replace(path)
    except OSError as error:
        log.warning("%s cannot be written, the plan will be compiled at each start: %s", path, error)
        draft.unlink(missing_ok=True)
