"""The tunnel in a whole device: what runs hand to it, what it reports, and what survives the device's end."""

from __future__ import annotations

import threading

import pytest

from tests.device.conftest import TASK, running, stopped, until
from tests.device.streaming.conftest import IPV, Counting, publish, runs, visit
from tests.support.waiting import wait_for
from walle.device.embedding import embedded
from walle.device.link.cloud import CloudAnswer
from walle.device.tunnel.answers import FeatureAnswer
from walle.device.tunnel.connection import TunnelConnector
from walle.protocol import tunnel_frames as wire

UPLOAD = {"upload": {"outputs": ["clicks"]}}


async def test_what_events_trigger_goes_up_with_the_time_of_the_event(devices, repository, cloud, base):
    publish(repository, **UPLOAD)
    device = await devices.start(executor=Counting(), tunnel=TunnelConnector(base))
    await device.agent.once()
    visit(device, clicks=3)
    tracked = device.clock.now
    device.clock.now += 2
    began = device.clock.now
    device.bench.error_of = lambda code: setattr(device.clock, "now", began + 3)  # the run takes that long
    await device.agent.once()
    assert cloud.values == [{"clicks": 3}]
    [feature] = cloud.features
    assert (feature.tracked_ms, feature.at_ms) == (round(1000 * tracked), round(1000 * began))
    assert cloud.streams[0].task == IPV


async def test_a_failed_run_and_one_on_private_contents_send_nothing(devices, repository, cloud, base):
    publish(repository, code=b"fails", **UPLOAD)
    publish(repository, task="shop/private", stream={"private": True}, **UPLOAD)
    publish(repository, task="shop/other", **UPLOAD)
    device = await devices.start(executor=Counting(), tunnel=TunnelConnector(base))
    device.bench.error_of = lambda code: "exception:KeyError" if code == b"fails" else None
    await device.agent.once()
    visit(device)
    await device.agent.once()
    assert len(device.bench.ran) == 3
    assert [stream.task for stream in cloud.streams] == ["shop/other"]


async def test_reports_say_what_the_features_cost(devices, repository, cloud, base):
    publish(repository, **UPLOAD)
    device = await devices.start(executor=Counting(), tunnel=TunnelConnector(base))
    await device.agent.once()
    for _ in range(2):
        visit(device)
        await device.agent.once()
    visit(device)
    await device.agent.once()
    told = [report.runs.get("tunnel") for report in runs(repository)]
    size = len('{"clicks":1}')
    counts = device.parts.tunnel.counts()
    assert [cost and cost["raw_bytes"] for cost in told] == [None, size, size]
    assert [cost["connects"] for cost in told[1:]] == [2, 1]  # the first of them had no feature yet
    assert sum(cost["wire_bytes"] for cost in told[1:]) < counts["wire_bytes"]


async def test_a_device_that_is_stopped_keeps_what_its_last_runs_gave(devices, repository, cloud, base):
    cloud.refusal = (503, "")
    repository.publish(TASK, "1.0.0", {"main.py": b"x"}, upload={}, trigger={"every_s": 3600})
    device = await devices.start(tunnel=TunnelConnector(base))
    life = await running(device)
    await until(lambda: device.notices_named("ran"))
    await stopped(device, life)
    cloud.refusal = None
    after = await devices.restart(device, tunnel=TunnelConnector(base))
    after.parts.tunnel.recover()
    await after.parts.tunnel.once()
    assert cloud.values == [{"y": 1}]


async def test_without_a_tunnel_nothing_is_spooled(devices, repository):
    repository.publish(TASK, "1.0.0", {"main.py": b"x"}, upload={})
    device = await devices.start()
    await device.agent.once()
    assert device.notices_named("ran")
    assert not (device.store.root / "tunnel").exists()


async def test_a_server_without_a_tunnel_costs_nothing_else(devices, repository, cloud, base):
    cloud.refusal = (404, "")
    repository.publish(TASK, "1.0.0", {"main.py": b"x"}, upload={})
    device = await devices.start(tunnel=TunnelConnector(base))
    await device.agent.once()
    assert {notice.name for notice in device.notices} <= {"enrolled", "checked-in", "installed", "ran", "reported"}
    assert device.parts.tunnel.counts()["waiting"] == 1


async def test_a_spool_that_cannot_be_used_is_told_and_the_device_goes_on(devices, repository, base):
    repository.publish(TASK, "1.0.0", {"main.py": b"x"}, upload={})
    device = await devices.start(tunnel=TunnelConnector(base))
    (device.store.root / "tunnel").write_bytes(b"a file where the folder would be")
    await device.agent.once()
    assert [notice for notice in device.notices_named("error") if "spool" in notice.text]
    assert device.notices_named("reported")


@pytest.mark.processes
async def test_an_app_sees_its_answers(repository, address, cloud, base, tmp_path, monkeypatch):
    code = b"def run(inputs, context):\n    return {'y': 2 * inputs['x']}\n"
    repository.publish(TASK, "1.0.0", {"main.py": code}, upload={"answer_ms": 60_000})
    monkeypatch.setattr(TunnelConnector, "__init__", elsewhere(TunnelConnector.__init__, base))
    told, app = [], {"app": "shop", "app_version": "1.2.0", "app_key": "app-key", "os": "android", "os_version": "14"}

    def live() -> None:
        with embedded(
            server=address,
            **app,
            folder=tmp_path / "walle",
            inputs=lambda task, manifest: {"x": 3},
            interval=0.05,
            initial_root=repository.roots[1],
            on_answer=lambda *answer: told.append(answer),
        ) as walle:
            wait_for(lambda: told)
            told.append(walle.tunnel_counts()["answers"])

    thread = threading.Thread(target=live)
    thread.start()
    await until(lambda: cloud.values, 60)
    await cloud.send(wire.Answer(cloud.features[0].sequence, wire.ANSWERED, b'{"seen":true}'))
    await until(lambda: not thread.is_alive(), 60)
    assert told == [(TASK, {"y": 6}, FeatureAnswer("answered", {"seen": True})), 1]


def elsewhere(made, base):
    """The tunnel's address is not that of the rest here."""
    return lambda self, address, **more: made(self, base, **more)


async def test_pushed_offers_are_carried_out_and_no_check_in_is_moved(devices, repository):
    repository.publish(TASK, "1.0.0", {"main.py": b"x"})
    device = await devices.start(interval=1000.0)
    await device.agent.once()
    check_ins, now = device.parts.check_ins, device.monotonic()
    check_ins.pacer.answered(now)
    due = now + check_ins.pacer.wait(now)
    device.notices.clear()
    repository.remove(TASK)
    offer = repository.offer(device.store.state.credential.device, TASK)
    check_ins.receive(CloudAnswer((offer,), pushed=True))
    await check_ins.turn()
    assert device.version() is None
    assert now + check_ins.pacer.wait(now) == pytest.approx(due)
    assert [notice.name for notice in device.notices] == ["removed"]
