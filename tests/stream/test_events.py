"""What apps may report as an event, and the JSON of events."""

import enum
import json
import math
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walle.stream.events import (
    EVENT_KINDS,
    MAX_AHEAD_S,
    MAX_CONTENTS_BYTES,
    BehaviourEvent,
    EventRefused,
    checked_event,
)

NOW = 1_790_000_000.0


def event(**changes: Any) -> BehaviourEvent:
    return checked_event(**{"kind": "click", "page": "item/1", "now": NOW, **changes})


def reason(**changes: Any) -> str:
    with pytest.raises(EventRefused) as refused:
        event(**changes)
    assert refused.value.text == str(refused.value)
    assert len(refused.value.text) < 400
    return refused.value.reason


def outcome(**changes: Any) -> str:
    try:
        event(**changes)
    except EventRefused as refused:
        return refused.reason
    return "taken"


def size(*values: object) -> int:
    return sum(len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) for value in values)


def test_an_event_has_the_kind_as_its_id_and_happened_now_unless_the_app_says_otherwise():
    assert event() == BehaviourEvent("click", "click", "item/1", NOW)
    said = event(id="add_to_cart", at=NOW - 3, contents={"item": "i-1"}, private={"query": "shoes"})
    assert said == BehaviourEvent("click", "add_to_cart", "item/1", NOW - 3, {"item": "i-1"}, {"query": "shoes"})


@pytest.mark.parametrize("kind", ["purchase", "", None, 3, [], "click ", b"click", ["click"] * 3])
def test_an_unknown_kind_is_refused(kind):
    assert reason(kind=kind) == "unknown-kind"


@pytest.mark.parametrize("id", ["", "a b", "a:b", "a/b", "x" * 65, "é", 7, b"click", "click\n"])
def test_a_malformed_id_is_refused(id):
    assert reason(id=id) == "id-malformed"


@pytest.mark.parametrize("page", ["", "a b", "a:b", "x" * 129, "é", None, 7, "item\n"])
def test_a_malformed_page_is_refused(page):
    assert reason(page=page) == "page-malformed"


def test_the_longest_ids_are_taken():
    assert event(id="x" * 64, page="/" * 128).page == "/" * 128


@pytest.mark.parametrize("at", [math.nan, math.inf, -1, "0", True, 10**400, 253_402_300_800])
def test_a_malformed_time_is_refused(at):
    assert reason(at=at) == "time-malformed"


def test_a_time_a_little_ahead_is_now_and_one_further_ahead_is_refused():
    assert event(at=NOW + MAX_AHEAD_S).at == NOW
    assert reason(at=NOW + MAX_AHEAD_S + 0.001) == "time-from-future"


class Colour(enum.StrEnum):
    RED = "red"


class Grade(enum.IntEnum):
    GOOD = 2


class Celsius(float):
    pass


def test_contents_are_copied_as_plain_json_data():
    given_ = {
        Colour.RED: OrderedDict(a=Grade.GOOD),
        "list": (1, [True, None]),
        "float": Celsius(1.5),
        "proxy": MappingProxyType({"x": "é"}),
        "big": 2**70,
    }
    copy = event(contents=given_).contents
    expected = {"red": {"a": 2}, "list": [1, [True, None]], "float": 1.5, "proxy": {"x": "é"}, "big": 2**70}
    assert copy == expected
    types = {type(value) for value in [*copy, *copy.values(), *copy["red"].values()]}
    assert types == {str, dict, list, float, int}


def test_the_app_may_change_its_contents_afterwards():
    inner = [1]
    contents = {"inner": inner}
    said = event(contents=contents, private=contents)
    inner.append(2)
    contents["more"] = [3]
    assert said.contents == said.private == {"inner": [1]}


@pytest.mark.parametrize(
    "contents",
    [
        {"x": math.nan},
        {"x": [math.inf]},
        {"x": b"bytes"},
        {"x": {1}},
        {"x": object()},
        {1: "x"},
        {None: "x"},
        {"x": "\ud800"},
        {"\ud800": "x"},
        ["x"],
        "x",
        7,
    ],
)
@pytest.mark.parametrize("where", ["contents", "private"])
def test_what_is_not_json_is_refused(where, contents):
    assert reason(**{where: contents}) == "contents-not-json"


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"": value}
    return value


def test_contents_are_nested_no_deeper_than_64():
    assert event(contents=nested(64)).contents == nested(64)
    assert reason(contents=nested(65)) == "contents-not-json"
    assert reason(contents=nested(100_000)) == "contents-not-json"


def test_contents_and_private_contents_have_one_limit_in_bytes():
    half = MAX_CONTENTS_BYTES // 2
    fitting = {"x": "é" * ((half - size({"x": ""})) // 2)}
    assert size(fitting, fitting) == MAX_CONTENTS_BYTES
    assert event(contents=fitting, private=fitting).private == fitting
    assert reason(contents=fitting, private={**fitting, "x": fitting["x"] + "e"}) == "contents-too-large"
    assert reason(contents={"x": "\0" * (MAX_CONTENTS_BYTES // 6)}) == "contents-too-large"
    assert event(contents={"": [0] * ((MAX_CONTENTS_BYTES - 6) // 2)})
    assert reason(contents={"": [0] * MAX_CONTENTS_BYTES}) == "contents-too-large"
    assert reason(contents={"x": 10 ** (10 * MAX_CONTENTS_BYTES)}) == "contents-too-large"


class Endless(Mapping[str, Any]):
    """Contents without an end, which count how often they were asked."""

    asked = 0

    def __iter__(self) -> Iterator[str]:
        while True:
            self.asked += 1
            yield str(self.asked)

    def __getitem__(self, key: str) -> Any:
        return int(key)

    def __len__(self) -> int:
        return 7


def test_no_more_of_contents_is_read_than_can_fit():
    wide = Endless()
    assert reason(contents=wide) == "contents-too-large"
    assert wide.asked < MAX_CONTENTS_BYTES / 4
    loop: list[Any] = []
    loop.extend([loop, loop])
    assert reason(contents={"x": loop}) == "contents-not-json"


class Failing(dict[str, Any]):
    def items(self) -> Any:
        raise KeyError("the app's own mistake")


class Unshowable:
    def __repr__(self) -> str:
        raise ArithmeticError


def test_whatever_the_apps_own_types_do_the_event_is_refused_and_nothing_else_is_raised():
    assert reason(contents=Failing(x=1)) == "contents-not-json"
    assert reason(contents={"x": Unshowable()}) == "contents-not-json"
    assert reason(contents=Unshowable()) == "contents-not-json"
    for field in ("kind", "id", "page", "at"):
        assert reason(**{field: Unshowable()})


def test_contents_that_another_thread_changes_are_taken_or_refused():
    contents: dict[str, Any] = {}
    reasons: set[str] = set()
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            contents.update({str(number): number for number in range(20)})
            contents.clear()

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(300):
            reasons.add(outcome(contents=contents))
    finally:
        done.set()
        changing.join()
    assert reasons <= {"taken", "contents-not-json"}


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
json_values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
tables = st.dictionaries(st.text(max_size=20), json_values, max_size=5)
events = st.builds(
    BehaviourEvent,
    kind=st.sampled_from(EVENT_KINDS),
    id=st.from_regex(r"[A-Za-z0-9_.-]{1,64}", fullmatch=True),
    page=st.from_regex(r"[A-Za-z0-9_./-]{1,128}", fullmatch=True),
    at=st.floats(0, NOW),
    contents=tables,
    private=tables,
)


@given(events)
def test_an_event_survives_its_json(said):
    line = json.dumps(said.to_dict(), ensure_ascii=False).encode()
    assert BehaviourEvent.from_dict(json.loads(line)) == said
    assert ("private" in said.to_dict()) == bool(said.private)


@settings(max_examples=settings().max_examples // 2)
@given(tables, tables, st.integers(-120, 20))
def test_contents_are_taken_exactly_if_their_json_fits(contents, private, over):
    contents["padding"] = "x" * (MAX_CONTENTS_BYTES + over)
    fits = sum(size(table) for table in (contents, private) if table) <= MAX_CONTENTS_BYTES
    assert outcome(contents=contents, private=private) == ("taken" if fits else "contents-too-large")


@given(json_values | st.dictionaries(st.sampled_from(["kind", "id", "page", "at", "contents", "private"]), json_values))
def test_any_json_is_an_event_or_refused(value):
    try:
        said = BehaviourEvent.from_dict(value)
    except EventRefused:
        return
    assert said.to_dict().items() >= {"at": value["at"]}.items()


def test_a_recorded_event_may_leave_out_what_has_a_default_and_has_no_other_fields():
    said = {"kind": "click", "page": "item/1", "at": 5}
    assert BehaviourEvent.from_dict(said) == BehaviourEvent("click", "click", "item/1", 5.0)
    for wrong in ([], None, "x", {**said, "user": "u"}):
        with pytest.raises(EventRefused) as refused:
            BehaviourEvent.from_dict(wrong)
        assert refused.value.reason == "event-malformed"
    with pytest.raises(EventRefused) as refused:
        BehaviourEvent.from_dict({"kind": "click", "page": "item/1"})
    assert refused.value.reason == "time-malformed"
