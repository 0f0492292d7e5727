"""Connect the tunnels of this control plane's gateways to PostgreSQL."""

from devices_app.answer_source import PostgresAnswerSource
from devices_app.feature_sink import PostgresFeatureSink
from walle.gateway.application import Gateway
from walle.gateway.ports import DictionarySource
from walle.gateway.tunnel.downward import deliver_answers, push_withdrawals
from walle.gateway.tunnel.endpoint import TunnelEndpoint


def build_tunnel(gateway: Gateway, dictionaries: DictionarySource | None = None) -> TunnelEndpoint:
    """Return the tunnels of a gateway; `dictionaries` finds those that features are compressed with."""
    tunnel = TunnelEndpoint(gateway, PostgresFeatureSink(), dictionaries)
    push_withdrawals(tunnel)
    deliver_answers(tunnel, PostgresAnswerSource())
    return tunnel
