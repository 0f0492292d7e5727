"""The way from commands to the client. HTTP takes long to load, so it is loaded by the commands that need it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from walle.cli.accounts import StoredAccount, account

if TYPE_CHECKING:
    from walle.cli.client import ApiClient


@contextmanager
def connected(used: StoredAccount | None = None, **options: Any) -> Iterator[ApiClient]:
    """A client for the server where one is signed in, or for another account; options are those of Client."""
    from walle.cli.client import ApiClient

    with ApiClient(used or account(), **options) as client:
        yield client


def path(*names: object) -> str:
    """An address out of names, each of which may be `scenario/task`."""
    return "/".join(quote(str(name), safe="/") for name in names)
