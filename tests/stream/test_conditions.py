"""Trigger conditions as manifests have them, and what their authors are warned of."""

import pytest

from walle.stream.conditions import Next, TriggerCondition, WithinEvents, WithinSeconds, warnings_of

USEFUL = [
    TriggerCondition(("page_exit",)),
    TriggerCondition(("page_exit:item/1",)),
    TriggerCondition(("item",)),
    TriggerCondition(("add_to_cart",)),
    TriggerCondition(("page_enter:item", "click")),
    TriggerCondition(("item/1", "cart/2")),
    TriggerCondition(("page_scroll", "click")),
    TriggerCondition(("e" * 64 + ":" + "p" * 128,)),
    TriggerCondition(("p" * 128, "click")),
    TriggerCondition(("click", "click"), WithinEvents(2)),
    TriggerCondition(("click", "click", "click"), WithinSeconds(1)),
]


@pytest.mark.parametrize(
    ("trigger", "condition"),
    [
        ({"on": ["click"]}, TriggerCondition(("click",), Next())),
        ({"on": ["a", "b"], "within": "next"}, TriggerCondition(("a", "b"), Next())),
        ({"on": ["a", "b"], "within": {"events": 20}}, TriggerCondition(("a", "b"), WithinEvents(20))),
        ({"on": ["a", "b"], "within": {"seconds": 1.5}}, TriggerCondition(("a", "b"), WithinSeconds(1.5))),
    ],
)
def test_reads_the_trigger_of_a_manifest(trigger, condition):
    assert TriggerCondition.from_trigger(trigger) == condition


@pytest.mark.parametrize(
    ("trigger", "problem"),
    [
        ({}, "trigger.on to be a list"),
        ({"on": []}, "trigger.on to be a list"),
        ({"on": "click"}, "trigger.on to be a list"),
        ({"on": ["click", 7]}, "trigger.on to be a list"),
        ({"on": ["click"], "within": "later"}, "trigger.within to be"),
        ({"on": ["click"], "within": None}, "trigger.within to be"),
        ({"on": ["click"], "within": {}}, "trigger.within to be"),
        ({"on": ["click"], "within": {"events": 0}}, "trigger.within to be"),
        ({"on": ["click"], "within": {"events": 2.5}}, "trigger.within to be"),
        ({"on": ["click"], "within": {"events": True}}, "trigger.within to be"),
        ({"on": ["click"], "within": {"seconds": 0}}, "trigger.within to be"),
        ({"on": ["click"], "within": {"seconds": True}}, "trigger.within to be"),
        ({"on": ["click"], "within": {"seconds": float("nan")}}, "trigger.within to be"),
        ({"on": ["click"], "within": {"events": 2, "seconds": 2}}, "trigger.within to be"),
        ({"on": ["click"], "within": {"seconds": 2, "events": 0}}, "trigger.within to be"),
    ],
)
def test_says_what_it_expected(trigger, problem):
    with pytest.raises(ValueError, match=f"expected {problem}"):
        TriggerCondition.from_trigger(trigger)


@pytest.mark.parametrize("condition", USEFUL, ids=str)
def test_does_not_warn_of_what_can_be_useful(condition):
    assert warnings_of(condition) == []


@pytest.mark.parametrize(
    "id", ["", "e" * 65 + ":page", "p" * 129, "e:" + "p" * 129, "a b", "a/b:c", "a:b:c", "é", "a\n"]
)
def test_warns_of_an_id_that_no_event_has(id):
    (warning,) = warnings_of(TriggerCondition(("click", id)))
    assert warning.startswith("The trigger can never match")
    assert repr(id) in warning


def test_warns_of_fewer_events_than_ids():
    (warning,) = warnings_of(TriggerCondition(("a", "b", "c"), WithinEvents(2)))
    assert warning.startswith("The trigger can never match")
    assert "3 ids" in warning
    assert "2 are within.events" in warning


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (("page_scroll",), "nearly every page_scroll event"),
        (("exposure:item",), "nearly every exposure event on page item"),
        (("page_scroll", "page_scroll"), "nearly every page_scroll event"),
        (("exposure", "page_scroll"), "nearly every exposure event and page_scroll event"),
        (("item/1",), "every event on page item/1"),
        (("p" * 65,), "every event on page p"),
    ],
)
def test_warns_of_what_matches_nearly_every_event(ids, words):
    (warning,) = warnings_of(TriggerCondition(ids))
    assert warning.startswith("The trigger matches too often")
    assert words in warning
    assert "battery" in warning
    assert "page_exit" in warning


def test_says_all_that_is_wrong():
    assert len(warnings_of(TriggerCondition(("page_scroll", "a b"), WithinEvents(1)))) == 2
