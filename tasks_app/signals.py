"""What apps above this one may want to know of."""

from django.dispatch import Signal

task_returns = Signal()
"""A retired task (`task`) is about to be released again; a receiver that objects raises what the person is told."""

task_changed = Signal()
"""Devices are to get something else of a task (`task`, `now`): it was retired or came back, or was signed anew.

Sent inside the transaction.
"""
