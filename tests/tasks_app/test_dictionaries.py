"""Dictionaries from stored features to the gateway: trained once it pays, kept as artifacts, found by task."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from devices_app.services.features import store_features
from devices_app.stores import artifact_store
from tasks_app.models import FeatureDictionary, TaskVersion
from tasks_app.services.dictionaries import KEPT, LASTS, forget_dictionaries, tasks_with_features, train_dictionary
from tasks_app.services.garbage import collect_artifacts
from tasks_app.tunnel_catalogue import PostgresTunnelCatalogue
from tests.features.received import feature
from tests.gateway.test_dictionary_training import features
from tests.support.releases import make_version
from walle.conformance.client.repository import manifest_fields
from walle.protocol.canonical import canonical_json
from walle.protocol.compression import Dictionary

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def version(shop) -> TaskVersion:
    return uploading("1.0.0", "object")


def uploading(version: str, kind: str) -> TaskVersion:
    """A version of camera/look that uploads one output of this type."""
    fields = {"outputs": {"encoding": {"type": kind}}, "upload": {"outputs": ["encoding"]}}
    manifest = canonical_json(manifest_fields("camera/look", version, []) | fields)
    return make_version("camera", "look", version, manifest=manifest)


def stored(version: TaskVersion, count: int = 400, *, seed: int = 1, devices: int = 20, first: int = 1) -> None:
    """Store features of a version, by turns of so many devices."""
    now = timezone.now().timestamp()
    of = {"version": version.version, "manifest": version.manifest_digest[:24], "received_at": now}
    store_features(
        [
            feature(at, device=f"d-{at % devices}", values=json.loads(values), **of)
            for at, values in enumerate(features(count, seed), start=first)
        ]
    )


def test_a_dictionary_is_trained_from_what_devices_sent_and_found_by_gateways(version):
    stored(version)
    now = timezone.now()
    assert tasks_with_features(now - timedelta(hours=1)) == [version.task]
    row = train_dictionary(version.task, now=now)
    assert row.bytes_after < 0.7 * row.bytes_before
    with artifact_store().open(row.digest) as opened:
        dictionary = Dictionary(opened.read())
    assert (dictionary.digest.hex(), len(dictionary.content)) == (row.digest, row.size)


async def test_the_gateway_offers_the_newest_one(version):
    await sync_to_async(stored)(version)
    row = await sync_to_async(train_dictionary)(version.task, now=timezone.now())
    offer = await PostgresTunnelCatalogue().find("shop", "camera/look")
    assert (offer.digest.hex(), offer.url) == (row.digest, f"/walle/v1/artifacts/{row.digest}")
    assert Dictionary(offer.content).digest == offer.digest
    assert await PostgresTunnelCatalogue().find("shop", "camera/other") is None


@pytest.mark.parametrize(("count", "devices", "trained"), [(199, 20, False), (400, 9, False), (400, 10, True)])
def test_few_features_or_few_devices_give_none(version, count, devices, trained):
    stored(version, count, devices=devices)
    assert (train_dictionary(version.task, now=timezone.now()) is not None) == trained


def test_another_one_comes_a_day_later_if_it_saves_and_at_once_for_other_outputs(version):
    now = timezone.now()
    stored(version)
    train_dictionary(version.task, now=now)
    assert train_dictionary(version.task, now=now + LASTS + timedelta(seconds=1)) is None
    stored(uploading("2.0.0", "list"), first=401)
    other = train_dictionary(version.task, now=now)
    assert other.schema != FeatureDictionary.objects.last().schema


def test_versions_that_upload_nothing_have_none(version):
    stored(make_version("camera", "look", "0.9.0"))
    assert train_dictionary(version.task, now=timezone.now()) is None


def test_artifacts_of_dictionaries_are_kept_until_they_were_followed_for_long(version):
    now = timezone.now()
    stored(version)
    row = train_dictionary(version.task, now=now)
    kept = collect_artifacts(now=now + timedelta(days=9), grace=timedelta(days=1), check=lambda: None)
    assert (kept["shared"].used, kept["shared"].waiting) == (1, 0)
    stored(uploading("2.0.0", "list"), first=401)
    train_dictionary(version.task, now=now + timedelta(hours=1))
    assert forget_dictionaries(version.task, now=now + KEPT + timedelta(minutes=30)) == 0
    assert forget_dictionaries(version.task, now=now + KEPT + timedelta(hours=2)) == 1
    assert not FeatureDictionary.objects.filter(pk=row.pk).exists()
