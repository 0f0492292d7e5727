"""Signing in: where the token is kept, what wins over it, and that it is never shown."""

from __future__ import annotations

import json
import stat

import pytest

from tests.support.people import make_member, token_of
from walle.cli.accounts import Account, Accounts, account, server_address
from walle.cli.errors import NotSignedIn, WrongUsage


def test_login_keeps_a_token_that_works_where_nobody_else_can_read_it(walle, home, scenario, address):
    secret = token_of(make_member("viewer", f"scenario:{scenario}", "vera"))
    done = walle("login", address, stdin=f"{secret}\n")
    assert (done.status, done.out) == (0, f"✓ signed in to {address} as vera\n")
    place = home / "walle" / "servers.json"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert json.loads(place.read_text())["servers"][address] == {"token": secret, "username": "vera"}
    assert walle("whoami").out == "vera\n"
    status = walle("status")
    assert f"scenario:{scenario}\tviewer\tview" in status.out
    assert secret not in status.out + status.err
    assert walle("logout").status == 0
    assert secret not in place.read_text()
    assert walle("whoami").status == 3


def test_a_token_that_does_not_work_is_not_kept(walle, home, scenario, address):
    done = walle("login", address, stdin="wl_00000000_nonsense\n")
    assert done.status == 3
    assert "Next: make another token" in done.err
    assert not (home / "walle" / "servers.json").exists()


@pytest.mark.parametrize("stdin", ["", "\n", "two words é\n"])
def test_nonsense_is_no_token(walle, stdin):
    assert walle("login", "http://127.0.0.1:1", stdin=stdin).status == 2


def test_who_is_not_signed_in_is_told_how(walle):
    done = walle("release", "list")
    assert done.status == 3
    assert done.err == "walle: not signed in\nNext: sign in with: walle login URL, or set WALLE_URL and WALLE_TOKEN\n"


def test_a_server_that_does_not_answer_is_told(walle, monkeypatch):
    monkeypatch.setenv("WALLE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("WALLE_TOKEN", "wl_x")
    done = walle("status")
    assert done.status == 6
    assert "walle: cannot reach http://127.0.0.1:1" in done.err


def test_variables_of_the_environment_win(tmp_path):
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    place = tmp_path / "walle" / "servers.json"
    Accounts().with_server("https://one", "t1", "a").with_server("https://two", "t2", "b").write(place)
    assert account(environ) == Account("https://two", "t2", str(place))
    assert account({**environ, "WALLE_URL": "https://one/"}) == Account("https://one", "t1", str(place))
    assert account({**environ, "WALLE_TOKEN": "t3"}) == Account("https://two", "t3", "WALLE_TOKEN")
    with pytest.raises(NotSignedIn, match="not signed in to https://three"):
        account({**environ, "WALLE_URL": "https://three"})


def test_another_server_is_the_current_one_after_a_sign_out(tmp_path):
    accounts = Accounts().with_server("https://one", "t1", "a").with_server("https://two", "t2", "b")
    assert accounts.without("https://two").current == "https://one"
    assert accounts.without("https://two").without("https://one").current is None


@pytest.mark.parametrize("text", ["", "[]", '{"current": 1}', '{"current": null, "servers": 3}', "\0"])
def test_a_damaged_file_is_told_and_nothing_is_guessed(tmp_path, text):
    place = tmp_path / "servers.json"
    place.write_text(text)
    with pytest.raises(WrongUsage, match="cannot read"):
        Accounts.read(place)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("walle.example.com", "https://walle.example.com"),
        ("localhost:8000", "http://localhost:8000"),
        ("https://walle.example.com/", "https://walle.example.com"),
        ("http://127.0.0.1:8000/api/v1", "http://127.0.0.1:8000"),
    ],
)
def test_addresses_may_be_said_in_short(text, address):
    assert server_address(text) == address


@pytest.mark.parametrize("text", ["", "https://", "ftp://walle", "https://a?b=c", "https://user:pass@walle"])
def test_other_addresses_are_refused(text):
    with pytest.raises(WrongUsage):
        server_address(text)
