"""Checks of reports: well formed, kept until they are answered for, and not sent after that."""

from __future__ import annotations

from typing import Any, Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import Bench
from walle.conformance.client.catalogue.entry import OTHER
from walle.protocol.reports import Report, ReportMalformed

SUITE: Final = Suite[Bench]()
_SOON_S: Final = 40.0


def _ids(reports: list[dict[str, Any]]) -> set[str]:
    return {str(report.get("id")) for report in reports}


class _All(dict[str, str]):
    """Contains every report id, so that all reports are rejected."""

    def __contains__(self, report: object) -> bool:
        return True

    def __missing__(self, report: str) -> str:
        return "report-malformed"


@SUITE.check("reports.form", "reports", "Reports are well formed, each with an id of its own")
async def form(bench: Bench) -> None:
    await bench.installed()
    reports = bench.sent_reports()
    expect(reports, "a report of the installation", "none")
    for report in reports:
        try:
            Report.from_dict(report)
        except ReportMalformed as error:
            expect(False, "a report that can be read", error)
    expect(len(_ids(reports)) == len(reports), "different ids", sorted(_ids(reports)))


@SUITE.check("reports.token", "reports", "A report echoes the token of the offer that it is about")
async def token(bench: Bench) -> None:
    manifest = await bench.installed()
    report = bench.expect_reported(kind="install", outcome="success", manifest=manifest.digest, version="1.0.0")
    token = report.get("offer_token")
    expect(token and bench.repository.keyring.read_offer_token(str(token), "device-1"), "the offer's token", token)


@SUITE.check("reports.kept", "reports", "Reports that nobody answered for are sent again, under the same ids")
async def kept(bench: Bench) -> None:
    bench.publish()
    bench.repository.failures["/reports"] = (503, {})
    await bench.once()
    first = _ids(bench.sent_reports())
    expect(first, "a report that is tried to be sent", "none")
    bench.repository.failures.clear()
    await bench.once()
    repeated = _ids(bench.sent_reports())
    expect(first <= repeated, f"the reports {sorted(first)} again", sorted(repeated) or "none")


@SUITE.check("reports.killed", "reports", "Reports survive a kill -9 before the answer came")
async def killed(bench: Bench) -> None:
    bench.publish()
    await bench.killed_at("/reports")
    first = _ids(bench.sent_reports())
    await bench.once()
    repeated = _ids(bench.sent_reports())
    expect(first and first <= repeated, f"the reports {sorted(first)} again", sorted(repeated) or "none")


@SUITE.check("reports.accepted", "reports", "An accepted report is not sent again")
async def accepted(bench: Bench) -> None:
    await bench.installed()
    first = _ids(bench.sent_reports())
    await bench.once()
    repeated = _ids(bench.sent_reports()) & first
    expect(first and not repeated, "none of them again", sorted(repeated) or "no reports at all")


@SUITE.check("reports.rejected", "reports", "A report that is rejected for good is not sent again")
async def rejected(bench: Bench) -> None:
    bench.repository.rejected = _All()
    bench.publish()
    await bench.once()
    first = _ids(bench.sent_reports())
    await bench.once()
    repeated = _ids(bench.sent_reports()) & first
    expect(first and not repeated, "none of them again", sorted(repeated) or "no reports at all")


@SUITE.check(
    "reports.halves", "when-to-try-again", "A report for which whole batches are refused does not hold up the rest"
)
async def halves(bench: Bench) -> None:
    bench.publish()
    bench.publish(task=OTHER)
    bench.repository.failures["/reports"] = (503, {})
    await bench.once()
    waiting = _ids(bench.sent_reports())
    expect(len(waiting) > 1, "reports of both installations in one request", sorted(waiting))
    bench.repository.failures.clear()
    bench.repository.poison = {sorted(waiting)[0]}
    others = waiting - bench.repository.poison
    async with bench.living():
        await bench.until(lambda: others <= _ids(bench.repository.reports), _SOON_S, "the other reports")
