"""The servers and tokens of a person, stored in a file that only they can read.

The file is `walle/servers.json` below XDG_CONFIG_HOME (or ~/.config): `{"current": URL, "servers": {URL: {"token",
"username"}}}`. WALLE_URL overrides the current server, WALLE_TOKEN the token; `--server` and `--token-file` do so
before them.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

from walle.cli import session
from walle.cli.errors import NotSignedIn, WrongUsage

_LONGEST_TOKEN: Final = 1000
_TOKEN_START: Final = re.compile(r"(wl_[0-9a-f]{8})_")


@dataclass(frozen=True)
class StoredAccount:
    """A server and one person's token for it."""

    server: str
    token: str = field(repr=False)
    source: str
    """The place of the token: WALLE_TOKEN, `--token-file FILE`, `login`, or the path of the file of accounts."""
    server_source: str = ""

    @property
    def token_origin(self) -> str:
        """Return where the token is from, for people."""
        return origin(self.source)

    @property
    def token_start(self) -> str:
        """Return the beginning of the token, which is no secret and names it in lists; "" of what is no token."""
        found = _TOKEN_START.match(self.token)
        return f"{found[1]}…" if found else ""


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
    """Return the account that commands use: of the options, else the environment, else the file; raises NotSignedIn."""
    options, place = session.current(), accounts_file(environ)
    kept = Accounts.read(place)
    server, server_source = _first(
        (options.server, "--server"),
        (environ.get("WALLE_URL", "").strip(), "WALLE_URL"),
        (kept.current or "", str(place)),
    )
    if not server:
        raise NotSignedIn("not signed in", "sign in with: walle login URL, or set WALLE_URL and WALLE_TOKEN")
    server = server_address(server)
    given = _token_of(options.token_file) if options.token_file else ""
    stored = kept.servers.get(server, {}).get("token", "")
    token, source = _first(
        (given, f"--token-file {options.token_file}"),
        (environ.get("WALLE_TOKEN", "").strip(), "WALLE_TOKEN"),
        (stored, str(place)),
    )
    if not token:
        raise NotSignedIn(f"not signed in to {server}", f"sign in with: walle login {server}, or set WALLE_TOKEN")
    return StoredAccount(server, token, source, server_source)


def _first(*found: tuple[str, str]) -> tuple[str, str]:
    """Return the first value that there is, with its source."""
    return next((each for each in found if each[0]), ("", ""))


def _token_of(name: str) -> str:
    try:
        with open(name, encoding="utf-8") as file:
            token = file.read(_LONGEST_TOKEN + 1).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"cannot read the token in {name}: {error}") from error
    if not token or len(token) > _LONGEST_TOKEN:
        raise WrongUsage(f"expected a token in {name}, and nothing else")
    return checked_token(token)


def checked_token(token: str) -> str:
    """Return a token that may be sent; raises WrongUsage."""
    if not token.isascii() or not token.isprintable():
        raise WrongUsage("not a token: expected wl_ and letters and digits")
    return token


def origin(source: str) -> str:
    """Return where a value is from, for people: a source is a variable, an option or the path of a file."""
    if source in ("WALLE_TOKEN", "WALLE_URL"):
        return f"the environment variable {source}"
    if source.startswith("--"):
        return f"the option {source}"
    return "what you entered" if source == "login" else f"the file {source}"


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
