"""Sign manifests and variant statements, and sign them again after a rotation of the key."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from devices_app.models import ServerKey
from devices_app.services.keys import sign_manifest, sign_variant
from devices_app.services.revisions import lock_publication
from devices_app.stores import artifact_store
from tasks_app.models import Task, TaskVersion, Variant
from tasks_app.signals import task_changed
from walle.protocol import documents
from walle.protocol.canonical import canonical_json
from walle.protocol.signing import open_envelope

_BATCH = 200


@dataclass(frozen=True)
class SignedEnvelope:
    """A signed envelope in the artifact store."""

    digest: str
    key_id: str


def store_signed_manifest(payload: bytes) -> SignedEnvelope:
    """Sign a manifest's payload with the active key and store the envelope as an artifact."""
    envelope = sign_manifest(payload)
    return SignedEnvelope(artifact_store().put(envelope).digest, _key_id("manifest", envelope))


def signed_variant(statement: documents.Variant) -> tuple[bytes, str]:
    """Return the signed envelope of a variant's statement, and the id of the key that signed it."""
    envelope = sign_variant(canonical_json(statement.to_dict()))
    return envelope, _key_id("variant", envelope)


def renew_signatures(*, now: datetime) -> int:
    """Sign again what was not signed by the active key, and publish the tables that name the old envelopes.

    Manifest digests stay the same. Works in batches, each complete in itself, until nothing is left; returns how many
    documents were signed.
    """
    total = 0
    while count := _renew_batch(now):
        total += count
    return total


@transaction.atomic
def _renew_batch(now: datetime) -> int:
    lock_publication()
    active = ServerKey.objects.get(purpose=ServerKey.Purpose.MANIFEST, state=ServerKey.State.ACTIVE).key_id
    versions = TaskVersion.objects.exclude(signed_by=active).select_for_update().order_by("pk")[:_BATCH]
    variants = Variant.objects.exclude(signed_by=active).select_for_update(of=("self",)).order_by("pk")
    tasks = _renew_manifests(versions)
    renewed = _renew_statements(variants.select_related("file__version")[:_BATCH])
    for task in Task.objects.filter(pk__in=tasks).select_related("scenario"):
        task_changed.send(Task, task=task, now=now)
    return len(tasks) + renewed


def _renew_manifests(versions: Iterable[TaskVersion]) -> list[int]:
    """Return the tasks of the versions, one for each version."""
    tasks = []
    for version in versions:
        signed = store_signed_manifest(bytes(version.manifest))
        version.envelope_digest, version.signed_by = signed.digest, signed.key_id
        version.save(update_fields=["envelope_digest", "signed_by"])
        tasks.append(version.task_id)
    return tasks


def _renew_statements(variants: Iterable[Variant]) -> int:
    count = 0
    for variant in variants:
        manifest, path = variant.file.version.manifest_digest, variant.file.path
        statement = documents.Variant(manifest, path, variant.key, variant.digest, variant.size)
        variant.statement, variant.signed_by = signed_variant(statement)
        variant.save(update_fields=["statement", "signed_by"])
        count += 1
    return count


def _key_id(kind: str, envelope: bytes) -> str:
    return next(iter(open_envelope(kind, envelope).signatures))
