"""The kinds of tasks that this server accepts, and the checks of each kind beyond those of every task.

An engine adds its kind to KINDS, with its own check. walle.protocol.kinds has the names of kinds in the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from walle.bundle.spec import TASK_FILE, TaskSpec
from walle.bundle.tree import FileTree
from walle.protocol.kinds import DEVICE, PIPELINE, WORKFLOW
from walle.protocol.names import check_slug
from walle.schema import Problem
from walle.schema.values import shown

Check = Callable[[TaskSpec, FileTree], Iterable[Problem]]
"""Returns the problems of a tree for its kind, and raises nothing. The spec has only the valid parts of task.toml."""


def nothing_more(spec: TaskSpec, tree: FileTree) -> Iterable[Problem]:
    """Return no problems: the check of a kind without rules of its own."""
    return ()


@dataclass(frozen=True)
class TaskKind:
    """A kind of task. `on_devices` says whether devices run it, or the cloud alone."""

    name: str
    on_devices: bool
    check: Check = nothing_more

    def __post_init__(self) -> None:
        check_slug(self.name, "kind")


class Kinds:
    """Kinds by name. Raises ValueError if two have the same name."""

    def __init__(self, *kinds: TaskKind) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        if len(self._kinds) != len(kinds):
            raise ValueError(f"expected kinds of different names, found {[kind.name for kind in kinds]}")

    def get(self, name: str) -> TaskKind | None:
        return self._kinds.get(name)

    def check(self, spec: TaskSpec, tree: FileTree) -> Iterator[Problem]:
        """Yield the problems of a tree for the kind that its task.toml names."""
        kind = self.get(spec.kind)
        if kind is None:
            yield Problem(TASK_FILE, "task.kind", f"one of {', '.join(self._kinds)}", shown(spec.kind))
            return
        yield from kind.check(spec, tree)


def check_pipeline(spec: TaskSpec, tree: FileTree) -> Iterable[Problem]:
    """Return the problems of a pipeline's tree."""
    from walle.bundle import pipeline_check  # loads what reads archives

    return pipeline_check.check_pipeline(spec, tree)


def check_workflow(spec: TaskSpec, tree: FileTree) -> Iterable[Problem]:
    """Return the problems of a workflow's tree."""
    from walle.bundle.workflows import checking  # loads the placement engine

    return checking.check_workflow(spec, tree)


KINDS: Final = Kinds(
    TaskKind(DEVICE, on_devices=True),
    TaskKind(PIPELINE, on_devices=False, check=check_pipeline),
    TaskKind(WORKFLOW, on_devices=True, check=check_workflow),
)


def on_devices(name: str) -> bool:
    """Return whether devices run tasks of this kind."""
    kind = KINDS.get(name)
    return kind is not None and kind.on_devices
