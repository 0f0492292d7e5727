"""Hypothesis strategies for what crosses the wire."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from walle.protocol.headers import AppHeader, DeviceHeader, Offer

_LOWER = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
slugs = st.builds(str.__add__, st.sampled_from(_LOWER), st.text(_LOWER + _DIGITS + "-", max_size=39))
tasks = st.builds("{}/{}".format, slugs, slugs)
device_ids = st.text(_LOWER + _LOWER.upper() + _DIGITS + "_-", min_size=1, max_size=64)
credentials = st.text(_LOWER + _LOWER.upper() + _DIGITS + "._-", min_size=1, max_size=100)
numbers = st.integers(0, 10**15 - 1)
short_digests = st.binary(min_size=12, max_size=12)
digests = st.binary(min_size=32, max_size=32).map(bytes.hex)
printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
urls = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60)

device_headers = st.builds(DeviceHeader, device_ids, credentials, numbers)

# Three digits after the point are what a header can carry.
fractions = st.integers(-(10**9), 10**9).map(lambda thousandths: thousandths / 1000)
fact_values = st.one_of(printable, st.booleans(), st.integers(-(10**15) + 1, 10**15 - 1), fractions)
_known = st.sampled_from(["os", "os_version", "performance", "region"])
_other = st.builds("x_{}".format, st.text(_LOWER + _DIGITS + "_", max_size=20))
_facts = st.dictionaries(st.one_of(_known, _other), fact_values, max_size=6)
_versions = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64)
app_headers = st.builds(
    lambda app, version, facts: AppHeader(app, {"app_version": version, **facts}), slugs, _versions, _facts
)

profiles = st.dictionaries(tasks, short_digests, max_size=8)

_signed: dict[str, Any] = {
    "task": tasks,
    "assignment": st.binary(max_size=60),
    "signature": st.binary(max_size=64),
    "key_id": printable,
    "token": credentials,
}
_where = {"url": urls, "digest": st.binary(min_size=32, max_size=32), "size": st.integers(0, 10**12)}
offers = st.one_of(
    st.builds(Offer, action=st.just("remove"), **_signed),
    st.builds(Offer, action=st.sampled_from(["install", "update"]), kind=st.just("shared"), **_signed, **_where),
    st.builds(Offer, action=st.just("install"), kind=st.just("exclusive"), exclusive=urls, **_signed, **_where),
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=10), children),
    max_leaves=12,
)
