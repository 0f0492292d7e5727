"""Explain why a device is offered what it is offered, or was at an earlier moment, by repeating the decision.

Of the past, what a table released and what a device said of itself is kept when it changes (services.tables,
services.intake), as is what the cloud held about its user (services.facts), until the retention time is over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from devices_app.models import REGISTRY_LAG, Device, IdList, IdListMember, PastUserFacts, UserFacts
from devices_app.selectors.tables import newest_table, oldest_table, table_in_force
from walle.release import hindsight
from walle.release.decision import CompiledTable
from walle.release.explain import Explanation, explain_each
from walle.release.hindsight import Kept, known_at
from walle.release.rules import facts_in, lists_in, seen_facts
from walle.release.table import Table
from walle.release.withdrawal import told_within


@dataclass(frozen=True)
class Claims:
    """What a device said of itself: facts, those in its credential, its tasks, and why it put off new versions."""

    facts: Mapping[str, Any]
    trusted: Mapping[str, Any]
    profile: Mapping[str, str]
    deferral: str


@dataclass(frozen=True)
class ExplainedMoment:
    """The decision about each task on a device at a moment, from its claims and from table `number`.

    `caveats` say what of it is not known as it was. Where nothing is known, `unexplained` says why.
    """

    results: list[Explanation] = field(default_factory=list)
    number: int | None = None
    released_since: datetime | None = None
    claims: Claims | None = None
    said_since: datetime | None = None
    caveats: list[str] = field(default_factory=list)
    unexplained: str = ""


def explanations(device: Device, task: str | None = None, *, now: datetime) -> ExplainedMoment:
    """Explain each task of the app's table on a device, or one, as at a check-in now.

    The facts and tasks are those of the device's last check-in.
    """
    if (newest := newest_table(device.app)) is None:
        return ExplainedMoment()
    claims = _present(device, now)
    lists = IdListMember.objects.filter(id_list__app=device.app_id, device=device.device)
    return ExplainedMoment(
        _explained(
            _compiled(device.app_id, newest[0]),
            device.device,
            claims,
            held=_held_now(device),
            lists=lists.values_list("id_list__name", flat=True),
            task=task,
            at=now,
        ),
        newest[0].number,
        newest[1],
        claims,
        device.changed_at,
    )


def past_explanations(device: Device, task: str | None, *, at: datetime) -> ExplainedMoment:
    """Explain each task on a device, or one, as at a check-in at an earlier moment, as far as it is known."""
    if at < device.first_seen:
        return ExplainedMoment(unexplained=hindsight.came_later(device.first_seen))
    if (found := table_in_force(device.app, at)) is None:
        return ExplainedMoment(unexplained=hindsight.table_unknown(oldest_table(device.app)))
    kept = _kept_claims(device, at)
    if (said := known_at(at, kept)) is None:
        return ExplainedMoment(unexplained=hindsight.claims_unknown(_oldest_claims(device)))
    table, since = found
    lists = _lists_used(table)
    known_lists, changed_lists = _lists_then(device, lists, at)
    held = _held_then(device, at)
    caveats = []
    if device.revoked_at is not None and device.revoked_at <= at:
        caveats.append(hindsight.revoked(device.revoked_at))
    if device.last_seen + REGISTRY_LAG + timedelta(seconds=told_within(device.app.check_in_interval)) < at:
        caveats.append(hindsight.not_heard_of(device.last_seen))
    if said.is_blurred(at) and said.blurred_from and said.until:
        caveats.append(hindsight.blurred(said.blurred_from, said.until))
    if changed_lists:
        caveats.append(hindsight.lists_changed(changed_lists))
    if held is None and any(name.startswith("user.") for entry in table.entries for name in facts_in(entry.rule)):
        caveats.append(hindsight.user_facts_unknown())
    results = _explained(
        CompiledTable(table, offers=False),
        device.device,
        said.value,
        held=_held_now(device) if held is None else held,
        lists=known_lists,
        task=task,
        at=at,
    )
    return ExplainedMoment(results, table.number, since, said.value, said.since, caveats)


def _explained(
    table: CompiledTable,
    device: str,
    claims: Claims,
    *,
    held: Mapping[str, Any],
    lists: Iterable[str],
    task: str | None,
    at: datetime,
) -> list[Explanation]:
    names = (table.lists_of(device) or frozenset()) | set(lists)
    facts = seen_facts(claims.facts, {**claims.trusted, **held}, names or None)
    profile = {name: bytes.fromhex(digest) for name, digest in claims.profile.items()}
    tasks = [task] if task else sorted({*claims.profile, *(entry.task for entry in table.table.entries)})
    return explain_each(table, facts, profile, device, tasks, now=at.timestamp(), deferral=claims.deferral)


_COMPILED: dict[int, CompiledTable] = {}
"""The newest table of each app as it was last compiled, without uploaded lists: the device's membership is looked up.
"""


def _compiled(app: int, table: Table) -> CompiledTable:
    if app not in _COMPILED or _COMPILED[app].table is not table:
        _COMPILED[app] = CompiledTable(table)
    return _COMPILED[app]


def _present(device: Device, now: datetime) -> Claims:
    puts_off = device.deferral_until is not None and device.deferral_until > now
    return Claims(device.facts, device.trusted, device.profile, device.deferral if puts_off else "")


def _kept_claims(device: Device, at: datetime) -> list[Kept[Claims]]:
    """Return what the device said of itself at a moment: the newest of what is kept, and what was before that ended."""
    kept = [Kept(Claims(device.facts, device.trusted, device.profile, device.deferral), device.changed_at)]
    past = device.past.filter(since__lte=at, until__gt=at).order_by("-until")[:1]
    return kept + [
        Kept(Claims(row.facts, row.trusted, row.profile, row.deferral), row.since, row.until, row.blurred_from)
        for row in past
    ]


def _oldest_claims(device: Device) -> datetime:
    oldest = device.past.order_by("until").values_list("since", flat=True).first()
    return oldest or device.changed_at


def _lists_used(table: Table) -> set[str]:
    return {name for entry in table.entries for name in lists_in(entry.rule)}


def _lists_then(device: Device, used: set[str], at: datetime) -> tuple[list[str], list[str]]:
    """Return the lists that the device is in, and those of the lists used that have changed since, or are gone."""
    lists = dict(IdList.objects.filter(app=device.app_id, name__in=used).values_list("name", "updated_at"))
    members = IdListMember.objects.filter(id_list__app=device.app_id, device=device.device)
    changed = [name for name in used if name not in lists or lists[name] > at]
    return list(members.values_list("id_list__name", flat=True)), changed


def _held_now(device: Device) -> Mapping[str, Any]:
    held = UserFacts.objects.filter(app=device.app_id, device=device.device).first()
    return held.facts if held else {}


def _held_then(device: Device, at: datetime) -> Mapping[str, Any] | None:
    """Return what the cloud held about the device's user at a moment; None if that is not known."""
    about = {"app": device.app_id, "device": device.device}
    past = PastUserFacts.objects.filter(**about, until__gt=at).order_by("until").first()
    if past is not None:
        return past.facts if Kept(past.facts, past.since, past.until).covers(at) else None
    held = UserFacts.objects.filter(**about).first()
    if held is None:
        return {}
    return held.facts if held.updated_at <= at else None
