"""Checks of reports: accepted once, acknowledged, rejected one by one."""

from __future__ import annotations

import json
import time
from typing import Any, Final
from uuid import uuid4

import httpx

from walle.conformance.checks import ExpectationUnmet, Suite, expect
from walle.conformance.server.target import TASK, Target, describe, expect_refused
from walle.conformance.vectors import load
from walle.protocol import headers as wire

SUITE: Final = Suite[Target]()
_MOST: Final = 200
_MALFORMED: Final = "report-malformed"


def sound(**changes: Any) -> dict[str, Any]:
    """Return a report about a task that does not exist, without an offer token."""
    known = {"task": TASK, "version": "0.0.0-unknown", "manifest": "0" * 64, "kind": "run", "outcome": "success"}
    return {"id": str(uuid4()), "at": time.time(), **known, **changes}


def accepted_ids(response: httpx.Response) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the accepted ids and the rejected reports in a response. Raises ExpectationUnmet if it is malformed."""
    expect(response.status_code == 200, "200", describe(response))
    try:
        answer = response.json()
        accepted, rejected = list(answer["accepted"]), list(answer["rejected"])
        complete = all(isinstance(each["code"], str) and "id" in each for each in rejected)
    except (ValueError, KeyError, TypeError) as error:
        raise ExpectationUnmet('an object with "accepted" and "rejected"', response.text[:200]) from error
    expect(complete, "id and code with each rejected report", rejected)
    return accepted, rejected


@SUITE.check("reports.accepted", "reports", "A sound report is accepted under its id")
async def accepted(target: Target) -> None:
    report = sound(future={"is": "ignored"})
    ids, rejected = accepted_ids(await target.report(await target.device(), [report]))
    expect((ids, rejected) == ([report["id"]], []), f"accepted {report['id']}", {"accepted": ids, "rejected": rejected})


@SUITE.check("reports.again", "reports", "A report that comes again is accepted again")
async def repeated(target: Target) -> None:
    report, device = sound(), await target.device()
    for _ in range(2):
        ids, _rejected = accepted_ids(await target.report(device, [report]))
        expect(ids == [report["id"]], f"accepted {report['id']} each time", ids)
    ids, _rejected = accepted_ids(await target.report(device, [report, report]))
    expect(set(ids) == {report["id"]}, f"accepted {report['id']} twice in one request", ids)


@SUITE.check("reports.one-by-one", "reports", "A malformed report does not stand in the way of the others")
async def one_by_one(target: Target) -> None:
    good, bad = sound(), sound(outcome="perhaps")
    ids, rejected = accepted_ids(await target.report(await target.device(), [bad, good]))
    expect(ids == [good["id"]], f"accepted {good['id']}", ids)
    found = [(each["id"], each["code"]) for each in rejected]
    expect(found == [(bad["id"], _MALFORMED)], f"rejected {bad['id']} as {_MALFORMED}", found)


@SUITE.check("vectors.reports", "reports", "Reports are taken and refused as the vectors say")
async def vectors(target: Target) -> None:
    cases = [(vector, _own(vector["report"])) for vector in load("reports.json")]
    device = await target.device()
    ids: list[str] = []
    rejected: list[dict[str, Any]] = []
    for start in range(0, len(cases), _MOST):
        sent = [report for _, report in cases[start : start + _MOST]]
        taken, not_taken = accepted_ids(await target.report(device, sent))
        ids += taken
        rejected += not_taken
    wrong = [vector["name"] for vector, report in cases if "error" not in vector and report["id"] not in ids]
    expect(not wrong, "every sound report accepted", f"not: {', '.join(wrong)}")
    refused = [vector["name"] for vector, _ in cases if "error" in vector]
    expect(len(rejected) == len(refused), f"{len(refused)} rejected", len(rejected))
    codes = {each["code"] for each in rejected}
    expect(codes == {_MALFORMED}, _MALFORMED, sorted(codes))


def _own(report: Any) -> Any:
    """Return a vector as a new report about a task that does not exist, without its offer token."""
    if not isinstance(report, dict):
        return report
    changes: dict[str, Any] = {"offer_token": None} if str(report.get("offer_token")).startswith("k1.") else {}
    changes |= {"task": TASK} if report.get("task") == "camera/digits" else {}
    own = uuid4()
    names = {"6f1c2f0e-5a55-4a3f-9c0b-0d4b2a1c7e11": str(own), "6F1C2F0E-5A55-4A3F-9C0B-0D4B2A1C7E11": str(own).upper()}
    if report.get("id") in names:
        changes["id"] = names[report["id"]]
    return {**report, **changes}


@SUITE.check("reports.most", "limits", "200 reports in one request, and no more")
async def most(target: Target) -> None:
    device = await target.device()
    too_many = [sound(outcome="perhaps") for _ in range(_MOST + 1)]
    expect_refused(await target.report(device, too_many), 400, "body-malformed")
    _ids, rejected = accepted_ids(await target.report(device, too_many[:_MOST]))
    expect(len(rejected) == _MOST, f"an answer for each of {_MOST} reports", len(rejected))


@SUITE.check("reports.body", "errors", "A body that is no JSON object with reports: 400 body-malformed")
async def body_malformed(target: Target) -> None:
    headers = target.headers(await target.device())
    for body in (b"", b"{", b"[]", b"null", b"{}", b'{"reports": {}}', b'{"reports": 7}', b"\xff", b"[" * 100_000):
        expect_refused(await target.post_reports(headers, body), 400, "body-malformed")


@SUITE.check("reports.too-large", "limits", "More than 2 MiB: 413 body-too-large")
async def too_large(target: Target) -> None:
    body = json.dumps({"reports": [sound()], "future": "x" * (2 << 20)}).encode()
    expect_refused(await target.post_reports(target.headers(await target.device()), body), 413, "body-too-large")


@SUITE.check("reports.headers-first", "errors", "What is wrong with the headers is said before the body is read")
async def headers_first(target: Target) -> None:
    device, body = await target.device(), b"{"
    headers = target.headers(device)
    expect_refused(await target.post_reports({**headers, wire.DEVICE: "nobody"}, body), 400, "header-malformed")
    forged = f'"{device.device}";c="k1.1.x.0"'
    response = await target.post_reports({**headers, wire.DEVICE: forged}, body)
    expect_refused(response, 401, "credential-invalid", "credential-key-retired", "credential-expired")


@SUITE.check("reports.foreign-token", "reports", "A report with another device's offer token is taken, as no evidence")
async def foreign_token(target: Target) -> None:
    report = sound(offer_token="k1.1.1.1.1.conformance")  # noqa: S106 - nobody's
    ids, _rejected = accepted_ids(await target.report(await target.device(), [report]))
    expect(ids == [report["id"]], f"accepted {report['id']}", ids)


@SUITE.check("reports.method", "errors", "Reports are a POST: 405 method-not-allowed")
async def method(target: Target) -> None:
    headers = target.headers(await target.device())
    expect_refused(await target.request("GET", "/reports", headers=headers), 405, "method-not-allowed")
