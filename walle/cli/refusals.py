"""Say more about a refused request than the server may: where the token is from, and which name is unknown.

The server gives one answer about what is not there and what is not the caller's to see. Which of the names in a request
it is, and which existing one is nearest, is found out here by reading what the caller may see anyway: a few requests,
once, each for a short time. If they fail, the refusal says what it said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from walle.cli.errors import CommandError, RequestRefused
from walle.cli.names import Name, names_in, nearest
from walle.cli.output import warn

if TYPE_CHECKING:
    from walle.cli.accounts import StoredAccount
    from walle.cli.client import ApiClient

TIMEOUT_S: Final = 3.0
"""Seconds that each of these requests may take."""
MOST: Final = 200
"""How many existing names are looked at."""
_NOT_FOUND: Final = 404
_TOKEN_REFUSED: Final = frozenset({"authentication-failed", "not-authenticated"})


def explain(refused: RequestRefused, client: ApiClient) -> None:
    """Add to a refusal where the token is from, or which name is unknown and what is nearest."""
    if refused.code in _TOKEN_REFUSED:
        _name_token(refused, client)
    elif refused.http_status == _NOT_FOUND:
        names = names_in(refused.asked.address, refused.asked.values)
        if (found := _first_unknown(names, client)) is not None:
            _name_unknown(refused, *found)
    elif wrong := {error.get("field", "") for error in refused.errors if "known" in error.get("detail", "")}:
        names = [name for name in names_in("", refused.asked.values) if name.noun in wrong]
        if (found := _first_unknown(names, client)) is not None:
            name, near = found
            refused.hint = _hint(name, near)
            refused.found = {"unknown": name.to_dict(near)}


def warn_of_unknown(values: Mapping[str, Any], client: ApiClient) -> None:
    """Warn where a list is empty because it was asked for an app, a scenario or a task that there is not."""
    found = _first_unknown(names_in("", values), client)
    if found is not None:
        name, near = found
        warn(f"{_there_is_none(name)}{f'; did you mean {near}?' if near else ''}")


def _name_token(refused: RequestRefused, client: ApiClient) -> None:
    used = client.account
    refused.found = {"token_from": used.source}
    if used.source == "login":
        return
    told = " ".join(filter(None, ("the token", used.token_start, "is from", used.token_origin)))
    refused.message = f"{refused.message} ({told})"
    refused.hint = f"{_other_token(used)}; tokens are created on your account page"


def _other_token(used: StoredAccount) -> str:
    if used.source == "WALLE_TOKEN":
        return "set another token, or unset WALLE_TOKEN to use the stored one"
    if used.source.startswith("--"):
        return f"put another token into {used.source.partition(' ')[2]}"
    return f"sign in again: walle login {used.server}"


def _name_unknown(refused: RequestRefused, name: Name, near: str) -> None:
    refused.message, refused.hint = _there_is_none(name), _hint(name, near)
    refused.found = {"unknown": name.to_dict(near)}


def _there_is_none(name: Name) -> str:
    return f"there is no {name.noun} {name.name}{name.where}, or it is not yours to see"


def _hint(name: Name, near: str) -> str:
    return (
        f"did you mean {near}? See what there is with: {name.how_to_list}"
        if near
        else f"see what there is with: {name.how_to_list}"
    )


def _first_unknown(names: Iterable[Name], client: ApiClient) -> tuple[Name, str] | None:
    """Return the first of the names that there is not, with the nearest existing one, or ""; None if all are known."""
    try:
        with client.hurried(TIMEOUT_S) as asking:
            for name in names:
                if not _is_known(name, asking):
                    return name, _nearest(name, asking)
    except CommandError:
        return None
    return None


def _is_known(name: Name, client: ApiClient) -> bool:
    try:
        client.get(name.address)
    except RequestRefused as refused:
        if refused.http_status != _NOT_FOUND:
            raise
        return False
    return True


def _nearest(name: Name, client: ApiClient) -> str:
    for query in name.queries:
        rows = client.listed(name.listed, MOST, **query)["results"]
        if near := nearest(name.name, [name.of_row(row) for row in rows]):
            return near
    return ""
