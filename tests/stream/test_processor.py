"""From events to firings: sequence, visits, windows and tasks put together."""

import gc
from dataclasses import replace
from threading import Thread
from typing import Any

import pytest

from walle.stream.event_log import EventLog, EventSlice
from walle.stream.events import BehaviourEvent
from walle.stream.intake import SESSION_IDLE_S, ClockReading
from walle.stream.processor import Firing, StreamProcessor
from walle.stream.sequence import LATE_S
from walle.stream.stream_task import StreamTask
from walle.stream.windows import MAX_WINDOW_EVENTS

NOW = 1_790_000_000.0


def task(name: str = "shop/ipv", on: Any = ("page_exit",), within: Any = "next", **stream: Any) -> StreamTask:
    found = StreamTask.from_manifest(name, {"trigger": {"on": list(on), "within": within}, "stream": stream})
    assert found
    return found


def event(kind: Any, page: str, at: float, **contents: Any) -> BehaviourEvent:
    return BehaviourEvent(kind, kind, page, at, contents)


@pytest.fixture
def processor() -> StreamProcessor:
    return StreamProcessor(EventLog())


def fired(processor: StreamProcessor, *events: BehaviourEvent) -> list[str]:
    return [firing.task.name for each in events for firing in processor.process(each)]


VISIT = [event("page_enter", "item/1", 1.0), event("click", "home", 2.0), event("click", "item/1", 3.0, widget="buy")]


def test_a_firing_has_the_page_visit_of_its_trigger(processor):
    processor.set_tasks({"shop/ipv": task()})
    exit_ = event("page_exit", "item/1", 4.0)
    assert fired(processor, *VISIT) == []
    [firing] = processor.process(exit_)
    assert (firing.task, firing.trigger, firing.cut) == (task(), exit_, False)
    assert firing.events == (VISIT[0], VISIT[2], exit_)
    assert firing.page
    assert (firing.page.ended, firing.page.entered, firing.page.ended_at) == ("exit", 1.0, 4.0)


def test_windows_of_events_and_of_seconds_go_across_pages(processor):
    processor.set_tasks({"shop/last": task("shop/last", events_window := ["click:item/1"], window={"events": 2})})
    [firing] = [firing for each in VISIT for firing in processor.process(each)]
    assert firing.events == tuple(VISIT[1:])
    processor.set_tasks({"shop/last": task("shop/last", events_window, window={"seconds": 2.5})})
    [firing] = processor.process(event("click", "item/1", 4.5))
    assert firing.events == (VISIT[1], VISIT[2], event("click", "item/1", 4.5))


def test_the_page_of_a_firing_stays_as_it_was(processor):
    processor.set_tasks({"shop/ipv": task(on=["click"])})
    [firing] = processor.process(VISIT[1])
    processor.process(event("page_exit", "home", 9.0))
    assert firing.page
    assert (firing.page.ended, firing.page.events) == (None, 1)


def test_inputs_are_json_and_have_private_contents_only_for_tasks_that_see_them(processor):
    said = replace(VISIT[2], private={"query": "shoes"})
    seeing = task("shop/seeing", ["click"], private=True)
    processor.set_tasks({"shop/ipv": task(on=["click"]), "shop/seeing": seeing})
    blind, sees = sorted(processor.process(said), key=lambda firing: firing.task.name)
    shown = {"kind": "click", "id": "click", "page": "item/1", "at": 3.0, "contents": {"widget": "buy"}}
    page = {"page": "item/1", "entered": 3.0, "enter_missing": True, "ended_at": None, "ended": None, "events": 1}
    assert blind.inputs() == {"events": [shown], "page": page, "trigger": shown}
    full = {**shown, "private": {"query": "shoes"}}
    assert sees.inputs() == {"events": [full], "page": page, "trigger": full}


def test_tasks_come_and_go_and_keep_what_has_matched_of_conditions_that_stay(processor):
    both = ["click:home", "click:item/1"]
    first, second = task("shop/a", both, window="page"), task("shop/b", ["click"])
    processor.set_tasks({"shop/a": first, "shop/b": second})
    assert fired(processor, VISIT[1]) == ["shop/b"]
    newer = task("shop/a", both, window={"events": 9}, schema=2)
    processor.set_tasks({"shop/a": newer})
    [firing] = processor.process(VISIT[2])
    assert (firing.task, len(firing.events)) == (newer, 2)
    processor.set_tasks({"shop/a": task("shop/a", ["page_exit"])})
    assert fired(processor, replace(VISIT[1], at=5.0), replace(VISIT[2], at=6.0)) == []
    processor.set_tasks({})
    assert fired(processor, event("page_exit", "home", 9.0)) == []
    assert processor.tasks == {}


def test_late_events_trigger_as_they_come_and_stand_in_their_place(processor):
    processor.set_tasks({"shop/a": task("shop/a", ["exposure", "click"], window={"events": 9})})
    exposure, click = event("exposure", "home", 5.0), event("click", "home", 4.0)
    processor.process(exposure)
    [firing] = processor.process(click)
    assert firing.events == (click, exposure)
    assert fired(processor, event("exposure", "home", 5.0 - LATE_S - 1), replace(click, at=5.0)) == []
    counts = processor.counts()
    assert (counts["events"], counts["late"], counts["too_late"]) == (3, 1, 1)


def test_a_late_trigger_is_in_its_window(processor):
    processor.set_tasks({"shop/a": task("shop/a", ["click"], window={"seconds": 1})})
    processor.process(event("exposure", "home", 5.0))
    [firing] = processor.process(event("click", "home", 2.0))
    assert [each.at for each in firing.events] == [2.0, 5.0]


def test_a_late_event_does_not_turn_back_the_time_of_a_condition(processor):
    within = {"seconds": 4.0}
    processor.set_tasks({"shop/a": task("shop/a", ["exposure", "click"], within)})
    events = [event("exposure", "home", 5.0), event("page_scroll", "home", 9.5), event("click", "home", 8.0)]
    assert fired(processor, *events) == []


def test_duplicates_trigger_once(processor):
    processor.set_tasks({"shop/a": task("shop/a", ["click"])})
    assert fired(processor, VISIT[1], VISIT[1]) == ["shop/a"]
    assert len(processor.process(event("click", "home", 3.0), key="k")) == 1
    assert processor.process(event("click", "home", 4.0), key="k") == []
    assert processor.counts()["duplicates"] == 2


def test_steps_of_the_clock_neither_drop_events_nor_stretch_windows(processor):
    processor.set_tasks({"shop/a": task("shop/a", window={"seconds": 60})})
    wall = [NOW, NOW + 3600 + 10, NOW - 86_400 + 20]
    for number, at in enumerate(wall):
        kind: Any = ["page_enter", "click", "page_exit"][number]
        firings = processor.process(event(kind, "home", at), ClockReading(at, 10.0 * number))
    assert [each.at for each in firings[0].events] == [NOW, NOW + 10, NOW + 20]
    assert firings[0].page
    assert firings[0].page.ended == "exit"
    assert processor.counts()["clock_steps"] == 2


def test_a_session_after_a_pause_goes_by_the_devices_clock_even_back(processor):
    processor.set_tasks({"shop/a": task("shop/a", ["page_enter", "click"], window={"events": 9})})
    processor.process(event("page_enter", "home", NOW), ClockReading(NOW, 10.0))
    early, later = NOW - 86_400, 10.0 + SESSION_IDLE_S
    assert processor.process(event("click", "home", early), ClockReading(early, later)) == []
    processor.process(event("page_enter", "list", early + 1), ClockReading(early + 1, later + 1))
    [firing] = processor.process(event("click", "list", early + 2), ClockReading(early + 2, later + 2))
    assert [each.at for each in firing.events] == [NOW, early, early + 1, early + 2]
    assert processor.counts()["visits_idle"] == 1


def test_windows_reach_back_before_a_restart_and_visits_do_not(tmp_path):
    log = EventLog(tmp_path)
    fired(StreamProcessor(log), *VISIT)
    log.close()
    processor = StreamProcessor(EventLog(tmp_path))
    assert processor.counts()["visits_restart"] == 2
    assert processor.counts()["events"] == 0
    processor.set_tasks({"shop/ipv": task(), "shop/last": task("shop/last", window={"events": 9})})
    exit_ = event("page_exit", "item/1", 4.0)
    page, last = sorted(processor.process(exit_), key=lambda firing: firing.task.name)
    assert page.events == (exit_,)
    assert page.page
    assert page.page.enter_missing
    assert last.events == (*VISIT, exit_)


class Watched(EventLog):
    """Counts how often a page's window was read."""

    reads = 0

    def of_visit(self, visit: int, *, before: int | None = None) -> EventSlice:
        self.reads += 1
        return super().of_visit(visit, before=before)


def test_a_window_is_read_for_the_first_run_that_needs_it_and_kept_only_while_one_has_it():
    log = Watched()
    processor = StreamProcessor(log)
    processor.set_tasks({name: task(name) for name in ("shop/a", "shop/b", "shop/c")})
    fired(processor, *VISIT)
    first, second, waits = processor.process(event("page_exit", "item/1", 4.0))
    assert log.reads == 0, "a trigger that is shed costs no reading"
    assert first.events is second.events
    assert (first.cut, log.reads) == (False, 1)
    events = first.events
    del first, second
    gc.collect()
    assert (waits.events, log.reads) == (events, 2), "a trigger that waits holds no window"


@pytest.mark.parametrize("window", ["page", {"events": 9}, {"seconds": 60}])
@pytest.mark.parametrize("memory_events", [2, 100])
def test_a_run_that_waits_has_the_events_that_had_come_when_it_was_triggered(tmp_path, window, memory_events):
    processor = StreamProcessor(EventLog(tmp_path, memory_events=memory_events))
    processor.set_tasks({"shop/ipv": task(window=window)})
    fired(processor, event("page_enter", "home", 1.0))
    [firing] = processor.process(event("page_exit", "home", 4.0))
    late = event("click", "home", 3.0)
    fired(processor, late, *(event("click", "home", 5.0 + number) for number in range(5)))
    assert firing.events == (event("page_enter", "home", 1.0), event("page_exit", "home", 4.0))


def test_a_window_that_lost_its_beginning_says_so():
    processor = StreamProcessor(EventLog(memory_events=20))
    processor.set_tasks({"shop/ipv": task()})
    fired(processor, *(event("click", "home", float(number)) for number in range(30)))
    [firing] = processor.process(event("page_exit", "home", 40.0))
    assert firing.cut
    assert 10 <= len(firing.events) <= 20
    assert firing.page
    assert firing.page.events == 31


def test_a_run_is_given_no_more_events_than_the_bound():
    processor = StreamProcessor(EventLog(memory_events=2 * MAX_WINDOW_EVENTS))
    processor.set_tasks({"shop/ipv": task()})
    fired(processor, *(event("page_scroll", "home", number / 1000) for number in range(MAX_WINDOW_EVENTS)))
    [firing] = processor.process(event("page_exit", "home", 40.0))
    assert (len(firing.events), firing.cut) == (MAX_WINDOW_EVENTS, True)
    assert firing.events[-1] == firing.trigger


def test_threads_may_report_read_and_change_tasks_at_once(tmp_path):
    log = EventLog(tmp_path, memory_events=50)
    processor = StreamProcessor(log)
    firings: list[Firing] = []

    def report(page: str) -> None:
        for number in range(100):
            firings.extend(processor.process(event("click", page, 5.0, n=number)))

    def change() -> None:
        for number in range(20):
            processor.set_tasks({"shop/a": task("shop/a", ["click", "exposure"]), "shop/b": task("shop/b", ["click"])})
            assert len({each.contents["n"] for each in log.last(number).events}) <= number
            processor.set_tasks({"shop/b": task("shop/b", ["click"])})

    threads = [Thread(target=report, args=("home",)), Thread(target=report, args=("list",)), Thread(target=change)]
    processor.set_tasks({"shop/b": task("shop/b", ["click"])})
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(firings) == processor.counts()["events"] == 200
    assert len(log.last(1000).events) == 200
