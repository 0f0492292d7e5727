"""Addresses, and who hears of what."""

from email.headerregistry import Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.mail.addresses import AddressRefused, check_address, check_sender
from walle.mail.audience import hears

WORDS = st.sets(st.sampled_from(["scenario:a", "scenario:b", "app:a", "app:b"]))


@pytest.mark.parametrize("text", ["ada@example.com", "a.b+c@mail-1.example.org", "ops@mailhost"])
def test_usual_addresses_are_taken(text):
    assert check_address(text) == check_sender(text) == check_sender(f"Walle <{text}>").partition("<")[2][:-1]


@given(st.text(alphabet=st.sampled_from('ab.@-<>",: \r\n\0\u2028é'), max_size=40) | st.text(max_size=300))
def test_what_is_taken_is_one_address_and_breaks_no_header(text):
    for check in (check_address, check_sender):
        try:
            check(text)
        except AddressRefused:
            continue
        assert text.isprintable()
        if check is check_address:
            parsed = Address(addr_spec=text)
            assert (parsed.addr_spec, text.count("@")) == (text, 1)


@given(scopes=WORDS, chosen=WORDS, readable=st.none() | WORDS)
def test_nobody_hears_of_what_they_may_not_read_or_did_not_ask_for(scopes, chosen, readable):
    about = {"scopes": scopes, "chosen": chosen, "readable": readable}
    assert not hears(kind="held", kinds=["complete"], **about)
    heard = hears(kind="held", kinds=["held"], **about)
    seen = scopes if readable is None else scopes & readable
    assert heard == bool(seen & chosen if chosen else seen or readable is None)
