"""Repeated parts of a list are found, and nothing is lost between them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from walle.tensor.collapsing import Part, collapsed


def shown(text: str) -> list[tuple[str, int]]:
    return [(text[part.begin : part.begin + part.length], part.times) for part in collapsed(text)]


def test_a_part_that_comes_several_times_is_shown_once():
    assert shown("stem" + "abc" * 4 + "tail") == [("stem", 1), ("abc", 4), ("tail", 1)]
    assert shown("aaaaaaaab") == [("a", 8), ("b", 1)]


def test_the_repetition_that_saves_the_most_is_taken():
    assert shown("abab" + "abcde" * 3) == [("abab", 1), ("abcde", 3)]


def test_what_hardly_saves_anything_is_shown_as_it_is():
    assert shown("aabbccabab") == [("aabbccabab", 1)]
    assert collapsed("") == []


@given(st.text("ab", max_size=60))
def test_all_items_are_in_a_part_and_its_repetitions_are_equal(text):
    parts = collapsed(text)
    assert "".join(text[part.begin : part.begin + part.length] * part.times for part in parts) == text
    assert [part.begin for part in parts] == [0, *(part.end for part in parts[:-1])][: len(parts)]


def test_a_very_long_list_takes_time_linear_in_it():
    assert collapsed([1, 2] * 20_000) == [Part(0, 2, 20_000)]
    assert len(collapsed([at * at % 9973 for at in range(9000)])) == 1
