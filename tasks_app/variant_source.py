"""The gateway's source of exclusive files, from the rows of this app."""

from devices_app.gateway import DatabaseThread
from tasks_app.selectors.catalogue import find_variant
from tasks_app.services.content import artifact_store
from walle.gateway.ports import FoundVariant
from walle.protocol.keyed import ExclusiveGrant


class PostgresVariantSource:
    """Finds variants in a thread of its own, with a database connection of its own."""

    def __init__(self) -> None:
        self._thread = DatabaseThread("walle-variants")
        self._store = artifact_store()

    async def find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        return await self._thread.run(lambda: self._find(grant, path))

    def _find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        variant = find_variant(manifest_digest=grant.manifest, path=path, facts=grant.facts)
        if variant is None:
            return None
        return FoundVariant(self._store.path(variant.digest), variant.digest, bytes(variant.statement))
