"""The kinds of events that people can have by e-mail. Each is made of entries of the audit log, by their actions."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class MailKind(StrEnum):
    APPROVAL = "approval"
    ROLLED_BACK = "rolled-back"
    FAILING = "failing-after-complete"
    HELD = "held"
    REJECTED = "rejected"
    STAGE = "stage"
    COMPLETE = "complete"
    WITHDRAWN = "withdrawn"
    VERSION = "version"
    PLACEMENT = "placement"
    DEVICES = "devices"
    KEYS = "keys"
    DELIVERY = "delivery"
    MEMBERS = "members"
    WEBHOOK = "webhook"


@dataclass(frozen=True)
class KindOfMail:
    """A kind with its words for people; an `urgent` event is mailed at once, others are gathered."""

    kind: MailKind
    title: str
    urgent: bool = False


KINDS: Final = (
    KindOfMail(MailKind.APPROVAL, "A release waits for approval"),
    KindOfMail(MailKind.ROLLED_BACK, "A release is rolled back", urgent=True),
    KindOfMail(MailKind.FAILING, "A complete release fails on too many devices", urgent=True),
    KindOfMail(MailKind.HELD, "A release goes on hold or is paused"),
    KindOfMail(MailKind.REJECTED, "A release is rejected or aborted"),
    KindOfMail(MailKind.STAGE, "A release is approved or goes on to its next stage"),
    KindOfMail(MailKind.COMPLETE, "A release is complete"),
    KindOfMail(MailKind.WITHDRAWN, "How many devices still have a version that was rolled back"),
    KindOfMail(MailKind.VERSION, "A version is registered, or may be released again"),
    KindOfMail(MailKind.PLACEMENT, "A workflow has been placed"),
    KindOfMail(MailKind.DEVICES, "Devices are revoked or reinstated"),
    KindOfMail(MailKind.KEYS, "Keys are made, revoked or rotated"),
    KindOfMail(MailKind.DELIVERY, "A scenario may deliver to an app, or no longer"),
    KindOfMail(MailKind.MEMBERS, "Somebody gets, exchanges or loses a role"),
    KindOfMail(MailKind.WEBHOOK, "A webhook is switched off because its receiver is gone"),
)
URGENT: Final = frozenset(each.kind for each in KINDS if each.urgent)
AWAITING: Final = "awaiting-approval"
"""The state of a release in which it waits for approval, whichever move led there."""
_KIND_OF: Final[Mapping[str, MailKind]] = {
    "release.roll-back": MailKind.ROLLED_BACK,
    "release.failing-after-complete": MailKind.FAILING,
    "release.pause": MailKind.HELD,
    "release.reject": MailKind.REJECTED,
    "release.abort": MailKind.REJECTED,
    "release.approve": MailKind.STAGE,
    "release.promote": MailKind.STAGE,
    "release.complete": MailKind.COMPLETE,
    "release.still-installed": MailKind.WITHDRAWN,
    "release.withdrawn": MailKind.WITHDRAWN,
    "version.register": MailKind.VERSION,
    "version.lift-quarantine": MailKind.VERSION,
    "placement.end": MailKind.PLACEMENT,
    "device.*": MailKind.DEVICES,
    "app.revoke_newcomers": MailKind.DEVICES,
    "app.reinstate_newcomers": MailKind.DEVICES,
    "key.*": MailKind.KEYS,
    "delivery.*": MailKind.DELIVERY,
    "member.*": MailKind.MEMBERS,
    "webhook.disable": MailKind.WEBHOOK,
}


def kind_of(action: str, after: Mapping[str, Any] | None) -> MailKind | None:
    """Return the kind of an entry with this action and these facts; None if nobody is mailed such entries."""
    family, _, _ = action.partition(".")
    if family == "release" and after and after.get("state") == AWAITING:
        return MailKind.APPROVAL
    return _KIND_OF.get(action) or _KIND_OF.get(f"{family}.*")
