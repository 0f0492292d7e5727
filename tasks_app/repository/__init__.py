"""Access to git: bare repositories of scenarios, read with GitPython, served by git itself. No other package runs git.

git treats any argument that begins with a dash as an option, so no user input is ever passed as it is: slugs and
versions are checked against walle.protocol.names and only used inside full reference names, and objects are named by 40
hex digits.
"""

from tasks_app.repository.backend import BackendRequest, hook_environment, start_backend
from tasks_app.repository.importing import ImportedFile, ImportedVersion, Signature, Staging, clear_staging, staging
from tasks_app.repository.notes import RepositoryBusy, write_note
from tasks_app.repository.processes import GitProcess
from tasks_app.repository.reading import (
    BRANCHES,
    NO_COMMIT,
    TAGS,
    CommitFacts,
    GitTreeEntry,
    NoSuchRef,
    Repository,
    RepositoryError,
    TagFacts,
)
from tasks_app.repository.storage import create_repository, repository_path

__all__ = [
    "BRANCHES",
    "NO_COMMIT",
    "TAGS",
    "BackendRequest",
    "CommitFacts",
    "GitProcess",
    "GitTreeEntry",
    "ImportedFile",
    "ImportedVersion",
    "NoSuchRef",
    "Repository",
    "RepositoryBusy",
    "RepositoryError",
    "Signature",
    "Staging",
    "TagFacts",
    "clear_staging",
    "create_repository",
    "hook_environment",
    "repository_path",
    "staging",
    "start_backend",
    "write_note",
]
