"""The metrics of a serving process, of everything that it counts and that its runtime counts."""

import socket

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.whitebox.serving.simulator import ADDRESS, LengthEngine, Site
from walle.whitebox.runtime.service import Runtime
from walle.whitebox.serving import plan_host
from walle.whitebox.serving.application import ServingApplication
from walleweb.metrics.serving import FAMILIES, ServingMetrics
from walleweb.serving import limits, name_of


class CountingEngine(LengthEngine):
    """The engine of tests, which counts what a runtime counts."""

    def statistics(self):
        return self.runtime.statistics()


@pytest.fixture
async def site(tmp_path, monkeypatch):
    monkeypatch.setattr(plan_host, "LOOK_EVERY_S", 0.01)
    site = Site(tmp_path)
    site.release("1.0.0", bias=0.0)
    site.engine = CountingEngine()
    site.engine.runtime = Runtime(tmp_path / "runtime")
    return site


async def test_requests_versions_and_the_runtime_are_counted(site):
    async with site.serving() as client:
        for record in ({"text": "x" * 75}, {"text": 1}):
            await client.post(ADDRESS, json={"record": record, "caller": "user-1"})
        application = ServingApplication(site.process, operations={"/metrics": ServingMetrics(site.process, "secret")})
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as prometheus:
            refused = await prometheus.get("/metrics")
            answer = await prometheus.get("/metrics", headers={"authorization": "Bearer secret"})
    assert refused.status_code == 401
    samples = [sample for each in text_string_to_metric_families(answer.text) for sample in each.samples]

    def value(name, **labels):
        (found,) = [each.value for each in samples if each.name == name and each.labels == labels]
        return found

    about = {"app": "shop", "task": "reviews/mood", "version": "1.0.0"}
    assert value("walle_serving_records_total", **about, outcome="answered") == 1
    assert value("walle_serving_records_total", **about, outcome="refused") == 1
    assert value("walle_serving_request_seconds_count", **about) == 2
    assert value("walle_serving_refusals_total", code="record-refused") == 1
    assert value("walle_serving_refusals_total", code="internal-error") == 0
    assert value("walle_serving_versions", state="loaded") == 1
    assert value("walle_serving_table_number", app="shop") == site.cloud.number
    assert value("walle_serving_parameter_bytes", how="shared") == 0
    missing = [each.name for each in FAMILIES if not any(sample.name.startswith(each.name) for sample in samples)]
    assert missing == []


def test_the_limits_are_those_that_are_configured(settings):
    settings.WALLE_SERVING_MAX_BODY, settings.WALLE_SERVING_MAX_BATCH = 1000, 7
    settings.WALLE_SERVING_RECORDS_PER_SECOND = 3
    found = limits()
    assert (found.body.body, found.request.records, found.records_a_second) == (1000, 7, 3)


def test_a_process_is_named_by_its_machine_and_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        assert name_of(listener) == f"{socket.gethostname()}:{listener.getsockname()[1]}"
