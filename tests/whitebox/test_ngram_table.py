"""Dictionaries as hash tables: what they hold is found, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox import ngram_table
from walle.whitebox.ngram_table import (
    TableImpossible,
    build_table,
    capacity_of,
    greatest_column,
    hash_text,
    hash_texts,
    longest_run,
    look_up,
)

TEXTS = st.lists(st.text(max_size=12), unique=True, max_size=60)


def test_the_hash_is_fnv_1a_and_fmix64():
    # fmix64 of the published FNV-1a value of "foobar", 0x85944171f73967e8.
    state = 0x85944171F73967E8
    state = (state ^ state >> 33) * 0xFF51AFD7ED558CCD % 2**64
    state = (state ^ state >> 33) * 0xC4CEB9FE1A85EC53 % 2**64
    assert hash_text("foobar") == state ^ state >> 33


@given(TEXTS)
def test_many_texts_are_hashed_as_each_is(texts):
    assert hash_texts(texts).tolist() == [hash_text(text) for text in texts]


@given(TEXTS, st.text(max_size=12))
def test_each_entry_is_found_and_no_other_text(texts, other):
    table = build_table(texts)
    assert [look_up(table, text) for text in texts] == list(range(len(texts)))
    assert look_up(table, other) == (texts.index(other) if other in texts else -1)
    assert table[-1] == 0
    assert greatest_column(table) == len(texts) - 1


@given(TEXTS, st.randoms())
def test_the_order_of_the_entries_makes_no_difference(texts, random):
    numbered = list(enumerate(texts))
    random.shuffle(numbered)
    shuffled = build_table([text for _, text in numbered], [number for number, _ in numbered])
    assert np.array_equal(shuffled, build_table(texts))


@pytest.mark.parametrize(("length", "capacity"), [(2, 1), (3, 2), (9, 8), (16, 8), (17, 16)])
def test_the_length_says_the_capacity(length, capacity):
    assert capacity_of(length) == capacity


def test_a_table_is_at_most_two_thirds_full_and_has_no_long_runs():
    table = build_table([f"n-gram {number}" for number in range(20_000)])
    assert np.count_nonzero(table) * 3 <= capacity_of(len(table)) * 2
    assert longest_run(table) < 200


@pytest.fixture
def hashed(monkeypatch):
    """Texts have the hashes that this returns a table for."""

    def give(**hashes: int) -> None:
        monkeypatch.setattr(ngram_table, "hash_text", hashes.__getitem__)
        monkeypatch.setattr(
            ngram_table, "hash_texts", lambda texts: np.array([hashes[each] for each in texts], np.uint64)
        )

    return give


def test_entries_that_would_be_taken_for_each_other_lie_apart_in_a_larger_table(hashed):
    hashed(one=7 << 24 | 1, other=7 << 24 | 5, third=9 << 24 | 1)
    table = build_table(["one", "other"])
    assert capacity_of(len(table)) == 8
    assert [look_up(table, text) for text in ("one", "other", "third")] == [0, 1, -1]


def test_entries_that_no_table_holds_apart_are_refused(hashed):
    hashed(one=7 << 24 | 1, other=7 << 24 | 2)
    with pytest.raises(TableImpossible, match="too much alike"):
        build_table(["one", "other"])


def test_entries_go_on_behind_the_last_home(hashed):
    hashed(one=1 << 24 | 7, other=2 << 24 | 7, third=3 << 24 | 6, fourth=4 << 24 | 7, fifth=5 << 24)
    table = build_table(["one", "other", "third", "fourth", "fifth"])
    assert len(table) == 8 + 3
    assert [look_up(table, text) for text in ("one", "other", "third", "fourth", "fifth")] == [0, 1, 2, 3, 4]


def test_runs_are_measured_to_both_ends():
    assert longest_run(np.array([1, 1, 0, 1, 0], np.uint64)) == 2
    assert longest_run(np.array([0, 1, 1, 1], np.uint64)) == 3


@pytest.mark.parametrize(
    ("texts", "columns", "message"),
    [
        (["a", "b", "a"], None, "equal"),
        (["a"], [2**24 - 1], "column below"),
        (["a", "b"], [1], "each of 2"),
    ],
)
def test_what_no_table_can_hold_is_refused(texts, columns, message):
    with pytest.raises(TableImpossible, match=message):
        build_table(texts, columns)
