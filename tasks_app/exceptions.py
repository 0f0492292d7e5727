"""Errors of tasks_app. Every text is meant for the person who made the request."""

from collections.abc import Sequence


class TasksError(Exception):
    """The base class of the errors of tasks_app."""


class ScenarioExists(TasksError):
    """A scenario with this slug exists already."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"there is already a scenario {slug}")


class VersionRefused(TasksError):
    """The content of a tag is not a valid version.

    `problems` are all of its faults, one line each. `places` names for each the file and field, or "".
    """

    def __init__(self, name: str, problems: Sequence[str], places: Sequence[str] = ()) -> None:
        self.problems = tuple(problems)
        places = places or [""] * len(problems)
        self.errors = [{"field": place, "detail": text} for place, text in zip(places, problems, strict=True)]
        super().__init__(f"{name} is not a proper version: " + "; ".join(problems))


class ArchiveRefused(TasksError):
    """An archive that cannot become a version, whatever is in its files."""

    def __init__(self, problems: Sequence[str], places: Sequence[str] = ()) -> None:
        places = places or [""] * len(problems)
        self.errors = [{"field": place, "detail": text} for place, text in zip(places, problems, strict=True)]
        super().__init__("; ".join(problems))


class VersionExists(TasksError):
    """The version exists with other content, and a version never changes."""


class BranchMoved(TasksError):
    """Others pushed to the task's branch at the same time, several times."""


class VersionConflict(TasksError):
    """The version is registered with another commit: somebody moved its tag on the server."""

    def __init__(self, name: str, registered: str, found: str) -> None:
        super().__init__(f"{name} is registered with commit {registered}, but its tag leads to {found}")


class NoSuchVersion(TasksError):
    """No tag, or no registered version, has this name."""


class VariantRefused(TasksError):
    """The upload does not fit an exclusive file of the version."""
