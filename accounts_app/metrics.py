"""Metrics of accounts: the length of the audit log."""

from typing import Final

from accounts_app.models import AuditEntry
from kit.metrics import DatabaseMetrics

METRICS: Final = DatabaseMetrics(growing=(AuditEntry,))
