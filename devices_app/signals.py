"""What apps above this one may want to know of."""

from django.dispatch import Signal

reports_stored = Signal()
"""Reports changed what is known of devices on trial; sent inside their transaction.

`releases`: the numbers of the releases concerned, a sorted list.
"""
