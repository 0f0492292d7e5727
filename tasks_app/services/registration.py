"""Turn tags into rows: one registered version per tag, exactly once, however often it is tried."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError

from accounts_app.actors import Actor
from accounts_app.services.audit import record
from devices_app.services.consumers import ensure_consumer
from tasks_app.exceptions import NoSuchVersion, VersionConflict, VersionRefused
from tasks_app.models import IN_GIT, FileKind, Scenario, Task, TaskVersion, VersionFile
from tasks_app.repository import Repository, TagFacts
from tasks_app.scopes import scenario_scope
from tasks_app.selectors.cloud_models import consumer_of
from tasks_app.services.content import StoredTree, check_content
from tasks_app.services.manifest_signing import SignedEnvelope, store_signed_manifest
from walle.bundle.bytecode import SourceFile
from walle.bundle.manifest import build_manifest
from walle.container.cloud_half import CloudHalf
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import FileEntry, Manifest

MAX_MESSAGE = 20_000


@dataclass(frozen=True)
class Registered:
    """A registered version; `created` says whether it was this call that registered it."""

    version: TaskVersion
    file_count: int
    created: bool


@dataclass(frozen=True)
class _Described:
    """What devices are told of a version; the sources of what was made of them, bytecode and imported models; its cloud
    half, if it has one, with its files; and how its models will run.
    """

    manifest: Manifest
    sources: tuple[SourceFile, ...]
    cloud: CloudHalf | None
    cloud_files: tuple[SourceFile, ...]
    model_plans: Mapping[str, dict[str, Any]]


def register_version(
    *, actor: Actor, scenario: Scenario, task: str, version: str, repository: Repository
) -> Registered:
    """Register the tag `<task>/<version>`: its row, files, signed manifest and audit entry, in one transaction.

    A registered version is returned as it is. Raises NoSuchVersion, VersionConflict when the tag was moved,
    VersionRefused when its content is not a valid version. Permissions were checked when the tag was pushed.
    """
    facts = _tag_facts(repository, task, version)
    present = _present(scenario, task, version, facts.commit)
    if present:
        return present
    content = _described(scenario, task, version, facts, repository)
    signed = store_signed_manifest(content.manifest.payload)
    with transaction.atomic():
        # One registration of a scenario at a time, so that the sweep and a push cannot both insert.
        Scenario.objects.select_for_update().get(pk=scenario.pk)
        present = _present(scenario, task, version, facts.commit)
        return present or _insert(actor, scenario, content, facts, signed)


@transaction.atomic
def follow_branches(*, actor: Actor, scenario: Scenario, repository: Repository) -> None:
    """Create a task for every branch, and delete tasks whose branch was deleted before they had a version."""
    Scenario.objects.select_for_update().get(pk=scenario.pk)
    branches = repository.branches()
    tasks = {task.slug: task for task in Task.objects.filter(scenario=scenario).select_related("scenario")}
    for slug in sorted(branches.keys() - tasks.keys()):
        _create_task(actor, scenario, slug)
    for slug in sorted(tasks.keys() - branches.keys()):
        if not tasks[slug].versions.exists():
            _forget_task(actor, tasks[slug])
    repository.point_head()


def _tag_facts(repository: Repository, task: str, version: str) -> TagFacts:
    oid = repository.tag(task, version)
    if oid is None:
        raise NoSuchVersion(f"there is no tag {task}/{version}")
    return repository.tag_facts(oid)


def _present(scenario: Scenario, task: str, version: str, commit: str) -> Registered | None:
    rows = TaskVersion.objects.select_related("task__scenario").defer("manifest")
    row = rows.filter(task__scenario=scenario, task__slug=task, version=version).first()
    if row is None:
        return None
    if row.commit != commit:
        raise VersionConflict(str(row), row.commit, commit)
    return Registered(row, row.files.exclude(kind__in=IN_GIT).count(), created=False)


def _described(scenario: Scenario, task: str, version: str, facts: TagFacts, repository: Repository) -> _Described:
    name = f"{scenario.slug}/{task} {version}"
    tip = repository.branches().get(task)
    if tip is None or not repository.is_ancestor(facts.commit, tip):
        raise VersionRefused(name, [f"commit {facts.commit[:12]} is not in the history of branch {task}"])
    tree = StoredTree(repository, facts.commit)
    validation = check_content(tree)
    if validation.spec is None:
        texts, places = zip(*((problem.text, problem.place) for problem in validation.problems), strict=True)
        raise VersionRefused(name, texts, places)
    names = {"scenario": scenario.slug, "task": task, "version": version, "commit": facts.commit}
    bytecode, models = validation.bytecode, validation.models
    payload = build_manifest(validation.spec, validation.files, tree.digest, **names, bytecode=bytecode, models=models)
    half = tuple(SourceFile.of(entry.path, tree.read(entry.path)) for entry in validation.cloud)
    sources = (*(bytecode.sources if bytecode else ()), *models.sources)
    manifest = Manifest.from_payload(canonical_json(payload))
    return _Described(manifest, sources, validation.spec.cloud, half, models.plans)


def _insert(
    actor: Actor, scenario: Scenario, content: _Described, facts: TagFacts, signed: SignedEnvelope
) -> Registered:
    manifest = content.manifest
    task = Task.objects.filter(scenario=scenario, slug=manifest.task).first()
    row = TaskVersion.objects.create(
        task=task or _create_task(actor, scenario, manifest.task),
        version=manifest.version,
        kind=manifest.kind,
        interpreter=manifest.interpreter or "",
        commit=facts.commit,
        author_name=facts.author_name[:200],
        author_email=facts.author_email[:254],
        message=facts.message[:MAX_MESSAGE],
        tagged_at=facts.tagged_at,
        manifest=manifest.payload,
        manifest_digest=manifest.digest,
        envelope_digest=signed.digest,
        signed_by=signed.key_id,
        total_size=sum(file.size or 0 for file in manifest.files),
        cloud=asdict(content.cloud) if content.cloud else None,
        model_plans=content.model_plans,
    )
    kept = {FileKind.SOURCE: content.sources, FileKind.CLOUD: content.cloud_files}
    in_git = (VersionFile(version=row, kind=kind, **asdict(file)) for kind, files in kept.items() for file in files)
    VersionFile.objects.bulk_create([*(_file_row(row, file) for file in manifest.files), *in_git])
    if row.cloud is not None:
        # From now on: what came before awaits no answer of it.
        ensure_consumer(consumer_of(row.task.name), task=row.task.name, newest=True)
    after = {"commit": row.commit, "manifest": row.manifest_digest, "files": len(manifest.files)}
    record(actor=actor, action="version.register", target=row, scope=scenario_scope(scenario.slug), after=after)
    return Registered(row, len(manifest.files), created=True)


def _file_row(version: TaskVersion, file: FileEntry) -> VersionFile:
    return VersionFile(
        version=version,
        path=file.path,
        kind=FileKind(file.kind),
        digest=file.digest,
        size=file.size,
        template=file.template or "",
        default=file.default or "",
    )


def _create_task(actor: Actor, scenario: Scenario, slug: str) -> Task:
    task = Task.objects.create(scenario=scenario, slug=slug)
    record(actor=actor, action="task.create", target=task, scope=scenario_scope(scenario.slug))
    return task


def _forget_task(actor: Actor, task: Task) -> None:
    try:
        with transaction.atomic():
            record(actor=actor, action="task.forget", target=task, scope=scenario_scope(task.scenario.slug))
            task.delete()
    except ProtectedError:
        # Another row refers to it already, so it stays, without a branch.
        return
