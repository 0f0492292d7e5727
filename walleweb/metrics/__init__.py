"""What Prometheus reads: gateways' counts, what lies in PostgreSQL, requests and pushes (docs/guides/monitoring.md)."""
