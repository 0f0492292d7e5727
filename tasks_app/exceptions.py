"""What can go wrong in this app, named from the caller's view; every text is meant for the person who asked."""

from collections.abc import Sequence


class TasksError(Exception):
    """Anything below."""


class ScenarioExists(TasksError):
    """The slug is taken."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"there is already a scenario {slug}")


class VersionRefused(TasksError):
    """The content of a tag is not a proper version; `problems` are all of them, one line each."""

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"{name} is not a proper version: " + "; ".join(problems))


class VersionConflict(TasksError):
    """The version is registered with another commit: a tag was moved behind our back."""

    def __init__(self, name: str, registered: str, found: str) -> None:
        super().__init__(f"{name} is registered with commit {registered}, but its tag leads to {found}")


class NoSuchVersion(TasksError):
    """There is no tag of that name, or no registered version."""


class VariantRefused(TasksError):
    """The upload does not fit an exclusive file of the version."""
