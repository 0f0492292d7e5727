"""Putting many at once: the same as one after the other, and nothing is left of a failure."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from walle.artifacts import LocalStore, PutResult


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "artifacts")


def files_in(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=20)
@given(contents=st.lists(st.binary(max_size=50), max_size=20))
def test_all_are_kept_in_the_order_given(store: LocalStore, contents: list[bytes]) -> None:
    expected = [PutResult(hashlib.sha256(content).hexdigest(), len(content)) for content in contents]
    assert store.put_all(contents) == expected
    assert store.put_all(BytesIO(content) for content in contents) == expected
    for stored, content in zip(expected, contents, strict=True):
        assert store.path(stored.digest).read_bytes() == content
    assert not list(store.root.glob("incoming/*"))


def test_each_is_read_to_its_end_before_the_next_is_asked_for(store: LocalStore) -> None:
    source = iter(range(300))

    def contents() -> Iterator[Iterator[bytes]]:
        for _ in range(100):
            yield (b"%d " % next(source) for _ in range(3))

    kept = store.put_all(contents())
    assert [store.path(one.digest).read_bytes() for one in kept[:2]] == [b"0 1 2 ", b"3 4 5 "]
    assert store.path(kept[-1].digest).read_bytes() == b"297 298 299 "


def test_of_a_failure_nothing_is_left_but_what_was_there(store: LocalStore) -> None:
    kept = store.put(b"before")

    def contents() -> Iterator[bytes | Iterator[bytes]]:
        yield b"one"
        yield broken()

    def broken() -> Iterator[bytes]:
        yield b"two"
        raise OSError("the source broke")

    opened = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="the source broke"):
        store.put_all(contents())
    assert files_in(store.root) == [store.path(kept.digest)]
    assert len(os.listdir("/proc/self/fd")) == opened


def test_every_file_is_synced_before_any_gets_its_name(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(descriptor: int) -> None:
        fsync(descriptor)
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")

    def noted_replace(self: Path, target: Path) -> Path:
        steps.append("name")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    store.put_all(b"%d" % number for number in range(100))
    assert steps[:200] == ["file"] * 100 + ["name"] * 100
    assert set(steps[200:]) == {"folder"}
    assert len(steps[200:]) > 100
