"""Our own device client passes; clients that are spoiled in one respect fail the checks meant for it, and no others."""

from __future__ import annotations

import pytest

from tests.conformance.forking import Forking
from walle.conformance.checks import select
from walle.conformance.client.running import CHECKS, check_client

pytestmark = pytest.mark.asyncio(loop_scope="module")

SPOILED = [
    ("forgets_the_time", "verify", {"verify.expired"}),
    ("forgets_the_app", "verify", {"verify.app"}),
    ("takes_old_numbers", "verify", {"verify.rolled-back"}),
    ("lacks_nothing", "verify", {"verify.requires"}),
    ("believes_signatures", "verify", {"verify.role", "verify.unknown-key", "verify.tampered"}),
    ("trusts_any_root", "roots", {"roots.signed", "roots.foreign"}),
    ("starts_over", "files", {"files.resume", "files.resume-restart"}),
    ("decodes", "files", {"files.identity"}),
    ("loses_reports", "reports.[afkt]*", {"reports.kept", "reports.killed"}),
    ("keeps_tasks", "removal", {"removal.done"}),
    ("forgets_numbers", "checkin", {"checkin.number", "checkin.number-first"}),
    ("enrols_for_ever", "enrol", {"enrol.gives-up"}),
    ("hammers", "pace", {"pace.back-off"}),
    ("is_impatient", "pace", {"pace.retry-after", "pace.floor", "pace.enrolment"}),
    ("dawdles", "pace.[or]*", {"pace.on-time"}),
    ("never_falls_back", "runs", {"runs.fall-back"}),
    ("forgets_its_spool", "tunnel.[ku]*", {"tunnel.kept"}),
    ("sends_everything_again", "tunnel.acknowledged", {"tunnel.acknowledged"}),
    ("overfills_windows", "tunnel.[wu]*", {"tunnel.window"}),
    ("believes_signatures", "tunnel.[fo]*", {"tunnel.forged"}),
    ("reads_damaged_frames", "tunnel.[mo]*", {"tunnel.malformed"}),
    ("gives_features_up", "tunnel.da*", {"tunnel.damaged"}),
    ("stays_when_drained", "tunnel.again", {"tunnel.again"}),
    ("mixes_variants", "exclusive", {"exclusive.mixed"}),
]


async def outcomes(clients: Forking, pattern: str = "*"):
    checks = select(CHECKS, [pattern])
    return [each async for each in check_client(clients, checks, without=["vectors"], at_once=6)]


async def test_our_own_client_conforms(clients):
    clients.sabotage = ""
    found = await outcomes(clients)
    wrong = {each.check.name: (each.expected, each.found) for each in found if each.result != "passed"}
    assert {name: why for name, why in wrong.items() if not name.startswith("vectors.")} == {}


@pytest.mark.parametrize(("sabotage", "group", "failing"), SPOILED, ids=[name for name, *_ in SPOILED])
async def test_a_spoiled_client_fails_what_is_meant_for_it(clients, sabotage, group, failing):
    clients.sabotage = sabotage
    found = await outcomes(clients, group)
    assert {each.check.name for each in found if each.result != "passed"} == failing
