"""Signals with which devices_app passes on what devices send to the apps above; walleweb.wiring connects them."""

from django.dispatch import Signal

check_ins_stored = Signal()
"""Sent with `records`, a sequence of CheckInRecord, inside the transaction that stores the check-ins."""

reports_received = Signal()
"""Sent with `received`, a sequence of ReceivedReport, before these are stored in a transaction of their own."""

reports_stored = Signal()
"""Sent with `news`, a list of pairs of an app's primary key and a ReceivedReport that was not known before.

Sent inside the transaction that stores them.
"""
