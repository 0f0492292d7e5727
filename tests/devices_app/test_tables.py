"""Publishing: numbers that only grow, whoever publishes and whatever was restored."""

import threading
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import connection, transaction

from accounts_app.actors import SYSTEM
from devices_app.models import App, AppKey, GatewayRevision, PublishedTable
from devices_app.selectors.state import StateReader, gateway_revision
from devices_app.selectors.tables import read_table
from devices_app.services import apps
from devices_app.services.revisions import announce_change
from devices_app.services.tables import ASSIGNMENT_LIFETIME, publish, refresh, skip_table_numbers
from tests.devices_app.conftest import NOW
from tests.release.tables import digest, entry
from tests.support.people import make_member
from walle.protocol.documents import Assignment
from walle.protocol.errors import DocumentMalformed
from walle.release.rules import RuleMalformed
from walle.release.table import Bases

Kind = AppKey.Kind
MOMENT = 1000 * int(NOW.timestamp())


def table_of(app: App):
    return read_table(PublishedTable.objects.get(app=app))


def test_a_new_app_has_an_empty_table(shop: App) -> None:
    table = table_of(shop)
    assert (table.app, table.entries, table.removals, table.interval) == ("shop", (), (), 60)
    assert table.number == 1000 * table.published == MOMENT


def test_what_is_published_is_read_back(shop: App) -> None:
    entries = (entry(), entry("shop/recommend", release=2, exclusive=True))
    published = publish(app=shop, entries=entries, removals=["old/task"], now=NOW)
    table = table_of(shop)
    assert table.entries == entries
    assert table.removals == ("old/task",)
    assert table.number == published.number
    for signed in table.assignments:
        assignment = Assignment.from_payload(signed.payload)
        assert assignment.number == published.number
        assert assignment.expires == int((NOW + ASSIGNMENT_LIFETIME).timestamp())


def test_numbers_grow_at_one_moment_and_with_the_time(shop: App) -> None:
    numbers = [publish(app=shop, entries=[], removals=[], now=NOW).number for _ in range(3)]
    assert numbers == [MOMENT + step for step in (1, 2, 3)]
    later = publish(app=shop, entries=[], removals=[], now=NOW + timedelta(hours=1))
    assert later.number == MOMENT + 3_600_000


def test_numbers_grow_when_the_clock_goes_back(shop: App) -> None:
    first = publish(app=shop, entries=[], removals=[], now=NOW)
    second = publish(app=shop, entries=[], removals=[], now=NOW - timedelta(days=300))
    assert second.number == first.number + 1


def test_numbers_grow_across_a_restored_backup(shop: App) -> None:
    """Devices remember the highest number that they have seen: a lower one would be a replay to them."""
    backup = PublishedTable.objects.values().get(app=shop)
    seen = [publish(app=shop, entries=[], removals=[], now=NOW + timedelta(minutes=n)).number for n in range(20)]
    PublishedTable.objects.filter(app=shop).update(**backup)
    assert PublishedTable.objects.get(app=shop).number < max(seen)
    restored = publish(app=shop, entries=[], removals=[], now=NOW + timedelta(minutes=20))
    assert restored.number > max(seen)


@pytest.mark.parametrize("clock_ahead", [timedelta(), timedelta(hours=23)])
def test_numbers_grow_across_a_restored_backup_after_a_burst(shop: App, clock_ahead: timedelta) -> None:
    """Many publications within a second, by a machine whose clock was ahead, and then a restoration at once."""
    backup = PublishedTable.objects.values().get(app=shop)
    burst = [NOW + clock_ahead + timedelta(milliseconds=2 * n) for n in range(30)]
    seen = [publish(app=shop, entries=[], removals=[], now=moment).number for moment in burst]
    PublishedTable.objects.filter(app=shop).update(**backup)
    skip_table_numbers(now=NOW + timedelta(seconds=1))
    restored = refresh(app=shop, now=NOW + timedelta(seconds=1))
    assert restored.number > max(seen)
    assert table_of(shop).number == restored.number


def test_revisions_grow_across_a_restored_backup(shop: App) -> None:
    """A gateway that has a state takes an equal revision for the same state."""
    backup = gateway_revision()
    for _ in range(5):
        announce_change()
    seen = gateway_revision()
    GatewayRevision.objects.update(revision=backup)
    for _ in range(5):
        announce_change()
        assert gateway_revision() > seen


def test_refresh_keeps_the_releases(shop: App) -> None:
    publish(app=shop, entries=[entry()], removals=["old/task"], now=NOW)
    before = table_of(shop)
    refresh(app=shop, now=NOW + timedelta(days=1))
    after = table_of(shop)
    assert (after.entries, after.removals) == (before.entries, before.removals)
    assert after.number > before.number
    assert {Assignment.from_payload(one.payload).number for one in after.assignments} == {after.number}


@pytest.mark.parametrize(
    ("entries", "removals"),
    [
        ([entry(rule={"fact": "", "in": ["x"]})], []),
        ([entry(rule={})], []),
        ([entry(share=1_000_001)], []),
        ([entry(salt=b"short")], []),
        ([entry(manifest="ab")], []),
        ([entry("digits")], []),
        ([entry()], ["camera/digits"]),
        ([], ["digits"]),
    ],
)
def test_what_gateways_would_refuse_is_not_published(shop: App, entries: list, removals: list) -> None:
    before = PublishedTable.objects.get(app=shop)
    with pytest.raises((DocumentMalformed, RuleMalformed)), transaction.atomic():
        publish(app=shop, entries=entries, removals=removals, now=NOW)
    assert PublishedTable.objects.get(app=shop).number == before.number


@pytest.mark.django_db(transaction=True)
def test_concurrent_publishers_of_several_apps_take_turns(committed_shop: App) -> None:
    """Every publication gets a number of its own, and the last one is what gateways read."""
    bank = apps.create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    numbers: dict[int, list[int]] = {committed_shop.pk: [], bank.pk: []}
    errors: list[Exception] = []

    def publisher(app: App, other: App) -> None:
        try:
            for turn in range(6):
                version = f"{threading.get_ident()} {turn}"
                published = publish(app=app, entries=[entry(version=version)], removals=[], now=NOW)
                numbers[app.pk].append(published.number)
                refresh(app=other, now=NOW)
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    pairs = [(committed_shop, bank), (bank, committed_shop), (committed_shop, bank)]
    threads = [threading.Thread(target=publisher, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    for app in (committed_shop, bank):
        assert len(set(numbers[app.pk])) == len(numbers[app.pk])
        assert table_of(app).number >= max(numbers[app.pk])
    assert table_of(committed_shop).number == MOMENT + 12 + 6


@pytest.mark.django_db(transaction=True)
def test_gateways_read_one_consistent_state(committed_shop: App) -> None:
    apps.create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    _, text = apps.create_secret_key(app=committed_shop, kind=Kind.ENROL, label="in the app", actor=SYSTEM)
    _, service = apps.create_secret_key(app=committed_shop, kind=Kind.GATEWAY, label="service", actor=SYSTEM)
    apps.add_backend_key(app=committed_shop, label="backend", public_key="AB" * 32, actor=SYSTEM)
    reader = StateReader()
    state = reader.read()
    assert state.revision == gateway_revision()
    assert set(state.apps) == {"shop", "bank"}
    shop = state.apps["shop"]
    assert shop.enrol_keys == {digest(text)}
    assert shop.gateway_keys == {digest(service)}
    assert shop.backend_keys == (b"\xab" * 32,)
    assert state.apps["bank"].enrol_keys == frozenset()
    assert list(state.roots) == [1]
    # What did not change is not compiled again; what did is.
    publish(app=committed_shop, entries=[entry()], removals=[], now=NOW)
    again = reader.read()
    assert again.revision > state.revision
    assert again.apps["bank"].table is state.apps["bank"].table
    assert again.apps["shop"].table is not shop.table


@pytest.mark.django_db(transaction=True)
def test_another_table_under_a_known_number_is_compiled_all_the_same(committed_shop: App) -> None:
    """Numbers should never come twice; if a restored backup brings one again, its content is what counts."""
    before = PublishedTable.objects.get(app=committed_shop)
    reader = StateReader()
    state = reader.read()
    assert reader.read().apps["shop"].table is state.apps["shop"].table
    PublishedTable.objects.update(number=1)
    again = publish(app=committed_shop, entries=[entry()], removals=[], now=NOW)
    assert again.number == before.number
    assert reader.read().apps["shop"].table.table.entries == (entry(),)


def test_regions_pull_from_their_own_bases(shop: App, settings) -> None:
    origin = f"{settings.WALLE_PUBLIC_URL}/walle/v1"
    before = table_of(shop)
    assert before.bases == {"": Bases(origin, origin)}
    apps.set_base(
        app=shop,
        region="eu",
        shared="https://cdn.eu.example/w/",
        exclusive="https://eu.example/w",
        actor=SYSTEM,
        now=NOW,
    )
    after = table_of(shop)
    assert after.bases["eu"] == Bases("https://cdn.eu.example/w", "https://eu.example/w")
    assert after.number > before.number


@pytest.mark.parametrize(
    "url", ["", "cdn.example", 'https://cdn.example/"x', "https://cdn.example/\\", "https://cdn.exämple", "https://a b"]
)
def test_a_base_that_no_header_can_carry_is_refused(shop: App, url: str) -> None:
    before = PublishedTable.objects.get(app=shop).number
    with pytest.raises(ValidationError):
        apps.set_base(app=shop, region="eu", shared=url, exclusive="https://a.example", actor=SYSTEM, now=NOW)
    assert PublishedTable.objects.get(app=shop).number == before


def test_the_interval_travels_in_the_table(shop: App) -> None:
    apps.configure_app(app=shop, actor=SYSTEM, now=NOW, check_in_interval=5)
    assert table_of(shop).interval == 5
    with pytest.raises(ValidationError):
        apps.configure_app(app=shop, actor=SYSTEM, now=NOW, check_in_interval=0)
    assert table_of(shop).interval == 5


def test_keys_of_an_app(shop: App) -> None:
    key, text = apps.create_secret_key(app=shop, kind=Kind.ENROL, label="in the app", actor=SYSTEM)
    assert text not in str(key.__dict__)
    assert apps.import_secret_key(app=shop, kind=Kind.ENROL, label="again", text=text, actor=SYSTEM) == key
    revision = gateway_revision()
    apps.revoke_key(key=key, actor=SYSTEM, now=NOW)
    assert gateway_revision() > revision
    with pytest.raises(ValidationError):
        apps.import_secret_key(app=shop, kind=Kind.ENROL, label="back again", text=text, actor=SYSTEM)
    with pytest.raises(ValidationError):
        apps.add_backend_key(app=shop, label="odd", public_key="xyz", actor=SYSTEM)


def test_a_key_of_one_kind_is_not_taken_for_one_of_another(shop: App) -> None:
    """What ships in every app must not open what other gateways read."""
    apps.import_secret_key(app=shop, kind=Kind.ENROL, label="in the app", text="wa_x", actor=SYSTEM)
    with pytest.raises(ValidationError):
        apps.import_secret_key(app=shop, kind=Kind.GATEWAY, label="service", text="wa_x", actor=SYSTEM)


def test_permissions(shop: App) -> None:
    viewer = make_member("viewer", "app:shop")
    for call in (
        lambda: apps.create_app(slug="bank", name="Bank", actor=viewer, now=NOW),
        lambda: apps.configure_app(app=shop, actor=viewer, now=NOW, name="x"),
        lambda: apps.add_version(app=shop, version="1", actor=viewer),
        lambda: apps.create_secret_key(app=shop, kind=Kind.ENROL, label="x", actor=viewer),
        lambda: apps.set_base(app=shop, region="", shared="x", exclusive="x", actor=viewer, now=NOW),
    ):
        with pytest.raises(PermissionDenied):
            call()


def test_versions_of_an_app(shop: App) -> None:
    first = apps.add_version(app=shop, version="1.0.0", actor=SYSTEM)
    assert apps.add_version(app=shop, version="1.0.0", actor=SYSTEM) == first
    for odd in ("", "a b", "x" * 65, "é"):
        with pytest.raises(ValidationError):
            apps.add_version(app=shop, version=odd, actor=SYSTEM)
