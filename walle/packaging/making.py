"""Makes a tailored build for tasks: reads what there is, rehearses, plans, writes, and tries it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from walle.container.samples import Case, SampleResult, run_samples
from walle.packaging.inventory import device_requirements, take_inventory
from walle.packaging.plan import Plan, TaskSources, make_plan
from walle.packaging.rehearsal import TaskInputs, rehearse
from walle.packaging.trial import BuildRunner, try_device
from walle.packaging.writing import PartSizes, measure, total, write


class NotPossible(ValueError):
    """A build cannot be made here, or not of this."""


@dataclass(frozen=True)
class InstalledTask:
    """A task whose bundle is installed in a folder, with its manifest and its samples."""

    name: str
    bundle: Path
    manifest: Mapping[str, Any]
    samples: Sequence[Case]

    @property
    def requires(self) -> tuple[str, ...]:
        return tuple(self.manifest["requires"].get("modules", ()))

    def sources(self) -> TaskSources:
        """The sources of the bundle, with what the task requires."""
        files = {str(file.relative_to(self.bundle)): file.read_bytes() for file in self.bundle.rglob("*.py")}
        return TaskSources(self.name, files, self.requires)

    def to_rehearse(self) -> TaskInputs:
        """The task as a rehearsal takes it."""
        inputs = [inputs for sample in self.samples for inputs in sample.all_inputs()]
        return TaskInputs(self.name, str(self.bundle), self.manifest, inputs)


@dataclass(frozen=True)
class TailoredBuild:
    """What was made: its plan, the sizes of its parts, and by task what came of its samples in the build."""

    plan: Plan
    sizes: Mapping[str, PartSizes]
    trials: Mapping[str, Sequence[SampleResult]]

    @property
    def total(self) -> PartSizes:
        """The sizes of all parts together."""
        whole, tailored = zip(*((one.whole, one.tailored) for one in self.sizes.values()), strict=True)
        return PartSizes(total(whole), total(tailored))


def make_build(
    tasks: Sequence[InstalledTask], folder: Path, *, asked: Collection[str], tell: Callable[[str], None]
) -> TailoredBuild:
    """Make the build into a folder that is empty or not there; `tell` is called with each step in words.

    Raises NotPossible, NotInstalled, RehearsalFailed, UnreadableSource, CannotRelocate or
    DeviceFailed (all ValueError), and OSError.
    """
    if not sys.platform.startswith("linux"):
        raise NotPossible(f"expected Linux, whose programs can be relocated, found {sys.platform}")
    inventory = take_inventory({*asked, *(name for task in tasks for name in task.requires)})
    if unknown := sorted(set(asked) - inventory.modules.keys()):
        raise NotPossible(f"expected modules that are installed here, found no {', '.join(unknown)}")
    tell("Running a device and the samples to see what they load")
    loaded = rehearse([task.to_rehearse() for task in tasks])
    tell("Following the imports")
    plan = make_plan(
        inventory,
        [task.sources() for task in tasks],
        loaded=loaded,
        asked=asked,
        deep=device_requirements(),
        read=Path.read_bytes,
    )
    tell("Writing the build")
    sizes = measure(plan, write(plan, folder))
    tell("Running a device and the samples in the build")
    try_device(folder.resolve())
    runner = BuildRunner(folder.resolve())
    trials = {task.name: run_samples(runner, task.bundle, task.manifest, task.samples) for task in tasks}
    return TailoredBuild(plan, sizes, trials)
