"""The manifest of a version, which is signed, stored and sent to devices (docs/task-format.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from walle.bundle.bytecode import Bytecode
from walle.bundle.models import BundleModels
from walle.bundle.spec import TaskSpec
from walle.bundle.stream_keys import with_own_table
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
    bytecode: Bytecode | None = None,
    models: BundleModels | None = None,
) -> dict[str, Any]:
    """Return the manifest's payload for a validated spec and the files that are sent to devices: in the place of
    sources their `bytecode`, in that of ONNX models what was imported of them.

    `digest_of` returns the SHA-256 (hex) of a file of the tree by its path. The same version has the same canonical
    bytes (`walle.protocol.canonical`). Raises InvalidNameError if a name, version, commit or digest is malformed.
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
        **({"stream": with_own_table(spec.stream, f"{scenario}/{task}")} if spec.stream else {}),
        **({"upload": spec.upload} if spec.upload else {}),
        **({"serving": spec.serving} if spec.serving else {}),
        **({"placement": spec.placement} if spec.placement else {}),
        "limits": spec.limits,
        **({"vm": spec.vm} if spec.vm else {}),
        "requires": spec.requires,
        **({"models": {name: model.to_dict() for name, model in spec.models.items()}} if spec.models else {}),
        **({"bytecode": bytecode.to_dict()} if bytecode else {}),
        "files": [*_shared(files, digest_of, bytecode, models or BundleModels()), *_exclusive(spec)],
    }


def _shared(
    files: Iterable[TreeEntry], digest_of: Callable[[str], str], bytecode: Bytecode | None, models: BundleModels
) -> Iterator[dict[str, Any]]:
    shipped = models.shipped(bytecode.shipped(files) if bytecode else files)
    for file in sorted(shipped, key=lambda file: file.path):
        digest = (bytecode and bytecode.digest(file.path)) or models.digest(file.path) or digest_of(file.path)
        yield {"path": file.path, "digest": check_digest(digest), "size": file.size, "kind": "shared"}


def _exclusive(spec: TaskSpec) -> Iterator[dict[str, Any]]:
    for file in sorted(spec.exclusive, key=lambda file: file.path):
        default = {"default": file.default} if file.default is not None else {}
        yield {"path": file.path, "kind": "exclusive", "template": file.template, **default}
