"""Checks of a client's enrolments and check-ins."""

from __future__ import annotations

import json
from typing import Any, Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.conformance.client.repository import RecordedRequest
from walle.protocol import headers as wire

SUITE: Final = Suite[Bench]()
_MOST: Final = 2
"""The most enrolments in one run: the first, and one because of a refusal."""


def _body(request: RecordedRequest) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request.body)
    return body


def _device(request: RecordedRequest) -> str:
    return wire.read_device(request.headers["walle-device"].encode("latin-1")).device


@SUITE.check("enrol.first", "enrolment", "Without a credential it enrols, and checks in as the device that it is then")
async def first(bench: Bench) -> None:
    await bench.once()
    enrolled = bench.requests_to("/enrol")
    expect(len(enrolled) == 1, "one enrolment", len(enrolled))
    expect(_body(enrolled[0]).get("app") == "shop", "the app in the enrolment", _body(enrolled[0]))
    expect(bench.check_ins(), "a check-in", "none")
    devices = {_device(request) for request in bench.check_ins()}
    expect(devices == {"device-1"}, "device-1", devices)


@SUITE.check("enrol.kept", "enrolment", "The credential is kept over a restart")
async def kept(bench: Bench) -> None:
    await bench.once()
    await bench.once()
    expect(not bench.requests_to("/enrol"), "no second enrolment", f"{len(bench.requests_to('/enrol'))} more")
    expect(bench.check_ins(), "a check-in", "none")


@SUITE.check("enrol.renewed", "enrolment", "Refused with a credential- code it enrols again, showing what it had")
async def renewed(bench: Bench) -> None:
    await bench.once()
    bench.repository.rotate_credential_key()
    await bench.once()
    enrolments = bench.requests_to("/enrol")
    expect(len(enrolments) == 1, "one enrolment after the refusal", len(enrolments))
    body = _body(enrolments[0])
    expect(body.get("device") == "device-1" and body.get("credential"), "device and credential in it", sorted(body))
    check_ins = [request for request in bench.check_ins() if request.at > enrolments[0].at]
    expect(check_ins and _device(check_ins[-1]) == "device-1", "a check-in as device-1 afterwards", len(check_ins))


@SUITE.check("enrol.gives-up", "enrolment", "When the new credential is refused as well, it does not go on enrolling")
async def gives_up(bench: Bench) -> None:
    bench.repository.failures["/checkin"] = (401, {"walle_error": "credential-invalid"})
    await bench.once()
    expect(len(bench.requests_to("/enrol")) <= _MOST, f"at most {_MOST} enrolments", len(bench.requests_to("/enrol")))


@SUITE.check("enrol.revoked", "errors", "A revoked device does not enrol")
async def revoked(bench: Bench) -> None:
    await bench.once()
    bench.repository.revoked.add("device-1")
    bench.publish()
    await bench.once()
    expect(bench.check_ins(), "a check-in", "none")
    expect(not bench.requests_to("/enrol"), "no enrolment", f"{len(bench.requests_to('/enrol'))}")


@SUITE.check("checkin.headers", "request-headers", "Walle-Device, Walle-App and Walle-Profile are well formed")
async def headers(bench: Bench) -> None:
    await bench.installed()
    expect(not bench.repository.malformed, "headers that can be read", bench.repository.malformed[:1])
    found = wire.read_app(bench.check_ins()[-1].headers["walle-app"].encode("latin-1"))
    expect((found.app, found.app_version) == ("shop", "1.2.0"), "shop 1.2.0", f"{found.app} {found.app_version}")


@SUITE.check("checkin.canonical", "structured-fields", "Headers are in the canonical form", mandatory=False)
async def canonical(bench: Bench) -> None:
    await bench.installed()
    sent = bench.check_ins()[-1].headers
    device, profile = sent["walle-device"], sent.get("walle-profile", "")
    expected = wire.write_device(wire.read_device(device.encode()))
    expect(device == expected, "Walle-Device as it is written canonically", device.replace(device, "another form"))
    expect(profile == wire.write_profile(wire.read_profile(profile.encode())), "the same of Walle-Profile", profile)
    found = {request.headers.get("walle-app") for request in bench.check_ins()}
    expect(len(found) == 1, "Walle-App in equal bytes each time", found)


@SUITE.check("checkin.profile", "walle-profile", "The profile names what is installed, and is left out before")
async def profile(bench: Bench) -> None:
    manifest = await bench.installed()
    expect("walle-profile" not in bench.check_ins()[0].headers, "no Walle-Profile at first", bench.profile(0))
    await bench.once()
    bench.expect_installed(manifest, which=0)


@SUITE.check("checkin.number", "table-numbers", "It sends the highest number it has seen, also after a restart")
async def number(bench: Bench) -> None:
    await bench.installed()
    await bench.once()
    found = wire.read_device(bench.check_ins()[0].headers["walle-device"].encode()).number
    expect(found == bench.repository.number, f"n={bench.repository.number}", f"n={found}")


@SUITE.check("checkin.number-first", "table-numbers", "A verified number is stored before the offer is carried out")
async def number_first(bench: Bench) -> None:
    manifest = bench.publish()
    bench.repository.blobs = dict.fromkeys(bench.repository.blobs, b"spoiled")
    await bench.once()
    del bench.repository.tasks[TASK]
    await bench.once()
    found = wire.read_device(bench.check_ins()[0].headers["walle-device"].encode()).number
    expect(found == bench.repository.number, f"n={bench.repository.number} after {manifest.version}", f"n={found}")
