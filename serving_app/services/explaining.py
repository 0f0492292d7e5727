"""Keep explanations of versions."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from serving_app.models import ExplainedVersion
from tasks_app.models import TaskVersion

AGAIN: Final = timedelta(minutes=1)
"""When a version that could not be examined is tried again; after each further attempt twice as late, up to LATEST."""
LATEST: Final = timedelta(days=1)
_MOST_PROBLEM: Final = 2000
_DOUBLINGS: Final = 20


def keep_explanation(
    version: TaskVersion,
    *,
    explanation: dict[str, Any] | None = None,
    problem: str = "",
    refused: bool = False,
    now: datetime,
) -> None:
    """Keep a version's explanation, or the problem where there is none.

    A `refused` version is one that no host can serve. Either stays; any other problem counts until the next attempt.
    """
    with transaction.atomic():
        known = ExplainedVersion.objects.select_for_update().filter(manifest=version.manifest_digest).first()
        if known is not None and known.again_at is None:
            return
        attempts = known.attempts + 1 if known else 1
        passing = explanation is None and not refused
        values = {
            "explanation": explanation,
            "problem": problem[:_MOST_PROBLEM],
            "refused": refused,
            "attempts": attempts,
            "again_at": now + min(LATEST, AGAIN * 2 ** min(attempts - 1, _DOUBLINGS)) if passing else None,
            "at": now,
        }
        ExplainedVersion.objects.update_or_create(manifest=version.manifest_digest, defaults=values)
