"""Which part of an immutable file a request asks for: preconditions and ranges of RFC 9110, sections 13 and 14.

Entity tags are strong and there is no Last-Modified, so conditions on dates never hold and are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ENTITY_TAG = re.compile(r'(W/)?("[^"]*")')
# Eighteen digits are beyond any file; a longer number is ignored with its Range, as any server may do.
_BYTE_RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ContentSelection:
    """The answer to a request: status 200, 206, 304, 412 or 416 and, for the first two, the bytes of the body."""

    status: int
    body: range


class RequestFields:
    """The header fields of an ASGI request; several lines of one field read as one list."""

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._headers = list(headers)

    def get(self, name: bytes) -> str | None:
        lines = [value for field, value in self._headers if field == name]
        return b", ".join(lines).decode("latin-1").strip(" \t") if lines else None


def select(method: str, fields: RequestFields, etag: str, size: int) -> ContentSelection:
    """Judge a GET or HEAD of a file, in the order of RFC 9110 section 13.2.2.

    etag: the strong entity tag with its quotes.  size: of the file in bytes.
    """
    whole = range(size)
    if_match, if_none_match = fields.get(b"if-match"), fields.get(b"if-none-match")
    if if_match is not None and not _lists(if_match, etag, weak=False):
        return ContentSelection(412, range(0))
    if if_none_match is not None and _lists(if_none_match, etag, weak=True):
        return ContentSelection(304, range(0))
    asked = byte_range(fields.get(b"range") or "", size)
    # Range is defined for GET alone; If-Range wants the very same tag (13.1.5), which no date is.
    if method != "GET" or asked is None or fields.get(b"if-range") not in (None, etag):
        return ContentSelection(200, whole)
    return ContentSelection(206 if asked else 416, asked)


def byte_range(field: str, size: int) -> range | None:
    """The bytes that a Range field selects of a file.

    Empty: the range cannot be satisfied. None: to be ignored, because it is malformed, in another unit, or of several
    ranges (which a server may answer with the whole, section 14.2).
    """
    match = _BYTE_RANGE.fullmatch(field)
    if match is None:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        # An empty file has a last byte for nobody, yet the suffix is satisfiable (14.1.2): answer with the whole.
        return None if size == 0 and int(suffix) else range(max(0, size - int(suffix)), size)
    if last and int(last) < int(first):
        return None
    return range(int(first), min(int(last) + 1, size) if last else size)


def _lists(field: str, etag: str, *, weak: bool) -> bool:
    """Whether a list of entity tags, or *, covers `etag`; weak: tags marked weak count too (section 8.8.3.2)."""
    if field == "*":
        return True
    return any(tag == etag and (weak or not mark) for mark, tag in _ENTITY_TAG.findall(field))
