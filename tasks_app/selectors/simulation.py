"""Reading simulations: the cells of a release, and what they say together."""

from collections.abc import Iterable

from django.db.models import QuerySet

from tasks_app.models import Release, SimulationCell
from walle.container.matrix import CellSummary, SimulationVerdict, judge


def latest_attempt(release: Release) -> int:
    """The number of a release's newest simulation; 0 if there was none."""
    newest = SimulationCell.objects.filter(release=release).order_by("-attempt").values_list("attempt", flat=True)
    return newest.first() or 0


def cells_of(release: Release, attempt: int) -> QuerySet[SimulationCell]:
    """The cells of one simulation of a release, in the order of app versions and systems."""
    return SimulationCell.objects.filter(release=release, attempt=attempt).order_by("id")


def cell_of(release: Release, pk: int) -> SimulationCell:
    """One cell of any simulation of a release; raises SimulationCell.DoesNotExist."""
    return SimulationCell.objects.get(release=release, pk=pk)


def verdict_of(cells: Iterable[SimulationCell], attempt: int) -> SimulationVerdict:
    """What all cells of a simulation say: pending, pass, fail or error, with a sentence and a summary."""
    verdict = judge([CellSummary(_name(cell), cell.state, cell.sentence) for cell in cells])
    verdict.summary["attempt"] = attempt
    return verdict


def _name(cell: SimulationCell) -> str:
    return f"app {cell.app_version} on {cell.os} {cell.os_version}" if cell.os else ""
