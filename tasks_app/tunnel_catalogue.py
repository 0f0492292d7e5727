"""What tunnels look up in the catalogue of tasks: dictionaries, and the names of versions."""

from devices_app.gateway import database_thread
from devices_app.stores import artifact_store
from tasks_app.selectors.dictionaries import newest_dictionary
from tasks_app.selectors.names import version_with
from walle.artifacts import ArtifactError
from walle.gateway.ports import DictionaryOffer, PortUnavailable


class PostgresTunnelCatalogue:
    """The source of dictionaries and that of versions, in PostgreSQL and the artifact store; one thread serves both.

    Devices fetch dictionaries like any artifact, at the gateway that they are connected to.
    """

    def __init__(self) -> None:
        self._thread = database_thread("walle-tunnel-catalogue")

    async def find(self, app: str, task: str) -> DictionaryOffer | None:
        try:
            return await self._thread.run(lambda: _find(task))
        except ArtifactError as error:
            raise PortUnavailable(str(error)) from error

    async def name_of(self, app: str, task: str, manifest: bytes) -> str:
        return await self._thread.run(lambda: version_with(task, manifest.hex()))


def _find(task: str) -> DictionaryOffer | None:
    row = newest_dictionary(task)
    if row is None:
        return None
    with artifact_store().open(row.digest) as opened:
        content = opened.read()
    return DictionaryOffer(bytes.fromhex(row.digest), f"/walle/v1/artifacts/{row.digest}", content)
