"""Addresses of clients, with proxies and with claims to be behind one; and who is on this machine."""

from ipaddress import ip_network

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walleweb.clients import BehindProxies, OnlyFromHere, client_of, is_here

PROXIES = tuple(ip_network(text) for text in ("10.0.0.0/8", "127.0.0.1", "fd00::/8"))
STRANGER = "203.0.113.9"


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        # Nobody but a proxy is believed.
        (STRANGER, "198.51.100.1", STRANGER),
        (STRANGER, "", STRANGER),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", STRANGER, STRANGER),
        ("127.0.0.1", STRANGER, STRANGER),
        ("::ffff:10.0.0.1", STRANGER, STRANGER),
        # What stands before the first stranger is the stranger's own claim.
        ("10.0.0.1", f"198.51.100.1, {STRANGER}", STRANGER),
        ("10.0.0.1", f"127.0.0.1, {STRANGER}", STRANGER),
        # Through two of ours.
        ("10.0.0.1", f"198.51.100.1, {STRANGER}, fd00::2", STRANGER),
        ("10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"),
        # As some write it, and as none does.
        ("10.0.0.1", f"{STRANGER}:5000", STRANGER),
        ("10.0.0.1", "[2001:db8::1]:5000", "2001:db8::1"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", f"{STRANGER}, unknown", "10.0.0.1"),
        ("10.0.0.1", ",", "10.0.0.1"),
        ("", STRANGER, ""),
    ],
)
def test_the_nearest_stranger_is_the_client(peer, forwarded, client):
    assert client_of(peer, forwarded, PROXIES) == client


@given(st.text(max_size=300), st.lists(st.ip_addresses().map(str), max_size=40))
def test_no_header_makes_a_stranger_somebody_else(text, addresses):
    assert client_of(STRANGER, ",".join([text, *addresses]), PROXIES) == STRANGER


@given(st.text(max_size=300))
def test_what_somebody_says_before_their_address_changes_nothing(text):
    assert client_of("10.0.0.1", f"{text},{STRANGER}", PROXIES) == STRANGER


async def seen(application, client, **headers):
    transport = httpx.ASGITransport(application, client=(client, 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as asking:
        return await asking.get("/", headers={name.replace("_", "-"): value for name, value in headers.items()})


async def say_address(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["client"][0].encode()})


async def test_without_a_setting_nobody_is_believed():
    behind = BehindProxies(say_address, ())
    assert (await seen(behind, "127.0.0.1", X_Forwarded_For=STRANGER)).text == "127.0.0.1"


async def test_several_headers_are_one_list():
    behind = BehindProxies(say_address, PROXIES)
    transport = httpx.ASGITransport(behind, client=("10.0.0.1", 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as asking:
        headers = [("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-For", STRANGER)]
        assert (await asking.get("/", headers=headers)).text == STRANGER


@pytest.mark.parametrize(
    ("client", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        (STRANGER, {}, 403),
        ("127.0.0.1", {"X_Forwarded_For": "127.0.0.1"}, 403),
        ("127.0.0.1", {"Via": "1.1 nginx"}, 403),
    ],
)
async def test_pages_with_details_are_for_this_machine(client, headers, status):
    assert (await seen(OnlyFromHere(say_address), client, **headers)).status_code == status


def test_a_connection_without_an_address_is_from_elsewhere():
    assert not is_here({"client": None, "headers": []})
