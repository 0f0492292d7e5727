"""Compiled plans on a host's disk: an archive is read, optimised and compiled once, not at each start.

The file is the host's own, as its kernels are. Its first line is the SHA-256 of all else. The second one says by what
sources and of what it was compiled: one that is damaged, or of other sources, counts as none. Then comes the plan, and
behind it the bytes of its small parameters, of which a host would otherwise open thousands of files. Each of these has
to have its digest.
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
from walle.whitebox.runtime.parameter_store import ParameterStore
from walle.whitebox.runtime.served_plan import ServedPlan

log = logging.getLogger(__name__)


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
        checksum, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if sha256(content).hexdigest().encode() != checksum:
        log.warning("%s is damaged: the plan is compiled anew", path)
        return None
    head, _, body = content.partition(b"\n")
    said = json.loads(head)
    if (said["compiler"], said["source"]) != (compiler_digest(), source):
        return None
    start = said["plan"]
    for digest, size in said["small"].items():
        if not store.is_loaded(digest):
            store.adopt(digest, body[start : start + size])
        start += size
    lines = body[: said["plan"]].decode().split("\n")
    return CompiledPlan(ServedPlan(from_lines(lines)), said["sample"])


def _write(path: Path, source: str, compiled: CompiledPlan, store: ParameterStore) -> None:
    """Replace the file as a whole; the next start compiles anew where that fails."""
    plan = "\n".join(to_lines(compiled.plan.physical)).encode()
    small = store.small(compiled.plan.physical.parameters().values())
    said = {
        "compiler": compiler_digest(),
        "source": source,
        "sample": None if compiled.sample is None else dict(compiled.sample),
        "plan": len(plan),
        "small": {digest: len(raw) for digest, raw in small.items()},
    }
    content = b"".join([json.dumps(said).encode(), b"\n", plan, *small.values()])
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(sha256(content).hexdigest().encode() + b"\n" + content)
        draft.replace(path)
    except OSError as error:
        log.warning("%s cannot be written, the plan will be compiled at each start: %s", path, error)
        draft.unlink(missing_ok=True)
