"""Reports: each is checked, associated with the offer whose token it echoes, and acknowledged once it is durable."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from walle.gateway.buffer import ReportWriter
from walle.gateway.counts import GatewayCounts
from walle.gateway.ports import AppState, PortUnavailable, ReceivedReport
from walle.gateway.problems import HttpProblem, unavailable
from walle.protocol.errors import CredentialRefused
from walle.protocol.keyed import Keyring, OfferStamp
from walle.protocol.reports import MAX_REPORTS, Report, ReportMalformed


class ReportHandler:
    """Answers report batches. `clock` returns Unix seconds."""

    def __init__(self, writer: ReportWriter, counts: GatewayCounts, clock: Callable[[], float]) -> None:
        self._writer = writer
        self._counts = counts
        self._clock = clock

    async def accept(self, app: AppState, device: str, body: bytes) -> dict[str, Any]:
        """Store the valid reports of a batch and return which were accepted and which can never be.

        Raises HttpProblem if the batch is malformed or nothing could be stored.
        """
        keyring, counted = app.keyring, self._counts.reports
        accepted: list[ReceivedReport] = []
        rejected: list[dict[str, Any]] = []
        for value in _parse(body):
            try:
                report = Report.from_dict(value)
            except ReportMalformed as error:
                rejected.append({"id": _claimed_id(value), "code": error.code, "detail": str(error)})
            else:
                offer = read_offer(keyring, report.offer_token, device)
                accepted.append(ReceivedReport(keyring.app, device, report, offer, self._clock()))
        if accepted:
            try:
                await self._writer.write(accepted)
            except PortUnavailable as error:
                counted[keyring.app, "unavailable"] += len(accepted)
                raise unavailable("reports cannot be stored now: send them again") from error
        counted[keyring.app, "acknowledged"] += len(accepted)
        counted[keyring.app, "rejected"] += len(rejected)
        self._counts.reported(app.table, (received.report for received in accepted))
        return {"accepted": [received.report.id for received in accepted], "rejected": rejected}


def read_offer(keyring: Keyring, token: str | None, device: str) -> OfferStamp | None:
    """Return the offer that a token proves was made to this device; without one the report is no evidence."""
    if token is None:
        return None
    try:
        return keyring.read_offer_token(token, device)
    except CredentialRefused:
        return None


def _claimed_id(value: object) -> str | None:
    claimed = value.get("id") if isinstance(value, dict) else None
    return claimed if isinstance(claimed, str) and len(claimed) <= 64 else None


def _parse(body: bytes) -> list[Any]:
    try:
        value = json.loads(body)
        reports = value["reports"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise HttpProblem(400, "body-malformed", 'expected a JSON object with a list "reports"') from error
    if not isinstance(reports, list) or len(reports) > MAX_REPORTS:
        raise HttpProblem(400, "body-malformed", f"reports: expected a list of at most {MAX_REPORTS}")
    return reports
