"""The spool, against a model: whatever happens to the process, what was appended comes out, in order, once."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from walle.device.storage.disk import Disk
from walle.device.tunnel.segments import BLOCK, SegmentDamaged
from walle.device.tunnel.spool import Spool

SEGMENT, MOST_BYTES, MOST_RECORDS = 120, 1000, 40
UNSYNCED = Disk(sync=False)
IDS = itertools.count(1)


def opened(folder: Path, disk: Disk = UNSYNCED, **bounds: int) -> Spool:
    small = {"segment_bytes": SEGMENT, "max_bytes": MOST_BYTES, "max_records": MOST_RECORDS, **bounds}
    return Spool(folder, disk, new_id=lambda: next(IDS).to_bytes(8, "big"), **small)


def contents(spool: Spool) -> dict[int, bytes]:
    """All that is there, as it is sent: read piece by piece, from the oldest on."""
    found: dict[int, bytes] = {}
    at = spool.oldest
    while records := spool.read(at, most_bytes=60):
        found.update(records)
        at = records[-1].sequence + 1
    assert list(found) == sorted(found)
    return found


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.seg"))


RECORDS = st.lists(st.binary(min_size=1, max_size=50), min_size=1, max_size=8)


class SpoolModel(RuleBasedStateMachine):
    """`kept` is what must come out; `given` all that ever had a sequence."""

    @initialize()
    def begin(self) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name) / "spool"
        self.spool = opened(self.folder)
        self.kept: dict[int, bytes] = {}
        self.given: dict[int, bytes] = {}
        self.acknowledged = self.dropped = 0

    def teardown(self) -> None:
        self.scratch.cleanup()

    @rule(records=RECORDS)
    def append(self, records: list[bytes]) -> None:
        first = self.spool.append(records)
        self._gave(first, records)
        self._forget_dropped()

    @rule(back=st.integers(-3, 12))
    def acknowledge(self, back: int) -> None:
        self.acknowledged = max(self.acknowledged, min(self.spool.next - 1, self.spool.next - back))
        self.spool.acknowledge(self.spool.next - back)
        self._forget_acknowledged()

    @rule()
    def restart(self) -> None:
        self._reopen()
        assert {n: data for n, data in contents(self.spool).items() if n > self.acknowledged} == self.kept
        self.spool.acknowledge(self.acknowledged)

    @precondition(lambda self: self.given)
    @rule(records=RECORDS, share=st.floats(0, 1))
    def die_while_appending(self, records: list[bytes], share: float) -> None:
        """What is on the disk of an append is any number of its first bytes; what is whole of that counts."""
        before = {path: path.stat().st_size for path in segments(self.folder)}
        room = opened(self.folder, max_bytes=10**6, max_records=10**6, segment_bytes=10**6)
        first = room.append(records)
        path = segments(self.folder)[-1]
        start = before.get(path, 0) or _header(path)
        cut = start + round(share * (path.stat().st_size - start))
        with path.open("r+b") as file:
            file.truncate(cut)
        self._reopen()
        whole = sum(end <= cut for end in itertools.accumulate((len(r) + 8 for r in records), initial=start)) - 1
        assert {n: d for n, d in contents(self.spool).items() if n >= first} == dict(enumerate(records[:whole], first))
        self._gave(first, records)
        self.kept = {n: d for n, d in self.kept.items() if n < first + whole}
        self.spool.acknowledge(self.acknowledged)

    @invariant()
    def all_comes_out(self) -> None:
        if hasattr(self, "spool"):
            assert contents(self.spool) == self.kept
            assert len(self.spool) == len(self.kept)
            assert self.spool.oldest == min(self.kept, default=self.spool.next)
            assert self.spool.dropped == self.dropped
            assert self.spool.set_aside is None

    def _gave(self, first: int, records: list[bytes]) -> None:
        new = dict(enumerate(records, first))
        assert not new.keys() & self.given.keys()
        self.given |= new
        self.kept |= new

    def _reopen(self) -> None:
        before = self.spool.id
        self.spool, self.dropped = opened(self.folder), 0
        assert self.spool.id == before or not self.given
        assert self.spool.next > max(self.given, default=0)

    def _forget_acknowledged(self) -> None:
        self.kept = {n: data for n, data in self.kept.items() if n > self.acknowledged}

    def _forget_dropped(self) -> None:
        """The oldest go when there is too much, no more of them than a segment beyond what must."""
        gone = [n for n in self.kept if n < self.spool.oldest]
        assert not gone or self.spool.size + SEGMENT + 100 > MOST_BYTES or len(self.kept) > MOST_RECORDS
        assert self.spool.size <= MOST_BYTES
        assert len(self.spool) <= MOST_RECORDS
        self.dropped += len(gone)
        self.kept = {n: data for n, data in self.kept.items() if n not in gone}


def _header(path: Path) -> int:
    return 24


TestSpoolModel = SpoolModel.TestCase
TestSpoolModel.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


class Died(Exception):
    """The process ends here."""


def dying_at(step: int) -> tuple[Disk, Iterator[int]]:
    steps = itertools.count()

    def checkpoint(name: str) -> None:
        if next(steps) == step:
            raise Died(name)

    return Disk(checkpoint=checkpoint, sync=False), steps


def live(folder: Path, disk: Disk, given: list[int]) -> None:
    """One process: appends over several segments, some of it is acknowledged and some dropped."""
    spool = opened(folder, disk)
    for number in range(4):
        given.append(spool.next)
        spool.append([bytes([number]) * 30] * 9)
        spool.acknowledge(spool.oldest + 3)


def test_a_death_at_any_step_loses_nothing_that_was_appended_and_repeats_no_number(tmp_path):
    _, steps = dying_at(-1)
    disk, steps = dying_at(-1)
    live(tmp_path / "whole", disk, [])
    for step in range(next(steps)):
        folder, given = tmp_path / str(step), list[int]()
        with pytest.raises(Died):
            live(folder, dying_at(step)[0], given)
        after = opened(folder)
        assert after.set_aside is None
        found = contents(after)
        assert after.next > max([*found, *given], default=0) or not found
        for first, following in itertools.pairwise(given):
            assert all(n in found or n < after.oldest for n in range(first, following))
        assert after.append([b"x"]) == max(found, default=0) + 1 or after.next - 1 > max(found, default=0)
        assert contents(after)[after.next - 1] == b"x"


def test_a_loss_of_power_that_takes_the_last_records_frees_no_number(tmp_path):
    spool = opened(tmp_path / "spool")
    sent = spool.append([b"sent and lost"])
    [path] = segments(tmp_path / "spool")
    with path.open("r+b") as file:
        file.truncate(24)
    after = opened(tmp_path / "spool")
    assert (after.id, len(after)) == (spool.id, 0)
    assert after.append([b"another"]) > sent


def test_zeros_at_the_end_of_a_segment_are_no_records(tmp_path):
    spool = opened(tmp_path / "spool")
    spool.append([b"one"])
    [path] = segments(tmp_path / "spool")
    with path.open("ab") as file:
        file.write(bytes(64))
    assert contents(opened(tmp_path / "spool")) == {1: b"one"}
    assert path.stat().st_size == 24 + 8 + 3


def test_of_a_full_spool_256_kib_are_dropped_at_a_time(tmp_path):
    spool = Spool(tmp_path / "spool", UNSYNCED, max_bytes=600 << 10)
    while not spool.dropped:
        spool.append([bytes(16 << 10)])
    assert spool.dropped == 256 // 16


@pytest.mark.parametrize("at", [0, 6, 14, 20, 30, 60])
def test_a_damaged_spool_is_set_aside_and_another_begun(tmp_path, at):
    folder = tmp_path / "spool"
    spool = opened(folder)
    spool.append([b"x" * 50] * 6)
    first, *_ = segments(folder)
    data = bytearray(first.read_bytes())
    data[at] ^= 1
    first.write_bytes(data)
    after = opened(folder)
    assert after.id != spool.id
    assert (after.set_aside, len(after), after.next) == (tmp_path / "spool.broken", 0, 1)
    assert first.name in after.damage
    assert (after.set_aside / first.name).exists()
    assert after.append([b"new"]) == 1
    assert contents(opened(folder)) == {1: b"new"}


def test_segments_of_two_spools_are_not_mixed(tmp_path):
    one, two = opened(tmp_path / "one"), opened(tmp_path / "two")
    one.append([b"x" * 60] * 2)
    two.append([b"y" * 60] * 6)
    segments(tmp_path / "two")[-1].rename(tmp_path / "one" / segments(tmp_path / "two")[-1].name)
    assert opened(tmp_path / "one").set_aside == tmp_path / "one.broken"


def test_what_changes_on_the_disk_while_it_is_read_is_told(tmp_path):
    spool = opened(tmp_path / "spool")
    spool.append([b"one", b"two"])
    [path] = segments(tmp_path / "spool")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(SegmentDamaged, match="1 to 2"):
        spool.read(1, most_bytes=1000)
    before = spool.id
    spool.renew("it is damaged")
    assert (spool.id != before, spool.next, spool.dropped, spool.damage) == (True, 1, 2, "it is damaged")


def test_a_disk_that_is_full_loses_only_what_did_not_fit(tmp_path, monkeypatch):
    spool = opened(tmp_path / "spool", segment_bytes=10_000)
    spool.append([b"one"])
    [path] = segments(tmp_path / "spool")
    with path.open("ab") as file:
        file.write(b"half of a rec")  # as a write that failed leaves it
    spool.append([b"two"])
    assert contents(spool) == {1: b"one", 2: b"two"}
    assert contents(opened(tmp_path / "spool")) == {1: b"one", 2: b"two"}


def test_a_process_has_numbers_of_its_own_behind_those_of_the_one_before(tmp_path):
    opened(tmp_path / "spool").append([b"x"] * 3)
    spool = opened(tmp_path / "spool")
    assert spool.append([b"y"]) == BLOCK + 1
    assert [record.sequence for record in spool.read(2, most_bytes=10**6)] == [2, 3]
    assert spool.at_or_after(4) == BLOCK + 1


def test_what_a_spool_takes_is_bounded_by_the_number_of_records_too(tmp_path):
    spool = opened(tmp_path / "spool", max_bytes=10**9)
    spool.append([b"x"] * 200)
    assert len(spool) <= MOST_RECORDS
    assert spool.dropped == 200 - len(spool)
    assert spool.oldest == spool.dropped + 1


def test_what_was_acknowledged_is_not_dropped(tmp_path):
    spool = opened(tmp_path / "spool", max_bytes=10**9)
    spool.append([b"x"] * 3)
    spool.acknowledge(2)
    spool.append([b"x"] * 200)
    assert spool.dropped == spool.oldest - 1 - 2


def test_syncs_are_those_of_the_disk(tmp_path):
    class Counting(Disk):
        synced = 0

        def sync_file(self, path: Path) -> None:
            self.synced += 1

    disk = Counting(sync=False)
    spool = opened(tmp_path / "spool", disk)
    spool.append([b"x"])
    spool.sync()
    spool.sync()
    assert disk.synced == 1
    spool.append([b"x" * 200])
    spool.append([b"y"])  # in another segment, which is made when the one before is on the disk
    assert disk.synced == 2
