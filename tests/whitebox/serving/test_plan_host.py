"""Versions on a host: installed as devices install them, or refused; damaged ones are fetched again."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.whitebox.serving.simulator import ADDRESS, LengthEngine, Site
from walle.artifacts import StoreUnavailable
from walle.protocol.documents import Manifest
from walle.protocol.errors import WrongSignature
from walle.protocol.signing import open_envelope
from walle.whitebox.serving import plan_host
from walle.whitebox.serving.engine import PlanBarred
from walle.whitebox.serving.installation.folders import PlanFolders
from walle.whitebox.serving.isolation import IsolatedPlan

GOOD = {"record": {"text": "x" * 75}, "caller": "user-1"}


async def version_of(client: httpx.AsyncClient) -> str:
    answer = await client.post(ADDRESS, json=GOOD)
    return str(answer.json()["version"]) if answer.status_code == 200 else answer.headers["walle-error"]


async def test_a_new_version_takes_over_as_soon_as_it_is_ready(site: Site) -> None:
    async with site.serving() as client:
        assert await version_of(client) == "1.0.0"
        site.release("2.0.0", bias=0.1)
        await site.settled()
        assert await version_of(client) == "2.0.0"


def wrong_key(site: Site) -> dict[str, Any]:
    return {"signer": "timestamp-1"}


def other_task(site: Site) -> dict[str, Any]:
    return {"manifest_document": site.manifest("2.0.0", "reviews/other", {})}


def other_kind(site: Site) -> dict[str, Any]:
    return {"manifest_document": {**site.manifest("2.0.0", "reviews/mood", {}), "kind": "stream"}}


def escaping(site: Site) -> dict[str, Any]:
    return {"manifest_document": site.manifest("2.0.0", "reviews/mood", {"../x": b""})}


def exclusive(site: Site) -> dict[str, Any]:
    document = site.manifest("2.0.0", "reviews/mood", {})
    document["files"] = [{"path": "a", "kind": "exclusive", "template": "b/{user.age}"}]
    return {"manifest_document": document}


def misnamed_parameter(site: Site) -> dict[str, Any]:
    return {"files": {"pipeline.json": b'{"bias": 0}', f"parameters/{'0' * 64}.bin": b"x"}}


def no_archive(site: Site) -> dict[str, Any]:
    return {"files": {"pipeline.json": b"{}"}}


def other_manifest(site: Site) -> dict[str, Any]:
    return {"manifest": sha256(b"another").hexdigest()}


def lying_size(site: Site) -> dict[str, Any]:
    document = site.manifest("2.0.0", "reviews/mood", {"pipeline.json": b'{"bias": 0}'})
    document["files"][0]["size"] = 3
    site.store.put(b'{"bias": 0}')
    return {"manifest_document": document}


@pytest.mark.parametrize(
    ("fault", "error_class"),
    [
        (wrong_key, WrongSignature.code),
        (other_task, "mixed"),
        (other_kind, "kind-unknown"),
        (escaping, "document-malformed"),
        (exclusive, "exclusive-file"),
        (misnamed_parameter, "parameter-mismatch"),
        (no_archive, "archive-malformed"),
        (other_manifest, "mixed"),
        (lying_size, "DigestMismatch"),
    ],
)
async def test_a_version_that_does_not_install_is_told_and_the_base_goes_on(
    site: Site, fault: Any, error_class: str
) -> None:
    async with site.serving() as client:
        entry = site.release("2.0.0", **{"bias": 0.5, **fault(site)})
        await site.settled()
        assert await version_of(client) == "1.0.0"
        ready = (await client.get("/readyz")).json()
        assert ready["ready"]
        assert entry.manifest[:12] in ready["checks"]["failed"]["detail"]
    told = [each for told in site.ports.told for each in told.installations if each.manifest == entry.manifest]
    assert [(each.ready, each.error_class) for each in told] == [(False, error_class)]
    assert entry.manifest not in PlanFolders(site.folder / "serving").installed()


async def test_a_store_that_is_away_is_asked_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    real = site.store.open

    def sometimes(digest: str) -> Any:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise StoreUnavailable("away")
        return real(digest)

    monkeypatch.setattr(site.store, "open", sometimes)
    async with site.serving() as client:
        assert await version_of(client) == "plan-unready"
        site.clock.advance(plan_host.FIRST_PAUSE_S)
        await loaded(site, 1)
        assert await version_of(client) == "1.0.0"


async def test_a_restart_serves_what_is_on_the_disk_without_a_control_plane(site: Site) -> None:
    async with site.serving() as client:
        assert await version_of(client) == "1.0.0"
    site.engine = LengthEngine()
    site.cloud.down = True
    site.ports.remembers = site.cloud.state
    for file in (site.folder / "artifacts").rglob("*"):
        if file.is_file():
            file.unlink()
    async with site.serving() as client:
        # The token must be known: a device proves itself without the control plane.
        headers = {"authorization": "", **site.cloud.headers()}
        answer = await client.post(ADDRESS, json={"record": GOOD["record"]}, headers=headers)
        unknown = await client.post(ADDRESS, json=GOOD)
    assert answer.json()["version"] == "1.0.0"
    assert (unknown.status_code, unknown.headers["walle-error"]) == (503, "tokens-unavailable")


async def test_versions_may_be_loaded_only_when_somebody_asks_for_them(site: Site) -> None:
    site.ahead = False
    site.cloud.entries.append(site.version("1.0.0", task="reviews/other", bias=0.0, release=9))
    site.cloud.publish()
    async with site.serving() as client:
        assert site.process is not None
        assert len(PlanFolders(site.folder / "serving").installed()) == 2
        assert site.process.plans.loaded == {}
        assert await version_of(client) == "1.0.0"
        assert [each.task for each in site.process.plans.loaded.values()] == ["reviews/mood"]


async def test_damaged_files_are_fetched_again_before_anything_is_answered_from_them(site: Site) -> None:
    async with site.serving():
        pass
    (parameter,) = (site.folder / "serving" / "parameters").glob("*.bin")
    parameter.write_bytes(b"damaged")
    site.engine = LengthEngine()
    async with site.serving() as client:
        assert await version_of(client) == "1.0.0"
    assert sha256(parameter.read_bytes()).hexdigest() == parameter.stem


async def test_a_barred_plan_is_passed_over_by_the_request_that_finds_out(site: Site) -> None:
    async with site.serving() as client:
        newer = site.release("2.0.0", bias=0.1, observed=True)
        await site.settled()
        site.engine.broken[newer.manifest] = PlanBarred(newer.manifest, "it crashed", 30.0)
        assert await version_of(client) == "1.0.0"
        site.engine.broken.clear()
        assert await version_of(client) == "1.0.0", "it stays barred for its time"
        site.clock.advance(31)
        assert await version_of(client) == "2.0.0"
    fell = [each for told in site.ports.told for each in told.outcomes if each.error_class == "fell-back"]
    assert [(each.manifest, each.failed) for each in fell] == [(newer.manifest, 1)]


async def test_a_caller_who_had_a_version_that_must_not_run_is_told_of_once(site: Site) -> None:
    async with site.serving() as client:
        newer = site.release("2.0.0", bias=0.1, observed=True)
        await site.settled()
        assert await version_of(client) == "2.0.0"
        assert site.process is not None
        await site.process.outcomes.flush(site.ports)
        site.process.plans.bar(newer.manifest, "another caller's record crashed it", 60.0)
        for caller in ("user-1", "user-1", "user-2"):
            answer = await client.post(ADDRESS, json={**GOOD, "caller": caller})
            assert answer.json()["version"] == "1.0.0"
    fell = [each for told in site.ports.told for each in told.outcomes if each.error_class == "fell-back"]
    assert [(each.caller, each.manifest, each.version) for each in fell] == [("user-1", newer.manifest, "2.0.0")]


async def test_a_plan_that_was_isolated_before_a_restart_is_not_run(site: Site) -> None:
    newer = site.release("2.0.0", bias=0.1)
    site.isolated[newer.manifest] = IsolatedPlan("it looped", site.clock.now + 300)
    async with site.serving() as client:
        assert await version_of(client) == "1.0.0"
        checks = (await client.get("/readyz")).json()["checks"]
    assert "it looped" in checks["isolated"]["detail"]


async def test_what_no_table_names_is_given_up_after_a_while(site: Site) -> None:
    async with site.serving():
        old = site.cloud.entries[0]
        site.release("2.0.0", bias=0.1)
        site.cloud.entries.remove(old)
        site.cloud.publish()
        await site.settled()
        assert site.process is not None
        assert old.manifest in site.process.plans.loaded, "it may come back soon"
        site.clock.advance(plan_host.GRACE_S + 1)
        await until(lambda: site.engine.unloaded == [old.manifest])
        folders = PlanFolders(site.folder / "serving")
        assert old.manifest in folders.installed()
        site.clock.advance(plan_host.KEPT_S + 1)
        await until(lambda: old.manifest not in folders.installed())


def test_processes_of_a_machine_may_install_a_version_at_the_same_time(site: Site, tmp_path: Path) -> None:
    entry = site.cloud.entries[0]
    envelope = site.store.open(entry.envelope_digest).read()
    manifest = Manifest.from_payload(open_envelope("manifest", envelope).payload)
    first, second = PlanFolders(tmp_path / "shared"), PlanFolders(tmp_path / "shared")

    def overtaken(digest: str) -> Any:
        if manifest.digest not in first.installed():
            first.install(envelope, manifest, site.store.open)
        return site.store.open(digest)

    second.install(envelope, manifest, overtaken)
    assert second.installed() == {manifest.digest}
    assert all(path.exists() for path in second.paths(second.manifest(manifest.digest)).values())
    assert [path.name for path in (tmp_path / "shared" / "plans").iterdir()] == [manifest.digest]


def test_what_died_half_way_is_swept_and_never_counts(site: Site, tmp_path: Path) -> None:
    folders = PlanFolders(tmp_path / "serving")
    half = tmp_path / "serving" / "plans" / f".{'a' * 64}.1"
    half.mkdir(parents=True)
    (folders.parameters / f"{'b' * 64}.1.part").write_bytes(b"half")
    (folders.parameters / f"{'c' * 64}.bin").write_bytes(b"of no version")
    (folders.parameters / f"{'c' * 64}.packed").write_bytes(b"made of it")
    assert folders.installed() == frozenset()
    now = half.stat().st_ctime
    assert folders.sweep(now, older_than=100) == 0
    assert folders.sweep(now + 200, older_than=100) == 4
    assert not half.exists()


async def loaded(site: Site, count: int) -> None:
    assert site.process is not None
    plans = site.process.plans
    await until(lambda: len(plans.loaded) == count)


async def until(condition: Any) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)
