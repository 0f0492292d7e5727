"""The server's keys: rotated three times under the eyes of a device that walks along, or sleeps meanwhile."""

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.jobs import renew_signatures
from devices_app.models import App, PublishedTable, Root, ServerKey
from devices_app.selectors.state import gateway_state
from devices_app.selectors.tables import read_table
from devices_app.services.keys import ROOT_LIFETIME, ensure_keys, renew_root, sign_manifest, sign_variant
from devices_app.services.rotation import rotate
from devices_app.services.tables import publish
from kit.encryption import WrongMasterKey, decrypt, encrypt
from tests.devices_app.conftest import NOW
from tests.release.tables import entry
from tests.support.people import make_member
from walle.gateway.ports import AppState
from walle.protocol.documents import Assignment
from walle.protocol.errors import CredentialKeyRetired, WrongSignature
from walle.protocol.signing import TrustedRoots, detached

Purpose, State = ServerKey.Purpose, ServerKey.State


def metadata(version: int) -> bytes:
    return bytes(Root.objects.get(version=version).metadata)


def walk(trusted: TrustedRoots) -> TrustedRoots:
    """As a device does: one root after the other, until there is none."""
    while Root.objects.filter(version=trusted.version + 1).exists():
        trusted.update(metadata(trusted.version + 1))
    trusted.check_expiry(NOW)
    return trusted


def turn(purpose: str) -> ServerKey:
    return rotate(purpose=purpose, actor=SYSTEM, now=NOW)


def verify_assignments(trusted: TrustedRoots, app: App) -> list[Assignment]:
    table = read_table(PublishedTable.objects.get(app=app))
    return [
        Assignment.from_payload(
            trusted.verify("assignment", detached("assignment", one.payload, one.key_id, one.signature))
        )
        for one in table.assignments
    ]


@pytest.mark.parametrize("purpose", [Purpose.ROOT, Purpose.MANIFEST, Purpose.ASSIGNMENT])
def test_three_rotations_with_a_device_that_walks_along(shop: App, purpose: str) -> None:
    awake, first = TrustedRoots(metadata(1)), metadata(1)
    publish(app=shop, entries=[entry()], removals=["old/task"], now=NOW)
    for rotation in range(1, 4):
        before = sign_manifest(b'{"a":1}')
        turn(purpose)
        walk(awake)
        assert awake.version == 1 + rotation
        assert awake.verify("manifest", before) == b'{"a":1}'  # the last key still counts
        assert awake.verify("manifest", sign_manifest(b'{"b":2}')) == b'{"b":2}'
        assert awake.verify("variant", sign_variant(b'{"c":3}')) == b'{"c":3}'
        assert len(verify_assignments(awake, shop)) == 2  # signed anew at once, if need be
    asleep = walk(TrustedRoots(first))
    assert asleep.data == awake.data
    assert len(verify_assignments(asleep, shop)) == 2


def test_every_key_rotated_in_turn_three_times(shop: App) -> None:
    trusted = TrustedRoots(metadata(1))
    publish(app=shop, entries=[entry()], removals=[], now=NOW)
    for _ in range(3):
        for purpose in (Purpose.ASSIGNMENT, Purpose.ROOT, Purpose.MANIFEST, Purpose.DEVICE):
            turn(purpose)
    walk(trusted)
    assert trusted.version == 10
    assert verify_assignments(trusted, shop)


def test_the_second_rotation_retires_a_key(shop: App) -> None:
    trusted = TrustedRoots(metadata(1))
    signed = sign_manifest(b"{}")
    turn(Purpose.MANIFEST)
    assert walk(trusted).verify("manifest", signed)
    turn(Purpose.MANIFEST)
    with pytest.raises(WrongSignature):
        walk(trusted).verify("manifest", signed)
    states = ServerKey.objects.filter(purpose=Purpose.MANIFEST).order_by("id").values_list("state", flat=True)
    assert list(states) == [State.RETIRED, State.ACCEPTED, State.ACTIVE]


def test_an_announced_table_is_signed_by_the_new_key(shop: App) -> None:
    before = PublishedTable.objects.get(app=shop)
    turn(Purpose.ASSIGNMENT)
    after = PublishedTable.objects.get(app=shop)
    assert after.number > before.number
    trusted = walk(TrustedRoots(metadata(1)))
    assert trusted.verify("table", bytes(after.envelope))


def in_state(app: str = "shop") -> AppState:
    return gateway_state().apps[app]


@pytest.mark.django_db(transaction=True)
def test_device_keys_issue_are_accepted_and_are_retired(committed_shop: App) -> None:
    first = in_state().keyring
    credential = first.issue_credential("device-1", 2**40)
    turn(Purpose.DEVICE)
    second = in_state().keyring
    assert second.issuing != first.issuing
    assert second.read_credential(credential, "device-1", 0) is None
    turn(Purpose.DEVICE)
    with pytest.raises(CredentialKeyRetired):
        in_state().keyring.read_credential(credential, "device-1", 0)
    turn(Purpose.DEVICE)
    assert in_state().keyring.proves_identity(credential, "device-1")
    assert Root.objects.count() == 1


def test_only_site_staff_rotate(shop: App) -> None:
    with pytest.raises(PermissionDenied):
        rotate(purpose=Purpose.ROOT, actor=make_member("owner", "app:shop"), now=NOW)
    assert Root.objects.count() == 1


def test_a_rotation_is_on_record(shop: App) -> None:
    key = turn(Purpose.MANIFEST)
    recorded = AuditEntry.objects.get(action="key.rotate")
    assert recorded.after == {"key": key.key_id}


def test_the_command(shop: App, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("rotate_key", "root")
    assert "is active now" in capsys.readouterr().out
    assert Root.objects.count() == 2


def test_keys_are_made_once(shop: App) -> None:
    before = list(ServerKey.objects.values_list("key_id", flat=True))
    ensure_keys(now=NOW)
    assert list(ServerKey.objects.values_list("key_id", flat=True)) == before
    assert len(before) == len(Purpose)
    assert Root.objects.count() == 1


def test_a_root_is_renewed_before_its_end(shop: App) -> None:
    trusted = TrustedRoots(metadata(1))
    almost = NOW + ROOT_LIFETIME * 0.5
    assert not renew_root(now=almost)
    late = NOW + ROOT_LIFETIME * 0.9
    assert renew_root(now=late)
    assert not renew_root(now=late)
    trusted.update(metadata(2))
    trusted.check_expiry(NOW + ROOT_LIFETIME)


class _Run:
    def clock(self):
        return NOW + ROOT_LIFETIME * 0.9


def test_the_job_renews_roots_and_old_tables(shop: App) -> None:
    before = PublishedTable.objects.get(app=shop)
    renew_signatures(_Run())
    assert Root.objects.count() == 2
    after = PublishedTable.objects.get(app=shop)
    assert after.number > before.number
    renew_signatures(_Run())
    assert PublishedTable.objects.get(app=shop).number == after.number


def test_secrets_are_sealed(shop: App, settings) -> None:
    for key in ServerKey.objects.all():
        assert b"PRIVATE KEY" not in bytes(key.secret)
    sealed = encrypt(b"secret")
    assert decrypt(sealed) == b"secret"
    settings.WALLE_MASTER_KEY = "another master key, as long as it has to be"
    with pytest.raises(WrongMasterKey, match="WALLE_MASTER_KEY"):
        decrypt(sealed)
