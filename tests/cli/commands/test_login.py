"""Signing in: a token that works is kept, where nobody else can read it, and never shown."""

from __future__ import annotations

import json
import stat

import pytest

from tests.support.people import make_member, token_of


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
    assert "Next: create another token" in done.err
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
