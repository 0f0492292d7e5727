"""Looking up is chosen where it takes less time, left where it does not, and chosen again when inputs recur."""

from walle.whitebox.runtime.byte_lru import ENTRY_BYTES
from walle.whitebox.runtime.catalog import StageCatalog, StageResults
from walle.whitebox.runtime.materialisation import COMPARED, SAMPLE, WINDOW, SharingChoice


def run(choice, records, known, plain=10_000, hit=4_000, miss=13_000):
    """Have records predicted in a model of time; return how many were looked up."""
    looked = 0
    for record in records:
        if not choice.looks_up(record):
            choice.plain(plain)
            continue
        looked += 1
        choice.looked(record in known, hit if record in known else miss)
        known.add(record)
    return looked


def test_records_that_recur_are_looked_up():
    choice = SharingChoice()
    looked = run(choice, [f"record {number // 8}" for number in range(8000)], set())
    assert choice.worthwhile
    assert looked >= 8000 * (1 - 2 / COMPARED)
    assert 0.8 < choice.rate < 0.95


def test_records_that_never_recur_are_not_but_for_a_sample():
    choice = SharingChoice()
    records = [f"record {number}" for number in range(8000)]
    looked = run(choice, records, set())
    assert not choice.worthwhile
    assert looked < WINDOW * 8 + 2 * 8000 / SAMPLE


def test_a_first_prediction_that_took_long_by_chance_makes_no_looking_up_worthwhile():
    choice = SharingChoice()
    assert not choice.looks_up("first")
    choice.plain(500_000)
    run(choice, [f"record {number}" for number in range(2 * WINDOW)], set())
    assert not choice.worthwhile


def test_results_that_cost_more_to_look_up_than_to_compute_are_not_looked_up():
    choice = SharingChoice()
    run(choice, ["one"] * 2000, set(), plain=3_000)
    assert not choice.worthwhile


def test_it_is_noticed_that_records_begin_to_recur():
    choice, known = SharingChoice(), set()
    run(choice, [f"record {number}" for number in range(4000)], known)
    assert not choice.worthwhile
    run(choice, [f"again {number % 200}" for number in range(40_000)], known)
    assert choice.worthwhile


def test_a_record_without_a_hash_is_not_looked_up_as_a_sample():
    choice = SharingChoice()
    choice.worthwhile = False
    assert not any(choice.looks_up(record) for record in (["list"], {"text": ["list"]}, {}))


class Bound:
    def __init__(self, *shareable):
        self.shareable = frozenset(shareable)

    def reusing(self, identities):
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


class Result:
    size = 100


def test_results_take_no_more_than_their_bytes_with_their_keys():
    results = StageResults(2 * (ENTRY_BYTES + 100 + 5 + 45))
    for number in range(3):
        results.put(("stage", f"{number}" + 44 * "x"), Result())
    assert len(results.kept) == 2
    assert results.get(("stage", "0" + 44 * "x")) is None
