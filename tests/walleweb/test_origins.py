"""Pages whose sockets are taken."""

import pytest

from walleweb.origins import is_own

HOST = "walle.example:8443"


@pytest.fixture(autouse=True)
def hosts(settings):
    settings.ALLOWED_HOSTS = ["walle.example"]


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://walle.example:8443", True),
        ("https://WALLE.example:8443", True),
        ("https://walle.example", False),
        ("https://walle.example:8444", False),
        ("https://evil.example:8443", False),
        ("https://walle.example:8443.evil.example", False),
        ("https://walle.example:8443@evil.example", False),
        ("https://[", False),
        ("null", False),
        ("file://", False),
        ("", False),
    ],
)
def test_only_pages_of_the_site_that_was_asked_are_own(origin, expected):
    assert is_own(origin, HOST) is expected


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://console.example.com", True),
        ("https://a.trusted.example", True),
        ("http://console.example.com", False),
        ("https://untrusted.example", False),
        ("https://console.example.com:8443", False),
    ],
)
def test_trusted_origins_are_those_of_forms(origin, expected, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://console.example.com", "https://*.trusted.example"]
    assert is_own(origin, HOST) is expected


@pytest.mark.parametrize("host", ["", "evil.example", "walle.example.evil.example"])
def test_a_site_under_a_name_that_is_not_ours_is_not_own(host):
    assert not is_own(f"https://{host}", host)
