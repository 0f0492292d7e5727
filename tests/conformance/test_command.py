"""`walle conformance` as people run it: real processes, the report, the exit status."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from tests.conformance.servers import Shop
from tests.gateway.serving import serving
from tests.gateway.simulator import APP_KEY
from walle.cli.app import run
from walle.conformance import report
from walle.conformance.checks import Absent, Check, CheckOutcome, attempt, select
from walle.conformance.client.running import CHECKS as CLIENT_CHECKS
from walle.conformance.client.vectors import cases
from walle.conformance.server import CHECKS as SERVER_CHECKS
from walle.conformance.vectors import load

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
OURS = f"{sys.executable} {ROOT / 'examples' / 'conformance' / 'client.py'}"


def walle(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "walle.cli", "conformance", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=ROOT)


def test_our_client_as_a_command_passes_with_its_vectors():
    done = walle(OURS, "--only", "vectors", "--only", "reports.form", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert (told["conforms"], told["failed"], told["skipped"]) == (True, 0, 0)
    assert {row["name"] for row in told["checks"]} >= {"reports.form", "vectors.headers", "vectors.frames"}
    assert all(row["section"].startswith("docs/protocol.md#") for row in told["checks"])


def test_a_client_that_does_nothing_fails_and_the_report_says_what_was_expected(tmp_path):
    done = walle("true", "--only", "enrol.first", "--only", "verify.role", "--logs", str(tmp_path / "logs"))
    assert done.returncode == 1
    assert re.search(r"✗ +enrol\.first .*\n.*expected one enrolment *\n.*found 0", done.stdout), done.stdout
    assert "It does not conform." in done.stdout
    assert (tmp_path / "logs" / "enrol.first.log").exists()


def test_a_client_that_dies_by_a_signal_fails():
    done = walle("sh -c 'kill -9 $$' client", "--only", "enrol.first")
    assert "expected a client that ends by itself" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["no-such-command-anywhere"], 2, "no such command"),
        (["true", "--only", "nonsense"], 2, "the groups are"),
        (["true", "--without", "everything"], 2, "exclusive, runs, tunnel, deferral, vectors"),
        (["http://127.0.0.1:9", "--app-key", "x"], 6, "127.0.0.1:9"),
        (["http://127.0.0.1:9", "--root", "/no/such/file"], 2, "/no/such/file"),
        (["http://127.0.0.1:9", "--fact", "x"], 2, "x"),
    ],
)
def test_what_cannot_be_checked_is_said(words, status, said, capsys):
    assert run(["conformance", *words]) == status
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err


async def test_a_server_by_its_address(tmp_path):
    import asyncio

    async with serving(Shop(tmp_path).application) as address:
        words = (address, "--app", "shop", "--app-key", APP_KEY, "--only", "enrol", "--json")
        done = await asyncio.to_thread(walle, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        told = json.loads(done.stdout)
        assert told["wrote"][0].endswith("enrolments")
        assert told["failed"] == 0


@pytest.mark.parametrize("checks", [SERVER_CHECKS, CLIENT_CHECKS], ids=["server", "client"])
def test_each_check_names_a_section_of_the_document(checks):
    headings = re.findall(r"^#+ (.*)$", (ROOT / "docs" / "protocol.md").read_text(), re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert {check.section for check in checks} <= anchors
    names = [check.name for check in checks]
    assert len(set(names)) == len(names)


def test_a_group_or_a_pattern_chooses_checks():
    assert {check.name for check in select(SERVER_CHECKS, ["roots"])} == {
        check.name for check in SERVER_CHECKS if check.name.startswith("roots.")
    }
    assert [check.name for check in select(SERVER_CHECKS, ["*.method"])] == [
        "enrol.method",
        "checkin.method",
        "reports.method",
    ]
    assert select(SERVER_CHECKS) == SERVER_CHECKS


def outcome(result: str, *, mandatory: bool = True) -> CheckOutcome:
    async def run(subject: object) -> None: ...

    check = Check("files.resume-restart", "A requirement of some length " * 3, "files", mandatory, run)
    return CheckOutcome(check, result, "one thing " * 8 if result == "failed" else None, "another")


@pytest.mark.parametrize(
    ("results", "conforms"),
    [
        ([("passed", True)], True),
        ([("passed", True), ("failed", False), ("skipped", False)], True),
        ([("passed", True), ("failed", True)], False),
        ([("passed", True), ("skipped", True)], False),
        ([], False),
    ],
)
def test_conforming_is_passing_every_mandatory_check(results, conforms):
    assert report.conforms([outcome(result, mandatory=mandatory) for result, mandatory in results]) is conforms


async def test_a_check_of_what_is_left_out_does_not_count():
    async def run(subject: object) -> None:
        raise Absent("there is none")

    made = await attempt(Check("tunnel.text", "A requirement", "frames", True, run), None)
    assert (made.result, made.found, made.counts) == ("skipped", "there is none", False)
    assert report.conforms([made, outcome("passed")])
    assert not report.conforms([made, outcome("failed")])


@pytest.mark.parametrize("width", [80, 200])
def test_the_report_fits_and_loses_nothing(width):
    console = Console(file=io.StringIO(), width=width)
    console.print(report.table("x", [outcome("failed"), outcome("skipped"), outcome("passed", mandatory=False)]))
    lines = console.file.getvalue().splitlines()
    text = " ".join(" ".join(lines).split())
    assert all(len(line) <= width for line in lines)
    assert text.count("files.resume-restart") == 3
    assert "expected" in text
    assert "skipped: another" in text
    assert "(optional)" in text
    assert "…" not in text


@pytest.mark.parametrize("checks", [SERVER_CHECKS, CLIENT_CHECKS], ids=["server", "client"])
def test_every_section_can_be_read_on_a_narrow_terminal(checks):
    console = Console(file=io.StringIO(), width=80)
    console.print(report.table("x", [CheckOutcome(check, "passed") for check in checks]))
    lines = console.file.getvalue().splitlines()
    start = next(line for line in lines if "requirement" in line).index("section")
    column = [line[start:].strip() for line in lines]
    text = " ".join(word for word in column if word)
    sections = {report.SHORT.get(check.section, check.section.replace("-", " ")) for check in checks}
    assert [section for section in sections if section not in text] == []


def test_questions_do_not_give_their_answers_away():
    files = ("headers", "envelopes", "roots", "assignments", "manifests", "cohort", "frames", "bodies")
    for name in map("{}.json".format, files):
        asked = list(cases(name))
        assert asked
        for _, question, right in asked:
            assert not {"error", "value", "payload", "version", "bucket", "name"} & set(question)
            assert right or name in ("assignments.json", "manifests.json")
    assert sum(len(vectors) for vectors in load("headers.json").values()) == len(list(cases("headers.json")))
