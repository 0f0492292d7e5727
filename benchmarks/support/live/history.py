"""The releases in the database at one moment, with the commit times of their rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import psycopg

Connection = psycopg.Connection[Any]

_RELEASES = """
SELECT release.id, scenario.slug || '/' || task.slug, version.version, version.manifest_digest, release.state,
    release.position, release.salt, release.strategy
FROM releases_app_release release
JOIN tasks_app_taskversion version ON version.id = release.version_id
JOIN tasks_app_task task ON task.id = version.task_id
JOIN tasks_app_scenario scenario ON scenario.id = task.scenario_id ORDER BY release.id
"""
_MOVES = """
SELECT release_id, action, before, after, position_before, position_after, actor_name, reason, evidence,
    extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8
FROM releases_app_transition ORDER BY id
"""
_AUDIT = """
SELECT object_id::bigint, substr(action, 9), before ->> 'state', after ->> 'state', actor_name
FROM accounts_app_auditentry
WHERE object_type = 'tasks_app.release' AND action LIKE 'release.%'
    AND action NOT IN ('release.create', 'release.withdrawn', 'release.still-installed')
ORDER BY id
"""


@dataclass(frozen=True)
class Move:
    """A transition of a release; `at` is when it was committed (Unix seconds, the database's clock)."""

    release: int
    action: str
    before: str
    after: str
    position_before: int | None
    position_after: int | None
    actor: str
    reason: str
    evidence: dict[str, Any]
    at: float


@dataclass(frozen=True)
class Known:
    """A release and its moves so far."""

    release: int
    task: str
    version: str
    manifest: str
    state: str
    position: int | None
    salt: bytes
    strategy: dict[str, Any]
    moves: list[Move] = field(default_factory=list)

    def when(self, *actions: str) -> float | None:
        """Return when it first made one of these moves."""
        return next((move.at for move in self.moves if move.action in actions), None)

    def entered(self) -> dict[int, float]:
        """Return when each of its stages was first entered."""
        found: dict[int, float] = {}
        for move in self.moves:
            if move.after == "running" and move.position_after is not None:
                found.setdefault(move.position_after, move.at)
        return found


def read_releases(connection: Connection) -> dict[str, Known]:
    """Return all releases by the digest of their manifest: these benchmarks release every version once."""
    known = {row[0]: Known(*row) for row in connection.execute(_RELEASES)}
    for row in connection.execute(_MOVES):
        known[row[0]].moves.append(Move(*row))
    return {release.manifest: release for release in known.values()}


def read_audit(connection: Connection) -> list[tuple[Any, ...]]:
    """Return the audit log's rows about moves: release, action, state before and after, actor."""
    return list(connection.execute(_AUDIT))
