"""Connect commands to the client. HTTP loads slowly, so only the commands that need it load it."""

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
    """Return a client for the account that is signed in, or for another one; options are those of Client."""
    from walle.cli.client import ApiClient

    with ApiClient(used or account(), **options) as client:
        yield client


def path(*names: object) -> str:
    """Join names to an address; a name may be `scenario/task`."""
    return "/".join(quote(str(name), safe="/") for name in names)
