"""Whether this process can reach the broker, as a metric."""

from collections.abc import Iterable
from typing import Final

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from kit.metrics import Family, MetricReading
from walleweb.broker import BrokerReading

FAMILIES: Final = (
    Family("gauge", "walle_broker_up", "Whether the broker of wake-ups could be reached (1) or not (0)."),
)


class BrokerCollector(Collector):
    """The last reading; `refresh` comes before `collect`, both in the event loop."""

    def __init__(self, reading: BrokerReading) -> None:
        self._reading, self._up = reading, False

    async def refresh(self) -> None:
        self._up = not await self._reading.problem()

    def collect(self) -> Iterable[Metric]:
        reading = MetricReading(FAMILIES)
        reading.add("walle_broker_up", self._up)
        return reading
