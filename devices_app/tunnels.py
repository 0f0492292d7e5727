"""Connect the tunnels of this control plane's gateways to PostgreSQL, and to Redis where that takes the features."""

from devices_app.answer_source import PostgresAnswerSource
from devices_app.feature_sink import feature_sink
from walle.gateway.application import Gateway
from walle.gateway.ports import DictionarySource, VersionSource
from walle.gateway.tunnel.downward import deliver_answers, push_withdrawals
from walle.gateway.tunnel.endpoint import TunnelEndpoint


def build_tunnel(
    gateway: Gateway, dictionaries: DictionarySource | None = None, versions: VersionSource | None = None
) -> TunnelEndpoint:
    """Return the tunnels of a gateway.

    `dictionaries` finds those that features are compressed with, `versions` the names of what sends them.
    """
    tunnel = TunnelEndpoint(gateway, feature_sink(), dictionaries, versions=versions)
    push_withdrawals(tunnel)
    deliver_answers(tunnel, PostgresAnswerSource())
    return tunnel
