"""The example tasks, pushed and released: what `make run` starts with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from walleweb.config import BASE_DIR
from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.publishing import push_version

EXAMPLES = BASE_DIR / "examples"


@dataclass(frozen=True)
class Example:
    """One example task: its name, and the folder that holds its first version and its inputs."""

    task: str
    version: str
    folder: Path

    @property
    def tree(self) -> Path:
        return self.folder / "task"

    @property
    def inputs(self) -> Path:
        return self.folder / "inputs.jsonl"


IMAGE = Example("camera/digits", "1.0.0", EXAMPLES / "image")
TEXT = Example("comments/sentiment", "1.0.0", EXAMPLES / "text")
RECOMMENDATION = Example("shop/recommend", "1.0.0", EXAMPLES / "recommendation")
ALL = (IMAGE, TEXT, RECOMMENDATION)


def publish(server: str, token: str, app: str, app_versions: list[str]) -> Iterator[str]:
    """Pushes and releases what is not there yet; yields a line about each step."""
    with ControlPlane(server, token) as control_plane:
        for example in ALL:
            if control_plane.version(example.task, example.version) is None:
                push_version(server, token, example.task, example.version, example.tree)
                yield f"pushed {example.task} {example.version}"
            _upload_variants(control_plane, example)
            if not control_plane.releases(app=app, task=example.task):
                control_plane.release(app, example.task, example.version, app_versions)
                yield f"released {example.task} {example.version} to {app} {', '.join(app_versions)}"


def _upload_variants(control_plane: ControlPlane, example: Example) -> None:
    """One preferences file per age band, for the recommender."""
    for file in sorted((example.folder / "variants").glob("*.json")):
        control_plane.put_variant(example.task, example.version, "prefs.json", file.stem, file.read_bytes())
