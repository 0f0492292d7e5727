"""Publish an app's table: numbered, signed, announced, in one transaction."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import NamedTuple
from zlib import compress

from django.conf import settings
from django.db import transaction

from devices_app.models import App, PastTable, PublishedTable, RegionBase, ServerKey
from devices_app.selectors.tables import read_table
from devices_app.services.keys import active_signer
from devices_app.services.revisions import announce_change, lock_publication
from walle.protocol.canonical import canonical_json
from walle.protocol.signing import sign
from walle.release.decision import CompiledTable
from walle.release.table import Bases, Entry, Table

ASSIGNMENT_LIFETIME = timedelta(days=7)
REFRESH_AFTER = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# How far the clocks of machines that publish may have been ahead of the one that restores a backup.
CLOCKS_APART = timedelta(days=1)


@transaction.atomic
def publish(
    *,
    app: App,
    entries: Iterable[Entry],
    removals: Iterable[str],
    withdrawn: Iterable[tuple[str, str]] = (),
    now: datetime,
) -> PublishedTable:
    """Publish these releases of the app, under the next number."""
    lock_publication()
    return _publish(app, _Content(tuple(entries), tuple(removals), tuple(withdrawn)), now)


@transaction.atomic
def refresh(*, app: App, now: datetime) -> PublishedTable:
    """Publish the same releases again: with new assignments, the app's present settings and active keys."""
    lock_publication()
    present = PublishedTable.objects.filter(app=app).first()
    table = read_table(present) if present else None
    return _publish(app, _Content(table.entries, table.removals, table.withdrawn) if table else _Content(), now)


@transaction.atomic
def skip_table_numbers(*, now: datetime) -> None:
    """Raise the table numbers after a backup was restored, above any that a device may have seen since.

    With correct clocks, no number is more than one per publication above the time in milliseconds, and a publication
    takes longer than that. The gap makes up for clocks that were ahead. The caller publishes all tables next, in the
    same transaction: what is stored under the new numbers still contains the old ones.
    """
    lock_publication()
    margin = _milliseconds(CLOCKS_APART)
    for published in PublishedTable.objects.all():
        published.number = max(published.number, _milliseconds(now - EPOCH)) + margin
        published.save(update_fields=["number"])


class _Content(NamedTuple):
    """The tasks part of a table."""

    entries: tuple[Entry, ...] = ()
    removals: tuple[str, ...] = ()
    withdrawn: tuple[tuple[str, str], ...] = ()


def _publish(app: App, content: _Content, now: datetime) -> PublishedTable:
    signer = active_signer(ServerKey.Purpose.ASSIGNMENT)
    number = _next_number(app, now)
    unsigned = Table(app.slug, number, int(now.timestamp()), app.check_in_interval, _bases(app), *content)
    table = unsigned.signed(signer, int((now + ASSIGNMENT_LIFETIME).timestamp()))
    payload = canonical_json(table.to_dict())
    CompiledTable(Table.from_payload(payload))  # what gateways would refuse is refused before it is published
    envelope = sign("table", payload, [signer])
    published, _ = PublishedTable.objects.update_or_create(
        app=app, defaults={"number": number, "envelope": envelope, "published_at": now}
    )
    _keep(published, unsigned)
    announce_change()
    return published


def _keep(published: PublishedTable, table: Table) -> None:
    """Keep what a table releases, if that differs from the table before, to explain it later."""
    content = table.to_dict()
    digest = sha256(canonical_json({**content, "number": 0, "published": 0})).hexdigest()
    last = PastTable.objects.filter(app=published.app_id).order_by("-published_at", "-id").values_list("digest")
    if last.first() != (digest,):
        PastTable.objects.create(
            app=published.app,
            number=published.number,
            published_at=published.published_at,
            digest=digest,
            content=compress(canonical_json(content)),
        )


def _next_number(app: App, now: datetime) -> int:
    """Return the last number plus one, but at least the time in milliseconds, so that it grows across a restored backup
    too.

    Publications happen one after the other and take more than a millisecond each, so numbers do not run ahead of time.
    """
    last = PublishedTable.objects.filter(app=app).values_list("number", flat=True).first() or 0
    return max(last + 1, _milliseconds(now - EPOCH))


def _milliseconds(time: timedelta) -> int:
    return time // timedelta(milliseconds=1)


def _bases(app: App) -> dict[str, Bases]:
    origin = f"{settings.WALLE_PUBLIC_URL}/walle/v1"
    rows = RegionBase.objects.filter(app=app)
    regions = {row.region: Bases(_trim(row.shared), _trim(row.exclusive)) for row in rows}
    return {"": Bases(settings.WALLE_CDN_URL or origin, origin)} | regions


def _trim(url: str) -> str:
    return url.rstrip("/")
