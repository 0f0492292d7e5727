"""The gateway's source of exclusive files in PostgreSQL."""

from devices_app.gateway import database_thread
from devices_app.stores import exclusive_store
from tasks_app.models import FileKind, Variant, VersionFile
from walle.artifacts import ArtifactError
from walle.artifacts.single_flight import SingleFlight
from walle.gateway.ports import FoundVariant, PortUnavailable
from walle.protocol.keyed import ExclusiveGrant
from walle.protocol.templates import variant_key


class PostgresVariantSource:
    """Looks up variants by the key that results from a device's trusted facts."""

    def __init__(self) -> None:
        self._thread = database_thread("walle-variants")
        self._arrivals = SingleFlight(exclusive_store())

    async def find(self, grant: ExclusiveGrant, path: str) -> FoundVariant | None:
        variant = await self._thread.run(lambda: _find(grant, path))
        if variant is None:
            return None
        try:
            content = await self._arrivals.path(variant.digest)
        except ArtifactError as error:
            raise PortUnavailable(str(error)) from error
        return FoundVariant(content, variant.digest, bytes(variant.statement))


def _find(grant: ExclusiveGrant, path: str) -> Variant | None:
    # Checked here, since variants are uploaded at any time: without a delivery grant the app's devices get none.
    delivered = VersionFile.objects.filter(version__task__scenario__delivery_grants__app__slug=grant.app)
    file = delivered.filter(version__manifest_digest=grant.manifest, path=path, kind=FileKind.EXCLUSIVE).first()
    key = variant_key(file.template, grant.facts) if file else None
    return Variant.objects.filter(file=file, key=key).first() if key else None
