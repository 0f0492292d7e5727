"""Compiled plans on a host's disk: an archive is read, optimised and compiled once, not at each start.

The file is the host's own, as its kernels are. Its first line is the SHA-256 of the others. The second one says by what
sources and of what it was compiled: one that is damaged, or of other sources, counts as none. The rest is the plan.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from walle.whitebox.compiling.plan_document import compiler_digest, from_lines, to_lines
from walle.whitebox.runtime.served_plan import ServedPlan

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CompiledPlan:
    """A plan, and a record by which to tell what it costs, if its archive has one."""

    plan: ServedPlan
    sample: Mapping[str, Any] | None = None


def load_compiled(path: Path, source: str, make: Callable[[], CompiledPlan]) -> CompiledPlan:
    """Return the plan that a file has of a source, which a digest names; else make it, and keep it in the file.

    Raises what `make` does.
    """
    found = _read(path, source)
    if found is None:
        found = make()
        _write(path, source, found)
    return found


def _read(path: Path, source: str) -> CompiledPlan | None:
    try:
        checksum, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if sha256(content).hexdigest().encode() != checksum:
        log.warning("%s is damaged: the plan is compiled anew", path)
        return None
    head, *lines = content.decode().split("\n")
    said = json.loads(head)
    if (said["compiler"], said["source"]) != (compiler_digest(), source):
        return None
    return CompiledPlan(ServedPlan(from_lines(lines)), said["sample"])


def _write(path: Path, source: str, compiled: CompiledPlan) -> None:
    """Replace the file as a whole; the next start compiles anew where that fails."""
    said = {
        "compiler": compiler_digest(),
        "source": source,
        "sample": None if compiled.sample is None else dict(compiled.sample),
    }
    content = "\n".join([json.dumps(said), *to_lines(compiled.plan.physical)]).encode()
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(sha256(content).hexdigest().encode() + b"\n" + content)
        draft.replace(path)
    except OSError as error:
        log.warning("%s cannot be written, the plan will be compiled at each start: %s", path, error)
        draft.unlink(missing_ok=True)
