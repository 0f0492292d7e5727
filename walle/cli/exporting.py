"""Write exported features into a file: as they arrive, from where an earlier export of the same file ended."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from walle.cli import humanize
from walle.cli.errors import ServerUnreachable, WrongUsage

if TYPE_CHECKING:
    from walle.cli.client import ApiClient

ADDRESS: Final = "features/export"
UNTIL: Final = "walle-until"
"""The header with the cursor up to which an export goes: the next one begins there."""
ATTEMPTS: Final = 5
"""How often an export goes on after a lost connection without anything new having come."""
_LAST_BYTES: Final = 4 << 20
"""Where the last line of a file is looked for: more than the longest feature takes."""


@dataclass
class ExportedFeatures:
    """What an export wrote: the number of features, where the file's format tells it, its bytes, where to go on."""

    bytes: int = 0
    features: int | None = None
    next: str | None = None


Tell = Callable[[str], None]


def export_lines(
    client: ApiClient, into: Path, query: Mapping[str, Any], *, resume: bool, tell: Tell
) -> ExportedFeatures:
    """Write features as JSON, one per line; after a lost connection go on behind the last whole line.

    With `resume` go on behind the last whole line of a file that is there. Raises WrongUsage for one that no export
    wrote, Refused, Unreachable.
    """
    import httpx

    found = ExportedFeatures(features=0, next=last_cursor(into) if resume else query.get("cursor"))
    failures = 0
    with into.open("ab" if resume else "xb") as file:
        if resume:
            _drop_torn_line(file, into)
        while True:
            before = found.features
            try:
                with client.streamed(ADDRESS, {**query, "cursor": found.next}) as response:
                    until = response.headers.get(UNTIL)
                    for line in _whole_lines(response.iter_bytes()):
                        file.write(line)
                        found.bytes += len(line)
                        found.features = (found.features or 0) + 1
                        found.next = _cursor_of(line)
                        if found.features % 500 == 0:
                            tell(_progress(found))
            except httpx.TransportError as error:
                failures = 1 if found.features != before else failures + 1
                if failures == ATTEMPTS:
                    raise _lost(client, error, f"go on with --resume: {into} has what came until then") from error
                continue
            found.next = until or found.next
            return found


def export_parquet(client: ApiClient, into: Path, query: Mapping[str, Any], *, tell: Tell) -> ExportedFeatures:
    """Write features as one Parquet file, which appears once it is whole; raises RequestRefused, ServerUnreachable."""
    import httpx

    found = ExportedFeatures()
    with _appearing(into) as file:
        try:
            with client.streamed(ADDRESS, query) as response:
                found.next = response.headers.get(UNTIL)
                for piece in response.iter_bytes():
                    file.write(piece)
                    found.bytes += len(piece)
                    tell(_progress(found))
        except httpx.TransportError as error:
            raise _lost(client, error, "begin again: half a Parquet file cannot be read") from error
    return found


def last_cursor(path: Path) -> str | None:
    """Return the cursor of the last whole line of an exported file; None for a file without one."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LAST_BYTES))
            lines = file.read().split(b"\n")[:-1]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WrongUsage(f"cannot read {path}: {error.strerror}") from error
    if not lines:
        return None
    try:
        return _cursor_of(lines[-1])
    except ValueError as error:
        raise WrongUsage(f"cannot go on with {path}: expected lines of an export, found {lines[-1][:60]!r}") from error


def _cursor_of(line: bytes) -> str:
    try:
        return str(json.loads(line)["cursor"])
    except (KeyError, TypeError) as error:
        raise ValueError("a line without a cursor") from error


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines with their ends; the torn one that a lost connection leaves is left out."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line + b"\n"


def _drop_torn_line(file: BinaryIO, path: Path) -> None:
    """Cut off what follows the last line end."""
    size = file.tell()
    with path.open("rb") as read:
        read.seek(start := max(0, size - _LAST_BYTES))
        file.truncate(start + read.read().rfind(b"\n") + 1)


@contextmanager
def _appearing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets its name when it is whole; one that is not is removed."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as file:
            yield file
        os.link(partial, path)
    except FileExistsError as error:
        raise WrongUsage(f"{path} is there already: name another file") from error
    finally:
        partial.unlink(missing_ok=True)


def _lost(client: ApiClient, error: Exception, hint: str) -> ServerUnreachable:
    return ServerUnreachable(f"lost {client.account.server}: {error or type(error).__name__}", hint)


def _progress(found: ExportedFeatures) -> str:
    size = humanize.size(found.bytes)
    return size if found.features is None else f"{humanize.count(found.features, 'feature')}, {size}"
