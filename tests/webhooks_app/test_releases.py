"""Releases concern two scopes: the scenario's webhooks hear of them, and the app's."""

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from tests.api.conftest import camera, digits, folders, keys, register, shop  # noqa: F401
from tests.support.releases import draft_of, move_on
from webhooks_app.models import Delivery
from webhooks_app.services.webhooks import create_webhook

pytestmark = pytest.mark.django_db


def test_both_sides_hear_of_every_move(shop, digits):  # noqa: F811
    now = timezone.now()
    hooks = [
        create_webhook(
            scope=scope, url="https://example.com", events=["release.*", "version.*"], actor=SYSTEM, now=now
        )[0]
        for scope in ("app:shop", "scenario:camera")
    ]
    release = draft_of(shop, digits, now=now)
    move_on(release, "start", "roll-back", now=now)
    for webhook in hooks:
        heard = Delivery.objects.filter(webhook=webhook).order_by("entry_id")
        assert list(heard.values_list("event", flat=True)) == [
            "release.create",
            "release.start",
            "release.roll-back",
            "version.quarantine",
        ]
        assert {tuple(scopes) for scopes in heard.values_list("scopes", flat=True)} == {("scenario:camera", "app:shop")}
        assert set(heard[:3].values_list("entry__object_id", flat=True)) == {str(release.pk)}
