"""What apps above this one may want to know of: the ports through which they learn what devices say.

walleweb.wiring connects them.
"""

from django.dispatch import Signal

check_ins_stored = Signal()
"""Devices checked in: `records`, a sequence of CheckInRecord. Sent inside the transaction that stores them."""

reports_received = Signal()
"""Reports came, `received`, a sequence of ReceivedReport, and are about to be stored in a transaction of their own."""

reports_stored = Signal()
"""Reports that were not known before: `news`, a list of pairs of an app's primary key and a ReceivedReport.

Sent inside the transaction that stores them.
"""
