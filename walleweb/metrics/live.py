"""The counts of this process's live channel (live_app.counts) as metrics, read in the event loop's thread."""

from collections.abc import Iterable
from typing import Final

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from kit.metrics import Family, MetricReading
from live_app.counts import COUNTS

FAMILIES: Final = (
    Family("gauge", "walle_live_clients", "Sockets that are open."),
    Family("gauge", "walle_live_subscriptions", "What they have subscribed to.", ("topic",)),
    Family("counter", "walle_live_messages_total", "Messages sent to them."),
    Family("counter", "walle_live_frames_total", "Frames sent, each of one message or more."),
    Family("counter", "walle_live_coalesced_total", "Gauges not sent, because a newer one came before."),
    Family("counter", "walle_live_refused_total", "Messages and subscriptions refused."),
    Family("counter", "walle_live_closed_total", "Sockets that ended, by why.", ("reason",)),
    Family("histogram", "walle_live_lag_seconds", "Time from writing an event to handing it to sockets."),
    Family("histogram", "walle_live_gauge_seconds", "Time to read a gauge."),
)


class LiveCollector(Collector):
    """Reads the counts."""

    def collect(self) -> Iterable[Metric]:
        reading = MetricReading(FAMILIES)
        reading.add("walle_live_clients", COUNTS.clients)
        for topic, number in COUNTS.subscriptions.items():
            reading.add("walle_live_subscriptions", number, topic)
        reading.add("walle_live_messages_total", COUNTS.messages)
        reading.add("walle_live_frames_total", COUNTS.frames)
        reading.add("walle_live_coalesced_total", COUNTS.coalesced)
        reading.add("walle_live_refused_total", COUNTS.refused)
        for reason, number in COUNTS.closed.items():
            reading.add("walle_live_closed_total", number, reason)
        reading.add_histogram("walle_live_lag_seconds", COUNTS.lag_s)
        reading.add_histogram("walle_live_gauge_seconds", COUNTS.gauge_s)
        return reading
