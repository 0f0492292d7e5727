"""What can go wrong on a device, named from the caller's view.

Two families are reported as failures under their stable `code`: the refusals of this module, and the
`walle.protocol.errors` (unsigned, wrong-signature, expired, mixed, rolled-back, document-malformed).
`Unreachable` is no verdict on anything: the same thing may be tried again later.
"""

from __future__ import annotations

from typing import ClassVar


class DeviceError(Exception):
    """Base of every error of this part."""

    code: ClassVar[str] = "device-error"


class Unreachable(DeviceError):
    """The network or the server failed; nothing is known about what was asked for.

    `retry_after` is the number of seconds that the server asked to be left alone, if it did.
    """

    code = "unreachable"

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class ServerRefused(DeviceError):
    """The server understood the request and would not serve it; `reason` is its Walle-Error code."""

    code = "server-refused"

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the server answered {status}: {reason}")
        self.status = status
        self.reason = reason


class StoreBusy(DeviceError):
    """Another process works in this device directory."""

    code = "store-busy"


class Refusal(DeviceError):
    """An offer or a file was refused; the same offer would be refused again."""

    code = "refused"


class RootRefused(Refusal):
    """A root of trust does not follow from the one trusted now."""

    code = "root-refused"


class DigestMismatch(Refusal):
    """The content is not what was signed."""

    code = "digest-mismatch"


class TooLarge(Refusal):
    """The content is longer than was declared."""

    code = "too-large"


class Missing(Refusal):
    """The server does not have a file that the manifest names."""

    code = "missing"


class BadAddress(Refusal):
    """An offer names an address that is none."""

    code = "bad-address"


class RequirementUnmet(Refusal):
    """This device lacks something that the task requires."""

    code = "requirement-unmet"


class FellBackBefore(Refusal):
    """This version failed here, and the device went back to an older one by itself."""

    code = "fell-back-before"
