"""`walle device track` and `walle device events` with a real device: a process, the real sandbox, kills included."""

from __future__ import annotations

import json
import sys

import pytest

from tests.support.waiting import wait_for
from walle.cli.app import run
from walle.device.streaming.control import NAME

IPV = "shop/ipv"
CODE = b"""
def run(inputs, context):
    return {"clicks": sum(event["kind"] == "click" for event in inputs["events"])}
"""


@pytest.fixture
def device(address, repository, children, tmp_path):
    """Starts a device for which there is a stream task."""
    fields = {"inputs": {"events": {"type": "list"}}, "outputs": {"clicks": {"type": "integer"}}}
    repository.publish(IPV, "1.0.0", {"main.py": CODE}, trigger={"on": ["page_exit"]}, **fields)
    (tmp_path / "root.json").write_bytes(repository.roots[1])
    options = {"server": address, "app": "shop", "app-key": "app-key", "interval": 0.2}
    files = {"root": tmp_path / "root.json", "store": tmp_path / "store"}

    def start():
        words = [word for name, value in (options | files).items() for word in (f"--{name}", str(value))]
        return children.start(sys.executable, "-m", "walle.device", *words)

    return start


def wait_until_reachable(child, folder):
    wait_for(lambda: "nothing new" in child.output() and (folder / NAME).is_socket(), describe=child.output)


@pytest.fixture
def walle(tmp_path, capsys):
    """Runs `walle device` on the device's folder: the status and what was printed."""

    def call(name, *words):
        capsys.readouterr()
        status = run(["device", name, str(tmp_path / "store"), *words])
        return status, capsys.readouterr().out

    return call


def test_events_reach_a_process_and_trigger_its_tasks_also_after_a_kill(device, walle, tmp_path):
    store = tmp_path / "store"
    first = device()
    wait_until_reachable(first, store)
    for words in (("page_enter",), ("click", "--contents", '{"n": 1}'), ("page_exit",)):
        assert walle("track", *words, "--page", "item/1")[0] == 0

    def told():
        return json.loads(walle("events", "--json")[1])

    wait_for(lambda: told()["tasks"] and told()["tasks"][0]["count"] == 1, describe=first.output)
    assert [event["triggered"] for event in told()["events"]] == [[], [], [IPV]]
    assert f"{IPV} 1.0.0: {{'clicks': 1}}" in first.output()

    first.process.kill()
    first.process.wait()
    assert (store / NAME).is_socket()
    assert walle("track", "click", "--page", "item/2")[0] == 6

    second = device()
    wait_for(lambda: walle("track", "click", "--page", "item/2")[0] == 0, describe=second.output)
    wait_for(lambda: told()["counts"] and told()["events"], describe=second.output)
    second.process.terminate()
    wait_for(second.ended, describe=second.output)
    assert not (store / NAME).exists()
    assert [(event["kind"], event["page"]) for event in told()["events"][-1:]] == [("click", "item/2")]


def test_a_device_that_cannot_be_reached_says_why_and_runs_all_the_same(device, tmp_path):
    (tmp_path / "store" / NAME).mkdir(mode=0o700, parents=True)
    child = device()
    wait_for(lambda: "installed" in child.output(), describe=child.output)
    assert "cannot reach this device: expected nothing at" in child.output()
