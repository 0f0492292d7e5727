"""Read the state that gateways answer from, in one consistent snapshot."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection, transaction

from devices_app.models import App, AppKey, Device, GatewayRevision, PublishedTable, Root, ServerKey
from devices_app.selectors.audience import AudienceReader, Held
from devices_app.selectors.tables import read_table
from kit.encryption import decrypt
from walle.gateway.ports import AppState, GatewayState
from walle.protocol.keyed import DeviceKey, Keyring, app_key
from walle.release.decision import CompiledTable
from walle.release.rules import lists_in


def gateway_revision() -> int:
    """Return the revision, which every change of the gateway state raises."""
    return GatewayRevision.objects.values_list("revision", flat=True).filter(pk=1).first() or 0


def gateway_state() -> GatewayState:
    """Return all apps' tables, keys, revocations, lists and held facts."""
    return StateReader().read()


@dataclass(frozen=True)
class _Compiled:
    """A table as it was published, and compiled with the lists that its rules use."""

    envelope: bytes
    table: CompiledTable
    names: frozenset[str]
    lists: Mapping[str, frozenset[str]]


class StateReader:
    """Reads the state repeatedly; large parts that did not change are neither read nor compiled again."""

    def __init__(self) -> None:
        self._audience = AudienceReader()
        self._tables: dict[int, _Compiled] = {}

    def read(self) -> GatewayState:
        """Return the present state."""
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return self._read()

    def _read(self) -> GatewayState:
        keys, app_keys, revoked = _device_keys(), _app_keys(), _revoked()
        published = {table.app_id: table for table in PublishedTable.objects.all()}
        held, nothing = self._audience.held(), Held()
        apps = {}
        for app in App.objects.filter(pk__in=published):
            compiled = self._compiled(published[app.pk])
            apps[app.slug] = AppState(
                table=compiled.table,
                envelope=compiled.envelope,
                keyring=Keyring(app.slug, _keys_of(app.slug, keys)),
                enrol_keys=frozenset(_materials(app_keys[app.pk], AppKey.Kind.ENROL)),
                gateway_keys=frozenset(_materials(app_keys[app.pk], AppKey.Kind.GATEWAY)),
                backend_keys=tuple(map(bytes.fromhex, _materials(app_keys[app.pk], AppKey.Kind.BACKEND))),
                revoked=frozenset(revoked[app.pk]),
                lists=compiled.lists,
                held=held.get(app.pk, nothing).facts,
                enrolment_limit=app.enrolment_limit,
            )
        roots = {root.version: bytes(root.metadata) for root in Root.objects.all()}
        return GatewayState(gateway_revision(), apps, roots)

    def _compiled(self, published: PublishedTable) -> _Compiled:
        app, envelope = published.app_id, bytes(published.envelope)
        known = self._tables.get(app)
        if known is None or known.envelope != envelope:
            table = read_table(published)
            names = frozenset[str]().union(*(lists_in(entry.rule) for entry in table.entries))
            lists = self._audience.lists(app, names)
            known = _Compiled(envelope, CompiledTable(table, lists), names, lists)
        elif known.lists != (lists := self._audience.lists(app, known.names)):
            known = _Compiled(envelope, CompiledTable(known.table.table, lists), known.names, lists)
        self._tables[app] = known
        return known


def _app_keys() -> Mapping[int, list[AppKey]]:
    found: dict[int, list[AppKey]] = defaultdict(list)
    for key in AppKey.objects.filter(revoked_at=None):
        found[key.app_id].append(key)
    return found


def _revoked() -> Mapping[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for app_id, device in Device.objects.filter(revoked_at__isnull=False).values_list("app_id", "device"):
        found[app_id].add(device)
    return found


def _materials(keys: list[AppKey], kind: str) -> list[str]:
    return [key.material for key in keys if key.kind == kind]


def _device_keys() -> list[tuple[ServerKey, bytes]]:
    """Return device keys with their secrets, the active one first."""
    order = [ServerKey.State.ACTIVE, ServerKey.State.ACCEPTED, ServerKey.State.RETIRED]
    keys = ServerKey.objects.filter(purpose=ServerKey.Purpose.DEVICE)
    ordered = sorted(keys, key=lambda key: order.index(ServerKey.State(key.state)))
    return [(key, decrypt(bytes(key.secret))) for key in ordered]


def _keys_of(app: str, keys: list[tuple[ServerKey, bytes]]) -> tuple[DeviceKey, ...]:
    return tuple(
        DeviceKey(key.key_id, app_key(secret, app), accepted=key.state != ServerKey.State.RETIRED)
        for key, secret in keys
    )
