"""`walle login`, `logout` and `status`: the servers and users that a person is signed in with."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from walle.cli import session
from walle.cli.accounts import Accounts, StoredAccount, account, accounts_file, checked_token, server_address
from walle.cli.connection import connected
from walle.cli.declaring import command
from walle.cli.errors import NotSignedIn, WrongUsage
from walle.cli.output import console, done, facts, heading, listing, show

LOCAL = "http://localhost:8000"


app = typer.Typer()


@command(app, "login", "walle login https://walle.example.com", "walle login http://localhost:8000 < token.txt")
def login(
    server: Annotated[str | None, typer.Argument(metavar="[URL]", help="The server; asked for if left out.")] = None,
) -> None:
    """Sign in to a server with an API token.

    Create a token on your account page of the server. It is asked for, or read from standard input, and stored in a
    file that only you can read. Commands use the server that you signed in to last.
    """
    interactive = sys.stdin.isatty()
    place = accounts_file()
    kept = Accounts.read(place)
    if server is None:
        default = session.current().server or os.environ.get("WALLE_URL") or kept.current or LOCAL
        server = typer.prompt("Server", default=default, err=True) if interactive else default
    address = server_address(server)
    _warn_if_open(address)
    token = _token(address, interactive)
    with connected(StoredAccount(address, token, "login")) as client:
        me = client.get("me")
    kept.with_server(address, token, me["username"]).write(place)
    if os.environ.get("WALLE_TOKEN"):
        console().print("WALLE_TOKEN is set and takes precedence: unset it to use this sign-in.", style="yellow")
    show({"server": address, "username": me["username"]}, lambda _: done(f"signed in to {address} as {me['username']}"))


def _token(address: str, interactive: bool) -> str:
    if interactive:
        typer.echo(f"If you have no token, create one on {address}/account.", err=True)
        token = str(typer.prompt("Token", hide_input=True, err=True))
    else:
        token = sys.stdin.readline()
    token = token.strip()
    if not token:
        raise WrongUsage("no token on standard input", "pipe it in, as in: walle login URL < token.txt")
    return checked_token(token)


def _warn_if_open(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        typer.echo(f"Warning: {address} is not encrypted; your token can be read on the network.", err=True)


@command(app, "logout", "walle logout", "walle logout https://walle.example.com")
def logout(
    server: Annotated[
        str | None, typer.Argument(metavar="[URL]", help="The server; the current one if left out.")
    ] = None,
) -> None:
    """Delete the stored token of a server. The token stays valid: revoke it on your account page."""
    place = accounts_file()
    kept = Accounts.read(place)
    address = server_address(server) if server else kept.current
    if not address or address not in kept.servers:
        raise NotSignedIn(f"not signed in{f' to {address}' if address else ''}")
    kept.without(address).write(place)
    show({"server": address}, lambda _: done(f"signed out of {address}"))


@command(app, "status", "walle status", "walle status --json")
def status() -> None:
    """Show where you are signed in, and what you may do there."""
    used = account()
    with connected(used, retries=0) as client:
        me = client.get("me")
    shown = {"server": used.server, "token_from": used.source, **me}
    show(shown, lambda _: _show_status(used, me))


def _show_status(used: StoredAccount, me: Mapping[str, Any]) -> None:
    token = me["token"] or {}
    expires = f", expires {token['expires_at']}" if token.get("expires_at") else ""
    facts(
        {
            "server": used.server,
            "user": me["username"] + (" (site staff)" if me["staff"] else ""),
            "token": f"{token.get('name', '')} {token.get('prefix', '')}…{expires}, from {used.token_origin}",
            "limited to": ", ".join([*token.get("scopes", []), *token.get("permissions", [])]),
        }
    )
    if me["scopes"]:
        heading("Roles")
        columns = {
            "scope": lambda row: row["scope"],
            "roles": lambda row: ", ".join(row["roles"]),
            "may": lambda row: ", ".join(row["permissions"]),
        }
        listing({"results": me["scopes"]}, columns, nothing="")


@command(app, "whoami", "walle whoami")
def whoami() -> None:
    """Print the user name that commands act as."""
    with connected() as client:
        me = client.get("me")
    show(me, lambda found: console().print(found["username"], markup=False))
