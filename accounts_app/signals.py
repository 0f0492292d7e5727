"""What apps above this one may want to know of."""

from django.dispatch import Signal

recorded = Signal()
"""Something was written to the audit log; sent inside its transaction.

`entry`: the AuditEntry. `scopes`: all scopes that it concerns, its own first; an empty one is none.
"""
