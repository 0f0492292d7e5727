"""The gateway's source of dictionaries in PostgreSQL and the artifact store."""

from devices_app.gateway import database_thread
from devices_app.stores import artifact_store
from tasks_app.selectors.dictionaries import newest_dictionary
from walle.artifacts import ArtifactError
from walle.gateway.ports import DictionaryOffer, PortUnavailable


class PostgresDictionarySource:
    """Looks up dictionaries; devices fetch them like any artifact, at the gateway that they are connected to."""

    def __init__(self) -> None:
        self._thread = database_thread("walle-dictionaries")

    async def find(self, app: str, task: str) -> DictionaryOffer | None:
        try:
            return await self._thread.run(lambda: _find(task))
        except ArtifactError as error:
            raise PortUnavailable(str(error)) from error


def _find(task: str) -> DictionaryOffer | None:
    row = newest_dictionary(task)
    if row is None:
        return None
    with artifact_store().open(row.digest) as opened:
        content = opened.read()
    return DictionaryOffer(bytes.fromhex(row.digest), f"/walle/v1/artifacts/{row.digest}", content)
