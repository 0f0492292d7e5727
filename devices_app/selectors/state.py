"""What gateways answer from, read in one consistent snapshot."""

from collections import defaultdict

from django.db import connection, transaction

from devices_app.models import App, AppKey, Device, GatewayRevision, PublishedTable, Root, ServerKey
from devices_app.selectors.tables import read_table
from devices_app.vault import unseal
from walle.gateway.ports import AppState, State
from walle.protocol.keyed import DeviceKey, Keyring, app_key
from walle.release.decision import CompiledTable


def gateway_revision() -> int:
    """Raised with every change of the gateway state."""
    return GatewayRevision.objects.values_list("revision", flat=True).filter(pk=1).first() or 0


def gateway_state(known: State | None = None) -> State:
    """All apps' tables, keys and revocations; tables that `known` has already are not compiled again."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return _read(known)


def _read(known: State | None) -> State:
    keys = _device_keys()
    app_keys: dict[int, list[AppKey]] = defaultdict(list)
    for key in AppKey.objects.filter(revoked_at=None):
        app_keys[key.app_id].append(key)
    revoked: dict[int, set[str]] = defaultdict(set)
    for app_id, device in Device.objects.filter(revoked_at__isnull=False).values_list("app_id", "device"):
        revoked[app_id].add(device)
    published = {table.app_id: table for table in PublishedTable.objects.all()}
    apps = {
        app.slug: AppState(
            table=_compiled(published[app.pk], known.apps.get(app.slug) if known else None),
            envelope=bytes(published[app.pk].envelope),
            keyring=Keyring(app.slug, _keys_of(app.slug, keys)),
            enrol_keys=frozenset(_materials(app_keys[app.pk], AppKey.Kind.ENROL)),
            gateway_keys=frozenset(_materials(app_keys[app.pk], AppKey.Kind.GATEWAY)),
            backend_keys=tuple(map(bytes.fromhex, _materials(app_keys[app.pk], AppKey.Kind.BACKEND))),
            revoked=frozenset(revoked[app.pk]),
        )
        for app in App.objects.all()
        if app.pk in published
    }
    roots = {root.version: bytes(root.metadata) for root in Root.objects.all()}
    return State(gateway_revision(), apps, roots)


def _materials(keys: list[AppKey], kind: str) -> list[str]:
    return [key.material for key in keys if key.kind == kind]


def _compiled(published: PublishedTable, known: AppState | None) -> CompiledTable:
    if known and known.envelope == bytes(published.envelope):
        return known.table
    return CompiledTable(read_table(published))


def _device_keys() -> list[tuple[ServerKey, bytes]]:
    """Device keys with their secrets, the active one first."""
    order = [ServerKey.State.ACTIVE, ServerKey.State.ACCEPTED, ServerKey.State.RETIRED]
    keys = ServerKey.objects.filter(purpose=ServerKey.Purpose.DEVICE)
    return [(key, unseal(key.secret)) for key in sorted(keys, key=lambda key: order.index(ServerKey.State(key.state)))]


def _keys_of(app: str, keys: list[tuple[ServerKey, bytes]]) -> tuple[DeviceKey, ...]:
    return tuple(
        DeviceKey(key.key_id, app_key(secret, app), accepted=key.state != ServerKey.State.RETIRED)
        for key, secret in keys
    )
