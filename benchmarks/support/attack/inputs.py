"""The inputs of the attack: one HTTP request, or the frames of one socket; those with a fault are written to a file."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Request:
    """An HTTP request. `target` is path and query as in the request line."""

    method: str
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""

    def wire(self) -> bytes:
        """Return the bytes of HTTP/1.1; Content-Length is added only if no header states a length."""
        headers = [(b"host", b"127.0.0.1"), *self.headers]
        names = {name.lower() for name, _ in headers}
        if (self.body or self.method in ("POST", "PUT", "PATCH")) and not names & {
            b"content-length",
            b"transfer-encoding",
        }:
            headers.append((b"content-length", b"%d" % len(self.body)))
        lines = [b"%b %b HTTP/1.1" % (self.method.encode(), self.target), *(b"%b: %b" % header for header in headers)]
        return b"\r\n".join(lines) + b"\r\n\r\n" + self.body

    def smaller(self) -> Iterator[Request]:
        """Yield the same request with something left out, most first."""
        if self.body:
            half = len(self.body) // 2
            yield from (replace(self, body=part) for part in (b"", self.body[:half], self.body[half:]))
        for place in range(len(self.headers)):
            yield replace(self, headers=self.headers[:place] + self.headers[place + 1 :])
        for place, (name, value) in enumerate(self.headers):
            for part in (value[: len(value) // 2], value[len(value) // 2 :]):
                if part != value:
                    yield replace(self, headers=(*self.headers[:place], (name, part), *self.headers[place + 1 :]))

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "target": _text(self.target),
            "headers": [[_text(name), _text(value)] for name, value in self.headers],
            "body": base64.b64encode(self.body).decode(),
        }


@dataclass(frozen=True)
class Frames:
    """The messages of one socket; bytes are binary frames."""

    frames: tuple[str | bytes, ...]

    def smaller(self) -> Iterator[Frames]:
        half = len(self.frames) // 2
        if half:
            yield from (Frames(self.frames[:half]), Frames(self.frames[half:]))
        for place in range(len(self.frames) if 1 < len(self.frames) <= 16 else 0):
            yield Frames(self.frames[:place] + self.frames[place + 1 :])

    def to_dict(self) -> dict[str, Any]:
        return {"frames": [frame if isinstance(frame, str) else {"binary": _text(frame)} for frame in self.frames]}


Input = Request | Frames


@dataclass(frozen=True)
class Fault:
    """The effect of an input: the endpoint it was sent to, and a description of the fault."""

    endpoint: str
    what: str
    input: Input

    def write(self, folder: Path, seed: int, number: int) -> Path:
        """Write it as JSON; body as base64, other bytes as latin-1 text."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{seed}-{self.endpoint}-{number}.json"
        document = {"seed": seed, "endpoint": self.endpoint, "what": self.what, **self.input.to_dict()}
        path.write_text(json.dumps(document, indent=1) + "\n")
        return path


def _text(data: bytes) -> str:
    return data.decode("latin-1")
