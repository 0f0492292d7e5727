"""Signals of accounts_app for the apps above it."""

from django.dispatch import Signal

recorded = Signal()
"""Sent inside the transaction that writes an audit entry (`entry`).

`scopes` are all scopes that it concerns, its own first; an empty one stands for none.
"""

sessions_ended = Signal()
"""Sent inside the transaction in which users end sessions of theirs."""
