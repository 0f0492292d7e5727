"""The errors of a device.

Two families are reported as failures under their stable `code`: the refusals of this module, and
`walle.protocol.errors` (unsigned, wrong-signature, expired, mixed, rolled-back, document-malformed). `Unreachable` says
nothing about the request: it may be repeated later.
"""

from __future__ import annotations

from typing import ClassVar


class DeviceError(Exception):
    """The base of all errors of a device."""

    code: ClassVar[str] = "device-error"


class Unreachable(DeviceError):
    """The network or the server failed, so that the result of a request is unknown.

    `retry_after` is the number of seconds that the server asked the device to wait, 0 if it did not.
    """

    code = "unreachable"

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class ServerRefused(DeviceError):
    """The server understood the request and refused it; `reason` is its Walle-Error code."""

    code = "server-refused"

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the server answered {status}: {reason}")
        self.status = status
        self.reason = reason


class StoreBusy(DeviceError):
    """Another process works in this device directory."""

    code = "store-busy"


class Refusal(DeviceError):
    """An offer or a file was refused; it would be refused again."""

    code = "refused"


class RootRefused(Refusal):
    """A root of trust is not a valid successor of the trusted one."""

    code = "root-refused"


class DigestMismatch(Refusal):
    """The content does not have the signed digest."""

    code = "digest-mismatch"


class TooLarge(Refusal):
    """The content is longer than declared."""

    code = "too-large"


class Missing(Refusal):
    """The server does not have a file that the manifest names."""

    code = "missing"


class BadAddress(Refusal):
    """An offer contains an invalid address."""

    code = "bad-address"


class RequirementUnmet(Refusal):
    """This device lacks something that the task requires."""

    code = "requirement-unmet"


class PutOffForNow(DeviceError):
    """The app said that now is not the moment for an offer that may wait."""

    code = "put-off"

    def __init__(self, reason: str, until: float) -> None:
        super().__init__(f"not now: {reason}")
        self.reason, self.until = reason, until


class FellBackBefore(Refusal):
    """This version failed here, and the device fell back from it to an older one."""

    code = "fell-back-before"
