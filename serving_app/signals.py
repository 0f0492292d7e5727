"""The signal with which serving_app passes on for whom versions were chosen; walleweb.wiring connects it."""

from django.dispatch import Signal

callers_chosen = Signal()
"""Sent with `records`, a sequence of CheckInRecord, one for each caller, inside a transaction."""
