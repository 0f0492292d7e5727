"""Stream tasks in an app: events from its threads, real runs in a kept VM, and what is left when the app ends."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from tests.device.streaming.conftest import IPV, publish
from tests.support.waiting import wait_for
from walle.device.embedding import embedded
from walle.device.storage.store import DeviceStore
from walle.stream.events import EventRefused
from walle.stream.tables import CollectiveTable, Retention

CODE = b"""
from walle_task import Events, Filter, Map

runs = 0
ITEMS = Filter(lambda event: event["kind"] == "click") | Map(lambda event: event["contents"]["item"])


def run(inputs, context):
    global runs
    runs += 1
    return {"clicks": len(list(Events(inputs["events"]) | ITEMS)), "runs": runs}
"""
OUTPUTS = {"clicks": {"type": "integer"}, "runs": {"type": "integer"}}


@pytest.mark.processes
def test_an_app_reports_events_and_finds_features_in_the_table(repository, address, tmp_path):
    publish(repository, code=CODE, outputs=OUTPUTS, vm={"keep": True, "idle_s": 600, "held_mb": 8})
    folder, notices = tmp_path / "walle", []

    def named(name):
        return [notice for notice in notices if notice.name == name]

    with embedded(
        server=address,
        app="shop",
        app_version="1.2.0",
        app_key="app-key",
        os="android",
        os_version="14",
        folder=folder,
        inputs=lambda task, manifest: None,
        interval=0.05,
        initial_root=repository.roots[1],
        debug=True,
        on_notice=notices.append,
    ) as walle:
        wait_for(lambda: named("installed"))
        with pytest.raises(EventRefused, match="kind"):
            walle.track("swipe", "item/1")
        taken = []

        def visit(page, clicks):
            taken.append(walle.track("page_enter", page))
            taken.extend(walle.track("click", page, contents={"item": number}) for number in range(clicks))
            taken.append(walle.track("page_exit", page, at=None))

        for number in range(4):
            user = threading.Thread(target=visit, args=(f"item/{number}", number))
            user.start()
            user.join()
            wait_for(lambda number=number: len(named("ran")) == number + 1)
    assert taken == [True] * 14
    assert [notice.data["output"] for notice in named("ran")] == [{"clicks": n, "runs": n + 1} for n in range(4)]
    assert not named("error")
    [table] = folder.glob("streams/*/table.sqlite")
    columns = {name: output["type"] for name, output in OUTPUTS.items()}
    with closing(CollectiveTable(table, columns, retention=Retention(100, 86_400.0, 2**20))) as kept:
        assert [(row["clicks"], row["runs"]) for row in kept.read()] == [(n, n + 1) for n in range(4)]
    with DeviceStore(folder) as store:
        told = [report for report in [*repository.reports, *store.outbox.batch(10)] if report["kind"] == "run"]
    assert [(report["task"], report["runs"]["count"], report["runs"]["cold"]) for report in told] == [
        (IPV, 3, 1),
        (IPV, 1, 0),
    ]
