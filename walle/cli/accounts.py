"""The servers and tokens of a person, stored in a file that only they can read.

The file is `walle/servers.json` below XDG_CONFIG_HOME (or ~/.config): `{"current": URL, "servers": {URL: {"token",
"username"}}}`. WALLE_URL overrides the current server, WALLE_TOKEN the token.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from walle.cli.errors import NotSignedIn, WrongUsage


@dataclass(frozen=True)
class StoredAccount:
    """A server and one person's token for it."""

    server: str
    token: str = field(repr=False)
    source: str


@dataclass(frozen=True)
class Accounts:
    """The contents of the file."""

    current: str | None = None
    servers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Self:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return cls(found["current"], {url: dict(one) for url, one in found["servers"].items()})
        except FileNotFoundError:
            return cls()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise WrongUsage(f"cannot read {path}: {error}", f"delete it and sign in again: rm {path}") from error

    def with_server(self, url: str, token: str, username: str) -> Self:
        return replace(self, current=url, servers={**self.servers, url: {"token": token, "username": username}})

    def without(self, url: str) -> Self:
        servers = {one: kept for one, kept in self.servers.items() if one != url}
        return replace(
            self, current=next(iter(servers), None) if self.current == url else self.current, servers=servers
        )

    def write(self, path: Path) -> None:
        """Replace the file atomically; nobody else can read it at any moment."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # mkstemp makes it readable for its owner alone.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"current": self.current, "servers": self.servers}, file, indent=2)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise


def accounts_file(environ: Mapping[str, str] = os.environ) -> Path:
    base = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or Path.home(), ".config")
    return Path(base, "walle", "servers.json")


def account(environ: Mapping[str, str] = os.environ) -> StoredAccount:
    """Return the account that commands use; raises NotSignedIn."""
    kept = Accounts.read(accounts_file(environ))
    server = environ.get("WALLE_URL", "").strip() or kept.current
    if not server:
        raise NotSignedIn("not signed in", "sign in with: walle login URL, or set WALLE_URL and WALLE_TOKEN")
    server = server_address(server)
    if token := environ.get("WALLE_TOKEN", "").strip():
        return StoredAccount(server, token, "WALLE_TOKEN")
    if server not in kept.servers:
        raise NotSignedIn(f"not signed in to {server}", f"sign in with: walle login {server}, or set WALLE_TOKEN")
    return StoredAccount(server, kept.servers[server]["token"], str(accounts_file(environ)))


def server_address(text: Any) -> str:
    """Normalize the address of a server: `walle.example` is https://walle.example."""
    given = str(text).strip()
    if "://" not in given:
        local = given.partition(":")[0] in ("localhost", "127.0.0.1")
        given = f"{'http' if local else 'https'}://{given}"
    parts = urlsplit(given.rstrip("/").removesuffix("/api/v1"))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise WrongUsage(f"expected the address of a Walle server, such as https://walle.example.com, found {text}")
    return parts.geturl().rstrip("/")
