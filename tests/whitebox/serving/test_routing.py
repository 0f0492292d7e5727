"""Which version answers a caller: as the decision of a check-in, but for what a caller does not keep."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.release.tables import entry, table
from walle.release.cohort import BUCKETS
from walle.release.decision import CompiledTable, choose
from walle.release.table import Entry, Mode
from walle.whitebox.serving.routing import GRANTED, Choice, RoutedCaller, Routes, exposures

TASK = "reviews/mood"
EVERYBODY = {"fact": "kind-pipeline", "equals": True}


def offer(version: str, release: int, **changes: Any) -> Entry:
    values = {"kind": "pipeline", "rule": EVERYBODY, "release": release, **changes}
    return entry(TASK, version, **values)


def caller(name: str = "user-1", **trusted: Any) -> RoutedCaller:
    return RoutedCaller(name, {}, trusted, True)


def everything(_manifest: str) -> bool:
    return True


def chosen(routes: Routes, who: RoutedCaller) -> Choice:
    found = routes.choose(TASK, who, everything)
    assert found is not None
    return found


CALLERS = [caller(f"user-{number}") for number in range(400)]


@given(
    shares=st.lists(st.integers(0, BUCKETS), min_size=1, max_size=4),
    control=st.integers(0, BUCKETS),
    name=st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True),
)
def test_offers_choose_as_a_check_in_does(shares: list[int], control: int, name: str) -> None:
    entries = [
        offer(f"{len(shares) - position}.0.0", 10 - position, share=share, control=min(control, BUCKETS - share))
        for position, share in enumerate(shares)
    ]
    compiled = CompiledTable(table(entries))
    decision = choose(compiled.plan(dict(GRANTED), {}), name)
    found = Routes(compiled).choose(TASK, caller(name), everything)
    assert [found.entry] if found else decision.changes == [] or not found
    assert decision.changes == ([found.entry] if found else [])


def test_a_cohort_is_as_large_as_its_share_and_grows() -> None:
    base = offer("1.0.0", 1)
    small, large = (
        Routes(CompiledTable(table([offer("2.0.0", 2, share=share), base]))) for share in (100_000, 300_000)
    )
    treated = [{who.id for who in CALLERS if chosen(routes, who).entry.release == 2} for routes in (small, large)]
    assert treated[0] < treated[1]
    assert 15 < len(treated[0]) < 75 < len(treated[1]) < 180


def test_a_release_on_hold_goes_on_answering_its_cohort() -> None:
    base = offer("1.0.0", 1)
    offered, held = (
        Routes(CompiledTable(table([offer("2.0.0", 2, share=300_000, mode=mode), base])))
        for mode in (Mode.OFFER, Mode.HOLD)
    )
    for who in CALLERS:
        assert chosen(offered, who).entry.release == chosen(held, who).entry.release


def test_what_ended_before_completion_answers_nobody() -> None:
    routes = Routes(CompiledTable(table([offer("2.0.0", 2, mode=Mode.KEEP), offer("1.0.0", 1)])))
    assert {chosen(routes, who).entry.release for who in CALLERS} == {1}
    assert len(routes.entries()) == 1


def test_a_version_that_is_not_ready_is_passed_over_and_nobody_was_exposed_to_it() -> None:
    new, base = offer("2.0.0", 2, observed=True), offer("1.0.0", 1)
    routes = Routes(CompiledTable(table([new, base])))
    found = routes.choose(TASK, caller(), lambda manifest: manifest != new.manifest)
    assert found == Choice(base, ())
    assert routes.choose(TASK, caller(), lambda manifest: False) is None


def test_rules_see_facts_that_are_vouched_for_and_lists() -> None:
    german = {"fact": "user.country", "equals": "de"}
    listed = {"list": "testers"}
    entries = [offer("3.0.0", 3, rule=listed), offer("2.0.0", 2, rule=german), offer("1.0.0", 1)]
    routes = Routes(CompiledTable(table(entries), {"testers": ["user-7"]}))
    assert chosen(routes, caller()).entry.release == 1
    assert chosen(routes, caller(country="de")).entry.release == 2
    assert chosen(routes, caller("user-7")).entry.release == 3
    assert chosen(routes, RoutedCaller("user-1", {"country": "de"}, {}, False)).entry.release == 1


def test_other_tasks_and_kinds_are_no_pipelines() -> None:
    routes = Routes(CompiledTable(table([entry("camera/digits")])))
    assert routes.tasks == frozenset()
    assert routes.choose("camera/digits", caller(), everything) is None


def test_exposures_say_arm_and_bucket_and_control_goes_on_to_the_version_before() -> None:
    new = offer("2.0.0", 2, share=BUCKETS // 2, control=BUCKETS // 2, observed=True)
    routes = Routes(CompiledTable(table([new, offer("1.0.0", 1)])))
    arms = set()
    for who in CALLERS:
        found = chosen(routes, who)
        (told,) = exposures("shop", who, 17, found.selected, 5.0)
        assert (told.caller, told.release, told.number, told.at, told.vouched) == (who.id, 2, 17, 5.0, True)
        assert (told.bucket < BUCKETS // 2) == (told.arm == "treatment") == (found.entry.release == 2)
        arms.add(told.arm)
    assert arms == {"treatment", "control"}
