"""Whom a release is about, in the words of its sentences: devices, or the callers of a pipeline (docs/adr/0027)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from walle.protocol.kinds import PIPELINE


@dataclass(frozen=True)
class Subjects:
    """The words for one subject and for several, and for what they do where that differs.

    `silent` is what one did that was selected and not heard of again; `vouch` says how somebody can vouch for new ones.
    """

    one: str
    many: str
    silent: str
    vouch: str


DEVICES: Final = Subjects(
    "device",
    "devices",
    "did not check in again",
    "have the app's backend vouch for devices (docs/guides/app-keys.md)",
)
CALLERS: Final = Subjects(
    "caller",
    "callers",
    "did not call again",
    "have a service with an API token ask for them (docs/guides/pipeline-releases.md)",
)


def subjects_of(kind: str) -> Subjects:
    """Return whom a release of a task of this kind is about."""
    return CALLERS if kind == PIPELINE else DEVICES
