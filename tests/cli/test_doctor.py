"""What the doctor says of what it found: each time what to do, and as little as that where nothing is wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from walle.cli import doctor
from walle.cli.accounts import StoredAccount
from walle.cli.doctor import Check, Reading, address_check, ask, clock_check, token_check, version_check

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
USED = StoredAccount("https://walle.example", "wl_0a1b2c3d_secret", "WALLE_TOKEN", "WALLE_URL")


def me(*, expires=None, staff=False, scopes=("scenario:camera",), **token):
    given = {"name": "ci", "prefix": "wl_0a1b2c3d", "scopes": [], "permissions": [], "expires_at": expires, **token}
    roles = [{"scope": scope, "roles": ["viewer"], "permissions": ["view"]} for scope in scopes]
    return {"username": "ada", "staff": staff, "token": given, "scopes": roles}


def at(**after):
    return (NOW + timedelta(**after)).isoformat()


@pytest.mark.parametrize(
    ("found", "health", "said"),
    [
        (me(), "ok", "of ada, from the environment variable WALLE_TOKEN; reaches all that its user may do"),
        (me(scopes=["scenario:camera"], expires=at(days=30)), "ok", "expires in 30 d"),
        (me(expires=at(days=6)), "warning", "expires in 6 d"),
        (me(scopes=()), "warning", "there is no role within its reach"),
        (me(scopes=(), staff=True), "ok", "does not expire"),
        ({**me(), "token": None}, "ok", "of ada"),
    ],
)
def test_a_token(found, health, said):
    check = token_check(USED, found, NOW)
    assert (check.health, bool(check.advice)) == (health, health != "ok")
    assert said in check.found


@pytest.mark.parametrize(
    ("own", "server", "health"),
    [
        ("1.2.0", "1.2.0", "ok"),
        ("1.2.0", "1.3.0", "warning"),
        ("1.2.0", "2.0.0", "wrong"),
        ("1.2.0", "", "warning"),
        ("", "1.2.0", "ok"),
    ],
)
def test_versions(own, server, health):
    check = version_check(own, server)
    assert (check.health, bool(check.advice)) == (health, health != "ok")
    assert server in check.found


@pytest.mark.parametrize(
    ("ahead_s", "health", "said"),
    [
        (0, "ok", "as the server's"),
        (-5, "ok", "as the server's"),
        (20, "warning", "20 s ahead of the server's"),
        (-20, "warning", "20 s behind the server's"),
        (4000, "wrong", "1 h ahead of the server's"),
    ],
)
def test_clocks_are_compared_at_the_middle_of_the_request(ahead_s, health, said):
    headers = {"date": format_datetime(NOW, usegmt=True)}
    middle = NOW + timedelta(seconds=ahead_s + 0.5)
    check = clock_check(Reading({}, headers, middle - timedelta(seconds=8), middle + timedelta(seconds=8)))
    assert check.health == health
    assert said in check.found


def test_a_server_without_a_clock_is_told():
    assert clock_check(Reading({}, {}, NOW, NOW)).health == "warning"


def test_an_address_that_is_not_encrypted_is_warned_of():
    assert address_check(USED) == Check(
        "address", "ok", "https://walle.example answers; it is from the environment variable WALLE_URL"
    )
    assert address_check(StoredAccount("http://walle.example", "t", "WALLE_TOKEN", "--server")).health == "warning"
    assert address_check(StoredAccount("http://127.0.0.1:8000", "t", "WALLE_TOKEN", "--server")).health == "ok"


def asked(answer):
    def transport(request):
        if isinstance(answer, Exception):
            raise answer
        return answer

    return ask(USED, transport=httpx.MockTransport(transport))


def test_a_server_that_cannot_be_reached_or_is_none_is_an_address_to_correct():
    for answer in (httpx.ConnectError("refused"), httpx.Response(200, text="<html>"), httpx.Response(502)):
        check = asked(answer)
        assert (check.name, check.health) == ("address", "wrong")
        assert "the address is from the environment variable WALLE_URL" in check.advice or "502" in check.found


def test_a_refused_token_is_a_token_to_correct():
    check = asked(httpx.Response(401, json={"code": "authentication-failed", "detail": "invalid token"}))
    assert (check.name, check.health) == ("token", "wrong")
    assert "from the environment variable WALLE_TOKEN" in check.found
    assert "secret" not in check.found + check.advice


def test_an_answer_is_looked_at_from_all_sides():
    reading = asked(httpx.Response(200, json=me(), headers={"walle-version": "0.1.0"}))
    names = [check.name for check in doctor.checks_of(USED, reading)]
    assert names == ["address", "token", "version", "clock"]
