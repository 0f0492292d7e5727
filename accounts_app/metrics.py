"""What is told of accounts: how long the audit log is."""

from typing import Final

from accounts_app.models import AuditEntry
from kit.metrics import DatabaseMetrics

METRICS: Final = DatabaseMetrics(growing=(AuditEntry,))
