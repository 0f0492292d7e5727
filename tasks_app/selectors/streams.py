"""Stream tasks among the registered versions."""

import json
from collections.abc import Iterator

from tasks_app.models import TaskVersion
from walle.stream.stream_task import StreamTask


def stream_versions(scenario: str, task: str) -> Iterator[tuple[str, StreamTask]]:
    """Yield the versions of a task in which events trigger it, the one that was registered last first."""
    versions = TaskVersion.objects.filter(task__scenario__slug=scenario, task__slug=task).order_by("-pk")
    for version, manifest in versions.values_list("version", "manifest").iterator(chunk_size=20):
        stream = StreamTask.from_manifest(f"{scenario}/{task}", json.loads(bytes(manifest)))
        if stream is not None:
            yield version, stream
