"""What a run's outputs become before they go up: chosen by the manifest, and written down for the spool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Self

from walle.device.storage.state import Installation
from walle.protocol.documents import Manifest
from walle.protocol.headers import SHORT_DIGEST_BYTES, short_digest
from walle.protocol.tunnel_frames import MAX_ANSWER_MS, MAX_FEATURE, MAX_TIME_MS
from walle.protocol.tunnel_messages import write_values

MAX_BODY: Final = MAX_FEATURE - 1024
"""The most bytes of a feature's values as JSON: what cannot be compressed still fits into a frame."""


class OutputRefused(Exception):
    """Outputs that cannot go up; the text says why."""


class UploadedRun(NamedTuple):
    """The chosen outputs of one run, in memory. Times are in Unix milliseconds; `answer_ms` is 0 if none is awaited.

    An answer is awaited until `answer_by`, in Unix seconds.
    """

    task: str
    manifest: bytes
    at_ms: int
    tracked_ms: int
    answer_ms: int
    answer_by: float
    values: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        installed: Installation,
        manifest: Manifest,
        output: Mapping[str, Any],
        *,
        at: float,
        tracked_at: float,
        now: float,
    ) -> Self | None:
        """Return what goes up of a run's output, None for nothing.

        `at` is when the run began and `tracked_at` when what triggered it happened, in Unix seconds. The manifest says
        in `upload` which outputs go up, and by which of them it is decided whether any do. A task that sees private
        contents never uploads.
        """
        upload, stream = manifest.values.get("upload"), manifest.values.get("stream")
        private = isinstance(stream, Mapping) and stream.get("private") is True
        if not isinstance(upload, Mapping) or private:
            return None
        if (when := upload.get("when")) is not None and output.get(when) is not True:
            return None
        names = upload.get("outputs")
        values = {name: output[name] for name in (output if names is None else names) if name in output}
        answer_ms = min(MAX_ANSWER_MS, max(0, int(upload.get("answer_ms") or 0)))
        digest = short_digest(installed.manifest)
        answer_by = now + answer_ms / 1000
        return cls(installed.task, digest, _ms(at), _ms(tracked_at), answer_ms, answer_by, values) if values else None

    def spooled(self) -> SpooledFeature:
        """Return it as it is kept on the disk. Raises OutputRefused."""
        try:
            body = write_values(self.values)
        except ValueError as error:
            raise OutputRefused(str(error)) from error
        if len(body) > MAX_BODY:
            raise OutputRefused(f"expected at most {MAX_BODY} bytes of outputs, found {len(body)}")
        return SpooledFeature(self.task, self.manifest, self.at_ms, self.tracked_ms, self.answer_ms, body)


class SpooledFeature(NamedTuple):
    """A feature on the disk: as `UploadedRun`, but its values are JSON, which is compressed when it is sent."""

    task: str
    manifest: bytes
    at_ms: int
    tracked_ms: int
    answer_ms: int
    body: bytes

    def to_bytes(self) -> bytes:
        head = [self.task, self.manifest.hex(), self.at_ms, self.tracked_ms, self.answer_ms]
        return json.dumps(head).encode() + b"\n" + self.body

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what `to_bytes` wrote; raises ValueError for anything else."""
        head, _, body = data.partition(b"\n")
        task, manifest, at_ms, tracked_ms, answer_ms = json.loads(head)
        digest = bytes.fromhex(manifest)
        if len(digest) != SHORT_DIGEST_BYTES:
            raise ValueError(f"expected a short digest, found {manifest}")
        return cls(str(task), digest, int(at_ms), int(tracked_ms), int(answer_ms), body)


def _ms(seconds: float) -> int:
    return min(MAX_TIME_MS, max(0, round(1000 * seconds)))
