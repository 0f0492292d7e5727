"""Where webhooks may be sent."""

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.webhooks.addresses import Reach, UrlRefused, check_url

PUBLIC = Reach()
PRIVATE = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "100::1",
    "64:ff9b:1::1",
]
WITHIN = [
    lambda inner: f"::ffff:{inner}",
    lambda inner: str(IPv6Address(int(IPv6Address("64:ff9b::")) | int(inner))),
    lambda inner: str(IPv6Address(int(IPv6Address("2002::")) | int(inner) << 80)),
]


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_is_not_reached(address):
    assert not PUBLIC.allows(address, encrypted=True)


@pytest.mark.parametrize("address", ["1.1.1.1", "8.8.8.8", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_what_is_public_is_reached_through_tls_only(address):
    assert PUBLIC.allows(address, encrypted=True)
    assert not PUBLIC.allows(address, encrypted=False)


@given(st.ip_addresses(v=4), st.sampled_from(WITHIN))
def test_an_address_within_another_is_as_good_as_itself(inner: IPv4Address, within):
    assert PUBLIC.allows(within(inner), encrypted=True) == PUBLIC.allows(str(inner), encrypted=True)


@given(st.ip_addresses())
def test_opened_networks_are_reached_and_open_nothing_else(address):
    opened = Reach((ip_network("10.1.0.0/16"), ip_network("fd00:1::/32")))
    inside = any(address in network for network in opened.networks)
    assert opened.allows(str(address), encrypted=True) == (inside or PUBLIC.allows(str(address), encrypted=True))
    assert opened.allows("10.1.2.3", encrypted=False)
    assert opened.allows("::ffff:10.1.2.3", encrypted=False)
    assert not opened.allows("10.2.0.1", encrypted=True)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com/",
        "https://Example.COM:8443/a/b?c=d&e",
        "https://xn--bcher-kva.example/x",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]:444/",
        "https://a.b.c.example.",
        "https://a_b.example/",
    ],
)
def test_addresses_that_a_webhook_may_have(url):
    assert check_url(url, PUBLIC).hostname


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "https://",
        "https:///x",
        "https:example.com",
        "//example.com/",
        "http://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "HTTPS://",
        "gopher://example.com:70/_x",
        "https://user@example.com/",
        "https://user:pw@example.com/",
        "https://example.com@127.0.0.1/",
        "https://example.com/#x",
        "https://exa mple.com/",
        "https://example.com/\r\nHost: x",
        "https://bücher.example/",
        "https://example.com:0/",
        "https://example.com:99999/",
        "https://example.com:x/",
        "https://example.com\\@a/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:7f00:1]/",
        "https://10.0.0.1:22/",
        "https://0.0.0.0/",
        "https://[fe80::1%25eth0]/",
        "https://[v1.x]/",
        "https://[/",
        "https://-x.example/",
        "https://x/" + "y" * 500,
    ],
)
def test_addresses_that_no_webhook_may_have(url):
    with pytest.raises(UrlRefused, match="expected"):
        check_url(url, PUBLIC)


def test_plain_http_is_for_networks_that_were_opened():
    opened = Reach((ip_network("10.0.0.0/8"),))
    assert check_url("http://10.0.0.1:8080/", opened).port == 8080
    # Where a name leads is seen when it is connected to.
    assert check_url("http://hooks.internal/", opened)
    for url in ("http://8.8.8.8/", "http://192.168.0.1/", "https://192.168.0.1/"):
        with pytest.raises(UrlRefused):
            check_url(url, opened)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text):
    for url in (text, f"https://{text}", f"https://x/{text}"):
        try:
            parts = check_url(url, PUBLIC)
        except UrlRefused:
            continue
        assert parts.scheme == "https"
        assert parts.hostname
