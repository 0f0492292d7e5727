"""`walle token`: the API tokens of the user."""

from __future__ import annotations

from typing import Any

from walle.cli import arguments, humanize
from walle.cli.connection import connected
from walle.cli.declaring import command, group
from walle.cli.output import listing, show

app = group("Your API tokens.", name="token")


@command(app, "list", "walle token list")
def list_tokens(limit: arguments.Limit = 30) -> None:
    """List your tokens, revoked ones included. Create tokens on your account page."""
    with connected() as client:
        page = client.listed("tokens", limit)
    columns = {
        "prefix": lambda row: row["prefix"],
        "name": lambda row: row["name"],
        "scopes": lambda row: ", ".join(row["scopes"]),
        "state": _token_state,
        "last_used_at": lambda row: humanize.ago(row["last_used_at"], humanize.now()),
    }
    show(page, lambda _: listing(page, columns, nothing="You have no token.", plain=("last_used_at",)))


def _token_state(row: Any) -> str:
    if row["revoked_at"]:
        return "revoked"
    if row["expires_at"]:
        over = humanize.moment(row["expires_at"]) <= humanize.now()
        return "expired" if over else f"expires {humanize.ago(row['expires_at'], humanize.now())}"
    return "in use"
