"""Read which concerns somebody has acknowledged."""

from collections.abc import Iterable
from dataclasses import replace

from devices_app.attention import Concern
from devices_app.models import Acknowledgement


def with_acknowledgements(concerns: Iterable[Concern]) -> list[Concern]:
    """Return the concerns, each with its acknowledgement if it has one."""
    found = list(concerns)
    kinds, targets = {each.kind for each in found}, {each.target for each in found}
    rows = Acknowledgement.objects.filter(kind__in=kinds, target__in=targets)
    by_name = {(row.kind, row.target, row.title): row for row in rows}
    return [_acknowledged(each, by_name.get((each.kind, each.target, each.title))) for each in found]


def _acknowledged(concern: Concern, row: Acknowledgement | None) -> Concern:
    began_later = row is not None and concern.since is not None and concern.since > row.at
    return replace(concern, acknowledged=None if began_later else row)
