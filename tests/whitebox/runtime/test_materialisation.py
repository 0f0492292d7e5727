"""Results are kept where they are asked for again, and not where records never recur."""

from walle.whitebox.runtime.byte_lru import ENTRY_BYTES
from walle.whitebox.runtime.catalog import StageCatalog
from walle.whitebox.runtime.materialisation import NOTED, PAUSE, WINDOW, SharedResults, StageResults

RECURRING = NOTED - 1
"""A key whose hash falls together with none of the fresh ones of these tests."""


class Result:
    size = 100


def ask(shared, keys):
    """Look keys up, and keep what is wanted; return which were found, None for those that were not looked up."""
    found = []
    for key in keys:
        if shared.pauses():
            found.append(None)
            continue
        found.append(shared.get(key) is not None)
        if not found[-1] and shared.wants(key):
            shared.put(key, Result())
    return found


def fresh(count, start=1):
    """Return numbers as keys, for they are their own hashes: those of texts differ from one process to another."""
    return range(start, start + count)


def test_results_are_kept_for_the_third_plan_when_a_second_one_asks_for_them():
    shared = SharedResults(StageResults(1 << 20))
    assert ask(shared, [RECURRING] * 4) == [False, False, True, True]
    assert (shared.hits, shared.misses, shared.rate) == (2, 2, 0.5)


def test_results_of_records_that_never_recur_are_not_kept():
    results = StageResults(1 << 20)
    shared = SharedResults(results)
    found = ask(shared, fresh(10 * (WINDOW + PAUSE)))
    assert len(results.kept) == 0
    assert found == 10 * [*[False] * WINDOW, *[None] * PAUSE]


def test_one_record_that_recurs_among_many_is_enough_to_go_on_looking():
    shared = SharedResults(StageResults(1 << 20))
    ask(shared, [*fresh(WINDOW - 1), 1, WINDOW])
    assert ask(shared, [1]) == [True]


def test_records_that_begin_to_recur_are_shared_after_the_pause():
    shared = SharedResults(StageResults(1 << 20))
    ask(shared, fresh(WINDOW))
    assert ask(shared, [RECURRING] * (PAUSE + 3)) == [*[None] * PAUSE, False, False, True]


def test_where_records_recur_the_first_plan_keeps_their_results():
    shared = SharedResults(StageResults(1 << 20))
    ask(shared, [key for key in fresh(WINDOW) for _ in range(2)])
    assert ask(shared, [RECURRING] * 2) == [False, True]


def test_it_is_noticed_that_records_recur_no_more():
    results = StageResults(1 << 20)
    shared = SharedResults(results)
    ask(shared, [key for key in fresh(WINDOW) for _ in range(2)])
    ask(shared, fresh(2 * WINDOW, start=1 + WINDOW))
    kept = len(results.kept)
    ask(shared, fresh(10 * WINDOW, start=1 + 3 * WINDOW))
    assert len(results.kept) == kept


def test_plans_with_other_stages_in_common_decide_for_themselves():
    results = StageResults(1 << 20)
    ask(SharedResults(results), [key for key in fresh(WINDOW) for _ in range(2)])
    assert ask(SharedResults(results), [RECURRING] * 2) == [False, False]


def test_a_key_is_new_again_once_another_took_its_place():
    shared = SharedResults(StageResults(1 << 20))
    assert ask(shared, [1, 1 + NOTED, 1, 1, 1]) == [False, False, False, False, True]


class Bound:
    def __init__(self, *shareable):
        self.shareable = frozenset(shareable)

    def reusing(self, identities, results):
        return identities


class Plan:
    reuse = sharing = None

    def __init__(self, *shareable):
        self.bound = Bound(*shareable)


def test_plans_share_the_stages_that_another_one_has_too():
    catalog = StageCatalog(1000)
    first, second, third = Plan("c", "w"), Plan("c"), Plan("w")
    catalog.add(first)
    assert first.reuse is None
    catalog.add(second)
    assert (first.reuse, second.reuse, third.reuse) == ({"c"}, {"c"}, None)
    assert first.sharing is second.sharing
    catalog.add(third)
    assert (first.reuse, second.reuse, third.reuse) == ({"c", "w"}, {"c"}, {"w"})
    assert (catalog.stages, catalog.shared) == (2, 2)
    catalog.remove(first)
    assert (second.reuse, third.reuse, second.sharing) == (None, None, None)
    catalog.remove(second)
    assert (catalog.stages, catalog.shared) == (1, 0)


def test_a_catalog_without_room_for_results_has_plans_look_nothing_up():
    catalog = StageCatalog(0)
    plans = Plan("c"), Plan("c")
    for plan in plans:
        catalog.add(plan)
    assert [plan.reuse for plan in plans] == [None, None]
    assert catalog.shared == 1


def test_results_take_no_more_than_their_bytes_with_their_keys():
    results = StageResults(2 * (ENTRY_BYTES + 100 + 5 + 45))
    for number in range(3):
        results.put(("stage", f"{number}" + 44 * "x"), Result())
    assert len(results.kept) == 2
    assert results.kept.get(("stage", "0" + 44 * "x")) is None
