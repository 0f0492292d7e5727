"""What messages say, and that nothing in them breaks a header or a page."""

from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from walle.mail.kinds import KINDS, MailKind, kind_of
from walle.mail.messages import MOST_LISTED, MailContext, MailEvent, compose_digest

NOW = datetime(2026, 5, 7, 12, tzinfo=UTC)
CONTEXT = MailContext("zoe", ZoneInfo("Asia/Tokyo"), "https://w/account", "https://w/unsubscribe/1:x", "https://w/")
ROLLED_BACK = MailEvent(
    kind=MailKind.ROLLED_BACK,
    action="release.roll-back",
    name="release 17 of camera/digits 1.4.0",
    actor="system",
    at=NOW,
    after={"state": "rolled-back", "reason": "9 of 120 devices failed, more than 2 % allow"},
    link="https://w/releases/17",
)
texts = st.text(max_size=300)
anything = st.builds(
    MailEvent,
    kind=st.sampled_from(MailKind),
    action=st.sampled_from(["release.roll-back", "release.still-installed", "key.create", "device.revoke"]),
    name=texts,
    actor=texts,
    at=st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    after=st.dictionaries(st.sampled_from(["reason", "state", "devices"]), texts | st.integers() | st.none()),
    link=st.just("") | st.just("https://w/x?a=1&b='2'"),
)


def test_a_message_in_full():
    complete = MailEvent(
        MailKind.COMPLETE, "release.complete", "release 9 of shop/ipv 2.0.0", "rita", NOW - timedelta(1)
    )
    found = compose_digest([complete, ROLLED_BACK], CONTEXT)
    assert found.subject == "[Walle] camera/digits 1.4.0 was rolled back, and 1 more"
    assert found.text == (
        "camera/digits 1.4.0 was rolled back\n"
        "  9 of 120 devices failed, more than 2 % allow\n"
        "  release 17, by itself, 2026-05-07 21:00:00 JST\n"
        "  https://w/releases/17\n"
        "\n"
        "shop/ipv 2.0.0 is complete\n"
        "  release 9, by rita, 2026-05-06 21:00:00 JST\n"
        "\n"
        "-- \n"
        "You asked for these messages: https://w/account\n"
        "Turn all of them off: https://w/unsubscribe/1:x\n"
    )


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.links = set(), set()

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.links |= {value for name, value in attrs if name == "href"}


@given(st.lists(anything, min_size=1, max_size=MOST_LISTED + 3))
def test_whatever_things_are_called_headers_and_pages_stay_what_they_are(events):
    found = compose_digest(events, CONTEXT)
    EmailMessage()["Subject"] = found.subject
    assert found.subject.isprintable() or not any(c in found.subject for c in "\r\n")
    assert len(found.subject) <= 200
    page = Elements()
    page.feed(found.html)
    assert page.names <= {"div", "p", "strong", "br", "span", "a"}
    assert page.links <= {CONTEXT.account, CONTEXT.unsubscribe, CONTEXT.overview} | {each.link for each in events}
    assert (f"and {len(events) - MOST_LISTED} more" in found.text) == (len(events) > MOST_LISTED)


def test_every_kind_is_offered_and_made_of_something():
    assert [each.kind for each in KINDS] == list(MailKind)
    actions = [
        *("release.roll-back", "release.failing-after-complete", "release.pause", "release.reject", "release.promote"),
        *("release.complete", "release.withdrawn", "version.register", "placement.end", "device.revoke", "key.create"),
        *("delivery.allow", "member.grant", "webhook.disable"),
    ]
    made = [kind_of("release.pass", {"state": "awaiting-approval"}), *(kind_of(action, None) for action in actions)]
    assert made == list(MailKind)
    assert kind_of("release.start", {"state": "simulating"}) is None
    assert kind_of("token.issue", None) is None
