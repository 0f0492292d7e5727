"""The models of a valid tree: those of ONNX are imported, and how each will run on devices is planned.

Models are strangers': nothing here reads one before a process with limits has (`walle.tensor.importing`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from walle.bundle.bytecode import SourceFile, is_source
from walle.bundle.model_keys import ONNX, ModelSpec
from walle.bundle.spec import TASK_FILE
from walle.bundle.tree import FileTree, TreeEntry
from walle.schema import MAX_PROBLEMS, Problem

if TYPE_CHECKING:
    from walle.bundle.validation import BundleValidation

SECONDS: Final = 120.0
"""What importing and planning may take of the clock for all models of a tree."""


@dataclass(frozen=True)
class BundleModels:
    """The models of a bundle. `imported` holds the files that devices get by path, `sources` the ONNX models that they
    come from, sorted by path; `plans` says by the name of each model how it will run (`walle.tensor.model_plans`)."""

    imported: Mapping[str, bytes] = field(default_factory=dict)
    sources: tuple[SourceFile, ...] = ()
    plans: Mapping[str, dict[str, Any]] = field(default_factory=dict)

    def replaces(self, path: str) -> bool:
        """Return whether devices get an imported model in the place of a file."""
        return any(source.path == path for source in self.sources)

    def shipped(self, files: Iterable[TreeEntry]) -> list[TreeEntry]:
        """Return the files that devices get in the place of those that travel."""
        others = [one for one in files if not self.replaces(one.path)]
        return others + [TreeEntry(path, len(content)) for path, content in self.imported.items()]

    def digest(self, path: str) -> str | None:
        """Return the SHA-256 of an imported file; None for another file."""
        return self._digests.get(path)

    @cached_property
    def _digests(self) -> dict[str, str]:
        return {path: SourceFile.of(path, content).digest for path, content in self.imported.items()}


def with_models(
    tree: FileTree, validation: BundleValidation, clock: Callable[[], float] = time.monotonic
) -> BundleValidation:
    """Return the same validation with its models, or with what stands against importing or planning them.

    `clock` returns seconds.
    """
    spec = validation.spec
    if spec is None or not spec.models:
        return validation
    if problems := list(_misplaced(spec.models, validation)):
        return replace(validation, problems=tuple(problems), spec=None)
    import_ = _Import(tree, [file.path for file in validation.files], clock() + SECONDS, clock)
    with TemporaryDirectory(prefix="walle-models-") as folder:
        for name, model in spec.models.items():
            import_.add(name, model, Path(folder), keeps=bool(spec.vm))
    if import_.problems:
        return replace(validation, problems=tuple(import_.problems[:MAX_PROBLEMS]), spec=None)
    sources = tuple(sorted(import_.sources, key=lambda source: source.path))
    return replace(validation, models=BundleModels(import_.imported, sources, import_.plans))


def _misplaced(models: Mapping[str, ModelSpec], validation: BundleValidation) -> Iterator[Problem]:
    travelling = {file.path.casefold(): file.path for file in validation.files}
    exclusive = list(validation.spec.exclusive) if validation.spec else []
    for name, model in models.items():
        if model.file not in travelling.values():
            yield Problem(TASK_FILE, f"models.{name}.file", "a file that travels", f"no {model.file}")
        elif model.installed != model.file and model.installed.casefold() in travelling:
            found = travelling[model.installed.casefold()]
            yield Problem(found, "", f"another name, as {model.file} is imported as {model.installed}", "this one")
        for one in exclusive:
            if one.path == model.installed or (one.default == model.file and model.installed != model.file):
                expected = f"neither the path nor the default of an exclusive file ({one.path})"
                yield Problem(TASK_FILE, f"models.{name}.file", expected, model.file)


class _Import:
    """The models of a tree as they are imported and planned, one after the other."""

    def __init__(self, tree: FileTree, paths: list[str], deadline: float, clock: Callable[[], float]) -> None:
        self._tree, self._paths, self._deadline, self._clock = tree, paths, deadline, clock
        self.imported: dict[str, bytes] = {}
        self.sources: list[SourceFile] = []
        self.plans: dict[str, dict[str, Any]] = {}
        self.problems: list[Problem] = []

    def add(self, name: str, model: ModelSpec, folder: Path, *, keeps: bool) -> None:
        """Import and plan a model; what stands against it is noted."""
        from walle.tensor.importing import (
            GraphMalformed,
            ImportFailed,
            ModelFileMalformed,
            ModelRefused,
            import_onnx,
            plan_file,
        )

        try:
            path = self._laid_out(model, folder)
            if model.installed != model.file:
                made = folder / "imported.walle"
                import_onnx(path, made, seconds=self._left())
                self.sources.append(SourceFile.of(model.file, self._tree.read(model.file)))
                self.imported[model.installed] = made.read_bytes()
                path = made
            plan = plan_file(path, model.shapes, exact=not model.int8, keeps=keeps, seconds=self._left())
            self.plans[name] = {"file": model.installed, **plan}
        except GraphMalformed as error:
            self.problems += [
                Problem(model.file, " ".join(filter(None, (each.node, each.field))), each.expected, each.found)
                for each in error.faults
            ]
        except (ModelRefused, ModelFileMalformed) as error:
            self.problems.append(Problem(model.file, "", "a model that can be imported", str(error)))
        except (ImportFailed, OSError) as error:
            self.problems.append(Problem(model.file, "", "a model that is imported and planned in time", str(error)))

    def _left(self) -> float:
        return max(0.1, self._deadline - self._clock())

    def _laid_out(self, model: ModelSpec, folder: Path) -> Path:
        """Write a model, with the files of its folder if it may refer to them; return its path."""
        above = model.file.rpartition("/")[0]
        beside = [path for path in self._paths if path.rpartition("/")[0] == above and not is_source(path)]
        for path in beside if model.file.endswith(ONNX) else [model.file]:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.write_bytes(self._tree.read(path))
        return folder / model.file
