"""All checks of a server, in the order of the report."""

from __future__ import annotations

from typing import Final

from walle.conformance.server import (
    checkins,
    enrolment,
    exclusive,
    files,
    offers,
    relay,
    reports,
    riding,
    roots,
    tunnel,
)

CHECKS: Final = [
    check
    for part in (enrolment, checkins, roots, offers, files, exclusive, reports, tunnel, riding, relay)
    for check in part.SUITE.checks
]
