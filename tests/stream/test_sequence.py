"""Which events take a place in the sequence: late ones, duplicates."""

import pickle
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from walle.stream.events import BehaviourEvent
from walle.stream.sequence import LATE_S, REMEMBERED, TimeSequence

CLICK = BehaviourEvent("click", "click", "home", 100.0, {"button": "buy"})


def at(time: float) -> BehaviourEvent:
    return replace(CLICK, at=time)


def test_a_late_event_has_its_place_up_to_a_bound_and_is_dropped_beyond():
    sequence = TimeSequence()
    assert sequence.admit(at(100.0)) == "next"
    assert sequence.admit(at(100.0 - LATE_S)) == "late"
    assert sequence.admit(at(100.0 - LATE_S - 0.001)) == "too-late"
    assert sequence.admit(replace(CLICK, page="other")) == "next"
    assert (sequence.reached, sequence.late, sequence.too_late, sequence.duplicates) == (100.0, 1, 1, 0)


def test_events_that_agree_in_all_fields_are_one():
    sequence = TimeSequence()
    changes = [
        {"kind": "exposure"},
        {"id": "buy"},
        {"page": "x"},
        {"at": 100.5},
        {"contents": {}},
        {"private": {"q": 1}},
    ]
    for event in [CLICK, *(replace(CLICK, **change) for change in changes)]:
        assert sequence.admit(event) in {"next", "late"}
        assert sequence.admit(event) == "duplicate"
    assert sequence.duplicates == 7


def test_events_under_one_key_are_one_whatever_they_say():
    sequence = TimeSequence()
    assert sequence.admit(at(100.0), "a") == "next"
    assert sequence.admit(at(101.0), "b") == "next"
    assert sequence.admit(at(102.0), "a") == "duplicate"
    assert sequence.reached == 101.0


def test_no_more_is_remembered_than_stated():
    sequence = TimeSequence()
    for number in range(REMEMBERED + 1):
        sequence.admit(replace(CLICK, contents={"n": number}), f"{number}")
    assert sequence.admit(replace(CLICK, contents={"n": 1})) == "duplicate"
    assert sequence.admit(at(101.0), "1") == "duplicate"
    assert sequence.admit(replace(CLICK, contents={"n": 0})) == "next"
    assert sequence.admit(at(101.0), "0") == "next"


def test_what_is_remembered_goes_with_time():
    sequence = TimeSequence()
    for number in range(2000):
        sequence.admit(at(10.0 * number))
    assert len(pickle.dumps(sequence)) < 1000


def test_a_session_may_begin_before_the_last_one():
    sequence = TimeSequence()
    sequence.admit(at(100.0), "key")
    sequence.restart()
    assert sequence.admit(at(5.0)) == "next"
    assert sequence.admit(at(6.0), "key") == "duplicate"
    assert sequence.admit(at(100.0)) == "duplicate"


few = st.builds(
    BehaviourEvent,
    kind=st.just("click"),
    id=st.sampled_from("ab"),
    page=st.just("home"),
    at=st.integers(0, 16).map(lambda half: half / 2),
    contents=st.sampled_from([{}, {"x": [1]}]),
)


@given(st.lists(st.tuples(few, st.none() | st.sampled_from("kl")), max_size=40))
def test_what_is_admitted_is_what_a_search_of_all_events_says(arrivals):
    sequence = TimeSequence()
    admitted: list[BehaviourEvent] = []
    keys: set[str] = set()
    for event, key in arrivals:
        reached = max((known.at for known in admitted), default=event.at)
        if event.at < reached - LATE_S:
            expected = "too-late"
        elif event in admitted or key in keys:
            expected = "duplicate"
        else:
            expected = "late" if event.at < reached else "next"
            admitted.append(event)
            keys |= {key} - {None}
        assert sequence.admit(event, key) == expected
