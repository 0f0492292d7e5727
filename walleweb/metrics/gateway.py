"""The counts of this process's gateway (walle.gateway.counts) as metrics, read in the event loop's thread."""

from collections.abc import Iterable
from itertools import product
from typing import Final

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from kit.metrics import Family, MetricReading
from walle.gateway.application import GatewayApplication
from walle.gateway.counts import CHECK_IN, ENDPOINTS, OTHER
from walle.gateway.table_cache import LEASE_S

FAMILIES: Final = (
    Family("counter", "walle_gateway_check_ins_total", "Check-ins answered, by what came of them.", ("outcome",)),
    Family("histogram", "walle_gateway_check_in_seconds", "Time to answer a check-in; ten a second are measured."),
    Family("counter", "walle_gateway_check_ins_stored_total", "Check-ins written to the registry.", ("app",)),
    Family("counter", "walle_gateway_check_ins_lost_total", "Check-ins not written; they come again.", ("reason",)),
    Family("counter", "walle_gateway_offers_total", "Offers made to devices.", ("app", "task")),
    Family("counter", "walle_gateway_put_off_total", "Offers that devices put off.", ("app", "reason")),
    Family("counter", "walle_gateway_draws_total", "Devices selected for releases in progress.", ("app", "arm")),
    Family("counter", "walle_gateway_requests_total", "Requests but for check-ins.", ("endpoint", "status")),
    Family("histogram", "walle_gateway_request_seconds", "Time until such a response begins.", ("endpoint",)),
    Family("counter", "walle_gateway_refusals_total", "Requests refused, by the error's code.", ("endpoint", "code")),
    Family("counter", "walle_gateway_enrolments_total", "Devices enrolled, by what proved them.", ("app", "way")),
    Family("counter", "walle_gateway_enrolments_refused_total", "Enrolments over a limit.", ("app", "limit")),
    Family("counter", "walle_gateway_reports_total", "Reports received, by what became of them.", ("app", "result")),
    Family("counter", "walle_gateway_relayed_total", "Left by gateways of business services.", ("app", "what")),
    Family("counter", "walle_gateway_sent_bytes_total", "Bytes of files and other answers.", ("endpoint",)),
    Family("histogram", "walle_gateway_flush_seconds", "Time to write a batch of check-ins."),
    Family("gauge", "walle_gateway_flush_age_seconds", "Time since all check-ins were last written."),
    Family("gauge", "walle_gateway_buffered_check_ins", "Check-ins that wait to be written."),
    Family("gauge", "walle_gateway_buffered_reports", "Reports that wait for others to be written."),
    Family("gauge", "walle_gateway_lease_seconds", "Time for which offers may still be made; 0: none are."),
    Family("gauge", "walle_gateway_table_read_age_seconds", "Time since tables were last looked for in the database."),
    Family("gauge", "walle_gateway_table_number", "Number of the table from which an app is answered.", ("app",)),
    Family("counter", "walle_gateway_quota_offers_total", "Offers under a pace: leased, used, refused.", ("what",)),
    Family(
        "counter",
        "walle_gateway_extra_check_ins_total",
        "Devices in a release, or with a withdrawn version, that were asked to check in sooner: granted, or refused as "
        "the budget was used up.",
        ("what",),
    ),
    Family("histogram", "walle_gateway_loop_delay_seconds", "How late the event loop is, ten times a second."),
    Family(
        "counter",
        "walle_device_reports_total",
        "Outcomes that devices reported and that were stored; a report sent again counts again.",
        ("app", "task", "kind", "outcome"),
    ),
)


class GatewayCollector(Collector):
    """Reads the counts of one gateway."""

    def __init__(self, application: GatewayApplication) -> None:
        self._application = application

    def collect(self) -> Iterable[Metric]:
        reading = MetricReading(FAMILIES)
        self._check_ins(reading)
        self._requests(reading)
        self._state(reading)
        return reading

    def _check_ins(self, reading: MetricReading) -> None:
        gateway = self._application.gateway
        counts, buffer = gateway.counts, gateway.buffer
        refused = sum(number for (endpoint, _), number in counts.refusals.items() if endpoint == CHECK_IN)
        outcomes = {"nothing-new": buffer.added - counts.offered, "offered": counts.offered, "refused": refused}
        for outcome, number in outcomes.items():
            reading.add("walle_gateway_check_ins_total", number, outcome)
        for app, number in counts.flushed.items():
            reading.add("walle_gateway_check_ins_stored_total", number, app)
        for reason, number in {"unavailable": 0, "refused": 0, **counts.lost, "dropped": buffer.dropped}.items():
            reading.add("walle_gateway_check_ins_lost_total", number, reason)
        for key, number in counts.offers.items():
            reading.add("walle_gateway_offers_total", number, *key)
        for key, number in counts.put_off.items():
            reading.add("walle_gateway_put_off_total", number, *key)
        for key, number in counts.exposures.items():
            reading.add("walle_gateway_draws_total", number, *key)
        pacer = gateway.pacer
        for name, number in {"leased": pacer.leased, "used": pacer.taken, "refused": pacer.refused}.items():
            reading.add("walle_gateway_quota_offers_total", number, name)
        extra = gateway.check_ins.extra
        for name, number in {"granted": extra.granted, "refused": extra.refused}.items():
            reading.add("walle_gateway_extra_check_ins_total", number, name)
        reading.add_histogram("walle_gateway_check_in_seconds", counts.answer_s)
        reading.add_histogram("walle_gateway_flush_seconds", counts.flush_s)
        reading.add("walle_gateway_flush_age_seconds", counts.clock() - counts.flushed_at)
        reading.add("walle_gateway_buffered_check_ins", buffer.waiting)

    def _requests(self, reading: MetricReading) -> None:
        gateway = self._application.gateway
        counts, apps = gateway.counts, gateway.tables.state.apps if gateway.tables.state else ()
        # Series with alerts exist from the start: Prometheus sees no increase in a series that begins with 1.
        failures = dict.fromkeys(product((*sorted(ENDPOINTS), OTHER, CHECK_IN), ["internal-error"]), 0)
        results = dict.fromkeys(product(apps, ("acknowledged", "rejected", "unavailable")), 0)
        limited = dict.fromkeys(product(apps, ("app", "block", "device")), 0)
        outcomes = dict.fromkeys(((*about, how) for *about, _ in counts.outcomes for how in ("success", "failure")), 0)
        for name, found in (
            ("walle_gateway_requests_total", counts.requests),
            ("walle_gateway_refusals_total", failures | counts.refusals),
            ("walle_gateway_enrolments_total", counts.enrolments),
            ("walle_gateway_enrolments_refused_total", limited | counts.enrolments_refused),
            ("walle_gateway_reports_total", results | counts.reports),
            ("walle_gateway_relayed_total", counts.relayed),
            ("walle_device_reports_total", outcomes | counts.outcomes),
        ):
            for key, number in found.items():
                reading.add(name, number, *key)
        for endpoint, size in counts.sent_bytes.items():
            reading.add("walle_gateway_sent_bytes_total", size, endpoint)
        for endpoint, histogram in counts.request_s.items():
            reading.add_histogram("walle_gateway_request_seconds", histogram, endpoint)
        reading.add("walle_gateway_buffered_reports", self._application.report_writer.waiting)

    def _state(self, reading: MetricReading) -> None:
        gateway = self._application.gateway
        age = gateway.tables.read_age()
        reading.add("walle_gateway_table_read_age_seconds", age)
        reading.add("walle_gateway_lease_seconds", max(0.0, LEASE_S - age))
        for app, state in (gateway.tables.state.apps if gateway.tables.state else {}).items():
            reading.add("walle_gateway_table_number", state.table.table.number, app)
        reading.add_histogram("walle_gateway_loop_delay_seconds", gateway.counts.loop_delay_s)
