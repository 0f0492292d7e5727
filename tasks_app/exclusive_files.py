"""Finds exclusive files for the gateway: the port's PostgreSQL side."""

from django.conf import settings

from devices_app.gateway import DatabaseThread
from tasks_app.models import FileKind, Variant, VersionFile
from walle.artifacts import LocalStore
from walle.gateway.ports import FoundVariant
from walle.protocol.keyed import ExclusiveGrant
from walle.protocol.templates import variant_key


class PostgresVariantSource:
    """Looks variants up by the key that a device's trusted facts make."""

    def __init__(self) -> None:
        self._thread = DatabaseThread("walle-variants")
        self._store = LocalStore(settings.WALLE_EXCLUSIVE_DIR)

    async def find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        return await self._thread.run(lambda: self._find(grant, path))

    def _find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        file = VersionFile.objects.filter(
            version__manifest_digest=grant.manifest, path=path, kind=FileKind.EXCLUSIVE
        ).first()
        key = variant_key(file.template, grant.facts) if file else None
        variant = Variant.objects.filter(file=file, key=key).first() if key else None
        if variant is None:
            return None
        return FoundVariant(self._store.path(variant.digest), variant.digest, bytes(variant.statement))
