"""The manifest of a version: what is signed, stored and sent to devices (docs/task-format.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from walle.bundle.bytecode import Bytecode
from walle.bundle.spec import TaskSpec
from walle.bundle.tree import TreeEntry
from walle.protocol.kinds import said
from walle.protocol.names import check_commit, check_digest, check_slug, check_version


def build_manifest(
    spec: TaskSpec,
    files: Iterable[TreeEntry],
    digest_of: Callable[[str], str],
    *,
    scenario: str,
    task: str,
    version: str,
    commit: str,
    bytecode: Bytecode | None = None,
) -> dict[str, Any]:
    """The manifest's payload for a validated spec and its travelling files, or the `bytecode` in the place of sources.

    `digest_of` gives the SHA-256 of a file of the tree by its path. The same version gives the same canonical bytes
    (`walle.protocol.canonical`). Raises InvalidNameError when a name, version, commit or digest is malformed.
    """
    return {
        "type": "walle-manifest",
        "format": 1,
        "scenario": check_slug(scenario, "scenario"),
        "task": check_slug(task, "task"),
        "version": check_version(version),
        "commit": check_commit(commit),
        **said(spec.kind),
        "entry_point": spec.entry_point,
        "inputs": spec.inputs,
        "outputs": spec.outputs,
        "metrics": spec.metrics,
        "trigger": spec.trigger,
        "limits": spec.limits,
        "requires": spec.requires,
        **({"bytecode": bytecode.to_dict()} if bytecode else {}),
        "files": [*_shared(files, digest_of, bytecode), *_exclusive(spec)],
    }


def _shared(
    files: Iterable[TreeEntry], digest_of: Callable[[str], str], bytecode: Bytecode | None
) -> Iterator[dict[str, Any]]:
    for one in sorted(bytecode.shipped(files) if bytecode else files, key=lambda one: one.path):
        digest = (bytecode and bytecode.digest(one.path)) or digest_of(one.path)
        yield {"path": one.path, "digest": check_digest(digest), "size": one.size, "kind": "shared"}


def _exclusive(spec: TaskSpec) -> Iterator[dict[str, Any]]:
    for one in sorted(spec.exclusive, key=lambda one: one.path):
        default = {"default": one.default} if one.default is not None else {}
        yield {"path": one.path, "kind": "exclusive", "template": one.template, **default}
