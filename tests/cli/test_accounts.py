"""Where one is signed in: the file, what wins over it, and how addresses may be said."""

from __future__ import annotations

import pytest

from walle.cli import session
from walle.cli.accounts import Accounts, StoredAccount, account, server_address
from walle.cli.errors import NotSignedIn, WrongUsage


@pytest.fixture
def options():
    """The options of a command, as they were after it."""
    session.begin()
    yield session.current()
    session.begin()


def test_variables_of_the_environment_win(tmp_path):
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    place = tmp_path / "walle" / "servers.json"
    Accounts().with_server("https://one", "t1", "a").with_server("https://two", "t2", "b").write(place)
    file = str(place)
    assert account(environ) == StoredAccount("https://two", "t2", file, file)
    assert account({**environ, "WALLE_URL": "https://one/"}) == StoredAccount("https://one", "t1", file, "WALLE_URL")
    assert account({**environ, "WALLE_TOKEN": "t3"}) == StoredAccount("https://two", "t3", "WALLE_TOKEN", file)
    with pytest.raises(NotSignedIn, match="not signed in to https://three"):
        account({**environ, "WALLE_URL": "https://three"})


def test_options_win_over_variables(tmp_path, options):
    file = tmp_path / "token.txt"
    file.write_text(" wl_x\n")
    options.server, options.token_file = "one", str(file)
    environ = {"XDG_CONFIG_HOME": str(tmp_path), "WALLE_URL": "https://two", "WALLE_TOKEN": "t"}
    used = account(environ)
    assert used == StoredAccount("https://one", "wl_x", f"--token-file {file}", "--server")
    assert used.token_origin == f"the option --token-file {file}"


@pytest.mark.parametrize("content", [b"", b" \n", b"x" * 2000, b"a\nb", b"\xff", None])
def test_a_file_without_a_token_is_told(tmp_path, options, content):
    file = tmp_path / "token.txt"
    if content is not None:
        file.write_bytes(content)
    options.server, options.token_file = "one", str(file)
    with pytest.raises(WrongUsage):
        account({"XDG_CONFIG_HOME": str(tmp_path)})


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
