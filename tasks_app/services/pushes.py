"""Decide what a push may do to a scenario's repository, before git changes anything.

Order of checks: the content of each new version, which no other push can change and which takes its time; then, while
the caller holds the repository's exclusive lock until git has changed it, names, branches (deletions, rewritten
history) and tags (new, of a task in use and of its kind, reachable from their branch as it will be after the push). All
problems are reported at once.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from devices_app.versions import rolled_back_manifests
from tasks_app.models import Scenario, Task, TaskVersion
from tasks_app.repository import BRANCHES, NO_COMMIT, TAGS, NoSuchRef, Repository, RepositoryError
from tasks_app.selectors.streams import stream_versions
from tasks_app.services.content import StoredTree, check_content
from walle.bundle.spec import TASK_FILE
from walle.bundle.stream_rules import privacy_problem, schema_problem, stream_task_of
from walle.protocol.names import InvalidNameError, check_slug, split_version_tag, version_tag
from walle.schema import Problem
from walle.stream.stream_task import StreamTask


@dataclass(frozen=True)
class RefUpdate:
    """One line that git passes to its receive hooks."""

    old: str
    new: str
    ref: str

    @classmethod
    def parse(cls, line: str) -> Self:
        old, new, ref = line.rstrip("\n").split(" ", 2)
        return cls(old, new, ref)

    @property
    def creates(self) -> bool:
        return self.old == NO_COMMIT

    @property
    def deletes(self) -> bool:
        return self.new == NO_COMMIT

    @property
    def adds(self) -> bool:
        return self.creates and not self.deletes


@dataclass(frozen=True)
class Objection:
    """An objection to a push: the subject is a reference or a version; the field is in one of its files, if any."""

    subject: str
    text: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.subject}: {self.text}"


@dataclass
class Push:
    """The updates of one push by subject; `problems` are names of no branch or version."""

    branches: dict[str, RefUpdate] = field(default_factory=dict)
    tags: dict[tuple[str, str], RefUpdate] = field(default_factory=dict)
    problems: list[Objection] = field(default_factory=list)

    @classmethod
    def of(cls, updates: Iterable[RefUpdate]) -> Self:
        push = cls()
        for update in updates:
            try:
                push._add(update)
            except InvalidNameError as error:
                push.problems.append(Objection(update.ref, str(error)))
        return push

    def _add(self, update: RefUpdate) -> None:
        if update.ref.startswith(BRANCHES):
            self.branches[check_slug(update.ref.removeprefix(BRANCHES), "branch")] = update
        elif update.ref.startswith(TAGS):
            task, version = split_version_tag(update.ref.removeprefix(TAGS))
            self.tags[task, str(version)] = update
        else:
            expected = "expected a branch, which is a task, or a tag <task>/<version>, which is a version of it"
            self.problems.append(Objection(update.ref, expected))


@dataclass(frozen=True)
class ContentCheck:
    """The objections to the content of a new version; the kind it declares, if that could be read; what it is as a
    stream task, if it is one; and what its author is warned of, in whole sentences.
    """

    problems: tuple[Objection, ...] = ()
    kind: str | None = None
    stream: StreamTask | None = None
    warnings: tuple[str, ...] = ()


Contents = Mapping[tuple[str, str], ContentCheck]
"""The checked content of new versions, by task and version."""


def check_contents(*, repository: Repository, push: Push) -> Contents:
    """Check the files of each new version; needs no lock.

    As a side effect the files of valid versions are put into the content-addressed store.
    """
    return {name: _content(repository, *name, update) for name, update in push.tags.items() if update.adds}


def _content(repository: Repository, task: str, version: str, update: RefUpdate) -> ContentCheck:
    try:
        tree = StoredTree(repository, repository.commit_of(update.new))
    except NoSuchRef:
        return ContentCheck()  # reported for the tag
    name, found = version_tag(task, version), check_content(tree)
    if found.spec is None:
        return ContentCheck(tuple(Objection(name, problem.text, problem.place) for problem in found.problems))
    stream = stream_task_of(found.spec, f"{repository.slug}/{task}")
    known = _rolled_back_twins(repository, task, update.new)
    return ContentCheck((), found.spec.kind, stream, (*found.warnings, *known))


def _rolled_back_twins(repository: Repository, task: str, oid: str) -> Iterator[str]:
    """Warn of versions in quarantine that have the very files of a new one."""
    rolled_back = rolled_back_manifests()
    versions = TaskVersion.objects.filter(task__scenario__slug=repository.slug, task__slug=task)
    for version, commit, digest in versions.values_list("version", "commit", "manifest_digest"):
        if digest[:24] in rolled_back and repository.tree_of(commit) == repository.tree_of(oid):
            yield (
                f"it has the files of {version}, which was rolled back: "
                f"`walle version show {repository.slug}/{task} {version}` says why"
            )


def check_push(*, scenario: Scenario, repository: Repository, push: Push, contents: Contents) -> list[Objection]:
    """Return all objections to a push; none if it may proceed."""
    checker = _Checker(scenario, repository, push, contents)
    return [*push.problems, *checker.branch_problems(), *checker.tag_problems()]


class _Checker:
    def __init__(self, scenario: Scenario, repository: Repository, push: Push, contents: Contents) -> None:
        self.repository = repository
        self.push = push
        self.contents = contents
        self.scenario = scenario.slug
        self.schemas: dict[tuple[str, int], tuple[str, StreamTask]] = {}
        self.retired = set(
            Task.objects.filter(scenario=scenario, retired_at__isnull=False).values_list("slug", flat=True)
        )
        versions = TaskVersion.objects.filter(task__scenario=scenario).order_by()
        self.kinds = dict(versions.values_list("task__slug", "kind").distinct())
        self.tagged = repository.version_tags()
        # The branches as they will be after the push, without deleted ones.
        after = {**repository.branches(), **{task: update.new for task, update in push.branches.items()}}
        self.tips = {task: tip for task, tip in after.items() if tip != NO_COMMIT}

    def branch_problems(self) -> Iterator[Objection]:
        for task, update in self.push.branches.items():
            problem = None
            if update.deletes:
                problem = self._deleted_branch(task)
            elif not update.creates:
                problem = self._moved_branch(task, update)
            if problem:
                yield Objection(f"branch {task}", problem)

    def _deleted_branch(self, task: str) -> str | None:
        versions = sorted(version for tagged, version in self.tagged if tagged == task)
        if not versions:
            return None
        return f"cannot be deleted, it has versions ({', '.join(versions)}); retire the task instead"

    def _moved_branch(self, task: str, update: RefUpdate) -> str | None:
        lost = self.repository.tags_not_in(update.new, task)
        return f"without the commits of {', '.join(lost)}; versions stay in their branch's history" if lost else None

    def tag_problems(self) -> Iterator[Objection]:
        for (task, version), update in self.push.tags.items():
            name = version_tag(task, version)
            problem = self._tag_problem(task, name, update)
            if problem:
                yield Objection(f"tag {name}", problem)
            else:
                yield from self._content_problems(task, version)

    def _content_problems(self, task: str, version: str) -> Iterator[Objection]:
        content = self.contents[task, version]
        yield from content.problems
        if content.kind is None:
            return
        if content.stream is not None:
            for problem in self._stream_problems(task, version, content.stream):
                yield Objection(version_tag(task, version), problem.text, problem.place)
        kind = self.kinds.setdefault(task, content.kind)
        if content.kind != kind:
            place = f"{TASK_FILE}: task.kind"
            text = f"{place}: expected {kind}, as in the task's other versions, found {content.kind}"
            yield Objection(version_tag(task, version), text, place)

    def _stream_problems(self, task: str, version: str, new: StreamTask) -> Iterator[Problem]:
        """What stands against a stream task beside the versions of its schema and the tasks whose tables it reads.

        The last registered version of a schema stands for all of them: each was held against those before.
        """
        key = task, new.schema
        if key not in self.schemas:
            versions = stream_versions(self.scenario, task)
            self.schemas[key] = next((one for one in versions if one[1].schema == new.schema), (version, new))
        registered, old = self.schemas[key]
        if problem := schema_problem(new, old, registered):
            yield problem
        own = f"{self.scenario}/"
        others = {read.table for read in new.reads.values() if read.table.startswith(own)} - {new.name}
        for table in sorted(others):
            newest = next(stream_versions(self.scenario, table.removeprefix(own)), None)
            if newest and (problem := privacy_problem(new, newest[1])):
                yield problem

    def _tag_problem(self, task: str, name: str, update: RefUpdate) -> str | None:
        if update.deletes:
            return "a version is never deleted; release another one"
        if not update.creates:
            return "a version never changes; tag a new one"
        if task in self.retired:
            return f"task {task} is retired; unretire it first"
        return self._unreachable(task, update.new)

    def _unreachable(self, task: str, oid: str) -> str | None:
        if task not in self.tips:
            return f"there is no branch {task}; push it together with the tag"
        try:
            commit = self.repository.commit_of(oid)
        except NoSuchRef:
            return "expected a tag of a commit"
        if not self.repository.is_ancestor(commit, self.tips[task]):
            return f"commit {commit[:12]} is not in the history of branch {task}"
        return self._unreadable(oid)

    def _unreadable(self, oid: str) -> str | None:
        try:
            self.repository.tag_facts(oid)
        except RepositoryError as error:
            return str(error)
        return None
