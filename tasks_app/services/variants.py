"""Write the contents of exclusive files: one per variant key, each bound to its version by a signed statement."""

from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import IO

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.stores import exclusive_store
from tasks_app.exceptions import VariantRefused
from tasks_app.models import FileKind, TaskVersion, Variant, VersionFile
from tasks_app.scopes import scenario_scope
from tasks_app.services.manifest_signing import signed_variant
from walle.protocol import documents
from walle.protocol.templates import MAX_VARIANT_KEY, fits_template

_CHUNK = 1 << 18


def upload_variant(
    *, actor: Actor, version: TaskVersion, path: str, key: str, content: bytes | IO[bytes], now: datetime
) -> Variant:
    """Set the content of the exclusive file `path` for one key; equal content changes nothing.

    It replaces other content: devices that install from then on get it. Raises NotAllowed, or VariantRefused for a path
    that is not exclusive, a key its template cannot produce, or too much content.
    """
    require(actor, Permission.UPLOAD_VARIANT, scenario_scope(version.task.scenario.slug))
    file = _exclusive_file(version, path)
    if not fits_template(file.template, key):
        raise VariantRefused(
            f"key: expected what the template {file.template} makes, up to {MAX_VARIANT_KEY} characters, found {key!r}"
        )
    stored = exclusive_store().put(_limited(path, content))
    statement = documents.Variant(version.manifest_digest, path, key, stored.digest, stored.size)
    return _write(actor, file, statement, now)


@transaction.atomic
def remove_variant(*, actor: Actor, variant: Variant) -> None:
    """Delete a variant: devices with its key get the file's default from then on."""
    version = variant.file.version
    scope = scenario_scope(version.task.scenario.slug)
    require(actor, Permission.UPLOAD_VARIANT, scope)
    record(actor=actor, action="variant.remove", target=variant, scope=scope, before=_facts(variant))
    variant.delete()


def _exclusive_file(version: TaskVersion, path: str) -> VersionFile:
    files = VersionFile.objects.filter(version=version, kind=FileKind.EXCLUSIVE)
    file = files.filter(path=path).first()
    if file is None:
        known = ", ".join(files.values_list("path", flat=True)) or "none"
        raise VariantRefused(f"path: expected an exclusive file of {version} ({known}), found {path!r}")
    return file


def _limited(path: str, content: bytes | IO[bytes]) -> Iterator[bytes]:
    source = BytesIO(content) if isinstance(content, bytes) else content
    taken = 0
    while chunk := source.read(_CHUNK):
        taken += len(chunk)
        if taken > settings.WALLE_MAX_FILE:
            raise VariantRefused(f"{path}: expected at most {settings.WALLE_MAX_FILE >> 20} MiB, found more")
        yield chunk


@transaction.atomic
def _write(actor: Actor, file: VersionFile, statement: documents.Variant, now: datetime) -> Variant:
    # The file's row is the lock: uploads of one key are serialized.
    locked = VersionFile.objects.select_related("version__task__scenario").select_for_update(of=("self",))
    file = locked.get(pk=file.pk)
    present = Variant.objects.filter(file=file, key=statement.key).first()
    if present and present.digest == statement.digest:
        return present
    before = _facts(present) if present else None
    variant = present or Variant(file=file, key=statement.key)
    variant.digest, variant.size, variant.uploaded_at = statement.digest, statement.size, now
    variant.uploaded_by = actor.user if isinstance(actor.user, User) else None
    variant.statement, variant.signed_by = signed_variant(statement)
    variant.save()
    action = "variant.replace" if before else "variant.upload"
    scope = scenario_scope(file.version.task.scenario.slug)
    record(actor=actor, action=action, target=variant, scope=scope, before=before, after=_facts(variant))
    return variant


def _facts(variant: Variant) -> dict[str, object]:
    return {"key": variant.key, "digest": variant.digest, "size": variant.size}
