"""Values of all kinds that TOML, JSON and programs can give."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import strategies as st

KEYS = ["type", "stages", "kind", "percent", "limits", "window", "zone", "os", "android", "modules", "task", "trigger"]


def deep(levels: int, key: str | None = None) -> Any:
    """Lists, or objects with one key, within each other."""
    value: Any = 1
    for _ in range(levels):
        value = [value] if key is None else {key: value}
    return value


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([5000, 6000]).map(lambda digits: 16**digits),
    st.just(3000).map(deep),
    st.sampled_from([b"bytes", date(2024, 1, 1)]),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["\ud800", "\0", "gray", "1.0.0", ">=1", "01:00", "UTC", "a" * 300]),
)
any_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4) | st.none(), inner, max_size=5)
    ),
    max_leaves=12,
)
