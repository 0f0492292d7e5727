"""Enrolment and check-ins, as a client makes them."""

from __future__ import annotations

import json
from typing import Any, Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.conformance.client.repository import RecordedRequest
from walle.protocol import headers as wire

SUITE: Final = Suite[Bench]()
_ONCE: Final = 2
"""Enrolments in a life at most: the first, and one because of a refusal."""


def _asked(request: RecordedRequest) -> dict[str, Any]:
    asked: dict[str, Any] = json.loads(request.body)
    return asked


def _device(request: RecordedRequest) -> str:
    return wire.read_device(request.headers["walle-device"].encode("latin-1")).device


@SUITE.check("enrol.first", "enrolment", "Without a credential it enrols, and checks in as the device that it is then")
async def first(bench: Bench) -> None:
    await bench.once()
    enrolled = bench.asked("/enrol")
    expect(len(enrolled) == 1, "one enrolment", len(enrolled))
    expect(_asked(enrolled[0]).get("app") == "shop", "the app in the enrolment", _asked(enrolled[0]))
    expect(bench.check_ins(), "a check-in", "none")
    devices = {_device(request) for request in bench.check_ins()}
    expect(devices == {"device-1"}, "device-1", devices)


@SUITE.check("enrol.kept", "enrolment", "The credential is kept over a restart")
async def kept(bench: Bench) -> None:
    await bench.once()
    await bench.once()
    expect(not bench.asked("/enrol"), "no second enrolment", f"{len(bench.asked('/enrol'))} more")
    expect(bench.check_ins(), "a check-in", "none")


@SUITE.check("enrol.renewed", "enrolment", "Refused with a credential- code it enrols again, showing what it had")
async def renewed(bench: Bench) -> None:
    await bench.once()
    bench.repository.rotate_credential_key()
    await bench.once()
    again = bench.asked("/enrol")
    expect(len(again) == 1, "one enrolment after the refusal", len(again))
    asked = _asked(again[0])
    expect(asked.get("device") == "device-1" and asked.get("credential"), "device and credential in it", sorted(asked))
    after = [request for request in bench.check_ins() if request.at > again[0].at]
    expect(after and _device(after[-1]) == "device-1", "a check-in as device-1 afterwards", len(after))


@SUITE.check("enrol.gives-up", "enrolment", "When the new credential is refused as well, it does not go on enrolling")
async def gives_up(bench: Bench) -> None:
    bench.repository.failures["/checkin"] = (401, {"walle_error": "credential-invalid"})
    await bench.once()
    expect(len(bench.asked("/enrol")) <= _ONCE, f"at most {_ONCE} enrolments", len(bench.asked("/enrol")))


@SUITE.check("enrol.revoked", "errors", "A revoked device does not enrol")
async def revoked(bench: Bench) -> None:
    await bench.once()
    bench.repository.revoked.add("device-1")
    bench.publish()
    await bench.once()
    expect(bench.check_ins(), "a check-in", "none")
    expect(not bench.asked("/enrol"), "no enrolment", f"{len(bench.asked('/enrol'))}")


@SUITE.check("checkin.headers", "request-headers", "Walle-Device, Walle-App and Walle-Profile are well formed")
async def headers(bench: Bench) -> None:
    await bench.installed()
    expect(not bench.repository.malformed, "headers that can be read", bench.repository.malformed[:1])
    said = wire.read_app(bench.check_ins()[-1].headers["walle-app"].encode("latin-1"))
    expect((said.app, said.app_version) == ("shop", "1.2.0"), "shop 1.2.0", f"{said.app} {said.app_version}")


@SUITE.check("checkin.canonical", "structured-fields", "Headers are in the canonical form", mandatory=False)
async def canonical(bench: Bench) -> None:
    await bench.installed()
    sent = bench.check_ins()[-1].headers
    device, profile = sent["walle-device"], sent.get("walle-profile", "")
    wanted = wire.write_device(wire.read_device(device.encode()))
    expect(device == wanted, "Walle-Device as it is written canonically", device.replace(device, "another form"))
    expect(profile == wire.write_profile(wire.read_profile(profile.encode())), "the same of Walle-Profile", profile)
    said = {request.headers.get("walle-app") for request in bench.check_ins()}
    expect(len(said) == 1, "Walle-App in equal bytes each time", said)


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
