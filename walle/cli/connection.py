"""Connect commands to the client. HTTP loads slowly, so only the commands that need it load it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from walle.cli.accounts import Account, account

if TYPE_CHECKING:
    from walle.cli.client import Client


@contextmanager
def connected(used: Account | None = None, **options: Any) -> Iterator[Client]:
    """Return a client for the account that is signed in, or for another one; options are those of Client."""
    from walle.cli.client import Client

    with Client(used or account(), **options) as client:
        yield client


def path(*names: object) -> str:
    """Join names to an address; a name may be `scenario/task`."""
    return "/".join(quote(str(name), safe="/") for name in names)
