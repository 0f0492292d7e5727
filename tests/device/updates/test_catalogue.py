"""What a device must refuse, as the catalogue of `walle conformance` has it, and what our device reports about it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.device.conftest import TASK, Device, Devices
from walle.conformance.checks import Check
from walle.conformance.client.catalogue import INVALID_OFFERS, INVALID_ROOTS
from walle.conformance.client.catalogue.entry import InvalidOffer, Publish, publish_sound
from walle.conformance.client.catalogue.manifests import ESCAPED
from walle.conformance.client.repository import ReferenceRepository
from walle.conformance.client.running import CHECKS
from walle.protocol.reports import Report

OFFERS = [
    pytest.param(offer, publish, id=f"{offer.name}-{number}")
    for offer in INVALID_OFFERS
    for number, publish in enumerate(offer.publish)
]
ROOTS = [
    pytest.param(spoil, id=f"{root.name}-{number}") for root in INVALID_ROOTS for number, spoil in enumerate(root.spoil)
]


def missing_modules(manifest: dict[str, Any]) -> list[str]:
    return [f"no {name}" for name in (*manifest["requires"].get("modules", ()), *manifest.get("bytecode", ()))]


async def device_with(repository: ReferenceRepository, devices: Devices, *, installed: bool) -> Device:
    """A device that lacks all modules, with the sound version 1.0.0 if it is to have one."""
    device = await devices.start(requirements=missing_modules)
    if installed:
        publish_sound(repository, TASK)
        await device.agent.once()
        assert device.version() == "1.0.0"
        repository.reports.clear()
    return device


@pytest.mark.parametrize(("offer", "publish"), OFFERS)
async def test_an_invalid_offer_changes_nothing_and_is_reported_once(
    repository: ReferenceRepository, devices: Devices, tmp_path, offer: InvalidOffer, publish: Publish
):
    device = await device_with(repository, devices, installed=offer.installed)
    publish(repository, TASK)
    before = {path.name for path in (device.store.root / "installs").iterdir()}

    await device.agent.once()

    code = offer.codes[0]
    assert [notice.data["code"] for notice in device.notices_named("refused")] == [code]
    assert device.version() == ("1.0.0" if offer.installed else None)
    assert {path.name for path in (device.store.root / "installs").iterdir()} == before
    assert not list(tmp_path.rglob(ESCAPED))
    kind = "install" if repository.tasks[TASK].manifest else "remove"
    reports = [report for report in repository.reports if report["outcome"] == "failure"]
    assert [(r["task"], r["kind"], r["error_class"]) for r in reports] == [(TASK, kind, code)]
    Report.from_dict(reports[0])


@pytest.mark.parametrize("spoil", ROOTS)
async def test_under_an_invalid_root_nothing_is_done(repository: ReferenceRepository, devices: Devices, spoil):
    first = repository.roots[1]
    repository.rotate()
    repository.rotate()
    publish_sound(repository, TASK)
    spoil(repository)
    device = await devices.start(initial_root=first)
    await device.agent.once()
    assert {notice.data["code"] for notice in device.notices_named("refused")} == {"root-refused"}
    assert device.version() is None
    assert len(device.store.roots()) == 1


def test_each_entry_is_a_check_or_says_that_it_is_none():
    """Else it would have been forgotten in the list of checks; and no two entries have one name."""
    entries = [*INVALID_OFFERS, *INVALID_ROOTS]
    checks: dict[str, Check[Any]] = {check.name: check for check in CHECKS}
    assert len({entry.name for entry in entries}) == len(entries)
    assert {entry.name for entry in entries if entry.checked} <= set(checks)
    assert not {entry.name for entry in entries if not entry.checked} & set(checks)
    assert all(checks[entry.name].requirement == entry.requirement for entry in entries if entry.checked)
