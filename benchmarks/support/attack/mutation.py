"""Mutates inputs, structure and bytes alike. The same seed and the same inputs yield the same mutations."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from benchmarks.support.attack.inputs import Frames, Request

OVERSIZED: Final = 70_000
FLOOD: Final = 1500
HUGE: Final = (b"9" * 400, b"-1", b"1e999", b"18446744073709551616", b"9" * 5000, b"0x10", b"NaN", b"1.0")
ODD_TEXTS: Final = (
    "",
    "\0",
    "\ud800",
    "\u202e\U0001f4a9",
    "é" * 300,
    "../" * 40,
    "x" * 5000,
    "%00",
    "' OR 1=1 --",
    "\n",
)
ODD_BYTES: Final = (b"\0", b"\xff\xfe", b'"', b";", b",", b"%00", b"=?:", b"\xf0\x9f\x92\xa9", b"(" * 200, b":" * 99)
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "X" * 30)


class Mutator:
    """Mutates valid inputs. With `legal`, results are such as a server would pass on: in process there is none."""

    def __init__(self, seed: int, *, legal: bool) -> None:
        self._random = random.Random(seed)
        self._legal = legal

    def request(self, seeds: Sequence[Request]) -> Request:
        """Return one of the seed requests with one to three mutations."""
        rng = self._random
        found = rng.choice(seeds)
        for _ in range(rng.choice((1, 1, 2, 3))):
            found = rng.choice(_REQUEST)(self, found)
        return self._handed_on(found) if self._legal else found

    def frames(self, seeds: Sequence[str], count: int) -> Frames:
        """Return the messages of one socket, most of them mutated."""
        return Frames(tuple(self._frame(self._random.choice(seeds)) for _ in range(count)))

    def _frame(self, text: str) -> str | bytes:
        rng = self._random.random()
        if rng < 0.1:
            return text
        if rng < 0.5:
            return self._document(text.encode()).decode("utf-8", "replace")
        data = self._bytes(text.encode())
        return data if rng > 0.95 else data.decode("utf-8", "replace")

    # Parts of a request.

    def _headers(self, request: Request) -> Request:
        rng, headers = self._random, list(request.headers)
        kind = rng.random()
        if not headers or kind < 0.05:
            headers.append((b"x-" + self._bytes(b"name"), self._bytes(b"value")))
        place = rng.randrange(len(headers))
        name, value = headers[place]
        if kind < 0.6:
            headers[place] = name, self._bytes(value)
        elif kind < 0.7:
            headers.insert(rng.randrange(len(headers)), (name, self._bytes(value)))
        elif kind < 0.8:
            del headers[place]
        elif kind < 0.9:
            headers[place] = name, headers[rng.randrange(len(headers))][1]
        elif kind < 0.985:
            headers += [(name, value)] * rng.randrange(2, 40)
        elif kind < 0.995:
            headers += [(b"x-flood-%d" % number, b"1") for number in range(rng.randrange(FLOOD))]
        else:
            headers[place] = name, value + rng.choice((b"x", b'"', b";a=1", b"\xe9")) * rng.randrange(OVERSIZED)
        return replace(request, headers=tuple(headers))

    def _lengths(self, request: Request) -> Request:
        value = self._random.choice((*HUGE, b"0", b"1", b"%d" % (len(request.body) + 1), b"", b"+5", b"5, 6"))
        name = self._random.choice((b"content-length", b"transfer-encoding", b"content-length"))
        value = self._random.choice((b"chunked", b"gzip, chunked", value)) if name == b"transfer-encoding" else value
        return replace(request, headers=(*request.headers, (name, value)))

    def _target(self, request: Request) -> Request:
        rng, target = self._random, request.target
        parts = target.split(b"/")
        # Below /walle/v1/ is the gateway; elsewhere Django answers 404, a hundred times more slowly.
        first = 3 if target.startswith(b"/walle/v1/") else 1
        place = rng.randrange(first, len(parts)) if len(parts) > first else 0
        odd = rng.choice(
            (b"..", b"%2e%2e", b"%00", b"%ff", b"", b"x" * rng.randrange(4000), *HUGE[:5], b"%", b"?a=1&&=%")
        )
        parts[place] = rng.choice((odd, parts[place] + odd, self._bytes(parts[place])))
        return replace(request, target=b"/".join(parts) or b"/")

    def _query(self, request: Request) -> Request:
        path, _, query = request.target.partition(b"?")
        odd = self._random.choice((b"limit=", b"cursor=", b"q=", b"since=", b"rule=", b"service=", b"fact.a="))
        odd += self._random.choice((*HUGE, b"%00", b"%ff", b"[" * 500, b"%ED%A0%80"))
        return replace(request, target=path + b"?" + (self._bytes(query) + b"&" if query else b"") + odd)

    def _method(self, request: Request) -> Request:
        return replace(request, method=self._random.choice(METHODS))

    def _body(self, request: Request) -> Request:
        rng = self._random.random()
        if rng < 0.6:
            return replace(request, body=self._document(request.body))
        if rng < 0.999:
            return replace(request, body=self._bytes(request.body))
        return replace(request, body=request.body + b" " * (2 << 20))

    # Bytes and documents.

    def _bytes(self, data: bytes) -> bytes:
        rng = self._random
        place = rng.randrange(len(data) + 1)
        end = min(len(data), place + rng.randrange(1, 24))
        before, part, rest = data[:place], data[place:end], data[end:]
        return before + rng.choice(_BYTES)(rng, part) + rest if rng.random() < 0.85 else before

    def _document(self, data: bytes) -> bytes:
        """Return JSON with another value in one place; bytes that are not JSON are mutated as bytes."""
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            return self._bytes(data)
        kind = self._random.random()
        if kind < 0.03:
            return (b"[" * self._random.choice((50, 2000, 100_000))) + data
        if kind < 0.06:
            return data.replace(b"{", b'{"a":1,"a":[],', 1)
        try:
            text = json.dumps(self._replaced(document))
        except RecursionError:  # it was spoilt before
            return data
        return text.replace('"HUGE"', self._random.choice(HUGE).decode()).encode("utf-8", "surrogatepass")

    def _replaced(self, value: Any) -> Any:
        rng = self._random
        if isinstance(value, dict) and value and rng.random() < 0.9:
            name = rng.choice(sorted(value))
            if rng.random() < 0.1:
                return {key: each for key, each in value.items() if key != name}
            if rng.random() < 0.1:
                return {**value, rng.choice(ODD_TEXTS): value[name]}
            return {**value, name: self._replaced(value[name])}
        if isinstance(value, list) and value and rng.random() < 0.8:
            place = rng.randrange(len(value))
            if rng.random() < 0.1:
                return value * rng.choice((2, 300))
            return [*value[:place], self._replaced(value[place]), *value[place + 1 :]]
        return rng.choice(_ODD_VALUES)(rng)

    def _handed_on(self, request: Request) -> Request:
        """Return the request without what no server accepts as HTTP, such as control characters and invalid names."""
        headers = [
            (name.lower().translate(None, _NO_TOKEN), value.translate(None, _CONTROLS).strip(b" \t"))
            for name, value in request.headers
        ]
        target = b"/" + request.target.translate(None, _NO_TARGET).lstrip(b"/")
        return replace(request, target=target, headers=tuple(header for header in headers if header[0]))


_BYTES: Final[tuple[Callable[[random.Random, bytes], bytes], ...]] = (
    lambda rng, part: bytes([part[0] ^ (1 << rng.randrange(8))]) + part[1:] if part else b"",
    lambda rng, part: b"",
    lambda rng, part: part * rng.choice((2, 3, 50)),
    lambda rng, part: rng.choice(ODD_BYTES) + part,
    lambda rng, part: rng.choice(HUGE),
    lambda rng, part: rng.randbytes(rng.randrange(1, 9)),
)
"""The possible replacements of some bytes."""
_CONTROLS: Final = bytes([*range(9), *range(10, 32), 127])
_TOKEN: Final = b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
_NO_TOKEN: Final = bytes(each for each in range(256) if each not in _TOKEN)
_NO_TARGET: Final = bytes([*range(33), ord("#"), *range(127, 256)])
_ODD_VALUES: Final[tuple[Callable[[random.Random], Any], ...]] = (
    lambda rng: None,
    lambda rng: rng.choice((True, False, 0, -1, 2**31, 2**53, 2**63, 2**64, 10**30, 0.5, -0.0, 1e308)),
    lambda rng: "HUGE",
    lambda rng: rng.choice(ODD_TEXTS),
    lambda rng: rng.choice(([], {}, [[]], {"": {}}, [None] * 50)),
    lambda rng: _nested(rng.choice((5, 60, 200))),
)
_REQUEST: Final[tuple[Callable[[Mutator, Request], Request], ...]] = (
    *[Mutator._headers] * 5,
    *[Mutator._body] * 4,
    Mutator._target,
    Mutator._query,
    Mutator._method,
    Mutator._lengths,
)


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = {"all": [value]}
    return value
