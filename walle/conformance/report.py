"""The report of outcomes: a table for people, JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from walle.conformance.checks import DOCUMENT, CheckOutcome

_MARKS: Final = {"passed": ("✓", "green"), "failed": ("✗", "bold red"), "skipped": ("-", "yellow")}
SHORT: Final = {
    "what-a-device-checks-in-this-order": "what a device checks",
    "check-in-on-an-apps-own-requests": "on own requests",
}


def conforms(outcomes: Sequence[CheckOutcome]) -> bool:
    """Return whether every check that counts passed."""
    return bool(outcomes) and all(outcome.result == "passed" for outcome in outcomes if outcome.counts)


def document(subject: str, outcomes: Sequence[CheckOutcome], wrote: Sequence[str]) -> dict[str, Any]:
    """Return the report as JSON data, for `--json`."""
    counts = Counter(outcome.result for outcome in outcomes)
    return {
        "subject": subject,
        "conforms": conforms(outcomes),
        "passed": counts["passed"],
        "failed": counts["failed"],
        "skipped": counts["skipped"],
        "wrote": list(wrote),
        "checks": [_row(outcome) for outcome in outcomes],
    }


def _row(outcome: CheckOutcome) -> dict[str, Any]:
    check = outcome.check
    return {
        "name": check.name,
        "requirement": check.requirement,
        "section": f"{DOCUMENT}#{check.section}",
        "mandatory": check.mandatory,
        "result": outcome.result,
        "expected": outcome.expected,
        "found": outcome.found,
        "seconds": round(outcome.seconds, 3),
    }


def table(subject: str, outcomes: Sequence[CheckOutcome]) -> Table:
    """Return a row per check; below a failed one, what was expected and what was found."""
    rows = Table(title=f"Conformance of {subject}", title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    rows.add_column("", width=1)
    rows.add_column("check", style="cyan", no_wrap=True)
    rows.add_column("requirement", overflow="fold", min_width=24)
    rows.add_column("section", style="dim", overflow="fold", min_width=12, max_width=24)
    for outcome in outcomes:
        mark, style = _MARKS[outcome.result]
        section = SHORT.get(outcome.check.section, outcome.check.section.replace("-", " "))
        rows.add_row(Text(mark, style), Text(outcome.check.name), _result(outcome), Text(section))
    return rows


def _result(outcome: CheckOutcome) -> RenderableType:
    lines = [Text(outcome.check.requirement)]
    if not outcome.check.mandatory:
        lines[0].append(" (optional)", "dim")
    if outcome.expected:
        lines.append(Text.assemble(("expected ", "red"), outcome.expected))
    if outcome.found:
        label, style = ("found ", "red") if outcome.result == "failed" else ("skipped: ", "yellow")
        lines.append(Text.assemble((label, style), outcome.found))
    return Group(*lines)


def summary(outcomes: Sequence[CheckOutcome], wrote: Sequence[str]) -> Text:
    """Return the counts, the data that the checks wrote, and the conclusion."""
    counts = Counter(outcome.result for outcome in outcomes)
    text = Text(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped.")
    if wrote:
        text.append(f" Written there: {', '.join(wrote)}.")
    verdict, style = _verdict(outcomes)
    return text.append("\n").append(verdict, style).append(f" Sections are those of {DOCUMENT}.", "dim")


def _verdict(outcomes: Sequence[CheckOutcome]) -> tuple[str, str]:
    if conforms(outcomes):
        return "It conforms: every mandatory check passed.", "bold green"
    if any(outcome.result == "failed" and outcome.counts for outcome in outcomes):
        return "It does not conform.", "bold red"
    return "Nothing mandatory failed, but not all of it could be checked.", "bold yellow"
