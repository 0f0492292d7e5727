"""The tunnels of the control plane's own gateways, with what comes up and goes down through them."""

from devices_app.answer_source import PostgresAnswerSource
from devices_app.feature_sink import PostgresFeatureSink
from walle.gateway.application import Gateway
from walle.gateway.ports import DictionarySource
from walle.gateway.tunnel.downward import deliver_answers, push_withdrawals
from walle.gateway.tunnel.endpoint import TunnelEndpoint


def build_tunnel(gateway: Gateway, dictionaries: DictionarySource) -> TunnelEndpoint:
    """Return the tunnels of a gateway."""
    endpoint = TunnelEndpoint(gateway, PostgresFeatureSink(), dictionaries)
    push_withdrawals(endpoint)
    deliver_answers(endpoint, PostgresAnswerSource())
    return endpoint
