"""Variants: contents of exclusive files, bound to their version by a signed statement."""

import asyncio
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.models import Root, ServerKey
from devices_app.services import rotation
from devices_app.services.apps import create_app
from tasks_app.exceptions import VariantRefused
from tasks_app.exclusive_files import PostgresVariantSource
from tasks_app.models import TaskVersion, Variant, VersionFile
from tasks_app.selectors.catalogue import files_of, variants_of
from tasks_app.services.content import artifact_store, exclusive_store
from tasks_app.services.manifest_signing import renew_signatures
from tasks_app.services.registration import register_version
from tasks_app.services.variants import remove_variant, upload_variant
from tests.support.people import make_member, make_staff
from tests.support.releases import allow
from tests.tasks_app.working_copy import EXCLUSIVE, GOOD
from walle.protocol import documents
from walle.protocol.keyed import ExclusiveGrant
from walle.protocol.signing import TrustedRoots

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def developer(camera):
    return make_member("developer", "scenario:camera", "ada")


@pytest.fixture
def version(copy, camera, repository, keys, developer):
    """digits 1.0.0, whose prefs.json depends on the age band."""
    copy.commit({**GOOD, "task.toml": EXCLUSIVE, "defaults/prefs.json": "{}"})
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    asked = {"scenario": camera, "task": "digits", "version": "1.0.0", "repository": repository}
    return register_version(actor=developer, **asked).version


@pytest.fixture
def upload(version, developer):
    def call(key="18-25", content=b"young", path="prefs.json", actor=developer):
        return upload_variant(actor=actor, version=version, path=path, key=key, content=content, now=NOW)

    return call


def verified(variant):
    """What devices learn from the statement, once they have verified it."""
    payload = TrustedRoots(bytes(Root.objects.order_by("-version")[0].metadata)).verify(
        "variant", bytes(variant.statement)
    )
    return documents.Variant.from_payload(payload)


def test_a_variant_is_stored_and_stated(upload, version, developer):
    variant = upload()
    assert (variant.key, variant.size, variant.uploaded_by, variant.uploaded_at) == ("18-25", 5, developer.user, NOW)
    assert variant.digest == sha256(b"young").hexdigest()
    assert exclusive_store().open(variant.digest).read() == b"young"
    assert verified(variant) == documents.Variant(
        version.manifest_digest, "prefs.json", "18-25", variant.digest, variant.size
    )
    entry = AuditEntry.objects.get(action="variant.upload")
    assert (entry.scope, entry.before, entry.after["key"]) == ("scenario:camera", None, "18-25")


def test_the_same_content_again_changes_nothing(upload):
    first, second = upload(), upload(content=BytesIO(b"young"))
    assert first == second
    assert bytes(Variant.objects.get().statement) == bytes(first.statement)
    assert AuditEntry.objects.filter(action__startswith="variant.").count() == 1


def test_other_content_replaces_the_old_and_the_log_tells_both(upload):
    old = upload()
    new = upload(content=b"younger")
    assert new.pk == old.pk
    assert verified(new).digest == sha256(b"younger").hexdigest()
    entry = AuditEntry.objects.get(action="variant.replace")
    assert (entry.before["digest"], entry.after["digest"]) == (old.digest, new.digest)


def test_keys_are_apart(upload, version):
    upload()
    upload(key="65+", content=b"old")
    file = files_of(version).get(path="prefs.json")
    assert file.variant_count == 2
    assert [variant.key for variant in variants_of(file)] == ["18-25", "65+"]


@pytest.mark.parametrize("key", ["", "x" * 201, "a\nb", None])
def test_a_key_that_no_facts_make_is_refused(upload, key):
    with pytest.raises(VariantRefused, match=r"key: expected what the template \{age_band\} makes"):
        upload(key=key)


@pytest.mark.parametrize("path", ["main.py", "nothing.json", "../etc/passwd"])
def test_only_exclusive_files_have_variants(upload, path):
    with pytest.raises(VariantRefused, match=r"path: expected an exclusive file of .* \(prefs\.json\), found"):
        upload(path=path)


def test_too_much_content_is_refused_without_reading_on(upload, settings):
    settings.WALLE_MAX_FILE = 1 << 20

    class Endless:
        taken = 0

        def read(self, size):
            self.taken += size
            return b"x" * size

    endless = Endless()
    with pytest.raises(VariantRefused, match=r"prefs\.json: expected at most 1 MiB, found more"):
        upload(content=endless)
    assert endless.taken < 2 << 20
    assert not Variant.objects.exists()


@pytest.mark.parametrize("role", ["viewer", "releaser"])
def test_uploading_and_removing_take_a_developer(upload, role):
    variant = upload()
    other = make_member(role, "scenario:camera")
    with pytest.raises(PermissionDenied):
        upload(actor=other)
    with pytest.raises(PermissionDenied):
        remove_variant(actor=other, variant=variant)


def test_a_removed_variant_leaves_the_default(upload, developer):
    remove_variant(actor=developer, variant=upload())
    assert not Variant.objects.exists()
    assert AuditEntry.objects.get(action="variant.remove").before["key"] == "18-25"


def test_the_database_keeps_one_variant_per_key_and_no_empty_key(upload):
    variant = upload()
    columns = {"digest": variant.digest, "size": 1, "statement": b"", "uploaded_at": NOW, "file": variant.file}
    for key in ("18-25", ""):
        with pytest.raises(IntegrityError), transaction.atomic():
            Variant.objects.create(key=key, **columns)


def test_an_exclusive_file_is_never_content_and_a_shared_one_always(version):
    for wrong in (
        {"kind": "shared", "digest": None, "size": 1},
        {"kind": "shared", "digest": "f" * 64, "size": 1, "template": "{x}"},
        {"kind": "exclusive", "digest": "f" * 64, "size": 1, "template": "{x}"},
        {"kind": "exclusive", "template": ""},
        {"kind": "exclusive", "template": "{x}", "default": "new"},
        {"kind": "other", "template": "{x}"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            VersionFile.objects.create(version=version, path="new", **wrong)
    with pytest.raises(IntegrityError), transaction.atomic():
        VersionFile.objects.create(version=version, path="main.py", kind="shared", digest="f" * 64, size=1)


@pytest.mark.django_db(transaction=True)
def test_the_gateway_finds_the_variant_of_a_devices_trusted_facts(upload, version):
    variant = upload()
    allow(create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW), version.task.scenario, now=NOW)

    async def find_all():
        source = PostgresVariantSource()
        asked = [("prefs.json", {"age_band": "18-25"}), ("prefs.json", {"age_band": "30"}), ("prefs.json", {})]
        asked.append(("main.py", {"age_band": "18-25"}))
        grants = [(ExclusiveGrant("shop", "d1", version.manifest_digest, facts, 0), path) for path, facts in asked]
        found = [await source.find(grant, path) for grant, path in grants]
        await source._thread.close()
        return found

    found, *others = asyncio.run(find_all())
    assert (found.digest, found.statement) == (variant.digest, bytes(variant.statement))
    assert found.path.read_bytes() == b"young"
    assert others == [None, None, None]


@pytest.mark.django_db(transaction=True)
def test_a_grant_for_one_version_opens_nothing_of_another(copy, camera, repository, upload, version, developer):
    """Both have the file, and a variant of the same key."""
    allow(create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW), camera, now=NOW)
    upload()
    copy.commit({"prefs.json.note": "newer"})
    copy.tag("digits/1.1.0")
    copy.push("digits", "--tags")
    asked = {"scenario": camera, "task": "digits", "version": "1.1.0", "repository": repository}
    newer = register_version(actor=developer, **asked).version
    facts = {"age_band": "18-25"}

    async def find(digest):
        source = PostgresVariantSource()
        found = await source.find(ExclusiveGrant("shop", "d1", digest, facts, 0), "prefs.json")
        await source._thread.close()
        return found.digest if found else None

    assert asyncio.run(find(newer.manifest_digest)) is None
    of_newer = upload_variant(actor=developer, version=newer, path="prefs.json", key="18-25", content=b"newer", now=NOW)
    assert asyncio.run(find(newer.manifest_digest)) == of_newer.digest
    assert asyncio.run(find(version.manifest_digest)) == sha256(b"young").hexdigest()
    assert asyncio.run(find("0" * 64)) is None


def test_after_a_rotation_everything_is_signed_with_the_new_key(upload, version):
    variant = upload()
    before = version.envelope_digest
    assert renew_signatures(now=NOW) == 0
    rotation.rotate(purpose=ServerKey.Purpose.MANIFEST, actor=make_staff(), now=NOW)
    active = ServerKey.objects.get(purpose="manifest", state="active").key_id
    assert renew_signatures(now=NOW) == 2
    version.refresh_from_db()
    variant.refresh_from_db()
    assert version.signed_by == variant.signed_by == active
    assert version.envelope_digest != before
    roots = TrustedRoots(bytes(Root.objects.order_by("-version")[0].metadata))
    payload = roots.verify("manifest", artifact_store().open(version.envelope_digest).read())
    assert sha256(payload).hexdigest() == version.manifest_digest
    assert verified(variant).digest == variant.digest
    assert renew_signatures(now=NOW) == 0
    assert TaskVersion.objects.count() == 1
