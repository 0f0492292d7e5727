"""The counts of this process's tunnels (walle.gateway.tunnel.counts) as metrics, read in the event loop's thread."""

from collections.abc import Iterable
from typing import Final

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from kit.metrics import Family, MetricReading
from walle.gateway.tunnel.endpoint import TunnelEndpoint

FAMILIES: Final = (
    Family("gauge", "walle_tunnel_connections", "Devices that are connected."),
    Family("counter", "walle_tunnel_opened_total", "Tunnels opened."),
    Family("counter", "walle_tunnel_closed_total", "Tunnels ended, by close code; 1000: by the device.", ("code",)),
    Family("counter", "walle_tunnel_features_total", "Features stored.", ("app",)),
    Family("counter", "walle_tunnel_raw_bytes_total", "Bytes of stored features as JSON.", ("app",)),
    Family("counter", "walle_tunnel_wire_bytes_total", "Bytes of the messages in which they came.", ("app",)),
    Family("counter", "walle_tunnel_repeated_total", "Features that came again, after they had been received."),
    Family("counter", "walle_tunnel_refused_features_total", "Features dropped, because they can never be stored."),
    Family("counter", "walle_tunnel_store_failures_total", "Attempts to store a group that failed, and are repeated."),
    Family("histogram", "walle_tunnel_store_seconds", "Time to store a group of features."),
    Family("counter", "walle_tunnel_groups_total", "Groups of features stored, each by one commit."),
    Family("counter", "walle_tunnel_offers_total", "Messages that tell devices of withdrawn versions."),
    Family("counter", "walle_tunnel_offers_received_total", "Those of them that devices have acknowledged."),
    Family("counter", "walle_tunnel_answers_total", "Answers to features sent."),
    Family("gauge", "walle_tunnel_waiting_features", "Features that wait to be stored."),
    Family("gauge", "walle_tunnel_waiting_bytes", "Memory that they occupy, and unfinished ones."),
    Family("gauge", "walle_tunnel_window_bytes", "What a device may have unacknowledged; 0: all have to stop."),
)


class TunnelCollector(Collector):
    """Reads the counts of one gateway's tunnels."""

    def __init__(self, tunnel: TunnelEndpoint) -> None:
        self._tunnel = tunnel

    def collect(self) -> Iterable[Metric]:
        reading = MetricReading(FAMILIES)
        tunnel, counts = self._tunnel, self._tunnel.counts
        for name, number in (
            ("walle_tunnel_connections", len(tunnel.connections)),
            ("walle_tunnel_opened_total", counts.opened),
            ("walle_tunnel_groups_total", counts.groups),
            ("walle_tunnel_repeated_total", counts.duplicates),
            ("walle_tunnel_refused_features_total", counts.refused),
            ("walle_tunnel_store_failures_total", counts.failures),
            ("walle_tunnel_offers_total", counts.offers),
            ("walle_tunnel_offers_received_total", counts.offers_received),
            ("walle_tunnel_answers_total", counts.answers),
            ("walle_tunnel_waiting_features", tunnel.intake.waiting),
            ("walle_tunnel_waiting_bytes", tunnel.intake.waiting_bytes + tunnel.parts.used),
            ("walle_tunnel_window_bytes", tunnel.intake.window),
        ):
            reading.add(name, number)
        state = tunnel.gateway.tables.state
        zeros = dict.fromkeys(state.apps if state else (), 0)
        for name, by_app in (
            ("walle_tunnel_features_total", counts.features),
            ("walle_tunnel_raw_bytes_total", counts.raw_bytes),
            ("walle_tunnel_wire_bytes_total", counts.wire_bytes),
        ):
            for app, number in (zeros | by_app).items():
                reading.add(name, number, app)
        for code, number in counts.closes.items():
            reading.add("walle_tunnel_closed_total", number, code)
        reading.add_histogram("walle_tunnel_store_seconds", counts.store_s)
        return reading
