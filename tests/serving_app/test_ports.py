"""The ports of serving processes: tokens by their digests, and the state that a host starts with by itself."""

import asyncio
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from accounts_app.actors import SYSTEM
from accounts_app.services.tokens import issue_token, revoke_token
from devices_app.selectors.state import gateway_state
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from serving_app.services.remembering import RememberedState
from serving_app.serving_ports import PostgresPipelineSource, service_grant
from tests.serving_app.callers import completed, pipeline_version
from tests.support.cases import cases
from tests.support.people import make_member, make_staff, make_user
from walle.whitebox.serving.ports import ControlPlaneAway
from walle.whitebox.serving.routing import RoutedCaller, Routes

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def grant_of(user, now=NOW, **limits):
    """What a token of a user with these limits permits a serving host."""
    token, secret = issue_token(actor=SYSTEM, user=user, name="recommender", **limits)
    return token, service_grant(sha256(secret.encode()).hexdigest(), now)


@cases("role", ["developer", "owner"])
def test_a_token_asks_for_callers_of_the_apps_in_which_its_user_may_predict(role):
    user = make_member(role, "app:shop").user
    token, grant = grant_of(user)
    assert (grant.service, grant.apps, grant.expires) == (token.prefix, frozenset({"shop"}), None)


@cases("role", ["viewer", "releaser"])
def test_a_role_that_may_not_predict_grants_nothing(role):
    assert grant_of(make_member(role, "app:shop").user)[1] is None


def test_a_role_in_a_scenario_grants_no_app():
    assert grant_of(make_member("owner", "scenario:shop").user)[1] is None


def test_a_token_is_limited_to_its_scopes_and_permissions():
    user = make_member("owner", "app:shop").user
    assert grant_of(user, permissions=["predict"])[1].apps == {"shop"}
    assert grant_of(user, permissions=["view", "push"])[1] is None
    assert grant_of(user, scopes=["app:mall"])[1] is None


def test_site_staff_ask_for_all_apps_but_where_their_token_is_limited():
    staff = make_staff().user
    assert grant_of(staff)[1].apps is None
    assert grant_of(staff, scopes=["app:mall", "scenario:shop"])[1].apps == {"mall"}


def test_a_token_expires_and_is_revoked():
    user = make_member("owner", "app:shop").user
    end = NOW + timedelta(hours=1)
    assert grant_of(user, expires_at=end)[1].expires == end.timestamp()
    assert grant_of(user, now=end, expires_at=end)[1] is None
    token, secret = issue_token(actor=SYSTEM, user=user, name="old")
    revoke_token(actor=SYSTEM, token=token, now=NOW)
    assert service_grant(sha256(secret.encode()).hexdigest(), NOW) is None


def test_nobody_has_an_unknown_token():
    make_user("ada")
    assert service_grant("0" * 64, NOW) is None


@pytest.fixture
def state(transactional_db):
    ensure_keys(now=NOW)
    shop = create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
    completed(shop, pipeline_version("1.0.0"), NOW)
    return gateway_state()


def test_a_host_starts_with_the_state_that_it_read_last(state, tmp_path):
    remembered = RememberedState(tmp_path / "state")
    assert remembered.read() is None
    remembered.keep(state)
    found = remembered.read()
    assert (found.revision, found.roots) == (state.revision, state.roots)
    app, before = found.apps["shop"], state.apps["shop"]
    caller = RoutedCaller("user-1", {}, {}, vouched=True)
    (manifest,) = {
        Routes(each.table).choose("shop/sentiment", caller, lambda _: True).entry.manifest for each in (app, before)
    }
    assert manifest == before.table.table.entries[0].manifest
    credential = before.keyring.issue_credential("phone", int(NOW.timestamp()) + 60, {})
    assert app.keyring.read_credential(credential, "phone", NOW.timestamp()) == {}


def test_what_is_remembered_is_for_nobody_else_to_read(state, tmp_path):
    RememberedState(tmp_path / "host" / "state").keep(state)
    (file,) = (tmp_path / "host").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"shop" not in file.read_bytes()


def test_a_damaged_file_is_as_none(state, tmp_path):
    remembered = RememberedState(tmp_path / "state")
    remembered.keep(state)
    (tmp_path / "state").write_bytes(b"no state")
    assert remembered.read() is None


def test_a_source_whose_database_is_away_says_so_and_has_what_it_read_last(state, tmp_path, monkeypatch):
    remembered = RememberedState(tmp_path / "state")
    remembered.keep(state)

    async def ask():
        source = PostgresPipelineSource(remembered)
        monkeypatch.setattr("devices_app.gateway.gateway_revision", fail)
        with pytest.raises(ControlPlaneAway):
            await source.read(1)
        return await source.remembered()

    def fail():
        from django.db import OperationalError

        raise OperationalError("away")

    assert asyncio.run(ask()).revision == state.revision
