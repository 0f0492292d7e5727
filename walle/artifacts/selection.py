"""The part of an immutable file that a request selects: preconditions and ranges of RFC 9110, sections 13 and 14.

Entity tags are strong and there is no Last-Modified, so that conditions on dates never hold and are ignored.
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
    """The header fields of an ASGI request; several lines of one field are joined as a list."""

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._headers = list(headers)

    def get(self, name: bytes) -> str | None:
        lines = [value for field, value in self._headers if field == name]
        return b", ".join(lines).decode("latin-1").strip(" \t") if lines else None


def select(method: str, fields: RequestFields, etag: str, size: int) -> ContentSelection:
    """Evaluate a GET or HEAD of a file, in the order of RFC 9110 section 13.2.2.

    `etag` is the strong entity tag with its quotes, `size` that of the file in bytes.
    """
    complete = range(size)
    if_match, if_none_match = fields.get(b"if-match"), fields.get(b"if-none-match")
    if if_match is not None and not _contains_tag(if_match, etag, weak=False):
        return ContentSelection(412, range(0))
    if if_none_match is not None and _contains_tag(if_none_match, etag, weak=True):
        return ContentSelection(304, range(0))
    selected = byte_range(fields.get(b"range") or "", size)
    # Range is defined for GET alone; If-Range requires the same tag (13.1.5), which a date never is.
    if method != "GET" or selected is None or fields.get(b"if-range") not in (None, etag):
        return ContentSelection(200, complete)
    return ContentSelection(206 if selected else 416, selected)


def byte_range(field: str, size: int) -> range | None:
    """Return the bytes of a file that a Range field selects.

    It is empty if the range cannot be satisfied, and None if it is to be ignored: malformed, in another unit, or of
    several ranges (which a server may answer with the complete file, section 14.2).
    """
    match = _BYTE_RANGE.fullmatch(field)
    if match is None:
        return None
    first, last, suffix = match.groups()
    if suffix is not None:
        # A suffix of an empty file is satisfiable though it has no byte (14.1.2): answer with the complete file.
        return None if size == 0 and int(suffix) else range(max(0, size - int(suffix)), size)
    if last and int(last) < int(first):
        return None
    return range(int(first), min(int(last) + 1, size) if last else size)


def _contains_tag(field: str, etag: str, *, weak: bool) -> bool:
    """Return whether a list of entity tags, or *, contains `etag`; if `weak`, weak tags match (section 8.8.3.2)."""
    if field == "*":
        return True
    return any(tag == etag and (weak or not mark) for mark, tag in _ENTITY_TAG.findall(field))
