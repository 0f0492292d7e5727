"""Signals of tasks_app for the apps above it."""

from django.dispatch import Signal

task_returns = Signal()
"""Sent before a retired task (`task`) can be released again; a receiver objects by raising an error for the person."""

task_changed = Signal()
"""Sent inside the transaction in which devices are to get something else of a task (`task`, `now`).

The task was retired or unretired, or signed again.
"""
