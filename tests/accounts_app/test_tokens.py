"""API tokens: shown once, kept as a digest, refused in one voice."""

import base64
import logging
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from accounts_app.actors import SYSTEM, Actor
from accounts_app.authentication import TokenAuthentication, authenticate_basic
from accounts_app.exceptions import InvalidScope, InvalidToken
from accounts_app.models import ApiToken, AuditEntry
from accounts_app.services.tokens import authenticate_token, issue_token, revoke_token
from kit.attempts import TooManyAttempts
from tests.support.cases import cases
from tests.support.people import make_staff, make_user

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def alice():
    return Actor(make_user("alice"))


@pytest.fixture
def issued(alice):
    return issue_token(actor=alice, user=alice.user, name="laptop", expires_at=NOW + timedelta(days=1))


def basic(password, user="git"):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def test_only_the_digest_of_a_token_is_kept(issued):
    token, secret = issued
    assert secret.startswith(token.prefix + "_")
    assert token.digest == sha256(secret.encode()).hexdigest()
    row = ApiToken.objects.values().get()
    assert secret.removeprefix(token.prefix) not in str(row) + str(AuditEntry.objects.values().get())


def test_a_good_token_is_its_user(issued, alice):
    actor = authenticate_token(secret=issued[1], now=NOW)
    assert actor.user == alice.user
    assert actor.token == issued[0]


def test_last_use_is_noted_to_the_minute(issued):
    token, secret = issued
    for seconds, noted in ((0, 0), (59, 0), (61, 61)):
        authenticate_token(secret=secret, now=NOW + timedelta(seconds=seconds))
        token.refresh_from_db()
        assert token.last_used_at == NOW + timedelta(seconds=noted)


def test_everything_wrong_with_a_token_gets_the_same_answer(issued, alice):
    token, secret = issued
    forged = f"{token.prefix}_{'0' * 64}"
    unknown = f"wl_00000000_{'0' * 64}"
    texts = set()
    for bad in ("", "wl_", secret[:-1], secret + "0", secret.upper(), forged, unknown, "ü", secret + "\n"):
        with pytest.raises(InvalidToken) as refused:
            authenticate_token(secret=bad, now=NOW)
        texts.add(str(refused.value))
    with pytest.raises(InvalidToken):
        authenticate_token(secret=secret, now=NOW + timedelta(days=1))
    alice.user.is_active = False
    alice.user.save()
    with pytest.raises(InvalidToken):
        authenticate_token(secret=secret, now=NOW)
    assert len(texts) == 1


def test_a_revoked_token_is_useless_and_revoking_is_idempotent(issued, alice):
    token, secret = issued
    first = revoke_token(actor=alice, token=token, now=NOW)
    second = revoke_token(actor=alice, token=token, now=NOW + timedelta(hours=1))
    assert first.revoked_at == second.revoked_at == NOW
    with pytest.raises(InvalidToken):
        authenticate_token(secret=secret, now=NOW)
    assert AuditEntry.objects.filter(action="token.revoke").count() == 1


def test_tokens_of_others_are_for_staff(issued, alice):
    bob = Actor(make_user("bob"))
    with pytest.raises(PermissionDenied):
        issue_token(actor=bob, user=alice.user, name="stolen")
    with pytest.raises(PermissionDenied):
        revoke_token(actor=bob, token=issued[0], now=NOW)
    staff = make_staff()
    issue_token(actor=staff, user=alice.user, name="robot")
    assert revoke_token(actor=staff, token=issued[0], now=NOW).revoked_at == NOW
    with pytest.raises(PermissionDenied):
        issue_token(actor=Actor(AnonymousUser()), user=alice.user, name="x")


def test_a_token_cannot_make_a_token(issued, alice):
    with pytest.raises(PermissionDenied, match="a token may not create tokens; sign in"):
        issue_token(actor=authenticate_token(secret=issued[1], now=NOW), user=alice.user, name="heir")


def test_limits_must_be_scopes(alice):
    with pytest.raises(InvalidScope):
        issue_token(actor=alice, user=alice.user, name="x", scopes=["camera"])


def test_basic_takes_the_token_as_password_whatever_the_user_name(issued):
    for user in ("git", "", "alice"):
        assert authenticate_basic(header=basic(issued[1], user), address=None, now=NOW).token == issued[0]


@cases(
    "header", ["", "Basic", "Basic !!", "Basic /w==", "Bearer x", basic("x"), "Basic Z2l0", "Basic Z2l0Onds\u00f8zA="]
)
def test_other_basic_headers_are_refused(header):
    with pytest.raises(InvalidToken):
        authenticate_basic(header=header, address=None, now=NOW)


class WhoAmI(APIView):
    authentication_classes = [TokenAuthentication]
    permission_classes = []

    def get(self, request):
        return Response(Actor.of(request).name)


def whoami(header=None):
    extra = {"HTTP_AUTHORIZATION": header} if header else {}
    return WhoAmI.as_view()(APIRequestFactory().get("/", **extra))


def test_the_rest_framework_knows_bearer_tokens(alice):
    _, secret = issue_token(actor=alice, user=alice.user, name="api")
    assert whoami(f"Bearer {secret}").data == "alice"
    assert whoami().data == whoami("Basic x").data == "anonymous"
    refused = whoami("Bearer wl_nonsense")
    assert refused.status_code == 401
    assert refused["WWW-Authenticate"] == 'Bearer realm="Walle"'


def test_guesses_at_tokens_are_limited_and_good_ones_are_not(alice, settings):
    settings.WALLE_LOGINS_PER_MINUTE = 1
    _, secret = issue_token(actor=alice, user=alice.user, name="api")
    assert [whoami("Bearer wl_nonsense").status_code for _ in range(6)] == [401] * 5 + [429]
    assert 1 <= int(whoami("Bearer wl_nonsense")["Retry-After"]) <= 60
    with pytest.raises(TooManyAttempts):
        authenticate_basic(header=basic("wl_nonsense"), address="127.0.0.1", now=timezone.now())
    assert whoami(f"Bearer {secret}").data == "alice"
    assert authenticate_basic(header=basic(secret), address="127.0.0.1", now=timezone.now()).user == alice.user


def test_secrets_are_not_logged(issued, caplog):
    caplog.set_level(logging.DEBUG)
    authenticate_token(secret=issued[1], now=NOW)
    authenticate_basic(header=basic(issued[1]), address=None, now=NOW)
    assert issued[1].split("_")[2] not in caplog.text


def test_the_system_may_issue_for_robots():
    token, _ = issue_token(actor=SYSTEM, user=make_user("robot"), name="ci", scopes=["scenario:camera"])
    assert token.covers("scenario:camera")
    assert not token.covers("scenario:shop")
