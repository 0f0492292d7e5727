"""Metrics for Prometheus: gateways' counts, rows in PostgreSQL, requests and pushes (docs/guides/monitoring.md)."""
