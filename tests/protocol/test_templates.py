"""Templates of exclusive files: the keys that facts make, and the keys that no facts can make."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.protocol.templates import MAX_VARIANT_KEY, fits_template, variant_key


@pytest.mark.parametrize(
    ("template", "facts", "key"),
    [
        ("{age_band}", {"age_band": "18-25"}, "18-25"),
        ("{age}-{lang}", {"age": 30, "lang": "de", "more": 1}, "30-de"),
        ("v1.{beta}", {"beta": True}, "v1.true"),
        ("{a}{b}", {"a": "x", "b": 2.5}, "x2.5"),
        ("{a}", {"a": 0}, "0"),
        ("{a}", {"a": "{b}", "b": "x"}, "{b}"),
    ],
)
def test_facts_make_a_key(template, facts, key):
    assert variant_key(template, facts) == key
    assert fits_template(template, key)


@pytest.mark.parametrize(
    ("template", "facts"),
    [
        ("{a}", {}),
        ("{a}-{b}", {"a": "x"}),
        ("{a}", {"a": ""}),
        ("{a}{b}", {"a": "", "b": "xy"}),
        ("{a}", {"a": None}),
        ("{a}", {"a": ["x"]}),
        ("{a}", {"a": "x\ny"}),
        ("{a}", {"a": "x" * (MAX_VARIANT_KEY + 1)}),
    ],
)
def test_facts_that_are_missing_or_make_no_key(template, facts):
    assert variant_key(template, facts) is None


@pytest.mark.parametrize(
    ("template", "key"),
    [
        ("{a}", ""),
        ("{a}", None),
        ("{a}", b"x"),
        ("{a}", "x" * (MAX_VARIANT_KEY + 1)),
        ("{a}", "a\x00b"),
        ("x-{a}", "y-1"),
        ("x-{a}", "x-"),
        ("{a}.json", ".json"),
        ("{a}-{b}", "-"),
        ("{a}-{b}", "x-"),
        ("{a}-{b}", "xy"),
        ("{a}{b}", "x"),
        ("{a}-x-{b}", "1-x-"),
    ],
)
def test_keys_that_no_facts_make(template, key):
    assert not fits_template(template, key)


values = st.text(st.characters(min_codepoint=32, exclude_characters="\x7f", exclude_categories=["Cs"]), min_size=1)


@given(
    st.lists(st.tuples(st.sampled_from(["", "-", ".", "v1_"]), values), min_size=1, max_size=4),
    st.text("-._", max_size=3),
)
def test_every_key_that_facts_make_fits(parts, end):
    template = "".join(f"{literal}{{f{index}}}" for index, (literal, _) in enumerate(parts)) + end
    key = variant_key(template, {f"f{index}": value for index, (_, value) in enumerate(parts)})
    expected = "".join(literal + value for literal, value in parts) + end
    if len(expected) <= MAX_VARIANT_KEY:
        assert key == expected
    else:
        assert key is None


@given(st.text(max_size=60), st.text(max_size=220))
def test_hostile_text_is_answered_not_obeyed(template, key):
    fits_template(template, key)
