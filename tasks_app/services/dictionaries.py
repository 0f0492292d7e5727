"""Train the dictionaries that devices compress features with, from features that were stored."""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from devices_app.models import FeatureCount
from devices_app.selectors.features import StoredFeature, recent
from devices_app.stores import artifact_store
from tasks_app.models import FeatureDictionary, Task, TaskVersion
from tasks_app.selectors.catalogue import manifest_of
from tasks_app.selectors.dictionaries import newest_dictionary
from walle.gateway.dictionary_training import best_dictionary, chosen_samples
from walle.protocol.canonical import canonical_json
from walle.protocol.compression import Dictionary

MOST_FEATURES: Final = 5000
LASTS: Final = timedelta(days=1)
"""So long no other dictionary is trained for the same outputs: a new one is a download for each device."""
KEPT: Final = timedelta(days=30)
"""So long a dictionary is kept after a newer one came: devices that were away still have it."""


def tasks_with_features(since: datetime) -> list[Task]:
    """Return the tasks of which features were received since a time."""
    names = FeatureCount.objects.filter(minute__gte=since).order_by().values_list("task", flat=True).distinct()
    slugs = [name.split("/") for name in names]
    found = [Task.objects.filter(scenario__slug=scenario, slug=slug).first() for scenario, slug in slugs]
    return [task for task in found if task is not None]


def train_dictionary(task: Task, *, now: datetime) -> FeatureDictionary | None:
    """Train a dictionary for what the newest features of a task hold; return it if it was worth it, else None.

    A present one is kept for a day at least, and as long as a new one would not save a tenth more.
    """
    features = recent(MOST_FEATURES, task=task.name)
    schema = _schema(task, features[0].manifest) if features else None
    if schema is None:
        return None
    present = newest_dictionary(task.name)
    if present is not None and present.schema == schema and present.created_at > now - LASTS:
        return None
    samples = chosen_samples((feature.device, feature.written.encode()) for feature in _alike(features, task, schema))
    used = _content(present) if present is not None and present.schema == schema else None
    trained = best_dictionary(samples, used) if samples else None
    if trained is None:
        return None
    [stored] = artifact_store().put_all([trained.dictionary.content])
    return FeatureDictionary.objects.create(
        task=task,
        schema=schema,
        digest=stored.digest,
        size=stored.size,
        samples=trained.samples,
        bytes_before=trained.bytes_before,
        bytes_after=trained.bytes_after,
        created_at=now,
    )


def forget_dictionaries(task: Task, *, now: datetime) -> int:
    """Delete the dictionaries of a task that were followed by another one long ago; return their number."""
    followers = list(task.dictionaries.all())
    old = [row.pk for row, follower in zip(followers[1:], followers, strict=False) if follower.created_at < now - KEPT]
    deleted, _ = FeatureDictionary.objects.filter(pk__in=old).delete()
    return deleted


def _alike(features: list[StoredFeature], task: Task, schema: str) -> list[StoredFeature]:
    """The features whose versions upload the same outputs."""
    schemas = {manifest: _schema(task, manifest) for manifest in {feature.manifest for feature in features}}
    return [feature for feature in features if schemas[feature.manifest] == schema]


def _schema(task: Task, manifest: str) -> str | None:
    """The name of what a version uploads: its outputs with their types; None if the version is not known or uploads
    nothing.
    """
    version = TaskVersion.objects.filter(task=task, manifest_digest__startswith=manifest).first()
    values: dict[str, Any] = manifest_of(version) if version else {}
    if "upload" not in values:
        return None
    outputs = {name: values["outputs"][name] for name in values["upload"]["outputs"]}
    return sha256(canonical_json(outputs)).hexdigest()


def _content(row: FeatureDictionary) -> Dictionary:
    with artifact_store().open(row.digest) as opened:
        return Dictionary(opened.read())
