"""The cache never holds more bytes than it may, and what goes is what was used least recently."""

from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.runtime.byte_lru import ENTRY_BYTES, ByteLru

steps = st.lists(
    st.tuples(st.sampled_from(["get", "put", "discard"]), st.integers(0, 5), st.integers(0, 300)), max_size=60
)


@given(steps, st.integers(0, 1500))
def test_it_keeps_what_a_list_in_order_of_use_keeps(steps, most):
    cache = ByteLru(most)
    model = []  # (key, value, size), the least recently used first
    for what, key, size in steps:
        known = next((entry for entry in model if entry[0] == key), None)
        if what == "get":
            assert cache.get(key) == (known[1] if known else None)
            if known:
                model.remove(known)
                model.append(known)
            continue
        if known:
            model.remove(known)
        if what == "put":
            cache.put(key, value := object(), size)
            if size + ENTRY_BYTES <= most:
                model.append((key, value, size + ENTRY_BYTES))
        else:
            cache.discard(key)
        while sum(entry[2] for entry in model) > most:
            model.pop(0)
        assert cache.used == sum(entry[2] for entry in model) <= most
        assert len(cache) == len(model)


def test_what_was_asked_for_stays_longer_than_what_nobody_asks_for():
    cache = ByteLru(2 * ENTRY_BYTES)
    cache.put("used", 1, 0)
    cache.put("unused", 2, 0)
    assert cache.get("used") == 1
    cache.put("new", 3, 0)
    assert [cache.get(key) for key in ("used", "unused", "new")] == [1, None, 3]


def test_it_counts_hits_misses_and_what_went():
    cache = ByteLru(2 * ENTRY_BYTES)
    for key in "abc":
        cache.put(key, key, 0)
    assert [cache.get(key) for key in "abc"] == [None, "b", "c"]
    assert (cache.hits, cache.misses, cache.evicted) == (2, 1, 1)
