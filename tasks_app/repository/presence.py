"""Which objects a repository holds."""

import subprocess
from collections.abc import Collection

from tasks_app.repository.reading import RepositoryError
from tasks_app.repository.storage import HERMETIC, repository_path


def objects_present(slug: str, oids: Collection[str]) -> set[str]:
    """Those of the objects that the scenario's repository holds; raises RepositoryError."""
    path = repository_path(slug)
    command = ["git", "-c", f"safe.directory={path}", "-C", str(path), "cat-file", "--buffer"]
    command += ["--batch-check=%(objectname)"]
    try:
        asked = "".join(f"{oid}\n" for oid in oids)
        done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, env=HERMETIC)
    except (OSError, subprocess.CalledProcessError) as error:
        raise RepositoryError(f"cannot look into {path}: {error}") from error
    return {line for line in done.stdout.splitlines() if not line.endswith(" missing")}
