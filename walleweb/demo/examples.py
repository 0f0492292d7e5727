"""The example tasks and their versions, pushed and released, with which `make run` starts."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from walle.protocol.kinds import DEVICE, PIPELINE, fact_of
from walle.protocol.names import SemVer
from walle.release.rules import uniform
from walle.release.states import ReleaseAction, ReleaseState
from walleweb.config import BASE_DIR
from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.publishing import push_version

EXAMPLES = BASE_DIR / "examples"


EVERY_CALLER: Final[Mapping[str, Any]] = {"fact": fact_of(PIPELINE), "equals": True}
"""The rule of a pipeline for all callers of an app."""


@dataclass(frozen=True)
class Example:
    """One version of an example task: the task's name, its kind, and the folder with its versions and inputs."""

    task: str
    version: str
    folder: Path
    kind: str = DEVICE

    def rule(self, app_versions: Sequence[str]) -> Mapping[str, Any]:
        """Return the rule of its releases: devices with some versions of the app, or every caller of a pipeline."""
        return EVERY_CALLER if self.kind == PIPELINE else uniform(app_versions)

    @property
    def inputs(self) -> Path:
        return self.folder / "inputs.jsonl"

    @property
    def variants(self) -> list[Path]:
        return sorted((self.folder / "variants").glob("*.json"))

    def at(self, version: str) -> Example:
        return replace(self, version=version)

    def lay_out(self, target: Path) -> Path:
        """Write the version's complete tree to a new folder: each version contains only its differences from the one
        before.
        """
        shutil.copytree(self.folder / "task", target)
        for version in sorted(SemVer.parse(folder.name) for folder in (self.folder / "versions").glob("*")):
            if version <= SemVer.parse(self.version):
                shutil.copytree(self.folder / "versions" / str(version), target, dirs_exist_ok=True)
        return target

    def push(self, server: str, token: str) -> str:
        """Push the version with git; return git's output."""
        with tempfile.TemporaryDirectory(prefix="walle-tree-") as place:
            return push_version(server, token, self.task, self.version, self.lay_out(Path(place) / "tree"))

    def __str__(self) -> str:
        return f"{self.task} {self.version}"


IMAGE = Example("camera/digits", "1.0.0", EXAMPLES / "image")
TEXT = Example("comments/sentiment", "1.0.0", EXAMPLES / "text")
RECOMMENDATION = Example("shop/recommend", "1.0.0", EXAMPLES / "recommendation")
IPV = Example("shop/ipv", "1.0.0", EXAMPLES / "shop")
"""A stream task: it runs where users browse."""
MOOD = Example("comments/mood", "1.0.0", EXAMPLES / "reviews", PIPELINE)
"""A pipeline: serving hosts predict with it."""
RENAMED = MOOD.at("1.1.0")
"""A version of it that expects another column than the one its callers send."""
BETTER = IMAGE.at("1.1.0")
UNFIT = IMAGE.at("1.2.0")
"""A version that uses a function missing from the numpy of one app version."""
FLAWED = IMAGE.at("1.3.0")
"""A version that fails on about 15 % of real inputs, and on none of its samples."""
ALL = (IMAGE, TEXT, RECOMMENDATION)
"""The tasks that run on recorded inputs."""


def publish(
    server: str,
    token: str,
    app: str,
    app_versions: Sequence[str],
    strategy: Mapping[str, Any],
    *,
    chosen: Iterable[Example] = ALL,
) -> Iterator[str]:
    """Push and release what does not exist yet; yields a line about each step."""
    with ControlPlane(server, token) as control_plane:
        for example in chosen:
            if push_if_new(control_plane, server, token, example):
                yield f"pushed {example}"
            if release_if_new(control_plane, app, example, example.rule(app_versions), strategy):
                audience = "its callers" if example.kind == PIPELINE else ", ".join(app_versions)
                yield f"released {example} to {app} {audience}"


def push_if_new(control_plane: ControlPlane, server: str, token: str, example: Example) -> bool:
    """Push a version with its variants unless it exists already; return whether it was new."""
    if control_plane.version(example.task, example.version) is not None:
        return False
    example.push(server, token)
    for file in example.variants:
        control_plane.put_variant(example.task, example.version, "prefs.json", file.stem, file.read_bytes())
    return True


def release_if_new(
    control_plane: ControlPlane, app: str, example: Example, rule: Mapping[str, Any], strategy: Mapping[str, Any]
) -> bool:
    """Start a release of a version unless there was one; return whether it is new."""
    release = control_plane.release_of(app, example.task, example.version)
    if release is None:
        release = control_plane.draft(app, example.task, example.version, rule, strategy)
    if release["state"] != ReleaseState.DRAFT:
        return False
    control_plane.move(release["id"], ReleaseAction.START)
    return True
