"""The messages of `make run` while it runs: all figures in one line, and every move of a release once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def summary() -> str:
    """Return one line with the figures of the fleet and the state of its releases."""
    from django.db import DatabaseError
    from django.utils import timezone

    from devices_app.selectors.fleet import fleet_summary
    from releases_app.selectors.progress import releases_line
    from serving_app.selectors.figures import predictions_line
    from tasks_app.selectors.cloud_models import tunnel_line

    try:
        with _connection():
            now = timezone.now()
            figures, features, predictions = fleet_summary(now=now), tunnel_line(), predictions_line()
            releases = releases_line(now)
    except DatabaseError:
        return "the database does not answer"
    line = (
        f"devices {figures.online:,} online of {figures.known:,} known · installed {figures.installed:,} · "
        f"runs {figures.runs:,}, {figures.failures:,} failed"
    )
    return " · ".join(filter(None, [line, features, predictions, releases and f"releases {releases}"]))


class News:
    """The moves of releases since this object was created."""

    def __init__(self) -> None:
        from releases_app.selectors.progress import newest_move

        with _connection():
            self._last = newest_move()

    def read(self) -> list[str]:
        """Return the moves that were not read yet, one line each; none while the database is unavailable."""
        from django.db import DatabaseError

        from releases_app.selectors.progress import moves_since

        lines = []
        try:
            with _connection():
                for number, line in moves_since(self._last):
                    self._last = number
                    lines.append(line)
        except DatabaseError:
            return lines
        return lines


@contextmanager
def _connection() -> Iterator[None]:
    """Open a connection for one reading: the database may be restarted between two."""
    from django.db import connection

    try:
        yield
    finally:
        connection.close()
