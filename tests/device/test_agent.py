"""The device as a whole: enrolment, check-ins, runs, reports, falling back."""

import asyncio
import logging
import sys
from dataclasses import asdict
from uuid import UUID

import pytest

from tests.device.conftest import TASK, Clock, running, stopped, until
from walle.device import agent
from walle.device.errors import ServerRefused
from walle.device.facts import Facts
from walle.device.link.cloud import Acknowledgement, CloudAnswer
from walle.device.link.enrolment import Enrolment
from walle.device.running.runner import Execution
from walle.device.service import DeviceService, Wake
from walle.device.storage.state import Credential
from walle.protocol.reports import Report

FAILED = Execution(error_class="ValueError", message="no", duration_ms=2.0)
GOOD = Execution(output={"y": 1}, metrics={"confidence": 0.5}, duration_ms=3.5, peak_memory_kb=1000)


def failing(code: bytes):
    """Behaviour of a bench: this code fails, any other works."""
    return lambda found: FAILED if found == code else GOOD


# -- enrolment


async def test_a_device_enrols_once_and_keeps_its_credential(repository, devices):
    device = await devices.start()
    await device.agent.once()
    again = await devices.restart(device)
    await again.agent.once()
    assert len(repository.seen("/enrol")) == 1
    assert len(repository.seen("/checkin")) == 2


async def test_a_device_enrols_by_its_backends_statement(repository, devices):
    statement = repository.statement("user-7", {"age_band": "18-25"})
    device = await devices.start(enrolment=Enrolment("shop", statement=lambda: statement))
    await device.agent.once()
    credential = device.store.state.credential
    assert credential.device == "user-7"
    assert repository.keyring.read_credential(credential.token, "user-7", 0) == {"age_band": "18-25"}


async def test_a_retired_credential_is_renewed_and_the_id_kept(repository, devices):
    device = await devices.start()
    await device.agent.once()
    old = device.store.state.credential
    repository.rotate_credential_key()
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    await device.agent.once()
    await device.agent.once()
    new = device.store.state.credential
    assert new.device == old.device
    assert new.token != old.token
    assert device.version() == "1.0.0"


async def test_a_revoked_device_stays_away_and_does_not_enrol_anew(repository, devices):
    device = await devices.start()
    await device.agent.once()
    repository.revoked = {"device-1"}
    for _ in range(3):
        await device.agent.once()
    assert len(repository.seen("/enrol")) == 1
    assert device.notices_named("refused-by-server")[-1].data["reason"] == "device-revoked"
    assert device.parts.check_ins.pacer.failures == 3


async def test_a_refused_app_key_is_tried_ever_more_rarely(repository, devices):
    device = await devices.start(enrolment=Enrolment("shop", app_key="stolen"))
    for _ in range(3):
        await device.agent.once()
    assert device.parts.check_ins.pacer.failures == 3
    assert repository.seen("/checkin") == []


async def test_the_headers_say_who_and_what(repository, devices):
    device = await devices.start()
    await device.agent.once()
    sent = repository.seen("/checkin")[0]
    assert sent["walle-app"] == (
        f'"shop";v="1.2.0";os="android";osv="14";perf="high";rg="eu";interpreter="{sys.implementation.cache_tag}"'
        ";kind-workflow"
    )
    assert sent["walle-device"].startswith('"device-1";c="')


# -- the loop


async def test_the_loop_installs_runs_and_reports(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"}, trigger={"every_s": 0.05})
    device = await devices.start()
    task = await running(device)
    await until(lambda: len([r for r in repository.reports if r["kind"] == "run"]) >= 3)
    repository.publish(TASK, "2.0.0", {"main.py": b"two"}, trigger={"every_s": 0.05})
    await until(lambda: any(r["kind"] == "run" and r["version"] == "2.0.0" for r in repository.reports))
    await stopped(device, task)
    assert device.notices_named("error") == []
    for report in repository.reports:
        Report.from_dict(report)
    assert not device.store.markers()


async def test_a_run_is_reported_with_what_it_cost_and_gave(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    device.bench.behaviour = lambda code: GOOD
    await device.agent.once()
    run = next(report for report in repository.reports if report["kind"] == "run")
    assert (run["output"], run["metrics"], run["duration_ms"], run["peak_memory_kb"]) == (
        {"y": 1},
        {"confidence": 0.5},
        3.5,
        1000,
    )
    assert run["offer_token"] == device.store.task(TASK).current.offer_token
    UUID(run["id"])


async def test_a_run_is_reported_with_how_it_began(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"}, trigger={"every_s": 0.02})
    told = iter([Execution(), Execution(start="warm"), Execution(start="cold", vm_end="idle")])
    device = await devices.start()
    device.bench.behaviour = lambda code: next(told, GOOD)
    task = await running(device)
    await until(lambda: len([r for r in repository.reports if r["kind"] == "run"]) >= 3)
    await stopped(device, task)
    runs = [report for report in repository.reports if report["kind"] == "run"]
    assert [(run["start"], run["vm_end"]) for run in runs[:3]] == [("cold", None), ("warm", None), ("cold", "idle")]


async def test_an_output_too_large_for_a_report_is_left_out(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    device.bench.behaviour = lambda code: Execution(output={"y": "x" * 5000})
    await device.agent.once()
    run = next(report for report in repository.reports if report["kind"] == "run")
    assert (run["outcome"], run["output"]) == ("success", None)


@pytest.mark.parametrize("message", ["x" * 9000, "nul \0 and lone \ud800"])
async def test_a_message_is_cut_to_what_a_report_may_say(repository, devices, message):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    device.bench.behaviour = lambda code: Execution(error_class="Odd Name!", message=message)
    await device.agent.once()
    run = next(report for report in repository.reports if report["kind"] == "run")
    Report.from_dict(run)
    assert run["error_class"] == "Odd_Name_"


async def test_without_inputs_a_task_does_not_run(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start(inputs=lambda task, manifest: None)
    await device.agent.once()
    assert device.bench.ran == []


async def test_no_exception_leaves_the_loop(repository, devices, caplog):
    caplog.set_level(logging.CRITICAL)
    repository.publish(TASK, "1.0.0", {"main.py": b"one"}, trigger={"every_s": 0.02})
    calls = []

    def inputs(task, manifest):
        calls.append(task)
        if len(calls) == 1:
            raise RuntimeError("the app's input source fails")
        return {"x": 1}

    device = await devices.start(inputs=inputs)
    device.bench.behaviour = lambda code: (_ for _ in ()).throw(OSError("the container fails"))
    task = await running(device)
    await until(lambda: any(r["error_class"] == "OSError" for r in repository.reports))
    await stopped(device, task)
    assert "RuntimeError: the app's input source fails" in device.notices_named("error")[0].text


async def test_a_bug_in_a_turn_is_survived(repository, devices, caplog):
    caplog.set_level(logging.CRITICAL)
    device = await devices.start()
    device.parts.check_ins._trust.refresh = None
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    await device.agent.once()
    assert device.notices_named("error")


async def test_stopping_ends_a_run_without_a_verdict(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    begun = asyncio.Event()

    class Endless:
        async def __call__(self, *_):
            begun.set()
            await asyncio.Event().wait()

    device = await devices.start(executor=Endless())
    task = await running(device)
    await asyncio.wait_for(begun.wait(), 10)
    assert len(device.store.markers()) == 1
    await stopped(device, task)
    assert not device.store.markers()
    assert not any(report["kind"] == "run" for report in repository.reports)


@pytest.mark.parametrize("change", ["updates", "removal"])
async def test_the_folder_of_a_run_in_progress_stays_until_it_ends(repository, devices, change):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    begun, go_on = asyncio.Event(), asyncio.Event()
    found = []

    class Slow:
        async def __call__(self, bundle, manifest, inputs):
            begun.set()
            await go_on.wait()
            found.append((bundle / "main.py").read_bytes())
            return Execution(output={"y": 1})

        async def end(self, bundle):
            pass

    device = await devices.start(executor=Slow())
    check_ins = device.parts.check_ins
    await check_ins.once()
    folder = device.store.task(TASK).current.folder
    run = asyncio.create_task(device.parts.tasks.once())
    await asyncio.wait_for(begun.wait(), 10)
    if change == "removal":
        repository.remove(TASK)
        await check_ins.once()
    else:
        repository.publish(TASK, "2.0.0", {"main.py": b"two"})
        await check_ins.once()
        ran = device.store.task(TASK).ran(device.store.task(TASK).current.folder, success=True)
        device.store.commit(lambda state: state.with_task(TASK, ran), step="run counted")
        repository.publish(TASK, "3.0.0", {"main.py": b"three"})
        await check_ins.once()
    assert folder not in device.store.state.folders()
    assert device.store.installs.bundle(folder).exists()
    go_on.set()
    await run
    assert found == [b"one"]
    repository.publish(TASK, "4.0.0", {"main.py": b"four"})
    await check_ins.once()
    assert not device.store.installs.bundle(folder).exists(), "nothing runs there any more"


async def test_the_servers_pace_is_kept(repository, devices):
    repository.retry_after = 100
    monotonic = Clock(0.0)
    device = await devices.start(monotonic=monotonic)
    check_ins = device.parts.check_ins
    await check_ins.turn()
    assert check_ins.pacer.wait(0) == 100
    monotonic.now = 99
    await check_ins.turn()
    assert len(repository.seen("/checkin")) == 1
    monotonic.now = 100
    await check_ins.turn()
    assert len(repository.seen("/checkin")) == 2


async def test_a_server_that_is_down_is_asked_ever_more_rarely_and_reports_wait(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    await device.agent.once()
    before = len(repository.reports)
    repository.status = 503
    for _ in range(4):
        await device.agent.once()
    assert device.parts.check_ins.pacer.failures == 4
    assert device.notices_named("offline")
    waiting = device.store.outbox.batch(100)
    repository.status = None
    again = await devices.restart(device)
    await again.agent.once()
    ids = {report["id"] for report in waiting}
    assert ids <= {report["id"] for report in repository.reports}
    assert len(repository.reports) >= before + len(ids)
    assert len(again.store.outbox) == 0


# -- reports


def runs(repository) -> list[dict]:
    return [report for report in repository.reports if report["kind"] == "run"]


async def test_a_report_that_is_refused_for_good_is_forgotten(repository, devices):
    device = await devices.start()
    device.store.outbox.put({"id": "bad"})
    repository.rejected = {"bad": "report-malformed"}
    await device.agent.once()
    assert len(device.store.outbox) == 0


async def test_a_batch_refused_as_a_whole_is_halved_until_one_is_alone(repository, devices):
    device = await devices.start()
    await device.agent.once()
    sent = []

    async def send_reports(reports, headers):
        sent.append(len(reports))
        if any(report["id"] == "3" for report in reports):
            raise ServerRefused(400, "body-malformed")
        return Acknowledgement(tuple(report["id"] for report in reports))

    device.parts.sender._cloud.send_reports = send_reports
    for number in range(8):
        device.store.outbox.put({"id": str(number)})
    for _ in range(8):
        await device.parts.sender.send()
    assert len(device.store.outbox) == 0
    assert 1 in sent


async def test_reports_wait_for_enrolment(repository, devices):
    device = await devices.start(enrolment=Enrolment("shop", app_key="wrong"))
    device.store.outbox.put({"id": "x"})
    assert await device.parts.sender.turn() is None
    assert len(device.store.outbox) == 1


async def test_the_same_report_twice_is_one(repository, devices):
    """The acknowledgement was lost; the second sending changes nothing."""
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    await device.agent.once()
    copies = [dict(report) for report in repository.reports]
    for report in copies:
        device.store.outbox.put(report)
    await device.agent.once()
    ids = [report["id"] for report in repository.reports]
    assert len(ids) == len(set(ids))
    assert len(device.store.outbox) == 0


# -- falling back


async def good_then_bad(repository, devices):
    """A device on which 1.0.0 works and 2.0.0 was just installed, and fails."""
    repository.publish(TASK, "1.0.0", {"main.py": b"good"}, trigger={"every_s": 60})
    device = await devices.start(monotonic=Clock(0.0))
    device.bench.behaviour = failing(b"bad")
    await device.agent.once()
    repository.publish(TASK, "2.0.0", {"main.py": b"bad"}, trigger={"every_s": 60})
    await device.agent.once()
    assert device.version() == "2.0.0"
    return device


async def next_period(device):
    device.monotonic.now += 61
    await device.agent.once()


async def test_a_version_that_keeps_failing_gives_way_by_itself_offline(repository, devices):
    device = await good_then_bad(repository, devices)
    repository.status = 503
    for _ in range(2):
        await next_period(device)
    assert device.version() == "1.0.0"
    assert device.notices_named("fell-back")[0].text == f"{TASK}: back from 2.0.0 to 1.0.0"
    await next_period(device)
    assert device.bench.ran[-1][0] == b"good"


async def test_falling_back_is_reported_and_the_version_not_installed_again(repository, devices):
    device = await good_then_bad(repository, devices)
    for _ in range(3):
        await next_period(device)
    gone = [report for report in repository.reports if report["error_class"] == "fell-back"]
    assert [(r["kind"], r["outcome"], r["version"]) for r in gone] == [("remove", "failure", "2.0.0")]
    assert device.version() == "1.0.0"
    assert "fell-back-before" in [notice.data["code"] for notice in device.notices_named("refused")]
    envelope = repository.tasks[TASK].envelope
    assert sum(repository.put(envelope)["digest"] in path for path, *_ in repository.requests) == 1


@pytest.mark.parametrize("error_class", ["sandbox-error", "input-invalid"])
async def test_what_no_version_can_help_is_no_reason_to_fall_back(repository, devices, error_class):
    device = await good_then_bad(repository, devices)
    device.bench.behaviour = lambda code: Execution(error_class=error_class)
    for _ in range(5):
        await next_period(device)
    assert device.version() == "2.0.0"
    assert [r["error_class"] for r in repository.reports].count(error_class) == 5


async def test_an_app_update_gives_the_version_another_chance(repository, devices):
    device = await good_then_bad(repository, devices)
    for _ in range(3):
        await next_period(device)
    facts = Facts("shop", "1.3.0", "android", "14")
    again = await devices.restart(device, facts=facts)
    await again.agent.once()
    assert again.version() == "2.0.0"


async def test_a_fixed_version_replaces_the_one_that_failed(repository, devices):
    device = await good_then_bad(repository, devices)
    for _ in range(3):
        await next_period(device)
    repository.publish(TASK, "2.0.1", {"main.py": b"fixed"})
    await device.agent.once()
    assert device.version() == "2.0.1"


# -- crashes


def left_running(device) -> None:
    """As if the process had died in the middle of a run of what is installed."""
    current = device.store.task(TASK).current
    run_id = f"00000000-0000-4000-8000-{device.clock.now:012.0f}"
    device.store.mark_running(run_id, {**asdict(current), "at": device.clock.now})


async def test_a_run_that_was_not_survived_is_reported_as_crashed(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    await device.agent.once()
    left_running(device)
    again = await devices.restart(device)
    await again.agent.once()
    crashed = [report for report in repository.reports if report["error_class"] == "crashed"]
    assert [(r["kind"], r["outcome"], r["version"]) for r in crashed] == [("run", "failure", "1.0.0")]
    assert crashed[0]["offer_token"]
    Report.from_dict(crashed[0])
    third = await devices.restart(again)
    await third.agent.once()
    assert sum(report["error_class"] == "crashed" for report in repository.reports) == 1


async def test_a_run_whose_report_was_queued_did_not_crash(repository, devices):
    """The process died between queueing the report and removing the marker."""
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    await device.agent.once()
    left_running(device)
    run_id = next(iter(device.store.markers()))
    device.store.outbox.put({**runs(repository)[0], "id": run_id})
    again = await devices.restart(device)
    await again.agent.once()
    assert not any(report["error_class"] == "crashed" for report in repository.reports)
    assert not again.notices_named("crashed"), "nor is it counted as one"


async def test_a_version_that_takes_the_app_down_does_not_do_so_for_ever(repository, devices):
    device = await good_then_bad(repository, devices)
    repository.status = 503
    for _ in range(3):
        left_running(device)
        device.clock.now += 1
        device = await devices.restart(device)
        device.agent.recover()
    assert device.version() == "1.0.0"


async def test_damage_is_told_and_repaired_from_the_cloud(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    await device.agent.once()
    file = device.store.installs.bundle(device.store.task(TASK).current.folder) / "main.py"
    file.unlink()
    file.write_bytes(b"rot")
    again = await devices.restart(device)
    await again.agent.once()
    assert again.notices_named("damaged")
    assert again.version() == "1.0.0"
    assert file.read_bytes() == b"one"


# -- answers that came on the app's requests


async def test_an_answer_on_an_apps_request_is_acted_upon(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start(interval=1000)
    await device.parts.check_ins._enrol()
    device.parts.check_ins.pacer.answered(0)
    device.parts.check_ins.receive(CloudAnswer((repository.offer("device-1", TASK),)))
    await device.parts.check_ins.turn()
    assert device.version() == "1.0.0"
    assert repository.seen("/checkin") == []


async def test_a_refusal_on_an_apps_request_leads_to_a_new_credential(repository, devices):
    monotonic = Clock(1.0)
    device = await devices.start(monotonic=monotonic)
    device.store.save_credential(Credential("device-9", "old.1..x"))
    device.parts.check_ins.receive(CloudAnswer(error="credential-key-retired"))
    await device.parts.check_ins.turn()
    monotonic.now += 1
    await device.parts.check_ins.turn()
    assert len(repository.seen("/enrol")) == 1
    assert device.store.state.credential.device == "device-1"


async def test_a_refusal_of_the_app_on_its_request_leaves_the_credential_as_it_is(repository, devices):
    device = await devices.start(interval=1000)
    await device.parts.check_ins._enrol()
    device.parts.check_ins.pacer.answered(0)
    device.parts.check_ins.receive(CloudAnswer(error="app-unknown"))
    await device.parts.check_ins.turn()
    assert device.notices_named("refused-by-server")[-1].data == {"reason": "app-unknown"}
    assert device.parts.check_ins.enrolled


async def test_a_new_credential_that_is_refused_as_well_is_not_renewed_at_once(repository, devices):
    device = await devices.start()
    repository.failures["/checkin"] = (401, {"walle_error": "credential-invalid"})
    await device.agent.once()
    assert len(repository.seen("/enrol")) == 2
    repository.failures.clear()
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    await device.agent.once()
    assert device.version() == "1.0.0"


async def test_a_turn_that_does_not_end_holds_no_end_up(monkeypatch):
    class Stuck(DeviceService):
        def __init__(self) -> None:
            self.wake, self.begun, self.ended = Wake(), asyncio.Event(), False

        async def turn(self) -> None:
            self.begun.set()
            await asyncio.Event().wait()

        async def stop(self) -> None:
            self.ended = True

    monkeypatch.setattr(agent, "LAST_TURN_S", 0.01)
    stuck = Stuck()
    device = agent.Agent([stuck])
    life = asyncio.create_task(device.run())
    await stuck.begun.wait()
    device.stop()
    async with asyncio.timeout(10):
        await life
    assert stuck.ended
