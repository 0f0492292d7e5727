"""The manifest of a version, which is signed, stored and sent to devices (docs/task-format.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from walle.bundle.spec import TaskSpec
from walle.bundle.tree import TreeEntry
from walle.protocol.kinds import kind_field
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
) -> dict[str, Any]:
    """Return the manifest's payload for a validated spec and the files that are sent to devices.

    `digest_of` returns the SHA-256 (hex) of a file by its path. The same version has the same canonical bytes
    (`walle.protocol.canonical`). Raises InvalidNameError if a name, version, commit or digest is malformed.
    """
    return {
        "type": "walle-manifest",
        "format": 1,
        "scenario": check_slug(scenario, "scenario"),
        "task": check_slug(task, "task"),
        "version": check_version(version),
        "commit": check_commit(commit),
        **kind_field(spec.kind),
        "entry_point": spec.entry_point,
        "inputs": spec.inputs,
        "outputs": spec.outputs,
        "metrics": spec.metrics,
        "trigger": spec.trigger,
        "limits": spec.limits,
        **({"vm": spec.vm} if spec.vm else {}),
        "requires": spec.requires,
        "files": _files(spec, files, digest_of),
    }


def _files(spec: TaskSpec, files: Iterable[TreeEntry], digest_of: Callable[[str], str]) -> list[dict[str, Any]]:
    shared = [
        {"path": file.path, "digest": check_digest(digest_of(file.path)), "size": file.size, "kind": "shared"}
        for file in sorted(files, key=lambda file: file.path)
    ]
    exclusive = [
        {"path": file.path, "kind": "exclusive", "template": file.template}
        | ({"default": file.default} if file.default is not None else {})
        for file in sorted(spec.exclusive, key=lambda file: file.path)
    ]
    return shared + exclusive
