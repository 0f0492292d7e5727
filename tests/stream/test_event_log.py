"""The event log: bounded memory, segments on disk, and what damage and death leave of it."""

import os
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from walle.stream.event_log import EventLog
from walle.stream.events import BehaviourEvent
from walle.stream.segments import SegmentBounds
from walle.stream.sequence import LATE_S
from walle.stream.windows import MAX_WINDOW_BYTES, MAX_WINDOW_EVENTS

SMALL: dict[str, Any] = {"memory_events": 6, "bounds": SegmentBounds(segment_bytes=600)}


def click(at: float, **contents: Any) -> BehaviourEvent:
    return BehaviourEvent("click", "click", "home", at, contents)


def filled(log: EventLog, count: int, first: int = 0) -> EventLog:
    for number in range(first, first + count):
        log.append(click(float(number), n=number), visit=0, session=0)
    return log


def numbers(events: tuple[BehaviourEvent, ...]) -> list[int]:
    return [event.contents["n"] for event in events]


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def test_what_exceeds_the_memory_is_on_disk_and_said(tmp_path):
    said: list[int] = []
    log = EventLog(tmp_path / "events", memory_events=6, on_spill=said.append)
    filled(log, 6)
    assert (said, segments(tmp_path / "events")) == ([], [])
    filled(log, 1, first=6)
    assert (said, log.spilled, log.lost) == ([4], 4, 0)
    assert numbers(log.last(10).events) == list(range(7))
    [segment] = segments(tmp_path / "events")
    assert stat.S_IMODE(segment.stat().st_mode) == 0o600
    assert stat.S_IMODE(segment.parent.stat().st_mode) == 0o700


def test_memory_is_bounded_in_bytes(tmp_path):
    log = EventLog(tmp_path, memory_bytes=1000)
    for number in range(3):
        log.append(click(1.0, n=number, text="x" * 400), visit=0, session=0)
    assert log.spilled == 2
    log.append(click(1.0, n=3, text="x" * 4000), visit=0, session=0)
    assert log.spilled == 4
    assert numbers(log.last(9).events) == [0, 1, 2, 3]


def test_without_a_folder_what_exceeds_the_memory_is_lost():
    log = filled(EventLog(memory_events=6), 7)
    assert (log.spilled, log.lost) == (0, 4)
    assert numbers(log.last(10).events) == [4, 5, 6]
    assert log.of_visit(0).cut
    assert log.flush()


def test_events_are_read_in_the_order_of_the_sequence(tmp_path):
    log = EventLog(tmp_path, **SMALL)
    for number, at in enumerate([10.0, 12.0, 11.0, 12.0, 15.0, 14.0, 13.0, 16.0]):
        log.append(click(at, n=number), visit=0, session=0)
    log.append(click(3.0, n=8), visit=8, session=8)
    assert numbers(log.last(9).events) == [0, 2, 1, 3, 6, 5, 4, 7, 8]
    assert numbers(log.since(11.0, 14.0).events) == []  # the newest session is older than that by its clock
    assert numbers(log.since(2.0, 14.0).events) == [0, 2, 1, 3, 6, 5, 8]


def test_a_window_of_seconds_looks_past_what_came_late():
    log = EventLog()
    for number, at in enumerate([14.9, 15.0, 15.0 - LATE_S]):
        log.append(click(at, n=number), visit=0, session=0)
    assert numbers(log.since(15.0).events) == [1]


def test_a_window_has_a_bound_and_says_that_it_was_cut(tmp_path):
    log = filled(EventLog(tmp_path), MAX_WINDOW_EVENTS + 2)
    assert (len(log.since(0.0).events), log.since(0.0).cut) == (MAX_WINDOW_EVENTS, True)
    assert numbers(log.since(0.0).events)[-1] == MAX_WINDOW_EVENTS + 1
    assert not log.last(MAX_WINDOW_EVENTS).cut
    large = EventLog(memory_bytes=2 * MAX_WINDOW_BYTES)
    for number in range(300):
        large.append(click(1.0, n=number, text="x" * 16_000), visit=0, session=0)
    for window in large.of_visit(0), large.last(300), large.since(0.0):
        assert window.cut
        assert numbers(window.events)[-1] == 299
        assert MAX_WINDOW_BYTES * 0.98 < sum(len(str(event.contents)) for event in window.events) < MAX_WINDOW_BYTES


def test_all_files_together_are_bounded(tmp_path):
    bounds = SegmentBounds(segment_bytes=10_000, total_bytes=50_000)
    log = filled(EventLog(tmp_path, memory_events=100, bounds=bounds), 20_000)
    assert log.flush()
    assert 30_000 < sum(path.stat().st_size for path in segments(tmp_path)) <= 60_000
    kept = numbers(log.last(9_000).events)
    assert kept == list(range(20_000 - len(kept), 20_000))
    assert log.of_visit(0).cut


def test_what_is_written_at_once_is_cut_into_segments(tmp_path):
    filled(EventLog(tmp_path, bounds=SegmentBounds(segment_bytes=1000)), 100).close()
    sizes = [path.stat().st_size for path in segments(tmp_path)]
    assert all(1000 <= size < 1200 for size in sizes[:-1])
    assert len(sizes) > 5
    assert numbers(EventLog(tmp_path).last(100).events) == list(range(100))


def test_segments_go_with_age(tmp_path):
    day = 86_400.0
    log = EventLog(tmp_path, memory_events=2)
    for number in range(10):
        log.append(click(number * day, n=number), visit=0, session=0)
        assert log.flush()
    assert [int(path.stem) for path in segments(tmp_path)] == [2, 4, 6, 8]
    log.expire(14 * day)
    assert [int(path.stem) for path in segments(tmp_path)] == [6, 8]
    log.expire(15 * day)
    assert [int(path.stem) for path in segments(tmp_path)] == [8]
    log.expire(99 * day)
    assert numbers(log.last(10).events) == [8, 9]


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_takes_half_a_line_costs_no_event(tmp_path):
    log = filled(EventLog(tmp_path), 2)
    assert log.flush()
    [segment] = segments(tmp_path)
    whole = segment.read_bytes()
    filled(log, 2, first=2)
    with files_of_at_most(len(whole) + 20):
        assert not log.flush()
    assert segment.read_bytes() == whole
    log.close()
    assert numbers(EventLog(tmp_path).last(9).events) == [0, 1, 2, 3]


def test_what_a_full_disk_did_take_is_not_written_again(tmp_path):
    log = filled(EventLog(tmp_path, bounds=SegmentBounds(segment_bytes=200)), 3)
    log.append(click(3.0, n=3, text="x" * 1000), visit=0, session=0)
    filled(log, 2, first=4)
    with files_of_at_most(800):
        assert not log.flush()
    assert log.flush()
    assert b"".join(path.read_bytes() for path in segments(tmp_path)).count(b"\n") == 6
    assert numbers(EventLog(tmp_path).last(9).events) == list(range(6))


def test_events_that_no_file_can_take_are_counted(tmp_path):
    log = EventLog(tmp_path / "events", memory_events=6)
    shutil.rmtree(tmp_path / "events")
    filled(log, 7)
    assert (log.spilled, log.lost) == (0, 4)
    (tmp_path / "events").mkdir()
    filled(log, 4, first=7)
    assert (log.spilled, log.lost) == (4, 4)
    assert numbers(log.last(20).events) == list(range(4, 11))


def test_an_old_segment_that_is_not_there_any_more_or_cannot_go_is_no_matter(tmp_path):
    log = EventLog(tmp_path, bounds=SegmentBounds(segment_bytes=100, total_bytes=300))
    filled(log, 1)
    assert log.flush()
    [segment] = segments(tmp_path)
    segment.unlink()
    segment.mkdir()
    filled(log, 9, first=1)
    assert log.flush()
    assert b"".join(path.read_bytes() for path in segments(tmp_path)[1:]).count(b"\n") == 2


def test_a_segment_that_somebody_else_changes_is_set_aside(tmp_path):
    log = filled(EventLog(tmp_path), 2)
    log.close()
    [segment] = segments(tmp_path)
    with segment.open("ab") as file:
        file.write(b"more")
    filled(log, 2, first=2)
    assert not log.flush()
    assert log.flush()
    assert log.set_aside == segment.with_suffix(".damaged")
    assert numbers(EventLog(tmp_path).last(9).events) == [2, 3]


def test_damage_within_a_segment_sets_it_aside_and_leaves_the_others(tmp_path):
    log = filled(EventLog(tmp_path, **SMALL), 40)
    log.close()
    first, second, third, *_ = segments(tmp_path)
    second.write_bytes(second.read_bytes().replace(b"click", b"cl\0ck", 1))
    log = EventLog(tmp_path, **SMALL)
    read = numbers(log.last(40).events)
    assert log.set_aside == second.with_suffix(".damaged")
    assert not set(range(int(third.stem), 40)) - set(read)
    assert set(range(int(second.stem))) <= set(read)
    first.write_bytes(b"\0" * 50 + b"\n" + first.read_bytes())
    log.last(40)
    assert numbers(log.last(40).events) == list(range(int(third.stem), 40))
    assert [path.name for path in tmp_path.glob("*.damaged")] == [first.with_suffix(".damaged").name]


def test_events_are_appended_while_a_window_is_read_from_files(tmp_path):
    log = filled(EventLog(tmp_path, memory_events=6), 7)
    [segment] = segments(tmp_path)
    content = segment.read_bytes()
    segment.unlink()
    os.mkfifo(segment)
    with ThreadPoolExecutor(1) as others:
        reading = others.submit(log.last, 100)
        with segment.open("wb") as file:  # which waits until somebody reads
            filled(log, 1, first=7)
            assert not reading.done()
            file.write(content)
        assert numbers(reading.result().events) == list(range(7))


def test_a_segment_that_goes_while_a_window_is_read_was_not_damaged(tmp_path):
    log = filled(EventLog(tmp_path, memory_events=2, bounds=SegmentBounds(segment_bytes=100, age_s=7)), 20)
    *_, read_first, _, newest = segments(tmp_path)
    content = read_first.read_bytes()
    read_first.unlink()
    os.mkfifo(read_first)
    with ThreadPoolExecutor(1) as others:
        reading = others.submit(log.last, 100)
        with read_first.open("wb") as file:  # which waits until somebody reads
            log.expire(1000.0)
            file.write(content)
        assert 2 < len(reading.result().events) < 20
    assert (segments(tmp_path), log.set_aside) == ([newest], None)


def test_an_event_comes_back_from_disk_as_it_was(tmp_path):
    events = [BehaviourEvent("click", "buy", "item/1", 5, {"é\n": [None, 1.5, {}]}, {"q": "x"}), click(6.0)]
    log = EventLog(tmp_path)
    for event in events:
        log.append(event, visit=0, session=0)
    log.close()
    assert list(EventLog(tmp_path).last(2).events) == events


@pytest.fixture(scope="module")
def two_lines() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        filled(EventLog(Path(folder)), 2).close()
        [segment] = segments(Path(folder))
        return segment.read_bytes()


def reopened(folder: Path, content: bytes) -> EventLog:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "000000000000000.jsonl").write_bytes(content)
    return EventLog(folder)


def test_wherever_a_segment_is_cut_off_its_whole_lines_are_kept(tmp_path, two_lines):
    for end in range(len(two_lines) + 1):
        whole = two_lines[:end].count(b"\n")
        log = reopened(tmp_path / "events", two_lines[:end])
        assert log.next_number == whole
        assert log.torn == (two_lines[:end][-1:] not in {b"", b"\n"})
        filled(log, 1, first=7).close()
        assert numbers(EventLog(tmp_path / "events").last(9).events) == [*range(whole), 7]


@pytest.mark.parametrize("end", [b"\0" * 40, b"\0" * 40 + b"\n", b"[1,0,0,{}]\n", b"\n", b"[2,0", b"\n\0"])
def test_a_damaged_last_line_is_cut_off_and_counted(tmp_path, two_lines, end):
    log = reopened(tmp_path / "events", two_lines + end)
    assert (log.torn, log.next_number, log.set_aside) == (1, 2, None)
    assert numbers(log.last(9).events) == [0, 1]


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(st.binary(max_size=300) | st.lists(st.sampled_from([b"[", b"[1,", b"0,", b"{}", b"]", b"\n"])).map(b"".join))
@example(b"[" * 100_000 + b"\n" + b"[" * 100_000)
@example(b"x" * 300_000)
@example(b"[1,2,3,{}]\n" * 3)
def test_whatever_a_file_holds_the_log_opens_and_goes_on(content):
    with tempfile.TemporaryDirectory() as folder:
        log = reopened(Path(folder) / "events", content)
        log.last(9)
        number = log.next_number
        log.append(click(5.0, n=5), visit=number, session=number)
        log.close()
        again = EventLog(Path(folder) / "events")
        assert again.next_number == number + 1
        assert numbers(again.of_visit(number).events) == [5]


class Logging(RuleBasedStateMachine):
    """A log and the list of all its events, of which those of a killed process that were not flushed are missing."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.kept: list[tuple[int, int, BehaviourEvent]] = []
        self.flushed = 0
        self.reached = 100.0
        self.session = 0

    @initialize()
    def begin(self) -> None:
        self.log = EventLog(self.folder, **SMALL)

    @rule(elapsed=st.floats(0.0, 4.0), late=st.floats(0.0, LATE_S), back=st.integers(0, 4))
    def an_event_comes(self, elapsed: float, late: float, back: int) -> None:
        self.reached += elapsed
        number = self.log.next_number
        assert number == len(self.kept)
        visit = self.kept[-back][0] if 0 < back <= len(self.kept) and self.kept[-back][1] == self.session else number
        event = click(self.reached - late, n=number)
        spilled = self.log.spilled
        self.log.append(event, visit=visit, session=self.session)
        self.kept.append((visit, self.session, event))
        if self.log.spilled > spilled:
            self.flushed = len(self.kept)

    @rule()
    def it_is_flushed(self) -> None:
        assert self.log.flush()
        self.flushed = len(self.kept)

    @rule()
    def the_process_ends(self) -> None:
        self.log.close()
        self.flushed = len(self.kept)
        self.the_process_is_killed()

    @rule()
    def the_process_is_killed(self) -> None:
        self.kept = self.kept[: self.flushed]
        self.log = EventLog(self.folder, **SMALL)
        self.session = len(self.kept)

    @rule(count=st.integers(1, 40))
    def the_last_are_read(self, count: int) -> None:
        assert list(self.log.last(count).events) == self.in_order(self.kept[-count:])

    @rule(seconds=st.floats(0.0, 60.0))
    def the_last_seconds_are_read(self, seconds: float) -> None:
        since = self.reached - seconds
        expected = [each for each in self.kept if since <= each[2].at <= self.reached]
        assert list(self.log.since(since, self.reached).events) == self.in_order(expected)

    @rule(back=st.integers(1, 30))
    def a_visit_is_read(self, back: int) -> None:
        if back <= len(self.kept):
            visit = self.kept[-back][0]
            events = self.log.of_visit(visit)
            assert list(events.events) == self.in_order([each for each in self.kept if each[0] == visit])
            assert not events.cut

    @staticmethod
    def in_order(events: list[tuple[int, int, BehaviourEvent]]) -> list[BehaviourEvent]:
        return [event for *_, event in sorted(events, key=lambda each: (each[1], each[2].at))]

    @invariant()
    def nothing_was_given_up(self) -> None:
        assert (self.log.lost, self.log.torn, self.log.set_aside) == (0, 0, None)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)


Logging.TestCase.settings = settings(max_examples=settings().max_examples // 3, stateful_step_count=50, deadline=None)
TestLogging = Logging.TestCase

WRITER = """
import sys
from pathlib import Path
from walle.stream.event_log import EventLog
from walle.stream.events import BehaviourEvent
from walle.stream.segments import SegmentBounds

log = EventLog(Path(sys.argv[1]), memory_events=20, bounds=SegmentBounds(segment_bytes=5000))
while True:
    number, spilled = log.next_number, log.spilled
    log.append(BehaviourEvent("click", "click", "home", 1.0, {"n": number, "text": "x" * 200}), visit=0, session=0)
    if log.spilled > spilled:
        print(number, flush=True)
"""


@pytest.mark.processes
def test_a_process_that_is_killed_while_it_spills_loses_only_what_was_not_flushed(tmp_path):
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", WRITER, tmp_path], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout
            for _ in range(20):
                said = int(writer.stdout.readline())
            writer.kill()
            said = max([said, *map(int, writer.stdout.read().splitlines())])
        log = EventLog(tmp_path)
        read = numbers(log.last(10_000).events)
        assert read == list(range(log.next_number - len(read), log.next_number))
        assert log.next_number > said
        assert (log.set_aside, log.torn in {0, 1}) == (None, True)
