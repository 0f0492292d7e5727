"""Joins to the tunnels of a gateway what goes down through them: withdrawals and answers."""

from __future__ import annotations

from walle.gateway.tunnel.answers import Answers, ForgettingAnswerSource
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.gateway.tunnel.withdrawals import Withdrawals


def push_withdrawals(endpoint: TunnelEndpoint) -> Withdrawals:
    """Have connected devices told of withdrawals; called before the endpoint starts."""
    gateway, clock = endpoint.gateway, endpoint.gateway.counts.clock
    withdrawals = Withdrawals(gateway.tables, gateway.check_ins, endpoint.connections, endpoint.counts, clock=clock)
    endpoint.on_welcomed.append(withdrawals.connected)
    endpoint.on_changed.append(withdrawals.changed)
    endpoint.on_received.append(withdrawals.acknowledged)
    endpoint.background.append(withdrawals.run)
    return withdrawals


def deliver_answers(endpoint: TunnelEndpoint, source: ForgettingAnswerSource) -> Answers:
    """Have answers delivered to connected devices; called before the endpoint starts."""
    monotonic = endpoint.gateway.counts.clock
    answers = Answers(source, endpoint.connections, endpoint.counts, clock=endpoint.clock, monotonic=monotonic)
    endpoint.on_welcomed.append(answers.connected)
    endpoint.background.append(answers.run)
    return answers
