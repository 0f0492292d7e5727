"""An app with a thousand targeted releases, and the check-ins of its devices, which have the right versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from benchmarks.support import population, targeting
from benchmarks.support.population import Population, device_id
from benchmarks.support.targeting import Rng
from walle.gateway.checkin import RawCheckIn
from walle.gateway.ports import AppState
from walle.protocol.headers import AppHeader, CheckIn, DeviceHeader, Profile, short_digest
from walle.release.decision import choose
from walle.release.rules import seen_facts
from walle.release.table import Entry

APP: Final = "mall"
_CREDENTIAL_S: Final = 90 * 86_400


@dataclass(frozen=True)
class Traffic:
    """Check-ins of devices of this many kinds, a part of which also send facts that change with the hour."""

    kinds: int
    present: float


TRAFFIC: Final = {
    "recurring": Traffic(kinds=200, present=0.1),
    "kinds": Traffic(kinds=population.KINDS, present=0.0),
    "fresh": Traffic(kinds=population.KINDS, present=1.0),
}
"""Nine of ten headers recur; thousands of kinds, as in a real fleet; no two headers are the same."""


def create_releases(count: int, devices: int, rng: Rng) -> None:
    """Create the app with its lists and a number of published releases."""
    from django.conf import settings

    from accounts_app.actors import SYSTEM
    from devices_app.services import apps, lists, tables
    from walle.artifacts import LocalStore

    now = datetime.now(UTC)
    app = apps.create_app(slug=APP, name="Mall", actor=SYSTEM, now=now)
    for name, members in population.lists(devices, rng).items():
        lists.put_list(app=app, name=name, devices=members, actor=SYSTEM, now=now)
    envelope = LocalStore(settings.WALLE_ARTIFACTS_DIR).put(b"an envelope of the usual size " * 60)
    tables.publish(app=app, entries=targeting.entries(count, envelope.digest, rng), removals=[], now=now)


def check_ins(traffic: Traffic, people: Population, state: AppState, devices: range) -> Iterator[RawCheckIn]:
    """Return one check-in of each device."""
    expires = int(datetime.now(UTC).timestamp()) + _CREDENTIAL_S
    for number in devices:
        device, facts, vouched = device_id(number), people.kind(traffic.kinds), people.vouched()
        if people.rng.random() < traffic.present:
            facts = facts | people.present()
        credential = state.keyring.issue_credential(device, expires, vouched)
        lines = CheckIn(
            DeviceHeader(device, credential, state.table.table.number),
            AppHeader(APP, facts),
            settled(state, device, facts, vouched),
        ).headers()
        yield RawCheckIn(*(lines.get(name, "").encode() for name in ("Walle-Device", "Walle-App", "Walle-Profile")))


def settled(state: AppState, device: str, facts: Mapping[str, Any], vouched: Mapping[str, Any]) -> Profile:
    """Return the installed tasks of a device that has installed all that it should."""
    plan = state.table.plan(seen_facts(facts, vouched, state.table.lists_of(device)), {})
    due = [change for change in choose(plan, device).changes if isinstance(change, Entry)]
    return {entry.task: short_digest(entry.manifest) for entry in due}
