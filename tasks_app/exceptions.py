"""What can go wrong in this app, named from the caller's view; every text is meant for the person who asked."""

from collections.abc import Sequence


class TasksError(Exception):
    """Anything below."""


class ScenarioExists(TasksError):
    """The slug is taken."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"there is already a scenario {slug}")


class VersionRefused(TasksError):
    """The content of a tag is not a proper version; `problems` are all of them, one line each.

    `places` say of each which field of which file it is in, or "".
    """

    def __init__(self, name: str, problems: Sequence[str], places: Sequence[str] = ()) -> None:
        self.problems = tuple(problems)
        places = places or [""] * len(problems)
        self.errors = [{"field": place, "detail": text} for place, text in zip(places, problems, strict=True)]
        super().__init__(f"{name} is not a proper version: " + "; ".join(problems))


class ArchiveRefused(TasksError):
    """An archive from which no version can be made, whatever is in its files."""

    def __init__(self, problems: Sequence[str], places: Sequence[str] = ()) -> None:
        places = places or [""] * len(problems)
        self.errors = [{"field": place, "detail": text} for place, text in zip(places, problems, strict=True)]
        super().__init__("; ".join(problems))


class VersionExists(TasksError):
    """The version is there with other content, and a version never changes."""


class BranchMoved(TasksError):
    """Somebody pushed to the task's branch meanwhile, several times."""


class VersionConflict(TasksError):
    """The version is registered with another commit: a tag was moved behind our back."""

    def __init__(self, name: str, registered: str, found: str) -> None:
        super().__init__(f"{name} is registered with commit {registered}, but its tag leads to {found}")


class NoSuchVersion(TasksError):
    """There is no tag of that name, or no registered version."""


class VariantRefused(TasksError):
    """The upload does not fit an exclusive file of the version."""
