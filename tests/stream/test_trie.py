"""Which events trigger which tasks; what is left of partial matches."""

import pytest

from walle.stream.conditions import TriggerCondition, WithinEvents, WithinSeconds
from walle.stream.trie import TriggerTrie


@pytest.fixture
def trie():
    return TriggerTrie()


def on(*ids, within=None):
    return TriggerCondition(ids) if within is None else TriggerCondition(ids, within)


def triggered(trie, *events):
    """The tasks that each event triggers; an event is written id, id:page or id:page@seconds."""
    found = []
    for event in events:
        name, _, at = event.partition("@")
        id, _, page = name.partition(":")
        found.append(trie.match(id, page or "somewhere", float(at or 0)))
    return found


@pytest.mark.parametrize("id", ["page_exit", "item/1", "page_exit:item/1"])
def test_an_id_is_that_of_an_event_or_a_page_or_both(trie, id):
    trie.add(on(id), "task")
    assert triggered(trie, "page_exit:item/1", "click:item/2", "page_enter:item") == [["task"], [], []]


def test_next_ids_match_consecutive_events(trie):
    trie.add(on("a", "b", "c"), "task")
    assert triggered(trie, "a", "b", "c", "c") == [[], [], ["task"], []]
    assert triggered(trie, "a", "x", "b", "c") == [[]] * 4
    assert triggered(trie, "a", "b", "x", "c") == [[]] * 4


def test_matches_of_next_overlap(trie):
    trie.add(on("a", "a", "b"), "task")
    assert triggered(trie, "a", "a", "a", "b") == [[], [], [], ["task"]]


def test_the_whole_sequence_is_within_events(trie):
    trie.add(on("a", "b", "c", within=WithinEvents(5)), "task")
    assert triggered(trie, "a", "x", "b", "x", "c") == [[], [], [], [], ["task"]]
    assert triggered(trie, "a", "x", "x", "b", "x", "c") == [[]] * 6


def test_the_whole_sequence_is_within_seconds(trie):
    trie.add(on("a", "b", "c", within=WithinSeconds(10)), "task")
    assert triggered(trie, "a@100", "b@109", "x@110", "c@110") == [[], [], [], ["task"]]
    assert triggered(trie, "a@200", "b@209", "c@210.5") == [[]] * 3


def test_each_of_several_limits_of_the_same_sequence_is_its_own(trie):
    trie.add(on("a", "b", within=WithinEvents(2)), "two")
    trie.add(on("a", "b", within=WithinEvents(4)), "four")
    trie.add(on("a", "b", within=WithinSeconds(10)), "ten")
    assert triggered(trie, "a@100", "x@111", "b@111") == [[], [], ["four"]]
    assert triggered(trie, "a@200", "x@200", "x@200", "x@200", "b@210") == [[], [], [], [], ["ten"]]
    assert triggered(trie, "a@300", "b@311") == [[], ["two", "four"]]


def test_a_match_fires_once_and_each_match_fires(trie):
    trie.add(on("enter", "click", within=WithinEvents(10)), "task")
    assert triggered(trie, "enter", "click", "click") == [[], ["task"], []]
    assert triggered(trie, "enter", "click", "enter", "click") == [[], ["task"], [], ["task"]]
    assert triggered(trie, "enter", "enter", "click", "click") == [[], [], ["task"], []]


def test_the_latest_start_decides(trie):
    trie.add(on("a", "b", within=WithinEvents(3)), "task")
    assert triggered(trie, "a", "a", "x", "b")[-1] == ["task"]


def test_one_event_is_one_step_of_a_match(trie):
    for within in (None, WithinEvents(9)):
        trie.add(on("click", "item", within=within), f"{within}")
    assert triggered(trie, "click:item") == [[]]
    assert [*map(sorted, triggered(trie, "click:item"))] == [["None", "WithinEvents(n=9)"]]


def test_each_task_once(trie):
    trie.add(on("a"), "task")
    trie.add(on("page"), "task")
    trie.add(on("a:page"), "other")
    assert triggered(trie, "a:page") == [["task", "other"]]


def test_a_task_has_several_conditions_and_a_condition_several_tasks(trie):
    trie.add(on("a"), "one")
    trie.add(on("a"), "two")
    trie.add(on("b"), "one")
    assert triggered(trie, "a", "b") == [["one", "two"], ["one"]]


def test_conditions_share_the_nodes_of_common_prefixes(trie):
    for within in (None, WithinEvents(9), WithinSeconds(9)):
        trie.add(on("a", "b", "c", within=within), f"{within}")
    trie.add(on("a", "b"), "short")
    trie.add(on("a", "d"), "other")
    assert trie.nodes == 4


def test_removing_takes_nodes_and_their_matches(trie):
    trie.add(on("a", "b", "c", within=WithinEvents(9)), "long")
    trie.add(on("a", "b", within=WithinEvents(9)), "short")
    triggered(trie, "a", "b")
    trie.remove(on("a", "b", "c", within=WithinEvents(9)), "long")
    assert triggered(trie, "c", "a", "b") == [[], [], ["short"]]
    assert trie.nodes == 2
    trie.remove(on("a", "b", within=WithinEvents(9)), "short")
    assert triggered(trie, "a", "b", "c") == [[]] * 3
    assert (trie.nodes, trie.pending) == (0, 0)


def test_adding_keeps_the_matches_of_others(trie):
    trie.add(on("a", "b", "c", within=WithinEvents(9)), "task")
    triggered(trie, "a")
    trie.add(on("a", "x", within=WithinEvents(9)), "other")
    triggered(trie, "b")
    trie.add(on("a", "b", "y", within=WithinEvents(9)), "other")
    assert triggered(trie, "c") == [["task"]]


def test_a_new_condition_sees_only_what_comes_after_it(trie):
    trie.add(on("a", "b", "c", within=WithinEvents(9)), "task")
    triggered(trie, "a")
    trie.add(on("a", "b", within=WithinEvents(9)), "new")
    assert triggered(trie, "b") == [[]]
    assert triggered(trie, "a", "b") == [[], ["new"]]


def test_a_task_that_joins_a_condition_joins_its_matches(trie):
    trie.add(on("a", "b", within=WithinEvents(9)), "old")
    triggered(trie, "a")
    trie.add(on("a", "b", within=WithinEvents(9)), "new")
    assert triggered(trie, "b") == [["old", "new"]]


def test_an_upgrade_in_one_go_keeps_matches(trie):
    condition = on("a", "b", within=WithinEvents(9))
    trie.add(condition, "1.0")
    triggered(trie, "a")
    trie.remove(condition, "1.0")
    trie.add(condition, "1.1")
    assert triggered(trie, "b") == [["1.1"]]


def test_what_is_added_after_an_event_begins_anew(trie):
    condition = on("a", "b", within=WithinEvents(9))
    trie.add(condition, "1.0")
    triggered(trie, "a")
    trie.remove(condition, "1.0")
    triggered(trie, "x")
    trie.add(condition, "1.1")
    assert triggered(trie, "b") == [[]]


@pytest.mark.parametrize("known", [on("a", "b"), on("b"), on("a", within=WithinEvents(9)), on("a", "b", "c"), on("c")])
def test_removing_what_was_never_added_is_an_error(trie, known):
    trie.add(on("a"), "other")
    trie.add(known, "other")
    with pytest.raises(KeyError, match="'task' is not triggered by"):
        trie.remove(known, "task")
    with pytest.raises(KeyError, match="'other' is not triggered by"):
        trie.remove(on("a", "x"), "other")


def test_forgetting_keeps_conditions(trie):
    trie.add(on("a", "b", within=WithinSeconds(9)), "task")
    triggered(trie, "a")
    trie.forget_pending()
    assert trie.pending == 0
    assert triggered(trie, "b", "a", "b") == [[], [], ["task"]]


def test_partial_matches_of_next_wait_for_one_event(trie):
    trie.add(on("a", "b", "c", "d"), "task")
    triggered(trie, "a")
    assert trie.pending == 1
    triggered(trie, "x")
    assert trie.pending == 0


def test_partial_matches_wait_no_longer_than_what_is_missing_may_take(trie):
    trie.add(on("a", "b", "c", within=WithinEvents(6)), "task")
    triggered(trie, "a", "x", "x", "x")
    assert trie.pending == 1
    triggered(trie, "x")
    assert trie.pending == 0


def test_partial_matches_expire_by_the_clock(trie):
    trie.add(on("a", "b", within=WithinSeconds(5)), "task")
    triggered(trie, "a@100", "x@105")
    assert trie.pending == 1
    triggered(trie, "x@106")
    assert trie.pending == 0


def test_what_has_expired_is_found_behind_what_has_not(trie):
    trie.add(on("a", "b", within=WithinEvents(1000)), "long")
    trie.add(on("c", "d"), "short")
    triggered(trie, "a", "c", *["x"] * 2)
    assert trie.pending == 1


def test_what_has_expired_goes_no_further(trie):
    for n in range(50):
        trie.add(on(f"a{n}", f"b{n}", within=WithinEvents(1000)), "long")
    trie.add(on("c", "d", "e"), "short")
    triggered(trie, *(f"a{n}" for n in range(50)), "c", "x", "d")
    assert trie.pending == 50


def test_removing_a_long_condition_lets_the_others_expire(trie):
    trie.add(on("a", "b", within=WithinEvents(3)), "short")
    trie.add(on("a", "b", within=WithinEvents(1000)), "long")
    trie.remove(on("a", "b", within=WithinEvents(1000)), "long")
    triggered(trie, "a", "x", "x")
    assert trie.pending == 0


def test_the_dynamic_list_stays_near_what_is_alive(trie):
    """Each event starts three matches which live for 20 events; 3000 could be on the list."""
    for n in range(1000):
        for id in (f"a{n}", f"p{n}", f"a{n}:p{n}"):
            trie.add(on(id, "end", within=WithinEvents(21)), "task")
    triggered(trie, *(f"a{n}:p{n}" for n in range(1000)))
    assert 60 <= trie.pending <= 300
