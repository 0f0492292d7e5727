"""What a host keeps of a version that it has compiled: found at the next start, never trusted if it is not its own."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.whitebox.pipelines import attendees
from tests.whitebox.serving.program import archive_of
from walle.whitebox.runtime import compiled_plans
from walle.whitebox.runtime.service import RuntimeSettings
from walle.whitebox.serving.engine import PlanRefused
from walle.whitebox.serving.heartbeat import Heartbeat
from walle.whitebox.serving.runtime_engine import RuntimeEngine

pytestmark = pytest.mark.slow

PLAN = "f" * 64


class Host:
    """A version as it is installed, and engines that start beside it one after the other."""

    def __init__(self, folder: Path) -> None:
        self._parameters, self.kept = folder / "parameters", folder / "compiled.json"
        self.files = {}
        for path, content in archive_of(attendees()).items():
            self.files[path] = folder / path
            self.files[path].parent.mkdir(exist_ok=True)
            self.files[path].write_bytes(content)

    @property
    def document(self) -> Path:
        return self.files["pipeline.json"]

    def small_parameters(self) -> list[Path]:
        """The files of parameters that are not mapped."""
        found = [path for path in self._parameters.glob("*.bin") if path.stat().st_size <= 16 << 10]
        assert found
        return found

    def engine(self) -> RuntimeEngine:
        """A new engine, as a start has it."""
        return RuntimeEngine(self._parameters, Heartbeat(), RuntimeSettings(executors=1))

    def restart(self, plan: str = PLAN) -> tuple[Any, ...]:
        """Load the version in a new engine, and return all that this says of it."""
        engine = self.engine()
        classes, columns = engine.load(plan, self.files, {}, self.kept)
        prediction = engine._runtime.predict(plan, dict.fromkeys(columns))
        # As texts: a plan may have numbers that are no numbers, which equal nothing.
        return classes, columns, repr(prediction), repr(engine._runtime.plan(plan).unbound)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    yield Host(tmp_path)
    gc.unfreeze()


def test_a_restart_finds_the_plan_compiled(host: Host) -> None:
    first = host.restart()
    host.document.unlink()
    assert host.restart() == first


def test_a_restart_finds_small_parameters_beside_the_plan(host: Host) -> None:
    first = host.restart()
    for path in host.small_parameters():
        path.unlink()
    assert host.restart() == first


def test_small_parameters_with_another_digest_are_read_from_their_own_files(host: Host) -> None:
    first, content = host.restart(), host.kept.read_bytes()
    host.kept.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert host.restart() == first


def test_what_plans_hold_is_exempt_from_garbage_collection_and_goes_without_it(host: Host) -> None:
    engine = host.engine()
    engine.load(PLAN, host.files, {}, host.kept)
    loaded = engine._runtime.plan(PLAN)
    assert gc.is_tracked(loaded)
    assert not any(each is loaded for each in gc.get_objects()), "a full collection does not look at it"
    parts = [weakref.ref(each) for each in (loaded, loaded.bound, loaded.bound.plan)]
    del loaded
    engine.unload(PLAN)
    assert [each() for each in parts] == [None] * len(parts)


def test_a_file_that_cannot_be_written_keeps_no_version_from_being_served(host: Host) -> None:
    host.kept = host.kept.parent / "missing" / "compiled.json"
    assert host.restart() == host.restart()


def damaged(kept: Path) -> None:
    content = kept.read_bytes()
    place = content.rindex(b'":answer":[') + len(b'":answer":[') + 2
    kept.write_bytes(content[:place] + b"9" + content[place + 1 :])


def cut_off(kept: Path) -> None:
    kept.write_bytes(kept.read_bytes()[:-100])


def empty(kept: Path) -> None:
    kept.write_bytes(b"")


def rewritten(kept: Path, change: Callable[[bytes, bytes], bytes]) -> None:
    """Write a file with another head and image, and the checksum of these, as whoever can write the file can."""
    first, rest = kept.read_bytes().split(b"\n", 1)
    size = int(first.split()[1])
    checked = change(*rest[:size].split(b"\n", 1))
    line = f"{sha256(checked).hexdigest()} {len(checked)}\n".encode()
    kept.write_bytes(line + checked + rest[size:])


def of_other_sources(kept: Path) -> None:
    rewritten(kept, lambda head, image: json.dumps(json.loads(head) | {"compiler": "0" * 64}).encode() + b"\n" + image)


def of_another_layout(kept: Path) -> None:
    rewritten(kept, lambda head, image: head + b"\n" + image[:8] + b"\xff" + image[9:])


@pytest.mark.parametrize("change", [damaged, cut_off, empty, of_other_sources, of_another_layout])
def test_a_file_that_is_damaged_or_of_other_sources_is_compiled_anew(
    host: Host, change: Callable[[Path], None]
) -> None:
    first, content = host.restart(), host.kept.read_bytes()
    change(host.kept)
    assert host.kept.read_bytes() != content
    assert host.restart() == first
    assert host.kept.read_bytes() == content

    change(host.kept)
    host.document.write_bytes(b"{}")
    with pytest.raises(PlanRefused):
        host.restart()


def test_a_file_of_another_version_is_not_taken_for_this_one(host: Host) -> None:
    host.restart()
    host.document.write_bytes(b"{}")
    with pytest.raises(PlanRefused):
        host.restart("e" * 64)


def test_other_sources_have_another_digest(monkeypatch: pytest.MonkeyPatch, host: Host) -> None:
    host.restart()
    monkeypatch.setattr(compiled_plans, "compiler_digest", lambda: "0" * 64)
    host.document.write_bytes(b"{}")
    with pytest.raises(PlanRefused):
        host.restart()
