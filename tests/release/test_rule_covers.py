"""covers: what is proven is true, and the proofs that succession of releases needs are found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.release import rules as some
from walle.release.rules import compile_rule, covers, inline_lists, uniform


def on(fact: str, **test: Any) -> dict[str, Any]:
    return {"fact": fact, **{name.rstrip("_"): value for name, value in test.items()}}


def not_(rule: object) -> dict[str, Any]:
    return {"not": rule}


OS, IOS = on("os", equals="android"), on("os", equals="ios")
TESTERS = {"list": "testers"}
NEW = on("v", version=">=2")


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (OS, OS),
        (uniform(["1.0.0", "1.1.0"]), uniform(["1.1.0"])),
        ({"any": [OS, IOS]}, on("os", in_=["ios", "android"])),
        (on("os", in_=["ios", "android"]), {"any": [OS, IOS]}),
        ({"any": [TESTERS, OS]}, {"all": [OS, NEW]}),
        ({"all": [OS, NEW]}, {"all": [NEW, IOS, OS]}),
        (NEW, on("v", version=">=2.1, <3")),
        (NEW, on("v", equals="2.0.1")),
        (NEW, on("v", version="==2")),
        (on("v", version=">1, !=2"), on("v", version=">2")),
        (on("v", version="!=2"), on("v", version="<2")),
        (on("v", version="<2"), on("v", version="<2.0.0-0")),
        (on("v", version="*"), NEW),
        (on("v", version=">=1.2, <2"), {"all": [on("v", version=">=1.3"), on("v", version="<1.9")]}),
        (on("n", range={"at_least": 3}), on("n", range={"above": 3})),
        (on("n", range={"below": 5}), on("n", in_=[1, 4.5])),
        (on("m", prefix="Pix"), on("m", prefix="Pixel")),
        (on("m", prefix="Pix"), on("m", glob="Pixel ?*")),
        (on("m", glob="Pix*"), on("m", prefix="Pixel")),
        (on("m", glob="P*l"), on("m", glob="P*l")),
        (on("m", glob="*"), on("m", glob="a?")),
        (on("m", glob="P?x*"), on("m", in_=["Pixel", "Pax"])),
        (TESTERS, {"all": [OS, TESTERS]}),
        ({"devices": ["a", "b"]}, {"devices": ["b"]}),
        (not_({"devices": ["a"]}), {"devices": ["b"]}),
        (not_(IOS), OS),
        (not_(IOS), not_({"any": [IOS, OS]})),
        (not_(NEW), on("v", version="<2")),
        (not_(NEW), not_(on("v", version=">1"))),
        (not_(on("m", prefix="Pixel")), on("m", glob="SM-*")),
        (not_(on("n", range={"below": 3})), on("n", equals=3)),
        (not_(on("n", range={"below": 3})), on("n", equals="3")),
        (not_(on("n", range={"below": 3})), on("n", prefix="3")),
        (not_({"all": [IOS, NEW]}), {"any": [OS, not_(NEW)]}),
        (not_(not_(OS)), OS),
    ],
    ids=repr,
)
def test_proofs_that_are_found(wide: object, narrow: object) -> None:
    assert covers(wide, narrow)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (OS, IOS),
        (OS, {"any": [OS, IOS]}),
        (OS, not_(IOS)),
        (on("os", equals=1), on("os", equals=True)),
        (on("v", version="<2"), on("v", version="<2.0.0-rc.1")),
        (on("v", version="<2"), not_(NEW)),
        (on("v", version="*"), not_(NEW)),
        (NEW, on("w", version=">=2")),
        (TESTERS, {"list": "staff"}),
        (not_(TESTERS), {"list": "staff"}),
        (TESTERS, {"devices": ["a"]}),
        ({"devices": ["b"]}, {"devices": ["a", "b"]}),
        (on("m", prefix="Pixel"), on("m", prefix="Pix")),
        (on("n", range={"above": 3}), on("n", range={"at_least": 3})),
    ],
    ids=repr,
)
def test_what_does_not_follow(wide: object, narrow: object) -> None:
    assert not covers(wide, narrow)


def widened(rule: Any, other: Any) -> st.SearchStrategy[Any]:
    """Rules of which many take all that the first takes."""
    parts = rule.get("all", [rule])
    return st.sampled_from(
        [
            rule,
            other,
            {"any": [other, rule]},
            {"any": parts},
            parts[0],
            {"all": parts[:1]},
            not_(not_(parts[-1])),
            not_(other),
        ]
    )


@settings(max_examples=200)
@given(
    st.tuples(some.rules, some.rules).flatmap(lambda two: st.tuples(widened(*two), st.just(two[0]))),
    st.lists(some.facts, min_size=5, max_size=5),
    st.sampled_from(some.DEVICES),
)
def test_what_is_proven_of_rules_is_true(pair: tuple[Any, Any], phones: list[dict[str, Any]], device: str) -> None:
    wide, narrow = pair
    if covers(wide, narrow):
        inline = {**inline_lists(wide), **inline_lists(narrow)}
        named = {name for name, ids in inline.items() if device in ids}
        for facts in phones:
            facts["lists"] |= named
            assert compile_rule(wide)(facts) or not compile_rule(narrow)(facts)


VALUES = (None, *some.ODD_SCALARS, *some.GREAT_NUMBERS)
near = st.one_of(
    some.tests,
    st.sampled_from(some.ODD_VERSIONS).flatmap(
        lambda v: st.sampled_from(
            [{"version": f"{sign}{v}"} for sign in (">=", "<=", ">", "<", "==", "!=")]
            + [{"prefix": v[:3]}, {"in": [v, 1]}]
        )
    ),
)
literals = st.builds(lambda test, sign: on("n", **test) if sign else not_(on("n", **test)), near, st.booleans())


@settings(max_examples=300)
@given(literals, literals)
def test_what_is_proven_of_tests_is_true(wide: dict[str, Any], narrow: dict[str, Any]) -> None:
    if covers(wide, narrow):
        one, other = compile_rule(narrow), compile_rule(wide)
        assert [value for value in VALUES if one({"n": value}) and not other({"n": value})] == []


@given(some.rules)
def test_every_rule_covers_itself(rule: object) -> None:
    assert covers(rule, rule)


def test_a_proof_that_takes_too_long_is_given_up() -> None:
    def tower(depth: int, name: str) -> dict[str, Any]:
        if depth == 0:
            return on(name, equals="a")
        kind = "all" if depth % 2 else "any"
        return {kind: [tower(depth - 1, f"{name}{side}") for side in "lr"]}

    assert not covers(tower(8, "w"), tower(8, "n"))
