"""The manifest of a version: what is signed, stored and sent to devices (docs/task-format.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

    `digest_of` gives the SHA-256 of a file that is shipped by its path. The same version gives the same canonical bytes
    (`walle.protocol.canonical`). Raises InvalidNameError when a name, version, commit or digest is malformed.
    """
    shipped = bytecode.shipped(files) if bytecode else files
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
        "files": _files(spec, shipped, digest_of),
    }


def _files(spec: TaskSpec, files: Iterable[TreeEntry], digest_of: Callable[[str], str]) -> list[dict[str, Any]]:
    shared = [
        {"path": one.path, "digest": check_digest(digest_of(one.path)), "size": one.size, "kind": "shared"}
        for one in sorted(files, key=lambda one: one.path)
    ]
    exclusive = [
        {"path": one.path, "kind": "exclusive", "template": one.template}
        | ({"default": one.default} if one.default is not None else {})
        for one in sorted(spec.exclusive, key=lambda one: one.path)
    ]
    return shared + exclusive
