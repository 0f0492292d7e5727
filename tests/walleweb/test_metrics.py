"""/metrics: who may read it, and what a process counts."""

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.gateway.simulator import Clock, Cloud, make_application, make_gateway
from tests.gateway.tunnel.sinks import MemorySink
from tests.release.tables import entry
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walleweb.broker import BrokerReading
from walleweb.metrics import broker, database, gateway, live, tunnels, web
from walleweb.metrics.application import Metrics, Observed


class Exposed:
    """The endpoint of a process whose gateway has a simulated control plane."""

    def __init__(self, folder, token=""):
        self.clock, self.cloud = Clock(), Cloud(entries=[entry()])
        self.gateway = make_gateway(self.cloud, self.clock)
        self.application = make_application(self.gateway, self.cloud, folder)
        self.tunnel = self.application.tunnel = TunnelEndpoint(self.gateway, MemorySink())
        self.broker = ""
        self.metrics = Metrics(
            self.application, token, BrokerReading(lambda: self.broker, lambda: self.clock.monotonic)
        )

    async def get(self, client=("127.0.0.1", 5000), method="GET", host="localhost:8000", **headers):
        transport = httpx.ASGITransport(self.metrics, client=client)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as asking:
            return await asking.request(
                method, "/metrics", headers={name.replace("_", "-"): value for name, value in headers.items()}
            )

    async def values(self):
        """Every sample by its name and labels."""
        return parsed((await self.get()).text)


def parsed(text):
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture(autouse=True)
def no_database(monkeypatch):
    """The database has tests of its own."""

    async def refuse():
        raise OSError("no database here")

    monkeypatch.setattr(database, "direct_connection", refuse)


@pytest.mark.parametrize(
    ("client", "headers", "status"),
    [
        (("127.0.0.1", 1), {}, 200),
        (("127.8.9.10", 1), {}, 200),
        (("::1", 1), {}, 200),
        (("::ffff:127.0.0.1", 1), {}, 200),
        (("10.0.0.7", 1), {}, 403),
        (("::ffff:10.0.0.7", 1), {}, 403),
        (None, {}, 403),
        (("127.0.0.1", 1), {"X_Forwarded_For": "127.0.0.1"}, 403),
        (("127.0.0.1", 1), {"Forwarded": "for=127.0.0.1"}, 403),
        (("127.0.0.1", 1), {"X_Real_IP": "127.0.0.1"}, 403),
        (("127.0.0.1", 1), {"Via": "1.1 nginx"}, 403),
        (("10.0.0.7", 1), {"Authorization": "Bearer "}, 403),
        (("10.0.0.7", 1), {"Authorization": "Bearer x"}, 403),
    ],
)
async def test_without_a_token_only_programs_of_this_machine_may_read(tmp_path, client, headers, status):
    answer = await Exposed(tmp_path).get(client, **headers)
    assert answer.status_code == status
    assert ("walle_gateway" in answer.text) == (status == 200)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("Bearer t0ken-of-prometheus", 200),
        ("bearer t0ken-of-prometheus", 200),
        ("Bearer t0ken-of-prometheu", 401),
        ("Bearer t0ken-of-prometheus-", 401),
        ("Basic t0ken-of-prometheus", 401),
        ("Bearer ünïcode", 401),
        ("", 401),
    ],
)
@pytest.mark.parametrize("client", [("127.0.0.1", 1), ("10.0.0.7", 1)])
async def test_with_a_token_everybody_needs_it(tmp_path, given, status, client):
    answer = await Exposed(tmp_path, "t0ken-of-prometheus").get(
        client, Authorization=given.encode("latin-1", "replace")
    )
    assert answer.status_code == status
    assert "t0ken-of-prometheus" not in answer.text
    if status == 401:
        assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:8000", 200), ("[::1]:8000", 200), ("walle.example", 200), ("evil.example", 403), ("", 403)],
)
async def test_a_page_whose_name_was_made_to_lead_here_reads_nothing(tmp_path, settings, host, status):
    settings.ALLOWED_HOSTS = ["walle.example"]
    assert (await Exposed(tmp_path).get(Host=host)).status_code == status


async def test_metrics_are_only_read(tmp_path):
    assert (await Exposed(tmp_path).get(method="POST")).status_code == 405


async def test_both_formats_that_prometheus_asks_for(tmp_path):
    exposed = Exposed(tmp_path)
    assert (await exposed.get()).headers["content-type"].startswith("text/plain")
    answer = await exposed.get(accept="application/openmetrics-text; version=1.0.0")
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


async def test_a_gateways_counts(tmp_path):
    exposed = Exposed(tmp_path)
    await exposed.gateway.tables.refresh()
    transport = httpx.ASGITransport(exposed.application)
    async with httpx.AsyncClient(transport=transport, base_url="http://walle/walle/v1") as device:
        for name in ("device-1", "device-2"):
            exposed.gateway.check_ins.measure_next()
            await device.post("/checkin", headers=exposed.cloud.headers(name))
        await device.post("/checkin")
        await device.post("/enrol", json={})
    exposed.clock.advance(3)
    values = await exposed.values()
    expected = {
        ("walle_gateway_check_ins_total", "offered"): 2,
        ("walle_gateway_check_ins_total", "nothing-new"): 0,
        ("walle_gateway_check_ins_total", "refused"): 1,
        ("walle_gateway_check_in_seconds_count",): 2,
        ("walle_gateway_offers_total", "camera/digits", "shop"): 2,
        ("walle_gateway_requests_total", "400", "enrol"): 1,
        ("walle_gateway_refusals_total", "body-malformed", "enrol"): 1,
        ("walle_gateway_buffered_check_ins",): 2,
        ("walle_gateway_lease_seconds",): 2,
        ("walle_gateway_table_read_age_seconds",): 3,
        ("walle_gateway_flush_age_seconds",): 3,
        ("walle_gateway_table_number", "shop"): 17,
        ("walle_database_up",): 0,
    }
    assert {key: values[key] for key in expected} == expected


async def test_whether_the_broker_answers(tmp_path):
    exposed = Exposed(tmp_path)
    assert (await exposed.values())["walle_broker_up",] == 1
    exposed.broker = "away"
    exposed.clock.advance(1.1)
    assert (await exposed.values())["walle_broker_up",] == 0


async def test_the_counts_of_its_tunnels(tmp_path):
    exposed = Exposed(tmp_path)
    await exposed.gateway.tables.refresh()
    counts = exposed.tunnel.counts
    counts.opened, counts.groups, counts.failures, counts.duplicates, counts.refused = 7, 3, 2, 4, 1
    counts.features["shop"], counts.raw_bytes["shop"], counts.wire_bytes["shop"] = 5, 500, 200
    counts.offers, counts.offers_received, counts.answers = 9, 8, 11
    counts.closes[4400] = 6
    counts.store_s.observe(0.002)
    values = await exposed.values()
    expected = {
        ("walle_tunnel_connections",): 0,
        ("walle_tunnel_opened_total",): 7,
        ("walle_tunnel_closed_total", "4400"): 6,
        ("walle_tunnel_features_total", "shop"): 5,
        ("walle_tunnel_features_total", "bank"): 0,
        ("walle_tunnel_raw_bytes_total", "shop"): 500,
        ("walle_tunnel_wire_bytes_total", "shop"): 200,
        ("walle_tunnel_repeated_total",): 4,
        ("walle_tunnel_refused_features_total",): 1,
        ("walle_tunnel_store_failures_total",): 2,
        ("walle_tunnel_groups_total",): 3,
        ("walle_tunnel_store_seconds_count",): 1,
        ("walle_tunnel_offers_total",): 9,
        ("walle_tunnel_offers_received_total",): 8,
        ("walle_tunnel_answers_total",): 11,
        ("walle_tunnel_waiting_features",): 0,
        ("walle_tunnel_waiting_bytes",): 0,
        ("walle_tunnel_window_bytes",): exposed.tunnel.limits.window,
    }
    assert {key: values[key] for key in expected} == expected


async def test_before_the_first_table_no_lease_is_claimed(tmp_path):
    values = await Exposed(tmp_path).values()
    assert values["walle_gateway_lease_seconds",] == 0
    assert values["walle_gateway_table_read_age_seconds",] == float("inf")


async def test_what_alerts_wait_for_begins_with_zero(tmp_path):
    """Prometheus sees an increase only of what it saw before."""
    exposed = Exposed(tmp_path)
    await exposed.gateway.tables.refresh()
    exposed.gateway.counts.outcomes["shop", "camera/digits", "run", "success"] += 5
    values = await exposed.values()
    assert values["walle_gateway_refusals_total", "checkin", "internal-error"] == 0
    assert values["walle_gateway_reports_total", "shop", "unavailable"] == 0
    assert values["walle_gateway_enrolments_refused_total", "block", "shop"] == 0
    assert values["walle_device_reports_total", "camera/digits", "failure", "run", "shop"] == 0
    assert values["walle_device_reports_total", "camera/digits", "run", "shop", "success"] == 5
    assert values["walle_jobs_finished_total", "failed", "releases.reconcile"] == 0


async def test_histograms_are_cumulative_and_complete(tmp_path):
    exposed = Exposed(tmp_path)
    for seconds in (0.0005, 0.002, 99.0):
        exposed.gateway.counts.loop_delay_s.observe(seconds)
    values = await exposed.values()
    buckets = [value for (name, *_), value in values.items() if name == "walle_gateway_loop_delay_seconds_bucket"]
    assert buckets == sorted(buckets)
    assert values["walle_gateway_loop_delay_seconds_bucket", "0.001"] == 1
    assert values["walle_gateway_loop_delay_seconds_bucket", "+Inf"] == 3
    assert values["walle_gateway_loop_delay_seconds_count",] == 3


async def test_strangers_methods_make_no_series_of_their_own():
    for number in range(30):
        web.count_request(f"MADE-UP-{number}", "unmatched", 405, 0.1)
    series = [s.labels["method"] for f in web.REGISTRY.collect() for s in f.samples if "method" in s.labels]
    assert not [method for method in series if method.startswith("MADE-UP")]
    assert "other" in series


@pytest.mark.parametrize(
    ("path", "query", "service"),
    [
        ("/git/camera.git/info/refs", b"service=git-receive-pack", "git-receive-pack"),
        ("/git/camera.git/git-upload-pack", b"", "git-upload-pack"),
        ("/git/camera.git/HEAD", b"", "other"),
    ],
)
async def test_git_is_counted_and_its_requests_are_named(path, query, service):
    async def git(scope, receive, send):
        await send({"type": "http.response.start", "status": 418, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def counted():
        labels = {"service": service, "status": "418"}
        return web.REGISTRY.get_sample_value("walle_git_requests_total", labels) or 0

    before = counted()
    transport = httpx.ASGITransport(Observed(git))
    async with httpx.AsyncClient(transport=transport, base_url="http://walle") as client:
        answer = await client.get(f"{path}?{query.decode()}", headers={"X-Request-ID": "push-1"})
    assert answer.headers["x-request-id"] == "push-1"
    assert counted() == before + 1


DECLARED = (*database.families(), *gateway.FAMILIES, *broker.FAMILIES, *live.FAMILIES, *tunnels.FAMILIES, *web.FAMILIES)


def test_names_follow_the_conventions():
    """https://prometheus.io/docs/practices/naming/"""
    for family in DECLARED:
        assert family.name.startswith("walle_")
        assert family.name.endswith("_total") == (family.kind == "counter")
        assert family.kind != "histogram" or family.name.endswith("_seconds")
        assert family.help.endswith(".")
        assert not {"ms", "milliseconds", "mb", "kb", "minutes"} & set(family.name.split("_"))


async def test_every_declared_family_is_exposed_with_its_help(tmp_path):
    text = (await Exposed(tmp_path).get()).text
    found = {family.name: family.documentation for family in text_string_to_metric_families(text)}
    assert {family.name.removesuffix("_total"): family.help for family in DECLARED}.items() <= found.items()
    assert {name for name in found if name.startswith("walle_")} == {
        family.name.removesuffix("_total") for family in DECLARED
    }


def test_the_endpoint_has_its_place():
    from walleweb.asgi import application

    assert isinstance(application.operations["/metrics"], Metrics)
