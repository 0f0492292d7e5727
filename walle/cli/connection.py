"""Connect commands to the client. HTTP loads slowly, so only the commands that need it load it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from walle.cli.accounts import StoredAccount, account
from walle.cli.errors import RequestRefused

if TYPE_CHECKING:
    from walle.cli.client import ApiClient


@contextmanager
def connected(used: StoredAccount | None = None, **options: Any) -> Iterator[ApiClient]:
    """Return a client for the account that is signed in, or for another one; options are those of ApiClient.

    A refusal that leaves this context says more than the server could: where the token is from, and which of the names
    is unknown (walle.cli.refusals).
    """
    from walle.cli.client import ApiClient
    from walle.cli.refusals import explain, warn_of_unknown

    with ApiClient(used or account(), **options) as client:
        try:
            yield client
        except RequestRefused as refused:
            explain(refused, client)
            raise
        if client.found_nothing is not None:
            warn_of_unknown(client.found_nothing, client)


def path(*names: object) -> str:
    """Join names to an address; a name may be `scenario/task`."""
    return "/".join(quote(str(name), safe="/") for name in names)
