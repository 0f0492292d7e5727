"""docs/protocol.md against the code: every example is read, every code and limit is the one in force."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from walle.artifacts.http import ArtifactApplication
from walle.device import errors as device_errors
from walle.device.link.cloud import read_answer
from walle.device.link.profile import MAX_TASKS
from walle.device.updates.verify import CLOCK_TOLERANCE_S, Sizes
from walle.gateway.application import MAX_BODY, MAX_ENROLMENT
from walle.gateway.checkin import MAX_OFFERS
from walle.gateway.enrolment import CREDENTIAL_S
from walle.gateway.offers import EXCLUSIVE_URL_S, OFFER_LEASE_S
from walle.gateway.problems import HttpProblem
from walle.gateway.uvicorn_heads import MAX_HEAD, MAX_LINES
from walle.protocol import errors, headers, reports
from walle.protocol.deferrals import DEFERRAL, REASONS, read_deferral, write_deferral
from walle.protocol.documents import MAX_FACTS_BYTES, Assignment, FactsStatement, Manifest, Variant, payload_type
from walle.protocol.signing import SIGNING_ROLE, open_envelope
from walle.protocol.signing_libraries import Envelope
from walle.release.rules import compile_rule
from walle.release.table import Table
from walle.schema.values import MAX_DEPTH

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "protocol.md").read_text()
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
JSON = [json.loads(body) for language, body in FENCE.findall(TEXT) if language == "json"]
LINES = [body.strip() for language, body in FENCE.findall(TEXT) if not language]


def of_type(kind: str) -> dict[str, Any]:
    (found,) = [value for value in JSON if value.get("type") == f"walle-{kind}"]
    return dict(found)


def with_member(name: str) -> dict[str, Any]:
    (found,) = [value for value in JSON if name in value]
    return dict(found)


READ: dict[str, Callable[[bytes], Any]] = {
    "Walle-Device": headers.read_device,
    "Walle-App": headers.read_app,
    "Walle-Profile": headers.read_profile,
    "Walle-Offers": headers.read_offers,
    "Walle-Variant": headers.read_variant,
    DEFERRAL: read_deferral,
    "Walle-Retry-After": lambda raw: read_answer({"Walle-Retry-After": raw.decode()}).retry_after,  # type: ignore[arg-type]
    "Walle-Error": lambda raw: read_answer({"Walle-Error": raw.decode()}).error,  # type: ignore[arg-type]
}
CANONICAL: dict[str, Callable[[Any], str]] = {
    "Walle-Device": headers.write_device,
    "Walle-App": headers.write_app,
    "Walle-Profile": headers.write_profile,
    "Walle-Variant": headers.write_variant,
    DEFERRAL: lambda said: write_deferral(*said),
}


@pytest.mark.parametrize("name", READ)
def test_the_example_of_each_header_is_read(name: str) -> None:
    (line,) = [line for line in LINES if line.startswith(f"{name}: ")]
    value = line.removeprefix(f"{name}: ")
    read = READ[name](value.encode())
    assert read
    if name in CANONICAL:
        assert CANONICAL[name](read) == value


def test_every_header_has_a_section() -> None:
    names = {value for name, value in vars(headers).items() if isinstance(value, str) and value.startswith("Walle-")}
    assert names | {DEFERRAL} == set(READ)
    assert all(f"### {name}\n" in TEXT for name in names)


def test_every_parameter_of_an_offer_is_explained() -> None:
    section = TEXT.partition("### Walle-Offers")[2].partition("###")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == {"do", "kind", *headers._OFFER_FIELDS}


@pytest.mark.parametrize(
    ("kind", "read"),
    {
        "manifest": Manifest.from_payload,
        "assignment": Assignment.from_payload,
        "variant": Variant.from_payload,
        "facts": FactsStatement.from_payload,
        "table": Table.from_payload,
    }.items(),
)
def test_the_example_of_each_document_is_read(kind: str, read: Callable[[bytes], Any]) -> None:
    document = of_type(kind)
    assert read(json.dumps(document).encode())
    assert f"`{payload_type(kind)}`" in TEXT
    role = f"`{SIGNING_ROLE[kind]}`" if kind in SIGNING_ROLE else "a key registered with the app"
    assert f"| {kind} | `{payload_type(kind)}` | {role} |" in TEXT


def test_the_examples_have_every_member() -> None:
    assert set(of_type("assignment")) == set(Assignment("", "", "remove", None, 1, 1).to_dict())
    assert set(of_type("variant")) == set(Variant("", "", "", "", 1).to_dict())
    assert set(of_type("facts")) == set(FactsStatement("", "", {}, 1).to_dict())
    table = Table.from_payload(json.dumps(of_type("table")).encode())
    assert table.to_dict() == of_type("table")
    assert compile_rule(table.entries[0].rule)({"app_version": "1.0.0"})


def test_the_envelope_and_its_signing_input() -> None:
    envelope = with_member("payloadType")
    assert open_envelope("manifest", json.dumps(envelope).encode()).payload == b"{}"
    signed = Envelope(b'{"a":1}', payload_type("manifest"), {}).pae()
    assert signed.decode() in LINES
    assert f"these {len(signed)} bytes" in TEXT


def test_the_report_and_its_answer() -> None:
    report = with_member("outcome")
    assert set(reports.Report.from_dict(report).to_dict()) == set(report)
    answer = with_member("accepted")
    assert answer["accepted"] == [report["id"]]
    with pytest.raises(reports.ReportMalformed) as refusal:
        reports.Report.from_dict(report | {"kind": "boot"})
    assert answer["rejected"][0] | {"code": refusal.value.code, "detail": str(refusal.value)} == answer["rejected"][0]


def test_the_aggregate() -> None:
    runs = with_member("cold")
    assert reports.Report.from_dict(with_member("outcome") | {"runs": runs}).runs == runs


def test_the_problem() -> None:
    example = with_member("status")
    assert json.loads(HttpProblem(example["status"], example["code"], example["detail"]).body()) == example


def test_the_limits() -> None:
    section = TEXT.partition("## Limits")[2].partition("\n## ")[0]
    for words in (
        f"{headers.MAX_HEADER_BYTES} bytes; {MAX_TASKS} tasks",
        f"offers in one response | {MAX_OFFERS};",
        f"bytes; {MAX_TASKS} tasks in a profile always fit. {headers.MAX_LINES} lines",
        f"the headers of a request | {MAX_LINES} lines, and {MAX_HEAD} bytes",
        f"a request body | {MAX_BODY >> 20} MiB; of an enrolment {MAX_ENROLMENT >> 10} KiB",
        f"reports in one request | {reports.MAX_REPORTS}",
        f"{reports.MAX_MESSAGE} characters, {reports.MAX_OUTPUT_BYTES} bytes of JSON",
        f"bytes of JSON without spaces nested {MAX_DEPTH} deep, ",
        f", {reports.MAX_METRICS} numbers",
        f"{MAX_FACTS_BYTES} bytes of JSON without spaces",
        f"{Sizes().envelope >> 20} MiB is what our SDK takes",
    ):
        assert words in section
    assert CREDENTIAL_S == 90 * 86_400
    assert "(90 days from now)" in TEXT
    assert EXCLUSIVE_URL_S == 3600
    assert "good for an hour" in TEXT
    assert OFFER_LEASE_S == 24 * 3600
    assert CLOCK_TOLERANCE_S == 300
    assert "wrong by 300 seconds" in TEXT


def documented_codes(section: str) -> set[str]:
    rows = [line for line in TEXT.partition(section)[2].partition("\n## ")[0].splitlines() if line.startswith("| ")]
    return {
        code
        for row in rows
        for cell in row.split("|")[1:]
        for code in re.findall(r"`([a-z]+(?:-[a-z]+)+|unsigned|mixed|expired|missing|unavailable)`", cell)
    }


def test_every_code_of_the_server_is_in_the_table() -> None:
    folders = (ROOT / "walle" / "gateway", ROOT / "walle" / "artifacts")
    sources = "".join(path.read_text() for folder in folders for path in sorted(folder.glob("*.py")))
    said = set(re.findall(r"(?:Problem|refuse)\(\s*\d{3}, \"([a-z-]+)\"", sources))
    said |= {errors.HeaderMalformed.code, errors.CredentialRefused.code, errors.CredentialExpired.code}
    said |= {errors.CredentialKeyRetired.code, errors.Unsigned.code, errors.WrongSignature.code}
    assert ArtifactApplication.__module__ == "walle.artifacts.http"
    assert said - {"gateway-key-refused"} <= documented_codes("## Errors")
    assert documented_codes("## Errors") - {"if-match"} <= said | {"unavailable"}


def test_every_code_of_a_check_is_one_of_the_devices() -> None:
    known = {
        error.code for module in (errors, device_errors) for error in vars(module).values() if hasattr(error, "code")
    }
    found = documented_codes("## What a device checks, in this order")
    assert found <= known
    assert {"rolled-back", "mixed", "digest-mismatch", "requirement-unmet", "root-refused"} <= found


def test_every_vector_file_is_linked() -> None:
    for path in (ROOT / "walle/conformance/vectors").glob("*.json"):
        assert f"](../walle/conformance/vectors/{path.name})" in TEXT


def test_every_reason_for_putting_an_offer_off_is_named() -> None:
    (row,) = [line for line in TEXT.splitlines() if line.startswith("| value | a token, `[a-z][a-z-]{0,19}`")]
    assert re.findall(r"`([a-z-]+)`", row.split("reason:")[1]) == [*REASONS, "other"]
