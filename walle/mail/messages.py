"""What a message says: the events that a person asked for, as plain text and as simple HTML."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from html import escape
from typing import Any, Final

from walle.mail.kinds import AWAITING, URGENT, MailKind

LONGEST_SUBJECT: Final = 150
LONGEST_REASON: Final = 500
MOST_LISTED: Final = 50
SYSTEM: Final = "system"
_NOT_VISIBLE: Final = re.compile(r"[\s\x00-\x1f\x7f\u2028\u2029]+")
_RELEASE: Final = re.compile(r"(release [0-9]+) of (.+)")
_WORDS: Final[Mapping[str, str]] = {
    "release.roll-back": "was rolled back",
    "release.failing-after-complete": "fails after its release was complete",
    "release.pause": "was paused",
    "release.reject": "was rejected",
    "release.abort": "was aborted",
    "release.approve": "was approved",
    "release.promote": "goes on to its next stage",
    "release.complete": "is complete",
    "release.still-installed": "is still on devices after its rollback",
    "release.withdrawn": "has left all devices after its rollback",
    "version.register": "was registered",
    "version.lift-quarantine": "may be released again",
    "placement.end": "has ended",
    "webhook.disable": "was switched off",
    "member.grant": "from now on",
    "member.change": "from now on",
    "member.revoke": "no longer",
}
_VERBS: Final[Mapping[str, str]] = {
    "create": "was created",
    "revoke": "was revoked",
    "reinstate": "was reinstated",
    "rotate": "was rotated",
    "allow": "is allowed",
    "change": "was changed",
    "withdraw": "was withdrawn",
}
_STYLE: Final = "font-family: sans-serif; font-size: 14px; line-height: 1.5"
_MUTED: Final = "color: #57606a; font-size: 12px"


@dataclass(frozen=True)
class MailEvent:
    """An entry of the audit log for a message; `link` is the page of its object, "" if it has none."""

    kind: MailKind
    action: str
    name: str
    actor: str
    at: datetime
    after: Mapping[str, Any] = field(default_factory=dict)
    link: str = ""

    @property
    def title(self) -> str:
        """What happened, in a line: `camera/digits 1.4.0 was rolled back`."""
        found = _RELEASE.fullmatch(self.name)
        return one_line(f"{found[2] if found else self.name} {self._words}", LONGEST_SUBJECT)

    @property
    def reason(self) -> str:
        """Why, if somebody or something gave a reason."""
        if self.action == "release.still-installed":
            return one_line("{remaining} of {devices} devices, {offline} of them away".format(
                **{name: self.after.get(name, "?") for name in ("remaining", "devices", "offline")}
            ), LONGEST_REASON)  # fmt: skip
        said = self.after.get("reason")
        return one_line(said, LONGEST_REASON) if isinstance(said, str) else ""

    @property
    def _words(self) -> str:
        if self.kind == MailKind.APPROVAL and self.after.get("state") == AWAITING:
            return "waits for approval"
        if self.action == "release.pause" and self.actor == SYSTEM:
            return "is on hold"
        _, _, verb = self.action.partition(".")
        return _WORDS.get(self.action) or _VERBS.get(verb) or f"({re.sub('[-_]', ' ', verb)})"


@dataclass(frozen=True)
class MailContext:
    """Whom a message is for: their name and time zone, and the addresses that each message ends with."""

    name: str
    zone: tzinfo
    account: str
    unsubscribe: str
    overview: str


@dataclass(frozen=True)
class ComposedMail:
    subject: str
    text: str
    html: str


def one_line(text: str, longest: int) -> str:
    """Return a text without line breaks and invisible characters, fit for a header."""
    shown = _NOT_VISIBLE.sub(" ", text[: 4 * longest]).strip()
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def compose_digest(events: Sequence[MailEvent], context: MailContext) -> ComposedMail:
    """Compose the message of some events, urgent ones first, each kind by its time."""
    ordered = sorted(events, key=lambda each: (each.kind not in URGENT, each.at))
    listed, left = ordered[:MOST_LISTED], len(ordered) - MOST_LISTED
    rest = [f"and {left} more: {context.overview}"] if left > 0 else []
    text = "\n\n".join([*("\n".join(_lines(each, context)) for each in listed), *rest, _footer(context)])
    items = "".join(_item(each, context) for each in listed)
    more = f'<p>and {left} more: <a href="{escape(context.overview)}">the overview</a></p>' if left > 0 else ""
    return ComposedMail(_subject(ordered), f"{text}\n", _page(f"{items}{more}", context))


def compose_note(subject: str, paragraphs: Sequence[str], link: str, context: MailContext) -> ComposedMail:
    """Compose a message that is no event, with a link."""
    text = "\n\n".join([f"Hello {context.name},", *paragraphs, *([link] if link else [])])
    html = "".join(f"<p>{escape(each)}</p>" for each in paragraphs)
    html += f'<p><a href="{escape(link)}">{escape(link)}</a></p>' if link else ""
    body = f'<div style="{_STYLE}"><p>Hello {escape(context.name)},</p>{html}</div>'
    return ComposedMail(f"[Walle] {one_line(subject, LONGEST_SUBJECT)}", f"{text}\n", body)


def _subject(events: Sequence[MailEvent]) -> str:
    first = events[0].title
    more = f", and {len(events) - 1} more" if len(events) > 1 else ""
    return f"[Walle] {one_line(first, LONGEST_SUBJECT - len(more))}{more}"


def _about(event: MailEvent, context: MailContext) -> str:
    """Return who or what did it, and when."""
    found = _RELEASE.fullmatch(event.name)
    by = "by itself" if event.actor == SYSTEM else f"by {one_line(event.actor, LONGEST_SUBJECT)}"
    at = event.at.astimezone(context.zone)
    return f"{f'{found[1]}, ' if found else ''}{by}, {at:%Y-%m-%d %H:%M:%S} {at.tzname()}"


def _lines(event: MailEvent, context: MailContext) -> list[str]:
    said = [event.reason, _about(event, context), event.link]
    return [event.title, *(f"  {line}" for line in said if line)]


def _item(event: MailEvent, context: MailContext) -> str:
    title = escape(event.title)
    head = f'<a href="{escape(event.link)}">{title}</a>' if event.link else title
    reason = f"{escape(event.reason)}<br>" if event.reason else ""
    about = f'<span style="{_MUTED}">{escape(_about(event, context))}</span>'
    return f"<p><strong>{head}</strong><br>{reason}{about}</p>"


def _footer(context: MailContext) -> str:
    return f"-- \nYou asked for these messages: {context.account}\nTurn all of them off: {context.unsubscribe}"


def _page(items: str, context: MailContext) -> str:
    links = (
        f'<a href="{escape(context.account)}">You asked for these messages</a> · '
        f'<a href="{escape(context.unsubscribe)}">Turn all of them off</a>'
    )
    return f'<div style="{_STYLE}">{items}<p style="{_MUTED}">{links}</p></div>'
